//! Own seats in play: what comes over their sockets, what is sent, and the policies in them.

use crate::api::model::{PlayerToken, SessionId};
use crate::api::{Error as ApiError, ErrorKind};
use crate::api::{Message, MessageKind};
use crate::client::{FeedEvent, FeedId, Question, Request};
use crate::policy::{FLUSH_HINT, Hello, PolicyEvent, PolicyEventKind, PolicySpec, Run, Turn};

use super::App;
use super::editor::Editor;
use super::effect::{Effect, Tell};
use super::live::Tone;
use super::overlay::{CommandPrompt, Confirm, Overlay, Then};
use super::panes::play::{Answered, Draft, Driver, OwnSeat, PolicySeat, Sent, read_action};

/// Refusals in one tick after which a policy loses the seat.
const REFUSALS: u32 = 3;

impl App {
    pub(super) fn fed(&mut self, feed: FeedId, event: FeedEvent) -> Vec<Effect> {
        if self.spectated(feed, &event) {
            return Vec::new();
        }
        let Some(at) = self.play.seats.iter().position(|seat| seat.live.feed == feed) else {
            return Vec::new();
        };
        let message = match &event {
            FeedEvent::Said(message) => Some(message.clone()),
            // Whether it arrived is not known: the observation after a reconnect says whether the seat is still asked.
            FeedEvent::NotSent { .. } | FeedEvent::Lost { .. } | FeedEvent::Ended { .. } => {
                self.play.seats[at].sent = None;
                None
            }
            _ => None,
        };
        let seat = &mut self.play.seats[at];
        let before = seat.live.view.tick;
        seat.live.take(self.now, event);
        match message {
            Some(message) => self.seat_heard(at, before, &message),
            None => Vec::new(),
        }
    }

    fn seat_heard(&mut self, at: usize, before: u64, message: &Message) -> Vec<Effect> {
        let seat = &mut self.play.seats[at];
        // Every seat hears what becomes of the others.
        let mine = message.player_id.as_deref().is_none_or(|player| player == seat.player_id);
        match message.kind {
            MessageKind::Observation => {
                if seat.live.view.tick != before {
                    seat.sent = None;
                    seat.answered = None;
                    if let Some(policy) = &mut seat.policy {
                        policy.refusals = 0;
                    }
                }
                seat.on_turn = on_turn(message);
                self.play.follow_turn();
                self.ask_policy(at)
            }
            MessageKind::ActionResult => self.acknowledged(at, message),
            MessageKind::PlayerFailed if mine => {
                seat.on_turn = false;
                let why = message.member::<String>("reason").unwrap_or_else(|| "no reason given".into());
                seat.notice = Some((Tone::Bad, format!("your seat failed: {}", crate::text::clean(&why))));
                Vec::new()
            }
            MessageKind::PlayerEliminated if mine => {
                seat.on_turn = false;
                seat.notice = Some((Tone::Warn, "you are out of the game; it goes on without you".into()));
                Vec::new()
            }
            MessageKind::GameCompleted => self.match_over(at),
            _ => Vec::new(),
        }
    }

    fn acknowledged(&mut self, at: usize, message: &Message) -> Vec<Effect> {
        let seat = &mut self.play.seats[at];
        let accepted = message.member::<bool>("accepted").unwrap_or(false);
        let id = message.member::<String>("action_id");
        // What is said of an action of an earlier tick says nothing of this one.
        let awaited = seat.sent.take_if(|sent| id.is_none_or(|id| id == sent.action_id));
        let Some(sent) = awaited else { return Vec::new() };
        if accepted {
            let tick = sent.tick;
            seat.acted = Some(tick);
            seat.answered = Some(Answered::Accepted { tick });
            seat.notice = None;
            // If it was what is written, the next action starts afresh.
            seat.draft =
                seat.draft.take().filter(|draft| read_action(&draft.editor.text()) != Ok(sent.payload));
            self.play.follow_turn();
            return Vec::new();
        }
        let reasons: Vec<String> = message
            .member::<Vec<String>>("reasons")
            .filter(|reasons| !reasons.is_empty())
            .unwrap_or_else(|| vec!["no reason given".into()])
            .iter()
            .map(|reason| crate::text::clean(reason).into_owned())
            .collect();
        seat.answered = Some(Answered::Refused { reasons: reasons.clone() });
        let Some(policy) = seat.policy.as_mut().filter(|_| seat.driver == Driver::Policy) else {
            return Vec::new();
        };
        policy.refusals += 1;
        policy.log(&format!("✗ refused: {}", reasons.join("; ")));
        if policy.refusals >= REFUSALS {
            let why = format!("its action was refused {REFUSALS} times: {}", reasons.join("; "));
            return self.hand_over(at, &why);
        }
        let (run, id) = (policy.run, policy.answered);
        let mut effects = vec![Effect::TellPolicy(run, Tell::Reject { id, reasons })];
        effects.extend(self.ask_policy(at));
        effects
    }

