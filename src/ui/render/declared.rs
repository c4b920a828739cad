//! Renderers that are files: a user says in TOML how a game that nobody here has seen is drawn.
//!
//! [`Renderers::read`] turns texts into renderers and problems; it reads no files. `assets/renderers/roguelike.toml`
//! explains every part of a file. A renderer whose panels find nothing in an observation is passed over.

mod file;
mod paint;

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::SceneInput;
use super::scene::Scene;

pub use self::file::MAX_BYTES;
use self::file::Renderer;

/// The files that come with the program, by name.
const BUILT_IN: [(&str, &str); 3] = [
    ("chess.toml", include_str!("../../../assets/renderers/chess.toml")),
    ("roguelike.toml", include_str!("../../../assets/renderers/roguelike.toml")),
    ("trading.toml", include_str!("../../../assets/renderers/trading.toml")),
];

/// A file that cannot be used: where it is wrong and what is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub file: String,
    /// The line, from 1, if it is about one.
    pub line: Option<usize>,
    /// What is wrong and what to do.
    pub why: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.why),
            None => write!(f, "{}: {}", self.file, self.why),
        }
    }
}

/// All renderers that are files, the user's before those that come with the program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Renderers {
    user: Vec<Renderer>,
    built_in: Vec<Renderer>,
}

impl Renderers {
    /// Reads the user's files, by name and text, and those that come with the program. A file with a problem is left
    /// out; the others work.
    pub fn read(files: &[(String, String)]) -> (Arc<Self>, Vec<Problem>) {
        let mut problems = Vec::new();
        let mut renderers = Self::default();
        for (name, text) in files {
            match file::read(name, text) {
                Ok(renderer) => renderers.user.push(renderer),
                Err(problem) => problems.push(problem),
            }
        }
        for (name, text) in BUILT_IN {
            match file::read(name, text) {
                Ok(renderer) => renderers.built_in.push(renderer),
                Err(problem) => problems.push(problem),
            }
        }
        (Arc::new(renderers), problems)
    }

    /// Draws with the first of the user's files that applies and finds something.
    pub(super) fn paint_by_user<'a>(&'a self, input: &SceneInput<'a>) -> Option<Scene<'a>> {
        first(&self.user, input)
    }

    /// Draws with the first of the program's own files that applies and finds something.
    pub(super) fn paint_built_in<'a>(&'a self, input: &SceneInput<'a>) -> Option<Scene<'a>> {
        first(&self.built_in, input)
    }
}

fn first<'a>(renderers: &'a [Renderer], input: &SceneInput<'a>) -> Option<Scene<'a>> {
    renderers
        .iter()
        .filter(|renderer| renderer.applies(input.game, input.data))
        .find_map(|renderer| paint::paint(renderer, input))
}

/// The values at a path of simple steps; `*` stands for every member.
pub(super) fn values<'a>(data: &'a Value, path: &str) -> Vec<(String, &'a Value)> {
    /// Values that one path may lead to.
    const MOST: usize = 2_000;
    // Whether `*` gave the name: then it stays.
    let mut found: Vec<(Option<String>, String, &'a Value)> = vec![(None, String::new(), data)];
    for step in path.split('/').skip(1) {
        let mut next = Vec::new();
        for (star, _, value) in found {
            match (step, value) {
                ("*", Value::Object(members)) => {
                    let all = members.iter().take(MOST);
                    next.extend(all.map(|(key, value)| (Some(key.clone()), key.clone(), value)));
                }
                ("*", Value::Array(items)) => {
                    let all = items.iter().take(MOST).enumerate();
                    next.extend(all.map(|(nth, item)| (Some(nth.to_string()), nth.to_string(), item)));
                }
                (step, Value::Object(members)) => {
                    next.extend(members.get(step).map(|value| (star, step.to_owned(), value)));
                }
                (step, Value::Array(items)) => {
                    let item = step.parse().ok().and_then(|nth: usize| items.get(nth));
                    next.extend(item.map(|value| (star, step.to_owned(), value)));
                }
                _ => {}
            }
        }
        next.truncate(MOST);
        found = next;
    }
    found.into_iter().map(|(star, step, value)| (star.unwrap_or(step), value)).collect()
}

#[cfg(test)]
mod tests;
