//! The screen: takes the terminal over, draws on it, gives it back.
//!
//! [`Screen`] is what the loop holds. What is changed on the terminal, and how it is put back from any thread, is
//! in `modes`; how cells become bytes is in `tty`. Keys are not read here, see [`super::input`].
//!
//! ```text
//! enter ──▶ drawing ──suspend──▶ stopped ──resume──▶ drawing ──restore, drop, panic, signal──▶ left
//! ```
//!
//! No keyboard enhancement flags are ever pushed: what they would add (key releases, `Ctrl-I` apart from Tab) is
//! not used, and what was never pushed need not be popped.

mod modes;
mod tty;

pub(super) use modes::keyboard;
pub use modes::leave;
pub use tty::{Tty, size};

use ratatui::Frame;
use ratatui::Terminal;
use ratatui::backend::Backend;
use ratatui::layout::{Rect, Size};
use std::io;

/// How the screen is taken over.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScreenOptions {
    /// Whether clicks and the wheel are reported to us. While they are, text cannot be selected in most terminals
    /// without holding Shift.
    pub mouse: bool,
}

/// Why the screen could not be taken over. Nothing was written to the terminal.
#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    /// Output goes into a file or a pipe.
    #[error("the dashboard needs a terminal, and standard output is not one (for scripts see `gert --help`)")]
    NotATerminal,
    /// `TERM` says that nothing can be drawn.
    #[error("the dashboard cannot draw on a terminal of type `{0}` (`TERM`; for scripts see `gert --help`)")]
    CannotDraw(String),
    /// Standard input is no terminal, and the process has no other one to read keys from.
    #[error("the dashboard needs a keyboard: standard input is not a terminal and `/dev/tty` cannot be read")]
    NoKeyboard(#[source] io::Error),
    /// The terminal refused.
    #[error("the terminal cannot be set up")]
    Setup(#[source] io::Error),
}

/// The terminal while the dashboard is on it. Dropping it gives the terminal back.
///
/// Generic so that tests drive the same loop on a `TestBackend`: see [`Screen::on`].
#[derive(Debug)]
pub struct Screen<B: Backend = Tty> {
    terminal: Terminal<B>,
    /// False in tests: then the process's own terminal is left alone.
    real: bool,
    mouse: bool,
    stopped: bool,
}

impl Screen<Tty> {
    /// Takes over the terminal: raw mode, alternate screen, no cursor, bracketed paste, the mouse if wanted.
    ///
    /// # Errors
    ///
    /// Refuses before the first byte is written where it cannot work.
    pub fn enter(options: ScreenOptions) -> Result<Self, TerminalError> {
        modes::check()?;
        modes::enter(options.mouse)?;
        let terminal = Terminal::new(Tty::new()).map_err(|error| {
            modes::leave();
            TerminalError::Setup(error)
        })?;
        Ok(Self { terminal, real: true, mouse: options.mouse, stopped: false })
    }
}

impl<B: Backend> Screen<B> {
    /// A screen on any backend, for tests. It changes no modes and never stops the process.
    pub fn on(backend: B) -> Result<Self, B::Error> {
        Ok(Self { terminal: Terminal::new(backend)?, real: false, mouse: false, stopped: false })
    }

    /// Draws a frame and sends what changed in one write; nothing if nothing changed, or while stopped.
    pub fn draw(&mut self, render: impl FnOnce(&mut Frame)) -> Result<(), B::Error> {
        if self.stopped {
            return Ok(());
        }
        self.terminal.draw(render).map(|_| ())
    }

    /// The size that the next frame will have.
    pub fn size(&self) -> Result<Size, B::Error> {
        self.terminal.size()
    }

    /// Forgets what the terminal shows, so that the next frame is sent whole.
    pub fn redraw_all(&mut self) -> Result<(), B::Error> {
        // Not `Terminal::clear`: it asks the terminal for its cursor and waits for the answer among the keys.
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::from(size))
    }

    /// Whether the mouse is reported to us.
    pub fn mouse(&self) -> bool {
        self.mouse
    }

    /// Switches the mouse on or off.
    pub fn set_mouse(&mut self, on: bool) -> io::Result<()> {
        self.mouse = on;
        if self.real && !self.stopped { modes::set_mouse(on) } else { Ok(()) }
    }

    /// Asks the terminal to put text on its clipboard. Whether it does, it does not say.
    pub fn copy(&self, text: &str) -> io::Result<()> {
        if self.real && !self.stopped { modes::copy(text) } else { Ok(()) }
    }

    /// Gives the terminal back and stops the process group, as the shell expects of Ctrl-Z. False, and nothing
    /// done, if no shell is there that could continue us.
    ///
    /// The whole group is stopped since a pipeline (`producer | gert`) is one job: the shell takes the terminal
    /// back once every member stands still. Policies run in groups of their own and go on. Nothing is drawn until
    /// [`Screen::resume`], which belongs to SIGCONT: this call itself may return a moment before the stop.
    pub fn suspend(&mut self) -> io::Result<bool> {
        if !self.real || !modes::can_suspend() {
            return Ok(false);
        }
        self.stopped = true;
        modes::leave();
        modes::stop_group()?;
        Ok(true)
    }

    /// Takes the terminal over again and forgets what it showed. Also right after a stop that nobody announced
    /// (SIGSTOP), where the shell may have changed anything.
    pub fn resume(&mut self) -> Result<(), B::Error> {
        if self.real && modes::enter(self.mouse).is_err() {
            // Only a terminal that went away refuses; the reader of keys notices that and ends the loop.
            return Ok(());
        }
        self.stopped = false;
        self.redraw_all()
    }

    /// Gives the terminal back. Nothing is drawn from here on; calling it again does nothing.
    pub fn restore(&mut self) {
        self.stopped = true;
        if self.real {
            modes::leave();
        }
    }

    /// What is drawn on; tests read their `TestBackend` here.
    pub fn backend(&self) -> &B {
        self.terminal.backend()
    }
}

impl<B: Backend> Drop for Screen<B> {
    fn drop(&mut self) {
        self.restore();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::backend::TestBackend;

    #[test]
    fn a_screen_on_a_test_backend_draws_and_leaves_the_process_alone() {
        let mut screen = Screen::on(TestBackend::new(5, 1)).unwrap();
        screen.draw(|frame| frame.render_widget("hello", frame.area())).unwrap();
        screen.backend().assert_buffer_lines(["hello"]);
        assert!(!screen.suspend().unwrap());
        assert_eq!(screen.size().unwrap(), Size::new(5, 1));
    }

    #[test]
    fn nothing_is_drawn_once_the_terminal_is_given_back() {
        let mut screen = Screen::on(TestBackend::new(5, 1)).unwrap();
        screen.restore();
        screen.draw(|frame| frame.render_widget("hello", frame.area())).unwrap();
        screen.backend().assert_buffer_lines(["     "]);
        screen.resume().unwrap();
        screen.draw(|frame| frame.render_widget("hello", frame.area())).unwrap();
        screen.backend().assert_buffer_lines(["hello"]);
    }
}
