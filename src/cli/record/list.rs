//! Which recordings there are, and everything about one.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::tape::library::{self, Look, Recording};
use crate::tape::{Marker, MarkerKind};
use crate::text;

use super::words::{clock, scores, size, table, word};
use super::{Done, Failed, folder, print};
use crate::cli::twin::output;

/// Prints all.
pub(super) fn all(as_json: bool, as_lines: bool) -> Done {
    let folder = folder()?;
    let all = library::list(&folder).map_err(|why| Failed::of(&folder, &why))?;
    if as_json {
        return print(&format!("{}\n", Value::Array(all.iter().map(document).collect())));
    }
    if as_lines {
        return all.iter().try_for_each(|recording| print(&format!("{}\n", document(recording))));
    }
    if all.is_empty() {
        output::say(&format!("there are no recordings in `{}`", folder.display()));
        return Ok(());
    }
    let head =
        ["ID", "GAME", "KIND", "TICK", "SCORES", "LENGTH", "SIZE", "NOTES", "STATE"].map(str::to_owned);
    let rows: Vec<Vec<String>> = std::iter::once(head.to_vec()).chain(all.iter().map(row)).collect();
    print(&table(&rows, &[false, false, false, true, false, true, true, true, false]))?;
    let bytes: u64 = all.iter().map(|recording| recording.bytes).sum();
    output::say(&format!("{} recordings, {}, in `{}`", all.len(), size(bytes), folder.display()));
    Ok(())
}

fn row(recording: &Recording) -> Vec<String> {
    let totals = &recording.totals;
    vec![
        word(&recording.id, 60),
        word(totals.game.as_deref().unwrap_or("-"), 24),
        word(&recording.header.kind, 10),
        totals.tick.to_string(),
        word(&scores(&totals.scores), 40),
        clock(Duration::from_millis(totals.length_ms)),
        size(recording.bytes),
        if recording.notes > 0 { recording.notes.to_string() } else { String::new() },
        recording.state.as_str().to_owned(),
    ]
}

fn document(recording: &Recording) -> Value {
    let (header, totals) = (&recording.header, &recording.totals);
    json!({
        "id": recording.id, "file": recording.file, "session_id": header.session_id, "kind": header.kind,
        "host": header.host, "started_at": header.started_at, "game": totals.game,
        "player_id": totals.player_id, "seats": totals.seats, "moments": totals.moments, "tick": totals.tick,
        "scores": totals.scores, "ended": totals.ended, "length_ms": totals.length_ms,
        "bytes": recording.bytes, "notes": recording.notes, "state": recording.state.as_str(),
    })
}

/// Prints everything about one.
pub(super) fn one(file: &Path, as_json: bool) -> Done {
    let failed = |why| Failed::of(file, &why);
    let (recording, look) = (library::peek(file).map_err(failed)?, library::look(file).map_err(failed)?);
    let recording = Recording { totals: look.totals.clone(), ..recording };
    if as_json {
        let mut document = document(&recording);
        document["markers"] = look.markers.iter().map(marker_document).collect();
        document["skipped"] = json!({"lines": look.skipped.lines, "bytes": look.skipped.bytes,
            "unknown": look.skipped.unknown});
        return print(&format!("{document}\n"));
    }
    for notice in &look.notices {
        output::say(notice);
    }
    print(&facts(&recording, &look))
}

fn marker_document(marker: &Marker) -> Value {
    json!({"moment": marker.nth, "tick": marker.tick, "kind": kind(marker.kind), "text": marker.text})
}

fn facts(recording: &Recording, look: &Look) -> String {
    let (header, totals) = (&recording.header, &recording.totals);
    let seats: Vec<String> = totals.seats.iter().map(|seat| word(seat, 24)).collect();
    let facts = [
        ("recording", recording.file.display().to_string()),
        ("session", header.session_id.clone()),
        ("game", totals.game.clone().unwrap_or_else(|| "-".into())),
        (
            "recorded as",
            totals
                .player_id
                .clone()
                .map_or(header.kind.to_string(), |seat| format!("{} {seat}", header.kind)),
        ),
        ("host", header.host.clone()),
        ("began", header.started_at.to_string()),
        ("length", clock(Duration::from_millis(totals.length_ms))),
        ("moments", format!("{}, up to tick {}", totals.moments, totals.tick)),
        ("seats", seats.join("  ")),
        ("scores", scores(&totals.scores)),
        ("size", size(recording.bytes)),
        ("state", if totals.ended { "the match ended".into() } else { recording.state.as_str().to_owned() }),
    ];
    let mut words = String::new();
    for (name, value) in &facts {
        // Writing to a string cannot fail.
        _ = writeln!(words, "{}  {}", text::pad(name, 11), word(value, 400));
    }
    for (title, is_note) in [("notes", true), ("markers", false)] {
        let rows: Vec<Vec<String>> = look
            .markers
            .iter()
            .filter(|marker| (marker.kind == MarkerKind::Bookmark) == is_note)
            .map(|marker| {
                vec![marker.tick.to_string(), kind(marker.kind).to_owned(), word(&marker.text, 100)]
            })
            .collect();
        if !rows.is_empty() {
            _ = write!(words, "\n{title}\n{}", table(&rows, &[true, false, false]));
        }
    }
    words
}

fn kind(kind: MarkerKind) -> &'static str {
    match kind {
        MarkerKind::Rise => "rise",
        MarkerKind::Fall => "fall",
        MarkerKind::Rejected => "rejected",
        MarkerKind::Disagreed => "disagreed",
        MarkerKind::Eliminated => "eliminated",
        MarkerKind::Failed => "failed",
        MarkerKind::Gap => "gap",
        MarkerKind::Ended => "ended",
        MarkerKind::Bookmark => "note",
    }
}

/// Removes the oldest.
pub(super) fn prune(limit_mib: u64, dry_run: bool, as_json: bool) -> Done {
    let folder = folder()?;
    let limit = limit_mib.saturating_mul(1 << 20);
    let pruned = library::prune(&folder, limit, dry_run).map_err(|why| Failed::of(&folder, &why))?;
    if as_json {
        let rows: Vec<Value> =
            pruned.iter().map(|pruned| json!({"id": pruned.id, "bytes": pruned.bytes})).collect();
        return print(&format!("{}\n", json!({"removed": rows, "dry_run": dry_run})));
    }
    for pruned in &pruned {
        print(&format!("{}  {}\n", word(&pruned.id, 60), size(pruned.bytes)))?;
    }
    let done = if dry_run { "would be removed" } else { "removed" };
    output::say(&format!("{} {done}; the limit is {limit_mib} MiB", pruned.len()));
    Ok(())
}
