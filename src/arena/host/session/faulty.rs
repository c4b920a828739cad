//! What a fault script does to a session: a late start, a failed one, a seat that fails.

use std::time::Duration;

use tokio::time::Instant;

use super::{Ending, Outcome, Session};
use crate::arena::record::Status;

impl Session {
    /// When it may start.
    pub(super) fn late(&self) -> Option<Instant> {
        let fault = self.fault.as_ref().filter(|fault| fault.is_late())?;
        Some(self.began + Duration::from_millis(fault.start_delay_ms))
    }

    /// How it ends instead of starting.
    pub(super) fn start_failure(&self) -> Option<Outcome> {
        let reason = self.fault.as_ref()?.start_failure.clone()?;
        Some(Outcome::End(Ending::failed("start_failed", reason)))
    }

    /// Takes out the seat whose time has come.
    pub(super) fn fail_on_demand(&mut self) -> Option<Outcome> {
        let is_due = |fault: &super::SessionFault| self.record.tick >= fault.tick;
        if self.record.status != Status::Active || !self.fault.as_ref().is_some_and(is_due) {
            return None;
        }
        let fault = self.fault.as_mut()?;
        let (seat, reason) = (fault.seat.take()?, fault.reason.take()?);
        let is_out = self.record.seats.get(seat.index()).is_none_or(|seat| seat.failed || seat.eliminated);
        if is_out { None } else { self.fail(seat, &reason) }
    }
}
