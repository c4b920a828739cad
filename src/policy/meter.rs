//! How much processor time a policy's processes have used.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Written by the task that owns the process, read by whoever started it.
#[derive(Debug, Clone, Default)]
pub(super) struct Meter(Arc<Times>);

/// In nanoseconds.
#[derive(Debug, Default)]
struct Times {
    of_former: AtomicU64,
    of_this: AtomicU64,
}

impl Meter {
    /// Reads the clock of a process that has not been reaped.
    pub(super) fn read(&self, pid: Option<u32>) {
        if let Some(used) = pid.and_then(clock_of) {
            self.0.of_this.store(u64::try_from(used.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
    }

    /// Another process takes the place of the one that was read so far.
    pub(super) fn next(&self) {
        let used = self.0.of_this.swap(0, Ordering::Relaxed);
        self.0.of_former.fetch_add(used, Ordering::Relaxed);
    }

    pub(super) fn total(&self) -> Duration {
        let [former, this] = [&self.0.of_former, &self.0.of_this].map(|time| time.load(Ordering::Relaxed));
        Duration::from_nanos(former.saturating_add(this))
    }
}

#[cfg(target_os = "linux")]
fn clock_of(pid: u32) -> Option<Duration> {
    let pid = nix::unistd::Pid::from_raw(i32::try_from(pid).ok()?);
    // An error means that it is gone.
    nix::time::clock_getcpuclockid(pid).ok()?.now().ok().map(Into::into)
}

#[cfg(not(target_os = "linux"))]
fn clock_of(_: u32) -> Option<Duration> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn times_of_one_process_after_the_other_add_up() {
        let meter = Meter::default();
        meter.read(Some(std::process::id()));
        let first = meter.total();
        assert!(first > Duration::ZERO);
        meter.next();
        assert_eq!(meter.total(), first);
        meter.read(Some(std::process::id()));
        assert!(meter.total() >= first * 2);
        meter.read(None);
        meter.read(Some(u32::MAX));
        assert!(meter.total() >= first * 2, "a process that is gone changes nothing");
    }
}
