//! Evaluations: a submission plays rated matches, against the league or the account's own submissions.
//!
//! ```text
//! start ── pool of opponents, hold, job ──▶ run ── check, if nobody has ── programs ── lanes ──▶ rating
//!                                                     lane: next match of the schedule ── play ── keep ┘
//! ```
//!
//! What is to be played follows from what is kept: `schedule` is a function of the seed, the `pool` is chosen once. A match
//! that is kept counts, whatever happens next; so an evaluation that was cut short goes on with the matches that are
//! missing, and gives the rating that it would have given. Opponents keep their ratings: nobody is rated but the one
//! submission, and the order of evaluations does not matter. `rating` has the arithmetic, `tally` adds up.

mod play;
pub mod pool;
pub mod rating;
pub mod schedule;
pub mod tally;

use axum::http::StatusCode;
use jiff::Timestamp;
use serde_json::{Value, json};

use self::play::Field;
use self::pool::{MOST_OWN, Opponents, Pool};
use super::credits::Credits;
use super::engine::Game;
use super::engine::observation::Number;
use super::error::ArenaError;
use super::jobs::{Broken, Done, Job, Kind, Order, Status};
use super::league::solo::Reference;
use super::record::rfc3339;
use super::store::evaluations::{self as rows, EvaluationRow, NewEvaluation};
use super::store::ledger::Bill;
use super::store::matches::PlayedMatch;
use super::store::sessions::timestamp;
use super::store::submissions::{self, Stage, SubmissionRow};
use super::submissions::{self as domain, check};
use super::{Arena, catalogue, league, secret};

/// Matches when nobody says.
pub const DEFAULT_MATCHES: u32 = 100;

/// Matches of an evaluation at most.
pub const MOST_MATCHES: u32 = 10_000;

/// A submission that fails in a larger share of its matches is called unreliable (arena.md §9.3), and is no opponent.
pub const UNRELIABLE: f64 = 0.2;

/// Seeds stay exact in programs that keep numbers as doubles.
pub const MAX_SEED: u64 = (1 << 53) - 1;

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Matches, 1 to [`MOST_MATCHES`].
    pub match_count: u32,
    /// Decides the schedule and all luck, up to [`MAX_SEED`].
    pub seed: u64,
    /// Against whom.
    pub opponents: Opponents,
    /// Told when it ends; checked by [`callback::check`](super::jobs::callback::check).
    pub callback_url: Option<String>,
    /// The job that wants it.
    pub parent_id: Option<String>,
}

impl Plan {
    /// So many matches against the whole league.
    pub fn new(match_count: u32) -> Self {
        let seed = rand::random::<u64>() & MAX_SEED;
        Self { match_count, seed, opponents: Opponents::system(), callback_url: None, parent_id: None }
    }
}

/// An evaluation that was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// Its id.
    pub eval_run_id: String,
    /// The job to wait for.
    pub job_id: String,
    /// What it costs at most.
    pub hold: Credits,
}

/// Starts an evaluation of a submission of the account's own. One that is still being checked is waited for.
///
/// # Errors
/// It is not there, not the account's, or cannot play; there are too few opponents; the hold cannot be covered.
pub async fn start(
    arena: &Arena,
    account_id: &str,
    submission_id: &str,
    plan: Plan,
) -> Result<Started, ArenaError> {
    let submission = domain::own(arena, account_id, submission_id).await?;
    if let Some(failure) = &submission.failure {
        return Err(ArenaError::conflict(format!(
            "`{submission_id}` failed its check and cannot play: {}. Upload a mended one",
            failure["detail"].as_str().unwrap_or("see its `failure`"),
        )));
    }
    let game = catalogue::find(arena.games(), &submission.game).ok_or_else(|| {
        ArenaError::conflict(format!("this arena does not have the game `{}`", submission.game))
    })?;
    let pool = pool(arena, &submission, game, &plan.opponents).await?;
    let hold = Credits::for_ticks(u64::from(plan.match_count) * u64::from(game.spec().canonical_ticks));
    let mut order = Order::new(account_id, Kind::Evaluation, json!({ "submission_id": submission_id }));
    (order.hold, order.total) = (hold, u64::from(plan.match_count));
    (order.callback_url, order.parent_id) = (plan.callback_url, plan.parent_id);
    let new = NewEvaluation {
        eval_run_id: secret::id("ev_"),
        submission_id: submission_id.to_owned(),
        account_id: account_id.to_owned(),
        job_id: order.job_id.clone(),
        match_count: plan.match_count,
        seed: plan.seed,
        opponents: plan.opponents.json(),
        pool: pool.to_json(),
    };
    let eval_run_id = new.eval_run_id.clone();
    let beside = move |connection: &rusqlite::Connection| rows::add(connection, &new, Timestamp::now());
    let job_id = arena.jobs().submit(arena, order, beside).await?;
    Ok(Started { eval_run_id, job_id, hold })
}

