//! How a contest stands: a table for people, a document for programs, both from the same numbers.

use std::path::Path;

use serde::Serialize;
use tokio::time::Instant;

use crate::contest::{Bounds, Counts, Decision, Estimate, Settings, Side, Tally};
use crate::seat::FailureKind;
use crate::text;

use super::super::live::{Live, time_left};
use super::super::table::{Column, draw};

/// The widest a player's command is shown, in columns.
const WIDEST: usize = 40;

/// How a contest stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Report {
    a: String,
    b: String,
    game: String,
    seed: u64,
    players: u32,
    games: u64,
    #[serde(flatten)]
    counts: Counts,
    /// The first player's.
    points: f64,
    /// 0 to 1; nothing without a game.
    score: Option<f64>,
    #[serde(flatten)]
    estimate: Estimate,
    llr: Option<f64>,
    sprt: Option<Bounds>,
    decision: Option<Decision>,
    /// Nothing more is needed.
    finished: bool,
    /// Why it ended.
    reason: String,
    file: String,
}

impl Report {
    pub(super) fn of(settings: &Settings, tally: &Tally, file: &Path, interrupted: bool) -> Self {
        let counts = tally.counts().clone();
        let games = counts.games();
        Self {
            a: settings.a.clone(),
            b: settings.b.clone(),
            game: settings.game.clone(),
            seed: settings.seed,
            players: settings.players,
            games,
            points: counts.points(),
            score: (games > 0).then(|| counts.points() / games as f64),
            counts,
            estimate: tally.estimate(),
            llr: tally.llr(),
            sprt: tally.bounds(),
            decision: tally.decision(),
            finished: tally.is_over(),
            reason: reason(tally, interrupted),
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
        let side = |side: Side| {
            let counts = &self.counts;
            let (name, wins, losses, sign) = match side {
                Side::A => (&self.a, counts.wins, counts.losses, 1.0),
                Side::B => (&self.b, counts.losses, counts.wins, -1.0),
            };
            let points = if side == Side::A { self.points } else { self.games as f64 - self.points };
            let share = self.score.map_or("–".into(), |score| {
                let score = if side == Side::A { score } else { 1.0 - score };
                format!("{:.1} %", score * 100.0)
            });
            let los = if side == Side::A { self.estimate.los } else { 1.0 - self.estimate.los };
            let is_known = self.games > 0;
            let or_dash = |text: String| if is_known { text } else { "–".into() };
            let label = if side == Side::A { "A" } else { "B" };
            let mut row = vec![
                format!("{label} {}", text::excerpt(name, WIDEST)),
                text::decimal(points, 1),
                share,
                wins.to_string(),
                counts.draws.to_string(),
                losses.to_string(),
                or_dash(format!(
                    "{} ± {}",
                    text::signed(sign * self.estimate.elo, 1),
                    text::grouped(self.estimate.error, 1)
                )),
                or_dash(format!("{:.1} %", los * 100.0)),
            ];
            row.extend(
                self.shown_kinds()
                    .map(|kind| counts.failures.get(&(side, kind)).copied().unwrap_or_default().to_string()),
            );
            row
        };
        let mut columns = vec![
            Column::Text("PLAYER"),
            Column::Number("POINTS"),
            Column::Number("SCORE"),
            Column::Number("WON"),
            Column::Number("DRAWN"),
            Column::Number("LOST"),
            Column::Number("ELO (95 %)"),
            Column::Number("LOS"),
        ];
        columns.extend(self.shown_kinds().map(|kind| Column::Number(kind.words())));
        let [ll, ld, even, wd, ww] = self.counts.pairs;
        let mut out = format!(
            "{} games of {} with {} seats, seed {}; pairs from worst to best for A: {ll} {ld} {even} {wd} {ww}\n",
            self.games, self.game, self.players, self.seed
        );
        out.push_str(&draw(&columns, &[side(Side::A), side(Side::B)]));
        if let (Some(llr), Some(bounds)) = (self.llr, self.sprt) {
            let (lower, upper) = bounds.limits();
            let line = format!(
                "LLR {llr:.2} ({lower:.2}, {upper:.2}) for {} against {} Elo\n",
                bounds.elo1, bounds.elo0
            );
            out.push_str(&line);
        }
        out.push_str(&self.reason);
        out.push('\n');
        out
    }

    /// The usual four, and the others where there were any.
    fn shown_kinds(&self) -> impl Iterator<Item = FailureKind> {
        let usual = [FailureKind::Crash, FailureKind::TimeOut, FailureKind::Refused, FailureKind::Garbage];
        FailureKind::ALL.into_iter().filter(move |kind| {
            usual.contains(kind) || self.counts.failures.keys().any(|(_, seen)| seen == kind)
        })
    }
}

fn reason(tally: &Tally, interrupted: bool) -> String {
    let (Some(bounds), llr) = (tally.bounds(), tally.llr().unwrap_or_default()) else {
        return if tally.is_over() { "all games were played".into() } else { stopped(interrupted) };
    };
    let (lower, upper) = bounds.limits();
    match tally.decision() {
        Some(Decision::Accepted) => format!(
            "the test has ended: A is stronger by {} Elo or more (LLR {llr:.2} is above {upper:.2})",
            bounds.elo1
        ),
        Some(Decision::Rejected) => format!(
            "the test has ended: A is stronger by {} Elo or less (LLR {llr:.2} is below {lower:.2})",
            bounds.elo0
        ),
        None if tally.is_over() => "all games were played, and the test is undecided".into(),
        None => stopped(interrupted),
    }
}

fn stopped(interrupted: bool) -> String {
    if interrupted { "stopped by the user before it was decided".into() } else { "not finished".into() }
}

/// The table on standard error while the contest is played.
pub(super) struct Progress {
    live: Live,
    settings: Settings,
    began: Instant,
    /// Games that were there already.
    before: u64,
    concurrency: usize,
}

impl Progress {
    pub(super) fn new(settings: &Settings, tally: &Tally, concurrency: usize) -> Self {
        let (settings, began) = (settings.clone(), Instant::now());
        Self { live: Live::new(), settings, began, before: tally.counts().games(), concurrency }
    }

    pub(super) fn draw(&mut self, tally: &Tally) {
        let done = tally.counts().games().saturating_sub(self.before);
        let left = time_left(self.began, done, 2.0 * tally.left() as f64);
        let table = || {
            let table = Report::of(&self.settings, tally, Path::new(""), false).table();
            let table = table.trim_end().strip_suffix("not finished").unwrap_or(&table).trim_end();
            format!("{table}\n{} at once{left}", self.concurrency)
        };
        let line = || {
            let (counts, estimate) = (tally.counts(), tally.estimate());
            let llr = tally.llr().map(|llr| format!(", LLR {llr:.2}")).unwrap_or_default();
            format!(
                "{} games, +{} ={} -{}, Elo {} ± {:.0}{llr}{left}",
                counts.games(),
                counts.wins,
                counts.draws,
                counts.losses,
                text::signed(estimate.elo, 0),
                estimate.error,
            )
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
