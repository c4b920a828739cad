//! Writes a recording in forms for other programs.
//!
//! JSON lines: an object a moment ([`Moment`](super::moments::Moment)), the same whether a spectator or a player
//! recorded it, and at the end `{"tick", "t_ms", "outcome": {…}}` if the match ended. CSV: the scores, a column a seat.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

use serde_json::value::RawValue;

use super::moments::{Moments, Told};

/// Columns of a table of scores.
const MOST_SEATS: usize = 64;

/// Writes JSON lines.
///
/// # Errors
/// When the recording cannot be read, or the output not written.
pub fn json_lines(file: &Path, out: &mut dyn Write) -> io::Result<()> {
    #[derive(serde::Serialize)]
    struct Ended<'m> {
        tick: Option<u64>,
        t_ms: u64,
        outcome: &'m RawValue,
    }
    let mut tick = None;
    for told in Moments::open(file)? {
        match told? {
            Told::Moment(moment) => {
                tick = Some(moment.tick);
                serde_json::to_writer(&mut *out, &moment)?;
            }
            Told::Outcome { t_ms, message } => {
                let outcome = serde_json::from_str(&message.raw)?;
                serde_json::to_writer(&mut *out, &Ended { tick: message.tick.or(tick), t_ms, outcome })?;
            }
        }
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// Writes the scores as CSV. The file is read twice: the columns stand in the first line.
///
/// # Errors
/// When the recording cannot be read, or the output not written.
pub fn csv(file: &Path, out: &mut dyn Write) -> io::Result<()> {
    let mut seats = BTreeSet::new();
    for told in Moments::open(file)? {
        if let Told::Moment(moment) = told? {
            seats.extend(moment.scores.into_keys());
            if seats.len() > MOST_SEATS {
                return Err(io::Error::other("it has scores of too many seats for a table"));
            }
        }
    }
    let mut rows = csv::Writer::from_writer(out);
    rows.write_record(["tick", "t_ms"].into_iter().map(str::to_owned).chain(seats.iter().cloned()))?;
    for told in Moments::open(file)? {
        let Told::Moment(moment) = told? else { continue };
        let scores =
            seats.iter().map(|seat| moment.scores.get(seat).map_or_else(String::new, f64::to_string));
        rows.write_record([moment.tick.to_string(), moment.t_ms.to_string()].into_iter().chain(scores))?;
    }
    rows.flush()
}
