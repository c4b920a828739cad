//! A rig around the state: a clock, keys by name, and answers in the shapes of the arena (ARCHITECTURE.md, "What the
//! arena adds to the wire").

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::api::model::Listing;
use crate::api::{Error, ErrorKind, Message};
use crate::app::App;
use crate::app::effect::Effect;
use crate::app::event::{Boot, Event, Moment};
use crate::app::key::{Key, KeyCode};
use crate::app::panes::play::OwnSeat;
use crate::client::{Answer, ClientEvent, FeedEvent, FeedId, Question, Request, Ticket};
use crate::policy::{PolicyEvent, PolicyEventKind, Run};

/// What is asked for at the start and by a refresh.
pub(crate) const ALL: [&str; 5] = ["games", "tags", "sessions", "balance", "usage"];

/// The state with a clock and a memory for what it asked.
pub(crate) struct Rig {
    pub(crate) app: App,
    pub(crate) clock: Duration,
    asked: Vec<(Ticket, Question)>,
}

impl Rig {
    /// Just started, with a key or without.
    pub(crate) fn start(has_key: bool) -> (Self, Vec<Effect>) {
        let app = App::new(moment(Duration::ZERO), boot(has_key));
        let mut rig = Self { app, clock: Duration::ZERO, asked: Vec::new() };
        let effects = rig.app.begin();
        rig.remember(&effects);
        (rig, effects)
    }

    /// Everything was answered well.
    pub(crate) fn loaded() -> Self {
        let (mut rig, _) = Self::start(true);
        rig.give("games", games());
        rig.give("tags", json!({"tags": [{"name": "strategy", "count": 2}]}));
        rig.give("sessions", sessions());
        rig.give("balance", balance());
        rig.give("usage", usage());
        rig
    }

    /// As [`Rig::loaded`], with the rules of the selected game.
    pub(crate) fn with_rules() -> Self {
        let mut rig = Self::loaded();
        rig.draw();
        rig.give("game", detail("connect_four"));
        rig
    }

    /// In a seat of a session whose socket is open and that has seen nothing yet.
    pub(crate) fn seated(game: &str) -> (Self, FeedId) {
        let (rig, feeds) = Self::seated_at(game, &["p0"]);
        (rig, feeds[0])
    }

    /// As [`Rig::seated`], in several seats.
    pub(crate) fn seated_at(game: &str, players: &[&str]) -> (Self, Vec<FeedId>) {
        let mut rig = Self::loaded();
        rig.press("p y");
        let feeds = sat(&rig.give("create", created(game, players)));
        rig.give("sessions", sessions());
        rig.give("balance", balance());
        for feed in &feeds {
            rig.fed(*feed, FeedEvent::Opened);
        }
        rig.draw();
        rig.settle_detail(game);
        (rig, feeds)
    }

    /// In a seat that is asked for an action at tick 1.
    pub(crate) fn on_turn(game: &str) -> (Self, FeedId) {
        let (mut rig, feed) = Self::seated(game);
        rig.observe(feed, 1, &observation(game));
        (rig, feed)
    }

    /// Watching a live session whose socket is open and that was seen once.
    pub(crate) fn watching(game: &str) -> (Self, FeedId) {
        let mut rig = Self::loaded();
        rig.press("2");
        rig.give("sessions", json!({"sessions": [session("s_live", game, "active")]}));
        let feed = watched(&rig.press("enter"));
        rig.fed(feed, FeedEvent::Opened);
        rig.say(feed, &json!({"type": "session", "session": session("s_live", game, "active")}));
        let others = json!({"p1": observation(game)});
        let actions = json!({"p0": {"action": [{"action": "drop", "column": 3}], "latency_ms": 12}});
        rig.say(
            feed,
            &json!({"type": "observation", "tick": 13, "player_id": "p0", "data": observation(game), "others": others,
                "scores": {"p0": 50, "p1": 50}, "actions": actions}),
        );
        rig.draw();
        rig.settle_detail(game);
        (rig, feed)
    }

    pub(crate) fn update(&mut self, event: Event) -> Vec<Effect> {
        let effects = self.app.update(moment(self.clock), event);
        self.remember(&effects);
        effects
    }

    /// Presses keys, by their names, with blanks between.
    pub(crate) fn press(&mut self, keys: &str) -> Vec<Effect> {
        keys.split(' ').flat_map(|key| self.update(Event::Typed(key.parse::<Key>().unwrap()))).collect()
    }

    /// Types text, letter by letter.
    pub(crate) fn type_in(&mut self, text: &str) -> Vec<Effect> {
        text.chars().flat_map(|c| self.update(Event::Typed(Key::plain(KeyCode::Char(c))))).collect()
    }

