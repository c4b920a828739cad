//! One's own seats: what each sees, may do and did, and who drives it.
//!
//! ```text
//!   observation ──► on turn? ──► by hand: choices, editor ──► act ──► acknowledged ──► next observation
//!                        └────► by policy: observe ──► answered ──┘        └► refused: reasons shown, asked again
//! ```
//!
//! A policy that crashes, hangs or answers something that is no action loses the seat to the human.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::api::model::PlayerToken;
use crate::app::editor::Editor;
use crate::app::list::ListState;
use crate::app::live::{Live, Tone, words};
use crate::policy::Run;

/// Policy log lines kept.
const POLICY_LINES: usize = 500;
/// Latencies kept for the statistics.
const LATENCIES: usize = 200;

/// State of the Play pane.
#[derive(Debug, Default)]
pub struct PlayPane {
    /// All own seats, in the order they were taken.
    pub seats: Vec<OwnSeat>,
    /// The one on screen.
    pub at: usize,
    /// The observation itself instead of the drawing.
    pub raw: bool,
    /// The policy's log instead of the drawing.
    pub policy_log: bool,
    /// Scroll offset of the drawing.
    pub scroll: usize,
}

impl PlayPane {
    /// The seat on screen.
    pub fn seat(&self) -> Option<&OwnSeat> {
        self.seats.get(self.at)
    }

    /// The seat on screen, to change.
    pub fn seat_mut(&mut self) -> Option<&mut OwnSeat> {
        self.seats.get_mut(self.at)
    }

    /// Seats whose match goes on.
    pub fn live(&self) -> impl Iterator<Item = &OwnSeat> {
        self.seats.iter().filter(|seat| seat.live.is_live())
    }

    /// Puts the next own seat on screen.
    pub fn next(&mut self) {
        self.at = (self.at + 1) % self.seats.len().max(1);
    }

    /// If the seat on screen has nothing to decide, puts one of the same session on screen for which the user has.
    /// Stays where something is being written.
    pub fn follow_turn(&mut self) {
        let Some(seat) = self.seat() else { return };
        let writing = seat.list.typing() || seat.draft.as_ref().is_some_and(|draft| draft.open);
        if writing || seat.wants_decision() || !seat.live.is_live() {
            return;
        }
        let session = &seat.live.view.session_id;
        let waiting = |other: &OwnSeat| {
            other.live.view.session_id == *session && other.driver == Driver::Human && other.wants_decision()
        };
        if let Some(at) = self.seats.iter().position(waiting) {
            self.at = at;
        }
    }
}

/// Who decides for a seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    /// The user.
    Human,
    /// A command.
    Policy,
}

/// A legal action to pick.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// For people: `drop column 3`.
    pub label: String,
    /// The action as JSON text.
    pub payload: Arc<str>,
    /// The server's weight; a prior, not advice.
    pub weight: f64,
    /// The `column` it names, if any: drawn over the board.
    pub column: Option<u64>,
    /// The `direction` it names, if any: an arrow key plays it.
    pub direction: Option<String>,
}

/// What became of the last action.
#[derive(Debug, Clone, PartialEq)]
pub enum Answered {
    /// It was taken.
    Accepted {
        /// At this tick.
        tick: u64,
    },
    /// It was not.
    Refused {
        /// Why, as the server says.
        reasons: Vec<String>,
    },
}

/// An action that was sent and not yet acknowledged.
#[derive(Debug, Clone, PartialEq)]
pub struct Sent {
    /// Its id.
    pub action_id: String,
    /// The tick it was meant for.
    pub tick: u64,
    /// What was sent.
    pub payload: Arc<str>,
}

/// An action being written.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The text.
    pub editor: Editor,
    /// The tick it is meant for; sending it to another needs a second Enter.
    pub tick: u64,
    /// The editor has the keys.
    pub open: bool,
}

