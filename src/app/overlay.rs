//! What lies over a pane: help, palette, forms and questions. Each is plain data; `input.rs` gives it its keys.

use crate::api::endpoints::CreateSession;
use crate::api::model::{Game, PlayerToken, SessionId};

use crate::client::{FeedId, Ticket};

use super::TICK_PRICE;
use super::action::Action;
use super::branching::BranchForm;
use super::editor::Editor;
use super::fields::FieldsForm;
use super::keymap::{self, Binding, Context};
use super::list::ranked;
use super::seats::PromptView;
use super::seats::providers::Delegation;

/// Something over the pane.
#[derive(Debug, Clone)]
pub enum Overlay {
    /// The keys.
    Help {
        /// First line on screen.
        scroll: usize,
    },
    /// Any command by name.
    Palette(Palette),
    /// A session to start.
    Create(CreateForm),
    /// A session to branch.
    Branch(BranchForm),
    /// A command to put into the seat on screen.
    Command(CommandPrompt),
    /// A provider for the seat on screen.
    Provider(ProviderPicker),
    /// What a model would be shown.
    Prompt(PromptView),
    /// A line that is asked for: where to go in a recording, or a note.
    Line(LinePrompt),
    /// A question.
    Confirm(Confirm),
    /// How the fields of an observation are drawn.
    Fields(FieldsForm),
    /// A text to search an observation for.
    Find(Editor),
    /// A tick to compare with.
    Compare(Editor),
    /// The rules of a game.
    Rules {
        /// Which game.
        slug: String,
        /// First line on screen.
        scroll: usize,
    },
}

/// The palette.
#[derive(Debug, Clone)]
pub struct Palette {
    /// What is typed.
    pub input: Editor,
    /// Row that is chosen.
    pub at: usize,
    /// Where it was opened: it offers what works there.
    contexts: Vec<Context>,
}

impl Palette {
    /// An empty one, opened where these contexts hold.
    pub fn new(contexts: Vec<Context>) -> Self {
        Self { input: Editor::line(""), at: 0, contexts }
    }

    /// Commands that match, the best first; each action once.
    pub fn matches(&self) -> Vec<&'static Binding> {
        let mut once: Vec<&Binding> = Vec::new();
        for binding in keymap::active(&self.contexts) {
            if !once.iter().any(|other| other.action == binding.action) {
                once.push(binding);
            }
        }
        let texts: Vec<String> =
            once.iter().map(|binding| format!("{} {}", binding.name, binding.help)).collect();
        ranked(&self.input.text(), texts.iter().map(String::as_str))
            .into_iter()
            .map(|nth| once[nth])
            .collect()
    }

    /// The chosen command.
    pub fn chosen(&self) -> Option<Action> {
        self.matches().get(self.at).map(|binding| binding.action)
    }
}

/// A question with two answers; the first one shown, no, is chosen at first.
#[derive(Debug, Clone)]
pub struct Confirm {
    /// What is asked.
    pub question: String,
    /// What it means, a line each.
    pub detail: Vec<String>,
    /// The word on the button that agrees.
    pub yes: &'static str,
    /// The word on the button that declines.
    pub no: &'static str,
    /// Whether the button that agrees is chosen.
    pub agree: bool,
    /// What happens then.
    pub then: Then,
}

/// What a question leads to.
#[derive(Debug, Clone, PartialEq)]
pub enum Then {
    /// Leave this session with these seats.
    Leave(SessionId, Vec<PlayerToken>),
    /// Let a provider decide for a seat.
    Delegate(Delegation),
    /// End the program.
    Quit,
}

/// What a line is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// A place in a recording.
    Place,
    /// Words for a moment of it.
    Note,
}

/// A line being typed about the recording on screen.
#[derive(Debug, Clone)]
pub struct LinePrompt {
    /// What it is for.
    pub wanted: Wanted,
    /// The line.
    pub input: Editor,
    /// The moment that was on screen when it was asked.
    pub nth: usize,
    /// What is wrong with it.
    pub problem: Option<String>,
}

/// A command line being typed.
#[derive(Debug, Clone)]
pub struct CommandPrompt {
    /// The command.
    pub input: Editor,
    /// What is wrong with it.
    pub problem: Option<String>,
    /// Whether it is only to look on.
    pub shadow: bool,
}

/// The choice of a provider and its model.
#[derive(Debug, Clone)]
pub struct ProviderPicker {
    /// The socket of the seat it is for.
    pub feed: FeedId,
    /// The row that is chosen.
    pub at: usize,
    /// A model by name, in place of the row's.
    pub model: Editor,
}

/// The row of [`CreateForm`] that has the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// How many players.
    Players,
    /// How many of them are mine.
    Mine,
    /// Who takes the other seats.
    Others,
    /// How long.
    Ticks,
    /// Cancel, or start.
    Buttons,
}

