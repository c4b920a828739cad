//! What a turn that is left to a provider asks of the guard.

use std::sync::{Arc, Mutex};

use futures_util::{SinkExt, StreamExt};
use gert::api::{Client, Guard, Guarded, Intent, Micro, Outcome, Refusal, SocketError};
use gert::config::{Spend, UnknownPrice};
use gert::journal::Journal;
use gert::spend::{self, Row, Spending, State};
use serde_json::value::RawValue;
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::Message as Frame;

use super::settings;
use super::sockets::{connect, text};

/// A guard whose settings change while a socket is open.
#[derive(Clone)]
struct Changing(Arc<Mutex<Spending>>);

impl Changing {
    fn set(&self, change: impl FnOnce(&mut Spending)) {
        change(&mut self.0.lock().expect("no panic"));
    }
}

impl Guard for Changing {
    fn wants_price(&self) -> bool {
        false
    }

    fn admit(&self, intent: &Intent) -> Result<Option<u64>, Refusal> {
        self.0.lock().expect("no panic").admit(intent)
    }

    fn settle(&self, intent: &Intent, mark: Option<u64>, outcome: &Outcome) {
        self.0.lock().expect("no panic").settle(intent, mark, outcome);
    }
}

#[tokio::test]
async fn a_delegated_turn_asks_the_guard_and_is_counted() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base = format!("http://{}/api/v1", listener.local_addr().expect("an address"));
    let host = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.expect("a client");
        let mut ws = tokio_tungstenite::accept_async(stream).await.expect("a socket");
        text(ws.next().await);
        ws.send(Frame::text(r#"{"type":"connected","player_id":"p0"}"#)).await.expect("sent");
        let mut heard = Vec::new();
        while let Some(Ok(Frame::Text(frame))) = ws.next().await {
            heard.push(frame.to_string());
        }
        heard
    });
    let folder = tempfile::tempdir().expect("a folder");
    let ledger = Journal::new(folder.path().join("spend.jsonl"));
    let guard = Changing(Arc::new(Mutex::new(Spending {
        profile: "default".into(),
        host: "h".into(),
        read_only: false,
        caps: Spend::default(),
        ledger: Some(ledger.clone()),
    })));
    let mut settings = settings(&base);
    settings.guard = Guarded::by(guard.clone());
    let mut socket = connect(&Client::new(settings).expect("a client")).await.expect("a seat");

    socket.delegate("prov-1", None).await.expect("nothing forbids it");
    guard.set(|spending| spending.read_only = true);
    let refused = socket.delegate("prov-2", None).await.expect_err("read-only");
    assert!(matches!(&refused, SocketError::Refused(why) if why.contains("read-only")), "{refused}");
    guard.set(|spending| {
        spending.read_only = false;
        spending.caps =
            Spend { per_day: Some(Micro(1000)), unknown_price: UnknownPrice::Refuse, ..Spend::default() };
    });
    let refused = socket.delegate("prov-3", None).await.expect_err("a cap, and nobody knows the price");
    assert!(refused.to_string().contains("only the server knows what `delegate turn` costs"), "{refused}");
    guard.set(|spending| spending.caps.unknown_price = UnknownPrice::Allow);
    socket.delegate("prov-4", Some("m")).await.expect("it is allowed");
    // What costs nothing is not asked about.
    guard.set(|spending| spending.read_only = true);
    let nothing = RawValue::from_string("[]".into()).expect("JSON");
    socket.send_action(&nothing, None).await.expect("an action");
    socket.close().await;

    let heard = host.await.expect("no panic");
    assert_eq!(
        heard,
        [
            r#"{"type":"delegate","provider_id":"prov-1"}"#,
            r#"{"type":"delegate","provider_id":"prov-4","model":"m"}"#,
            r#"{"type":"action","payload":[]}"#,
        ]
    );
    let rows = spend::last_of_each(ledger.read::<Row>().expect("rows").rows);
    let rows: Vec<_> = rows.iter().map(|row| (&*row.operation, row.state, row.micro)).collect();
    assert_eq!(rows, [("WS /play/s1/ws", State::Admitted, None); 2], "what may have been done counts");
}
