//! Generation: a provider writes a submission.
//!
//! ```text
//! request ─▶ Plan ─▶ job ─┬─ one question, one answer ─────────────────────▶ program ─┐
//!                         └─ Session: step ─▶ turns ─▶ evaluation ─▶ step … ──────────┴─▶ submission, transcript
//!                                      └─ decision: candidates × continuations
//! ```
//!
//! The offline writer and endpoints go through the same loop. What a model is asked is made from transcript, frame and
//! verdicts by the very algorithm that rebuilds it from an export ([`frame::Frame::request`]), so the two cannot differ.
//! A job that is taken up again begins again: a session is nothing without the answers it has had. However the job ends, its
//! submission does not stay pending (`store::jobs::finish`).

pub mod decision;
pub mod frame;
pub mod ground;
pub mod line;
pub mod model;
mod patch;
pub mod plan;
mod prune;
pub mod request;
pub mod session;
pub mod transcript;
pub mod workspace;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use self::frame::Frame;
use self::ground::Ground;
use self::line::Line;
use self::plan::{Agentic, Plan};
use self::session::{Branch, Broke, Session};
use self::transcript::Transcript;
use self::workspace::{PROGRAM, Workspace};
use super::catalogue;
use super::credits::Credits;
use super::engine::Game;
use super::engine::rng::mix;
use super::jobs::{Broken, Done, Job};
use super::providers::Author;
use super::record::rfc3339;
use super::store::generations::{self, Generated};
use super::store::ledger::Bill;
use super::store::submissions::{self, Stage};

/// Does the job.
///
/// # Errors
/// Why it ended otherwise than well.
pub async fn run(job: &Job) -> Result<Done, Broken> {
    let plan: Plan = serde_json::from_value(job.row.request.clone())
        .map_err(|error| failed(format!("the job cannot be read: {error}"), Bill::nothing()))?;
    let id = plan.submission_id.clone();
    let kept = job.arena.store().read(move |connection| submissions::any(connection, &id)).await?;
    if kept.is_some_and(|kept| kept.stage != Stage::Pending) {
        // It was finished, and the arena ended before that was noted; what it used then is lost, to nobody's harm.
        return Ok(Done { result: json!({ "submission_id": plan.submission_id }), bill: Bill::nothing() });
    }
    let Some(game) = catalogue::find(job.arena.games(), &plan.game) else {
        return Err(failed(format!("this arena does not play `{}`", plan.game), Bill::nothing()));
    };
    let ground = Ground::new(job.arena.clone(), game, job.stop.clone());
    match write(job, &plan, game, &ground).await {
        Ok(written) => finish(job, &plan, game, &ground, written).await,
        Err(Broke::Stopped) => Err(Broken::Stopped { bill: bill(&plan, &ground) }),
        Err(Broke::Failed(why)) => Err(failed(why, bill(&plan, &ground))),
    }
}

/// What a provider has written.
struct Written {
    workspace: Workspace,
    transcript: Transcript,
    frame: Frame,
    turns: u32,
    points: u32,
}

async fn write(job: &Job, plan: &Plan, game: &'static dyn Game, ground: &Ground) -> Result<Written, Broke> {
    let author = Author::find(job.arena.store(), &plan.provider_id).await;
    let author = author.map_err(|error| Broke::Failed(error.message().to_owned()))?;
    let model = author.open(&plan.model).map_err(Broke::Failed)?;
    let Some(agentic) = &plan.agentic else { return one_shot(job, plan, game, &author, &model).await };
    let rollout = match plan.branch().and_then(|branch| branch.rollout_model.clone()) {
        Some(name) => Some((author.open(&name).map_err(Broke::Failed)?, name)),
        None => None,
    };
    let session = Session {
        game: game.spec(),
        model,
        rollout,
        agentic: agentic.clone(),
        seed: plan.seed,
        ground,
        stop: job.stop.clone(),
    };
    let frame = Frame::new(game.spec(), &plan.model, author.name());
    lead(job, plan, agentic, &session, frame).await
}

/// Leads the line of a session from step to step.
async fn lead(
    job: &Job,
    plan: &Plan,
    agentic: &Agentic,
    session: &Session<'_>,
    mut frame: Frame,
) -> Result<Written, Broke> {
    let id = plan.submission_id.clone();
    keep(job, move |connection| generations::clear(connection, &id)).await?;
    let (mut line, mut points) = (Line::default(), 0);
    while session.goes_on(&line) {
        session.open_step(&mut line, &mut frame);
        let most = |branch: &plan::Branching| branch.max_decision_points.unwrap_or(u32::MAX);
        match agentic.branch.as_ref().filter(|branch| points < most(branch)) {
            Some(branch) => {
                let decision = decision::decide(session, branch, &line, &frame).await?;
                let (id, job_id, step) = (plan.submission_id.clone(), job.row.job_id.clone(), line.step);
                let record = decision.record;
                keep(job, move |connection| generations::add_point(connection, &id, &job_id, step, &record))
                    .await?;
                (line, points) = (decision.line, points + 1);
            }
            None => _ = session.finish_step(&mut line, &frame, Branch::default()).await?,
        }
        job.progress(line.turns.into(), agentic.max_turns.into());
    }
    let Line { workspace, transcript, turns, .. } = line;
    Ok(Written { workspace, transcript, frame, turns, points })
}

