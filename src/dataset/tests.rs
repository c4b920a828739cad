use std::io::Write;

use super::*;

mod json;
#[cfg(feature = "parquet")]
mod fixtures;
#[cfg(feature = "parquet")]
mod hostile;
#[cfg(feature = "parquet")]
mod written;

/// A folder that goes with its files.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        File::create(&path).unwrap().write_all(content.as_ref()).unwrap();
        path
    }
}

/// The columns as `name: kind`, with `?` after those that may be null.
fn schema(source: &Source) -> Vec<String> {
    let mark = |column: &Column| if column.nullable { "?" } else { "" };
    source
        .columns()
        .iter()
        .map(|column| format!("{}: {}{}", column.name, column.kind, mark(column)))
        .collect()
}

/// All rows as JSON, or the error that ends them.
fn rows(source: &Source, columns: Option<&[&str]>) -> Result<Vec<String>, Error> {
    let columns: Option<Vec<String>> = columns.map(|names| names.iter().map(ToString::to_string).collect());
    let rows = source.rows(columns.as_deref())?;
    rows.map(|row| Ok(serde_json::to_string(&row?).unwrap())).collect()
}

/// An error with its causes.
fn words(error: &Error, path: &Path) -> String {
    let source = std::error::Error::source(error).map(|why| format!(": {why}")).unwrap_or_default();
    format!("{error}{source}").replace(&format!("`{}`", path.display()), "FILE")
}

#[test]
fn what_cannot_be_read_is_said_in_words() {
    let folder = Folder::new();
    for (content, expected) in [
        (&b""[..], "FILE is empty"),
        (b"\x1F\x8B\x08\x00", "FILE is compressed: unpack it first, for example with `gunzip`"),
        (b"PARE....PARE", "FILE is an encrypted Parquet file, which cannot be read"),
        (b"\xFF\xFE{\0", "FILE is neither Parquet nor JSON"),
        (b"<html>", "FILE is neither Parquet nor JSON"),
        (b"null", "FILE is neither Parquet nor JSON"),
    ] {
        let path = folder.file("export", content);
        assert_eq!(words(&open(&path).unwrap_err(), &path), expected);
    }
    let path = folder.0.path().join("missing");
    assert!(words(&open(&path).unwrap_err(), &path).starts_with("FILE cannot be read: "));
    assert!(matches!(open_all(&[]), Err(Error::NoFiles)));
}

#[cfg(not(feature = "parquet"))]
#[test]
fn without_the_feature_a_parquet_file_is_a_clear_error() {
    let folder = Folder::new();
    let path = folder.file("export", b"PAR1....PAR1");
    let error = open(&path).unwrap_err();
    assert_eq!(
        words(&error, &path),
        "FILE is a Parquet file: this build of `gert` was made without the feature `parquet`"
    );
}
