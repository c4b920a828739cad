//! `replays`: a row each turn of a seat in the matches of evaluations: what it saw, what it played, what came of it.
//!
//! Only the action log of a match is kept, so the match is played again. What is the same for a whole match is in `match`:
//! once a match and file. A match whose game has other rules by now cannot be played again and has no rows; `completeness`
//! counts it.

use rusqlite::{Connection, OptionalExtension, Row};
use serde_json::{Value, json};

use super::super::chunks::Chunks;
use super::super::table::{Cell, Payload, Schema, flag, number, text, whole};
use super::super::{Fault, text_of};
use super::{difficulty, each, go_on};
use crate::arena::catalogue;
use crate::arena::engine::seats::{Seat, SeatMap};
use crate::arena::engine::{Game, Input, MatchSetup, Play, SeatReport, Verdict};
use crate::arena::jobs::Job;
use crate::arena::league;
use crate::arena::matches::ActionLog;
use crate::arena::record::rfc3339;
use crate::arena::store::sessions::timestamp;

/// Matches in memory at once.
const PAGE: u64 = 16;

pub(super) const SCHEMA: Schema = Schema {
    columns: &[
        text("replay_id"),
        text("submission_id"),
        text("eval_run_id"),
        text("game"),
        text("game_version"),
        text("score_version"),
        number("difficulty"),
        whole("tick"),
        text("player_id"),
        flag("is_submission"),
        text("provider"),
        text("provider_source"),
        text("model"),
        text("observation"),
        text("action"),
        text("verdict"),
        number("reward"),
        number("score"),
        flag("done"),
        number("final_score"),
        whole("rank"),
        text("outcome"),
    ],
    payloads: &[Payload { column: "match", map: "matches" }],
};

const SQL: &str = "
    SELECT export_records.n, replay_id, evaluations.submission_id, matches.eval_run_id, matches.game, matches.game_version,
        matches.score_version, config, matches.seed, max_ticks, ticks, completion_reason, seat, seats, wall_ms, cpu_ms, log,
        matches.created_at
    FROM export_records JOIN matches ON replay_id = subject
    JOIN evaluations ON evaluations.eval_run_id = matches.eval_run_id
    WHERE export_records.job_id = ?1 AND export_records.n > ?2 ORDER BY export_records.n LIMIT ?3";

/// A match at its beginning, and what was played in it.
type Started = (Box<dyn Play>, Vec<SeatMap<Input>>);

/// A match as it is kept.
struct Played {
    replay_id: String,
    submission_id: String,
    eval_run_id: String,
    game: String,
    game_version: String,
    score_version: String,
    config: Value,
    seed: u64,
    max_ticks: u32,
    ticks: u32,
    completion_reason: String,
    seat: u8,
    seats: Vec<Value>,
    wall_ms: i64,
    cpu_ms: i64,
    log: Vec<u8>,
    created_at: i64,
}

pub(super) fn write(connection: &Connection, job: &Job, chunks: &mut Chunks<'_>) -> Result<(), Fault> {
    each(connection, job, (SQL, PAGE), read, |mut played| {
        let game = catalogue::find(job.arena.games(), &played.game);
        let game = game.filter(|game| game.spec().game_version == played.game_version);
        let Some((play, inputs)) = game.and_then(|game| played.start(game)) else {
            chunks.missing_group();
            return Ok(());
        };
        attribute(connection, &mut played.seats)?;
        chunks.group(vec![Cell::Json(played.facts().to_string())]);
        replay(&played, play, inputs, |row| {
            go_on(job)?;
            Ok(chunks.push(row)?)
        })
    })
}

fn read(row: &Row<'_>) -> rusqlite::Result<Played> {
    Ok(Played {
        replay_id: row.get(1)?,
        submission_id: row.get(2)?,
        eval_run_id: row.get(3)?,
        game: row.get(4)?,
        game_version: row.get(5)?,
        score_version: row.get(6)?,
        config: super::json(row.get(7)?).unwrap_or_else(|| json!({})),
        seed: row.get::<_, i64>(8)? as u64,
        max_ticks: row.get(9)?,
        ticks: row.get(10)?,
        completion_reason: row.get(11)?,
        seat: row.get(12)?,
        seats: match super::json(row.get(13)?) {
            Some(Value::Array(seats)) => seats,
            _ => Vec::new(),
        },
        wall_ms: row.get(14)?,
        cpu_ms: row.get(15)?,
        log: row.get(16)?,
        created_at: row.get(17)?,
    })
}

impl Played {
    /// Makes ready to play it again; nothing when its game cannot.
    fn start(&self, game: &dyn Game) -> Option<Started> {
        let setup = MatchSetup {
            config: &self.config,
            seats: u8::try_from(self.seats.len()).ok()?,
            max_ticks: self.max_ticks,
            seed: self.seed,
        };
        let log = ActionLog::from_bytes(self.log.clone());
        Some((game.start(&setup).ok()?, log.inputs().ok()?))
    }

