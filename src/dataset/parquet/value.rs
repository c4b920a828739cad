//! A value of a Parquet file as JSON: the table at the head of `dataset`.

use std::fmt::Write;

use ::parquet::basic::{LogicalType, TimeUnit};
use ::parquet::data_type::Decimal;
use ::parquet::record::Field;
use ::parquet::schema::types::Type;
use jiff::Timestamp;
use jiff::tz::Offset;
use serde::ser::{Error, SerializeMap};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::schema::{self, Shape};

/// The longest decimal, in bytes: `decimal256` has 32.
const MAX_DECIMAL: usize = 64;

const NANOS_A_DAY: i128 = 86_400_000_000_000;

/// A value and its type in the file's schema, which knows more than the value.
pub(super) struct Value<'a>(pub(super) &'a Field, pub(super) &'a Type);

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(field, of) = *self;
        match field {
            Field::Null => serializer.serialize_unit(),
            Field::Bool(yes) => serializer.serialize_bool(*yes),
            Field::Byte(number) => serializer.serialize_i8(*number),
            Field::Short(number) => serializer.serialize_i16(*number),
            Field::Int(number) => serializer.serialize_i32(*number),
            Field::Long(number) => long(*number, of, serializer),
            Field::UByte(number) => serializer.serialize_u8(*number),
            Field::UShort(number) => serializer.serialize_u16(*number),
            Field::UInt(number) => serializer.serialize_u32(*number),
            Field::ULong(number) => serializer.serialize_u64(*number),
            // The shortest digits of the type that it is; not finite is null.
            Field::Float16(number) => serializer.serialize_f32(number.to_f32()),
            Field::Float(number) => serializer.serialize_f32(*number),
            Field::Double(number) => serializer.serialize_f64(*number),
            Field::Decimal(number) => decimal(number).map_err(S::Error::custom)?.serialize(serializer),
            Field::Str(words) => serializer.serialize_str(words),
            Field::Bytes(bytes) => serializer.serialize_str(&hex(bytes.data(), of)),
            Field::Date(days) => date(*days, serializer),
            Field::TimeMillis(millis) => time(i64::from(*millis), 1_000_000, serializer),
            Field::TimeMicros(micros) => time(*micros, 1_000, serializer),
            Field::TimestampMillis(millis) => timestamp(*millis, 1_000_000, of, serializer),
            Field::TimestampMicros(micros) => timestamp(*micros, 1_000, of, serializer),
            Field::Group(row) => {
                let fields = if of.is_group() { of.get_fields() } else { &[] };
                let members = row.get_column_iter().zip(fields);
                serializer.collect_map(members.map(|((name, field), of)| (name, Value(field, of))))
            }
            Field::ListInternal(list) => {
                let (items, of) = match (schema::shape(of), list.elements()) {
                    (Shape::OldList(item), [Field::ListInternal(inner)]) => (inner.elements(), item),
                    (Shape::OldList(item) | Shape::List(item), items) => (items, item),
                    (_, items) => (items, of),
                };
                serializer.collect_seq(items.iter().map(|item| Value(item, of)))
            }
            Field::MapInternal(map) => {
                let Shape::Map(key_of, value_of) = schema::shape(of) else {
                    return Err(S::Error::custom("a map where the schema has none"));
                };
                let entries = map.entries().iter();
                if entries.clone().all(|(key, _)| matches!(key, Field::Str(_))) && is_text(key_of) {
                    let mut object = serializer.serialize_map(Some(entries.len()))?;
                    for (key, value) in entries {
                        object.serialize_entry(&Value(key, key_of), &Value(value, value_of))?;
                    }
                    return object.end();
                }
                serializer
                    .collect_seq(entries.map(|(key, value)| (Value(key, key_of), Value(value, value_of))))
            }
        }
    }
}

/// A number, or nanoseconds, which the crate does not tell apart.
fn long<S: Serializer>(number: i64, of: &Type, serializer: S) -> Result<S::Ok, S::Error> {
    match of.get_basic_info().logical_type_ref() {
        Some(LogicalType::Timestamp(kind)) => timestamp(number, nanos(kind.unit), of, serializer),
        Some(LogicalType::Time(kind)) => time(number, nanos(kind.unit), serializer),
        _ => serializer.serialize_i64(number),
    }
}

