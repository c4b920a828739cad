//! `config.toml`: what may stand in it, read and checked without looking at anything else.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use toml_edit::{Document, Value};

use crate::api::BaseUrl;

use super::caps::UnknownPrice;
use super::fields::{Fields, Reading, Set, nearest};
use super::keys::KeyPlace;
use super::problem::{ConfigError, Problem};
use super::proxy::Proxy;
use crate::api::{AmountError, Micro};

/// The name of the profile that is always there.
pub const DEFAULT_PROFILE: &str = "default";
/// A file larger than this is not settings.
pub(super) const MOST: usize = 1 << 20;
/// The longest silence of the server that can be set.
const MOST_SECONDS: f64 = 3600.0;
/// The most retries that can be set.
const MOST_RETRIES: i64 = 100;
/// The largest size that can be set: a pebibyte.
const MOST_MEBIBYTES: i64 = 1 << 30;

/// What the file says.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct File {
    pub(super) profile: Option<Set<String>>,
    pub(super) profiles: BTreeMap<String, Profile>,
    pub(super) spend: SpendTable,
    pub(super) ascii: Option<Set<bool>>,
    pub(super) mouse: Option<Set<bool>>,
    pub(super) recordings: RecordingsTable,
}

/// What it says of recordings.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct RecordingsTable {
    pub(super) enabled: Option<Set<bool>>,
    pub(super) max_mib: Option<Set<u64>>,
    pub(super) total_mib: Option<Set<u64>>,
    pub(super) compress: Option<Set<bool>>,
}

/// What it says of one profile.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Profile {
    pub(super) base_url: Option<Set<BaseUrl>>,
    pub(super) key: Option<Set<KeyPlace>>,
    pub(super) read_only: Option<Set<bool>>,
    pub(super) allow_plain_http: Option<Set<bool>>,
    pub(super) ca_files: Option<Set<Vec<PathBuf>>>,
    pub(super) proxy: Option<Set<Proxy>>,
    pub(super) timeout: Option<Set<Duration>>,
    pub(super) max_retries: Option<Set<u32>>,
    pub(super) spend: SpendTable,
}

/// Names that belong into a profile and are looked for at the top.
const IN_A_PROFILE: [&str; 8] = [
    "base_url",
    "key",
    "read_only",
    "allow_plain_http",
    "ca_files",
    "proxy",
    "timeout_seconds",
    "max_retries",
];

/// What it says of spending.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct SpendTable {
    pub(super) per_action: Option<Set<Micro>>,
    pub(super) per_day: Option<Set<Micro>>,
    pub(super) per_profile: Option<Set<Micro>>,
    pub(super) unknown_price: Option<Set<UnknownPrice>>,
}

impl File {
    /// Reads a file's bytes. A byte order mark and Windows line ends are fine.
    ///
    /// # Errors
    /// Everything that is wrong with it, in the order of the lines.
    pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<Self, ConfigError> {
        let text = text(path, bytes)?;
        let mut reading = Reading::new(path, text);
        let document = Document::parse(text).map_err(|error| syntax_problem(&reading, path, &error))?;
        let file = top(&mut Fields::new(&mut reading, document.as_table()));
        file.check(&mut reading);
        let mut problems = reading.problems;
        problems.sort_by_key(|problem| match problem.at {
            super::problem::At::File(_, line) => line,
            super::problem::At::Named(_) => None,
        });
        ConfigError::check(problems)?;
        Ok(file)
    }

    /// What only shows when all is read.
    fn check(&self, reading: &mut Reading<'_>) {
        if let Some(Set { value, line }) = &self.profile
            && value != DEFAULT_PROFILE
            && !self.profiles.contains_key(value)
        {
            reading.problem(*line, format_args!("there is no profile `{value}`")).advice =
                Some(self.advise_profile(value));
        }
        for profile in self.profiles.values() {
            let plain = profile.allow_plain_http.as_ref().is_some_and(|allow| allow.value);
            if let Some(Set { value, line }) = &profile.base_url
                && let Err(why) = value.check(plain)
            {
                reading.problem(*line, why);
            }
        }
        let tables = self.profiles.values().map(|profile| &profile.spend);
        for spend in tables.chain([&self.spend]) {
            spend.check(reading);
        }
    }

