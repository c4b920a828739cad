//! The dashboard's state: events in, effects out, nothing else.
//!
//! [`App::update`] is the only way the state changes. It does not wait, send, read clocks or draw; time comes in with
//! each event. What drawing learned about the screen comes in by [`App::learn`]. Start reading at [`App`].

pub mod action;
mod actions;
pub mod answers;
pub mod branching;
pub mod editor;
pub mod effect;
pub mod event;
pub mod fields;
pub mod gate;
mod input;
pub mod key;
pub mod keymap;
pub mod list;
pub mod live;
pub mod overlay;
pub mod panes;
pub mod remote;
mod replay;
pub mod schema;
pub mod screen;
pub mod seats;
pub mod timeline;
pub mod wall;
pub mod watching;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use crate::api::Error as ApiError;
use crate::client::{FeedId, Question, Request, Ticket};
use crate::policy::Run;

use self::effect::Effect;
use self::event::{Boot, Event, Moment};
use self::fields::Fields;
use self::gate::Gate;
use self::keymap::Context;
use self::live::{Link, Tone};
use self::overlay::Overlay;
use self::panes::credits::CreditsPane;
use self::panes::games::GamesPane;
use self::panes::play::PlayPane;
use self::panes::sessions::SessionsPane;
use self::screen::Drawn;
use self::timeline::Timeline;

/// Credits a tick of a session costs (protocol.md §4.9).
pub const TICK_PRICE: f64 = 0.0004;

/// How often the sessions are asked for while their pane is open and one of them is live.
const SESSIONS_EVERY: Duration = Duration::from_secs(3);
/// How often the balance is asked for while one plays.
const BALANCE_EVERY: Duration = Duration::from_secs(10);
/// How long a message stays in the corner.
const TOAST: Duration = Duration::from_secs(6);
/// Silence on an open socket that is worth a word.
const STALLED: Duration = Duration::from_secs(25);
/// Waits before a server that did not answer is asked again.
const RETRY_WAITS: [u64; 5] = [2, 4, 8, 15, 30];

/// A pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pane {
    /// The catalogue.
    Games,
    /// Live and past sessions.
    Sessions,
    /// One's own seats.
    Play,
    /// Balance and usage.
    Credits,
}

impl Pane {
    /// All panes in order, with the key that leads there and the name.
    pub const ALL: [(Self, char, &'static str); 4] = [
        (Self::Games, '1', "Games"),
        (Self::Sessions, '2', "Sessions"),
        (Self::Play, '3', "Play"),
        (Self::Credits, '9', "Credits"),
    ];
}

/// Whether the platform answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Health {
    /// Nothing was heard yet.
    Unknown,
    /// The last answer was good.
    Up,
    /// It does not answer.
    Down {
        /// Tries in a row that failed.
        tries: u32,
        /// When it is asked again by itself.
        retry_at: Duration,
    },
}

/// A message in the corner.
#[derive(Debug, Clone, PartialEq)]
pub struct Toast {
    /// What it says.
    pub text: String,
    /// How it is meant.
    pub tone: Tone,
    /// When it goes.
    pub until: Duration,
}

/// A question that waits for its answer.
#[derive(Debug, Clone, PartialEq)]
struct Pending {
    question: Question,
    since: Duration,
}

