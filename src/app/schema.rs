//! What an action looks like, as a game says in JSON Schema: checked while one is written, and completed.
//!
//! It knows the part of JSON Schema that action schemas use. What it does not know it lets pass: a warning that is
//! wrong would be worse than none, and the server has the last word anyway. Completion is in [`complete`].

pub mod complete;
mod place;

use std::fmt;

use serde_json::Value;

/// References and alternatives are followed no deeper than this.
const DEPTH: usize = 24;

/// A schema of actions.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    root: Value,
}

/// A step into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// To a member.
    Name(String),
    /// To an item.
    Nth(usize),
}

/// What does not fit, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The way to it.
    pub path: Vec<Step>,
    /// What is wrong, without the place.
    pub why: String,
    /// The values that would do, if a wrong one is all that is wrong.
    expected: Vec<String>,
    /// Whether there is only one such value.
    is_const: bool,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut path = String::new();
        for step in &self.path {
            match step {
                Step::Name(name) if path.is_empty() => path.push_str(name),
                Step::Name(name) => path.extend([".", name]),
                Step::Nth(nth) => path.extend(["[", &nth.to_string(), "]"]),
            }
        }
        if path.is_empty() { f.write_str(&self.why) } else { write!(f, "{path} {}", self.why) }
    }
}

impl Fault {
    /// The line of a text that it is in, from 0, if the text is the value that was checked.
    pub fn line(&self, text: &str) -> Option<usize> {
        let at = place::find(text, &self.path)?;
        Some(text[..at].matches('\n').count())
    }
}

impl Schema {
    /// Reads one; `None` if it is no schema.
    pub fn read(json: &str) -> Option<Self> {
        let root: Value = serde_json::from_str(json).ok()?;
        root.is_object().then_some(Self { root })
    }

    /// What of an action does not fit. A list is checked item by item, unless the schema is one of lists.
    pub fn check(&self, action: &Value) -> Option<Fault> {
        match action {
            Value::Array(items) if !self.is_of_lists() => items.iter().enumerate().find_map(|(nth, item)| {
                let fault = self.fault(&self.root, item, 0)?;
                Some(inside(Step::Nth(nth), fault))
            }),
            action => self.fault(&self.root, action, 0),
        }
    }

    fn is_of_lists(&self) -> bool {
        self.branches(&self.root).iter().any(|schema| types(schema).any(|name| name == "array"))
    }

    /// A schema with its reference followed.
    fn resolve<'a>(&'a self, mut schema: &'a Value) -> &'a Value {
        for _ in 0..DEPTH {
            let target = schema.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix('#'));
            match target.and_then(|pointer| self.root.pointer(pointer)) {
                Some(next) => schema = next,
                None => break,
            }
        }
        schema
    }

    /// A schema and the alternatives in it.
    fn branches<'a>(&'a self, schema: &'a Value) -> Vec<&'a Value> {
        let mut found = Vec::new();
        self.collect(schema, 0, &mut found);
        found
    }

    fn collect<'a>(&'a self, schema: &'a Value, depth: usize, found: &mut Vec<&'a Value>) {
        if depth > DEPTH || found.len() > 200 {
            return;
        }
        let schema = self.resolve(schema);
        found.push(schema);
        for word in ["oneOf", "anyOf", "allOf"] {
            for branch in schema.get(word).and_then(Value::as_array).into_iter().flatten() {
                self.collect(branch, depth + 1, found);
            }
        }
    }

    fn fault(&self, schema: &Value, value: &Value, depth: usize) -> Option<Fault> {
        if schema == &Value::Bool(false) {
            return Some(fault("is not allowed"));
        }
        let schema = self.resolve(schema);
        if depth > DEPTH || schema.get("$ref").is_some() {
            return None;
        }
        wrong_type(schema, value)
            .or_else(|| wrong_value(schema, value))
            .or_else(|| wrong_size(schema, value))
            .or_else(|| self.wrong_members(schema, value, depth))
            .or_else(|| self.wrong_items(schema, value, depth))
            .or_else(|| self.wrong_everywhere(schema, value, depth))
    }

    fn wrong_members(&self, schema: &Value, value: &Value, depth: usize) -> Option<Fault> {
        let members = value.as_object()?;
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, member) in members {
            let known = properties.and_then(|properties| properties.get(name));
            let others =
                schema.get("additionalProperties").filter(|_| schema.get("patternProperties").is_none());
            let Some(inner) = known.or(others) else { continue };
            if let Some(mut fault) = self.fault(inner, member, depth + 1) {
                if known.is_none() && others == Some(&Value::Bool(false)) {
                    fault.why = "is no member of this action".into();
                }
                return Some(inside(Step::Name(name.clone()), fault));
            }
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let missing = required.filter_map(Value::as_str).find(|name| !members.contains_key(*name))?;
        Some(fault(&format!("lacks `{missing}`")))
    }

    fn wrong_items(&self, schema: &Value, value: &Value, depth: usize) -> Option<Fault> {
        let items = value.as_array()?;
        let own = schema.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
        let inner = schema.get("items").filter(|inner| !inner.is_array())?;
        items
            .iter()
            .enumerate()
            .skip(own)
            .find_map(|(nth, item)| Some(inside(Step::Nth(nth), self.fault(inner, item, depth + 1)?)))
    }

    /// Alternatives of which one has to fit, and what has to fit besides.
    fn wrong_everywhere(&self, schema: &Value, value: &Value, depth: usize) -> Option<Fault> {
        let branches = |word| schema.get(word).and_then(Value::as_array).into_iter().flatten();
        if let Some(fault) = branches("allOf").find_map(|branch| self.fault(branch, value, depth + 1)) {
            return Some(fault);
        }
        for word in ["oneOf", "anyOf"] {
            let faults: Option<Vec<Fault>> =
                branches(word).map(|branch| self.fault(branch, value, depth + 1)).collect();
            // One without a fault ends the collection.
            if let Some(fault) = faults.and_then(nearest) {
                return Some(fault);
            }
        }
        None
    }
}

