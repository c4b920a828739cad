//! Keys as the dashboard knows them, independent of any terminal library, and how they are written: `ctrl-c`,
//! `alt-enter`, `page-down`, `?`, `space`.

use std::fmt;
use std::str::FromStr;

/// A key stroke. Releases never get here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// Which key.
    pub code: KeyCode,
    /// Control was held.
    pub ctrl: bool,
    /// Alt (or a leading escape) was held.
    pub alt: bool,
}

/// Which key. Shift shows in the character (`J`) or has a name of its own (`BackTab`, `ShiftLeft`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the keys")]
pub enum KeyCode {
    Char(char),
    Enter,
    Esc,
    Tab,
    BackTab,
    Backspace,
    Delete,
    Insert,
    Up,
    Down,
    Left,
    Right,
    ShiftLeft,
    ShiftRight,
    Home,
    End,
    PageUp,
    PageDown,
    F(u8),
}

/// Names of the keys that are not characters.
const NAMES: [(&str, KeyCode); 18] = [
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("back-tab", KeyCode::BackTab),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("insert", KeyCode::Insert),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("shift-left", KeyCode::ShiftLeft),
    ("shift-right", KeyCode::ShiftRight),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("page-up", KeyCode::PageUp),
    ("page-down", KeyCode::PageDown),
    ("space", KeyCode::Char(' ')),
];

impl Key {
    /// The key without modifiers.
    pub const fn plain(code: KeyCode) -> Self {
        Self { code, ctrl: false, alt: false }
    }

    /// The key with control.
    pub const fn ctrl(c: char) -> Self {
        Self { code: KeyCode::Char(c), ctrl: true, alt: false }
    }

    /// The character this key types, if it types one.
    pub fn typed(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if !self.ctrl && !self.alt => Some(c),
            _ => None,
        }
    }

    /// How the key is shown in the footer: arrows and the return sign as symbols, or words where `ascii` is asked.
    pub fn symbol(self, ascii: bool) -> String {
        if ascii || self.ctrl || self.alt {
            return self.to_string();
        }
        match self.code {
            KeyCode::Enter => "⏎".into(),
            KeyCode::Up => "↑".into(),
            KeyCode::Down => "↓".into(),
            KeyCode::Left => "←".into(),
            KeyCode::Right => "→".into(),
            _ => self.to_string(),
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ctrl {
            f.write_str("ctrl-")?;
        }
        if self.alt {
            f.write_str("alt-")?;
        }
        if let Some((name, _)) = NAMES.iter().find(|(_, code)| *code == self.code) {
            return f.write_str(name);
        }
        match self.code {
            KeyCode::Char(c) => write!(f, "{c}"),
            KeyCode::F(n) => write!(f, "f{n}"),
            _ => Ok(()), // All others have a name.
        }
    }
}

impl FromStr for Key {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut rest = text;
        let (mut ctrl, mut alt) = (false, false);
        loop {
            if let Some(after) = rest.strip_prefix("ctrl-").filter(|after| !after.is_empty()) {
                (ctrl, rest) = (true, after);
            } else if let Some(after) = rest.strip_prefix("alt-").filter(|after| !after.is_empty()) {
                (alt, rest) = (true, after);
            } else {
                break;
            }
        }
        let code = match NAMES.iter().find(|(name, _)| *name == rest) {
            Some((_, code)) => *code,
            None => single_char(rest).map(KeyCode::Char).or_else(|| function_key(rest)).ok_or_else(|| {
                format!("`{text}` is not a key: write one character, `enter`, `f1`, `ctrl-x` or `alt-x`")
            })?,
        };
        Ok(Self { code, ctrl, alt })
    }
}

fn single_char(text: &str) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|_| chars.next().is_none())
}

fn function_key(text: &str) -> Option<KeyCode> {
    text.strip_prefix('f')?.parse().ok().filter(|n| (1..=12).contains(n)).map(KeyCode::F)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_reads_back_what_it_shows() {
        for text in
            ["a", "J", "?", "ctrl-c", "alt-enter", "page-down", "f12", "space", "-", "ctrl-alt-x", "ctrl--"]
        {
            let key: Key = text.parse().unwrap();
            assert_eq!(key.to_string(), text);
        }
    }

    #[test]
    fn what_is_no_key_is_refused_with_advice() {
        for bad in ["", "ctrl-", "f0", "f13", "abc"] {
            assert!(bad.parse::<Key>().unwrap_err().contains("is not a key"), "{bad}");
        }
    }
}
