//! Cuts the terminal's bytes into keys, mouse reports and pastes. No I/O, no clock.
//!
//! Bytes gather in `pending` until they are one whole thing (see [`shape`]). What cannot be known from the bytes
//! alone is decided by silence: the caller waits for [`Decoder::patience`] and then calls [`Decoder::give_up`].

use super::Input;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::time::Duration;

/// How long a lone ESC byte waits for the rest of a sequence before it is the Esc key.
const ESCAPE_WAIT: Duration = Duration::from_millis(25);
/// How long a sequence that has begun waits for its rest. No key press that means anything is held up by it.
const SEQUENCE_WAIT: Duration = Duration::from_millis(250);
/// How long an open paste may be silent before it counts as over. Shorter would cut pastes in two where the
/// connection stalls, and the second half would act as keys.
const PASTE_WAIT: Duration = Duration::from_secs(1);

/// The longest paste that is handed on.
const MAX_PASTE: usize = 8 << 20;
/// The longest key or mouse report.
const MAX_SEQUENCE: usize = 64;
/// The longest answer to a question that some earlier program asked the terminal.
const MAX_ANSWER: usize = 4096;

const ESC: u8 = 0x1b;
const CTRL_C: u8 = 0x03;
const PASTE_START: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

/// Turns bytes into inputs.
#[derive(Default)]
pub(super) struct Decoder {
    pending: Vec<u8>,
    paste: Option<Paste>,
}

impl Decoder {
    /// Takes what was read at once.
    pub(super) fn feed(&mut self, bytes: &[u8], out: &mut Vec<Input>) {
        // Ctrl-C alone in a read was typed, not pasted. It always leads out.
        if bytes == [CTRL_C] {
            self.end_paste(out);
        }
        for &byte in bytes {
            match &mut self.paste {
                None => self.push(byte, out),
                Some(paste) => {
                    if paste.push(byte) {
                        self.end_paste(out);
                    }
                }
            }
        }
    }

    /// How long to wait for more before giving up; for ever if nothing is pending.
    pub(super) fn patience(&self) -> Option<Duration> {
        if self.paste.is_some() {
            return Some(PASTE_WAIT);
        }
        match self.pending[..] {
            [] => None,
            [ESC] | [ESC, ESC] => Some(ESCAPE_WAIT),
            _ => Some(SEQUENCE_WAIT),
        }
    }

    /// Takes what is pending for what it is, since nothing more came.
    pub(super) fn give_up(&mut self, out: &mut Vec<Input>) {
        self.end_paste(out);
        match self.pending[..] {
            [ESC] => out.push(key(KeyCode::Esc, KeyModifiers::NONE)),
            [ESC, ESC] => out.extend([(); 2].map(|()| key(KeyCode::Esc, KeyModifiers::NONE))),
            [ESC, byte] if byte.is_ascii_graphic() => {
                out.push(key(KeyCode::Char(byte.into()), KeyModifiers::ALT));
            }
            _ => {}
        }
        self.pending.clear();
    }

    fn push(&mut self, byte: u8, out: &mut Vec<Input>) {
        self.pending.push(byte);
        match shape(&self.pending) {
            Shape::Partial => {}
            Shape::Whole if self.pending == PASTE_START => {
                self.pending.clear();
                self.paste = Some(Paste::default());
            }
            Shape::Whole => {
                out.extend(meaning(&self.pending));
                self.pending.clear();
            }
            // The last byte does not continue what was pending, so it begins something of its own.
            Shape::Broken => {
                self.pending.pop();
                let alone = self.pending.is_empty();
                self.give_up(out);
                if !alone {
                    self.push(byte, out);
                }
            }
        }
    }

    fn end_paste(&mut self, out: &mut Vec<Input>) {
        out.extend(self.paste.take().map(Paste::finish));
    }
}

/// A paste that has begun.
#[derive(Default)]
struct Paste {
    text: Vec<u8>,
    too_long: bool,
}

impl Paste {
    /// Takes a byte; true if it was the last.
    fn push(&mut self, byte: u8) -> bool {
        self.text.push(byte);
        if self.text.ends_with(PASTE_END) {
            self.text.truncate(self.text.len() - PASTE_END.len());
            return true;
        }
        if self.text.len() > MAX_PASTE {
            self.too_long = true;
            // What could be the start of the end mark stays.
            self.text.drain(..self.text.len() - PASTE_END.len());
        }
        false
    }