    /// What is the same for the whole match.
    fn facts(&self) -> Value {
        json!({
            "config": self.config,
            "seed": self.seed,
            "max_ticks": self.max_ticks,
            "ticks": self.ticks,
            "completion_reason": self.completion_reason,
            "seats": self.seats,
            "wall_ms": self.wall_ms,
            "cpu_ms": self.cpu_ms,
            "created_at": rfc3339(timestamp(self.created_at)),
        })
    }

    /// The cells of a turn. `reward` is the change of the score in that tick, `score` the one after it.
    fn cells(&self, turn: &Turn<'_>) -> Vec<Cell> {
        let seat = self.seats.get(turn.seat.index()).unwrap_or(&Value::Null);
        let text = |name: &str| seat.get(name).and_then(text_of).into();
        let (verdict, reward) = turn
            .report
            .map_or((None, None), |report| (report.verdict.as_ref().map(word), Some(report.reward)));
        vec![
            self.replay_id.as_str().into(),
            self.submission_id.as_str().into(),
            self.eval_run_id.as_str().into(),
            self.game.as_str().into(),
            self.game_version.as_str().into(),
            self.score_version.as_str().into(),
            difficulty(&self.config).into(),
            turn.tick.into(),
            turn.seat.to_string().into(),
            (turn.seat.index() == usize::from(self.seat)).into(),
            text("provider"),
            text("provider_source"),
            text("model"),
            Cell::json(String::from_utf8(turn.observation.to_vec()).ok()),
            match turn.input {
                Some(Input::Act(action)) => Cell::Json(action.to_string()),
                _ => Cell::Absent,
            },
            verdict.into(),
            reward.into(),
            turn.score.into(),
            turn.is_last.into(),
            seat.get("score").and_then(Value::as_f64).into(),
            // A game for one has no places.
            seat.get("rank").filter(|_| self.seats.len() > 1).and_then(Value::as_i64).into(),
            if self.seats.len() > 1 { text("outcome") } else { Cell::Absent },
        ]
    }
}

/// Says of each seat who generated its player, as far as that is known.
fn attribute(connection: &Connection, seats: &mut [Value]) -> Result<(), Fault> {
    let mut known = connection.prepare_cached(
        "SELECT provider, provider_source, model FROM submissions WHERE submission_id = ?1",
    )?;
    for seat in seats.iter_mut().filter_map(Value::as_object_mut) {
        if seat.get("provider").is_some_and(|provider| provider == league::PROVIDER) {
            // arena.md §5.1.
            seat.insert("provider_source".to_owned(), league::PROVIDER.into());
            continue;
        }
        let submission_id = seat.get("submission_id").and_then(Value::as_str).unwrap_or_default();
        let read = |row: &Row<'_>| -> rusqlite::Result<[Option<String>; 3]> {
            Ok([row.get(0)?, row.get(1)?, row.get(2)?])
        };
        let labels = known.query_row([submission_id], read).optional()?.unwrap_or_default();
        for (name, label) in ["provider", "provider_source", "model"].into_iter().zip(labels) {
            if let Some(label) = label {
                seat.insert(name.to_owned(), label.into());
            }
        }
    }
    Ok(())
}

/// A seat that was asked.
struct Turn<'a> {
    tick: u32,
    seat: Seat,
    observation: &'a [u8],
    input: Option<&'a Input>,
    report: Option<&'a SeatReport>,
    score: Option<f64>,
    is_last: bool,
}

fn replay(
    played: &Played,
    mut play: Box<dyn Play>,
    inputs: Vec<SeatMap<Input>>,
    mut push: impl FnMut(&[Cell]) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut before = play.probe();
    for inputs in inputs {
        let mut seen = SeatMap::default();
        for seat in before.turn.seats().iter() {
            let mut observation = Vec::with_capacity(1024);
            play.observe(seat, &[], &mut observation);
            seen.insert(seat, observation);
        }
        let report = play.submit(&inputs);
        let after = play.probe();
        for (seat, observation) in seen.iter() {
            push(&played.cells(&Turn {
                tick: before.tick,
                seat,
                observation,
                input: inputs.get(seat),
                report: report.seats.get(seat),
                score: after.scores.get(seat).copied(),
                is_last: after.over.is_some() || after.failed.contains(seat),
            }))?;
        }
        before = after;
    }
    Ok(())
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Applied => "applied",
        Verdict::Passed => "passed",
        Verdict::Malformed(_) => "malformed",
        Verdict::Rejected(_) => "rejected",
        Verdict::Failed(_) => "failed",
    }
}
