//! A list on the terminal layer alone, for the tests in `tests/it/pty.rs`.
//!
//! j, k, arrows, g, G move; q quits; Ctrl-Z stops; m switches the mouse; P panics here, T in a task; B blocks the
//! loop for ever. `--no-signals` leaves signals at their defaults.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use gert::runtime::exit::{self, exit_at_latest, install_panic_hook, panicked};
use gert::runtime::input::{CAPACITY, Input, Keyboard};
use gert::runtime::signals::{DEADLINE, LOST, Signal, Signals, Stops};
use gert::runtime::terminal::{Screen, ScreenOptions};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Style, Stylize};
use ratatui::text::Line;
use ratatui::widgets::{Block, List, ListState};
use std::error::Error;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

const ROWS: usize = 1_000_000;

fn main() -> ExitCode {
    let runtime = tokio::runtime::Runtime::new().expect("the system gives us threads");
    let code = runtime.block_on(run()).unwrap_or_else(|error| {
        eprintln!("terminal_probe: {error}");
        1
    });
    runtime.shutdown_background();
    ExitCode::from(u8::try_from(if panicked() { exit::PANICKED } else { code }).unwrap_or(1))
}

#[derive(Default)]
struct State {
    at: usize,
    top: usize,
    keys: usize,
    note: String,
    ended: bool,
    suspend: bool,
    mouse: bool,
    code: i32,
}

async fn run() -> Result<i32, Box<dyn Error>> {
    let stop = CancellationToken::new();
    let mut screen = Screen::enter(ScreenOptions::default())?;
    install_panic_hook(stop.clone());
    let (tx, mut rx) = mpsc::channel::<Input>(CAPACITY);
    let _keyboard = Keyboard::read(tx)?;
    let handle_signals = !std::env::args().any(|arg| arg == "--no-signals");
    let stops = if handle_signals { Some(Stops::listen(&stop)?) } else { None };
    let mut signals = Signals::listen()?;
    let mut state = State::default();
    let mut batch = Vec::new();
    let mut dirty = true;
    let mut frames = interval(Duration::from_millis(16));
    frames.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while !state.ended {
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            _ = frames.tick(), if dirty => {
                screen.draw(|frame| draw(&mut state, frame))?;
                dirty = false;
            }
            signal = signals.next() => {
                match signal {
                    Signal::Suspend => { screen.suspend()?; }
                    Signal::Resume => screen.resume()?,
                    Signal::Resize => {}
                }
                dirty = true;
            }
            n = rx.recv_many(&mut batch, 256) => {
                if n == 0 { break; }
                for input in batch.drain(..) { update(&mut state, input); }
                if std::mem::take(&mut state.suspend) && !screen.suspend()? {
                    "cannot stop here".clone_into(&mut state.note);
                }
                if state.mouse != screen.mouse() { screen.set_mouse(state.mouse)?; }
                dirty = true;
            }
        }
    }
    screen.restore();
    // The terminal may be gone.
    let _ = writeln!(std::io::stdout(), "read {} keys", state.keys);
    Ok(stops.and_then(|stops| stops.exit_code()).unwrap_or(state.code))
}

fn update(state: &mut State, input: Input) {
    match input {
        Input::Key(KeyEvent { code, modifiers, .. }) => {
            state.keys += 1;
            match code {
                KeyCode::Char('z') if modifiers == KeyModifiers::CONTROL => state.suspend = true,
                KeyCode::Char('j') | KeyCode::Down => state.at = (state.at + 1).min(ROWS - 1),
                KeyCode::Char('k') | KeyCode::Up => state.at = state.at.saturating_sub(1),
                KeyCode::Char('G') => state.at = ROWS - 1,
                KeyCode::Char('g') => state.at = 0,
                KeyCode::Char('m') => state.mouse = !state.mouse,
                KeyCode::Char('P') => panic!("asked to"),
                KeyCode::Char('T') => drop(tokio::spawn(async { panic!("asked a task to") })),
                KeyCode::Char('B') => std::thread::park(),
                KeyCode::Char('q') => state.ended = true,
                _ => state.note = format!("{code:?}"),
            }
        }
        Input::Paste(text) => state.note = format!("pasted {text:?}"),
        Input::Lost => {
            exit_at_latest(DEADLINE, LOST);
            state.code = LOST;
            state.ended = true;
        }
        Input::Mouse(mouse) => state.note = format!("{:?} at {},{}", mouse.kind, mouse.column, mouse.row),
        other => state.note = format!("{other:?}"),
    }
}

fn draw(state: &mut State, frame: &mut Frame) {
    if frame.area().width < 20 || frame.area().height < 4 {
        frame.render_widget("small", frame.area());
        return;
    }
    let [body, foot] = Layout::vertical([Constraint::Min(1), Constraint::Length(1)]).areas(frame.area());
    let height = usize::from(body.height.saturating_sub(2));
    state.top = state.top.clamp((state.at + 1).saturating_sub(height), state.at);
    let rows = (state.top..(state.top + height).min(ROWS)).map(|row| {
        let (player, score, game) = (row % 5000, (row % 977) as f64 / 9.77, row % 7);
        let row = row + 1;
        format!("{row:>8}  player_{player:<5} {score:>8.3}  game {game}  row_{row}")
    });
    let list =
        List::new(rows).block(Block::bordered().title("probe")).highlight_style(Style::new().reversed());
    frame.render_stateful_widget(
        list,
        body,
        &mut ListState::default().with_selected(Some(state.at - state.top)),
    );
    let size = frame.area();
    let foot_line = format!(
        " {} of {ROWS}  {}x{}  {} keys  {}",
        state.at + 1,
        size.width,
        size.height,
        state.keys,
        state.note
    );
    frame.render_widget(Line::from(foot_line).dim(), foot);
}