/// Of the faults of all alternatives the one that helps: that of the alternative that was meant. What tells alternatives
/// apart is a member that has one value in each.
fn nearest(faults: Vec<Fault>) -> Option<Fault> {
    let apart: Vec<&[Step]> =
        faults.iter().filter(|fault| fault.is_const).map(|fault| &*fault.path).collect();
    if let Some(meant) = faults.iter().find(|fault| !fault.is_const && !apart.contains(&&*fault.path)) {
        return Some(meant.clone());
    }
    let mut all = faults.into_iter();
    let mut first = all.next()?;
    for other in all.filter(|other| other.path == first.path).collect::<Vec<_>>() {
        first.expected.extend(other.expected);
    }
    first.expected.dedup();
    if !first.expected.is_empty() {
        first.why = one_of(&first.expected);
    }
    Some(first)
}

fn fault(why: &str) -> Fault {
    Fault { path: Vec::new(), why: why.to_owned(), expected: Vec::new(), is_const: false }
}

fn inside(step: Step, mut fault: Fault) -> Fault {
    fault.path.insert(0, step);
    fault
}

fn one_of(values: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown = values.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match values.len() {
        1 => format!("must be {shown}"),
        n if n > SHOWN => format!("must be one of {shown}, …"),
        _ => format!("must be one of {shown}"),
    }
}

/// The types that a schema names.
fn types(schema: &Value) -> impl Iterator<Item = &str> {
    let listed = match schema.get("type") {
        Some(Value::Array(names)) => names.as_slice(),
        Some(name) => std::slice::from_ref(name),
        None => &[],
    };
    listed.iter().filter_map(Value::as_str)
}

fn wrong_type(schema: &Value, value: &Value) -> Option<Fault> {
    let names: Vec<&str> = types(schema).collect();
    let fits = |name: &&str| match *name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|x| x.fract() == 0.0),
        _ => true,
    };
    if names.is_empty() || names.iter().any(fits) {
        return None;
    }
    let article = |name: &str| if name.starts_with(['a', 'i', 'o']) { "an" } else { "a" };
    let words: Vec<String> = names.iter().map(|name| format!("{} {name}", article(name))).collect();
    Some(fault(&format!("must be {}", words.join(" or "))))
}

fn wrong_value(schema: &Value, value: &Value) -> Option<Fault> {
    let allowed = match (schema.get("const"), schema.get("enum")) {
        (Some(only), _) => std::slice::from_ref(only),
        (None, Some(Value::Array(all))) => all.as_slice(),
        _ => return None,
    };
    if allowed.iter().any(|other| equal(other, value)) {
        return None;
    }
    let expected: Vec<String> = allowed.iter().map(Value::to_string).collect();
    Some(Fault { path: Vec::new(), why: one_of(&expected), expected, is_const: allowed.len() == 1 })
}

/// Equal as JSON Schema means it: `1` is `1.0`.
fn equal(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(x), Some(y)) => x.total_cmp(&y).is_eq() || a == b,
        _ => a == b,
    }
}

fn wrong_size(schema: &Value, value: &Value) -> Option<Fault> {
    let limit = |word: &str| schema.get(word).and_then(Value::as_f64);
    let count = match value {
        Value::String(text) => ("minLength", "maxLength", text.chars().count(), "letters"),
        Value::Array(items) => ("minItems", "maxItems", items.len(), "items"),
        Value::Object(members) => ("minProperties", "maxProperties", members.len(), "members"),
        _ => return wrong_number(value.as_f64()?, limit),
    };
    let (least, most, n, what) = count;
    let n = n as f64;
    if let Some(least) = limit(least).filter(|least| n < *least) {
        return Some(fault(&format!("needs at least {least} {what}")));
    }
    limit(most).filter(|most| n > *most).map(|most| fault(&format!("may have at most {most} {what}")))
}

fn wrong_number(x: f64, limit: impl Fn(&str) -> Option<f64>) -> Option<Fault> {
    type Breaks = fn(f64, f64) -> bool;
    let broken: [(&str, Breaks, &str); 4] = [
        ("minimum", |x, limit| x < limit, "at least"),
        ("maximum", |x, limit| x > limit, "at most"),
        ("exclusiveMinimum", |x, limit| x <= limit, "more than"),
        ("exclusiveMaximum", |x, limit| x >= limit, "less than"),
    ];
    broken.iter().find_map(|(word, breaks, words)| {
        let limit = limit(word).filter(|limit| breaks(x, *limit))?;
        Some(fault(&format!("must be {words} {limit}")))
    })
}

#[cfg(test)]
mod tests;
