//! The API key, in a type that never shows it.

use std::fmt;
use std::sync::Arc;

use http::HeaderValue;

/// A platform API key (`sk_gert_…`). `Debug` and `Display` print `***`.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(Arc<str>);

/// A key cannot be used. Never holds any part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Nothing but white space was given.
    #[error("the API key is empty: set `GERT_API_KEY`")]
    Empty,
    /// A character that no key and no header may hold.
    #[error("the API key has an illegal character at position {position}")]
    Illegal {
        /// Counted in characters from 1, after outer white space was removed.
        position: usize,
    },
}

impl ApiKey {
    /// Takes a key as a person or a file gives it: outer white space and byte order marks are removed.
    ///
    /// # Errors
    /// When nothing is left, or when a character is not visible ASCII.
    pub fn new(text: &str) -> Result<Self, KeyError> {
        let key = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        if key.is_empty() {
            return Err(KeyError::Empty);
        }
        match key.chars().position(|c| !c.is_ascii_graphic()) {
            Some(index) => Err(KeyError::Illegal { position: index + 1 }),
            None => Ok(Self(key.into())),
        }
    }

    /// The key itself: for a header or for the user's own key store, never for a message.
    pub fn expose(&self) -> &str {
        &self.0
    }

    pub(crate) fn header(&self) -> HeaderValue {
        secret_header(&self.0).expect("a key is visible ASCII, checked when it was made")
    }
}

/// A header value that HTTP libraries do not print, if `text` can be one.
pub(crate) fn secret_header(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl fmt::Display for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outer_white_space_and_byte_order_marks_are_trimmed() {
        for text in ["sk_gert_a", " sk_gert_a\n", "\u{feff}sk_gert_a\r\n", "\u{feff} \tsk_gert_a\u{a0}"] {
            assert_eq!(ApiKey::new(text).map(|key| key.expose().to_owned()), Ok("sk_gert_a".to_owned()));
        }
    }

    #[test]
    fn an_illegal_character_is_named_by_position_only() {
        for (text, position) in [("sk gert", 3), ("sk_\u{7f}", 4), (" é", 1), ("a\u{0}", 2), ("ab\ncd", 3)] {
            let error = ApiKey::new(text).expect_err("illegal");
            assert_eq!(error, KeyError::Illegal { position });
            assert!(!error.to_string().contains(text.trim()));
        }
        assert_eq!(ApiKey::new(" \n\u{feff}"), Err(KeyError::Empty));
    }

    #[test]
    fn a_key_never_shows_itself() {
        let key = ApiKey::new("sk_gert_secret").expect("legal");
        assert_eq!(format!("{key} {key:?} {:?}", key.header()), "*** *** Sensitive");
    }
}
