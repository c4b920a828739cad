//! A look at a Parquet file's footer before the `parquet` crate reads it.
//!
//! The crate builds the schema recursively and makes room for as many children as a group says it has: a footer of a
//! few bytes can overflow the stack or ask for gigabytes, and both end the program. The footer is a struct in Thrift's
//! compact protocol; this walks through its schema without keeping anything.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// The largest footer, in bytes. One of a thousand row groups with a hundred columns has about ten million.
const MAX_FOOTER: u64 = 16 << 20;

/// The deepest schema: a list of objects is three deep.
const MAX_DEPTH: usize = 64;

/// The deepest nesting of structs and lists in the protocol itself; the crate's own limit.
const MAX_NESTING: usize = 64;

/// Ids of members in `parquet.thrift`: two of `FileMetaData`, one of `SchemaElement`.
const VERSION: i64 = 1;
const SCHEMA: i64 = 2;
const NUM_CHILDREN: i64 = 5;

pub(super) enum Fault {
    Io(io::Error),
    Damaged(&'static str),
}

impl From<io::Error> for Fault {
    fn from(why: io::Error) -> Self {
        Self::Io(why)
    }
}

/// Looks at the end of a file that begins as Parquet.
pub(super) fn check(file: &mut File) -> Result<(), Fault> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut tail = [0; 8];
    if length < 12 {
        return Err(Fault::Damaged("it breaks off"));
    }
    file.seek(SeekFrom::End(-8))?;
    file.read_exact(&mut tail)?;
    let [a, b, c, d, magic @ ..] = tail;
    if magic == *b"PARE" {
        return Err(Fault::Damaged("its footer is encrypted"));
    }
    let footer = u64::from(u32::from_le_bytes([a, b, c, d]));
    if magic != *b"PAR1" || footer > length - 12 {
        return Err(Fault::Damaged("it has no footer; is the download complete?"));
    }
    if footer > MAX_FOOTER {
        return Err(Fault::Damaged("its footer is too large"));
    }
    file.seek(SeekFrom::Start(length - 8 - footer))?;
    let mut bytes = Vec::new();
    file.take(footer).read_to_end(&mut bytes)?;
    Walk { bytes: &bytes, at: 0 }.file().map_err(Fault::Damaged)
}

const BROKEN: &str = "its footer cannot be read";

type Step<T> = Result<T, &'static str>;

struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Walk<'_> {
    /// The version, then the schema, as every writer has it. What comes after them the crate reads safely: it checks
    /// the lengths of lists, and passes over a second schema.
    fn file(&mut self) -> Step<()> {
        let mut id = 0;
        loop {
            let kind = self.member(&mut id)?;
            match (id, kind) {
                (VERSION, Some(I32)) => self.number().map(|_| ())?,
                (SCHEMA, Some(LIST)) => return self.schema(),
                _ => return Err(BROKEN),
            }
        }
    }

    /// The elements of the schema are its tree written out depth first.
    fn schema(&mut self) -> Step<()> {
        let (kind, count) = self.list_head()?;
        // For each open group, how many of its children are still to come.
        let mut open: Vec<u64> = Vec::new();
        for _ in 0..count {
            if kind != STRUCT {
                return Err(BROKEN);
            }
            let children = self.element()?;
            if children > count {
                return Err("its schema has fewer columns than it says");
            }
            if let Some(left) = open.last_mut() {
                *left -= 1;
            }
            open.push(children);
            while open.last() == Some(&0) {
                open.pop();
            }
            if open.len() > MAX_DEPTH {
                return Err("its columns are nested too deep");
            }
        }
        Ok(())
    }

    /// A `SchemaElement`; returns how many children it has. The crate reads members by their ids, whatever type is
    /// written beside them: a wrong one would make it see something else than we do.
    fn element(&mut self) -> Step<u64> {
        let (mut id, mut children) = (0, 0);
        while let Some(kind) = self.member(&mut id)? {
            match (id, kind) {
                (NUM_CHILDREN, I32) => children = self.number()?,
                (1..=3 | 6..=9, I32) | (4, BINARY) | (11.., _) => self.value(kind, MAX_NESTING)?,
                (10, STRUCT) => self.logical_type()?,
                _ => return Err(BROKEN),
            }
        }
        u64::try_from(children).map_err(|_| BROKEN)
    }

    /// The union `LogicalType`.
    fn logical_type(&mut self) -> Step<()> {
        let mut variant = 0;
        while let Some(kind) = self.member(&mut variant)? {
            // Those with members of their own; the others are empty or unknown.
            if !matches!(variant, 5 | 7 | 8 | 10 | 16..=18) {
                self.value(kind, MAX_NESTING)?;
                continue;
            }
            if kind != STRUCT {
                return Err(BROKEN);
            }
            let mut id = 0;
            while let Some(kind) = self.member(&mut id)? {
                // Later versions of the format may have more members.
                let is_sound = matches!(
                    (variant, id, kind),
                    (_, 3.., _)
                        | (16 | 17, 2, _)
                        | (5, 1 | 2, I32)
                        | (7 | 8, 1, TRUE | FALSE)
                        | (7 | 8, 2, STRUCT)
                        | (10 | 16, 1, BYTE)
                        | (10, 2, TRUE | FALSE)
                        | (17 | 18, 1, BINARY)
                        | (18, 2, I32)
                );
                if !is_sound {
                    return Err(BROKEN);
                }
                self.value(kind, MAX_NESTING)?;
            }
        }
        Ok(())
    }

    /// The head of a struct's next member: its type, with its id in `id`; `None` at the struct's end.
    fn member(&mut self, id: &mut i64) -> Step<Option<u8>> {
        let head = self.byte()?;
        let kind = head & 0xF;
        if kind == 0 {
            return Ok(None);
        }
        *id = match head >> 4 {
            0 => self.number()?,
            step => *id + i64::from(step),
        };
        // The crate keeps ids in 16 bits; no id is below one.
        if !(1..=i64::from(i16::MAX)).contains(id) {
            return Err(BROKEN);
        }
        Ok(Some(kind))
    }

    /// Steps over a value; the truth of a bool in a struct is its type.
    fn value(&mut self, kind: u8, nesting: usize) -> Step<()> {
        match kind {
            TRUE | FALSE => Ok(()),
            BYTE => self.skip(1),
            I16 | I32 | I64 => self.number().map(|_| ()),
            DOUBLE => self.skip(8),
            BINARY => {
                let length = self.varint()?;
                self.skip(length)
            }
            LIST | SET => {
                let nesting = nesting.checked_sub(1).ok_or(BROKEN)?;
                let (kind, count) = self.list_head()?;
                (0..count).try_for_each(|_| self.item(kind, nesting))
            }
            MAP => {
                let nesting = nesting.checked_sub(1).ok_or(BROKEN)?;
                let count = self.varint()?;
                let kinds = if count == 0 { 0 } else { self.byte()? };
                (0..count).try_for_each(|_| {
                    self.item(kinds >> 4, nesting)?;
                    self.item(kinds & 0xF, nesting)
                })
            }
            STRUCT => {
                let nesting = nesting.checked_sub(1).ok_or(BROKEN)?;
                let mut id = 0;
                while let Some(kind) = self.member(&mut id)? {
                    self.value(kind, nesting)?;
                }
                Ok(())
            }
            UUID => self.skip(16),
            _ => Err(BROKEN),
        }
    }

    /// As [`Walk::value`], but a bool is a byte. Every item takes at least one, so that counting ends.
    fn item(&mut self, kind: u8, nesting: usize) -> Step<()> {
        if matches!(kind, TRUE | FALSE) { self.skip(1) } else { self.value(kind, nesting) }
    }

    fn list_head(&mut self) -> Step<(u8, u64)> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => self.varint()?,
            count => u64::from(count),
        };
        Ok((head & 0xF, count))
    }

    fn byte(&mut self) -> Step<u8> {
        let byte = self.bytes.get(self.at).ok_or(BROKEN)?;
        self.at += 1;
        Ok(*byte)
    }

    fn skip(&mut self, count: u64) -> Step<()> {
        let left = (self.bytes.len() - self.at) as u64;
        if count > left {
            return Err(BROKEN);
        }
        self.at += count as usize;
        Ok(())
    }

    fn varint(&mut self) -> Step<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(BROKEN)
    }

    /// A signed number, zigzag.
    fn number(&mut self) -> Step<i64> {
        let number = self.varint()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }
}

/// Types in the compact protocol.
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;
const UUID: u8 = 13;
