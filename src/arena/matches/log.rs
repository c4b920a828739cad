//! What was played in a match: enough to play it again, in a few bytes a tick.
//!
//! JSON lines, deflated. A line is what one [`Play::submit`] was given: a list of what the seats on turn sent, in their order
//! (`[seat, action]`, `[seat]` for nothing, `[seat, null, "why"]` for a failure).

use std::io::{BufRead as _, BufReader, Read as _, Write as _};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde_json::Value;

use crate::arena::engine::seats::{MAX_SEATS, Seat, SeatMap};
use crate::arena::engine::{ConfigError, Game, Input, MatchSetup, Play};

/// The most bytes a log may unpack to.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A finished log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionLog(Vec<u8>);

/// A log that cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// Its bytes are none of ours.
    #[error("the action log cannot be read: {0}")]
    Bytes(String),
    /// The game no longer has this setup.
    #[error(transparent)]
    Config(#[from] ConfigError),
}

impl ActionLog {
    /// From bytes that were kept.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// To be kept.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// What the seats sent, tick by tick.
    ///
    /// # Errors
    /// The bytes are none of ours.
    pub fn inputs(&self) -> Result<Vec<SeatMap<Input>>, LogError> {
        let lines = BufReader::new(DeflateDecoder::new(&self.0[..]).take(MAX_BYTES)).lines();
        lines.map(|line| read(&line.map_err(|why| why.to_string())?).map_err(LogError::Bytes)).collect()
    }

    /// Plays the match again, to its end; `seen` is shown it before every tick and at the end.
    ///
    /// # Errors
    /// The log or the setup is not this game's.
    pub fn replay(
        &self,
        game: &dyn Game,
        setup: &MatchSetup<'_>,
        mut seen: impl FnMut(&dyn Play),
    ) -> Result<Box<dyn Play>, LogError> {
        let mut play = game.start(setup)?;
        for inputs in self.inputs()? {
            seen(&*play);
            play.submit(&inputs);
        }
        seen(&*play);
        Ok(play)
    }
}

impl From<String> for LogError {
    fn from(why: String) -> Self {
        Self::Bytes(why)
    }
}

/// A log being written.
#[derive(Debug)]
pub(super) struct LogWriter(DeflateEncoder<Vec<u8>>);

impl LogWriter {
    pub(super) fn new() -> Self {
        Self(DeflateEncoder::new(Vec::new(), Compression::default()))
    }

    pub(super) fn push(&mut self, inputs: &SeatMap<Input>) {
        let entry = |(seat, input): (Seat, &Input)| {
            let seat = seat.index();
            match input {
                Input::Act(action) => serde_json::json!([seat, action]),
                Input::Pass => serde_json::json!([seat]),
                Input::Fail(why) => serde_json::json!([seat, null, why]),
            }
        };
        let line: Value = inputs.iter().map(entry).collect();
        // A vector takes everything.
        let _ = writeln!(self.0, "{line}");
    }

    pub(super) fn finish(self) -> ActionLog {
        ActionLog(self.0.finish().unwrap_or_default())
    }
}

fn read(line: &str) -> Result<SeatMap<Input>, String> {
    let entries: Vec<Vec<Value>> = serde_json::from_str(line).map_err(|why| why.to_string())?;
    let mut inputs = SeatMap::default();
    for mut entry in entries {
        let seat = entry.first().and_then(Value::as_u64).filter(|seat| *seat < MAX_SEATS as u64);
        let seat = Seat::new(seat.ok_or("an entry without a seat")? as u8);
        let input = match (entry.len(), entry.pop()) {
            (1, _) => Input::Pass,
            (2, Some(action)) => Input::Act(action),
            (3, Some(Value::String(why))) => Input::Fail(why),
            _ => return Err("an entry of no known form".into()),
        };
        inputs.insert(seat, input);
    }
    Ok(inputs)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_log_gives_back_what_was_written() {
        let ticks: Vec<SeatMap<Input>> = vec![
            [(Seat::new(0), Input::Act(json!([{"action": "drop", "column": 3}])))].into_iter().collect(),
            [(Seat::new(0), Input::Pass), (Seat::new(7), Input::Fail("timeout: \"x\"\n".into()))]
                .into_iter()
                .collect(),
            [(Seat::new(1), Input::Act(Value::Null))].into_iter().collect(),
            SeatMap::default(),
        ];
        let mut writer = LogWriter::new();
        for tick in &ticks {
            writer.push(tick);
        }
        let log = ActionLog::from_bytes(writer.finish().as_bytes().to_vec());
        assert_eq!(log.inputs().unwrap(), ticks);
    }

    #[test]
    fn bytes_of_others_are_refused() {
        let packed = |text: &str| {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(text.as_bytes()).unwrap();
            ActionLog::from_bytes(encoder.finish().unwrap())
        };
        for text in ["{}", "[[8]]\n", "[[0,1,2]]", "[[]]", "[[0,1,\"x\",2]]", "[["] {
            assert!(packed(text).inputs().is_err(), "{text}");
        }
        assert!(ActionLog::from_bytes(b"nothing".to_vec()).inputs().is_err());
    }
}
