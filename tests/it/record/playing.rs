use std::time::Duration;

use gert::client::{self, Answer, ClientEvent, FeedEvent, FeedId, Question, Request, Ticket};
use gert::tape::{Keep, Order, Place, TapeEvent};
use tokio::sync::mpsc;

use super::Home;

/// The next event that is of the kind looked for; a test that waits for ever is a failed one.
async fn next<T>(events: &mut mpsc::Receiver<ClientEvent>, find: impl Fn(ClientEvent) -> Option<T>) -> T {
    let finding = async {
        loop {
            if let Some(found) = find(events.recv().await.expect("the client runs")) {
                return found;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(30), finding).await.expect("in time")
}

fn answer(event: ClientEvent) -> Option<Result<Answer, String>> {
    match event {
        ClientEvent::Answered(_, reply) => Some(reply.map_err(|why| why.why().to_owned())),
        _ => None,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn without_a_platform_recordings_are_listed_compared_and_played() {
    let home = Home::new();
    let (a, b) = (home.watched("a", 5), home.watched("b", 7));
    let (tell, mut events) = mpsc::channel(64);
    let keep = Keep { compress: false, ..Keep::new(home.folder()) };
    let client = client::start(None, Some(keep), tell);
    let feed = FeedId(1);
    let send = |request| client.send(request).expect("room");

    send(Request::Ask(Ticket(1), Question::Recordings));
    let listed = next(&mut events, answer).await.expect("listed").recordings().expect("recordings");
    assert_eq!(listed.len(), 2);
    send(Request::Ask(Ticket(2), Question::Compare(a.clone(), b)));
    let compared = next(&mut events, answer).await.expect("compared").compared().expect("a comparison");
    assert_eq!(compared.first(), Some(5));
    send(Request::Ask(Ticket(3), Question::Balance));
    let why = next(&mut events, answer).await.expect_err("there is nobody to ask");
    assert!(why.contains("no API key"), "{why}");
    send(Request::Watch(FeedId(2), "s_1".into()));
    let ended = |event| matches!(event, ClientEvent::Fed(FeedId(2), FeedEvent::Ended { .. })).then_some(());
    next(&mut events, ended).await;

    send(Request::Replay(feed, a));
    send(Request::Tape(feed, Order::Show { ticket: 4, at: Place::Tick(7) }));
    let shown = next(&mut events, |event| match event {
        ClientEvent::Taped(_, TapeEvent::Shown { ticket: 4, frame }) => Some(frame),
        _ => None,
    })
    .await;
    assert_eq!((shown.view.tick, shown.view.game.as_deref()), (7, Some("grid_game")));
    send(Request::Tape(feed, Order::Chart { ticket: 5, from: 0, to: 9, buckets: 5 }));
    let chart = next(&mut events, |event| match event {
        ClientEvent::Taped(_, TapeEvent::Charted { ticket: 5, chart }) => Some(chart),
        _ => None,
    })
    .await;
    assert_eq!(chart.curves.len(), 2);
    drop(events);
    client.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn what_was_closed_is_compressed_in_the_background_and_plays_all_the_same() {
    let home = Home::new();
    home.watched("a", 5);
    let (tell, mut events) = mpsc::channel(64);
    let client = client::start(None, Some(Keep { tidies: true, ..Keep::new(home.folder()) }), tell);
    let packed = home.folder().join("a.jsonl.gz");
    // It is the client that does it, so it is asked until it is done.
    let deadline = tokio::time::Instant::now() + Duration::from_secs(30);
    let mut listed = Vec::new();
    while listed.first() != Some(&packed) && tokio::time::Instant::now() < deadline {
        client.send(Request::Ask(Ticket(1), Question::Recordings)).expect("room");
        let answer = next(&mut events, answer).await.expect("listed").recordings().expect("recordings");
        listed = answer.into_iter().map(|recording| recording.file).collect();
    }
    assert_eq!(listed, std::slice::from_ref(&packed));
    client.send(Request::Replay(FeedId(1), packed)).expect("room");
    let moments = next(&mut events, |event| match event {
        ClientEvent::Taped(_, TapeEvent::Grew(summary)) => Some(summary.moments),
        _ => None,
    })
    .await;
    assert_eq!(moments, 10);
    drop(events);
    client.shutdown().await;
}