async fn one_shot(
    job: &Job,
    plan: &Plan,
    game: &dyn Game,
    author: &Author,
    model: &model::Model,
) -> Result<Written, Broke> {
    let mut frame = Frame::one_shot(game.spec(), &plan.model, author.name());
    let (system, user) = (frame.system().to_owned(), frame::overview(game.spec()));
    frame.prompt(1, user.clone());
    let answer = model.text(&system, &user, &plan.game, mix(&[plan.seed, 1]));
    let text = tokio::select! {
        biased;
        () = job.stop.cancelled() => return Err(Broke::Stopped),
        text = answer => text.map_err(Broke::Failed)?,
    };
    let program = model::program_in(&text).ok_or_else(|| {
        Broke::Failed(
            "the model's answer has no program: a block of code with `def act(observation, seat, info)`"
                .into(),
        )
    })?;
    let mut transcript = Transcript::default();
    let spot = transcript::Spot { step: 1, turn: 1.0 };
    transcript.model(spot, &[json!({ "type": "text", "text": text })], "end_turn", frame.by());
    let workspace = Workspace::from_files([(PROGRAM.to_owned(), program)].into());
    Ok(Written { workspace, transcript, frame, turns: 1, points: 0 })
}

/// Tries the program once more and keeps what there is.
async fn finish(
    job: &Job,
    plan: &Plan,
    game: &dyn Game,
    ground: &Ground,
    written: Written,
) -> Result<Done, Broken> {
    let Written { workspace, transcript, frame, turns, points } = written;
    if workspace.program().is_none() {
        return Err(failed(format!("the model has left no `{PROGRAM}`"), bill(plan, ground)));
    }
    let trial = match ground.trial(&workspace, 1, mix(&[plan.seed, 0xF1])).await {
        Ok(trial) => trial,
        Err(ground::NoTrial::Stopped) => return Err(Broken::Stopped { bill: bill(plan, ground) }),
        Err(ground::NoTrial::Host(why)) => return Err(failed(why, bill(plan, ground))),
    };
    let author = Author::find(job.arena.store(), &plan.provider_id).await;
    let source = author.as_ref().map_or("org:local", |author| author.source());
    let branch_config = plan.branch_config(game.spec(), frame.by().1, source);
    let value_context = branch_config.as_ref().map(|config| {
        let version = game.spec().game_version;
        json!({ "branch_config": config, "game_version": version, "created_at": rfc3339(Timestamp::now()) })
    });
    let failure = trial.failure();
    let stage = if failure.is_some() { Stage::Failed } else { Stage::Ready };
    let generated = Generated {
        submission_id: plan.submission_id.clone(),
        workspace,
        branch_config,
        transcript: transcript.text(),
        request_context: frame.json(),
        value_context,
        failure,
    };
    job.arena.store().write_patiently(move |connection| generations::finish(connection, &generated)).await?;
    let mut result = Map::new();
    result.insert("submission_id".to_owned(), plan.submission_id.as_str().into());
    result.insert("status".to_owned(), stage.as_str().into());
    result.insert("turns".to_owned(), turns.into());
    if plan.branch().is_some() {
        result.insert("decision_points".to_owned(), points.into());
    }
    Ok(Done { result: result.into(), bill: bill(plan, ground) })
}

async fn keep(
    job: &Job,
    work: impl FnMut(&rusqlite::Connection) -> Result<(), super::store::StoreError> + Send + 'static,
) -> Result<(), Broke> {
    job.arena.store().write_patiently(work).await.map_err(|error| Broke::Failed(error.to_string()))
}

fn bill(plan: &Plan, ground: &Ground) -> Bill {
    let ticks = ground.ticks();
    let how = if plan.agentic.is_some() { "agentic generation" } else { "generation" };
    Bill {
        amount: Credits::for_ticks(ticks),
        ticks: Some(ticks),
        description: format!("{how}, {}, {ticks} ticks", plan.game),
    }
}

fn failed(error: String, bill: Bill) -> Broken {
    Broken::Failed { error, bill }
}

/// The branch scores of a job, as they go out.
pub fn branch_scores(job_id: &str, plan: &Plan, points: &[Value]) -> Value {
    let point = |record: &Value| {
        let mut actions = record["actions"].clone();
        for action in actions.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
            // Whole programs are for exports.
            action.shift_remove("code");
        }
        json!({ "decision_index": record["decision_index"], "actions": actions })
    };
    let branch = plan.branch();
    json!({
        "job_id": job_id,
        "branch_mode": plan.branch_mode(),
        // What jobs without the option report (protocol.md §2.8).
        "adopt_percentile": branch.map_or(1.0, |branch| branch.adopt_percentile),
        "decision_points": points.iter().map(point).collect::<Vec<_>>(),
    })
}
