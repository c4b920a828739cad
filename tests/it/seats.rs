//! Seats over a real socket: what the client task sends for them, and what it writes down.

use std::path::Path;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use gert::api::model::{PlayerToken, ProviderId, SessionId};
use gert::client::{self, ClientEvent, FeedEvent, FeedId, Request};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Message as Frame;

/// A server that seats one player, shows it a position and hands over what it says then.
async fn host() -> (String, mpsc::Receiver<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base = format!("http://{}/api/v1", listener.local_addr().expect("an address"));
    let (said, heard) = mpsc::channel(16);
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.expect("a client");
        let mut ws = tokio_tungstenite::accept_async(stream).await.expect("a socket");
        let _auth = ws.next().await;
        for message in [
            json!({"type": "connected", "player_id": "p0", "session_id": "s1"}),
            json!({"type": "observation", "tick": 3, "player_id": "p0", "on_turn": true, "data": {}}),
        ] {
            ws.send(Frame::text(message.to_string())).await.expect("sent");
        }
        while let Some(Ok(frame)) = ws.next().await {
            let Ok(text) = frame.into_text() else { continue };
            let Ok(message) = serde_json::from_str::<Value>(&text) else { continue };
            if message["type"] == "delegate" {
                let error =
                    json!({"type": "error", "code": "PROVIDER_FAILED", "message": "it does not answer"});
                ws.send(Frame::text(error.to_string())).await.expect("sent");
            }
            let _ = said.send(message).await;
        }
    });
    (base, heard)
}

/// The acts in the recordings of a folder.
fn acts(folder: &Path) -> Vec<Value> {
    let files = std::fs::read_dir(folder).expect("a folder");
    let texts = files.map(|file| std::fs::read_to_string(file.expect("a file").path()).expect("text"));
    let lines = texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
    lines.filter_map(|line| serde_json::from_str::<Value>(&line).ok()?.get("act").cloned()).collect()
}

/// Waits for what a socket says.
async fn wait_for(events: &mut mpsc::Receiver<ClientEvent>, kind: &str) -> String {
    let found = async {
        while let Some(event) = events.recv().await {
            if let ClientEvent::Fed(_, FeedEvent::Said(message)) = event
                && message.raw.contains(kind)
            {
                return message.raw.to_string();
            }
        }
        panic!("the client ended");
    };
    tokio::time::timeout(Duration::from_secs(20), found).await.expect("it comes")
}

#[tokio::test]
async fn a_turn_is_left_to_a_provider_and_the_recording_says_to_which() {
    let (base, mut heard) = host().await;
    let folder = tempfile::tempdir().expect("a folder");
    let (tell, mut events) = mpsc::channel(64);
    let client = client::start(
        Some(super::api::client(&base)),
        Some(gert::tape::Keep::new(folder.path().to_owned())),
        tell,
    );
    let (feed, session) = (FeedId(1), SessionId::from("s1"));
    client.send(Request::Sit(feed, session, PlayerToken::from("pt_secret"))).expect("room");
    wait_for(&mut events, "observation").await;
    let delegate = Request::Delegate {
        feed,
        action_id: "d1".into(),
        by: "provider p7/m-1".into(),
        tick: 3,
        provider: ProviderId::from("p7"),
        model: Some("m-1".into()),
    };
    client.send(delegate).expect("room");
    let said = heard.recv().await.expect("something is said");
    assert_eq!(said, json!({"type": "delegate", "provider_id": "p7", "model": "m-1"}));
    assert!(wait_for(&mut events, "PROVIDER_FAILED").await.contains("it does not answer"));
    client.shutdown().await;
    let expected = json!([{"player_id": "p0", "tick": 3, "by": "provider p7/m-1", "payload": null}]);
    assert_eq!(Value::from(acts(folder.path())), expected);
    let texts = std::fs::read_dir(folder.path()).expect("a folder");
    let secret = |file: std::io::Result<std::fs::DirEntry>| {
        std::fs::read_to_string(file.expect("a file").path()).expect("text").contains("pt_secret")
    };
    assert!(!texts.into_iter().any(secret), "no token is written down");
}
