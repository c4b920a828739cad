//! JSON and JSON-lines exports. The text is kept whole; a row is the place where its object begins.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::columns::MAX_COLUMNS;
use super::{Column, Content, Error, Format, Row, Source};
use crate::api::model::Json;

/// The largest JSON file that is read, in bytes.
pub const MAX_JSON: u64 = 512 << 20;

/// The longest member of an envelope that is kept as it is, in bytes; of others only the size is told.
const MAX_META: usize = 64 << 10;

/// Members of an envelope that hold the rows, best first; without them it is the largest array of objects.
const ROWS: [&str; 6] = ["records", "submissions", "replays", "branches", "rows", "data"];

/// Maps keyed by submission (protocol.md §2.5), of which only the size is told.
const PAYLOADS: [&str; 3] = ["transcripts", "request_contexts", "value_contexts"];

/// Its entries, keyed by game slug, are told one by one, as Parquet has them.
const SCORE_CONTEXT: &str = "score_context";

/// A file's text and where its rows begin.
pub(super) struct Document {
    path: PathBuf,
    text: String,
    /// Offsets of objects that were all read once, so that they are known to be sound.
    starts: Vec<u32>,
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Document")
            .field("path", &self.path)
            .field("rows", &self.starts.len())
            .finish_non_exhaustive()
    }
}

/// Reads a file.
pub(super) fn open(path: &Path, file: impl Read) -> Result<Source, Error> {
    let mut bytes = Vec::new();
    file.take(MAX_JSON + 1).read_to_end(&mut bytes).map_err(|why| Error::io(path, why))?;
    if bytes.len() as u64 > MAX_JSON {
        return Err(Error::content(path, format!("is larger than {} MiB of JSON", MAX_JSON >> 20)));
    }
    let Ok(text) = String::from_utf8(bytes) else {
        return Err(Error::content(path, "is neither Parquet nor JSON"));
    };
    // The name decides where the content cannot: an object alone is an envelope, or the only line.
    let has_lines = path.extension().is_some_and(|extension| extension == "jsonl" || extension == "ndjson");
    let layout = Layout::of(&text, has_lines).map_err(|why| match why {
        Fault::NotJson => Error::content(path, "is neither Parquet nor JSON"),
        Fault::Damaged(why) => Error::damaged(path, &why),
    })?;
    let document = Document { path: path.to_owned(), text, starts: layout.starts };
    Ok(Source {
        format: layout.format,
        columns: document.columns()?,
        meta: layout.meta,
        row_count: Some(document.starts.len() as u64),
        contents: vec![Content::Json(document)],
    })
}

impl Document {
    /// The rows, with these members only.
    pub(super) fn rows(&self, chosen: Option<Vec<String>>) -> impl Iterator<Item = Result<Row, Error>> {
        (0..self.starts.len()).map(move |index| {
            let Members(members) = self.row(index)?;
            let json = |raw: &RawValue| Json::from(raw.to_owned());
            Ok(Row(match &chosen {
                None => members.into_iter().map(|(name, raw)| (name, json(raw))).collect(),
                Some(names) => names
                    .iter()
                    .filter_map(|name| {
                        let (_, raw) = members.iter().rev().find(|(known, _)| known == name)?;
                        Some((name.clone(), json(raw)))
                    })
                    .collect(),
            }))
        })
    }

    fn row(&self, index: usize) -> Result<Members<'_>, Error> {
        let text = &self.text[self.starts[index] as usize..];
        let mut values = serde_json::Deserializer::from_str(text).into_iter();
        let members = values.next().unwrap_or_else(|| Ok(Members(Vec::new())));
        members.map_err(|why| Error::damaged(&self.path, &format!("row {}: {why}", index + 1)))
    }

    /// The members of all rows, in the order in which they first come.
    fn columns(&self) -> Result<Vec<Column>, Error> {
        let mut columns: Vec<Column> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        // In how many rows a column was, and the row it was in last, for members that are there twice.
        let mut seen: Vec<(usize, usize)> = Vec::new();
        for index in 0..self.starts.len() {
            for (name, raw) in self.row(index)?.0 {
                let kind = kind(raw.get());
                let place = *places.entry(name).or_insert_with_key(|name| {
                    columns.push(Column { name: name.clone(), kind: kind.to_owned(), nullable: false });
                    seen.push((0, usize::MAX));
                    columns.len() - 1
                });
                if columns.len() > MAX_COLUMNS {
                    let what = format!("has rows with more than {MAX_COLUMNS} different members");
                    return Err(Error::content(&self.path, what));
                }
                let column = &mut columns[place];
                if column.kind != kind {
                    column.kind = common_kind(&column.kind, kind).to_owned();
                }
                column.nullable |= kind == "null";
                if seen[place].1 != index {
                    seen[place] = (seen[place].0 + 1, index);
                }
            }
        }
        for (column, (rows, _)) in columns.iter_mut().zip(seen) {
            column.nullable |= rows < self.starts.len();
        }
        Ok(columns)
    }
}

/// The word for a value.
fn kind(raw: &str) -> &'static str {
    match raw.bytes().next() {
        Some(b'"') => "string",
        Some(b'{') => "object",
        Some(b'[') => "list",
        Some(b't' | b'f') => "bool",
        Some(b'n') => "null",
        _ if raw.contains(['.', 'e', 'E']) => "number",
        _ => "integer",
    }
}

/// The word for values of both kinds.
pub(super) fn common_kind<'a>(one: &'a str, other: &'a str) -> &'a str {
    match (one, other) {
        ("null", kind) | (kind, "null") => kind,
        ("integer", "number") | ("number", "integer") => "number",
        _ if one == other => one,
        _ => "mixed",
    }
}