    /// What to do about a profile that is not there.
    pub(super) fn advise_profile(&self, name: &str) -> String {
        let known = self.profiles.keys().map(String::as_str).chain([DEFAULT_PROFILE]);
        match nearest(name, known) {
            Some(known) => format!("did you mean `{known}`?"),
            None => format!("`gert auth login --profile {name}` makes one"),
        }
    }
}

impl SpendTable {
    /// A narrow cap over a wide one is a slip of the pen.
    fn check(&self, reading: &mut Reading<'_>) {
        let caps = [
            ("per_action", &self.per_action),
            ("per_day", &self.per_day),
            ("per_profile", &self.per_profile),
        ];
        let set: Vec<_> = caps.into_iter().filter_map(|(name, cap)| Some((name, cap.as_ref()?))).collect();
        for pair in set.windows(2) {
            let [(small, low), (large, high)] = pair else { continue };
            if low.value > high.value {
                let what = format!(
                    "`{small}` ({}) is more than `{large}` ({}, line {})",
                    low.value, high.value, high.line
                );
                reading.problem(low.line, what).advice = Some("raise the one or lower the other".to_owned());
            }
        }
    }
}

/// The file as text.
pub(super) fn text<'b>(path: &Path, bytes: &'b [u8]) -> Result<&'b str, ConfigError> {
    let problem = |line, what: &str| Problem::file(path.to_owned(), line, what);
    if bytes.len() > MOST {
        return Err(problem(None, "is larger than any settings: is it the right file?").into());
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(problem(None, "is UTF-16 text").advise("save it as UTF-8").into());
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(error) => {
            let line = bytes[..error.valid_up_to()].split(|&byte| byte == b'\n').count();
            Err(problem(Some(line), "is not UTF-8 text").advise("save it as UTF-8").into())
        }
    }
}

/// The parser's own words, but not the line itself, which may hold a password.
fn syntax_problem(reading: &Reading<'_>, path: &Path, error: &toml_edit::TomlError) -> ConfigError {
    let message = error.message().lines().collect::<Vec<_>>().join(", ");
    let problem = Problem::file(path.to_owned(), Some(reading.line(error.span())), message);
    problem.advise("the file is left as it is; `gert config edit` opens it").into()
}

fn top(fields: &mut Fields<'_, '_>) -> File {
    let file = File {
        profile: fields.value("profile", text_of(|name| check_name(name).map(|()| name.to_owned()))),
        profiles: fields.table("profiles", profiles).unwrap_or_default(),
        spend: fields.table("spend", spend).unwrap_or_default(),
        ..File::default()
    };
    let (ascii, mouse) = fields.table("ui", ui).unwrap_or_default();
    let recordings = fields.table("recordings", recordings).unwrap_or_default();
    fields.finish(|name| {
        IN_A_PROFILE.contains(&name).then(|| format!("it belongs into `[profiles.{DEFAULT_PROFILE}]`"))
    });
    File { ascii, mouse, recordings, ..file }
}

fn recordings(fields: &mut Fields<'_, '_>) -> RecordingsTable {
    let recordings = RecordingsTable {
        enabled: fields.value("enabled", boolean),
        max_mib: fields.value("max_mib", mebibytes),
        total_mib: fields.value("total_mib", mebibytes),
        compress: fields.value("compress", boolean),
    };
    fields.finish(|_| None);
    recordings
}

fn ui(fields: &mut Fields<'_, '_>) -> (Option<Set<bool>>, Option<Set<bool>>) {
    let ui = (fields.value("ascii", boolean), fields.value("mouse", boolean));
    fields.finish(|_| None);
    ui
}

fn profiles(fields: &mut Fields<'_, '_>) -> BTreeMap<String, Profile> {
    let mut seen = BTreeMap::new();
    let read = fields.tables(|name, line, fields| {
        if let Err(why) = check_name(name) {
            fields.problem(line, format_args!("the profile name `{name}` {why}"));
        }
        // Some systems do not tell the files of such keys apart.
        if let Some(first) = seen.insert(name.to_lowercase(), name.to_owned()) {
            fields.problem(line, format_args!("the profiles `{first}` and `{name}` differ only in case"));
        }
        (name.to_owned(), profile(fields))
    });
    read.into_iter().collect()
}

