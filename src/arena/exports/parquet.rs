//! Parquet files, with the crate's column writers: a row group after the other, so that little is in memory.

use std::fs::File;
use std::io;
use std::sync::Arc;

use ::parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::types::{Type, TypePtr};
use serde_json::Value;

use super::SCHEMA_VERSION;
use super::chunks::Sheet;
use super::context::Envelope;
use super::table::{Cell, Of, Schema};

/// A row group ends with the row that makes its cells as large as this, in bytes, before they are packed.
const GROUP_BYTES: usize = 8 << 20;

/// Rows in a group at most.
const GROUP_ROWS: usize = 50_000;

/// A file in the making.
pub(super) struct ParquetSheet {
    schema: Schema,
    writer: SerializedFileWriter<File>,
    /// Rows of the next group, payloads behind their other cells.
    rows: Vec<Vec<Cell>>,
    size: usize,
}

impl ParquetSheet {
    /// Begins a file.
    pub(super) fn new(schema: Schema, file: File) -> io::Result<Self> {
        let level = ZstdLevel::try_new(1).map_err(io_error)?;
        let properties = WriterProperties::builder().set_compression(Compression::ZSTD(level)).build();
        let root = message(&schema).map_err(io_error)?;
        let writer = SerializedFileWriter::new(file, root, Arc::new(properties)).map_err(io_error)?;
        Ok(Self { schema, writer, rows: Vec::new(), size: 0 })
    }

    fn put_group(&mut self) -> Result<(), ParquetError> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let rows = std::mem::take(&mut self.rows);
        self.size = 0;
        let kinds: Vec<Of> = kinds(&self.schema).map(|(_, of)| of).collect();
        let mut group = self.writer.next_row_group()?;
        for (nth, of) in kinds.into_iter().enumerate() {
            let cells = rows.iter().map(|row| row.get(nth).unwrap_or(&Cell::Absent));
            match of {
                Of::Text => put::<ByteArrayType>(&mut group, cells, |cell| match cell {
                    Cell::Text(text) | Cell::Json(text) => Some(ByteArray::from(text.as_str())),
                    _ => None,
                })?,
                Of::Whole => put::<Int64Type>(&mut group, cells, |cell| match cell {
                    Cell::Whole(number) => Some(*number),
                    _ => None,
                })?,
                Of::Number => put::<DoubleType>(&mut group, cells, |cell| match cell {
                    Cell::Number(number) if number.is_finite() => Some(*number),
                    _ => None,
                })?,
                Of::Flag => put::<BoolType>(&mut group, cells, |cell| match cell {
                    Cell::Flag(flag) => Some(*flag),
                    _ => None,
                })?,
            }
        }
        group.close()?;
        Ok(())
    }
}

impl Sheet for ParquetSheet {
    fn push(&mut self, row: &[Cell], payload: Option<&[Cell]>) -> io::Result<()> {
        let row: Vec<Cell> = row.iter().chain(payload.unwrap_or_default()).cloned().collect();
        self.size += row.iter().map(Cell::size).sum::<usize>();
        self.rows.push(row);
        if self.size >= GROUP_BYTES || self.rows.len() >= GROUP_ROWS {
            self.put_group().map_err(io_error)?;
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        (self.writer.bytes_written() + self.size) as u64
    }

    fn finish(mut self: Box<Self>, envelope: &Envelope, completeness: &Value) -> io::Result<()> {
        self.put_group().map_err(io_error)?;
        for (game, context) in &envelope.score_context {
            self.say(format!("score_context:{game}"), context.to_string());
        }
        for (name, text) in &envelope.prompts {
            self.say(format!("game_prompt:{name}"), text.clone());
        }
        self.say("completeness".to_owned(), completeness.to_string());
        self.say("export_type".to_owned(), envelope.export_type.as_str().to_owned());
        self.say("exported_at".to_owned(), envelope.exported_at.clone());
        self.say("schema_version".to_owned(), SCHEMA_VERSION.to_string());
        self.writer.into_inner().map_err(io_error)?.sync_all()
    }
}

impl ParquetSheet {
    fn say(&mut self, key: String, value: String) {
        self.writer.append_key_value_metadata(KeyValue::new(key, value));
    }
}

/// The columns of a file in order, all of them nullable.
fn kinds(schema: &Schema) -> impl Iterator<Item = (&'static str, Of)> {
    let payloads = schema.payloads.iter().map(|payload| (payload.column, Of::Text));
    schema.columns.iter().map(|column| (column.name, column.of)).chain(payloads)
}

fn message(schema: &Schema) -> Result<TypePtr, ParquetError> {
    let field = |(name, of): (&str, Of)| {
        let (physical, logical) = match of {
            Of::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Of::Whole => (Physical::INT64, None),
            Of::Number => (Physical::DOUBLE, None),
            Of::Flag => (Physical::BOOLEAN, None),
        };
        let builder = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
        builder.with_logical_type(logical).build().map(Arc::new)
    };
    let fields = kinds(schema).map(field).collect::<Result<_, _>>()?;
    Ok(Arc::new(Type::group_type_builder("records").with_fields(fields).build()?))
}

/// Writes the next column of a group.
fn put<'c, T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    cells: impl Iterator<Item = &'c Cell>,
    value: impl Fn(&Cell) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("a column too many".to_owned()));
    };
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    for cell in cells {
        let value = value(cell);
        levels.push(i16::from(value.is_some()));
        values.extend(value);
    }
    column.typed::<T>().write_batch(&values, Some(&levels), None)?;
    column.close()
}

fn io_error(error: ParquetError) -> io::Error {
    io::Error::other(error)
}
