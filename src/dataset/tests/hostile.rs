//! Parquet files that are not what they say: an error, whatever is in them, and never the end of the program.

use super::*;

const FIXTURES: [&str; 3] = ["submissions.snappy.parquet", "kinds.zstd.parquet", "nested.gzip.parquet"];

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/exports").join(name)).unwrap()
}

/// Reads all there is. Damage may show as an error, or as another value.
fn read(path: &Path) -> Result<usize, Error> {
    let source = open(path)?;
    source.rows(None)?.take(1000).try_fold(0, |count, row| row.map(|_| count + 1))
}

#[test]
fn a_file_that_breaks_off_anywhere_is_an_error() {
    let folder = Folder::new();
    for name in FIXTURES {
        let whole = fixture(name);
        for end in (4..whole.len()).step_by(61).chain([whole.len() - 1]) {
            let path = folder.file("export", &whole[..end]);
            let words = words(&read(&path).unwrap_err(), &path);
            assert!(words.starts_with("FILE is damaged: "), "{name} {end}: {words}");
        }
    }
}

#[test]
fn no_changed_byte_ends_the_program() {
    let folder = Folder::new();
    for name in FIXTURES {
        let whole = fixture(name);
        for at in (4..whole.len()).step_by(31) {
            let mut changed = whole.clone();
            changed[at] ^= 0xFF;
            let _ = read(&folder.file("export", &changed));
        }
    }
}

#[test]
fn what_the_crate_panics_on_is_told_as_damage() {
    // A row group with one column, whose pages begin a byte before the file does.
    let column =
        [0x15, 2, 0x19, 0x15, 0, 0x19, 0x18, 1, b'a', 0x15, 0, 0x16, 2, 0x16, 2, 0x16, 2, 0x26, 1, 0];
    let group = [&[0x19, 0x1C, 0x26, 0, 0x1C], &column[..], &[0, 0x16, 2, 0x16, 2, 0]].concat();
    let groups = [&[0x19, 0x1C], &group[..]].concat();
    let content = file_with(&[element(1), element(0)].concat(), 2, &groups);
    assert_eq!(words_of(&content), "FILE is damaged: its pages do not hold what they announce");
    assert!(!is_guarded());
}

/// A file that is a footer with this schema and no rows.
fn file(schema: &[u8], count: usize) -> Vec<u8> {
    file_with(schema, count, &[0x19, 0x0C])
}

/// A file that is a footer with this schema and these row groups.
fn file_with(schema: &[u8], count: usize, groups: &[u8]) -> Vec<u8> {
    let mut footer = vec![0x15, 2, 0x19, 0xFC];
    footer.extend(varint(count));
    footer.extend(schema);
    footer.extend([0x16, 0]);
    footer.extend(groups);
    footer.push(0);
    let length = (footer.len() as u32).to_le_bytes();
    [b"PAR1", footer.as_slice(), &length, b"PAR1"].concat()
}

fn varint(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7F {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// A required group `a` with so many children; without children an int32 column.
fn element(children: usize) -> Vec<u8> {
    if children == 0 {
        return vec![0x15, 2, 0x25, 0, 0x18, 1, b'a', 0];
    }
    [&[0x35, 0, 0x18, 1, b'a', 0x15], varint(children * 2).as_slice(), &[0]].concat()
}

fn words_of(content: &[u8]) -> String {
    let folder = Folder::new();
    let path = folder.file("export", content);
    match read(&path) {
        Ok(rows) => format!("{rows} rows"),
        Err(error) => words(&error, &path),
    }
}

#[test]
fn a_schema_that_would_take_the_stack_or_all_memory_is_refused_before_it_is_read() {
    let nested = |depth: usize| file(&[element(1).repeat(depth), element(0)].concat(), depth + 1);
    assert_eq!(words_of(&nested(1)), "0 rows");
    assert_eq!(words_of(&nested(60)), "0 rows");
    assert_eq!(words_of(&nested(100_000)), "FILE is damaged: its columns are nested too deep");
    let crowded = file(&[element(0x7FFF_FFFF), element(0)].concat(), 2);
    assert_eq!(words_of(&crowded), "FILE is damaged: its schema has fewer columns than it says");
    // A list that is longer than the file, and a member of another type than its id has.
    assert_eq!(words_of(&file(&element(1), 0x7FFF_FFFF)), "FILE is damaged: its footer cannot be read");
    assert_eq!(words_of(&file(&[0x58, 1, 2, 0], 1)), "FILE is damaged: its footer cannot be read");
    let wide: Vec<u8> = [element(10_001), element(0).repeat(10_001)].concat();
    assert_eq!(words_of(&file(&wide, 10_002)), "FILE has more than 10000 columns");
    // More groups open than there are columns.
    assert!(words_of(&file(&[element(2), element(0)].concat(), 2)).starts_with("FILE is damaged: "));
}

#[test]
fn lengths_that_cannot_be_are_refused() {
    let tail = |length: u32| [b"PAR1", &[0; 20][..], &length.to_le_bytes(), b"PAR1"].concat();
    assert_eq!(words_of(b"PAR1"), "FILE is damaged: it breaks off");
    let no_footer = "FILE is damaged: it has no footer; is the download complete?";
    assert_eq!(words_of(&tail(u32::MAX)), no_footer);
    assert_eq!(words_of(&tail(21)), no_footer);
    assert_eq!(words_of(&tail(20)), "FILE is damaged: its footer cannot be read");
    assert_eq!(words_of(b"PAR1....0000PARE"), "FILE is damaged: its footer is encrypted");
}
