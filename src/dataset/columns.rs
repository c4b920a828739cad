//! Columns of several files brought together, and columns found by their names.

use std::collections::HashMap;

use super::{Column, Error, json};

/// The most columns, and the most members of a JSON object that is looked into: what has more is a map, not a row.
pub(super) const MAX_COLUMNS: usize = 10_000;

/// How many names an error offers.
const MAX_NEAR: usize = 5;

/// Takes over what the next file of the same schema knows of the columns; says what is different.
pub(super) fn merge_same(columns: &mut [Column], mut next: Vec<Column>) -> Result<(), String> {
    for column in columns {
        let Some(index) = next.iter().position(|other| other.name == column.name) else {
            return Err(format!("it has no column `{}`", column.name));
        };
        let other = next.swap_remove(index);
        // A writer that saw no value in a whole chunk could not know the kind.
        if column.kind == "null" {
            column.kind = other.kind;
        } else if other.kind != "null" && column.kind != other.kind {
            return Err(format!("its column `{}` is `{}`, not `{}`", column.name, other.kind, column.kind));
        }
        column.nullable |= other.nullable;
    }
    match next.first() {
        Some(more) => Err(format!("it has a column `{}` more", more.name)),
        None => Ok(()),
    }
}

/// Adds the columns of the next file. `is_empty`: whether the files until now, and the next, have no rows, so that
/// a column they lack says nothing.
pub(super) fn merge_all(columns: &mut Vec<Column>, next: Vec<Column>, is_empty: (bool, bool)) {
    let places: HashMap<String, usize> =
        columns.iter().enumerate().map(|(index, column)| (column.name.clone(), index)).collect();
    let mut is_missing = vec![!is_empty.1; columns.len()];
    for mut other in next {
        if let Some(&index) = places.get(&other.name) {
            is_missing[index] = false;
            let column = &mut columns[index];
            column.kind = json::common_kind(&column.kind, &other.kind).to_owned();
            column.nullable |= other.nullable;
        } else {
            other.nullable |= !is_empty.0;
            columns.push(other);
        }
    }
    for (column, is_missing) in columns.iter_mut().zip(is_missing) {
        column.nullable |= is_missing;
    }
}

/// The names, each once, if there are such columns.
pub(super) fn choose(columns: &[Column], names: &[String]) -> Result<Vec<String>, Error> {
    let mut chosen: Vec<String> = Vec::new();
    for name in names {
        if !columns.iter().any(|column| column.name == *name) {
            return Err(Error::Column { name: name.clone(), near: near(columns, name) });
        }
        if !chosen.contains(name) {
            chosen.push(name.clone());
        }
    }
    Ok(chosen)
}

/// Names that are like this one; without any, the first there are.
fn near(columns: &[Column], name: &str) -> Vec<String> {
    let wanted = name.to_lowercase();
    let mut alike: Vec<(usize, &str)> = columns
        .iter()
        // Names of a sane length only: the distance takes the product of both.
        .filter(|column| column.name.len() < 100 && wanted.len() < 100)
        .map(|column| (distance(&column.name.to_lowercase(), &wanted), column.name.as_str()))
        .filter(|(distance, known)| {
            *distance <= wanted.chars().count() / 3 + 1
                || (wanted.len() > 2 && known.to_lowercase().contains(&wanted))
        })
        .collect();
    alike.sort_unstable();
    let names = alike.into_iter().map(|(_, name)| name);
    let found: Vec<String> = names.take(MAX_NEAR).map(str::to_owned).collect();
    if !found.is_empty() {
        return found;
    }
    columns.iter().take(MAX_NEAR).map(|column| column.name.clone()).collect()
}

/// How many letters must be put in, taken out or replaced to make one word of the other (Levenshtein).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (place, wanted) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *wanted);
            diagonal = row[place + 1];
            row[place + 1] = replaced.min(row[place] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(names: &[&str]) -> Vec<Column> {
        names.iter().map(|name| column(name, "string")).collect()
    }

    fn column(name: &str, kind: &str) -> Column {
        Column { name: name.to_string(), kind: kind.to_string(), nullable: false }
    }

    #[test]
    fn names_that_are_alike_are_found() {
        let known = columns(&["score", "score_version", "model", "provider"]);
        for (name, near) in [
            ("scroe", &["score"][..]),
            ("Model", &["model"]),
            ("version", &["score_version"]),
            ("xyz", &["score", "score_version", "model", "provider"]),
        ] {
            assert_eq!(super::near(&known, name), near, "{name}");
        }
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "ab"), 2);
    }

    #[test]
    fn chosen_columns_come_once_in_the_order_they_were_asked_for() {
        let known = columns(&["a", "b", "c"]);
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(choose(&known, &names(&["c", "a", "c"])).expect("known"), ["c", "a"]);
        let error = choose(&known, &names(&["a", "d"])).expect_err("no such column").to_string();
        assert_eq!(error, "there is no column `d`; there is `a`, `b`, `c`");
    }

    #[test]
    fn the_difference_between_schemas_has_a_name() {
        let check = |next: &[(&str, &str)]| {
            let next = next.iter().map(|(name, kind)| column(name, kind)).collect();
            let mut first = vec![column("a", "int64"), column("b", "null")];
            merge_same(&mut first, next).map(|()| first[1].kind.clone())
        };
        assert_eq!(check(&[("b", "string"), ("a", "int64")]).expect("the same"), "string");
        assert_eq!(check(&[("a", "null"), ("b", "null")]).expect("the same"), "null");
        assert_eq!(check(&[("a", "int64")]).expect_err("one less"), "it has no column `b`");
        assert_eq!(
            check(&[("a", "string"), ("b", "null")]).expect_err("another kind"),
            "its column `a` is `string`, not `int64`"
        );
        assert_eq!(
            check(&[("a", "int64"), ("b", "null"), ("c", "bool")]).expect_err("one more"),
            "it has a column `c` more"
        );
    }
}
