//! A Parquet schema in our words, and what of it the record API can read.

use std::collections::HashSet;

use ::parquet::basic::{ConvertedType, LogicalType, Repetition, Type as Physical};
use ::parquet::schema::types::Type;

use super::super::Column;
use super::super::columns::MAX_COLUMNS;

/// A column at the top level.
pub(super) fn column(field: &Type) -> Column {
    let nullable = field.get_basic_info().repetition() == Repetition::OPTIONAL;
    Column { name: field.name().to_owned(), kind: kind(field), nullable }
}

/// What a field holds.
fn kind(field: &Type) -> String {
    if is_bare_list(field) {
        return format!("list<{}>", bare_kind(field));
    }
    bare_kind(field)
}

fn bare_kind(field: &Type) -> String {
    match shape(field) {
        Shape::Group => "object".into(),
        Shape::List(item) => format!("list<{}>", kind(item)),
        Shape::OldList(item) => format!("list<{}>", bare_kind(item)),
        Shape::Map(key, value) => format!("map<{}, {}>", kind(key), kind(value)),
        Shape::Leaf => leaf_kind(field),
    }
}

fn leaf_kind(field: &Type) -> String {
    let info = field.get_basic_info();
    let logical = match info.logical_type_ref() {
        Some(LogicalType::Unknown) => "null",
        Some(LogicalType::Uuid) => "uuid",
        Some(LogicalType::Float16) => "float16",
        Some(LogicalType::Timestamp(_)) => "timestamp",
        Some(LogicalType::Time(_)) => "time",
        _ => "",
    };
    if !logical.is_empty() {
        return logical.into();
    }
    let kind = match (info.converted_type(), field.get_physical_type()) {
        (ConvertedType::UTF8 | ConvertedType::ENUM, _) => "string",
        (ConvertedType::JSON, _) => "json",
        (ConvertedType::DECIMAL, _) => {
            return format!("decimal({},{})", field.get_precision(), field.get_scale());
        }
        (ConvertedType::DATE, _) => "date",
        (ConvertedType::TIME_MILLIS | ConvertedType::TIME_MICROS, _) => "time",
        (ConvertedType::TIMESTAMP_MILLIS | ConvertedType::TIMESTAMP_MICROS, _) | (_, Physical::INT96) => {
            "timestamp"
        }
        (ConvertedType::INTERVAL, _) => "interval",
        (ConvertedType::INT_8, _) => "int8",
        (ConvertedType::INT_16, _) => "int16",
        (ConvertedType::UINT_8, _) => "uint8",
        (ConvertedType::UINT_16, _) => "uint16",
        (ConvertedType::UINT_32, _) => "uint32",
        (ConvertedType::UINT_64, _) => "uint64",
        (_, Physical::BOOLEAN) => "bool",
        (_, Physical::INT32) => "int32",
        (_, Physical::INT64) => "int64",
        (_, Physical::FLOAT) => "float32",
        (_, Physical::DOUBLE) => "float64",
        (_, Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY) => "binary",
    };
    kind.into()
}

/// What a field is, apart from being repeated.
pub(super) enum Shape<'a> {
    Leaf,
    Group,
    /// With the type of its items.
    List(&'a Type),
    /// Of two levels: with the repeated field that is its items. The crate gives a list of one list.
    OldList(&'a Type),
    /// With the types of its keys and values.
    Map(&'a Type, &'a Type),
}

/// How the record API takes a field that passed [`check`].
pub(super) fn shape(field: &Type) -> Shape<'_> {
    if field.is_primitive() {
        return Shape::Leaf;
    }
    match (field.get_basic_info().converted_type(), field.get_fields()) {
        (ConvertedType::LIST, [repeated]) if is_item(repeated) => Shape::OldList(repeated),
        (ConvertedType::LIST, [repeated]) => Shape::List(first(repeated)),
        (ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE, [entry]) if entry.is_group() => {
            match entry.get_fields() {
                [key, value] => Shape::Map(key, value),
                // A map without values is a list of keys.
                _ => Shape::List(first(entry)),
            }
        }
        _ => Shape::Group,
    }
}

fn first(group: &Type) -> &Type {
    match group {
        Type::GroupType { fields, .. } => fields.first().map_or(group, |field| field),
        Type::PrimitiveType { .. } => group,
    }
}