    pub(crate) fn paste(&mut self, text: &str) -> Vec<Effect> {
        self.update(Event::Pasted(text.to_owned()))
    }

    pub(crate) fn pass(&mut self, time: Duration) {
        self.clock += time;
    }

    /// Lets time pass until the state wants to be woken, and wakes it.
    pub(crate) fn wake(&mut self) -> Vec<Effect> {
        let at = self.app.next_wake().expect("nothing is waited for");
        assert!(at > self.clock, "woken again at once: {at:?} at {:?}", self.clock);
        self.clock = at;
        self.update(Event::Woke)
    }

    /// Wakes it as often as it wants within a time; gives all effects.
    pub(crate) fn wake_for(&mut self, time: Duration) -> Vec<Effect> {
        let end = self.clock + time;
        let mut effects = Vec::new();
        for _ in 0..1000 {
            if self.app.next_wake().is_none_or(|at| at > end) {
                self.clock = end;
                return effects;
            }
            effects.extend(self.wake());
        }
        panic!("woken more than a thousand times");
    }

    /// A frame is drawn.
    pub(crate) fn draw(&mut self) -> Vec<Effect> {
        self.update(Event::Drawing)
    }

    /// Answers the oldest question of a kind.
    pub(crate) fn answer(&mut self, kind: &str, reply: Result<Answer, Arc<Error>>) -> Vec<Effect> {
        let at = self.asked.iter().position(|(_, question)| name(question) == kind);
        let (ticket, _) = self.asked.remove(at.unwrap_or_else(|| panic!("no question `{kind}` is pending")));
        self.update(Event::Client(ClientEvent::Answered(ticket, reply)))
    }

    /// Answers the oldest question of a kind with JSON.
    pub(crate) fn give(&mut self, kind: &str, json: Value) -> Vec<Effect> {
        self.answer(kind, Ok(read(kind, json)))
    }

    /// Fails the oldest question of a kind.
    pub(crate) fn fail(&mut self, kind: &str, why: ErrorKind) -> Vec<Effect> {
        let mutating = matches!(kind, "create" | "branch");
        self.answer(kind, Err(Arc::new(Error::sample(why, mutating, "the reason given"))))
    }

    /// Kinds of questions that nobody answered yet.
    pub(crate) fn pending(&self) -> Vec<&'static str> {
        self.asked
            .iter()
            .filter(|(_, question)| !question.is_local())
            .map(|(_, question)| name(question))
            .collect()
    }

    /// Answers that will never come.
    pub(crate) fn forget_questions(&mut self) {
        self.asked.clear();
    }

    pub(crate) fn fed(&mut self, feed: FeedId, event: FeedEvent) -> Vec<Effect> {
        self.update(Event::Client(ClientEvent::Fed(feed, event)))
    }

    /// A recording's thread told something.
    pub(crate) fn taped(&mut self, feed: FeedId, event: crate::tape::TapeEvent) -> Vec<Effect> {
        self.update(Event::Client(ClientEvent::Taped(feed, event)))
    }

    /// A message came over a socket.
    pub(crate) fn say(&mut self, feed: FeedId, message: &Value) -> Vec<Effect> {
        self.fed(feed, FeedEvent::Said(Message::parse(message.to_string().into())))
    }

    /// A seat is asked for an action, and the frame that shows it is drawn.
    pub(crate) fn observe(&mut self, feed: FeedId, tick: u64, data: &Value) -> Vec<Effect> {
        let effects = self.say(feed, &asks(tick, data));
        self.draw();
        effects
    }

    pub(crate) fn policy(&mut self, run: Run, what: PolicyEventKind) -> Vec<Effect> {
        self.update(Event::Policy(PolicyEvent { run, what }))
    }

    /// The own seat on screen.
    pub(crate) fn seat(&self) -> &OwnSeat {
        self.app.play.seat().expect("a seat")
    }

    /// What the seat on screen tells the user.
    pub(crate) fn notice(&self) -> &str {
        self.seat().notice.as_ref().map_or("", |(_, text)| text)
    }

    /// What is told in the corner.
    pub(crate) fn told(&self) -> String {
        self.app.toasts.iter().map(|toast| toast.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    fn settle_detail(&mut self, game: &str) {
        if self.pending().contains(&"game") {
            self.give("game", detail(game));
        }
    }

    fn remember(&mut self, effects: &[Effect]) {
        for effect in effects {
            if let Effect::Send(Request::Ask(ticket, question)) = effect {
                self.asked.push((*ticket, question.clone()));
            }
        }
    }
}

pub(crate) fn moment(since_start: Duration) -> Moment {
    let noon: jiff::Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
    Moment { since_start, wall: noon + since_start }
}

pub(crate) fn boot(has_key: bool) -> Boot {
    Boot {
        profile: "default".into(),
        host: "https://gertlabs.example/api".into(),
        arena: false,
        has_key,
        key_problem: None,
        read_only: false,
        demo: false,
        replay: None,
        sample_policy: Some("assets/policies/random.py".into()),
        zone: jiff::tz::TimeZone::UTC,
        views: crate::app::fields::Views::default(),
        notices: Vec::new(),
    }
}

pub(crate) const fn secs(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// The kinds of the questions asked, in order.
pub(crate) fn asked(effects: &[Effect]) -> Vec<&'static str> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Send(Request::Ask(_, question)) if !question.is_local() => Some(name(question)),
            _ => None,
        })
        .collect()
}

