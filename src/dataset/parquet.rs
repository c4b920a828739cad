//! Parquet exports, read by row with the crate's record API.
//!
//! That API trusts the files it reads: it panics on schemas that it does not expect, and a schema that is deep or
//! counts wrongly takes the stack or all memory, which nothing can catch. So [`footer`] looks at the schema before the
//! crate does, [`schema`] refuses what the API does not know, and what still panics, on damaged pages, is caught.

mod footer;
mod schema;
mod value;

use std::cell::Cell;
use std::collections::VecDeque;
use std::fmt;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::reader::{ReaderIter, TreeBuilder};
use ::parquet::schema::types::{SchemaDescPtr, SchemaDescriptor, Type, TypePtr};

use super::{Content, Error, Format, Row, Source};
use crate::api::model::Json;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

pub(super) fn is_guarded() -> bool {
    GUARDED.get()
}

/// An open file.
pub(super) struct Document {
    path: PathBuf,
    reader: SerializedFileReader<File>,
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Document").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Opens a file and reads its footer.
pub(super) fn open(path: &Path, mut file: File) -> Result<Source, Error> {
    footer::check(&mut file).map_err(|why| match why {
        footer::Fault::Io(why) => Error::io(path, why),
        footer::Fault::Damaged(why) => Error::damaged(path, why),
    })?;
    let reader = guarded(path, || SerializedFileReader::new(file))?;
    let document = Document { path: path.to_owned(), reader };
    schema::check(document.root()).map_err(|why| Error::content(path, why))?;
    let meta = document.reader.metadata().file_metadata();
    let pairs = meta.key_value_metadata().into_iter().flatten();
    Ok(Source {
        format: Format::Parquet,
        columns: document.root().get_fields().iter().map(|field| schema::column(field)).collect(),
        meta: pairs.map(|pair| (pair.key.clone(), pair.value.clone().unwrap_or_default())).collect(),
        row_count: document.row_count(),
        contents: vec![Content::Parquet(Box::new(document))],
    })
}

impl Document {
    fn root(&self) -> &Type {
        self.reader.metadata().file_metadata().schema()
    }

    /// The sum over the row groups, by which rows are read.
    fn row_count(&self) -> Option<u64> {
        let mut groups = self.reader.metadata().row_groups().iter();
        groups.try_fold(0_u64, |sum, group| sum.checked_add(u64::try_from(group.num_rows()).ok()?))
    }

    /// The rows, with these columns only, which are in the file.
    pub(super) fn rows(&self, columns: &[String]) -> Result<Rows<'_>, Error> {
        let fields = self.root().get_fields();
        let chosen = columns.iter().filter_map(|name| fields.iter().find(|field| field.name() == name));
        let chosen: Vec<TypePtr> = chosen.cloned().collect();
        for field in &chosen {
            schema::check_readable(field).map_err(|why| Error::content(&self.path, why))?;
        }
        // Without columns the crate makes as many empty rows as the file claims to have.
        let groups = if chosen.is_empty() { 0 } else { self.reader.num_row_groups() };
        let projection = Type::group_type_builder(self.root().name()).with_fields(chosen.clone()).build();
        let projection = projection.map_err(|why| Error::damaged(&self.path, &why.to_string()))?;
        let projection = guarded(&self.path, || Ok(SchemaDescriptor::new(Arc::new(projection))))?;
        Ok(Rows {
            document: self,
            columns: chosen,
            projection: Arc::new(projection),
            groups: (0..groups).collect(),
            group: None,
        })
    }
}

/// The rows of a file, a row group after the other.
pub(super) struct Rows<'a> {
    document: &'a Document,
    columns: Vec<TypePtr>,
    projection: SchemaDescPtr,
    /// Those to come.
    groups: VecDeque<usize>,
    /// The one that is being read.
    group: Option<ReaderIter>,
}

impl Rows<'_> {
    fn next_row(&mut self) -> Result<Option<Row>, Error> {
        let path = &self.document.path;
        loop {
            let group = if let Some(group) = &mut self.group {
                group
            } else {
                let Some(index) = self.groups.pop_front() else { return Ok(None) };
                let opened = guarded(path, || {
                    let group = self.document.reader.get_row_group(index)?;
                    TreeBuilder::new().as_iter(self.projection.clone(), &*group)
                })?;
                self.group.insert(opened)
            };
            if let Some(record) = guarded(path, || group.next().transpose())? {
                return self.row(record).map(Some);
            }
            self.group = None;
        }
    }

    fn row(&self, record: ::parquet::record::Row) -> Result<Row, Error> {
        let cells = record.into_columns().into_iter().zip(&self.columns);
        let cells = cells.map(|((name, field), column)| {
            let json = serde_json::value::to_raw_value(&value::Value(&field, column)).map(Json::from);
            let path = &self.document.path;
            json.map(|json| (name, json))
                .map_err(|why| Error::damaged(path, &format!("column `{}`: {why}", column.name())))
        });
        cells.collect::<Result<_, _>>().map(Row)
    }
}

impl Iterator for Rows<'_> {
    type Item = Result<Row, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.next_row().transpose();
        if matches!(row, Some(Err(_))) {
            // The crate does not say what state it is in after an error.
            self.group = None;
            self.groups.clear();
        }
        row
    }
}

/// Runs the crate on a file that may be anything. What it panics on is damage like any other.
fn guarded<T>(path: &Path, work: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, Error> {
    GUARDED.set(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(false);
    match done {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(why)) => Err(Error::damaged(path, &why.to_string())),
        Err(_) => Err(Error::damaged(path, "its pages do not hold what they announce")),
    }
}
