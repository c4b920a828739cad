//! This machine.

use super::super::facts::{Facts, Python};
use super::{Finding, bytes, count};
use crate::cli::log::{FILES, MOST};
use crate::ui::theme::ColorDepth;

/// Less room than this soon hurts.
const LITTLE: u64 = 200 << 20;
/// Less room than this hurts now.
const NONE: u64 = 5 << 20;
/// The least that the dashboard draws on.
const SMALLEST: (u16, u16) = (40, 10);
/// The least that code submissions run on.
const PYTHON: (u32, u32) = (3, 10);

/// What the dashboard would draw on.
pub(in super::super) fn terminal(facts: &Facts) -> Finding {
    let terminal = &facts.terminal;
    let (columns, rows) = terminal.size;
    let depth = match terminal.depth {
        ColorDepth::None => "no colours",
        ColorDepth::Ansi16 => "16 colours",
        ColorDepth::Ansi256 => "256 colours",
        ColorDepth::True => "24-bit colours",
    };
    let place = if terminal.is_there {
        format!("{columns}×{rows}")
    } else {
        "no terminal on standard output".to_owned()
    };
    let inside = terminal.inside.iter().flat_map(|name| [", ", name]).collect::<String>();
    let mouse = if terminal.mouse { "on" } else { "off (f2)" };
    let letters = match (terminal.is_utf8, terminal.locale.as_str()) {
        (true, locale) => format!("UTF-8 ({locale})"),
        (false, "") => "ASCII (no locale is set)".to_owned(),
        (false, locale) => format!("ASCII ({locale})"),
    };
    let found = format!("{place}, {depth} ({}), {letters}{inside}, mouse {mouse}", terminal.depth_by);
    if matches!(terminal.term.as_str(), "" | "dumb" | "unknown") {
        let term =
            if terminal.term.is_empty() { "not set".to_owned() } else { format!("`{}`", terminal.term) };
        return Finding::warning(
            format!("`TERM` is {term}: no dashboard can be drawn there"),
            "start the dashboard in another terminal; commands work here as well",
        );
    }
    if terminal.is_there && (columns < SMALLEST.0 || rows < SMALLEST.1) {
        let (columns, rows) = SMALLEST;
        return Finding::warning(found, format!("make the window at least {columns}×{rows}"));
    }
    if !terminal.is_utf8 {
        return Finding::warning(found, "set `LANG` to a UTF-8 locale, such as C.UTF-8, for better drawings");
    }
    Finding::ok(found)
}

/// What would run code submissions.
pub(in super::super) fn python(facts: &Facts) -> Finding {
    let advice = "install Python 3.10 or later: code submissions need it, nothing else does";
    match &facts.python {
        Python::Missing => Finding::warning("there is no `python3` in the PATH", advice),
        Python::Broken(why) => Finding::warning(format!("`python3` does not run: {why}"), advice),
        Python::Runs { version, words, .. } if *version < PYTHON => {
            Finding::warning(format!("`python3` is {words}"), advice)
        }
        Python::Runs { words, sdk, .. } => {
            let sdk = sdk
                .as_ref()
                .map_or("without gertlabs, which is fine".to_owned(), |sdk| format!("gertlabs {sdk}"));
            Finding::ok(format!("{words}, {sdk}"))
        }
    }
}

/// Whether the folders of ours can be written, and have room.
pub(in super::super) fn disk(facts: &Facts) -> Finding {
    if let Some(folder) = facts.folders.iter().find(|folder| !folder.is_writable) {
        let (found, advice) = match &folder.path {
            Some(path) => (
                format!("the {} folder {path} cannot be written or made", folder.name),
                format!("check who owns {path}; meanwhile nothing is kept there"),
            ),
            None => (
                format!("there is no home for the {} folder", folder.name),
                "set `HOME`; meanwhile nothing is kept".to_owned(),
            ),
        };
        return Finding::warning(found, advice);
    }
    let least =
        facts.folders.iter().filter_map(|folder| Some((folder.free?, folder))).min_by_key(|(free, _)| *free);
    let names = facts.folders.iter().map(|folder| folder.name).collect::<Vec<_>>().join(", ");
    let Some((free, folder)) = least else { return Finding::ok(format!("{names}: can be written")) };
    let path = folder.path.as_deref().unwrap_or_default();
    let full = format!("only {} free for {path}", bytes(free));
    match free {
        ..NONE => Finding::problem(full, "make room: settings, records and the ledger cannot be kept"),
        NONE..LITTLE => Finding::warning(full, "make room before you record or download"),
        _ => Finding::ok(format!("{names}: can be written, {} free", bytes(free))),
    }
}

/// Where the log is.
pub(in super::super) fn log(facts: &Facts) -> Finding {
    let log = &facts.log;
    if let Some(why) = &log.filter_problem {
        return Finding::warning(
            format!("`GERT_LOG` cannot be read: {why}"),
            "write it like `gert=debug`; until then the usual is logged",
        );
    }
    let most = bytes(MOST * FILES as u64);
    match &log.path {
        None => Finding::skipped("none, since there is no home folder"),
        Some(path) if log.files == 0 => Finding::ok(format!("{path}, empty so far, {most} at most")),
        Some(path) => Finding::ok(format!(
            "{path}, {} in {}, {most} at most",
            bytes(log.bytes),
            count(log.files, "file")
        )),
    }
}

/// Where what was started is written down.
pub(in super::super) fn ledger(facts: &Facts) -> Finding {
    let Some(ledger) = &facts.ledger else {
        return Finding::skipped("none, since there is no home folder: daily caps cannot be kept");
    };
    let path = &ledger.path;
    match &ledger.rows {
        Ok((rows, 0)) => Finding::ok(format!("{path}, {}", count(*rows, "row"))),
        Ok((rows, skipped)) => Finding::warning(
            format!("{path}, {}, and {} that cannot be read", count(*rows, "row"), count(*skipped, "line")),
            "nothing, if a program was once killed while it wrote; else check who else writes there",
        ),
        Err(why) => Finding::problem(
            format!("{path} cannot be read: {why}"),
            "check who owns it: without it spending caps cannot be kept",
        ),
    }
}

/// Which program this is.
pub(in super::super) fn build(facts: &Facts) -> Finding {
    let build = &facts.build;
    let features = if build.features.is_empty() { "none".to_owned() } else { build.features.join(", ") };
    Finding::ok(format!("{}, {} {}, features: {features}", build.version, build.os, build.arch))
}