    fn match_over(&mut self, at: usize) -> Vec<Effect> {
        let seat = &mut self.play.seats[at];
        seat.on_turn = false;
        if let Some(draft) = &mut seat.draft {
            // The result takes its place, so it must not keep the keys.
            draft.open = false;
        }
        seat.settle();
        let id = SessionId::from(seat.live.view.session_id.clone());
        let mut effects = Vec::new();
        if let (Some(policy), Some(outcome)) = (&mut seat.policy, &seat.live.view.outcome) {
            policy.pending = None;
            let player = &seat.player_id;
            let result = serde_json::json!({
                "score": outcome.scores.get(player),
                "rank": outcome.ranks.get(player),
                "outcome": outcome.outcomes.get(player),
                "reason": outcome.reason,
            });
            effects.push(Effect::TellPolicy(policy.run, Tell::End(result)));
            effects.push(Effect::StopPolicy(policy.run));
        }
        let (_, effect) = self.ask(Question::Session(id));
        effects.push(effect);
        effects.extend(self.load_after_end());
        effects
    }

    /// Sends the chosen action.
    pub(super) fn play_chosen(&mut self) -> Vec<Effect> {
        let Some(payload) = self.play.seat().and_then(OwnSeat::chosen).map(|choice| choice.payload.clone())
        else {
            return Vec::new();
        };
        self.send_action(payload)
    }

    fn send_action(&mut self, payload: std::sync::Arc<str>) -> Vec<Effect> {
        let action_id = format!("a{}", self.number());
        let Some(seat) = self.play.seat_mut() else { return Vec::new() };
        let hurdle = if !seat.live.is_live() {
            Some("the match is over")
        } else if seat.driver == Driver::Policy {
            Some("the policy drives this seat: h takes it back")
        } else if !seat.on_turn {
            Some("not your turn")
        } else if seat.sent.is_some() || seat.acted == Some(seat.live.view.tick) {
            Some("already played this tick")
        } else {
            None
        };
        if let Some(hurdle) = hurdle {
            seat.notice = Some((Tone::Warn, hurdle.into()));
            return Vec::new();
        }
        seat.notice = None;
        seat.answered = None;
        seat.sent =
            Some(Sent { action_id: action_id.clone(), tick: seat.live.view.tick, payload: payload.clone() });
        vec![Effect::Send(Request::Act {
            feed: seat.live.feed,
            action_id,
            by: seat.by(),
            tick: seat.live.view.tick,
            payload,
        })]
    }

    pub(super) fn edit_action(&mut self) {
        let Some(seat) = self.play.seat_mut() else { return };
        let tick = seat.live.view.tick;
        let example = seat.chosen().map_or_else(|| "[]".to_owned(), |choice| pretty(&choice.payload));
        match &mut seat.draft {
            Some(draft) => draft.open = true,
            None => seat.draft = Some(Draft { editor: Editor::lines(&example), tick, open: true }),
        }
    }

