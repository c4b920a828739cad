//! What is changed on the terminal, and how any thread puts it back.
//!
//! One process has one terminal, so this is the one place with state of the process: a panic hook or a watchdog
//! must be able to give the terminal back without holding the [`Screen`](super::Screen).

use super::TerminalError;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::process::{Signal, getpgrp, getppid, getsid, kill_current_process_group};
use rustix::termios::{OptionalActions, QueueSelector, Termios, isatty, tcflush, tcgetattr, tcsetattr};
use std::fs::File;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Alternate screen, cleared; cursor hidden; pastes marked.
const ENTER: &str = "\x1b[?1049h\x1b[2J\x1b[?25l\x1b[?2004h";
/// A frame may have been cut short: end its synchronised update and its colours. Then the rest backwards.
const LEAVE: &str = "\x1b[?2026l\x1b[0m\x1b[?2004l\x1b[?1049l\x1b[?25h";
/// Buttons, drags and the wheel, in SGR form. Not 1003: bare movements would wake us for nothing.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1002l\x1b[?1000l";

/// What to undo, while the terminal is ours.
static ENTERED: Mutex<Option<Entered>> = Mutex::new(None);
/// Held while bytes go out, so that nothing lands after the bytes of [`leave`].
static OUTPUT: Mutex<()> = Mutex::new(());

struct Entered {
    before: Termios,
    keyboard: OwnedFd,
    mouse: bool,
}

/// Says whether the screen can be taken over at all, writing nothing.
pub(super) fn check() -> Result<(), TerminalError> {
    if !isatty(rustix::stdio::stdout()) {
        return Err(TerminalError::NotATerminal);
    }
    let term = std::env::var_os("TERM").unwrap_or_default();
    match term.to_string_lossy().as_ref() {
        name @ ("" | "dumb" | "unknown") => Err(TerminalError::CannotDraw(name.to_owned())),
        _ => keyboard().map(|_| ()).map_err(TerminalError::NoKeyboard),
    }
}

/// The terminal that keys come from: standard input, or what controls the process if that is something else.
///
/// macOS cannot `poll` `/dev/tty`, so there a pipe on standard input leaves us without keys.
pub(in crate::runtime) fn keyboard() -> io::Result<OwnedFd> {
    let stdin = rustix::stdio::stdin();
    if isatty(stdin) {
        return stdin.try_clone_to_owned();
    }
    Ok(File::options().read(true).write(true).open("/dev/tty")?.into())
}

/// Takes the terminal over, or sets everything again if it is ours already.
pub(super) fn enter(mouse: bool) -> Result<(), TerminalError> {
    let mut entered = lock(&ENTERED);
    let keyboard = keyboard().map_err(TerminalError::NoKeyboard)?;
    let now = tcgetattr(&keyboard).map_err(setup)?;
    let before = entered.take().map_or_else(|| now.clone(), |entered| entered.before);
    let mut raw = now;
    raw.make_raw();
    // From the background this stops us until the shell puts us in front, so it comes before any byte.
    tcsetattr(&keyboard, OptionalActions::Now, &raw).map_err(setup)?;
    *entered = Some(Entered { before, keyboard, mouse });
    drop(entered);
    write_ours(if mouse { format!("{ENTER}{MOUSE_ON}") } else { ENTER.to_owned() }.as_bytes())
        .inspect_err(|_| leave())
        .map_err(TerminalError::Setup)
}

fn setup(error: Errno) -> TerminalError {
    TerminalError::Setup(error.into())
}

/// Gives the terminal back as it was found. Right from any thread and any number of times.
pub fn leave() {
    let Some(entered) = lock(&ENTERED).take() else { return };
    if entered.mouse {
        // Reports on their way would be typed into the shell.
        let _ = tcflush(&entered.keyboard, QueueSelector::IFlush);
    }
    // First, since it cannot wait: a terminal that takes no more output is at least cooked again.
    let _ = tcsetattr(&entered.keyboard, OptionalActions::Now, &entered.before);
    let mouse_off = if entered.mouse { MOUSE_OFF } else { "" };
    let _output = lock(&OUTPUT);
    let _ = write_all(format!("{mouse_off}{LEAVE}").as_bytes());
}

/// Switches mouse reports, if the terminal is ours.
pub(super) fn set_mouse(on: bool) -> io::Result<()> {
    if let Some(entered) = lock(&ENTERED).as_mut() {
        entered.mouse = on;
    }
    write_ours(if on { MOUSE_ON } else { MOUSE_OFF }.as_bytes())
}

/// Puts text on the clipboard of the terminal, which works over ssh too (OSC 52).
pub(super) fn copy(text: &str) -> io::Result<()> {
    write_ours(clipboard(text).as_bytes())
}

fn clipboard(text: &str) -> String {
    format!("\x1b]52;c;{}\x07", STANDARD.encode(text))
}

/// Writes all of it, unless the terminal was given back: then it is dropped, for it would land on the shell's screen.
pub(super) fn write_ours(bytes: &[u8]) -> io::Result<()> {
    let _output = lock(&OUTPUT);
    if lock(&ENTERED).is_none() {
        return Ok(());
    }
    write_all(bytes)
}

/// Straight to the descriptor: `Stdout`'s lock may be held by a thread that is stuck.
fn write_all(mut bytes: &[u8]) -> io::Result<()> {
    let stdout = rustix::stdio::stdout();
    while !bytes.is_empty() {
        match rustix::io::write(stdout, bytes) {
            Ok(n) => bytes = &bytes[n..],
            Err(Errno::INTR) => {}
            // Someone who shares the terminal made it non-blocking.
            Err(Errno::AGAIN) => {
                poll(&mut [PollFd::new(&stdout.as_fd(), PollFlags::OUT)], None)?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Whether a shell with job control is there to continue us: our group is not the session's first, and our parent
/// is in the same session. SIGSTOP works on an orphaned group too, and then nothing would ever wake it.
pub(super) fn can_suspend() -> bool {
    let Ok(session) = getsid(None) else { return false };
    getpgrp() != session && getppid().is_some_and(|parent| getsid(Some(parent)) == Ok(session))
}

/// Stops every process of our job. SIGSTOP and not SIGTSTP, since we handle the latter ourselves.
pub(super) fn stop_group() -> io::Result<()> {
    Ok(kill_current_process_group(Signal::STOP)?)
}

/// A poisoned lock is fine here: every holder leaves the value whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_switched_on_is_switched_off() {
        for (on, off) in [(ENTER, LEAVE), (MOUSE_ON, MOUSE_OFF)] {
            for mode in on.split("\x1b[?").filter_map(|part| part.split_once('h')).map(|(mode, _)| mode) {
                assert!(off.contains(&format!("\x1b[?{mode}l")), "?{mode}h is not undone");
            }
        }
        assert!(ENTER.contains("\x1b[?25l") && LEAVE.ends_with("\x1b[?25h"));
    }

    #[test]
    fn what_is_copied_cannot_leave_its_sequence() {
        assert_eq!(clipboard("a\x07\x1b[2J"), "\x1b]52;c;YQcbWzJK\x07");
    }

    #[test]
    fn leaving_a_terminal_that_was_never_entered_does_nothing() {
        leave();
        assert!(write_ours(b"not shown").is_ok());
    }
}
