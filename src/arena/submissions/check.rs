//! Checks: whether a new submission can play at all. Its syntax is checked in the sandbox; then it plays a match against
//! the weakest built-in players, so that what is broken fails early and says why (arena.md §9.3).

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::arena::engine::Game;
use crate::arena::error::ArenaError;
use crate::arena::jobs::{Broken, Done, Job};
use crate::arena::matches::{self, MatchError, Player};
use crate::arena::sandbox::{Program, Refusal};
use crate::arena::store::ledger::Bill;
use crate::arena::store::submissions::{self as rows, Stage, SubmissionRow};
use crate::arena::{Arena, catalogue, submissions};

/// Decides the luck of the match: the same for all, so that a failure can be had again.
const SEED: u64 = 1;

/// The code of what is wrong before the first word of the program (arena.md §8).
const STARTUP_FAILED: &str = "startup_failed";

/// Does the job.
///
/// # Errors
/// Why it ended otherwise than well.
pub async fn run(job: &Job) -> Result<Done, Broken> {
    let submission_id = job.row.request["submission_id"].as_str().unwrap_or_default().to_owned();
    let id = submission_id.clone();
    let row = job.arena.store().read(move |connection| rows::any(connection, &id)).await?;
    let row = row.ok_or_else(|| submissions::unknown(&submission_id))?;
    let row = if row.stage == Stage::Pending { try_out(&job.arena, row, &job.stop).await? } else { row };
    match row.failure {
        Some(failure) => Err(broken(format!("{}: {}", word(&failure, "code"), word(&failure, "detail")))),
        None => Ok(Done {
            result: json!({ "submission_id": submission_id, "status": row.stage.as_str() }),
            bill: Bill::nothing(),
        }),
    }
}

/// Tries a submission out and keeps what was found; gives it as it is then.
///
/// # Errors
/// It was called off, or it is not the submission's fault that it cannot be tried.
pub async fn try_out(
    arena: &Arena,
    mut row: SubmissionRow,
    stop: &CancellationToken,
) -> Result<SubmissionRow, Broken> {
    let failure = fault(arena, &row, stop).await?;
    row.stage = if failure.is_some() { Stage::Failed } else { Stage::Ready };
    row.failure.clone_from(&failure);
    let submission_id = row.submission_id.clone();
    let written =
        arena.store().write(move |connection| rows::checked(connection, &submission_id, failure.as_ref()));
    written.await?;
    Ok(row)
}

/// The program of a submission, ready to be started.
///
/// # Errors
/// Why it cannot be.
pub async fn prepare(arena: &Arena, submission_id: &str) -> Result<Result<Program, Refusal>, ArenaError> {
    let id = submission_id.to_owned();
    let code = arena.store().read(move |connection| rows::code(connection, &id)).await?;
    let code = code.ok_or_else(|| submissions::unknown(submission_id))?;
    Ok(Program::prepare(arena.sandbox(), submissions::source(code), arena.program_limits().clone()).await)
}

/// What is wrong with a submission, in the words of arena.md §8; nothing when it can play.
async fn fault(
    arena: &Arena,
    row: &SubmissionRow,
    stop: &CancellationToken,
) -> Result<Option<Value>, Broken> {
    let Some(game) = catalogue::find(arena.games(), &row.game) else {
        return Err(broken(format!("this arena does not have the game `{}`", row.game)));
    };
    let program = tokio::select! {
        program = prepare(arena, &row.submission_id) => program?,
        () = stop.cancelled() => return Err(Broken::Stopped { bill: Bill::nothing() }),
    };
    let startup = |detail: String, stderr: Vec<String>| {
        Ok(Some(json!({ "code": STARTUP_FAILED, "detail": detail, "stderr": stderr })))
    };
    match program {
        Ok(program) => smoke(arena, game, program, stop).await,
        Err(Refusal::Source(why)) => startup(why, Vec::new()),
        Err(Refusal::Startup { why, stderr }) => startup(why, stderr),
        Err(why @ Refusal::Host(_)) => Err(broken(why.to_string())),
    }
}

/// A match of the first seat against the weakest.
async fn smoke(
    arena: &Arena,
    game: &'static dyn Game,
    program: Program,
    stop: &CancellationToken,
) -> Result<Option<Value>, Broken> {
    let weakest = game.bots().first().map(|bot| Player::BuiltIn(bot.name.to_owned()));
    // Who plays alone has all seats.
    let other = weakest.unwrap_or_else(|| Player::Program(program.clone()));
    let mut players = vec![other; usize::from(game.spec().default_seats)];
    players[0] = Player::Program(program);
    let order = matches::Order::new(game, SEED, players);
    let mut series = arena.matches().series();
    let played = series.play(&order, stop).await;
    series.close().await;
    match played {
        Ok(record) => {
            Ok(record.seats.into_iter().next().and_then(|seat| seat.failure).map(|failure| json!(failure)))
        }
        Err(MatchError::Cancelled) => Err(Broken::Stopped { bill: Bill::nothing() }),
        Err(why) => Err(broken(why.to_string())),
    }
}

fn broken(error: String) -> Broken {
    Broken::Failed { error, bill: Bill::nothing() }
}

fn word<'a>(failure: &'a Value, key: &str) -> &'a str {
    failure[key].as_str().unwrap_or_default()
}
