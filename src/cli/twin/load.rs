//! `gert exports load FILE…`: what is in export files. For people the schema, the files' own words and the first rows;
//! for programs the rows as CSV or JSON. Pure but for the files: it writes to whatever it is given.
//!
//! In CSV a string is its text, null and what a row does not have are empty, numbers keep their digits, and lists and
//! objects are JSON on one line. Values are not changed, also those that begin with `=`, `+`, `-` or `@`, which
//! spreadsheets take for formulas: import such a file as text.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Once;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::failure::Failure;
use super::method::{Method, View};
use super::output::{self, Output};
use super::{Context, long, show};
use crate::api::model::{Extra, Json};
use crate::api::{Field, Kind, Place};
use crate::dataset::{self, Column, Row, Source};
use crate::text;

/// How many rows people see unless they say.
const HEAD: usize = 10;

/// The widest a cell gets.
const WIDEST: usize = 40;

/// Narrower than this no cell is cut to make room for another column.
const NARROWEST: usize = 12;

/// Between two columns.
const GAP: usize = 2;

/// Metadata that repeats the schema in the language of the library that wrote the file.
const SCHEMA_COPY: &str = "ARROW:schema";

/// What of the files, and in which form.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Options {
    /// These columns in this order; without it all.
    pub columns: Option<Vec<String>>,
    /// How many rows, 0 for all; without it ten for people and all for programs.
    pub head: Option<usize>,
    /// In which form.
    pub to: To,
    /// How wide the tables for people may be; without it as wide as they get.
    pub width: Option<usize>,
}

/// In which form rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum To {
    /// Tables.
    #[default]
    People,
    /// Comma-separated values under a head line.
    Csv,
    /// One array.
    Json,
    /// One object a line.
    JsonLines,
}

/// `gert exports load`.
pub(super) const LOAD: Method = Method {
    name: "load",
    operation: "exports.download",
    about: "Shows what is in an export or in export files: schema, the files' own words and the first rows.\n\n\
            An export is downloaded into a temporary folder first. For programs the rows come as CSV or JSON, all of \
            them unless `--head` says otherwise.",
    fields: &[
        Field {
            name: "source",
            about: "Which export, by its job; or files of one: JSON, JSON lines or Parquet.",
            kind: Kind::Texts,
            place: Place::Path,
        },
        Field {
            name: "columns",
            about: "These columns in this order, with commas between them or one a flag.",
            kind: Kind::Texts,
            place: Place::Optional,
        },
        Field {
            name: "head",
            about: "The first N rows, 0 for all; 10 unless set, for programs all.",
            kind: Kind::Integer,
            place: Place::Optional,
        },
        Field {
            name: "to",
            about: "Write the rows as `csv`, `jsonl` or `json`.",
            kind: Kind::Text,
            place: Place::Optional,
        },
    ],
    more: &[],
    view: View::Record,
    pages: false,
    watch: false,
    run: load,
};

fn load<'a>(context: &'a Context, _: &'a Method, members: Extra) -> BoxFuture<'a, Result<(), Failure>> {
    async move {
        let options = Options::of(&members, context.output)?;
        let sources: Vec<String> = members.decode("source").unwrap_or_default();
        // Kept until the rows are printed.
        let mut folder = None;
        let paths = match sources.as_slice() {
            [job] if !is_file(job) => {
                let folder =
                    folder.insert(tempfile::tempdir().map_err(|error| {
                        Failure::Local(format!("there is no room for the export: {error}"))
                    })?);
                long::files(context, &job.as_str().into(), folder.path()).await?
            }
            files => files.iter().map(PathBuf::from).collect(),
        };
        if paths.is_empty() {
            output::say("the export is empty: there are no rows");
            return Ok(());
        }
        let work = move || run(&paths, &options, &mut io::stdout().lock());
        let done = tokio::task::spawn_blocking(work).await;
        done.unwrap_or_else(|_| Err(Failure::Local("the rows could not be read".into())))
    }
    .boxed()
}

/// A file is there, or looks like one; the name of a job does not.
fn is_file(source: &str) -> bool {
    let path = Path::new(source);
    path.is_file() || path.components().count() > 1 || path.extension().is_some()
}

impl Options {
    /// What the flags ask for.
    fn of(members: &Extra, output: Output) -> Result<Self, Failure> {
        let to = match (members.decode::<String>("to").as_deref(), output) {
            (Some("csv"), _) => To::Csv,
            (Some("jsonl"), _) | (None, Output::JsonLines) => To::JsonLines,
            (Some("json"), _) | (None, Output::Json) => To::Json,
            (None, Output::People) => To::People,
            (Some(other), _) => {
                return Err(Failure::Usage(format!("--to takes `csv`, `jsonl` or `json`, not `{other}`")));
            }
        };
        let columns = members.decode::<Vec<String>>("columns").map(|names| {
            names.iter().flat_map(|names| names.split(',')).map(|name| name.trim().to_owned()).collect()
        });
        Ok(Self { columns, head: members.decode("head"), to, width: output::width() })
    }
}

