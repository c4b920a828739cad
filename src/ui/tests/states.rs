//! The states that are drawn: every pane and everything that lies over one.

use serde_json::json;

use crate::api::ErrorKind;
use crate::app::effect::Effect;
use crate::app::tests::harness::*;
use crate::app::tests::wall;
use crate::client::{Answer, FeedEvent, Request};
use crate::policy::{Exit, PolicyEventKind, Run, Usage};
use crate::tape::{Frame, Marker, MarkerKind, Order, Summary, TapeEvent, View};

/// A name and how to get there.
pub(super) type State = (&'static str, fn() -> Rig);

/// All of them.
pub(super) const STATES: &[State] = &[
    ("gate", || Rig::start(false).0),
    ("gate_typing", || after(Rig::start(false).0, "p s k _ 1")),
    ("gate_refused", gate_refused),
    ("games_loading", || Rig::start(true).0),
    ("games_empty", games_empty),
    ("games_failed", || failed("1")),
    ("games_full", Rig::with_rules),
    ("games_reading", || after(Rig::with_rules(), "enter")),
    ("games_no_match", || after(Rig::with_rules(), "/ z z z")),
    ("sessions_loading", || after(Rig::start(true).0, "2")),
    ("sessions_empty", sessions_empty),
    ("sessions_failed", || failed("2")),
    ("sessions_full", || after(Rig::with_rules(), "2")),
    ("sessions_past", sessions_past),
    ("sessions_branches", sessions_branches),
    ("sessions_branch_form", || after(Rig::with_rules(), "2 b tab left")),
    ("watching", || Rig::watching("connect_four").0),
    ("watching_connecting", || after(Rig::with_rules(), "2 enter")),
    ("watching_raw", || after(Rig::watching("connect_four").0, "r")),
    ("watching_lost", watching_lost),
    ("watching_over", watching_over),
    ("watching_past", watching_past),
    ("watching_fields", || after(Rig::watching("market_simulator").0, "f")),
    ("wall", || wall::wall().0),
    ("recorded", recorded),
    ("recorded_empty", recorded_empty),
    ("play_empty", || after(Rig::with_rules(), "3")),
    ("play_waiting", || Rig::seated("connect_four").0),
    ("play_by_hand", || Rig::on_turn("connect_four").0),
    ("play_serpents", || Rig::on_turn("grid_serpents").0),
    ("play_market", || Rig::on_turn("market_simulator").0),
    ("play_unknown", || Rig::on_turn("tidal_trade").0),
    ("play_refused", play_refused),
    ("play_search", || after(Rig::on_turn("connect_four").0, "/ 5")),
    ("play_editor", || after(Rig::on_turn("connect_four").0, "e backspace")),
    ("play_by_policy", || by_policy().0),
    ("play_streaming", streaming),
    ("play_restarting", restarting),
    ("play_shadow", || shadow("")),
    ("play_shadow_shown", || shadow("w")),
    ("play_providers", providers),
    ("play_by_provider", || after(providers(), "down enter y")),
    ("play_delegate_question", || after(providers(), "enter")),
    ("play_no_providers", no_providers),
    ("play_prompt", || after(Rig::on_turn("connect_four").0, "P")),
    ("play_editor_schema", editor_schema),
    ("play_editor_offers", || after(Rig::on_turn("grid_serpents").0, "e ctrl-u backspace tab")),
    ("play_self", self_play),
    ("play_policy_log", || after(by_policy().0, "L")),
    ("play_policy_crashed", policy_crashed),
    ("play_over", play_over),
    ("credits_loading", || after(Rig::start(true).0, "9")),
    ("credits_empty", credits_empty),
    ("credits_failed", || failed("9")),
    ("credits_full", || after(Rig::with_rules(), "9")),
    ("help", || after(Rig::with_rules(), "?")),
    ("palette", || after(Rig::with_rules(), ": c r e")),
    ("form", || after(Rig::with_rules(), "p")),
    ("form_many_seats", || after(Rig::with_rules(), "down p down")),
    ("form_refused", form_refused),
    ("confirm", || after(Rig::on_turn("connect_four").0, "x")),
    ("command", || after(Rig::on_turn("connect_four").0, "c")),
    ("rules", || after(Rig::watching("connect_four").0, "i")),
    ("toasts", || after(Rig::with_rules(), "f2 down w")),
];

/// A state by its name.
pub(super) fn state(name: &str) -> Rig {
    let found = STATES.iter().find(|(other, _)| *other == name);
    found.unwrap_or_else(|| panic!("no state `{name}`")).1()
}

fn after(mut rig: Rig, keys: &str) -> Rig {
    rig.draw();
    rig.press(keys);
    rig
}

/// Nothing could be loaded; the pane that the key leads to says so.
fn failed(key: &str) -> Rig {
    let (mut rig, _) = Rig::start(true);
    for kind in ALL {
        rig.fail(kind, ErrorKind::Connect);
    }
    rig.press(key);
    for kind in rig.pending() {
        rig.fail(kind, ErrorKind::Connect);
    }
    rig
}

fn gate_refused() -> Rig {
    let (mut rig, _) = Rig::start(true);
    rig.fail("games", ErrorKind::Authentication);
    rig
}

fn games_empty() -> Rig {
    let (mut rig, _) = Rig::start(true);
    rig.give("games", json!({"games": []}));
    rig
}

fn sessions_empty() -> Rig {
    let (mut rig, _) = Rig::start(true);
    rig.give("sessions", json!({"sessions": []}));
    rig.press("2");
    rig.give("sessions", json!({"sessions": []}));
    rig
}

fn sessions_past() -> Rig {
    let mut rig = after(Rig::with_rules(), "2 down down enter");
    rig.give("logs", logs());
    rig
}

fn sessions_branches() -> Rig {
    let mut rig = after(Rig::with_rules(), "2 down");
    let branch = |id: &str, parent: &str, tick: u64| {
        let mut branch = session(id, "connect_four", "completed");
        branch["branch"] = json!({"parent_id": parent, "tick": tick, "kind": "explore"});
        branch
    };
    let mut all = sessions();
    let listed = all["sessions"].as_array_mut().expect("a list");
    listed.extend([branch("s_b3", "s_b1", 11), branch("s_b2", "s_live", 9), branch("s_b1", "s_live", 9)]);
    rig.give("sessions", all);
    rig
}

fn watching_lost() -> Rig {
    let (mut rig, feed) = Rig::watching("connect_four");
    rig.fed(feed, FeedEvent::Lost { why: "connection reset by peer".into(), retry: secs(8) });
    rig
}

/// At a bookmark, with a jump before it, while the session goes on.
fn watching_past() -> Rig {
    let (mut rig, feed) = Rig::watching("connect_four");
    let marker = |nth, kind, text: &str| Marker { nth, tick: nth as u64, kind, text: text.into() };
    let markers = [marker(3, MarkerKind::Rise, "p0 +50.00"), marker(7, MarkerKind::Bookmark, "look")];
    let length = secs(12);
    let summary = Summary { moments: 13, tick: 13, length, markers: markers.into(), ..Summary::default() };
    rig.taped(feed, TapeEvent::Grew(summary));
    let ticket = rig.press("page-up").iter().find_map(|effect| match effect {
        Effect::Send(Request::Tape(_, Order::Show { ticket, .. })) => Some(*ticket),
        _ => None,
    });
    let mut view = View::new("s_live".into(), Some("connect_four".into()));
    let message = asks(7, &observation("connect_four")).to_string();
    view.hear(secs(6), crate::api::Message::parse(message.into()));
    view.settle();
    let frame = Frame { nth: 7, at: secs(6), lasted: Some(secs(1)), view: Box::new(view) };
    rig.taped(feed, TapeEvent::Shown { ticket: ticket.unwrap(), frame: Box::new(frame) });
    rig
}

fn recorded() -> Rig {
    let mut rig = after(Rig::with_rules(), "2 a a");
    rig.answer("recordings", Ok(Answer::Recordings(vec![wall::tape("s_past"), wall::tape("s_older")])));
    rig
}

fn recorded_empty() -> Rig {
    let mut rig = after(Rig::with_rules(), "2 a a");
    rig.answer("recordings", Ok(Answer::Recordings(Vec::new())));
    rig
}

fn watching_over() -> Rig {
    let (mut rig, feed) = Rig::watching("connect_four");
    rig.say(feed, &over());
    rig.fed(feed, FeedEvent::Ended { why: "the session is over".into(), orderly: true });
    rig
}

fn play_refused() -> Rig {
    let (mut rig, feed) = Rig::on_turn("connect_four");
    rig.press("enter");
    let id = rig.seat().sent.as_ref().unwrap().action_id.clone();
    let reasons = json!(["column 3 is full", "choose one of 0, 1, 2, 4, 5, 6"]);
    rig.say(
        feed,
        &json!({"type": "action_result", "accepted": false, "tick": 1, "reasons": reasons, "action_id": id}),
    );
    rig
}

fn by_policy() -> (Rig, Run) {
    let (mut rig, _) = Rig::on_turn("connect_four");
    rig.press("c ctrl-a");
    rig.type_in("--on-crash hand ");
    rig.press("enter");
    let policy = rig.seat().policy.as_ref().unwrap();
    let (run, id) = (policy.run, policy.pending.unwrap().0);
    rig.policy(run, PolicyEventKind::Started { pid: Some(4711), argv: vec!["python3".into()] });
    rig.policy(run, PolicyEventKind::Ready { name: Some("random".into()) });
    rig.policy(
        run,
        PolicyEventKind::Stderr { lines: vec!["seed 7".into(), "ready to play".into()], dropped: 3 },
    );
    rig.policy(
        run,
        PolicyEventKind::Answered {
            id,
            action: json!([{"action": "drop", "column": 2}]),
            note: Some("the middle is taken".into()),
            latency: std::time::Duration::from_millis(7),
            late: false,
        },
    );
    (rig, run)
}

fn policy_crashed() -> Rig {
    let (mut rig, run) = by_policy();
    let last_stderr = vec!["ZeroDivisionError: division by zero".into()];
    rig.policy(run, PolicyEventKind::Exited { how: Exit::Code(1), last_stderr, expected: false });
    rig
}

fn streaming() -> Rig {
    let (mut rig, _) = Rig::on_turn("connect_four");
    rig.press("c enter");
    let policy = rig.seat().policy.as_ref().unwrap();
    let (run, id) = (policy.run, policy.pending.unwrap().0);
    let usage = Usage { input_tokens: Some(1204), output_tokens: Some(88) };
    rig.policy(run, PolicyEventKind::Counted { id, usage });
    let text =
        "The centre column is still open, and three of mine are in it. So I drop there:\n[{\"action\":";
    rig.policy(run, PolicyEventKind::Streamed { id, text: text.into() });
    rig
}

/// It hung once: a safe action was played, and it starts again.
fn restarting() -> Rig {
    let (mut rig, _) = Rig::on_turn("connect_four");
    rig.press("c enter");
    let policy = rig.seat().policy.as_ref().unwrap();
    let (run, id) = (policy.run, policy.pending.unwrap().0);
    rig.policy(run, PolicyEventKind::TimedOut { id: Some(id), limit: secs(15), unread: false });
    rig
}

/// One turn was compared, the shadow has answered the next.
fn shadow(keys: &str) -> Rig {
    let (mut rig, feed) = Rig::on_turn("connect_four");
    rig.press("S enter");
    let would = |rig: &mut Rig| {
        let policy = &rig.seat().shadow.as_ref().unwrap().policy;
        let (run, id) = (policy.run, policy.pending.unwrap().0);
        let action = json!([{"action": "drop", "column": 2}]);
        rig.policy(run, PolicyEventKind::Answered { id, action, note: None, latency: secs(0), late: false });
    };
    would(&mut rig);
    rig.press("enter");
    let id = rig.seat().sent.as_ref().unwrap().action_id.clone();
    rig.say(feed, &json!({"type": "action_result", "accepted": true, "tick": 1, "action_id": id}));
    rig.observe(feed, 2, &observation("connect_four"));
    would(&mut rig);
    if keys.is_empty() { rig } else { after(rig, keys) }
}

fn providers() -> Rig {
    let mut rig = after(Rig::on_turn("connect_four").0, "v");
    rig.give(
        "providers",
        json!([{"provider_id": "p7", "name": "our cluster", "allowed_models": ["m-1", "m-2"]},
            {"provider_id": "p8", "name": "other"}]),
    );
    rig
}

fn no_providers() -> Rig {
    let mut rig = after(Rig::on_turn("connect_four").0, "v");
    rig.fail("providers", ErrorKind::NotFound);
    rig
}

fn editor_schema() -> Rig {
    let mut rig = after(Rig::on_turn("connect_four").0, "e");
    rig.app.play.seats[0]
        .draft
        .as_mut()
        .unwrap()
        .editor
        .set("{\n  \"action\": \"fall\",\n  \"column\": 3\n}");
    rig.press("enter");
    rig
}

/// Three own seats with three drivers.
fn self_play() -> Rig {
    let (mut rig, feeds) = Rig::seated_at("grid_serpents", &["p0", "p1", "p2"]);
    rig.press("s c enter s v");
    rig.give("providers", json!([{"provider_id": "p7", "name": "ours", "allowed_models": ["m-1"]}]));
    rig.press("enter y");
    for feed in feeds {
        rig.observe(feed, 1, &observation("grid_serpents"));
    }
    rig.press("left");
    rig
}

fn play_over() -> Rig {
    let (mut rig, feed) = Rig::on_turn("connect_four");
    rig.say(feed, &over());
    rig
}

fn credits_empty() -> Rig {
    let (mut rig, _) = Rig::start(true);
    rig.give("balance", json!({"credits": 0, "tier": "free"}));
    rig.give("usage", json!({"entries": []}));
    rig.press("9");
    rig.give("balance", json!({"credits": 0, "tier": "free"}));
    rig.give("usage", json!({"entries": []}));
    rig
}

fn form_refused() -> Rig {
    let mut rig = after(Rig::with_rules(), "p y");
    rig.fail("create", ErrorKind::InsufficientCredits);
    rig
}