/// A session to start: who plays, how long, what it costs at most.
#[derive(Debug, Clone)]
pub struct CreateForm {
    /// The game.
    pub slug: String,
    /// Its name.
    pub name: String,
    /// Seat counts it can be played with, ascending.
    pub allowed: Vec<u64>,
    /// Players.
    pub players: u64,
    /// Seats of mine; 0 watches built-in players.
    pub mine: u64,
    /// Whether built-in players take the other seats; else they stay open for others to join.
    pub ai: bool,
    /// The horizon in ticks.
    pub ticks: u64,
    /// Digits were typed into the ticks; the first one starts a new number.
    typed: bool,
    /// The row that has the keys.
    pub field: Field,
    /// Whether `Start` is chosen and not `Cancel`.
    pub start: bool,
    /// It was sent, and this answer is awaited.
    pub sent: Option<Ticket>,
    /// Why it was refused.
    pub problem: Option<String>,
}

impl CreateForm {
    /// The most ticks one may ask for here.
    pub const MOST_TICKS: u64 = 100_000;

    /// The form for a game, filled with its defaults.
    pub fn new(game: &Game) -> Self {
        let mut allowed: Vec<u64> =
            game.allowed_player_counts.iter().map(|&count| u64::from(count)).collect();
        if allowed.is_empty() {
            let least = u64::from(game.min_players.unwrap_or(1)).max(1);
            allowed = (least..=u64::from(game.max_players.unwrap_or(2)).clamp(least, 64)).collect();
        }
        let players =
            game.default_players.map(u64::from).filter(|n| allowed.contains(n)).unwrap_or(allowed[0]);
        Self {
            slug: game.slug.as_str().to_owned(),
            name: game.title().to_owned(),
            allowed,
            players,
            mine: 1,
            ai: true,
            ticks: game.canonical_ticks.unwrap_or(600).clamp(1, Self::MOST_TICKS),
            typed: false,
            field: Field::Buttons,
            start: false,
            sent: None,
            problem: None,
        }
    }

    /// Credits it costs at most.
    pub fn price(&self) -> f64 {
        self.ticks as f64 * TICK_PRICE
    }

    /// Rows that have the keys, in order.
    pub fn fields(&self) -> Vec<Field> {
        let mut fields = vec![Field::Mine, Field::Ticks, Field::Buttons];
        if self.allowed.len() > 1 {
            fields.insert(0, Field::Players);
        }
        if self.mine < self.players {
            let at = fields.len() - 2;
            fields.insert(at, Field::Others);
        }
        fields
    }

    /// Goes to the next row, or the one before.
    pub fn step(&mut self, forward: bool) {
        let fields = self.fields();
        let at = fields.iter().position(|field| *field == self.field).unwrap_or(0);
        let next = if forward { (at + 1) % fields.len() } else { (at + fields.len() - 1) % fields.len() };
        self.field = fields[next];
        self.typed = false;
    }

    /// Changes the value of the row that has the keys, up or down.
    pub fn change(&mut self, up: bool) {
        let by = |value: u64| if up { value + 1 } else { value.saturating_sub(1) };
        match self.field {
            Field::Players => {
                let at = self.allowed.iter().position(|&count| count == self.players).unwrap_or(0);
                let next = if up { (at + 1).min(self.allowed.len() - 1) } else { at.saturating_sub(1) };
                self.players = self.allowed[next];
                self.mine = self.mine.min(self.players);
            }
            Field::Mine => {
                self.mine = by(self.mine).min(self.players);
                self.ai |= self.mine == 0; // Nobody else would start it.
            }
            Field::Others => self.ai = !self.ai || self.mine == 0,
            Field::Ticks => {
                let next = if up { self.ticks.saturating_mul(2) } else { self.ticks / 2 };
                self.ticks = next.clamp(1, Self::MOST_TICKS);
            }
            Field::Buttons => self.start = up,
        }
    }

    /// Types a digit into the ticks.
    pub fn digit(&mut self, digit: char) {
        if let (Field::Ticks, Some(digit)) = (self.field, digit.to_digit(10)) {
            let before = if std::mem::replace(&mut self.typed, true) { self.ticks } else { 0 };
            let next = before.saturating_mul(10).saturating_add(u64::from(digit)).max(1);
            self.ticks = if next > Self::MOST_TICKS { u64::from(digit).max(1) } else { next };
        }
    }

    /// Takes the last digit of the ticks back.
    pub fn erase(&mut self) {
        if self.field == Field::Ticks {
            self.ticks = (self.ticks / 10).max(1);
        }
    }

    /// The request it makes.
    pub fn request(&self) -> CreateSession {
        CreateSession {
            game: Some(self.slug.clone().into()),
            seats: Some(self.mine as u32),
            player_count: Some(self.players as u32),
            vs_ai: Some(self.ai && self.mine < self.players),
            autostart: (self.mine == 0).then_some(true),
            max_ticks: Some(self.ticks),
            ..CreateSession::default()
        }
    }
}
