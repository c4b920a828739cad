//! The event loop: terminal, inbox, effects. The only place that wires things.
//!
//! ```text
//!   keyboard thread ─┐                            ┌─► client task ──┐
//!   client events ───┼─► App::update ─► effects ──┼─► policies ─────┼─► back as events
//!   policy events ───┘        │                   └─► terminal      │
//!                        draw, if anything changed ◄────────────────┘
//! ```
//!
//! Everything that is ready is taken before one frame is drawn; with nothing to do the loop sleeps. Start reading at
//! [`run`].

mod events;
pub mod exit;
mod fault;
pub mod input;
mod runner;
pub mod signals;
pub mod terminal;

use std::time::Duration;

use ratatui::backend::Backend;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::app::effect::Effect;
use crate::app::event::{Boot, Event, Moment};
use crate::ui;
use crate::ui::theme::Theme;

use self::exit::{exit_at_latest, install_panic_hook, panicked};
use self::fault::Fault;
use self::input::{Input, Keyboard};
pub use self::runner::{ArenaSource, KeySource, OpenedArena, TakenKey};
use self::runner::{Runner, Wish};
use self::signals::{DEADLINE, LOST, Signal, Signals, Stops};
use self::terminal::{Screen, ScreenOptions, TerminalError};

/// The least time between two frames that only the platform or a policy asked for: about 30 a second.
const FRAME: Duration = Duration::from_millis(33);
/// The least time between two frames that the user asked for.
const QUICK_FRAME: Duration = Duration::from_millis(8);
/// Events taken at a time.
const BATCH: usize = 256;
/// A turn of the loop that takes longer is worth a line in the log.
const SLOW: Duration = Duration::from_millis(50);
/// How long ending politely may take.
const FAREWELL: Duration = Duration::from_secs(2);

/// What the dashboard is started with.
pub struct Options {
    /// What the state is started with.
    pub boot: Boot,
    /// The platform, if there is a key.
    pub api: Option<crate::api::Client>,
    /// How to get from a typed key to the platform.
    pub with_key: KeySource,
    /// Where recordings are kept, if they can be.
    pub recordings: Option<crate::tape::Keep>,
    /// How to open an arena in this process.
    pub arena: ArenaSource,
    /// Colours and glyphs.
    pub theme: Theme,
    /// Whether the mouse is on at the start.
    pub mouse: bool,
}

/// Runs the dashboard until the user or a signal ends it; returns the exit status.
///
/// # Errors
/// When the terminal is no terminal or cannot be used.
pub async fn run(options: Options) -> Result<i32, TerminalError> {
    let stop = CancellationToken::new();
    let screen = Screen::enter(ScreenOptions { mouse: options.mouse })?;
    install_panic_hook(stop.clone());
    let (keys, inbox) = mpsc::channel::<Event>(input::CAPACITY);
    let _keyboard = Keyboard::read(keys).map_err(TerminalError::Setup)?;
    let stops = Stops::listen(&stop).map_err(TerminalError::Setup)?;
    let signals = Signals::listen().map_err(TerminalError::Setup)?;
    let code = Loop::new(options, screen, signals, inbox, stop).run().await;
    Ok(match (panicked(), stops.exit_code()) {
        (true, _) => exit::PANICKED,
        (false, Some(signal)) => signal,
        (false, None) => code,
    })
}

/// Everything the loop works with.
struct Loop<B: Backend> {
    app: App,
    theme: Theme,
    screen: Screen<B>,
    signals: Signals,
    inbox: mpsc::Receiver<Event>,
    stop: CancellationToken,
    runner: Runner,
    fault: Option<Fault>,
    started: Instant,
    drawn: Instant,
    /// When the next frame is due, if anything changed.
    due: Option<Instant>,
    code: i32,
    over: bool,
}

/// What ended a wait.
enum Wake {
    Stop,
    Draw,
    Signal(Signal),
    Typed,
    Came,
    Timer,
    Closed,
}

impl<B: Backend> Loop<B> {
    fn new(
        options: Options,
        screen: Screen<B>,
        signals: Signals,
        inbox: mpsc::Receiver<Event>,
        stop: CancellationToken,
    ) -> Self {
        let started = Instant::now();
        let mut app =
            App::new(Moment { since_start: Duration::ZERO, wall: jiff::Timestamp::now() }, options.boot);
        app.mouse = options.mouse;
        Self {
            app,
            theme: options.theme,
            screen,
            signals,
            inbox,
            stop,
            runner: Runner::new(options.api, options.recordings, options.with_key, options.arena),
            fault: Fault::asked_for(),
            started,
            drawn: started,
            due: Some(started),
            code: 0,
            over: false,
        }
    }