/// Repeated without an annotation: a list of what it is itself.
pub(super) fn is_bare_list(field: &Type) -> bool {
    let info = field.get_basic_info();
    info.has_repetition() && info.repetition() == Repetition::REPEATED
}

/// Whether the repeated field of a list is the item itself: lists of old writers with two levels. The rules are those
/// of the format's description, and of `Reader::is_element_type` in the crate.
fn is_item(repeated: &Type) -> bool {
    match repeated {
        Type::PrimitiveType { .. } => true,
        Type::GroupType { fields, .. } => {
            let is_list = repeated.get_basic_info().converted_type() == ConvertedType::LIST;
            let is_wrapper = matches!(&fields[..], [only] if is_bare_list(only));
            let name = repeated.name();
            !is_list && !is_wrapper && (fields.len() > 1 || name == "array" || name.ends_with("_tuple"))
        }
    }
}

/// Refuses schemas on which the record API panics, or mixes columns up.
pub(super) fn check(root: &Type) -> Result<(), String> {
    if root.get_fields().len() > MAX_COLUMNS {
        return Err(format!("has more than {MAX_COLUMNS} columns"));
    }
    check_names(root)?;
    root.get_fields().iter().try_for_each(|field| check_shape(field))
}

fn check_shape(field: &Type) -> Result<(), String> {
    let fault = |what: &str| Err(format!("is damaged: its column `{}` is {what}", field.name()));
    let Type::GroupType { fields, .. } = field else { return Ok(()) };
    if fields.is_empty() {
        return fault("an empty group");
    }
    check_names(field)?;
    match field.get_basic_info().converted_type() {
        ConvertedType::LIST => match &fields[..] {
            [repeated] if is_bare_list(repeated) => {}
            _ => return fault("not a proper list"),
        },
        ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE => match &fields[..] {
            [entry]
                if is_bare_list(entry) && entry.is_group() && (1..=2).contains(&entry.get_fields().len()) => {
            }
            _ => return fault("not a proper map"),
        },
        _ => {}
    }
    fields.iter().try_for_each(|field| check_shape(field))
}

/// Columns are found by their names.
fn check_names(group: &Type) -> Result<(), String> {
    let mut names = HashSet::new();
    match group.get_fields().iter().find(|field| !names.insert(field.name())) {
        Some(twice) => Err(format!("has two columns `{}`", twice.name())),
        None => Ok(()),
    }
}

/// Refuses a column with values that the record API cannot read.
pub(super) fn check_readable(column: &Type) -> Result<(), String> {
    fn all_known(field: &Type) -> bool {
        match field {
            Type::PrimitiveType { .. } => is_known(field),
            Type::GroupType { fields, .. } => fields.iter().all(|field| all_known(field)),
        }
    }
    if all_known(column) {
        return Ok(());
    }
    Err(format!("has a column `{}` of a type that cannot be read: name the other columns", column.name()))
}

/// What `Field::convert_*` in the crate knows.
fn is_known(leaf: &Type) -> bool {
    use ConvertedType as C;
    let converted = leaf.get_basic_info().converted_type();
    match leaf.get_physical_type() {
        Physical::BOOLEAN | Physical::INT96 | Physical::FLOAT | Physical::DOUBLE => true,
        Physical::INT32 => matches!(
            converted,
            C::NONE
                | C::INT_8
                | C::INT_16
                | C::INT_32
                | C::UINT_8
                | C::UINT_16
                | C::UINT_32
                | C::DATE
                | C::TIME_MILLIS
                | C::DECIMAL
        ),
        Physical::INT64 => matches!(
            converted,
            C::NONE
                | C::INT_64
                | C::UINT_64
                | C::TIME_MICROS
                | C::TIMESTAMP_MILLIS
                | C::TIMESTAMP_MICROS
                | C::DECIMAL
        ),
        Physical::BYTE_ARRAY => {
            matches!(converted, C::NONE | C::UTF8 | C::ENUM | C::JSON | C::BSON | C::DECIMAL)
        }
        Physical::FIXED_LEN_BYTE_ARRAY => matches!(converted, C::NONE | C::DECIMAL),
    }
}
