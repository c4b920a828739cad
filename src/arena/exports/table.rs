//! Rows before they are written: the same cells for JSON and Parquet.

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// Text, or JSON that Parquet has as text.
    Text,
    /// A whole number.
    Whole,
    /// A number.
    Number,
    /// Yes or no.
    Flag,
}

/// A column of the rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "JSON asks each cell"))]
    pub of: Of,
    /// Whether `completeness` counts the rows that have it.
    pub counted: bool,
}

/// What belongs to a group of rows: a submission's decision points, a match's turns. JSON files have it in a map of the
/// envelope, by the first column; Parquet files on the group's first row in each file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Payload {
    /// The column in Parquet.
    pub column: &'static str,
    /// The map in JSON.
    pub map: &'static str,
}

/// The columns of an export type. The first one names the group.
#[derive(Debug, Clone, Copy)]
pub(super) struct Schema {
    /// Every row has these.
    pub columns: &'static [Column],
    /// Every group has these.
    pub payloads: &'static [Payload],
}

pub(super) const fn text(name: &'static str) -> Column {
    Column { name, of: Of::Text, counted: false }
}

pub(super) const fn whole(name: &'static str) -> Column {
    Column { name, of: Of::Whole, counted: false }
}

pub(super) const fn number(name: &'static str) -> Column {
    Column { name, of: Of::Number, counted: false }
}

pub(super) const fn flag(name: &'static str) -> Column {
    Column { name, of: Of::Flag, counted: false }
}

pub(super) const fn counted(column: Column) -> Column {
    Column { counted: true, ..column }
}

/// A value of a row. In a column of another kind it counts as absent.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    /// Nothing is known: no member in JSON, null in Parquet.
    Absent,
    /// Known to be nothing: null in both.
    Null,
    /// Text.
    Text(String),
    /// JSON, written by us.
    Json(String),
    /// A whole number.
    Whole(i64),
    /// A number; one that is not finite counts as absent.
    Number(f64),
    /// Yes or no.
    Flag(bool),
}

impl Cell {
    /// JSON that may not be there.
    pub(super) fn json(text: Option<String>) -> Self {
        text.map_or(Self::Absent, Self::Json)
    }

    /// Whether it is there, for `completeness`.
    pub(super) fn is_there(&self) -> bool {
        match self {
            Self::Absent | Self::Null => false,
            Self::Number(number) => number.is_finite(),
            _ => true,
        }
    }

    /// About how much room it takes, in bytes.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Absent | Self::Null => 0,
            Self::Text(text) | Self::Json(text) => text.len(),
            Self::Whole(_) | Self::Number(_) => 8,
            Self::Flag(_) => 1,
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Cell {
    fn from(number: i64) -> Self {
        Self::Whole(number)
    }
}

impl From<u32> for Cell {
    fn from(number: u32) -> Self {
        Self::Whole(number.into())
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for Cell {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Into::into)
    }
}
