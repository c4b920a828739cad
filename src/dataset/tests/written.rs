//! Parquet files with what pyarrow does not write, made with the crate's own column writers.

use std::sync::Arc;

use ::parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, FixedLenByteArray, FixedLenByteArrayType, Int32Type,
    Int64Type, Int96, Int96Type,
};
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::parser::parse_message_type;

use super::*;

type Group<'a> = SerializedRowGroupWriter<'a, Vec<u8>>;

/// A file with one row group.
fn write(schema: &str, fill: impl FnOnce(&mut Group<'_>)) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    fill(&mut group);
    group.close().unwrap();
    writer.into_inner().unwrap()
}

/// The next column, with its definition and repetition levels.
fn column<T: DataType>(group: &mut Group<'_>, values: &[T::T], levels: &[i16], repeats: &[i16]) {
    let mut column = group.next_column().unwrap().unwrap();
    let some = |levels| Some(levels).filter(|levels: &&[i16]| !levels.is_empty());
    column.typed::<T>().write_batch(values, some(levels), some(repeats)).unwrap();
    column.close().unwrap();
}

fn read(content: &[u8]) -> Source {
    // The file stays open after it has lost its name.
    open(Folder::new().file("export", content)).unwrap()
}

fn bytes(words: &[u8]) -> ByteArray {
    ByteArray::from(words.to_vec())
}

#[test]
fn old_and_rare_types_have_a_form() {
    let schema = "message m {
        required boolean yes; required int32 number; required int96 at;
        required int32 small (DECIMAL(4, 2)); required int64 large (DECIMAL(18, 18));
        required binary any (DECIMAL(30, 1)); required binary word (ENUM); required binary doc (JSON);
        required binary bson (BSON); required int64 late (TIMESTAMP_MICROS); required int32 day (DATE);
    }";
    let mut at = Int96::new();
    // A nanosecond after noon on the day after the epoch, which is Julian day 2440588.
    let nanos = 43_200_000_000_001_u64;
    at.set_data(nanos as u32, (nanos >> 32) as u32, 2_440_589);
    let file = write(schema, |group| {
        column::<BoolType>(group, &[true], &[], &[]);
        column::<Int32Type>(group, &[-7], &[], &[]);
        column::<Int96Type>(group, &[at], &[], &[]);
        column::<Int32Type>(group, &[-5], &[], &[]);
        column::<Int64Type>(group, &[1], &[], &[]);
        column::<ByteArrayType>(group, &[bytes(&[0xFF, 0x00])], &[], &[]);
        column::<ByteArrayType>(group, &[bytes(b"ONE")], &[], &[]);
        column::<ByteArrayType>(group, &[bytes(br#"{"a": 1}"#)], &[], &[]);
        column::<ByteArrayType>(group, &[bytes(b"\x05")], &[], &[]);
        column::<Int64Type>(group, &[i64::MAX], &[], &[]);
        column::<Int32Type>(group, &[i32::MAX], &[], &[]);
    });
    let source = read(&file);
    assert_eq!(
        schema_kinds(&source),
        "bool int32 timestamp decimal(4,2) decimal(18,18) decimal(30,1) string json binary timestamp date"
    );
    assert_eq!(
        rows(&source, None).unwrap(),
        [
            // The crate gives the old timestamps in milliseconds.
            r#"{"yes":true,"number":-7,"at":"1970-01-02T12:00:00Z","small":-0.05,"large":0.000000000000000001,"any":-25.6,"word":"ONE","doc":"{\"a\": 1}","bson":"05","late":9223372036854775807,"day":2147483647}"#
        ]
    );
}

fn schema_kinds(source: &Source) -> String {
    source.columns().iter().map(|column| column.kind.as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn lists_of_old_writers_are_lists_of_their_items() {
    let schema = "message m {
        optional group two (LIST) { repeated int32 element; }
        optional group avro (LIST) { repeated group array { required int32 x; } }
        optional group pairs (LIST) { repeated group element { required int32 x; required int32 y; } }
        repeated int32 bare;
        repeated group groups { required int32 x; optional int32 y; }
        optional group keys (MAP) { repeated group key_value { required int32 key; } }
    }";
    // Rows: two items, no items, nothing where there may be nothing.
    let (optional, bare) = ([2, 2, 1, 0], [1, 1, 0, 0]);
    let repeats = [0, 1, 0, 0];
    let file = write(schema, |group| {
        column::<Int32Type>(group, &[1, 2], &optional, &repeats);
        column::<Int32Type>(group, &[1, 2], &optional, &repeats);
        column::<Int32Type>(group, &[1, 2], &optional, &repeats);
        column::<Int32Type>(group, &[3, 4], &optional, &repeats);
        column::<Int32Type>(group, &[1, 2], &bare, &repeats);
        column::<Int32Type>(group, &[1, 2], &bare, &repeats);
        column::<Int32Type>(group, &[5], &[2, 1, 0, 0], &repeats);
        column::<Int32Type>(group, &[1, 2], &optional, &repeats);
    });
    let source = read(&file);
    assert_eq!(
        schema_kinds(&source),
        "list<int32> list<object> list<object> list<int32> list<object> list<int32>"
    );
    assert_eq!(
        rows(&source, None).unwrap(),
        [
            r#"{"two":[1,2],"avro":[{"x":1},{"x":2}],"pairs":[{"x":1,"y":3},{"x":2,"y":4}],"bare":[1,2],"groups":[{"x":1,"y":5},{"x":2,"y":null}],"keys":[1,2]}"#,
            r#"{"two":[],"avro":[],"pairs":[],"bare":[],"groups":[],"keys":[]}"#,
            r#"{"two":null,"avro":null,"pairs":null,"bare":[],"groups":[],"keys":null}"#,
        ]
    );
}

#[test]
fn a_column_that_cannot_be_read_leaves_the_others_readable() {
    let file =
        write("message m { required int32 a; required fixed_len_byte_array(12) b (INTERVAL); }", |group| {
            column::<Int32Type>(group, &[1], &[], &[]);
            column::<FixedLenByteArrayType>(group, &[FixedLenByteArray::from(vec![0; 12])], &[], &[]);
        });
    let source = read(&file);
    assert_eq!(schema(&source), ["a: int32", "b: interval"]);
    let error = rows(&source, None).unwrap_err().to_string();
    assert!(
        error.ends_with("has a column `b` of a type that cannot be read: name the other columns"),
        "{error}"
    );
    assert_eq!(rows(&source, Some(&["a"])).unwrap(), [r#"{"a":1}"#]);
}

#[test]
fn text_that_is_not_utf8_is_damage_and_ends_the_rows() {
    let file = write("message m { required binary a (UTF8); }", |group| {
        column::<ByteArrayType>(group, &[bytes(b"ok"), bytes(b"\xFF"), bytes(b"ok")], &[], &[]);
    });
    let source = read(&file);
    let rows: Vec<_> = source.rows(None).unwrap().collect();
    assert_eq!(rows.len(), 2);
    assert!(rows[0].is_ok());
    assert!(rows[1].as_ref().unwrap_err().to_string().contains("is damaged: "));
}

#[test]
fn two_columns_of_one_name_and_no_columns_at_all_are_no_trouble() {
    let folder = Folder::new();
    let file = write("message m { required int32 a; required int32 a; }", |group| {
        column::<Int32Type>(group, &[1], &[], &[]);
        column::<Int32Type>(group, &[2], &[], &[]);
    });
    let path = folder.file("export", file);
    assert_eq!(words(&open(&path).unwrap_err(), &path), "FILE has two columns `a`");
    let source = read(&write("message m { }", |_| {}));
    assert_eq!((schema(&source).len(), rows(&source, None).unwrap().len()), (0, 0));
}
