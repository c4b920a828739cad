//! What may be written next in an action that is not finished.

use serde_json::Value;

use super::{Schema, types};

/// Whole numbers of a range that are offered one by one.
const RANGE: f64 = 32.0;

/// What may stand in place of the word at the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// Where that word begins, in bytes.
    pub from: usize,
    /// The words, best first.
    pub options: Vec<String>,
}

/// A list or an object that is not closed yet.
#[derive(Debug, Default)]
struct Frame {
    is_object: bool,
    /// Members with a name so far, and their values where those are plain.
    members: Vec<(String, Option<Value>)>,
    /// A value is due, rather than a name.
    wants_value: bool,
}

impl Schema {
    /// What may come at a place of a text. `None` where nothing is known.
    pub fn complete(&self, text: &str, at: usize) -> Option<Completion> {
        let (frames, from, typed) = scan(text.get(..at)?)?;
        let mut frames = frames.as_slice();
        if !self.is_of_lists() && frames.first().is_some_and(|frame| !frame.is_object) {
            frames = &frames[1..]; // A list of actions.
        }
        let innermost = frames.last()?;
        let schemas = self.inside(frames);
        let mut options =
            if innermost.wants_value { Self::values(&schemas) } else { self.names(&schemas, innermost) };
        let mut once = Vec::new();
        options.retain(|option| {
            let new = option.starts_with(&typed) && *option != typed && !once.contains(option);
            if new {
                once.push(option.clone());
            }
            new
        });
        (!options.is_empty()).then_some(Completion { from, options })
    }

    /// The schemas of what is being written: those of the innermost object for a name, else those of its value.
    fn inside<'a>(&'a self, frames: &[Frame]) -> Vec<&'a Value> {
        let mut schemas = vec![&self.root];
        for (nth, frame) in frames.iter().enumerate() {
            schemas = schemas.into_iter().flat_map(|schema| self.branches(schema)).collect();
            schemas.retain(|schema| fits(schema, &frame.members));
            if nth + 1 == frames.len() && !frame.wants_value {
                return schemas;
            }
            let name = frame.members.last().map(|(name, _)| name.as_str()).unwrap_or_default();
            schemas = schemas
                .into_iter()
                .filter_map(|schema| {
                    if frame.is_object { schema.get("properties")?.get(name) } else { schema.get("items") }
                })
                .collect();
        }
        schemas.into_iter().flat_map(|schema| self.branches(schema)).collect()
    }

    fn names(&self, schemas: &[&Value], frame: &Frame) -> Vec<String> {
        let mut needed = Vec::new();
        let mut others = Vec::new();
        for schema in schemas {
            let required = schema.get("required").and_then(Value::as_array);
            for (name, inner) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
                if frame.members.iter().any(|(known, _)| known == name) {
                    continue;
                }
                let name = Value::from(name.as_str());
                let option = match self.resolve(inner).get("const") {
                    Some(only) => format!("{name}: {only}"),
                    None => format!("{name}: "),
                };
                let is_needed = required.is_some_and(|required| required.contains(&name));
                if is_needed { needed.push(option) } else { others.push(option) }
            }
        }
        needed.extend(others);
        needed
    }

    fn values(schemas: &[&Value]) -> Vec<String> {
        let mut options = Vec::new();
        for schema in schemas {
            options.extend(schema.get("const").map(Value::to_string));
            let listed = schema.get("enum").and_then(Value::as_array);
            options.extend(listed.into_iter().flatten().map(Value::to_string));
            if types(schema).any(|name| name == "boolean") {
                options.extend(["true".to_owned(), "false".to_owned()]);
            }
            let limit = |word| schema.get(word).and_then(Value::as_f64);
            if let (Some(least), Some(most)) = (limit("minimum"), limit("maximum"))
                && types(schema).any(|name| name == "integer")
                && (0.0..RANGE).contains(&(most - least))
            {
                options.extend((least as i64..=most as i64).map(|n| n.to_string()));
            }
        }
        options
    }
}

/// Whether what is written already may be of this alternative.
fn fits(schema: &Value, members: &[(String, Option<Value>)]) -> bool {
    members.iter().all(|(name, value)| {
        let only = schema.get("properties").and_then(|properties| properties.get(name)?.get("const"));
        match (only, value) {
            (Some(only), Some(value)) => only == value,
            _ => true,
        }
    })
}

/// Reads a text as far as it goes: what is open at its end, and the word that is being written there.
fn scan(text: &str) -> Option<(Vec<Frame>, usize, String)> {
    let mut frames: Vec<Frame> = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let end = match c {
            '{' | '[' => {
                frames.push(Frame { is_object: c == '{', wants_value: c == '[', ..Frame::default() });
                at + 1
            }
            '}' | ']' => {
                frames.pop()?;
                at + 1
            }
            ',' => {
                let frame = frames.last_mut()?;
                frame.wants_value = !frame.is_object;
                at + 1
            }
            ':' => {
                frames.last_mut()?.wants_value = true;
                at + 1
            }
            c if c.is_whitespace() => at + c.len_utf8(),
            _ => {
                let end = word_end(text, at)?;
                if end == text.len() {
                    return Some((frames, at, text[at..].to_owned()));
                }
                frames.last_mut()?.take(&text[at..end]);
                end
            }
        };
        at = end;
    }
    // Right after a value a comma comes first.
    let last = text.trim_end().chars().next_back()?;
    matches!(last, '{' | '[' | ',' | ':').then(|| (frames, text.len(), String::new()))
}

impl Frame {
    fn take(&mut self, word: &str) {
        let value: Option<Value> = serde_json::from_str(word).ok();
        match (self.is_object, self.wants_value) {
            (true, false) => {
                let name = value.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
                self.members.push((name, None));
            }
            (true, true) => {
                if let Some(member) = self.members.last_mut() {
                    member.1 = value;
                }
            }
            (false, _) => {}
        }
    }
}

/// Where a string or a plain word ends; the end of the text if it is not finished.
fn word_end(text: &str, start: usize) -> Option<usize> {
    let mut letters = text[start..].char_indices();
    let (_, first) = letters.next()?;
    let mut escaped = false;
    for (at, c) in letters {
        let ends =
            if first == '"' { c == '"' && !escaped } else { c.is_whitespace() || "{}[],:\"".contains(c) };
        if ends {
            return Some(start + at + usize::from(first == '"'));
        }
        escaped = c == '\\' && !escaped;
    }
    Some(text.len())
}
