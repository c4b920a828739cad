//! Reads a recording from its beginning, a moment at a time, in the same form whoever recorded it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::api::{Message, MessageKind};

use super::line::{Act, Header, Line, LineKind};
use super::{numbers, scan};

/// An observation and what led to it.
#[derive(Debug, Clone, Serialize)]
pub struct Moment {
    /// Its number in the recording.
    pub moment: usize,
    /// Its tick.
    pub tick: u64,
    /// Milliseconds since the recording began.
    pub t_ms: u64,
    /// What each seat saw, as it came; of a player's recording only that player.
    pub observations: BTreeMap<String, Box<RawValue>>,
    /// What was played in the tick that led here.
    pub actions: BTreeMap<String, Played>,
    /// The scores.
    pub scores: BTreeMap<String, f64>,
}

/// An action that was played.
#[derive(Debug, Clone, Serialize)]
pub struct Played {
    /// The action; nothing where it is not known, or where none was played.
    pub action: Option<Box<RawValue>>,
    /// How long it took in milliseconds.
    pub latency_ms: Option<f64>,
    /// Who decided, where we did: `human`, `policy NAME`, `provider ID`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
}

/// What a recording has to tell.
#[derive(Debug, Clone)]
pub enum Told {
    /// A moment.
    Moment(Box<Moment>),
    /// How the match ended, as it was told.
    Outcome {
        /// Milliseconds since the recording began.
        t_ms: u64,
        /// The message.
        message: Message,
    },
}

/// The moments of a recording, oldest first. A line that cannot be read is passed over.
pub struct Moments {
    header: Header,
    lines: scan::Lines<BufReader<File>>,
    count: usize,
    tick: u64,
    /// When the last observation came.
    seen_ms: u64,
    /// What our seats did since.
    acts: BTreeMap<String, Played>,
}

impl Moments {
    /// Opens a recording, compressed or not.
    ///
    /// # Errors
    /// When it is none, or cannot be read.
    pub fn open(path: &Path) -> io::Result<Self> {
        let source = scan::open(path)?;
        let reader = BufReader::with_capacity(256 << 10, source.file);
        let lines = scan::Lines::new(reader, scan::MOST_LINE);
        Ok(Self { header: source.header, lines, count: 0, tick: 0, seen_ms: 0, acts: BTreeMap::new() })
    }

    /// The first line of the file.
    pub fn header(&self) -> &Header {
        &self.header
    }

    fn take(&mut self, line: Line) -> Option<Told> {
        match line.what {
            LineKind::Heard(message) => match message.kind {
                MessageKind::Observation => Some(Told::Moment(Box::new(self.moment(line.at_ms, &message)))),
                MessageKind::GameCompleted => Some(Told::Outcome { t_ms: line.at_ms, message }),
                _ => None,
            },
            LineKind::Acted(act) if !act.shadow => {
                self.act(line.at_ms, &act);
                None
            }
            _ => None,
        }
    }

    fn moment(&mut self, t_ms: u64, message: &Message) -> Moment {
        self.tick = message.tick.unwrap_or(self.tick);
        self.seen_ms = t_ms;
        let mut observations: BTreeMap<String, Box<RawValue>> = message.member("others").unwrap_or_default();
        if let Some(data) = message.data.as_ref().and_then(|data| data.decode().ok()) {
            observations.insert(message.player_id.clone().unwrap_or_default(), data);
        }
        let mut actions = std::mem::take(&mut self.acts);
        let told: BTreeMap<String, BTreeMap<String, Box<RawValue>>> =
            message.member("actions").unwrap_or_default();
        for (player, mut members) in told {
            let driver = actions.remove(&player).and_then(|ours| ours.driver);
            let latency_ms = members.get("latency_ms").and_then(|ms| ms.get().parse().ok());
            actions.insert(player, Played { action: members.remove("action"), latency_ms, driver });
        }
        let scores = numbers::of(message).scores.into_iter().collect();
        let moment = Moment { moment: self.count, tick: self.tick, t_ms, observations, actions, scores };
        self.count += 1;
        moment
    }

    fn act(&mut self, at_ms: u64, act: &Act) {
        let payload: Option<Arc<str>> = act.payload.clone();
        let played = Played {
            action: payload.and_then(|text| RawValue::from_string(text.to_string()).ok()),
            latency_ms: Some(at_ms.saturating_sub(self.seen_ms) as f64),
            driver: Some(act.by.clone()),
        };
        self.acts.insert(act.player_id.clone(), played);
    }
}

impl Iterator for Moments {
    type Item = io::Result<Told>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = match self.lines.next() {
                Ok(Some(found)) => found.text.and_then(Line::read),
                Ok(None) => return None,
                Err(why) => return Some(Err(why)),
            };
            if let Some(told) = line.and_then(|line| self.take(line)) {
                return Some(Ok(told));
            }
        }
    }
}