    /// Sends what is written, if it is an action and meant for this tick.
    pub(super) fn send_draft(&mut self) -> Vec<Effect> {
        let Some(seat) = self.play.seat_mut() else { return Vec::new() };
        let Some(draft) = &mut seat.draft else { return Vec::new() };
        let payload = match read_action(&draft.editor.text()) {
            Ok(payload) => payload,
            Err(why) => {
                seat.notice = Some((Tone::Bad, format!("not sent: {why}")));
                return Vec::new();
            }
        };
        if draft.tick != seat.live.view.tick {
            let text = format!(
                "the game went on from tick {} to {}: Enter again to play it now",
                draft.tick, seat.live.view.tick
            );
            draft.tick = seat.live.view.tick;
            seat.notice = Some((Tone::Warn, text));
            return Vec::new();
        }
        let effects = self.send_action(payload);
        if let (false, Some(draft)) =
            (effects.is_empty(), self.play.seat_mut().and_then(|seat| seat.draft.as_mut()))
        {
            draft.open = false;
        }
        effects
    }

    pub(super) fn ask_for_policy(&mut self) {
        if self.play.seat().is_some_and(|seat| seat.live.is_live()) {
            let input = Editor::line(&self.last_command);
            self.overlay = Some(Overlay::Command(CommandPrompt { input, problem: None }));
        }
    }

    /// Puts a command into the seat on screen.
    pub(super) fn seat_policy(&mut self, command: String, spec: PolicySpec) -> Vec<Effect> {
        let run = self.new_run();
        let at = self.play.at;
        let Some(seat) = self.play.seats.get_mut(at).filter(|seat| seat.live.is_live()) else {
            return Vec::new();
        };
        let mut effects = Vec::new();
        if let Some(old) = seat.policy.take() {
            effects.push(Effect::StopPolicy(old.run));
        }
        let mut policy = PolicySeat::new(run, command.clone());
        policy.log(&format!("$ {command}"));
        seat.policy = Some(policy);
        seat.driver = Driver::Policy;
        seat.notice = None;
        self.last_command = command;
        let hello = self.hello(at);
        effects.push(Effect::StartPolicy(run, spec));
        effects.push(Effect::TellPolicy(run, Tell::Hello(hello)));
        effects.extend(self.ask_policy(at));
        effects
    }

    fn hello(&self, at: usize) -> Hello {
        let seat = &self.play.seats[at];
        let game = seat.live.view.game.clone().unwrap_or_default();
        let record = self.games.detail(&game);
        Hello {
            game_version: record.and_then(|record| record.game_version.as_ref()?.decode().ok()),
            rules: record.and_then(|record| record.prompt.clone()).unwrap_or_default(),
            config: record.and_then(|record| serde_json::to_value(&record.config).ok()).unwrap_or_default(),
            player_count: seat
                .live
                .view
                .session
                .as_ref()
                .and_then(|session| session.player_count)
                .unwrap_or_default(),
            seat: seat.player_id.clone(),
            seed: None,
            game,
        }
    }

    /// Asks the policy of a seat, if it drives and has to decide.
    fn ask_policy(&mut self, at: usize) -> Vec<Effect> {
        let id = self.number();
        let seat = &mut self.play.seats[at];
        if seat.driver != Driver::Policy || !seat.wants_decision() {
            return Vec::new();
        }
        let tick = seat.live.view.tick;
        let Some(observation) = seat.live.view.observation_text() else { return Vec::new() };
        let Some(policy) = &mut seat.policy else { return Vec::new() };
        if policy.pending.is_some_and(|(_, pending)| pending == tick) {
            return Vec::new();
        }
        policy.pending = Some((id, tick));
        vec![Effect::TellPolicy(policy.run, Tell::Observe(Turn { id, tick, observation }))]
    }

