//! What differs between two observations, as a list of paths with what was and what is.

use std::borrow::Cow;

use serde_json::Value;

use super::scene::{Body, Column, Part, Rows, Scene, Slot, Table, Words};
use super::values::inline;
use crate::text;
use crate::ui::theme::Role;

/// Differences listed.
const MAX_CHANGES: usize = 300;
/// Nodes compared.
const MAX_NODES: usize = 200_000;
/// Objects inside objects compared by their members; deeper ones as a whole.
const MAX_DEPTH: usize = 64;

/// A member that is not what it was.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed<'a> {
    /// Where, as a JSON pointer; empty for the observation as a whole.
    pub path: String,
    /// What was there.
    pub before: Option<&'a Value>,
    /// What is there.
    pub now: Option<&'a Value>,
}

/// The differences, in the order of the observation.
pub fn changes<'a>(before: &'a Value, now: &'a Value) -> Vec<Changed<'a>> {
    let mut walk = Walk { found: Vec::new(), left: MAX_NODES };
    walk.pair(&mut String::new(), Some(before), Some(now), 0);
    walk.found
}

struct Walk<'a> {
    found: Vec<Changed<'a>>,
    left: usize,
}

impl<'a> Walk<'a> {
    fn pair(&mut self, path: &mut String, before: Option<&'a Value>, now: Option<&'a Value>, depth: usize) {
        if self.left == 0 || self.found.len() > MAX_CHANGES {
            return;
        }
        self.left -= 1;
        match (before, now) {
            (Some(Value::Object(old)), Some(Value::Object(new))) if depth < MAX_DEPTH => {
                for (key, now) in new {
                    self.member(path, key, old.get(key), Some(now), depth);
                }
                for (key, before) in old.iter().filter(|(key, _)| !new.contains_key(key.as_str())) {
                    self.member(path, key, Some(before), None, depth);
                }
            }
            (Some(Value::Array(old)), Some(Value::Array(new))) if depth < MAX_DEPTH => {
                for nth in 0..old.len().max(new.len()) {
                    self.member(path, &nth.to_string(), old.get(nth), new.get(nth), depth);
                }
            }
            (before, now) if before != now => {
                self.found.push(Changed { path: path.clone(), before, now });
            }
            _ => {}
        }
    }

    fn member(
        &mut self,
        path: &mut String,
        key: &str,
        before: Option<&'a Value>,
        now: Option<&'a Value>,
        depth: usize,
    ) {
        let length = path.len();
        path.push('/');
        path.push_str(key);
        self.pair(path, before, now, depth + 1);
        path.truncate(length);
    }
}

/// Adds the list of what changed since a moment to a drawing.
pub fn list_changes<'a>(scene: &mut Scene<'a>, since: &str, before: &'a Value, now: &'a Value) {
    let found = changes(before, now);
    let title = |words: String| {
        vec![Part::new("changes ", Role::Heading), Part::new(format!("since {since}: {words}"), Role::Dim)]
    };
    if found.is_empty() {
        let body = Body::Text(Cow::Borrowed("Nothing changed."));
        return scene.push(Slot::Far, 0, title("none".to_owned()), body);
    }
    let value =
        |value: Option<&'a Value>| value.map_or(Part::new("absent", Role::Dim), |value| inline(value, 24));
    let row = |change: &Changed<'a>| -> Words<'a> {
        let now = value(change.now);
        vec![
            Part::plain(tail(&change.path)),
            value(change.before),
            Part::new("→", Role::Dim),
            Part::new(now.text, Role::Changed),
        ]
    };
    // What one may do is a consequence of the rest.
    let mut shown: Vec<&Changed<'a>> = found.iter().take(MAX_CHANGES).collect();
    shown.sort_by_key(|change| change.path.starts_with("/_"));
    let rows: Vec<Words<'a>> = shown.into_iter().map(row).collect();
    let count =
        if found.len() > MAX_CHANGES { format!("more than {MAX_CHANGES}") } else { found.len().to_string() };
    let columns = vec![Column::left("path"), Column::right("was"), Column::left(" "), Column::left("is")];
    let body = Body::Table(Table { columns, rows: Rows::Ready(rows) });
    scene.push(Slot::Far, 0, title(count), body);
}

/// The end of a path says more than its beginning.
fn tail(path: &str) -> String {
    const MOST: usize = 24;
    let path = text::clean(path);
    let long = path.chars().count().saturating_sub(MOST - 1);
    if long <= 1 { path.into_owned() } else { format!("…{}", path.chars().skip(long).collect::<String>()) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn changes_say_where_what_was_and_what_is() {
        let before = json!({"hp": 3, "bag": ["rope", "lamp"], "gone": 1});
        let now = json!({"hp": 2, "bag": ["rope", "map", "key"], "new": null});
        let found = changes(&before, &now);
        let told: Vec<_> = found
            .iter()
            .map(|change| {
                let show = |value: Option<&Value>| value.map_or("absent".to_owned(), ToString::to_string);
                format!("{} {} {}", change.path, show(change.before), show(change.now))
            })
            .collect();
        assert_eq!(
            told,
            [
                "/hp 3 2",
                "/bag/1 \"lamp\" \"map\"",
                "/bag/2 absent \"key\"",
                "/new absent null",
                "/gone 1 absent"
            ]
        );
        assert_eq!(changes(&now, &now), []);
    }

    #[test]
    fn huge_differences_are_cut() {
        let (one, two) = (json!(vec![1; 300_000]), json!(vec![2; 300_000]));
        assert_eq!(changes(&one, &two).len(), MAX_CHANGES + 1);
    }
}