/// The opponents that there are; none where nobody is met.
async fn pool(
    arena: &Arena,
    submission: &SubmissionRow,
    game: &'static dyn Game,
    opponents: &Opponents,
) -> Result<Pool, ArenaError> {
    let spec = game.spec();
    if reference(game).is_some() {
        return Ok(Pool::from_json(json!([])));
    }
    let mut own = Vec::new();
    if opponents.origin.has_own() {
        let account_id = submission.account_id.clone();
        let rated = arena.store().read(move |connection| {
            // One more, in case the submission itself is among them.
            submissions::rated(connection, &account_id, spec, UNRELIABLE, MOST_OWN + 1)
        });
        own = rated.await?;
        own.retain(|row| row.submission_id != submission.submission_id);
    }
    let pool = Pool::choose(spec.slug, opponents, &own);
    let needed = usize::from(spec.default_seats).saturating_sub(1).max(1);
    if pool.all().len() < needed {
        return Err(ArenaError::new(
            StatusCode::CONFLICT,
            "LEAGUE_TOO_THIN",
            format!(
                "{needed} different opponents are needed and {} rated submissions of `{}` fit: name fewer filters, or the \
                 `opponent_source` `system` or `both`",
                pool.all().len(),
                spec.slug,
            ),
        ));
    }
    Ok(pool)
}

/// The scores that a game without opponents is rated by.
fn reference(game: &dyn Game) -> Option<Reference> {
    league::shipped(game.spec().slug)?.reference
}

/// Does the job.
///
/// # Errors
/// Why it ended otherwise than well.
pub async fn run(job: &Job) -> Result<Done, Broken> {
    let job_id = job.row.job_id.clone();
    let evaluation = job.arena.store().read(move |connection| rows::by_job(connection, &job_id)).await?;
    let evaluation =
        evaluation.ok_or_else(|| ArenaError::internal("an evaluation's job has no evaluation"))?;
    let order = evaluation.order;
    let submission = checked(job, &order.submission_id).await?;
    let game = catalogue::find(job.arena.games(), &submission.game)
        .ok_or_else(|| unplayed(format!("this arena does not have the game `{}`", submission.game)))?;
    let field = Field::new(job, order, game).await?;
    field.play_all().await?;
    let (found, score_stats) = field.findings();
    let (kept, stats, written) = (field.order().clone(), score_stats.clone(), found.clone());
    let at = Timestamp::now();
    let writing =
        job.arena.store().write(move |connection| rows::complete(connection, &kept, &written, &stats, at));
    writing.await?;
    let standing = found.standing;
    Ok(Done {
        result: json!({
            "eval_run_id": field.order().eval_run_id,
            "submission_id": field.order().submission_id,
            "reward": Number(standing.elo),
            "elo_rating": Number(standing.elo),
            "elo_error": Number(standing.error),
            "percentile": Number(standing.percentile),
            "match_count": found.played,
            "failure_rate": Number(standing.failure_rate),
            "unreliable": standing.failure_rate > UNRELIABLE,
            "failures": found.failures,
            "score_stats": score_stats,
        }),
        bill: field.bill(),
    })
}

/// The submission, once it passed its check.
async fn checked(job: &Job, submission_id: &str) -> Result<SubmissionRow, Broken> {
    let read = || {
        let id = submission_id.to_owned();
        job.arena.store().read(move |connection| submissions::any(connection, &id))
    };
    let missing = || domain::unknown(submission_id);
    let mut row = read().await?.ok_or_else(missing)?;
    if let (Stage::Pending, Some(check)) = (row.stage, row.job_id.clone()) {
        tokio::select! {
            () = job.arena.jobs().ended(&check) => row = read().await?.ok_or_else(missing)?,
            () = job.stop.cancelled() => return Err(Broken::Stopped { bill: Bill::nothing() }),
        }
    }
    // One whose check broke off for the arena's own fault gets another.
    if row.stage == Stage::Pending {
        row = check::try_out(&job.arena, row, &job.stop).await?;
    }
    match &row.failure {
        Some(failure) => {
            let said = |key: &str| failure[key].as_str().unwrap_or_default();
            Err(unplayed(format!("the submission failed its check: {}: {}", said("code"), said("detail"))))
        }
        None => Ok(row),
    }
}

fn unplayed(error: String) -> Broken {
    Broken::Failed { error, bill: Bill::nothing() }
}

/// An evaluation as it goes out.
pub fn json(row: &EvaluationRow) -> Value {
    let order = &row.order;
    let mut json = json!({
        "eval_run_id": order.eval_run_id,
        "job_id": order.job_id,
        "submission_id": order.submission_id,
        "status": row.status.as_str(),
        "match_count": order.match_count,
        "matches_played": row.played,
        "seed": order.seed,
        "opponents": order.opponents,
        "created_at": rfc3339(timestamp(row.created_at)),
    });
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            json[key] = value;
        }
    };
    if let Some(standing) = row.standing {
        put("elo_rating", Some(json!(Number(standing.elo))));
        put("elo_error", Some(json!(Number(standing.error))));
        put("percentile", Some(json!(Number(standing.percentile))));
        put("failure_rate", Some(json!(Number(standing.failure_rate))));
        put("unreliable", Some((standing.failure_rate > UNRELIABLE).into()));
        // What is still moving is no reward.
        put("reward", (row.status == Status::Completed).then(|| json!(Number(standing.elo))));
    }
    put("failures", row.failures.clone());
    put("score_stats", row.score_stats.clone());
    put("error", row.error.as_deref().map(Value::from));
    put("finished_at", row.ended_at.map(|at| rfc3339(timestamp(at)).into()));
    json
}

/// A match of an evaluation as it goes out.
pub fn match_json(played: &PlayedMatch) -> Value {
    json!({
        "n": played.n,
        "replay_id": played.replay_id,
        "seed": played.seed,
        "seat": format!("p{}", played.seat),
        "ticks": played.ticks,
        "completion_reason": played.completion_reason,
        "seats": played.seats,
        "wall_ms": played.wall_ms,
        "cpu_ms": played.cpu_ms,
        "created_at": rfc3339(timestamp(played.created_at)),
    })
}