    async fn run(mut self) -> i32 {
        let first = self.app.begin();
        // The first frame comes before any connection is made.
        self.draw();
        self.carry_out(first);
        let mut typed = Vec::new();
        let mut came = Vec::new();
        while !self.over {
            let wake = self.wait(&mut typed, &mut came).await;
            let turn = Instant::now();
            match wake {
                Wake::Stop | Wake::Closed => break,
                Wake::Draw => self.draw(),
                Wake::Signal(signal) => self.signalled(signal),
                Wake::Typed => {
                    self.take(typed.drain(..));
                    self.ask_for_frame(QUICK_FRAME);
                }
                Wake::Came => {
                    self.take(came.drain(..));
                    self.ask_for_frame(FRAME);
                }
                Wake::Timer => {
                    self.take(std::iter::once(Event::Woke));
                    self.ask_for_frame(FRAME);
                }
            }
            let spent = turn.elapsed();
            if spent > SLOW {
                tracing::warn!(ms = spent.as_millis(), "a turn of the loop was slow");
            }
        }
        self.screen.restore();
        if tokio::time::timeout(FAREWELL, self.runner.shutdown()).await.is_err() {
            tracing::warn!("something did not end in time");
        }
        self.code
    }

    /// Waits for what comes first. Drawing is asked before the inboxes, so that a steady feed cannot starve it.
    async fn wait(&mut self, typed: &mut Vec<Event>, came: &mut Vec<Event>) -> Wake {
        let due = self.due;
        let timer = self.app.next_wake().map(|at| self.started + at);
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Wake::Stop,
            () = until(due) => Wake::Draw,
            signal = self.signals.next() => Wake::Signal(signal),
            n = self.inbox.recv_many(typed, BATCH) => if n == 0 { Wake::Closed } else { Wake::Typed },
            () = self.runner.recv_many(came, BATCH) => Wake::Came,
            () = until(timer) => Wake::Timer,
        }
    }

    fn now(&self) -> Moment {
        Moment { since_start: self.started.elapsed(), wall: jiff::Timestamp::now() }
    }

    fn take(&mut self, events: impl Iterator<Item = Event>) {
        for event in events {
            if let Event::TerminalLost = event {
                exit_at_latest(DEADLINE, LOST);
                (self.code, self.over) = (LOST, true);
                return;
            }
            if let Some(fault) = self.fault {
                fault.strike(&event);
            }
            let effects = self.app.update(self.now(), event);
            self.carry_out(effects);
        }
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match self.runner.start(effect) {
                Wish::Nothing => {}
                Wish::Again(event) => self.take(std::iter::once(event)),
                Wish::Exit => self.over = true,
                Wish::Suspend => {
                    if !self.screen.suspend().unwrap_or(false) {
                        self.take(std::iter::once(Event::CannotSuspend));
                    }
                }
                Wish::Redraw => self.redraw(),
                Wish::Copy(text) => {
                    if let Err(error) = self.screen.copy(&text) {
                        tracing::warn!(%error, "the clipboard cannot be written");
                    }
                }
                Wish::Mouse(on) => {
                    if let Err(error) = self.screen.set_mouse(on) {
                        tracing::warn!(%error, "the mouse cannot be switched");
                    }
                }
            }
        }
    }

    fn signalled(&mut self, signal: Signal) {
        match signal {
            Signal::Suspend => {
                let stopped = self.screen.suspend();
                tracing::debug!(?stopped, "suspended by a signal");
            }
            Signal::Resume => {
                if self.screen.resume().is_err() {
                    tracing::warn!("the terminal cannot be taken back");
                }
                self.due = Some(Instant::now());
            }
            Signal::Resize => self.due = Some(Instant::now()),
        }
    }

    fn redraw(&mut self) {
        if self.screen.redraw_all().is_err() {
            tracing::warn!("the screen cannot be drawn again");
        }
        self.due = Some(Instant::now());
    }

    fn ask_for_frame(&mut self, spacing: Duration) {
        let at = self.drawn + spacing;
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    fn draw(&mut self) {
        self.due = None;
        let effects = self.app.update(self.now(), Event::Drawing);
        self.carry_out(effects);
        let mut learned = None;
        let (app, theme) = (&self.app, &self.theme);
        let result = self.screen.draw(|frame| learned = Some(ui::screen::draw(app, theme, frame)));
        if result.is_err() {
            // A terminal that takes nothing is gone; the keyboard notices that too and ends the loop.
            tracing::warn!("a frame could not be drawn");
        }
        self.drawn = Instant::now();
        if let Some(drawn) = learned
            && self.app.learn(drawn)
        {
            self.due = Some(self.drawn);
        }
    }
}

/// Sleeps until then; for ever without a time.
async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

impl From<Input> for Event {
    fn from(input: Input) -> Self {
        events::from_input(input)
    }
}
