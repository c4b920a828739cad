//! Reading action objects: the faults that every game words the same way.

use std::ops::RangeInclusive;

use serde_json::Value;

use super::Reasons;

/// The only entry of a list, for games in which a seat does one thing a tick.
///
/// # Errors
/// When there is another number of them.
pub fn single(actions: &[Value]) -> Result<&Value, Reasons> {
    match actions {
        [action] => Ok(action),
        _ => Err(vec![format!("one action a tick is allowed, not {}", actions.len())]),
    }
}

/// A member of an action object. There is a handful of them: comparing them all is sooner done than hashing the key.
pub fn member<'a>(action: &'a Value, key: &str) -> Option<&'a Value> {
    action.as_object()?.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
}

/// A member that is a word.
///
/// # Errors
/// When it is missing or not a string.
pub fn word<'a>(action: &'a Value, key: &str) -> Result<&'a str, Reasons> {
    member(action, key).and_then(Value::as_str).ok_or_else(|| vec![format!("`{key}` must be a string")])
}

/// A member that is a whole number in a range.
///
/// # Errors
/// When it is missing, no whole number or out of range.
pub fn whole(action: &Value, key: &str, range: RangeInclusive<i64>) -> Result<i64, Reasons> {
    member(action, key).and_then(Value::as_i64).filter(|value| range.contains(value)).ok_or_else(|| {
        vec![format!("`{key}` must be a whole number from {} to {}", range.start(), range.end())]
    })
}

/// Refuses any verb but this one.
///
/// # Errors
/// When `action` is missing or another word.
pub fn verb(action: &Value, expected: &str) -> Result<(), Reasons> {
    match word(action, "action")? {
        verb if verb == expected => Ok(()),
        verb => Err(vec![format!("unknown action `{}`: the only one is `{expected}`", shortened(verb))]),
    }
}

/// What somebody sent, short enough to quote.
pub fn shortened(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whole_numbers_are_neither_fractions_nor_text() {
        for bad in [
            json!({}),
            json!({"n": 1.5}),
            json!({"n": "1"}),
            json!({"n": 7}),
            json!({"n": -1}),
            json!({"n": true}),
        ] {
            assert!(whole(&bad, "n", 0..=6).is_err(), "{bad}");
        }
        assert_eq!(whole(&json!({"n": 6}), "n", 0..=6), Ok(6));
    }

    #[test]
    fn quotes_of_what_was_sent_are_short() {
        assert_eq!(shortened(&"ä".repeat(1000)).chars().count(), 41);
    }
}
