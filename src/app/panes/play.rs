//! One's own seats: what each sees, may do and did, and who drives it.
//!
//! ```text
//!   observation ──► on turn? ──► by hand: choices, editor ──► act ──► acknowledged ──► next observation
//!                        └────► by policy: observe ──► answered ──┘        └► refused: reasons shown, asked again
//! ```
//!
//! A third driver is a provider, which decides on the server. What is done when a policy fails is in
//! [`reactions`](crate::app::seats::reactions). A shadow is a policy that only says what it would play.

mod choice;
mod draft;
mod policy;
mod shadow;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use crate::api::model::{PlayerToken, Provider, ProviderId, Rows};
use crate::app::list::ListState;
use crate::app::live::{Live, Tone, words};
use crate::app::remote::Remote;
use crate::app::schema::Schema;

pub use self::choice::{Amount, Choice};
pub use self::draft::{Draft, Verdict, read_action};
pub use self::policy::{Heard, PolicySeat};
pub use self::shadow::Shadow;

/// Actions of a game kept for its editor's history.
const HISTORY: usize = 100;

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
    /// The platform's providers.
    pub providers: Remote<Rows<Provider>>,
    /// Providers, with their models, of which the user knows that they may cost credits.
    pub agreed: BTreeSet<String>,
    /// Actions that were played by hand, by game; newest last.
    pub history: BTreeMap<String, VecDeque<Arc<str>>>,
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

    /// Keeps an action that was played by hand.
    pub fn remember(&mut self, game: &str, payload: &Arc<str>) {
        let history = self.history.entry(game.to_owned()).or_default();
        history.retain(|other| other != payload);
        if history.len() == HISTORY {
            history.pop_front();
        }
        history.push_back(payload.clone());
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
    /// A command or a model's endpoint, here.
    Policy,
    /// A provider, on the server.
    Provider,
}

/// A provider that decides for a seat.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderSeat {
    /// Which.
    pub provider: ProviderId,
    /// The model; without one the provider's own choice.
    pub model: Option<String>,
    /// Since when it decides, and for which tick.
    pub pending: Option<(u64, Duration)>,
    /// Turns it was asked for.
    pub turns: u64,
}

impl ProviderSeat {
    /// `ID/MODEL`, or `ID`.
    pub fn title(&self) -> String {
        match &self.model {
            Some(model) => format!("{}/{model}", self.provider),
            None => self.provider.to_string(),
        }
    }
}

/// What was played last for a seat.
#[derive(Debug, Clone, PartialEq)]
pub struct LastAct {
    /// At this tick.
    pub tick: u64,
    /// In words, cleaned.
    pub words: String,
    /// Who decided.
    pub by: Arc<str>,
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
    /// What was sent; nothing where a provider decides.
    pub payload: Option<Arc<str>>,
}

/// An action in words, cleaned.
pub fn in_words(payload: &str) -> String {
    let told = serde_json::from_str(payload).map_or_else(|_| payload.to_owned(), |value| words(&value));
    crate::text::clean(&told).into_owned()
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
    /// The provider, while one drives.
    pub provider: Option<ProviderSeat>,
    /// What a second policy would play.
    pub shadow: Option<Shadow>,
    /// What was played last.
    pub last: Option<LastAct>,
    /// Something to tell the user about this seat.
    pub notice: Option<(Tone, String)>,
    /// Whether `[]` is a way to do nothing in this game; unknown counts as yes.
    pub may_pass: bool,
    /// Whether the game says that `[]` is safe to play.
    pub pass_is_safe: bool,
    /// What an action looks like, as far as the game says.
    pub schema: Option<Arc<Schema>>,
    /// Actions that the rules show as examples.
    pub examples: Arc<[String]>,
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
            provider: None,
            shadow: None,
            last: None,
            notice: None,
            may_pass: true,
            pass_is_safe: false,
            schema: None,
            examples: Arc::new([]),
        }
    }

    /// Whether an action for this tick is still missing.
    pub fn wants_decision(&self) -> bool {
        self.on_turn && self.live.is_live() && self.sent.is_none() && self.acted != Some(self.live.view.tick)
    }

    /// Who decides for it now, in the words of a recording.
    pub fn by(&self) -> Arc<str> {
        match (self.driver, &self.policy, &self.provider) {
            (Driver::Policy, Some(policy), _) => format!("policy {}", policy.title()).into(),
            (Driver::Policy, None, _) => "policy".into(),
            (Driver::Provider, _, Some(provider)) => format!("provider {}", provider.title()).into(),
            (Driver::Provider, _, None) => "provider".into(),
            (Driver::Human, ..) => "human".into(),
        }
    }

    /// An action that can do no harm: nothing, where the game says so, else the heaviest legal one.
    pub fn safe_action(&mut self) -> Option<Arc<str>> {
        if self.pass_is_safe {
            return Some("[]".into());
        }
        self.settle();
        let listed = self.choices.iter().filter(|choice| &*choice.payload != "[]");
        let heaviest = listed.max_by(|a, b| a.weight.total_cmp(&b.weight));
        heaviest.map(|choice| choice.payload.clone())
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

    /// Whether arrow keys go from cell to cell.
    pub fn lies_on_board(&self) -> bool {
        self.choices.iter().any(|choice| choice.place.is_some())
    }

    /// Goes to the nearest choice in a direction; from one that has no place, to the first that has.
    pub fn go(&mut self, way: (i64, i64)) {
        let shown = || self.list.shown().iter().filter_map(|nth| self.choices.get(*nth));
        let next = match self.chosen().and_then(|choice| choice.place) {
            Some(from) => choice::neighbour(shown(), from, way),
            None => shown().find(|choice| choice.place.is_some()),
        };
        if let Some(payload) = next.map(|choice| choice.payload.clone()) {
            self.list.select_id(&payload);
        }
    }

    /// Makes the chosen action larger or smaller, if it has a size.
    pub fn resize(&mut self, up: bool) -> Option<()> {
        let row = self.list.row();
        let chosen = self.list.selected()?;
        self.choices.get_mut(chosen)?.step(up)?;
        self.list.refresh(self.choices.iter().map(|choice| (&*choice.payload, choice.label.clone())));
        self.list.select_row(row);
        Some(())
    }

    /// Parses what came and makes the list of choices. Called before a frame is drawn.
    pub fn settle(&mut self) {
        if !self.live.view.unsettled() {
            return;
        }
        self.live.view.settle();
        let Some(seen) = &self.live.view.seen else { return };
        self.choices = choice::choices(&seen.data, self.may_pass);
        let had_selection = self.list.selected().is_some();
        self.list.refresh(self.choices.iter().map(|choice| (&*choice.payload, choice.label.clone())));
        if !had_selection {
            let heaviest = self.choices.iter().enumerate().max_by(|a, b| a.1.weight.total_cmp(&b.1.weight));
            self.list.select_row(heaviest.map_or(0, |(nth, _)| nth));
        }
    }
}
