//! JSON files: an envelope with the rows in `records`, a row a line.

use std::fs::File;
use std::io::{self, BufWriter, Read as _, Seek as _, Write};

use serde::Serialize;
use serde_json::json;

use super::SCHEMA_VERSION;
use super::chunks::Sheet;
use super::context::Envelope;
use super::table::{Cell, Schema};

/// A file in the making. The maps of the envelope come after the rows, so each is kept in a file of its own until then.
pub(super) struct JsonSheet {
    schema: Schema,
    file: BufWriter<File>,
    maps: Vec<BufWriter<File>>,
    entries: Vec<u64>,
    bytes: u64,
    rows: u64,
}

impl JsonSheet {
    /// Begins a file.
    pub(super) fn new(schema: Schema, file: File) -> io::Result<Self> {
        let maps = schema.payloads.iter().map(|_| tempfile::tempfile().map(BufWriter::new));
        let mut sheet = Self {
            schema,
            file: BufWriter::new(file),
            maps: maps.collect::<Result<_, _>>()?,
            entries: vec![0; schema.payloads.len()],
            bytes: 0,
            rows: 0,
        };
        sheet.file.write_all(b"{\"records\":[")?;
        Ok(sheet)
    }

    fn put_map(&mut self, nth: usize) -> io::Result<()> {
        let map = &mut self.maps[nth];
        map.flush()?;
        let mut spooled = map.get_ref();
        spooled.rewind()?;
        let mut text = spooled.take(u64::MAX);
        io::copy(&mut text, &mut self.file)?;
        Ok(())
    }
}

impl Sheet for JsonSheet {
    fn push(&mut self, row: &[Cell], payload: Option<&[Cell]>) -> io::Result<()> {
        let mut line = Vec::with_capacity(256);
        line.extend_from_slice(if self.rows == 0 { b"\n{" } else { b",\n{" });
        let mut is_first = true;
        for (column, cell) in self.schema.columns.iter().zip(row) {
            if matches!(cell, Cell::Absent) || matches!(cell, Cell::Number(number) if !number.is_finite()) {
                continue;
            }
            if !std::mem::take(&mut is_first) {
                line.push(b',');
            }
            put(&mut line, column.name)?;
            line.push(b':');
            put_cell(&mut line, cell)?;
        }
        line.push(b'}');
        self.file.write_all(&line)?;
        self.bytes += line.len() as u64;
        self.rows += 1;
        let (Some(payload), Some(Cell::Text(key))) = (payload, row.first()) else { return Ok(()) };
        for (nth, cell) in payload.iter().enumerate().filter(|(_, cell)| cell.is_there()) {
            let mut entry = Vec::with_capacity(64 + cell.size());
            entry.extend_from_slice(if self.entries[nth] == 0 { b"\n" } else { b",\n" });
            put(&mut entry, key)?;
            entry.push(b':');
            put_cell(&mut entry, cell)?;
            self.maps[nth].write_all(&entry)?;
            self.bytes += entry.len() as u64;
            self.entries[nth] += 1;
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn finish(mut self: Box<Self>, envelope: &Envelope, completeness: &serde_json::Value) -> io::Result<()> {
        self.file.write_all(b"\n]")?;
        for (nth, payload) in self.schema.payloads.iter().enumerate() {
            write!(self.file, ",\n{}:{{", json!(payload.map))?;
            self.put_map(nth)?;
            self.file.write_all(b"}")?;
        }
        let score_context: serde_json::Map<_, _> = envelope.score_context.iter().cloned().collect();
        let prompts: serde_json::Map<_, _> =
            envelope.prompts.iter().map(|(name, text)| (name.clone(), json!(text))).collect();
        let rest = json!({
            "score_context": score_context,
            "game_prompts": prompts,
            "completeness": completeness,
            "export_type": envelope.export_type.as_str(),
            "exported_at": envelope.exported_at,
            "schema_version": SCHEMA_VERSION,
        });
        for (name, value) in rest.as_object().into_iter().flatten() {
            write!(self.file, ",\n{}:{value}", json!(name))?;
        }
        self.file.write_all(b"\n}\n")?;
        self.file.into_inner()?.sync_all()
    }
}

fn put(line: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
    Ok(serde_json::to_writer(line, value)?)
}

fn put_cell(line: &mut Vec<u8>, cell: &Cell) -> io::Result<()> {
    match cell {
        Cell::Absent | Cell::Null => line.extend_from_slice(b"null"),
        Cell::Text(text) => put(line, text)?,
        Cell::Json(text) => line.extend_from_slice(text.as_bytes()),
        Cell::Whole(number) => put(line, number)?,
        Cell::Number(number) => put(line, number)?,
        Cell::Flag(flag) => put(line, flag)?,
    }
    Ok(())
}
