//! What the terminal says, in the dashboard's words.

use crossterm::event::{self as terminal, KeyModifiers, MouseButton, MouseEventKind};

use crate::app::event::{Event, Mouse, MouseWhat};
use crate::app::key::{Key, KeyCode};

use super::input::Input;

/// Translates; what means nothing to the dashboard becomes [`Event::Nothing`].
pub(super) fn from_input(input: Input) -> Event {
    match input {
        Input::Key(key) => key_of(key).map_or(Event::Nothing, Event::Typed),
        Input::Paste(text) => Event::Pasted(text),
        Input::PasteTooLong => Event::PasteTooLong,
        Input::Mouse(mouse) => mouse_of(mouse).map_or(Event::Nothing, Event::Moused),
        Input::FocusGained | Input::FocusLost => Event::Nothing,
        Input::Lost => Event::TerminalLost,
    }
}

fn key_of(key: terminal::KeyEvent) -> Option<Key> {
    use terminal::KeyCode as From;
    let code = match key.code {
        From::Char(c) => KeyCode::Char(c),
        From::Enter => KeyCode::Enter,
        From::Esc => KeyCode::Esc,
        From::Tab if key.modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
        From::Tab => KeyCode::Tab,
        From::BackTab => KeyCode::BackTab,
        From::Backspace => KeyCode::Backspace,
        From::Delete => KeyCode::Delete,
        From::Insert => KeyCode::Insert,
        From::Up => KeyCode::Up,
        From::Down => KeyCode::Down,
        From::Left if key.modifiers.contains(KeyModifiers::SHIFT) => KeyCode::ShiftLeft,
        From::Right if key.modifiers.contains(KeyModifiers::SHIFT) => KeyCode::ShiftRight,
        From::Left => KeyCode::Left,
        From::Right => KeyCode::Right,
        From::Home => KeyCode::Home,
        From::End => KeyCode::End,
        From::PageUp => KeyCode::PageUp,
        From::PageDown => KeyCode::PageDown,
        From::F(n) => KeyCode::F(n),
        _ => return None,
    };
    let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    // With control the case of a letter means nothing; terminals differ in which they send.
    let code = match code {
        KeyCode::Char(c) if ctrl => KeyCode::Char(c.to_ascii_lowercase()),
        code => code,
    };
    Some(Key { code, ctrl, alt: key.modifiers.contains(KeyModifiers::ALT) })
}

fn mouse_of(mouse: terminal::MouseEvent) -> Option<Mouse> {
    let what = match mouse.kind {
        MouseEventKind::Down(MouseButton::Left) => MouseWhat::Click,
        MouseEventKind::ScrollUp => MouseWhat::WheelUp,
        MouseEventKind::ScrollDown => MouseWhat::WheelDown,
        _ => return None,
    };
    Some(Mouse { column: mouse.column, row: mouse.row, what })
}