/// The actions sent: id and payload.
pub(crate) fn acts(effects: &[Effect]) -> Vec<(String, String)> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Send(Request::Act { action_id, payload, .. }) => {
                Some((action_id.clone(), payload.to_string()))
            }
            _ => None,
        })
        .collect()
}

/// The seats taken.
pub(crate) fn sat(effects: &[Effect]) -> Vec<FeedId> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Send(Request::Sit(feed, ..)) => Some(*feed),
            _ => None,
        })
        .collect()
}

/// The socket opened to watch.
pub(crate) fn watched(effects: &[Effect]) -> FeedId {
    let feed = effects.iter().find_map(|effect| match effect {
        Effect::Send(Request::Watch(feed, _)) => Some(*feed),
        _ => None,
    });
    feed.unwrap_or_else(|| panic!("no session is watched by {effects:?}"))
}

fn name(question: &Question) -> &'static str {
    match question {
        Question::Games => "games",
        Question::Game(_) => "game",
        Question::Tags => "tags",
        Question::Balance => "balance",
        Question::Usage => "usage",
        Question::Sessions => "sessions",
        Question::Session(_) => "session",
        Question::Logs(_) => "logs",
        Question::Providers => "providers",
        Question::Create(_) => "create",
        Question::Branch(_) => "branch",
        Question::Leave(..) => "leave",
        Question::Recordings => "recordings",
        Question::Compare(..) => "compare",
    }
}

fn read(kind: &str, json: Value) -> Answer {
    let text = json.to_string();
    match kind {
        "games" => Answer::Games(Listing::read(&text, "games").unwrap()),
        "sessions" => Answer::Sessions(Listing::read(&text, "sessions").unwrap()),
        "usage" => Answer::Usage(Listing::read(&text, "entries").unwrap()),
        "game" => Answer::Game(Box::new(serde_json::from_value(json).unwrap())),
        "tags" => Answer::Tags(serde_json::from_value(json).unwrap()),
        "balance" => Answer::Balance(serde_json::from_value(json).unwrap()),
        "session" => Answer::Session(Box::new(serde_json::from_value(json).unwrap())),
        "providers" => Answer::Providers(serde_json::from_value(json).unwrap()),
        "logs" => Answer::Logs(serde_json::from_value(json).unwrap()),
        "create" => Answer::Created(Box::new(serde_json::from_value(json).unwrap())),
        "branch" => Answer::Branched(Box::new(serde_json::from_value(json).unwrap())),
        "leave" => Answer::Left,
        other => panic!("no question is called `{other}`"),
    }
}

pub(crate) fn game(slug: &str, name: &str, ticks: u64, tags: &[&str], seats: (u32, u32)) -> Value {
    json!({"slug": slug, "name": name, "tags": tags, "description": format!("{name}, in one sentence."),
        "min_players": seats.0, "max_players": seats.1, "default_players": seats.0,
        "allowed_player_counts": (seats.0..=seats.1).collect::<Vec<_>>(), "turn_based": seats.1 == 2,
        "canonical_ticks": ticks})
}

pub(crate) fn games() -> Value {
    json!({"games": [
        game("connect_four", "Connect Four", 42, &["board", "strategy"], (2, 2)),
        game("grid_serpents", "Grid Serpents", 300, &["spatial", "strategy"], (2, 8)),
        game("market_simulator", "Market Simulator", 600, &["economic"], (2, 8)),
    ]})
}

/// A game with its rules.
pub(crate) fn detail(slug: &str) -> Value {
    let noop = if slug == "connect_four" { "none" } else { "legal" };
    json!({"slug": slug, "name": slug, "game_version": "3", "canonical_ticks": 42,
        "prompt": "# Rules\n\n## Overview\n\nTwo seats take turns.\n\n## Actions\n\n`{\"action\":\"drop\",\"column\":3}`\n",
        "config": {"noop": noop, "turn_isolated": false, "arena": true},
        "action_schema": {"type": "object", "properties": {"action": {"const": "drop"}}}})
}