/// Where in a text the rows are, and what else is in it.
struct Layout {
    format: Format,
    starts: Vec<u32>,
    meta: Vec<(String, String)>,
}

enum Fault {
    NotJson,
    Damaged(String),
}

impl From<serde_json::Error> for Fault {
    fn from(why: serde_json::Error) -> Self {
        Self::Damaged(why.to_string())
    }
}

impl Layout {
    fn of(text: &str, has_lines: bool) -> Result<Self, Fault> {
        // Some tools write a mark before UTF-8.
        let body = text.trim_start_matches('\u{FEFF}').trim();
        match body.bytes().next() {
            Some(b'[') => {
                let starts = starts(text, body)?;
                Ok(Self { format: Format::Json, starts, meta: Vec::new() })
            }
            Some(b'{') => {
                let mut values = serde_json::Deserializer::from_str(body).into_iter::<&RawValue>();
                let first = values.next().transpose();
                let is_alone = values.byte_offset() >= body.len();
                match first {
                    // Not even one object: a document of many lines that breaks off, or else a bad first line.
                    Err(why) if !has_lines => Err(why.into()),
                    Ok(Some(_)) if is_alone && !has_lines => match envelope(text, body)? {
                        Some(layout) => Ok(layout),
                        None => lines(text, body),
                    },
                    _ => lines(text, body),
                }
            }
            _ => Err(Fault::NotJson),
        }
    }
}

/// One object a line.
fn lines(text: &str, body: &str) -> Result<Layout, Fault> {
    let mut starts = Vec::new();
    for (index, line) in body.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let row: &RawValue = serde_json::from_str(line)
            .map_err(|why| Fault::Damaged(format!("line {} is not a JSON object: {why}", index + 1)))?;
        if !row.get().starts_with('{') {
            return Err(Fault::Damaged(format!("line {} is not a JSON object", index + 1)));
        }
        starts.push(offset(text, line));
    }
    Ok(Layout { format: Format::JsonLines, starts, meta: Vec::new() })
}

/// An object of which one member holds the rows; `None` if none does.
fn envelope(text: &str, body: &str) -> Result<Option<Layout>, Fault> {
    let Members(members) = serde_json::from_str(body)?;
    let mut arrays: Vec<Option<Vec<u32>>> =
        members.iter().map(|(_, raw)| starts(text, raw.get()).ok()).collect();
    let preferred = ROWS.iter().find_map(|wanted| {
        let is_array = |(index, (name, _)): (usize, &(String, _))| name == wanted && arrays[index].is_some();
        members.iter().enumerate().position(is_array)
    });
    let largest = || {
        let sizes =
            arrays.iter().enumerate().filter_map(|(index, array)| Some((array.as_ref()?.len(), index)));
        // Of two that are alike the first.
        sizes.max_by_key(|(size, index)| (*size, Reverse(*index))).map(|(_, index)| index)
    };
    let Some(chosen) = preferred.or_else(largest) else { return Ok(None) };
    let starts = arrays.swap_remove(chosen).unwrap_or_default();
    let others = members.iter().enumerate().filter(|(index, _)| *index != chosen);
    let meta = others.flat_map(|(_, (name, raw))| told(name, raw)).collect();
    Ok(Some(Layout { format: Format::Json, starts, meta }))
}

/// What a member of an envelope says, or its size.
fn told(name: &str, raw: &RawValue) -> Vec<(String, String)> {
    if name == SCORE_CONTEXT
        && let Ok(Members(games)) = serde_json::from_str(raw.get())
    {
        return games.into_iter().map(|(slug, raw)| (format!("{name}:{slug}"), words(raw))).collect();
    }
    let is_large = raw.get().len() > MAX_META || PAYLOADS.contains(&name);
    vec![(name.to_owned(), if is_large { size(raw) } else { words(raw) })]
}

fn words(raw: &RawValue) -> String {
    serde_json::from_str(raw.get()).unwrap_or_else(|_| raw.get().to_owned())
}

fn size(raw: &RawValue) -> String {
    let bytes = raw.get().len();
    match serde_json::from_str(raw.get()) {
        Ok(Members(members)) => format!("{} entries, {bytes} bytes", members.len()),
        Err(_) if raw.get().starts_with('{') => format!("more than {MAX_COLUMNS} entries, {bytes} bytes"),
        Err(_) => format!("{bytes} bytes"),
    }
}

/// Where a part of the text begins in it. Files are smaller than 4 GiB.
fn offset(text: &str, part: &str) -> u32 {
    (part.as_ptr().addr() - text.as_ptr().addr()) as u32
}

/// The members of an object in order, also those that are there twice.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    if members.len() == MAX_COLUMNS {
                        return Err(A::Error::custom(format!(
                            "an object with more than {MAX_COLUMNS} members"
                        )));
                    }
                    members.push(member);
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(Collect).map(Self)
    }
}

/// Where in the text the objects in an array begin. Fails at the first item that is no object, before the list gets
/// long.
fn starts(text: &str, array: &str) -> Result<Vec<u32>, serde_json::Error> {
    struct Collect<'t>(&'t str);
    impl<'de> Visitor<'de> for Collect<'_> {
        type Value = Vec<u32>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array of objects")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
            let mut starts = Vec::new();
            while let Some(item) = items.next_element::<&RawValue>()? {
                if !item.get().starts_with('{') {
                    return Err(A::Error::custom(format!("row {} is not an object", starts.len() + 1)));
                }
                starts.push(offset(self.0, item.get()));
            }
            Ok(starts)
        }
    }
    let mut reader = serde_json::Deserializer::from_str(array);
    let starts = reader.deserialize_seq(Collect(text))?;
    reader.end()?;
    Ok(starts)
}