/// Everything the dashboard knows.
#[derive(Debug)]
pub struct App {
    /// When the last event happened.
    pub now: Moment,
    /// What it was started with.
    pub boot: Boot,
    /// What stands in the way of everything else: no key, a refused key.
    pub gate: Option<Gate>,
    /// The pane on screen.
    pub pane: Pane,
    /// What lies over it.
    pub overlay: Option<Overlay>,
    /// Newest last.
    pub toasts: VecDeque<Toast>,
    /// Whether the platform answers.
    pub health: Health,
    /// Why it does not, if it does not.
    pub trouble: Option<Arc<ApiError>>,
    /// Whether mouse reports are on.
    pub mouse: bool,
    /// The catalogue.
    pub games: GamesPane,
    /// Sessions.
    pub sessions: SessionsPane,
    /// Own seats.
    pub play: PlayPane,
    /// Credits.
    pub credits: CreditsPane,
    /// How observations are looked at.
    pub fields: Fields,
    /// The command that was put into a seat last.
    pub last_command: String,
    /// The way through each feed's recording.
    timelines: BTreeMap<FeedId, Timeline>,
    screen: Drawn,
    pending: BTreeMap<Ticket, Pending>,
    /// Sockets to open and to close for which there was no room yet.
    put_off: Vec<Request>,
    interrupted: Option<Duration>,
    polled: BTreeMap<&'static str, Duration>,
    /// What is to be asked again as soon as the answer under way is there: it may be from before something happened.
    again: BTreeSet<&'static str>,
    numbers: u64,
}

impl App {
    /// The state at start.
    pub fn new(now: Moment, boot: Boot) -> Self {
        let problem = boot.key_problem.as_deref().map(Into::into);
        let gate = (!boot.has_key && !boot.demo && boot.replay.is_none())
            .then(|| Gate { problem, ..Gate::welcome() });
        let last_command = boot
            .sample_policy
            .as_ref()
            .map_or_else(String::new, |path| format!("python3 {}", quoted(&path.to_string_lossy())));
        let fields = Fields::new(boot.views.clone());
        Self {
            now,
            boot,
            gate,
            pane: Pane::Games,
            overlay: None,
            toasts: VecDeque::new(),
            health: Health::Unknown,
            trouble: None,
            mouse: false,
            games: GamesPane::default(),
            sessions: SessionsPane::default(),
            play: PlayPane::default(),
            credits: CreditsPane::default(),
            fields,
            last_command,
            timelines: BTreeMap::new(),
            screen: Drawn::default(),
            pending: BTreeMap::new(),
            put_off: Vec::new(),
            interrupted: None,
            polled: BTreeMap::new(),
            again: BTreeSet::new(),
            numbers: 0,
        }
    }

    /// What to do before the first event.
    pub fn begin(&mut self) -> Vec<Effect> {
        for notice in std::mem::take(&mut self.boot.notices) {
            self.toast(Tone::Warn, notice);
        }
        if let Some(file) = self.boot.replay.clone() {
            let name = file.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            self.pane = Pane::Sessions;
            return self.play_file(&file, name, None);
        }
        match (self.boot.demo, &self.gate) {
            (true, _) => vec![Effect::OpenArena],
            (false, Some(_)) => Vec::new(),
            (false, None) => self.load_all(),
        }
    }

    /// Takes an event; says what should happen next.
    pub fn update(&mut self, now: Moment, event: Event) -> Vec<Effect> {
        self.now = now;
        match event {
            Event::Typed(key) => self.typed(key),
            Event::Pasted(text) => {
                self.pasted(&text);
                Vec::new()
            }
            Event::Moused(mouse) => self.moused(mouse),
            Event::PasteTooLong => {
                self.toast(Tone::Warn, "the pasted text is too long; nothing was inserted");
                Vec::new()
            }
            Event::CannotSuspend => {
                self.toast(Tone::Warn, "not suspended: there is no shell here that could come back");
                Vec::new()
            }
            Event::TerminalLost | Event::Nothing => Vec::new(),
            Event::Client(event) => self.heard(event),
            Event::Refused(request) => self.refused(&request),
            Event::Policy(event) => self.policy_did(event),
            Event::ArenaStarted(result) => self.arena_started(result),
            Event::KeyTaken(result) => self.key_taken(result),
            Event::RenderersRead(troubles) => {
                for trouble in troubles.into_iter().take(3) {
                    self.toast(Tone::Bad, trouble);
                }
                Vec::new()
            }
            Event::Woke => self.woke(),
            Event::Drawing => self.before_drawing(),
        }
    }

