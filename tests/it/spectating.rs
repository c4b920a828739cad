//! The client task with faulty and very fast servers: what reaches the dashboard, and what is in the recording.

use std::time::Duration;

use futures_util::SinkExt;
use gert::api::model::SessionId;
use gert::client::{self, ClientEvent, FeedEvent, FeedId, Request};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message as Frame;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;

/// Long enough for a slow machine; a test that waits so long has failed.
const LIMIT: Duration = Duration::from_mins(1);

struct Watch {
    _client: client::Client,
    events: mpsc::Receiver<ClientEvent>,
    folder: tempfile::TempDir,
    listener: TcpListener,
}

impl Watch {
    /// Watches a session of a server that the test plays. The channel to the dashboard has this much room.
    async fn start(room: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}/api/v1", listener.local_addr().unwrap());
        let folder = tempfile::tempdir().unwrap();
        let (sender, events) = mpsc::channel(room);
        let client = client::start(
            Some(super::api::client(&base)),
            Some(gert::tape::Keep::new(folder.path().to_owned())),
            sender,
        );
        client.send(Request::Watch(FeedId(1), SessionId::from("s_1"))).unwrap();
        Self { _client: client, events, folder, listener }
    }

    async fn accept(&self) -> WebSocketStream<TcpStream> {
        let (stream, _) = tokio::time::timeout(LIMIT, self.listener.accept()).await.unwrap().unwrap();
        tokio_tungstenite::accept_async(stream).await.unwrap()
    }

    /// The next thing that happened on the socket.
    async fn next(&mut self) -> FeedEvent {
        loop {
            let came = tokio::time::timeout(LIMIT, self.events.recv()).await.expect("in time").unwrap();
            if let ClientEvent::Fed(_, event) = came {
                return event;
            }
        }
    }

    async fn until(&mut self, mut wanted: impl FnMut(&FeedEvent) -> bool) -> FeedEvent {
        loop {
            let event = self.next().await;
            if wanted(&event) {
                return event;
            }
        }
    }

    fn recording(&self) -> String {
        let file = std::fs::read_dir(self.folder.path()).unwrap().next().unwrap().unwrap().path();
        std::fs::read_to_string(file).unwrap()
    }

    /// Waits until the recording holds so many messages.
    async fn recorded(&self, messages: usize) {
        let start = std::time::Instant::now();
        while self.recording().matches("\"m\":").count() < messages {
            assert!(start.elapsed() < LIMIT, "{} of {messages}", self.recording().matches("\"m\":").count());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

fn observation(tick: usize, size: usize) -> String {
    format!(r#"{{"type":"observation","tick":{tick},"data":{{"x":"{}"}}}}"#, "x".repeat(size))
}

fn is_said(event: &FeedEvent, tick: u64) -> bool {
    matches!(event, FeedEvent::Said(message) if message.tick == Some(tick))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn however_fast_a_server_is_the_newest_is_shown_and_all_is_recorded() {
    // W-12. Room for four: what does not fit is replaced by newer ones, not queued.
    const MESSAGES: usize = 20_000;
    let mut watch = Watch::start(4).await;
    let mut server = watch.accept().await;
    let flood = tokio::spawn(async move {
        for tick in 1..=MESSAGES {
            server.feed(Frame::text(observation(tick, 2_000))).await.unwrap();
        }
        server.flush().await.unwrap();
        server
    });
    let (mut shown, mut skipped, mut newest) = (0, 0, 0);
    while newest < MESSAGES as u64 {
        match watch.next().await {
            FeedEvent::Skipped(count) => skipped += count,
            FeedEvent::Said(message) => {
                assert!(message.tick.unwrap() > newest, "never back in time");
                newest = message.tick.unwrap();
                shown += 1;
            }
            FeedEvent::Lost { why, .. } => panic!("lost: {why}"),
            _ => {}
        }
    }
    assert_eq!(shown + skipped, MESSAGES as u64);
    let _server = flood.await.unwrap();
    watch.recorded(MESSAGES).await;
}

#[tokio::test]
async fn fragments_are_put_together_and_a_huge_frame_is_taken_or_refused_in_words() {
    // W-10.
    use tokio_tungstenite::tungstenite::protocol::frame::Frame as Raw;
    use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
    let mut watch = Watch::start(64).await;
    let mut server = watch.accept().await;
    let text = observation(1, 100).into_bytes();
    let (a, b) = text.split_at(40);
    server.send(Frame::Frame(Raw::message(a.to_vec(), OpCode::Data(Data::Text), false))).await.unwrap();
    server.send(Frame::Frame(Raw::message(b.to_vec(), OpCode::Data(Data::Continue), true))).await.unwrap();
    watch.until(|event| is_said(event, 1)).await;
    // A server that sends what is refused is cut off while it sends.
    let _ = server.send(Frame::text(observation(2, 20_000_000))).await;
    let event = watch
        .until(|event| is_said(event, 2) || matches!(event, FeedEvent::Lost { .. } | FeedEvent::Ended { .. }))
        .await;
    if let FeedEvent::Lost { why, .. } | FeedEvent::Ended { why, .. } = event {
        assert!(why.contains("large") || why.contains("limit") || why.contains("long"), "{why}");
    }
}

#[tokio::test]
async fn a_lost_link_is_opened_again_and_the_gap_is_in_the_recording() {
    // W-13, W-19.
    let mut watch = Watch::start(64).await;
    let mut server = watch.accept().await;
    server.send(Frame::text(observation(1, 10))).await.unwrap();
    watch.until(|event| is_said(event, 1)).await;
    drop(server); // Without a close.
    let lost = watch.until(|event| matches!(event, FeedEvent::Lost { .. })).await;
    assert!(matches!(lost, FeedEvent::Lost { retry, .. } if retry < Duration::from_secs(5)));
    let mut server = watch.accept().await;
    server.send(Frame::text(observation(7, 10))).await.unwrap();
    watch.until(|event| is_said(event, 7)).await;
    watch.recorded(2).await;
    let lines = watch.recording();
    let places =
        ["\"tick\":1", "\"link\":\"lost\"", "\"link\":\"open\"", "\"tick\":7"].map(|part| lines.find(part));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{lines}");
}

#[tokio::test]
async fn a_close_that_says_no_is_obeyed() {
    // W-06.
    let mut watch = Watch::start(64).await;
    let mut server = watch.accept().await;
    let close = CloseFrame { code: 1008.into(), reason: "not \u{1b}[31myours".into() };
    server.close(Some(close)).await.unwrap();
    let event = watch.until(|event| matches!(event, FeedEvent::Lost { .. } | FeedEvent::Ended { .. })).await;
    let FeedEvent::Ended { why, orderly: false } = event else { panic!("{event:?}") };
    assert!(why.contains("yours") && !why.contains('\u{1b}'), "{why}");
}
