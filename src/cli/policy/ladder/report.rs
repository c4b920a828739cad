//! How a ladder stands: a table for people, a document for programs, both from the same numbers.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;
use tokio::time::Instant;

use crate::contest::ladder::{Badge, Field, LadderSettings, Rung, SetRow};
use crate::seat::FailureKind;
use crate::text;

use super::super::live::{Live, time_left};
use super::super::table::{Column, draw};
use super::play::Sets;

/// The widest that opponents are listed, in columns.
const WIDEST: usize = 36;

/// How a ladder stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Report {
    policy: String,
    game: String,
    seed: u64,
    players: u32,
    field: Field,
    /// Lowest band first.
    bands: Vec<Rung>,
    /// The bands that are beaten.
    beaten: Vec<u8>,
    games: u64,
    /// Nothing more is needed.
    finished: bool,
    /// Why it ended.
    reason: String,
    file: String,
}

impl Report {
    pub(super) fn of(
        settings: &LadderSettings,
        sets_each: u64,
        sets: &Sets,
        file: &Path,
        interrupted: bool,
    ) -> Self {
        let against = |band: u8| -> Vec<&SetRow> { sets.values().filter(|set| set.band == band).collect() };
        let bands: Vec<Rung> = settings.bands.iter().map(|band| Rung::of(*band, against(*band))).collect();
        let is_beaten = |rung: &&Rung| rung.badge == Some(Badge::Beaten);
        let beaten: Vec<u8> = bands.iter().filter(is_beaten).map(|rung| rung.band).collect();
        let finished = sets.len() as u64 >= sets_each.saturating_mul(settings.bands.len() as u64);
        let reason = match (finished, interrupted) {
            (true, _) => "all games were played",
            (false, true) => "stopped by the user before all games were played",
            (false, false) => "not finished",
        };
        Self {
            policy: settings.policy.clone(),
            game: settings.game.clone(),
            seed: settings.seed,
            players: settings.players,
            field: settings.field,
            games: bands.iter().map(|rung| rung.games).sum(),
            bands,
            beaten,
            finished,
            reason: reason.into(),
            file: file.display().to_string(),
        }
    }

    /// One document.
    pub(super) fn json(&self) -> String {
        // Plain values and string keys always serialise.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Lines for people.
    pub(super) fn table(&self) -> String {
        format!("{}{}; {}\n", self.rungs(), self.beaten(), self.reason)
    }

    /// How many bands are beaten, in words.
    fn beaten(&self) -> String {
        format!("{} of {} bands beaten", self.beaten.len(), self.bands.len())
    }

    /// The table without its last line. What matters most fits into 80 columns.
    fn rungs(&self) -> String {
        let kinds = self.shown_kinds();
        let mut columns = vec![
            Column::Number("BAND"),
            Column::Number("GAMES"),
            Column::Number("WON"),
            Column::Number("DRAWN"),
            Column::Number("LOST"),
            Column::Number("SCORE"),
            Column::Number("WIN SHARE (95 %)"),
            Column::Text("BADGE"),
        ];
        columns.extend(kinds.iter().map(|kind| Column::Number(kind.words())));
        columns.push(Column::Text("OPPONENTS"));
        // The strongest on top, as ladders stand.
        let rows: Vec<Vec<String>> = self.bands.iter().rev().map(|rung| row(rung, &kinds)).collect();
        format!(
            "{}, {} seats, seed {}: {}\n{}",
            self.game,
            self.players,
            self.seed,
            text::excerpt(&self.policy, WIDEST),
            draw(&columns, &rows),
        )
    }

    /// Kinds of failure that there were.
    fn shown_kinds(&self) -> Vec<FailureKind> {
        let seen: BTreeSet<FailureKind> =
            self.bands.iter().flat_map(|rung| rung.failures.keys().copied()).collect();
        seen.into_iter().collect()
    }
}

fn row(rung: &Rung, kinds: &[FailureKind]) -> Vec<String> {
    let dash = || "–".to_owned();
    let percent = |share: f64| format!("{:.1}", share * 100.0);
    let share = rung.win_share.zip(rung.interval).map_or_else(dash, |(share, (low, high))| {
        format!("{} % ({} to {})", percent(share), percent(low), percent(high))
    });
    let opponents = match &*rung.opponents.join(", ") {
        "" => {
            let [low, high] = rung.percentiles.map(|share| (share * 100.0).round());
            format!("percentiles {low} to {high}")
        }
        names => text::excerpt(names, WIDEST).into_owned(),
    };
    let mut cells = vec![
        format!("{} %", rung.band),
        rung.games.to_string(),
        rung.wins.to_string(),
        rung.draws.to_string(),
        rung.losses.to_string(),
        rung.mean_score.map_or_else(dash, |score| text::decimal(score, 2)),
        share,
        rung.badge.map_or_else(dash, |badge| badge.words().to_owned()),
    ];
    cells.extend(kinds.iter().map(|kind| rung.failures.get(kind).copied().unwrap_or_default().to_string()));
    cells.push(opponents);
    cells
}

/// The table on standard error while the ladder is climbed.
pub(super) struct Progress {
    live: Live,
    settings: LadderSettings,
    sets_each: u64,
    began: Instant,
    /// Sets that were there already.
    before: u64,
    concurrency: usize,
}

impl Progress {
    pub(super) fn new(settings: &LadderSettings, sets_each: u64, sets: &Sets, concurrency: usize) -> Self {
        let (settings, began, before) = (settings.clone(), Instant::now(), sets.len() as u64);
        Self { live: Live::new(), settings, sets_each, began, before, concurrency }
    }

    pub(super) fn draw(&mut self, sets: &Sets) {
        let all = self.sets_each.saturating_mul(self.settings.bands.len() as u64);
        let done = sets.len() as u64;
        let left = time_left(self.began, done.saturating_sub(self.before), all.saturating_sub(done) as f64);
        let report = || Report::of(&self.settings, self.sets_each, sets, Path::new(""), false);
        let table = || {
            let report = report();
            format!("{}{}, {} at once{left}", report.rungs(), report.beaten(), self.concurrency)
        };
        let line = || {
            let report = report();
            format!("{} games, {}{left}", report.games, report.beaten())
        };
        self.live.draw(table, line);
    }

    /// Says something beside the table.
    pub(super) fn say(&self, words: &str) {
        self.live.say(words);
    }

    pub(super) fn end(&self) {
        self.live.end();
    }
}