/// Shows or writes the rows of these files, which are one data set in this order.
pub(super) fn run(paths: &[PathBuf], options: &Options, out: &mut impl Write) -> Result<(), Failure> {
    quiet_guarded_panics();
    let source = dataset::open_all(paths)?;
    let columns = chosen(&source, options.columns.as_deref());
    let default = if options.to == To::People { HEAD } else { 0 };
    let head = Some(options.head.unwrap_or(default)).filter(|head| *head > 0).unwrap_or(usize::MAX);
    let rows = source.rows(options.columns.as_deref())?.take(head);
    let mut rows = rows.map(|row| row.map_err(Failure::from));
    let mut out = BufWriter::new(out);
    match options.to {
        To::People => {
            let rows: Vec<Row> = rows.collect::<Result<_, _>>()?;
            let words = people(&source, paths, &columns, &rows, options.width);
            out.write_all(words.as_bytes()).map_err(unwritten)?;
        }
        To::Csv => csv(&columns, rows, &mut out)?,
        To::JsonLines => rows.try_for_each(|row| writeln!(out, "{}", one_line(&row?)).map_err(unwritten))?,
        To::Json => {
            let mut lead = "[";
            for row in rows {
                write!(out, "{lead}{}", one_line(&row?)).map_err(unwritten)?;
                lead = ",\n ";
            }
            writeln!(out, "{}", if lead == "[" { "[]" } else { "]" }).map_err(unwritten)?;
        }
    }
    out.flush().map_err(unwritten)
}

/// The columns that are asked for. Names that do not exist are refused with the rows.
fn chosen<'a>(source: &'a Source, names: Option<&[String]>) -> Vec<&'a Column> {
    let Some(names) = names else { return source.columns().iter().collect() };
    let mut columns: Vec<&Column> = Vec::new();
    for name in names {
        let found = source.columns().iter().find(|column| column.name == *name);
        columns.extend(found.filter(|column| !columns.contains(column)));
    }
    columns
}

impl From<dataset::Error> for Failure {
    fn from(error: dataset::Error) -> Self {
        let words = crate::cli::chain(&error);
        match error {
            dataset::Error::Column { .. } | dataset::Error::NoFiles => Self::Usage(words),
            _ => Self::Local(words),
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "goes into `map_err`")]
fn unwritten(error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::Pipe,
        _ => Failure::Local(format!("the rows cannot be written: {error}")),
    }
}

/// A damaged file is told as an error; nobody needs to read where a library noticed it.
fn quiet_guarded_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !dataset::is_guarded() {
                print(panic);
            }
        }));
    });
}

fn csv(
    columns: &[&Column],
    rows: impl Iterator<Item = Result<Row, Failure>>,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let broken = |error: csv::Error| match error.into_kind() {
        csv::ErrorKind::Io(error) => unwritten(error),
        kind => Failure::Local(format!("the rows cannot be written: {kind:?}")),
    };
    // A record of no fields cannot be told from one of an empty field.
    if columns.is_empty() {
        return Ok(());
    }
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(columns.iter().map(|column| &column.name)).map_err(broken)?;
    for row in rows {
        let row = row?;
        let cells = columns.iter().map(|column| csv_cell(row.get(&column.name)));
        writer.write_record(cells.map(Cow::into_owned)).map_err(broken)?;
    }
    writer.flush().map_err(unwritten)
}

fn csv_cell(json: Option<&Json>) -> Cow<'_, str> {
    match json.map(Json::get) {
        None | Some("null") => Cow::Borrowed(""),
        Some(raw) if raw.starts_with('"') => serde_json::from_str(raw).map_or(Cow::Borrowed(raw), Cow::Owned),
        Some(raw) => without_breaks(raw),
    }
}

fn one_line(row: &Row) -> String {
    // Keys are strings and values are JSON already.
    let line = serde_json::to_string(row).unwrap_or_default();
    without_breaks(&line).into_owned()
}

/// JSON on one line: what is written over several is freed of the space between its words.
fn without_breaks(json: &str) -> Cow<'_, str> {
    if !json.contains(['\n', '\r']) {
        return Cow::Borrowed(json);
    }
    let (mut in_string, mut escaped) = (false, false);
    Cow::Owned(
        json.chars()
            .filter(|letter| {
                let keep = in_string || !letter.is_ascii_whitespace();
                if *letter == '"' && !escaped {
                    in_string = !in_string;
                }
                escaped = in_string && *letter == '\\' && !escaped;
                keep
            })
            .collect(),
    )
}

