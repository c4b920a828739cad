//! What a feed writes its recording with.

use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::api::Settings;
use crate::tape::line::VERSION;
use crate::tape::{Header, Keep, Line, LineKind, Order, Plan};

use super::feed::Target;

/// Writes lines with the time since the recording began; without a recording it does nothing.
#[derive(Debug, Clone)]
pub struct Pen {
    orders: Option<mpsc::Sender<Order>>,
    began: Instant,
}

impl Pen {
    /// For a recording that begins now.
    pub fn new(orders: Option<mpsc::Sender<Order>>) -> Self {
        Self { orders, began: Instant::now() }
    }

    /// Writes a line. Waits where the disk is slower than the socket; a recording that stopped is not an error here:
    /// its deck has said why.
    pub async fn write(&self, what: LineKind) {
        if let Some(orders) = &self.orders {
            let _ = orders.send(Order::Write(self.line(what))).await;
        }
    }

    /// A line of this moment.
    pub fn line(&self, what: LineKind) -> Line {
        Line { at_ms: self.began.elapsed().as_millis() as u64, what }
    }
}

/// How a socket is to be recorded: in which file, from when on, and without which secrets.
pub(super) fn plan(keep: &Keep, target: &Target, settings: &Settings, now: jiff::Timestamp) -> Plan {
    let mut secrets = vec![settings.key.expose().to_owned()];
    let (kind, session) = match target {
        Target::Spectator(session) => ("spectator", session),
        Target::Player(session, token) => {
            secrets.push(token.expose().to_owned());
            ("player", session)
        }
    };
    let stamp = now.strftime("%Y%m%d-%H%M%S");
    let id: String = session
        .as_str()
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c))
        .take(40)
        .collect();
    let mark: u32 = rand::random();
    let file = keep.folder.join(format!("{stamp}-{id}-{mark:08x}.jsonl"));
    let header = Header {
        gert_recording: VERSION,
        kind: kind.into(),
        session_id: session.as_str().to_owned(),
        host: settings.base_url.as_str().to_owned(),
        started_at: now,
    };
    Plan { file, header, most_bytes: keep.most_bytes, secrets }
}