    /// Takes what drawing learned about the screen: what lies where and how much fits. True if the frame that was
    /// just drawn was laid out on other assumptions and should be drawn again.
    pub fn learn(&mut self, drawn: Drawn) -> bool {
        let stale = drawn.list_rows != self.screen.list_rows || drawn.wall != self.screen.wall;
        self.screen = drawn;
        stale
    }

    /// Scrolls the list on screen so that its selection is in sight.
    fn keep_selection_in_view(&mut self) {
        let rows = self.screen.list_rows;
        match self.pane {
            Pane::Games => self.games.list.keep_in_view(rows),
            Pane::Sessions => self.sessions.shown_list().keep_in_view(rows),
            Pane::Play => {
                if let Some(seat) = self.play.seat_mut() {
                    seat.list.keep_in_view(rows);
                }
            }
            Pane::Credits => {}
        }
    }

    /// What drawing learned last.
    pub fn screen(&self) -> &Drawn {
        &self.screen
    }

    /// The contexts in which a key is looked up, the most special first.
    pub fn contexts(&self) -> Vec<Context> {
        let mut contexts = match self.pane {
            Pane::Games => vec![Context::Games, Context::List],
            Pane::Sessions if self.sessions.watching.is_some() => vec![Context::Timeline, Context::Watching],
            Pane::Sessions if self.sessions.wall.is_some() => vec![Context::Wall],
            Pane::Sessions => vec![Context::Sessions, Context::List],
            Pane::Play => match self.play.seat() {
                // In the past the arrows go through time; at the live head they choose an action.
                Some(_) if self.looks_back() => vec![Context::Timeline, Context::Playing],
                Some(seat) if seat.live.is_live() => {
                    vec![Context::Playing, Context::List, Context::Timeline]
                }
                Some(_) => vec![Context::Ended, Context::List, Context::Timeline],
                None => vec![],
            },
            Pane::Credits => vec![Context::Credits, Context::List],
        };
        if self.in_charts() {
            contexts.insert(0, Context::Charts);
        } else if self.in_tree() {
            contexts.insert(0, Context::Tree);
        }
        contexts.push(Context::Global);
        contexts
    }

    /// How long the oldest unanswered question has been waiting.
    pub fn waiting_for(&self) -> Option<Duration> {
        self.remote_pending().map(|pending| self.now.since_start.saturating_sub(pending.since)).max()
    }

    fn remote_pending(&self) -> impl Iterator<Item = &Pending> {
        self.pending.values().filter(|pending| !pending.question.is_local())
    }