/// Everything for people.
fn people(
    source: &Source,
    paths: &[PathBuf],
    columns: &[&Column],
    rows: &[Row],
    width: Option<usize>,
) -> String {
    let mut out = head_line(source, paths);
    let schema = source.columns().iter().map(|column| {
        let null = if column.nullable { "yes" } else { "" };
        vec![clean(&column.name), clean(&column.kind), null.to_owned()]
    });
    if !source.columns().is_empty() {
        out.push('\n');
        out.push_str(&table(["COLUMN", "TYPE", "NULL"], &schema.collect::<Vec<_>>(), width));
    }
    let meta = source.meta().iter().filter(|(name, _)| name != SCHEMA_COPY);
    let meta: Vec<Vec<String>> =
        meta.map(|(name, value)| vec![clean(name), text::excerpt(value, 200).into_owned()]).collect();
    if !meta.is_empty() {
        out.push('\n');
        out.push_str(&table(["METADATA", "VALUE"], &meta, width));
    }
    if rows.is_empty() || columns.is_empty() {
        return out;
    }
    let titles: Vec<(String, bool)> =
        columns.iter().map(|column| (clean(&column.name), is_number(&column.kind))).collect();
    let cells: Vec<Vec<String>> =
        rows.iter().map(|row| columns.iter().map(|column| cell(row.get(&column.name))).collect()).collect();
    let widths = fit(natural(&titles, &cells).into_iter().map(|column| column.min(WIDEST)).collect(), width);
    out.push('\n');
    out.push_str(&draw(&titles, &cells, &widths));
    let mut notes = Vec::new();
    if widths.len() < titles.len() {
        notes.push(format!("{} of {} columns; `--columns A,B` chooses\n", widths.len(), titles.len()));
    }
    if let Some(all) = source.row_count().filter(|all| *all > rows.len() as u64) {
        notes.push(format!("{} of {}; `--head 0` shows all\n", rows.len(), count(all, "row")));
    }
    if !notes.is_empty() {
        out.push('\n');
        out.extend(notes);
    }
    out
}

/// A value on one line; null is nothing.
fn cell(json: Option<&Json>) -> String {
    let Some(json) = json.filter(|json| json.get() != "null") else { return String::new() };
    match without_breaks(json.get()) {
        Cow::Borrowed(_) => show::short(json),
        Cow::Owned(flat) => Json::parse(&flat).map_or(flat, |json| show::short(&json)),
    }
}

fn head_line(source: &Source, paths: &[PathBuf]) -> String {
    let name = match paths {
        [path] => clean(&path.display().to_string()),
        _ => format!("{} files", paths.len()),
    };
    let rows = source.row_count().map_or("an unknown number of rows".into(), |rows| count(rows, "row"));
    let columns = count(source.columns().len() as u64, "column");
    format!("{name}: {}, {rows}, {columns}\n", source.format())
}

fn count(number: u64, of: &str) -> String {
    format!("{} {of}{}", text::grouped(number as f64, 0), if number == 1 { "" } else { "s" })
}

fn clean(words: &str) -> String {
    text::excerpt(words, 120).into_owned()
}

fn is_number(kind: &str) -> bool {
    ["int", "uint", "float", "decimal", "number"].iter().any(|number| kind.starts_with(number))
}

/// Text under titles.
fn table<const N: usize>(titles: [&str; N], rows: &[Vec<String>], width: Option<usize>) -> String {
    let titles = titles.map(|title| (title.to_owned(), false));
    draw(&titles, rows, &fit(natural(&titles, rows), width))
}

/// The widths that show everything.
fn natural(titles: &[(String, bool)], rows: &[Vec<String>]) -> Vec<usize> {
    let column = |(index, (title, _)): (usize, &(String, bool))| {
        let cells = rows.iter().map(|row| text::width(&row[index])).max();
        cells.unwrap_or(0).max(text::width(title))
    };
    titles.iter().enumerate().map(column).collect()
}

/// The widths of as many columns as fit, the widest cut first.
fn fit(mut widths: Vec<usize>, room: Option<usize>) -> Vec<usize> {
    let Some(room) = room else { return widths };
    let total = |widths: &[usize]| widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
    let mut least: Vec<usize> = widths.iter().map(|width| *width.min(&NARROWEST)).collect();
    while least.len() > 1 && total(&least) > room {
        least.pop();
    }
    widths.truncate(least.len());
    while total(&widths) > room {
        let Some(widest) = widths.iter_mut().max().filter(|widest| **widest > 1) else { break };
        *widest -= 1;
    }
    widths
}

/// Rows under titles, in the columns that have a width; a title says whether its column is flush right.
fn draw(titles: &[(String, bool)], rows: &[Vec<String>], widths: &[usize]) -> String {
    let mut out = String::new();
    let mut push = |cells: &mut dyn Iterator<Item = &String>| {
        let mut line = String::new();
        for ((cell, width), (_, flush_right)) in cells.zip(widths).zip(titles) {
            let cell = if *flush_right { text::pad_left(cell, *width) } else { text::pad(cell, *width) };
            line.push_str(&cell);
            line.push_str(&" ".repeat(GAP));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    };
    push(&mut titles.iter().map(|(title, _)| title));
    for row in rows {
        push(&mut row.iter());
    }
    out
}

#[cfg(test)]
mod tests;
