//! The ratatui backend: crossterm's bytes, collected and sent as one write a frame.
//!
//! It differs from ratatui's own in three ways: a frame that changes nothing sends nothing, a size of zero means
//! unknown, and the terminal is never asked for its cursor (the answer would arrive among the keys).

use super::modes;
use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};
use std::io;

/// Starts and ends a synchronised update (DEC mode 2026), so that no terminal shows half a frame. Terminals that
/// do not know it ignore it.
const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";

/// The most cells that are drawn. More than a 4K screen holds in its smallest font; a pty that claims 65535×65535
/// must not cost gigabytes.
const MAX: Size = Size::new(1024, 512);

/// Draws on the process's terminal. Made by [`Screen::enter`](super::Screen::enter).
#[derive(Debug)]
pub struct Tty {
    /// The frame's bytes so far, behind [`BEGIN`].
    frame: Vec<u8>,
    cursor: Cursor,
}

/// What the terminal's cursor is known to be.
#[derive(Debug, Default)]
struct Cursor {
    shown: Option<bool>,
    at: Option<Position>,
}

impl Tty {
    pub(super) fn new() -> Self {
        Self { frame: BEGIN.to_vec(), cursor: Cursor::default() }
    }

    /// crossterm's own backend has no state but its writer, so one can be made for each call.
    fn crossterm(&mut self) -> CrosstermBackend<&mut Vec<u8>> {
        CrosstermBackend::new(&mut self.frame)
    }
}

impl Backend for Tty {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut content = content.peekable();
        if content.peek().is_none() {
            return Ok(());
        }
        self.cursor.at = None;
        self.crossterm().draw(content)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        if self.cursor.shown.replace(false) == Some(false) {
            return Ok(());
        }
        self.crossterm().hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        if self.cursor.shown.replace(true) == Some(true) {
            return Ok(());
        }
        self.crossterm().show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(self.cursor.at.unwrap_or_default())
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        let position = position.into();
        if self.cursor.at.replace(position) == Some(position) {
            return Ok(());
        }
        self.crossterm().set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.clear_region(ClearType::All)
    }

    fn clear_region(&mut self, clear_type: ClearType) -> io::Result<()> {
        // A frame from nothing follows, perhaps after others had the terminal.
        self.cursor = Cursor::default();
        self.crossterm().clear_region(clear_type)
    }

    fn size(&self) -> io::Result<Size> {
        Ok(size())
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize { columns_rows: size(), pixels: Size::default() })
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.frame.len() == BEGIN.len() {
            return Ok(());
        }
        self.frame.extend_from_slice(END);
        let sent = modes::write_ours(&self.frame);
        self.frame.truncate(BEGIN.len());
        sent
    }
}

/// The terminal's size in cells. Zero means unknown: then what `COLUMNS` and `LINES` say, or else 80×24.
pub fn size() -> Size {
    let told = rustix::termios::tcgetwinsize(rustix::stdio::stdout());
    let told = told.map_or(Size::default(), |size| Size::new(size.ws_col, size.ws_row));
    let variable = |name| std::env::var(name).ok()?.parse().ok();
    settle(told, variable("COLUMNS"), variable("LINES"))
}

fn settle(told: Size, columns: Option<u16>, lines: Option<u16>) -> Size {
    let first = |told: u16, variable: Option<u16>, default| {
        [Some(told), variable].into_iter().flatten().find(|&n| n > 0).unwrap_or(default)
    };
    Size::new(first(told.width, columns, 80).min(MAX.width), first(told.height, lines, 24).min(MAX.height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_of_zero_means_unknown() {
        for (told, columns, lines, expected) in [
            ((0, 0), None, None, (80, 24)),
            ((0, 0), Some(100), Some(30), (100, 30)),
            ((0, 0), Some(0), Some(0), (80, 24)),
            ((120, 0), Some(100), Some(30), (120, 30)),
            ((0, 40), None, Some(30), (80, 40)),
            ((1, 1), Some(100), Some(30), (1, 1)),
            ((65535, 65535), None, None, (1024, 512)),
        ] {
            assert_eq!(settle(told.into(), columns, lines), expected.into(), "told {told:?}");
        }
    }

    #[test]
    fn a_frame_without_changes_sends_nothing() {
        let mut tty = Tty::new();
        tty.hide_cursor().unwrap();
        tty.flush().unwrap();
        tty.draw(std::iter::empty()).unwrap();
        tty.hide_cursor().unwrap();
        assert_eq!(tty.frame, BEGIN);
        tty.draw([(0, 0, &Cell::new("x"))].into_iter()).unwrap();
        assert!(tty.frame.len() > BEGIN.len());
        tty.flush().unwrap();
        assert_eq!(tty.frame, BEGIN);
    }

    #[test]
    fn after_a_clear_the_cursor_is_shown_and_hidden_anew() {
        let mut tty = Tty::new();
        tty.show_cursor().unwrap();
        tty.clear_region(ClearType::All).unwrap();
        tty.flush().unwrap();
        tty.show_cursor().unwrap();
        assert!(tty.frame.ends_with(b"\x1b[?25h"));
    }

    #[test]
    fn a_cursor_is_placed_again_only_after_something_was_drawn() {
        let mut tty = Tty::new();
        let place = |tty: &mut Tty| {
            tty.flush().unwrap();
            tty.show_cursor().unwrap();
            tty.set_cursor_position((3, 4)).unwrap();
            tty.frame.len() > BEGIN.len()
        };
        assert!(place(&mut tty));
        assert!(!place(&mut tty));
        tty.draw([(0, 0, &Cell::new("x"))].into_iter()).unwrap();
        assert!(place(&mut tty));
    }
}