    pub(super) fn policy_did(&mut self, event: PolicyEvent) -> Vec<Effect> {
        let run_of = |seat: &OwnSeat| seat.policy.as_ref().map(|policy| policy.run);
        let Some(at) = self.play.seats.iter().position(|seat| run_of(seat) == Some(event.run)) else {
            return Vec::new(); // Of a run that was replaced.
        };
        let Some(policy) = &mut self.play.seats[at].policy else { return Vec::new() };
        match event.what {
            PolicyEventKind::Started { pid, .. } => {
                policy.log(&format!(
                    "started{}",
                    pid.map(|pid| format!(", process {pid}")).unwrap_or_default()
                ));
            }
            PolicyEventKind::Ready { name } => policy.name = name,
            PolicyEventKind::Answered { id, action, note, latency, late } => {
                let open = policy.pending.is_some_and(|(pending, _)| pending == id);
                policy.timed(latency);
                let mark = if late { "  late" } else { "" };
                policy.log(&format!("→ {action}  {} ms{mark}", latency.as_millis()));
                policy.note = note;
                if open {
                    policy.pending = None;
                    policy.answered = id;
                    return self.send_for_policy(at, &action);
                }
            }
            PolicyEventKind::Streamed { text, .. } => policy.note = Some(text),
            PolicyEventKind::Counted { .. } => {}
            PolicyEventKind::OverDue { waited, .. } => {
                policy.log(&format!("slow: no answer after {} ms", waited.as_millis()));
            }
            PolicyEventKind::Silent { lines, .. } => {
                let hint = if lines == 0 { FLUSH_HINT } else { "no line for a while" };
                policy.log(hint);
            }
            PolicyEventKind::StaleAnswer { count, .. } => {
                policy.log(&format!("{count} answer(s) came for another turn and were dropped"));
            }
            PolicyEventKind::Stderr { lines, dropped } => {
                policy.dropped += dropped;
                for line in &lines {
                    policy.log(line);
                }
            }
            PolicyEventKind::Garbage { text, why, .. } => {
                return self
                    .hand_over(at, &format!("it answered something that is no action ({why}): {text}"));
            }
            PolicyEventKind::TimedOut { limit, unread, .. } => {
                let what = if unread { "it does not read its input" } else { "it did not answer in time" };
                return self.hand_over(at, &format!("{what} (limit {} ms)", limit.as_millis()));
            }
            PolicyEventKind::LineTooLong { limit } => {
                return self.hand_over(at, &format!("it wrote a line of more than {limit} bytes"));
            }
            PolicyEventKind::Closed { .. } => return self.hand_over(at, "it closed its pipes"),
            PolicyEventKind::Exited { how, last_stderr, expected } => {
                policy.log(&format!("the policy {how}"));
                if !expected {
                    let last = last_stderr
                        .last()
                        .map(|line| format!("; its last words: {line}"))
                        .unwrap_or_default();
                    return self.hand_over(at, &format!("it {how}{last}"));
                }
            }
        }
        Vec::new()
    }

    fn send_for_policy(&mut self, at: usize, action: &serde_json::Value) -> Vec<Effect> {
        let action_id = format!("a{}", self.number());
        let seat = &mut self.play.seats[at];
        if seat.driver != Driver::Policy || !seat.wants_decision() {
            return Vec::new();
        }
        let payload: std::sync::Arc<str> = action.to_string().into();
        seat.sent =
            Some(Sent { action_id: action_id.clone(), tick: seat.live.view.tick, payload: payload.clone() });
        vec![Effect::Send(Request::Act {
            feed: seat.live.feed,
            action_id,
            by: seat.by(),
            tick: seat.live.view.tick,
            payload,
        })]
    }

    /// The user takes the seat on screen back.
    pub(super) fn take_back(&mut self) -> Vec<Effect> {
        let at = self.play.at;
        if self.play.seats.get(at).is_none_or(|seat| seat.driver == Driver::Human) {
            return Vec::new();
        }
        self.end_policy(at, Tone::Plain, "the seat is yours; c gives it to the policy again")
    }

    /// A policy loses its seat.
    fn hand_over(&mut self, at: usize, why: &str) -> Vec<Effect> {
        if self.play.seats[at].driver != Driver::Policy {
            return Vec::new();
        }
        let text =
            format!("the seat is yours, the policy is stopped: {why}; c tries one again, L shows its log");
        self.end_policy(at, Tone::Bad, &text)
    }

    fn end_policy(&mut self, at: usize, tone: Tone, text: &str) -> Vec<Effect> {
        let seat = &mut self.play.seats[at];
        seat.driver = Driver::Human;
        let text = crate::text::clean(text).into_owned();
        let player = seat.player_id.clone();
        seat.notice = Some((tone, text.clone()));
        let Some(policy) = &mut seat.policy else { return Vec::new() };
        policy.pending = None;
        policy.log(&text);
        let run: Run = policy.run;
        if at != self.play.at || self.pane != super::Pane::Play {
            self.toast(tone, format!("{player}: {text}"));
        }
        vec![Effect::StopPolicy(run)]
    }

