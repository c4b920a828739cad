//! The settings file, the profile, the key and where it is kept.

use super::super::facts::{Facts, Key};
use super::Finding;
use crate::config::{At, KeySource};

/// The settings file: can it be read, by whom can it be written.
pub(in super::super) fn config(facts: &Facts) -> Finding {
    let settings = &facts.settings;
    if let Some((first, others)) = settings.problems.split_first() {
        let more = if others.is_empty() { String::new() } else { format!(" (and {} more)", others.len()) };
        let advice = match (&first.at, first.advice.as_deref()) {
            (_, Some(advice)) => advice,
            (At::File(..), None) => "mend it with `gert config edit`",
            (At::Named(_), None) => "change it there",
        };
        return Finding::problem(format!("{}: {}{more}", first.at, first.what), advice);
    }
    let Some(path) = &settings.path else {
        return Finding::warning(
            "there is no home folder: the defaults are used and nothing is kept",
            "set `HOME`, or name a settings file with `--config`",
        );
    };
    if let Some(warning) = settings.warnings.first() {
        let advice = "see that the folder can be written, or name another file with `--config`";
        return if settings.exists {
            Finding::warning(warning, "if others use this machine, change the password that stands there")
        } else {
            Finding::warning(warning, advice)
        };
    }
    match settings.mode {
        None => Finding::ok(format!("{path} is not there, so every default applies")),
        Some(mode) if mode & 0o022 != 0 => Finding::warning(
            format!("{path} can be written by others (mode {mode:o})"),
            format!("chmod go-w {path}"),
        ),
        Some(_) => Finding::ok(format!("{path} is good")),
    }
}

/// Which profile, and what decided it.
pub(in super::super) fn profile(facts: &Facts) -> Finding {
    let Some(profile) = &facts.profile else { return unread() };
    let found = format!(
        "`{}` ({}) at {} ({}){}",
        profile.name,
        profile.origin,
        profile.base_url,
        profile.base_url_origin,
        if profile.read_only { ", read-only" } else { "" }
    );
    if profile.is_clear {
        return Finding::warning(
            format!("{found}: the key travels in clear"),
            "use an https address, or remove `allow_plain_http`",
        );
    }
    Finding::ok(found)
}

/// Which key, and where it came from.
pub(in super::super) fn key(facts: &Facts) -> Finding {
    let Some(key) = &facts.key else { return unread() };
    let Some(shown) = &key.shown else { return no_key(key) };
    let hides = if key.hides_another { "; it goes before the key that the profile keeps" } else { "" };
    let found = format!("{shown}, from {}{hides}", key.from);
    match key.warnings.first() {
        // It was mended by reading it.
        Some(warning) => Finding::warning(
            format!("{found}: {warning}"),
            "if others use this machine, make a new key and store it with `gert auth login`",
        ),
        None => Finding::ok(found),
    }
}

fn no_key(key: &Key) -> Finding {
    let advice = match &key.source {
        KeySource::Withheld { .. } => "set `GERT_API_KEY`, or `gert auth login --profile NAME` for this host",
        KeySource::Keyring => "unlock the keyring, set `GERT_API_KEY`, or `gert auth login --store file`",
        _ => "store one with `gert auth login`, or set `GERT_API_KEY`; `gert demo` needs none",
    };
    Finding::problem(key.problem.as_deref().unwrap_or("there is no API key"), advice)
}

/// Whether a key could be kept in the system's keyring.
pub(in super::super) fn keyring(facts: &Facts) -> Finding {
    let uses_it = facts.key.as_ref().is_some_and(|key| key.source == KeySource::Keyring);
    match &facts.keyring {
        Ok(()) if uses_it => Finding::ok("the system's keyring answers; this profile's key is there"),
        Ok(()) => Finding::ok("the system's keyring answers"),
        Err(why) if uses_it => Finding::problem(
            format!("the profile's key is in the system's keyring, which is out of reach: {why}"),
            "unlock or start the keyring, or `gert auth login --store file`",
        ),
        Err(_) => Finding::skipped("none here, so keys are kept in a private file"),
    }
}

fn unread() -> Finding {
    Finding::skipped("unknown, since the settings cannot be read")
}
