//! Search in an observation: names and values that hold some text, as paths.

use serde_json::Value;

/// Nodes looked at; what lies beyond them is not found.
const MAX_NODES: usize = 200_000;
/// Places kept.
const MAX_HITS: usize = 1_000;
/// Objects inside objects.
const MAX_DEPTH: usize = 200;
/// Bytes of a text that are looked at.
const MAX_TEXT: usize = 100_000;

/// A search with what it found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Find {
    /// The text, in lower case.
    pub text: String,
    /// Paths of names and values that hold it, in order.
    pub hits: Vec<String>,
    /// The one shown.
    pub at: usize,
}

impl Find {
    /// Searches; the case of letters does not matter.
    pub fn new(text: &str, data: &Value) -> Self {
        let mut find = Self { text: text.to_lowercase(), ..Self::default() };
        find.again(data);
        find
    }

    /// Searches another observation, and stays where it was, if that is there.
    pub fn again(&mut self, data: &Value) {
        let shown = self.hits.get(self.at).cloned();
        self.hits.clear();
        if !self.text.is_empty() {
            let mut left = MAX_NODES;
            walk(data, &self.text, &mut String::new(), 0, &mut left, &mut self.hits);
        }
        self.at = shown.and_then(|shown| self.hits.iter().position(|hit| *hit == shown)).unwrap_or(0);
    }

    /// Goes to the next place, or to the one before; they come round.
    pub fn step(&mut self, forward: bool) {
        let all = self.hits.len().max(1);
        self.at = (self.at + if forward { 1 } else { all - 1 }) % all;
    }

    /// The path shown.
    pub fn shown(&self) -> Option<&str> {
        self.hits.get(self.at).map(String::as_str)
    }
}

fn walk(
    value: &Value,
    text: &str,
    path: &mut String,
    depth: usize,
    left: &mut usize,
    hits: &mut Vec<String>,
) {
    if *left == 0 || hits.len() >= MAX_HITS || depth > MAX_DEPTH {
        return;
    }
    *left -= 1;
    let mut member = |key: &str, named: bool, item: &Value| {
        let length = path.len();
        path.push('/');
        path.push_str(key);
        let is_hit = named && holds(key, text) || scalar_holds(item, text);
        if is_hit && hits.len() < MAX_HITS {
            hits.push(path.clone());
        }
        walk(item, text, path, depth + 1, left, hits);
        path.truncate(length);
    };
    match value {
        Value::Object(members) => members.iter().for_each(|(key, item)| member(key, true, item)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(nth, item)| member(&nth.to_string(), false, item));
        }
        _ => {}
    }
}

fn holds(hay: &str, text: &str) -> bool {
    let hay = &hay[..hay.floor_char_boundary(MAX_TEXT)];
    hay.to_lowercase().contains(text)
}

fn scalar_holds(value: &Value, text: &str) -> bool {
    match value {
        Value::String(word) => holds(word, text),
        Value::Number(number) => number.to_string().contains(text),
        Value::Bool(flag) => flag.to_string() == text,
        Value::Null => text == "null",
        Value::Array(_) | Value::Object(_) => false,
    }
}

/// A name that a path can hold.
pub(super) fn is_name(key: &str) -> bool {
    !key.is_empty() && key.len() <= 64 && !key.contains('/')
}

/// The value at a path, if there is one.
pub fn value_at<'a>(data: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('/').skip(1).try_fold(data, |value, step| match value {
        Value::Object(members) => members.get(step),
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_and_values_are_found_in_order_and_come_round() {
        let data =
            json!({"Ships": [{"id": "s1", "berth": "North"}, {"id": "north-2"}], "n": 3, "north": null});
        let mut find = Find::new("NORTH", &data);
        assert_eq!(find.hits, ["/Ships/0/berth", "/Ships/1/id", "/north"]);
        find.step(false);
        assert_eq!(find.shown(), Some("/north"));
        find.step(true);
        assert_eq!(find.shown(), Some("/Ships/0/berth"));
        assert_eq!(value_at(&data, "/Ships/0/berth"), Some(&json!("North")));
        assert_eq!(value_at(&data, "/Ships/7/berth"), None);
    }

    #[test]
    fn a_new_observation_keeps_the_place() {
        let mut find = Find::new("ore", &json!({"a": "ore", "b": "ore"}));
        find.step(true);
        find.again(&json!({"0": "ore", "a": "ore", "b": "ore"}));
        assert_eq!(find.shown(), Some("/b"));
        find.again(&json!({}));
        assert_eq!(find.shown(), None);
        find.step(true);
    }

    #[test]
    fn what_is_found_is_bounded() {
        let find = Find::new("x", &json!(vec!["x"; 50_000]));
        assert_eq!(find.hits.len(), MAX_HITS);
        assert_eq!(Find::new("", &json!(["x"])).hits.len(), 0);
    }
}