    pub(super) fn ask_to_leave(&mut self) -> Vec<Effect> {
        let Some(seat) = self.play.seat() else { return Vec::new() };
        let id = seat.live.view.session_id.clone();
        if !seat.live.is_live() {
            return self.forget(&id);
        }
        let mine: Vec<&OwnSeat> =
            self.play.seats.iter().filter(|seat| seat.live.view.session_id == id).collect();
        let tokens = mine.iter().map(|seat| seat.token.clone()).collect();
        let seats: Vec<&str> = mine.iter().map(|seat| seat.player_id.as_str()).collect();
        self.overlay = Some(Overlay::Confirm(Confirm {
            question: format!("Leave {id}?"),
            detail: vec![
                format!("Your seat ({}) fails and gets the score of a failure.", seats.join(", ")),
                "The ticks played so far stay billed, nothing more is.".into(),
            ],
            yes: "Leave",
            no: "Stay",
            agree: false,
            then: Then::Leave(SessionId::from(id), tokens),
        }));
        Vec::new()
    }

    pub(super) fn leave(&mut self, id: &SessionId, tokens: Vec<PlayerToken>) -> Vec<Effect> {
        tokens.into_iter().map(|token| self.ask(Question::Leave(id.clone(), token)).1).collect()
    }

    /// A seat was left, or could not be. One that is not there any more was left too.
    pub(super) fn left(&mut self, id: &str, token: &PlayerToken, failure: Option<&ApiError>) -> Vec<Effect> {
        if let Some(why) = failure.filter(|why| why.kind() != ErrorKind::NotFound) {
            self.toast(Tone::Bad, format!("not left: {}", super::answers::explain(why)));
            return Vec::new();
        }
        let mut effects = self.forget_where(|seat| seat.live.view.session_id == id && seat.token == *token);
        self.toast(Tone::Plain, format!("left {id}"));
        effects.extend(self.load_after_end());
        effects
    }

    /// Takes all seats of a session off the screen.
    fn forget(&mut self, id: &str) -> Vec<Effect> {
        self.forget_where(|seat| seat.live.view.session_id == id)
    }

    fn forget_where(&mut self, gone: impl Fn(&OwnSeat) -> bool) -> Vec<Effect> {
        let mut effects = Vec::new();
        for seat in self.play.seats.iter().filter(|seat| gone(seat)) {
            effects.push(Effect::Send(Request::Close(seat.live.feed)));
            effects.extend(seat.policy.as_ref().map(|policy| Effect::StopPolicy(policy.run)));
        }
        self.play.seats.retain(|seat| !gone(seat));
        self.play.at = self.play.at.min(self.play.seats.len().saturating_sub(1));
        (self.play.raw, self.play.policy_log) = (false, false);
        effects
    }

    /// Tells each seat whether doing nothing is a move in its game.
    pub(super) fn apply_pass_rules(&mut self) {
        for at in 0..self.play.seats.len() {
            let game = self.play.seats[at].live.view.game.clone().unwrap_or_default();
            let noop = self.games.detail(&game).and_then(|record| record.config.decode::<String>("noop"));
            self.play.seats[at].may_pass = noop.as_deref() != Some("none");
        }
    }
}

/// JSON with a member a line, for editing.
fn pretty(json: &str) -> String {
    serde_json::from_str::<serde_json::Value>(json)
        .and_then(|value| serde_json::to_string_pretty(&value))
        .unwrap_or_else(|_| json.to_owned())
}

/// Whether the seat that gets this observation is asked now. Servers say so beside the observation or in it; where
/// neither does, every observation asks.
fn on_turn(message: &Message) -> bool {
    #[derive(serde::Deserialize)]
    struct Turn {
        #[serde(default)]
        is_your_turn: Option<bool>,
    }
    message
        .member::<bool>("on_turn")
        .or_else(|| message.data.as_ref()?.decode::<Turn>().ok()?.is_your_turn)
        .unwrap_or(true)
}
