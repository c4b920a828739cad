//! Reads export files: Parquet, JSON and JSON lines, one file or the chunks of one export, as columns and rows.
//!
//! Start at [`open`] or [`open_all`]. The content of a file tells its format, not its name. Every value is JSON text
//! that keeps its digits ([`Json`]), whatever the format; protocol.md §2.5 says what is in an export.
//!
//! | in Parquet | as JSON |
//! | --- | --- |
//! | integers, decimals | numbers with all their digits |
//! | floats | the shortest number that is the same float; `null` for NaN and the infinities, which JSON has no word for |
//! | strings, enums, JSON | strings |
//! | other bytes | a string in hexadecimal, lower case; UUIDs with their hyphens |
//! | dates, times of day | `"2026-11-29"`, `"10:30:00.25"` |
//! | timestamps | RFC 3339 in UTC; without `Z` if the file says that they are in no time zone |
//! | lists, groups | arrays, objects |
//! | maps | objects if the keys are strings, else arrays of pairs |
//!
//! Dates and times outside of the years from -9999 to 9999 stay the numbers that they are in the file.
//!
//! Memory: a JSON file is read whole, up to [`MAX_JSON`]; of a Parquet file the footer, a page of each column that is
//! asked for, and one row. A Parquet page unpacks to at most 2 GiB, which a hostile file can make use of.
//!
//! Not here: downloading (the client), and tables for people (`cli`).

mod columns;
mod error;
mod json;
#[cfg(feature = "parquet")]
mod parquet;

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

pub use self::error::Error;
pub use self::json::MAX_JSON;
use crate::api::model::Json;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Apache Parquet.
    Parquet,
    /// One JSON document: an envelope whose member holds the rows, or an array of rows.
    Json,
    /// One JSON object a line.
    JsonLines,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Parquet => "Parquet",
            Self::Json => "JSON",
            Self::JsonLines => "JSON lines",
        })
    }
}

/// A column at the top level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What it holds, in a word.
    ///
    /// Parquet: `bool`, `int8` to `int64`, `uint8` to `uint64`, `float16` to `float64`, `decimal(9,2)`, `string`,
    /// `json`, `binary`, `uuid`, `date`, `time`, `timestamp`, `null`, `list<string>`, `map<string, int64>`, `object`.
    /// JSON: `bool`, `integer`, `number`, `string`, `list`, `object`, `null`, or `mixed`.
    pub kind: String,
    /// True when it may be null, or in JSON when some row does not have it.
    pub nullable: bool,
}

/// One row: its values by the names of their columns, in order. A JSON row has what it has in the file: a member
/// that it leaves out is not made null.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Row(Vec<(String, Json)>);

impl Row {
    /// The value in a column; the last one where a JSON object repeats a name.
    pub fn get(&self, column: &str) -> Option<&Json> {
        self.0.iter().rev().find(|(name, _)| name == column).map(|(_, value)| value)
    }

    /// All values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?;
        map.end()
    }
}

/// A data set: one file, or several that belong together.
#[derive(Debug)]
pub struct Source {
    format: Format,
    columns: Vec<Column>,
    meta: Vec<(String, String)>,
    row_count: Option<u64>,
    contents: Vec<Content>,
}

/// What was opened, by its format.
#[derive(Debug)]
enum Content {
    Json(json::Document),
    #[cfg(feature = "parquet")]
    Parquet(Box<parquet::Document>),
}

/// Opens a file.
///
/// # Errors
/// When it cannot be read, is in no known format, is damaged or too large.
pub fn open(path: impl AsRef<Path>) -> Result<Source, Error> {
    let path = path.as_ref();
    let mut file = File::open(path).map_err(|why| Error::io(path, why))?;
    let mut head = Vec::new();
    file.by_ref().take(4).read_to_end(&mut head).map_err(|why| Error::io(path, why))?;
    match head.as_slice() {
        b"PAR1" => open_parquet(path, file),
        b"PARE" => Err(Error::content(path, "is an encrypted Parquet file, which cannot be read")),
        [0x1F, 0x8B, ..] => {
            Err(Error::content(path, "is compressed: unpack it first, for example with `gunzip`"))
        }
        [] => Err(Error::content(path, "is empty")),
        _ => json::open(path, head.chain(file)),
    }
}

