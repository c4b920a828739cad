//! Takes a TOML file apart and notes everything that is wrong with it, each with its line.
//!
//! A table is read by asking for its members by name ([`Fields::value`], [`Fields::table`]); what nobody asked for is
//! unknown ([`Fields::finish`]), so that the names that are known stand in one place: where they are read.

use std::ops::Range;
use std::path::Path;

use toml_edit::{Item, Key, TableLike, Value};

use super::problem::Problem;

/// A value and the line it was read from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Set<T> {
    pub(super) value: T,
    pub(super) line: usize,
}

/// The file, and what is wrong with it so far.
pub(super) struct Reading<'a> {
    path: &'a Path,
    text: &'a str,
    pub(super) problems: Vec<Problem>,
}

impl<'a> Reading<'a> {
    pub(super) fn new(path: &'a Path, text: &'a str) -> Self {
        Self { path, text, problems: Vec::new() }
    }

    /// The line of a place in the text.
    pub(super) fn line(&self, span: Option<Range<usize>>) -> usize {
        let before = span.and_then(|span| self.text.get(..span.start)).unwrap_or_default();
        1 + before.matches('\n').count()
    }

    pub(super) fn problem(&mut self, line: usize, what: impl std::fmt::Display) -> &mut Problem {
        self.problems.push(Problem::file(self.path.to_owned(), Some(line), what));
        self.problems.last_mut().expect("one was just added")
    }
}

/// A table being read.
pub(super) struct Fields<'a, 'r> {
    reading: &'r mut Reading<'a>,
    table: &'r dyn TableLike,
    /// Its name and a dot; nothing for the top of the file.
    prefix: String,
    known: Vec<&'static str>,
}

impl<'a, 'r> Fields<'a, 'r> {
    pub(super) fn new(reading: &'r mut Reading<'a>, table: &'r dyn TableLike) -> Self {
        Self { reading, table, prefix: String::new(), known: Vec::new() }
    }

    /// Reads a member; `read` gets the value and the text it was written as, and says what the value must be.
    pub(super) fn value<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&Value, &str) -> Result<T, String>,
    ) -> Option<Set<T>> {
        self.known.push(name);
        let (key, item) = self.table.get_key_value(name)?;
        let line = self.reading.line(key.span());
        let written = item.span().and_then(|span| self.reading.text.get(span)).unwrap_or_default();
        let value = match item.as_value() {
            Some(value) => read(value, written),
            None => Err("must be a value, not a table".to_owned()),
        };
        match value {
            Ok(value) => Some(Set { value, line }),
            Err(why) => {
                self.reading.problem(line, format_args!("`{}{name}` {why}", self.prefix));
                None
            }
        }
    }

    /// Reads a member that is a table.
    pub(super) fn table<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut Fields<'a, '_>) -> T,
    ) -> Option<T> {
        self.known.push(name);
        let (key, item) = self.table.get_key_value(name)?;
        self.inner(key, item, read)
    }

    /// Reads every member as a table, whatever its name.
    pub(super) fn tables<T>(
        &mut self,
        mut read: impl FnMut(&str, usize, &mut Fields<'a, '_>) -> T,
    ) -> Vec<T> {
        let members: Vec<(&Key, &Item)> =
            self.table.iter().filter_map(|(name, _)| self.table.get_key_value(name)).collect();
        members
            .into_iter()
            .filter_map(|(key, item)| {
                let line = self.reading.line(key.span());
                self.inner(key, item, |fields| read(key.get(), line, fields))
            })
            .collect()
    }

    fn inner<T>(&mut self, key: &Key, item: &Item, read: impl FnOnce(&mut Fields<'a, '_>) -> T) -> Option<T> {
        let name = format!("{}{}", self.prefix, key.get());
        let Some(table) = item.as_table_like() else {
            let line = self.reading.line(key.span());
            self.reading.problem(line, format_args!("`{name}` must be a table: write `[{name}]`"));
            return None;
        };
        let mut fields =
            Fields { reading: self.reading, table, prefix: format!("{name}."), known: Vec::new() };
        let value = read(&mut fields);
        Some(value)
    }

    /// Notes a problem with this table.
    pub(super) fn problem(&mut self, line: usize, what: impl std::fmt::Display) -> &mut Problem {
        self.reading.problem(line, what)
    }

    /// The name of a member, from the top of the file.
    pub(super) fn full(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// Notes every member that nobody asked for. `elsewhere` says where a name belongs that is known in another table.
    pub(super) fn finish(&mut self, elsewhere: impl Fn(&str) -> Option<String>) {
        let unknown: Vec<(String, usize)> = self
            .table
            .iter()
            .filter(|(name, _)| !self.known.contains(name))
            .map(|(name, _)| {
                let span = self.table.get_key_value(name).and_then(|(key, item)| key.span().or(item.span()));
                (name.to_owned(), self.reading.line(span))
            })
            .collect();
        for (name, line) in unknown {
            let advice = nearest(&name, self.known.iter().copied())
                .map(|known| format!("did you mean `{}`?", self.full(known)))
                .or_else(|| elsewhere(&name))
                .unwrap_or_else(|| format!("known here: {}", listed(&self.known)));
            let what = format!("unknown key `{}`", self.full(&name));
            self.reading.problem(line, what).advice = Some(advice);
        }
    }
}

/// Names in a sentence.
pub(super) fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The known name that was most likely meant.
pub(super) fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    /// From a swapped or missing letter or two upward.
    const ALIKE: f64 = 0.65;
    let lower = name.to_lowercase();
    known
        .into_iter()
        .map(|known| (strsim::normalized_damerau_levenshtein(&lower, &known.to_lowercase()), known))
        .filter(|(alike, _)| *alike >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_nearest_name_is_the_one_that_was_meant() {
        let known = ["profile", "profiles", "spend", "ui"];
        for (typed, meant) in [
            ("profle", Some("profile")),
            ("Profiles", Some("profiles")),
            ("spned", Some("spend")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, known), meant, "{typed}");
        }
    }
}