/// A policy in a seat.
#[derive(Debug, Clone)]
pub struct PolicySeat {
    /// Its run; events of other runs are ignored.
    pub run: Run,
    /// The command, as typed.
    pub command: String,
    /// What it calls itself.
    pub name: Option<String>,
    /// The turn it thinks about: id and tick.
    pub pending: Option<(u64, u64)>,
    /// The turn it answered last.
    pub answered: u64,
    /// Turns answered.
    pub turns: u64,
    /// Newest last.
    pub latencies: VecDeque<Duration>,
    /// What it writes to stderr and what we say of it; newest last.
    pub lines: VecDeque<String>,
    /// Lines that were dropped.
    pub dropped: u64,
    /// What it said of its last action.
    pub note: Option<String>,
    /// Refusals in this tick.
    pub refusals: u32,
}

impl PolicySeat {
    /// A policy that is being started.
    pub fn new(run: Run, command: String) -> Self {
        Self {
            run,
            command,
            name: None,
            pending: None,
            answered: 0,
            turns: 0,
            latencies: VecDeque::new(),
            lines: VecDeque::new(),
            dropped: 0,
            note: None,
            refusals: 0,
        }
    }

    /// Adds a line to its log.
    pub fn log(&mut self, line: &str) {
        if self.lines.len() == POLICY_LINES {
            self.lines.pop_front();
            self.dropped += 1;
        }
        self.lines.push_back(crate::text::clean(line).into_owned());
    }

    /// Notes how long a turn took.
    pub fn timed(&mut self, latency: Duration) {
        if self.latencies.len() == LATENCIES {
            self.latencies.pop_front();
        }
        self.latencies.push_back(latency);
        self.turns += 1;
    }

    /// The middle latency of the last turns.
    pub fn median_latency(&self) -> Option<Duration> {
        let mut sorted: Vec<Duration> = self.latencies.iter().copied().collect();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).copied()
    }
}

/// One of the user's seats.
#[derive(Debug, Clone)]
pub struct OwnSeat {
    /// The player.
    pub player_id: String,
    /// What authorises acting for it.
    pub token: PlayerToken,
    /// The session.
    pub live: Live,
    /// Who decides.
    pub driver: Driver,
    /// Whether it is asked now.
    pub on_turn: bool,
    /// Legal actions.
    pub choices: Vec<Choice>,
    /// Which is chosen.
    pub list: ListState,
    /// An action being written; kept when its editor is closed.
    pub draft: Option<Draft>,
    /// Sent and not acknowledged.
    pub sent: Option<Sent>,
    /// What became of the last action.
    pub answered: Option<Answered>,
    /// The tick for which an action was accepted.
    pub acted: Option<u64>,
    /// The policy, while there is one.
    pub policy: Option<PolicySeat>,
    /// Something to tell the user about this seat.
    pub notice: Option<(Tone, String)>,
    /// Whether `[]` is a way to do nothing in this game; unknown counts as yes.
    pub may_pass: bool,
}

impl OwnSeat {
    /// A seat that was just taken.
    pub fn new(player_id: String, token: PlayerToken, live: Live) -> Self {
        Self {
            player_id,
            token,
            live,
            driver: Driver::Human,
            on_turn: false,
            choices: Vec::new(),
            list: ListState::default(),
            draft: None,
            sent: None,
            answered: None,
            acted: None,
            policy: None,
            notice: None,
            may_pass: true,
        }
    }

    /// Whether an action for this tick is still missing.
    pub fn wants_decision(&self) -> bool {
        self.on_turn && self.live.is_live() && self.sent.is_none() && self.acted != Some(self.live.view.tick)
    }

    /// Who decides for it now, in the words of a recording.
    pub fn by(&self) -> Arc<str> {
        match (self.driver, &self.policy) {
            (Driver::Policy, Some(policy)) => {
                format!("policy {}", policy.name.as_ref().unwrap_or(&policy.command)).into()
            }
            (Driver::Policy, None) => "policy".into(),
            (Driver::Human, _) => "human".into(),
        }
    }

    /// The chosen action.
    pub fn chosen(&self) -> Option<&Choice> {
        self.choices.get(self.list.selected()?)
    }

    /// The action that an arrow key plays, where actions name directions.
    pub fn steering(&self, direction: &str) -> Option<&Choice> {
        self.choices.iter().find(|choice| choice.direction.as_deref() == Some(direction))
    }

    /// Whether arrow keys play.
    pub fn steers(&self) -> bool {
        self.choices.iter().any(|choice| choice.direction.is_some())
    }