/// The nanoseconds of a unit.
fn nanos(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::MILLIS => 1_000_000,
        TimeUnit::MICROS => 1_000,
        TimeUnit::NANOS => 1,
    }
}

fn timestamp<S: Serializer>(number: i64, unit: i64, of: &Type, serializer: S) -> Result<S::Ok, S::Error> {
    let Ok(at) = Timestamp::from_nanosecond(i128::from(number) * i128::from(unit)) else {
        return serializer.serialize_i64(number);
    };
    let is_local = match of.get_basic_info().logical_type_ref() {
        Some(LogicalType::Timestamp(kind)) => !kind.is_adjusted_to_u_t_c,
        _ => false,
    };
    if is_local {
        return serializer.collect_str(&Offset::UTC.to_datetime(at));
    }
    serializer.collect_str(&at)
}

fn time<S: Serializer>(number: i64, unit: i64, serializer: S) -> Result<S::Ok, S::Error> {
    let since_midnight = i128::from(number) * i128::from(unit);
    match Timestamp::from_nanosecond(since_midnight) {
        Ok(at) if (0..NANOS_A_DAY).contains(&since_midnight) => {
            serializer.collect_str(&Offset::UTC.to_datetime(at).time())
        }
        _ => serializer.serialize_i64(number),
    }
}

fn date<S: Serializer>(days: i32, serializer: S) -> Result<S::Ok, S::Error> {
    match Timestamp::from_nanosecond(i128::from(days) * NANOS_A_DAY) {
        Ok(at) => serializer.collect_str(&Offset::UTC.to_datetime(at).date()),
        Err(_) => serializer.serialize_i32(days),
    }
}

fn is_text(of: &Type) -> bool {
    schema::column(of).kind == "string"
}

/// Bytes in hexadecimal.
fn hex(bytes: &[u8], of: &Type) -> String {
    let is_uuid = bytes.len() == 16 && of.get_basic_info().logical_type_ref() == Some(&LogicalType::Uuid);
    let mut out = String::with_capacity(bytes.len() * 2 + 4);
    for (index, byte) in bytes.iter().enumerate() {
        if is_uuid && matches!(index, 4 | 6 | 8 | 10) {
            out.push('-');
        }
        // Writing into a `String` does not fail.
        let _ = write!(out, "{byte:02x}");
    }
    out
}

/// A decimal with as many places as its type has.
fn decimal(number: &Decimal) -> Result<Box<RawValue>, String> {
    let bytes = number.data();
    let places = usize::try_from(number.scale()).map_err(|_| "a decimal with less than no places")?;
    if bytes.len() > MAX_DECIMAL || places > MAX_DECIMAL * 3 {
        return Err("a decimal that is too long".into());
    }
    let is_negative = bytes.first().is_some_and(|byte| byte & 0x80 != 0);
    let mut digits = digits(bytes, is_negative);
    while digits.len() <= places {
        digits.insert(0, '0');
    }
    if places > 0 {
        digits.insert(digits.len() - places, '.');
    }
    if is_negative {
        digits.insert(0, '-');
    }
    RawValue::from_string(digits).map_err(|why| why.to_string())
}

/// The digits of the absolute value of a big-endian number in two's complement.
fn digits(bytes: &[u8], is_negative: bool) -> String {
    let mut rest = bytes.to_vec();
    if is_negative {
        for byte in &mut rest {
            *byte = !*byte;
        }
        for byte in rest.iter_mut().rev() {
            *byte = byte.wrapping_add(1);
            if *byte != 0 {
                break;
            }
        }
    }
    let mut digits = Vec::new();
    while rest.iter().any(|byte| *byte != 0) {
        let mut carry = 0;
        for byte in &mut rest {
            let number = carry * 256 + u32::from(*byte);
            *byte = (number / 10) as u8;
            carry = number % 10;
        }
        digits.push(b'0' + carry as u8);
    }
    digits.iter().rev().map(|digit| char::from(*digit)).collect()
}