    fn finish(self) -> Input {
        if self.too_long {
            return Input::PasteTooLong;
        }
        Input::Paste(String::from_utf8_lossy(&self.text).replace("\r\n", "\n").replace('\r', "\n"))
    }
}

/// Whether bytes are one whole thing. All but the last of them were `Partial`.
enum Shape {
    Whole,
    Partial,
    Broken,
}

fn shape(bytes: &[u8]) -> Shape {
    match bytes {
        [ESC] | [ESC, ESC] => Shape::Partial,
        // Some terminals send Alt as ESC before the whole sequence.
        [ESC, ESC, rest @ ..] => match rest {
            [b'[', rest @ ..] => csi(rest),
            [b'O'] => Shape::Partial,
            [b'O', _] => Shape::Whole,
            _ => Shape::Broken,
        },
        [ESC, b'[', rest @ ..] => csi(rest),
        [ESC, b'O' | b']' | b'P' | b'_'] => Shape::Partial,
        [ESC, b'O', _] => Shape::Whole,
        [ESC, b']' | b'P' | b'_', rest @ ..] => answer(rest),
        [ESC, rest @ ..] => character(rest),
        _ => character(bytes),
    }
}

/// What follows `ESC [`.
fn csi(rest: &[u8]) -> Shape {
    match rest {
        [] | [b'['] => Shape::Partial,
        // The oldest form of mouse reports: three bytes of any value follow.
        [b'M', report @ ..] if report.len() < 3 => Shape::Partial,
        [b'[', _] | [b'M', ..] | [.., 0x40..=0x7e] => Shape::Whole,
        [.., 0x20..=0x3f] if rest.len() < MAX_SEQUENCE => Shape::Partial,
        _ => Shape::Broken,
    }
}

/// What follows `ESC ]`, `ESC P` or `ESC _`: an answer up to BEL or `ESC \`, unless it was Alt with that key.
fn answer(rest: &[u8]) -> Shape {
    match rest {
        [first, ..] if !first.is_ascii_digit() && !b">!$+G".contains(first) => Shape::Broken,
        [.., 0x07] | [.., ESC, b'\\'] => Shape::Whole,
        [.., ESC, _] => Shape::Broken,
        _ if rest.len() < MAX_ANSWER => Shape::Partial,
        _ => Shape::Broken,
    }
}

/// A character in UTF-8.
fn character(bytes: &[u8]) -> Shape {
    match std::str::from_utf8(bytes) {
        Ok(_) => Shape::Whole,
        Err(error) if error.error_len().is_none() => Shape::Partial,
        Err(_) => Shape::Broken,
    }
}

/// What one whole sequence means, if it means anything to us.
fn meaning(bytes: &[u8]) -> Option<Input> {
    let (bytes, alt) = match bytes {
        // An answer. Alt with that key alone never gets here, see `give_up`.
        [ESC, b']' | b'P' | b'_', ..] => return None,
        [ESC, ESC, ..] => (&bytes[1..], KeyModifiers::ALT),
        _ => (bytes, KeyModifiers::NONE),
    };
    if has_place_zero(bytes) || is_cursor_report(bytes) {
        return None;
    }
    let event = terminput::Event::parse_from(bytes).ok()??;
    match terminput_crossterm::to_crossterm(event).ok()? {
        Event::Key(key) if key.kind == KeyEventKind::Release => None,
        Event::Key(key) => Some(Input::Key(KeyEvent { modifiers: key.modifiers | alt, ..key })),
        Event::Mouse(mouse) => Some(Input::Mouse(mouse)),
        Event::FocusGained => Some(Input::FocusGained),
        Event::FocusLost => Some(Input::FocusLost),
        Event::Paste(_) | Event::Resize(..) => None,
    }
}

/// Whether this is a mouse report with a place of zero, which cannot be (they count from one) and which the parser
/// subtracts from without looking.
fn has_place_zero(bytes: &[u8]) -> bool {
    let [ESC, b'[', report @ .., b'M' | b'm'] = bytes else { return false };
    report.split(|&byte| byte == b';').skip(1).any(|number| number.iter().all(|&digit| digit == b'0'))
}

/// Whether this tells where the cursor is, which some earlier program asked. In row 1 it cannot be told from F3.
fn is_cursor_report(bytes: &[u8]) -> bool {
    matches!(bytes, [ESC, b'[', report @ .., b'R'] if !report.is_empty() && !report.starts_with(b"1;"))
}

fn key(code: KeyCode, modifiers: KeyModifiers) -> Input {
    Input::Key(KeyEvent::new(code, modifiers))
}

#[cfg(test)]
mod tests;
