//! A dashboard with data in it, for the benchmarks: answers in the shapes of the arena.

use std::time::Duration;

use gert::api::Message;
use gert::api::model::Listing;
use gert::app::App;
use gert::app::effect::Effect;
use gert::app::event::{Boot, Event, Moment};
use gert::client::{Answer, ClientEvent, FeedEvent, FeedId, Question, Request};
use serde_json::{Value, json};

/// A dashboard that has loaded everything and sits in a seat of this game.
pub(crate) fn seated(game: &str) -> (App, FeedId) {
    let boot = Boot {
        profile: "bench".into(),
        host: "https://gertlabs.example/api".into(),
        arena: true,
        has_key: true,
        key_problem: None,
        read_only: false,
        demo: false,
        replay: None,
        sample_policy: None,
        zone: jiff::tz::TimeZone::UTC,
        views: gert::app::fields::Views::default(),
        notices: Vec::new(),
    };
    let mut app = App::new(now(), boot);
    let effects = app.begin();
    answer_all(&mut app, effects, game);
    for key in ["p", "y"] {
        let effects = send(&mut app, Event::Typed(key.parse().expect("a key")));
        answer_all(&mut app, effects, game);
    }
    let feed = app.play.seat().expect("a seat").live.feed;
    send(&mut app, Event::Client(ClientEvent::Fed(feed, FeedEvent::Opened)));
    (app, feed)
}

/// Takes an event now.
pub(crate) fn send(app: &mut App, event: Event) -> Vec<Effect> {
    app.update(now(), event)
}

/// The message of an observation, of tests/data/observations.
pub(crate) fn observation(game: &str, tick: u64) -> Message {
    let text = match game {
        "connect_four" => include_str!("../../tests/data/observations/connect_four.json"),
        "grid_serpents" => include_str!("../../tests/data/observations/grid_serpents.json"),
        _ => include_str!("../../tests/data/observations/market_simulator.json"),
    };
    let head = format!(r#"{{"type":"observation","tick":{tick},"player_id":"p0","on_turn":true,"data":"#);
    Message::parse(format!("{head}{text}}}").into())
}

/// A message that came over the seat's socket.
pub(crate) fn said(feed: FeedId, message: Message) -> Event {
    Event::Client(ClientEvent::Fed(feed, FeedEvent::Said(message)))
}

fn now() -> Moment {
    Moment { since_start: Duration::from_secs(1), wall: "2026-03-01T12:00:00Z".parse().expect("a time") }
}

/// Answers all questions, and those that the answers lead to.
fn answer_all(app: &mut App, mut effects: Vec<Effect>, game: &str) {
    while let Some(effect) = effects.pop() {
        if let Effect::Send(Request::Ask(ticket, question)) = effect {
            effects
                .extend(send(app, Event::Client(ClientEvent::Answered(ticket, Ok(answer(&question, game))))));
        }
    }
}

fn answer(question: &Question, game: &str) -> Answer {
    match question {
        Question::Games => Answer::Games(listing((0..60).map(row).collect())),
        Question::Sessions => Answer::Sessions(listing((0..100).map(|nth| session(nth, game)).collect())),
        Question::Usage => Answer::Usage(listing((0..100).map(entry).collect())),
        Question::Balance => Answer::Balance(read(json!({"credits": 998.42, "held": 0.4}))),
        Question::Game(slug) => Answer::Game(Box::new(read(detail(slug.as_str())))),
        Question::Create(_) => Answer::Created(Box::new(read(json!({
            "session_id": "s_mine", "session": session(0, game), "seats": [{"player_id": "p0", "player_token": "pt_1"}],
        })))),
        _ => Answer::Tags(read(json!({"tags": ["strategy"]}))),
    }
}

fn read<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("the shape of an answer")
}

fn listing<T: serde::de::DeserializeOwned>(rows: Vec<Value>) -> Listing<T> {
    Listing::read(&Value::Array(rows).to_string(), "rows").expect("a list")
}

fn row(nth: u32) -> Value {
    json!({"slug": format!("game_{nth}"), "name": format!("Game {nth}"), "tags": ["strategy", format!("tag_{}", nth % 7)],
        "min_players": 2, "max_players": 8, "canonical_ticks": 600, "allowed_player_counts": [2, 4, 8]})
}

fn session(nth: u32, game: &str) -> Value {
    let status = if nth < 3 { "active" } else { "completed" };
    json!({"session_id": format!("s_{nth}"), "game": game, "status": status, "tick": 217, "max_ticks": 600,
        "player_count": 2, "seats": [{"player_id": "p0", "name": "you"}, {"player_id": "p1", "name": "ab2"}],
        "scores": {"p0": 50, "p1": 49.5}, "created_at": "2026-03-01T11:00:00Z"})
}

fn entry(nth: u32) -> Value {
    json!({"kind": "session", "credits": 0.0168, "ticks": 42, "description": "connect_four, 42 ticks",
        "created_at": format!("2026-02-{:02}T11:00:00Z", 28 - nth % 14)})
}

fn detail(slug: &str) -> Value {
    json!({"slug": slug, "name": slug, "config": {"arena": true}, "prompt": "# Rules\n\nSome *words* about it.\n\n".repeat(80)})
}
