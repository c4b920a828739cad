//! Cuts rows into files of a bounded size and counts what is in them.

use std::io;
use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::context::Envelope;
use super::folder::Making;
use super::json::JsonSheet;
use super::table::{Cell, Schema};
use super::{ExportLimits, Format};

/// A file in the making.
pub(super) trait Sheet {
    /// Adds a row; with it what belongs to its group, if it is the group's first row in this file.
    fn push(&mut self, row: &[Cell], payload: Option<&[Cell]>) -> io::Result<()>;
    /// How large it is, about.
    fn bytes(&self) -> u64;
    /// Writes the rest and makes it safe on the disk.
    fn finish(self: Box<Self>, envelope: &Envelope, completeness: &Value) -> io::Result<()>;
}

/// A file that is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Made {
    /// Where it lies for now.
    pub path: PathBuf,
    /// How many rows it holds.
    pub records: u64,
}

/// What is there and what is not.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    present: u64,
    missing: u64,
}

impl Count {
    fn add(&mut self, is_there: bool) {
        *(if is_there { &mut self.present } else { &mut self.missing }) += 1;
    }
}

/// A file and what was counted in it.
struct Open {
    sheet: Box<dyn Sheet>,
    path: PathBuf,
    records: u64,
    columns: Vec<Count>,
    payloads: Vec<Count>,
}

/// The files of an export, one after the other.
pub(super) struct Chunks<'a> {
    schema: Schema,
    format: Format,
    envelope: Envelope,
    place: &'a Making,
    limits: ExportLimits,
    open: Option<Open>,
    made: Vec<Made>,
    /// What belongs to the group that is being written.
    payload: Vec<Cell>,
    /// Whether the group has no row in this file yet.
    is_fresh: bool,
    /// Groups since the last file.
    groups: Count,
}

impl<'a> Chunks<'a> {
    pub(super) fn new(
        schema: Schema,
        format: Format,
        envelope: Envelope,
        place: &'a Making,
        limits: ExportLimits,
    ) -> Self {
        Self {
            schema,
            format,
            envelope,
            place,
            limits,
            open: None,
            made: Vec::new(),
            payload: Vec::new(),
            is_fresh: true,
            groups: Count::default(),
        }
    }

    /// Begins a group.
    pub(super) fn group(&mut self, payload: Vec<Cell>) {
        (self.payload, self.is_fresh) = (payload, true);
        self.groups.present += 1;
    }

    /// Notes a group that cannot be made.
    pub(super) fn missing_group(&mut self) {
        self.groups.missing += 1;
    }

    /// Adds a row to the group.
    pub(super) fn push(&mut self, row: &[Cell]) -> io::Result<()> {
        if self.open.is_none() {
            self.open = Some(self.begin()?);
            self.is_fresh = true;
        }
        let Some(open) = &mut self.open else { return Ok(()) };
        let payload = Some(self.payload.as_slice()).filter(|_| self.is_fresh);
        open.sheet.push(row, payload)?;
        open.records += 1;
        for (count, cell) in open.columns.iter_mut().zip(row) {
            count.add(cell.is_there());
        }
        if let Some(payload) = payload {
            for (count, cell) in open.payloads.iter_mut().zip(payload) {
                count.add(cell.is_there());
            }
        }
        self.is_fresh = false;
        if open.sheet.bytes() >= self.limits.chunk_bytes || open.records >= self.limits.chunk_records {
            self.end()?;
        }
        Ok(())
    }

    fn begin(&self) -> io::Result<Open> {
        let (file, path) = self.place.file(self.made.len())?;
        let sheet: Box<dyn Sheet> = match self.format {
            Format::Json => Box::new(JsonSheet::new(self.schema, file)?),
            #[cfg(feature = "parquet")]
            Format::Parquet => Box::new(super::parquet::ParquetSheet::new(self.schema, file)?),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => return Err(io::Error::from(io::ErrorKind::Unsupported)),
        };
        Ok(Open {
            sheet,
            path,
            records: 0,
            columns: vec![Count::default(); self.schema.columns.len()],
            payloads: vec![Count::default(); self.schema.payloads.len()],
        })
    }

    fn end(&mut self) -> io::Result<()> {
        let Some(open) = self.open.take() else { return Ok(()) };
        let completeness = self.completeness(&open);
        open.sheet.finish(&self.envelope, &completeness)?;
        self.made.push(Made { path: open.path, records: open.records });
        self.groups = Count::default();
        Ok(())
    }

    /// Counts of one file: rows, groups, and the values that may be missing.
    fn completeness(&self, open: &Open) -> Value {
        let mut json = Map::new();
        json.insert("records".to_owned(), open.records.into());
        let mut put = |name: &str, count: Count| {
            json.insert(name.to_owned(), json!({ "present": count.present, "missing": count.missing }));
        };
        put("groups", self.groups);
        for (column, count) in
            self.schema.columns.iter().zip(&open.columns).filter(|(column, _)| column.counted)
        {
            put(column.name, *count);
        }
        for (payload, count) in self.schema.payloads.iter().zip(&open.payloads) {
            put(payload.column, *count);
        }
        Value::Object(json)
    }

    /// Ends the last file.
    pub(super) fn finish(mut self) -> io::Result<Vec<Made>> {
        self.end()?;
        Ok(self.made)
    }
}