fn profile(fields: &mut Fields<'_, '_>) -> Profile {
    let profile = Profile {
        base_url: fields.value("base_url", text_of(parsed)),
        key: fields.value("key", text_of(parsed)),
        read_only: fields.value("read_only", boolean),
        allow_plain_http: fields.value("allow_plain_http", boolean),
        ca_files: fields.value("ca_files", paths),
        proxy: fields.value("proxy", text_of(parsed)),
        timeout: fields.value("timeout_seconds", seconds),
        max_retries: fields.value("max_retries", retries),
        spend: fields.table("spend", spend).unwrap_or_default(),
    };
    fields.finish(|_| None);
    profile
}

fn spend(fields: &mut Fields<'_, '_>) -> SpendTable {
    let spend = SpendTable {
        per_action: fields.value("per_action", credits),
        per_day: fields.value("per_day", credits),
        per_profile: fields.value("per_profile", credits),
        unknown_price: fields.value(
            "unknown_price",
            text_of(|text| match text {
                "allow" => Ok(UnknownPrice::Allow),
                "refuse" => Ok(UnknownPrice::Refuse),
                _ => Err("must be \"refuse\" or \"allow\"".to_owned()),
            }),
        ),
    };
    fields.finish(|_| None);
    spend
}

/// A profile's name is also the name of a file.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || name.len() > 64 || !name.chars().all(fits) {
        return Err("must be 1 to 64 letters, digits, `-` and `_`".to_owned());
    }
    Ok(())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "text",
        Value::Integer(_) | Value::Float(_) => "a number",
        Value::Boolean(_) => "`true` or `false`",
        Value::Datetime(_) => "a date",
        Value::Array(_) => "a list",
        Value::InlineTable(_) => "a table",
    }
}

fn boolean(value: &Value, _: &str) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| format!("must be `true` or `false`, not {}", kind(value)))
}

fn text_of<T>(
    read: impl FnOnce(&str) -> Result<T, String>,
) -> impl FnOnce(&Value, &str) -> Result<T, String> {
    move |value, _| match value.as_str() {
        Some(text) => read(text),
        None => Err(format!("must be text in quotes, not {}", kind(value))),
    }
}

fn parsed<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|why: T::Err| format!("cannot be used: {why}"))
}

fn credits(value: &Value, written: &str) -> Result<Micro, String> {
    match value {
        Value::Integer(number) => {
            u64::try_from(*number.value()).map_err(|_| AmountError::Form.to_string())?;
            number.value().to_string().parse()
        }
        // The text, since a float holds hardly any decimal exactly.
        Value::Float(_) => written.parse(),
        other => return Err(format!("must be a number of credits, not {}", kind(other))),
    }
    .map_err(|why: AmountError| why.to_string())
}

fn seconds(value: &Value, _: &str) -> Result<Duration, String> {
    let seconds = value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64));
    let seconds = seconds.ok_or_else(|| format!("must be a number of seconds, not {}", kind(value)))?;
    // Also false for NaN.
    if !(seconds > 0.0 && seconds <= MOST_SECONDS) {
        return Err(format!("must be more than 0 and at most {MOST_SECONDS} seconds"));
    }
    Ok(Duration::from_secs_f64(seconds))
}

fn retries(value: &Value, _: &str) -> Result<u32, String> {
    let Some(count) = value.as_integer() else {
        return Err(format!("must be a whole number, not {}", kind(value)));
    };
    if !(0..=MOST_RETRIES).contains(&count) {
        return Err(format!("must be from 0 to {MOST_RETRIES}"));
    }
    Ok(count as u32)
}

fn mebibytes(value: &Value, _: &str) -> Result<u64, String> {
    let Some(size) = value.as_integer() else {
        return Err(format!("must be a whole number of MiB, not {}", kind(value)));
    };
    if !(1..=MOST_MEBIBYTES).contains(&size) {
        return Err(format!("must be from 1 to {MOST_MEBIBYTES}"));
    }
    Ok(size as u64)
}

fn paths(value: &Value, _: &str) -> Result<Vec<PathBuf>, String> {
    let wrong = || format!("must be a list of file names, like [\"ca.pem\"], not {}", kind(value));
    let list = value.as_array().ok_or_else(wrong)?;
    list.iter()
        .map(|item| match item.as_str() {
            Some(text) if !text.is_empty() => Ok(PathBuf::from(text)),
            _ => Err("must hold file names in quotes and nothing else".to_owned()),
        })
        .collect()
}

#[cfg(test)]
mod tests;
