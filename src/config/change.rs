//! Changes the settings file: one value at a time, or the whole of it.

use std::path::Path;

use toml_edit::{Key, Value};

use super::edit;
use super::file::File;
use super::problem::ConfigError;
use super::save::{self, SaveError};

/// Sets what a dotted name says. The value is TOML, or text that needs no quotes here. Returns whether the file changed.
///
/// # Errors
/// When the name or the value is no good, or the file cannot be read or written; it is then as it was.
pub fn set(path: &Path, name: &str, value: &str) -> Result<bool, SaveError> {
    let keys = keys(name)?;
    let text = Value::from(value);
    let Ok(typed) = value.trim().parse::<Value>() else {
        return save::update(path, |document| edit::assign(document, &keys, text));
    };
    // `5` may be a number or the name of a profile.
    let result = save::update(path, |document| edit::assign(document, &keys, typed));
    match result {
        Err(SaveError::Unsound(why)) => save::update(path, |document| edit::assign(document, &keys, text))
            .map_err(|error| match error {
                SaveError::Unsound(_) => SaveError::Unsound(why),
                other => other,
            }),
        other => other,
    }
}

/// Removes what a dotted name says, so that its default applies.
///
/// # Errors
/// When nothing is set by that name, or as [`set`].
pub fn unset(path: &Path, name: &str) -> Result<(), SaveError> {
    let keys = keys(name)?;
    save::update(path, |document| {
        if edit::remove(document, &keys) { Ok(()) } else { Err(format!("`{name}` is not set in the file")) }
    })?;
    Ok(())
}

/// Replaces the whole file, unless it is not as `expected` any more.
///
/// # Errors
/// As [`set`].
pub fn replace(path: &Path, expected: Option<&[u8]>, bytes: &[u8]) -> Result<(), SaveError> {
    validate(path, bytes).map_err(SaveError::Unreadable)?;
    save::replace(path, expected, bytes)
}

/// Whether these are settings.
///
/// # Errors
/// Everything that is wrong with them.
pub fn validate(path: &Path, bytes: &[u8]) -> Result<(), ConfigError> {
    File::parse(path, bytes).map(|_| ())
}

fn keys(name: &str) -> Result<Vec<Key>, SaveError> {
    Key::parse(name).map_err(|_| {
        SaveError::Unsound(format!(
            "`{name}` is no name of a setting: they look like `profiles.default.base_url`"
        ))
    })
}