    /// Parses what came and makes the list of choices. Called before a frame is drawn.
    pub fn settle(&mut self) {
        if !self.live.view.unsettled() {
            return;
        }
        self.live.view.settle();
        let Some(seen) = &self.live.view.seen else { return };
        self.choices = choices(&seen.data, self.may_pass);
        let had_selection = self.list.selected().is_some();
        self.list.refresh(self.choices.iter().map(|choice| (&*choice.payload, choice.label.clone())));
        if !had_selection {
            let heaviest = self.choices.iter().enumerate().max_by(|a, b| a.1.weight.total_cmp(&b.1.weight));
            self.list.select_row(heaviest.map_or(0, |(nth, _)| nth));
        }
    }
}

/// The actions of `_action_space`, and doing nothing where that is allowed.
fn choices(observation: &Value, may_pass: bool) -> Vec<Choice> {
    let listed = observation.get("_action_space").and_then(Value::as_array);
    let mut choices: Vec<Choice> = listed.into_iter().flatten().filter_map(choice).collect();
    if may_pass {
        choices.push(Choice {
            label: "do nothing".into(),
            payload: "[]".into(),
            weight: 0.0,
            column: None,
            direction: None,
        });
    }
    choices
}

fn choice(entry: &Value) -> Option<Choice> {
    // An entry is `{"action": {…}, "weight": w}`; a server may also list the actions themselves.
    let action = match entry.get("action") {
        Some(action @ (Value::Object(_) | Value::Array(_))) => action,
        _ if entry.is_object() => entry,
        _ => return None,
    };
    Some(Choice {
        label: crate::text::clean(&words(action)).into_owned(),
        payload: action.to_string().into(),
        weight: entry.get("weight").and_then(Value::as_f64).unwrap_or(1.0),
        column: action.get("column").and_then(Value::as_u64),
        direction: action.get("direction").and_then(Value::as_str).map(str::to_owned),
    })
}

/// Reads a written action: an object, or a list of objects.
///
/// # Errors
/// What is wrong with it and where.
pub fn read_action(text: &str) -> Result<Arc<str>, String> {
    let value: Value = serde_json::from_str(text).map_err(|why| match why.classify() {
        serde_json::error::Category::Eof => "not finished yet".to_owned(),
        _ => why.to_string(),
    })?;
    match &value {
        Value::Object(_) => Ok(text.trim().into()),
        Value::Array(items) if items.iter().all(Value::is_object) => Ok(text.trim().into()),
        Value::Array(_) => Err("every item of the list must be an object".into()),
        _ => Err("an action is an object, or a list of objects".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_objects_and_lists_of_objects_are_actions() {
        for good in ["{}", "[]", r#"[{"a":1}]"#, r#" {"action":"drop","column":3} "#] {
            assert_eq!(&*read_action(good).unwrap(), good.trim());
        }
        for (bad, why) in [
            ("", "not finished"),
            ("[{", "not finished"),
            ("[1]", "every item"),
            ("3", "an action is"),
            ("\"x\"", "an action is"),
            ("{\"a\":}", "line 1"),
            ("[[{}]]", "every item"),
        ] {
            assert!(read_action(bad).unwrap_err().contains(why), "{bad}");
        }
    }

    #[test]
    fn numbers_beyond_a_double_are_sent_as_written() {
        assert_eq!(
            &*read_action(r#"{"id":12345678901234567890123}"#).unwrap(),
            r#"{"id":12345678901234567890123}"#
        );
    }

    #[test]
    fn choices_read_well_whatever_their_shape() {
        let observation = serde_json::json!({"_action_space": [
            {"action": {"action": "drop", "column": 3}, "weight": 4},
            {"action": {"action": "move", "direction": "up"}, "weight": 1},
            {"action": "pass"},
            {"action": [{"action": "a"}, {"action": "b"}]},
            17,
        ]});
        let choices = choices(&observation, true);
        let labels: Vec<&str> = choices.iter().map(|choice| choice.label.as_str()).collect();
        assert_eq!(labels, ["drop column 3", "move up", "pass", "a, b", "do nothing"]);
        assert_eq!(&*choices[2].payload, r#"{"action":"pass"}"#);
        assert_eq!(choices[0].column, Some(3));
    }
}
