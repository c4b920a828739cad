//! How the branches of a session came out: one by one, and by the action that was tried.

use axum::Extension;
use axum::extract::{Path, RawQuery, State};
use serde_json::{Value, json};

use super::super::Answer;
use super::super::sessions::newest;
use super::parent;
use crate::arena::Arena;
use crate::arena::engine::observation::Number;
use crate::arena::engine::seats::Seat;
use crate::arena::error::ArenaError;
use crate::arena::guard::Caller;
use crate::arena::record::{Branch, BranchKind, SeatRecord, SessionRecord, Status};
use crate::arena::reply::Reply;
use crate::arena::request::Fields;
use crate::arena::store::branches::{self, BranchFilter};
use crate::rollout::{ScoreStats, score_stats};

/// `GET /sessions/{id}/branch-scores`: the best first; those that did not end by the game come last.
pub(in crate::arena::routes) async fn get(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path(session_id): Path<String>,
    RawQuery(query): RawQuery,
) -> Answer {
    let mut query = Fields::from_query(query.as_deref())?;
    let status = query.word("status", &Status::ALL.map(Status::as_str))?.map(Status::from_word);
    let filter = read_filter(&mut query)?;
    query.finish()?;
    parent(&arena, &account_id, &session_id).await?;
    let id = session_id.clone();
    let found = arena.store().read(move |connection| {
        let records = branches::children(connection, &id, &filter)?;
        let rows = records.into_iter().map(|record| {
            let played = match &record.branch {
                Some(branch) => branches::first_action(connection, &record.session_id, branch)?,
                None => None,
            };
            Ok((record, played))
        });
        rows.collect::<Result<Vec<_>, _>>()
    });
    let mut rows: Vec<Row> = found
        .await?
        .into_iter()
        .map(|(record, played)| (newest(&arena, record), played))
        .filter(|(record, _)| record.may_watch(&account_id))
        .filter(|(record, _)| status.is_none_or(|status| record.status == status))
        .filter_map(|(record, played)| Row::new(record, played))
        .collect();
    rows.sort_by(|a, b| b.ended_well().cmp(&a.ended_well()).then(b.seat.score.total_cmp(&a.seat.score)));
    let branches: Vec<Value> = rows.iter().map(Row::json).collect();
    Ok(Reply::ok(json!({
        "session_id": session_id,
        "branches": branches,
        "decision_points": decision_points(&rows),
    })))
}

fn read_filter(query: &mut Fields) -> Result<BranchFilter, ArenaError> {
    let seat = query.text("player_id")?.map(|id| {
        id.parse::<Seat>().map_err(|()| ArenaError::invalid("player_id", "must be a seat such as `p0`"))
    });
    Ok(BranchFilter {
        kind: query.word("kind", &BranchKind::ALL.map(BranchKind::as_str))?.map(BranchKind::from_word),
        tick: query.query_whole("tick", 0..=u64::from(u32::MAX))?.map(|tick| tick as u32),
        seat: seat.transpose()?,
    })
}

/// A branch and the seat that it is judged by.
pub(super) struct Row {
    record: SessionRecord,
    branch: Branch,
    seat: SeatRecord,
    first_action: Option<Value>,
}

impl Row {
    /// Nothing for a session that is no branch. `played` is what the seat played first.
    pub(super) fn new(record: SessionRecord, played: Option<Value>) -> Option<Self> {
        let branch = record.branch.clone()?;
        let seat = record.seats.get(branch.seat.index())?.clone();
        let first_action = branch.first_action.clone().or(played);
        Some(Self { record, branch, seat, first_action })
    }

    /// Whether its score says something: it came to an end of the game, and the seat was not taken out.
    fn ended_well(&self) -> bool {
        self.record.status == Status::Completed && (!self.seat.failed || self.seat.eliminated)
    }

    fn json(&self) -> Value {
        let mut json = json!({
            "session_id": self.record.session_id,
            "kind": self.branch.kind.as_str(),
            "tick": self.branch.tick,
            "nth": self.branch.nth,
            "player_id": self.branch.seat,
            "first_action": self.first_action,
            "status": self.record.status.as_str(),
            "score": Number(self.seat.score),
            "ticks": self.record.paid_ticks(),
        });
        if let Some(sample) = self.branch.sample {
            json["sample"] = sample.into();
        }
        if let (Some(rank), Some(outcome)) = (self.seat.rank, &self.seat.outcome) {
            (json["rank"], json["outcome"]) = (rank.into(), outcome.as_str().into());
        }
        json
    }
}

/// Where a branch began, and whose turn it was.
type Place = (u32, Seat);

/// What was explored: by place, and there by action, the best first. In the words of `GET /jobs/{id}/branch-scores`.
pub(super) fn decision_points(rows: &[Row]) -> Value {
    // In the order in which they were made, whatever that of the list: so the samples of all actions go together.
    let mut explored: Vec<&Row> = rows.iter().filter(|row| row.branch.kind == BranchKind::Explore).collect();
    explored.sort_by_key(|row| (row.record.created_at, row.branch.nth));
    let mut points: Vec<(Place, Vec<Vec<&Row>>)> = Vec::new();
    for row in explored {
        let place = (row.branch.tick, row.branch.seat);
        let at = points.iter().position(|(other, _)| *other == place).unwrap_or_else(|| {
            points.push((place, Vec::new()));
            points.len() - 1
        });
        let actions = &mut points[at].1;
        match actions.iter_mut().find(|tries| tries[0].first_action == row.first_action) {
            Some(tries) => tries.push(row),
            None => actions.push(vec![row]),
        }
    }
    points.sort_by_key(|(place, _)| *place);
    let point = |((tick, seat), actions): (Place, Vec<Vec<&Row>>)| {
        let mut tried: Vec<(Option<ScoreStats>, Vec<&Row>)> =
            actions.into_iter().map(|tries| (spread(&tries), tries)).collect();
        let mean =
            |spread: &Option<ScoreStats>| spread.as_ref().map_or(f64::NEG_INFINITY, |spread| spread.mean);
        tried.sort_by(|(a, _), (b, _)| mean(b).total_cmp(&mean(a)));
        let ranked = (1..).zip(&tried);
        let actions: Vec<Value> =
            ranked.map(|(rank, (spread, tries))| action_json(rank, spread.as_ref(), tries)).collect();
        json!({ "tick": tick, "player_id": seat, "actions": actions })
    };
    points.into_iter().map(point).collect()
}

fn action_json(rank: u32, spread: Option<&ScoreStats>, tries: &[&Row]) -> Value {
    let ended = || tries.iter().filter(|row| row.ended_well());
    let mut json = json!({
        "action": tries[0].first_action,
        "action_rank": rank,
        "sample_scores": ended().map(|row| json!(Number(row.seat.score))).collect::<Vec<_>>(),
        "sample_turns": ended().map(|row| row.record.paid_ticks()).collect::<Vec<_>>(),
        "session_ids": tries.iter().map(|row| row.record.session_id.as_str()).collect::<Vec<_>>(),
    });
    if let Some(ScoreStats { mean, std_dev, min, max, .. }) = spread {
        json["value"] = json!({ "mean": mean, "std_dev": std_dev, "min": Number(*min), "max": Number(*max) });
    }
    json
}

/// How the scores of the tries that ended well lie; nothing when none did.
fn spread(tries: &[&Row]) -> Option<ScoreStats> {
    let scores: Vec<f64> = tries.iter().filter(|row| row.ended_well()).map(|row| row.seat.score).collect();
    (!scores.is_empty()).then(|| score_stats(&scores))
}
