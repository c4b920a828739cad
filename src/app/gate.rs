//! The first screen when there is no key, or the key is refused.

use std::sync::Arc;

use super::editor::Editor;

/// What stands in the way, and what the user is doing about it.
#[derive(Debug, Clone)]
pub struct Gate {
    /// Why it is shown.
    pub why: Why,
    /// The chosen row of [`Gate::ROWS`].
    pub at: usize,
    /// The key being typed; drawn masked.
    pub typing: Option<Editor>,
    /// What the last try came to.
    pub problem: Option<Arc<str>>,
    /// Something was started and is awaited.
    pub busy: bool,
}

/// Why the gate is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// There is no key anywhere.
    NoKey,
    /// The platform refused the key; in its words.
    Refused(String),
}

impl Gate {
    /// The choices, in order.
    pub const ROWS: [(&'static str, &'static str); 3] = [
        ("Open the arena", "the same platform with its own games, on this machine, free, no key"),
        ("Paste a key", "it is checked, then kept in your keyring or a file for you alone"),
        ("Quit", "nothing was sent"),
    ];

    /// The first screen.
    pub fn welcome() -> Self {
        Self { why: Why::NoKey, at: 0, typing: None, problem: None, busy: false }
    }

    /// The screen after a refusal.
    pub fn refused(words: String) -> Self {
        Self { why: Why::Refused(words), ..Self::welcome() }
    }
}