pub(crate) fn session(id: &str, game: &str, status: &str) -> Value {
    let ended = matches!(status, "completed" | "failed");
    let mut session = json!({"session_id": id, "game": game, "status": status, "tick": 13, "max_ticks": 42,
        "player_count": 2, "tick_ms": 30_000, "spectate_mode": "public",
        "seats": [
            {"player_id": "p0", "kind": "user", "name": "you", "score": 50, "failed": false, "eliminated": false},
            {"player_id": "p1", "kind": "ai", "name": "ab2", "score": 50, "failed": false, "eliminated": false}],
        "scores": {"p0": 50, "p1": 50}, "credits_used": 0.0052,
        "created_at": "2026-03-01T11:58:00Z", "started_at": "2026-03-01T11:58:05Z"});
    if ended {
        session["ended_at"] = json!("2026-03-01T11:59:00Z");
        session["completion_reason"] = json!("game_complete");
        session["outcomes"] = json!({"p0": "won", "p1": "lost"});
        session["ranks"] = json!({"p0": 1, "p1": 2});
    }
    if status == "failed" {
        session["failure_reason"] = json!("p0 did not answer in time");
    }
    session
}

pub(crate) fn sessions() -> Value {
    json!({"sessions": [
        session("s_past", "connect_four", "completed"),
        session("s_live", "connect_four", "active"),
        session("s_fail", "grid_serpents", "failed"),
        session("s_wait", "market_simulator", "waiting"),
    ]})
}

/// Sessions of which none goes on.
pub(crate) fn past_sessions() -> Value {
    json!({"sessions": [session("s_past", "connect_four", "completed"), session("s_fail", "grid_serpents", "failed")]})
}

pub(crate) fn balance() -> Value {
    json!({"credits": 998.42, "tier": "arena", "held": 0.4})
}

pub(crate) fn usage() -> Value {
    json!({"entries": [
        {"entry_id": "u_3", "kind": "session", "credits": 0.0168, "ticks": 42, "game": "connect_four",
         "session_id": "s_past", "description": "connect_four, 42 ticks", "created_at": "2026-03-01T11:59:00Z"},
        {"entry_id": "u_2", "kind": "session", "credits": 0.24, "ticks": 600, "game": "market_simulator",
         "description": "market_simulator, 600 ticks", "created_at": "2026-02-27T09:00:00Z"},
        {"entry_id": "u_1", "kind": "grant", "credits": -1000, "description": "a gift", "created_at": "2026-02-20T09:00:00Z"},
    ]})
}

pub(crate) fn logs() -> Value {
    json!({"logs": [
        {"tick": 0, "kind": "started", "text": "the match started"},
        {"tick": 3, "kind": "action", "player_id": "p0", "text": "drop 3"},
        {"tick": 42, "kind": "ended", "text": "p0 won"},
    ]})
}

/// A session with seats of ours that was just made.
pub(crate) fn created(game: &str, players: &[&str]) -> Value {
    let seats: Vec<Value> = players
        .iter()
        .map(|player| json!({"player_id": player, "player_token": format!("pt_{player}")}))
        .collect();
    json!({"session_id": "s_mine", "session": session("s_mine", game, "active"), "seats": seats})
}

/// An observation as the arena sends it (tests/data/observations).
pub(crate) fn observation(game: &str) -> Value {
    let text = match game {
        "connect_four" => include_str!("../../../tests/data/observations/connect_four.json"),
        "grid_serpents" => include_str!("../../../tests/data/observations/grid_serpents.json"),
        "market_simulator" => include_str!("../../../tests/data/observations/market_simulator.json"),
        _ => include_str!("../../../tests/data/observations/unknown.json"),
    };
    serde_json::from_str(text).unwrap()
}

/// The message that asks `p0`.
pub(crate) fn asks(tick: u64, data: &Value) -> Value {
    json!({"type": "observation", "tick": tick, "player_id": "p0", "on_turn": true, "deadline_ms": 30_000, "data": data})
}

/// The message that a match is over.
pub(crate) fn over() -> Value {
    json!({"type": "game_completed", "tick": 42, "scores": {"p0": 100, "p1": 0}, "ranks": {"p0": 1, "p1": 2},
        "outcomes": {"p0": "won", "p1": "lost"}, "completion_reason": "game_complete", "ticks": 42,
        "credits_used": 0.0168})
}