    /// When [`Event::Woke`] is wanted next, since the start; never while nothing moves.
    pub fn next_wake(&self) -> Option<Duration> {
        let now = self.now.since_start;
        let next_second = Duration::from_secs(now.as_secs() + 1);
        let second_if = |moves: bool| moves.then_some(next_second);
        let live = self.visible_live();
        let counts_down = live.is_some_and(|live| live.view.deadline.is_some_and(|at| at > now));
        // The age of what is shown is always in sight.
        let wall = self.wall_shown().into_iter().flat_map(|wall| wall.tiles.iter().map(|tile| &tile.live));
        let ages = live.into_iter().chain(wall).filter_map(|live| next_age(live, now)).min();
        let retries = live.is_some_and(|live| matches!(live.link, Link::Lost { .. }));
        let thinks = self.play.seats.iter().any(|seat| {
            let waits =
                |policy: &panes::play::PolicySeat| policy.pending.is_some() || policy.restart_at.is_some();
            seat.policy.as_ref().is_some_and(waits)
                || seat.provider.as_ref().is_some_and(|provider| provider.pending.is_some())
        });
        let down = self.gate.is_none() && matches!(self.health, Health::Down { .. });
        [
            self.toasts.iter().map(|toast| toast.until).min(),
            self.polls_sessions().then(|| self.due("sessions", SESSIONS_EVERY)),
            self.polls_balance().then(|| self.due("balance", BALANCE_EVERY)),
            second_if(self.remote_pending().next().is_some() || !self.put_off.is_empty()),
            second_if(counts_down || retries || down),
            second_if(thinks && self.pane == Pane::Play),
            self.next_restart(),
            self.next_provider_due(),
            ages,
            self.next_moment(),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    fn wall_shown(&self) -> Option<&wall::Wall> {
        self.sessions.wall.as_ref().filter(|wall| self.pane == Pane::Sessions && !wall.zoomed)
    }

    /// When a recording that plays on screen goes on.
    fn next_moment(&self) -> Option<Duration> {
        let due = self.timeline(self.visible_live()?.feed)?.next_wake()?;
        Some(due.max(self.now.since_start + Duration::from_millis(1)))
    }

    /// The session on screen, if one is.
    fn visible_live(&self) -> Option<&live::Live> {
        match self.pane {
            Pane::Sessions => self.sessions.watching.as_ref().map(|watching| &watching.live),
            Pane::Play => self.play.seat().map(|seat| &seat.live),
            _ => None,
        }
    }

    fn polls_sessions(&self) -> bool {
        self.gate.is_none()
            && self.pane == Pane::Sessions
            && self.sessions.watching.is_none()
            && self.sessions.facet != panes::sessions::Facet::Recorded
            && (self.sessions.live_count() > 0 || self.sessions.wall.is_some())
            && !self.sessions.sessions.is_loading()
    }

    fn polls_balance(&self) -> bool {
        self.gate.is_none() && self.play.live().next().is_some() && !self.credits.balance.is_loading()
    }

    fn due(&self, what: &str, every: Duration) -> Duration {
        self.polled.get(what).copied().unwrap_or_default() + every
    }

    fn woke(&mut self) -> Vec<Effect> {
        let now = self.now.since_start;
        self.toasts.retain(|toast| toast.until > now);
        let mut effects: Vec<Effect> = self.put_off.drain(..).map(Effect::Send).collect();
        effects.extend(self.restart_policies());
        self.give_up_providers();
        effects.extend(self.woke_timeline());
        if self.polls_sessions() && self.due("sessions", SESSIONS_EVERY) <= now {
            effects.extend(self.load_sessions());
        }
        if self.polls_balance() && self.due("balance", BALANCE_EVERY) <= now {
            effects.extend(self.load_balance());
        }
        if let Health::Down { retry_at, .. } = self.health
            && retry_at <= now
            && self.gate.is_none()
            && self.remote_pending().next().is_none()
        {
            effects.extend(self.load_all());
        }
        effects
    }

    fn before_drawing(&mut self) -> Vec<Effect> {
        match self.pane {
            Pane::Sessions => {
                if let Some(watching) = &mut self.sessions.watching {
                    watching.live.view.settle();
                } else if let Some(wall) = &mut self.sessions.wall {
                    // Tiles that are not on screen cost no parsing.
                    let page = self.screen.wall.page(wall.at, wall.tiles.len());
                    wall.tiles[page].iter_mut().for_each(|tile| tile.live.view.settle());
                }
            }
            Pane::Play => {
                if let Some(seat) = self.play.seat_mut() {
                    seat.settle();
                }
            }
            Pane::Games | Pane::Credits => {}
        }
        self.keep_selection_in_view();
        self.load_detail().into_iter().chain(self.keep_views()).collect()
    }

    fn toast(&mut self, tone: Tone, text: impl Into<String>) {
        const MOST: usize = 4;
        let text = crate::text::clean(&text.into()).into_owned();
        self.toasts.retain(|toast| toast.text != text);
        if self.toasts.len() == MOST {
            self.toasts.pop_front();
        }
        let stays = if tone == Tone::Bad { TOAST * 2 } else { TOAST };
        self.toasts.push_back(Toast { text, tone, until: self.now.since_start + stays });
    }

    fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    fn new_feed(&mut self) -> FeedId {
        FeedId(self.number())
    }

    fn new_run(&mut self) -> Run {
        Run(self.number())
    }

    fn ask(&mut self, question: Question) -> (Ticket, Effect) {
        let ticket = Ticket(self.number());
        self.pending.insert(ticket, Pending { question: question.clone(), since: self.now.since_start });
        (ticket, Effect::Send(Request::Ask(ticket, question)))
    }

    fn load_all(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        if !self.games.games.is_loading() {
            let (ticket, effect) = self.ask(Question::Games);
            self.games.games.ask(ticket);
            effects.push(effect);
        }
        if !self.games.tags.is_loading() {
            let (ticket, effect) = self.ask(Question::Tags);
            self.games.tags.ask(ticket);
            effects.push(effect);
        }
        effects.extend(self.load_sessions());
        effects.extend(self.load_balance());
        effects.extend(self.load_usage());
        effects
    }

    /// Asks for what a session's beginning changes.
    fn load_after_start(&mut self) -> Vec<Effect> {
        self.again.extend(self.sessions.sessions.is_loading().then_some("sessions"));
        self.again.extend(self.credits.balance.is_loading().then_some("balance"));
        self.load_sessions().into_iter().chain(self.load_balance()).collect()
    }

    /// Asks for what a session's end changes.
    fn load_after_end(&mut self) -> Vec<Effect> {
        self.again.extend(self.credits.usage.is_loading().then_some("usage"));
        self.load_after_start().into_iter().chain(self.load_usage()).collect()
    }

    fn load_sessions(&mut self) -> Option<Effect> {
        if self.sessions.sessions.is_loading() {
            return None;
        }
        self.polled.insert("sessions", self.now.since_start);
        let (ticket, effect) = self.ask(Question::Sessions);
        self.sessions.sessions.ask(ticket);
        Some(effect)
    }

    fn load_balance(&mut self) -> Option<Effect> {
        if self.credits.balance.is_loading() {
            return None;
        }
        self.polled.insert("balance", self.now.since_start);
        let (ticket, effect) = self.ask(Question::Balance);
        self.credits.balance.ask(ticket);
        Some(effect)
    }

    fn load_usage(&mut self) -> Option<Effect> {
        if self.credits.usage.is_loading() {
            return None;
        }
        let (ticket, effect) = self.ask(Question::Usage);
        self.credits.usage.ask(ticket);
        Some(effect)
    }

    /// Asks for the rules of the game on screen, unless they are here or some are already on their way.
    fn load_detail(&mut self) -> Vec<Effect> {
        let slug = match (self.pane, self.visible_live()) {
            (Pane::Games, _) => self.games.selected().map(|game| game.slug.clone()),
            (_, Some(live)) => live.view.game.as_deref().map(Into::into),
            _ => None,
        };
        let Some(slug) = slug.filter(|_| self.gate.is_none() && self.health == Health::Up) else {
            return Vec::new();
        };
        if self.games.details.contains_key(&slug)
            || self.games.details.values().any(remote::Remote::is_loading)
        {
            return Vec::new();
        }
        let (ticket, effect) = self.ask(Question::Game(slug.clone()));
        self.games.details.entry(slug).or_default().ask(ticket);
        vec![effect]
    }
}

/// A path as one word of a command line.
fn quoted(path: &str) -> String {
    if path.contains(|c: char| c.is_whitespace() || "'\"\\".contains(c)) {
        format!("'{}'", path.replace('\'', r"'\''"))
    } else {
        path.to_owned()
    }
}

/// When the age of what a session said last reads differently: each second of the first minute, then each minute.
fn next_age(live: &live::Live, now: Duration) -> Option<Duration> {
    let heard = live.view.heard.filter(|_| live.is_live())?;
    let silent = now.saturating_sub(heard).as_secs();
    let next = if silent < 60 { silent + 1 } else { (silent / 60 + 1) * 60 };
    Some(heard + Duration::from_secs(next))
}
