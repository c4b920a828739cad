//! Plays many units of something, several at once, and keeps what comes of each.

use std::future::Future;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::api;
use crate::contest::{FailureRow, GameRow, Outcome, Side};
use crate::seat::{FailureKind, Played, SeatEnd};

/// Units in a row that may come to nothing before the rest is given up.
const FAULTS: u32 = 3;

/// How often the table is drawn again.
const REDRAW: Duration = Duration::from_millis(250);

/// Why something came to nothing.
#[derive(Debug)]
pub(super) enum Nothing {
    /// Nobody wants it any more.
    Stopped,
    /// It may work another time.
    Fault(String),
    /// It never will.
    Hopeless(String),
}

/// What is played.
pub(super) trait Series {
    /// What comes of a unit.
    type Row;
    /// What a unit is called to people.
    const UNIT: &'static str;

    /// The first missing unit from this one on.
    fn next(&self, from: u64) -> Option<u64>;
    /// Nothing more is needed.
    fn is_over(&self) -> bool;
    /// Keeps and counts what came of a unit.
    ///
    /// # Errors
    /// It cannot be kept, in words.
    fn take(&mut self, row: Self::Row) -> Result<(), String>;
    /// Shows how it stands.
    fn draw(&mut self);
    /// Says something beside that.
    fn say(&self, words: &str);
}

/// Plays what is missing, so many units at once; `play` plays one until its token is cancelled.
///
/// # Errors
/// Why the rest is given up. What is there is kept.
pub(super) async fn play<S, F>(
    series: &mut S,
    at_once: usize,
    stop: &CancellationToken,
    play: impl Fn(u64, CancellationToken) -> F,
) -> Result<(), String>
where
    S: Series,
    S::Row: Send + 'static,
    F: Future<Output = Result<S::Row, Nothing>> + Send + 'static,
{
    // Cancelled with `stop`, or when enough was played: what is under way then is of no use.
    let enough = stop.child_token();
    let mut redraw = tokio::time::interval(REDRAW);
    redraw.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut units: JoinSet<(u64, Result<S::Row, Nothing>)> = JoinSet::new();
    // Those before it are there, under way, or to be played again.
    let mut from = 0;
    let mut again = Vec::new();
    let mut faults = 0;
    let outcome = loop {
        while units.len() < at_once.max(1) && !series.is_over() && !enough.is_cancelled() {
            let Some(unit) = again.pop().or_else(|| series.next(from)) else { break };
            from = from.max(unit + 1);
            let playing = play(unit, enough.clone());
            units.spawn(async move { (unit, playing.await) });
        }
        let (unit, outcome) = tokio::select! {
            done = units.join_next() => match done {
                Some(Ok(done)) => done,
                Some(Err(why)) => break Err(format!("a game broke: {why}")),
                None => break Ok(()),
            },
            _ = redraw.tick() => {
                series.draw();
                continue;
            }
        };
        match outcome {
            Ok(row) => {
                faults = 0;
                if let Err(why) = series.take(row) {
                    break Err(why);
                }
            }
            Err(Nothing::Stopped) => {}
            Err(Nothing::Hopeless(why)) => break Err(why),
            Err(Nothing::Fault(why)) => {
                again.push(unit);
                faults += 1;
                series.say(&format!("{} {unit} is played again: {why}", S::UNIT));
                if faults >= FAULTS {
                    let what = S::UNIT;
                    break Err(format!("{FAULTS} {what}s in a row came to nothing, the last since {why}"));
                }
            }
        }
        if series.is_over() {
            enough.cancel();
        }
    };
    enough.cancel();
    // Their seats are left and their processes end.
    while units.join_next().await.is_some() {}
    outcome
}

/// The result of a session, where `seats` says who sat where.
pub(super) fn game_row(
    seats: &[Side],
    seed: u64,
    played: &Played,
    stop: &CancellationToken,
) -> Result<GameRow, Nothing> {
    let side_of = |player_id: &str| {
        let number = player_id.trim_start_matches(|c: char| !c.is_ascii_digit());
        seats.get(number.parse::<usize>().ok()?).copied()
    };
    let mut failures = Vec::new();
    for seat in &played.seats {
        for failure in &seat.counts.failures {
            if failure.kind == FailureKind::NotStarted {
                return Err(Nothing::Hopeless(format!("{}: {}", seat.player, failure.why)));
            }
            failures.push(FailureRow {
                side: side_of(&seat.player_id).unwrap_or(Side::A),
                player_id: seat.player_id.clone(),
                kind: failure.kind,
                why: failure.why.clone(),
            });
        }
    }
    if played.was_stopped() || (stop.is_cancelled() && played.ending.is_none()) {
        return Err(Nothing::Stopped);
    }
    let Some(ending) = &played.ending else {
        let lost = played.seats.iter().find_map(|seat| match &seat.end {
            SeatEnd::Lost(why) => Some(why.clone()),
            _ => None,
        });
        return Err(Nothing::Fault(lost.unwrap_or_else(|| "its end is not known".into())));
    };
    let places = ending.places();
    let of_sides = places.iter().filter_map(|(seat, place)| Some((side_of(seat)?, *place)));
    let result = Outcome::of_places(of_sides)
        .ok_or_else(|| Nothing::Fault("the server does not say who won".into()))?;
    Ok(GameRow {
        result,
        seed,
        session_id: played.session_id.as_str().to_owned(),
        seats: seats.to_vec(),
        ticks: ending.ticks.unwrap_or_default(),
        scores: ending.scores.clone(),
        reason: ending.reason.clone(),
        failures,
    })
}

/// What was refused for what was asked is refused again.
pub(super) fn refused(why: &api::Error) -> Nothing {
    let words = format!("{why}: {}", why.why());
    let may_pass = why.is_retryable() || why.outcome_unknown();
    if may_pass { Nothing::Fault(words) } else { Nothing::Hopeless(words) }
}