#[cfg(feature = "parquet")]
fn open_parquet(path: &Path, file: File) -> Result<Source, Error> {
    parquet::open(path, file)
}

#[cfg(not(feature = "parquet"))]
fn open_parquet(path: &Path, _file: File) -> Result<Source, Error> {
    Err(Error::content(
        path,
        "is a Parquet file: this build of `gert` was made without the feature `parquet`",
    ))
}

/// Opens the chunks of an export as one data set, in this order.
///
/// Parquet files must have the same columns, in any order; one that holds nothing but nulls goes with every kind.
/// JSON rows leave out what is unknown, so the columns are those of all files together. What several files say about
/// themselves under one name is taken from the first.
///
/// # Errors
/// When one of them cannot be opened, when they are of different formats or have different columns, and when there
/// is none.
pub fn open_all(paths: &[PathBuf]) -> Result<Source, Error> {
    let (first, rest) = paths.split_first().ok_or(Error::NoFiles)?;
    let mut all = open(first)?;
    for path in rest {
        let next = open(path)?;
        let differs = |how| Error::Differs { path: path.clone(), first: first.clone(), how };
        if next.format != all.format {
            return Err(differs(format!("one is {}, the other is {}", next.format, all.format)));
        }
        match all.format {
            Format::Parquet => columns::merge_same(&mut all.columns, next.columns).map_err(differs)?,
            Format::Json | Format::JsonLines => {
                let is_empty = |rows: Option<u64>| rows == Some(0);
                let fresh = (is_empty(all.row_count), is_empty(next.row_count));
                columns::merge_all(&mut all.columns, next.columns, fresh);
            }
        }
        for (name, value) in next.meta {
            if !all.meta.iter().any(|(known, _)| *known == name) {
                all.meta.push((name, value));
            }
        }
        all.row_count = all.row_count.zip(next.row_count).and_then(|(one, other)| one.checked_add(other));
        all.contents.extend(next.contents);
    }
    Ok(all)
}

/// True while this thread reads a Parquet file and a panic would be caught and told as an error: the library that
/// reads it panics on some damaged files. A panic hook that ends the program, or says so, must not do it then.
pub fn is_guarded() -> bool {
    #[cfg(feature = "parquet")]
    return parquet::is_guarded();
    #[cfg(not(feature = "parquet"))]
    false
}

impl Source {
    /// How the files are written.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The columns, in the order of the first file.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// What the files say about themselves: Parquet's file-level metadata, or the members of a JSON envelope beside
    /// the rows. `score_context:<slug>` is one entry for each game in both; a member of an envelope that is large, such
    /// as `transcripts`, is told by its size.
    pub fn meta(&self) -> &[(String, String)] {
        &self.meta
    }

    /// How many rows there are; `None` when a file gives a number that cannot be.
    pub fn row_count(&self) -> Option<u64> {
        self.row_count
    }

    /// Reads the rows: all columns, or these in this order, each once. Ends after the first error.
    ///
    /// # Errors
    /// When there is no such column, or one has a type that cannot be read; each row fails on its own when the file is
    /// damaged there.
    pub fn rows<'a>(
        &'a self,
        columns: Option<&[String]>,
    ) -> Result<impl Iterator<Item = Result<Row, Error>> + use<'a>, Error> {
        let chosen = columns.map(|names| columns::choose(&self.columns, names)).transpose()?;
        let mut parts: Vec<Rows<'a>> = Vec::new();
        for content in &self.contents {
            parts.push(match content {
                Content::Json(document) => Box::new(document.rows(chosen.clone())),
                #[cfg(feature = "parquet")]
                Content::Parquet(document) => {
                    // Chunks may have the columns in another order.
                    let all = || self.columns.iter().map(|column| column.name.clone()).collect();
                    Box::new(document.rows(&chosen.clone().unwrap_or_else(all))?)
                }
            });
        }
        let mut failed = false;
        Ok(parts.into_iter().flatten().take_while(move |row| !std::mem::replace(&mut failed, row.is_err())))
    }
}

/// The rows of one file.
type Rows<'a> = Box<dyn Iterator<Item = Result<Row, Error>> + 'a>;

#[cfg(test)]
mod tests;
