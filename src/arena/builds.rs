//! Dataset builds: programs that are written and evaluated, or sessions that are explored, for several games, and the
//! exports of them.
//!
//! ```text
//! code_evaluation     a submission: generation ─▶ evaluation ─┐
//! branch_exploration  a parent:     session ─▶ explorations ──┴─ all of them ─▶ exports
//! ```
//!
//! The parts of a code evaluation are jobs of their own, linked to the build by `parent_job_id`; a build that is taken up
//! again finds them there. It charges nothing itself: each part holds and settles what it plays.

mod children;
mod parents;
pub mod plan;

use futures_util::{FutureExt as _, StreamExt as _, stream};
use serde_json::{Map, Value, json};

use self::plan::{Build, Unit, Work};
use super::error::ArenaError;
use super::exports::{Ask, ExportType, Format};
use super::jobs::{Broken, Done, Job};
use super::store::ledger::Bill;

/// Parts under way at once. Each kind of job has its own places, so this only keeps the queue short.
const AT_ONCE: usize = 4;

/// Reasons that the result names; the rest is counted.
const REASONS: usize = 5;

/// What became of a part.
enum Part {
    /// The submission or session that it made.
    Made(String),
    /// Why there is none.
    Failed(String),
    /// The build is to end.
    Stopped,
}

/// Does the job.
///
/// # Errors
/// Why it ended otherwise than well.
pub async fn run(job: &Job) -> Result<Done, Broken> {
    let build: Build = serde_json::from_value(job.row.request.clone()).map_err(ArenaError::internal)?;
    let outcome = work(job, &build).await;
    if job.stop.is_cancelled() {
        // When the arena ends, children stay in the queue like the build itself.
        if !job.arena.closing().is_cancelled() {
            children::cancel(job).await?;
        }
        return Err(Broken::Stopped { bill: Bill::nothing() });
    }
    outcome
}

async fn work(job: &Job, build: &Build) -> Result<Done, Broken> {
    let units = build.units();
    let kinds = export_types(build);
    let total = build.steps() as u64;
    let (mut made, mut reasons, mut done) = (Vec::new(), Vec::new(), 0);
    let each: Vec<_> = units.iter().map(|unit| part(job, build, unit).boxed()).collect();
    let mut parts = stream::iter(each).buffer_unordered(AT_ONCE);
    while let Some(part) = parts.next().await {
        match part? {
            Part::Made(id) => made.push(id),
            Part::Failed(why) => reasons.push(why),
            Part::Stopped => return Err(stopped()),
        }
        done += 1;
        job.progress(done, total);
    }
    drop(parts);
    if made.is_empty() {
        let why = reasons.first().map_or("there was nothing to do", String::as_str);
        let error = format!("all {} parts failed, the first because: {why}", units.len());
        return Err(Broken::Failed { error, bill: Bill::nothing() });
    }
    let mut export_ids = Vec::new();
    for kind in kinds {
        let ask = Ask { only: Some(made.clone()), ..Ask::all(kind, format(build)) };
        export_ids.push(children::export(job, &ask).await?);
        done += 1;
        job.progress(done, total);
    }
    Ok(Done { result: result(build, &made, &reasons, &export_ids), bill: Bill::nothing() })
}

async fn part(job: &Job, build: &Build, unit: &Unit) -> Result<Part, Broken> {
    if job.stop.is_cancelled() {
        return Ok(Part::Stopped);
    }
    let made = match &build.work {
        Work::CodeEvaluation { match_count, .. } => {
            children::submission(job, build, unit, *match_count).await
        }
        Work::BranchExploration { .. } => parents::explore(job, build, unit).await,
    };
    Ok(match made {
        _ if job.stop.is_cancelled() => Part::Stopped,
        Ok(id) => Part::Made(id),
        // Our own fault; the log has more.
        Err(error) if error.code() == "INTERNAL_ERROR" => return Err(error.into()),
        Err(error) => Part::Failed(format!("{}: {}", unit.key(), error.message())),
    })
}

fn stopped() -> Broken {
    Broken::Stopped { bill: Bill::nothing() }
}

fn format(build: &Build) -> Format {
    if build.export_format == "parquet" { Format::Parquet } else { Format::Json }
}

fn export_types(build: &Build) -> Vec<ExportType> {
    match &build.work {
        Work::CodeEvaluation { export_types, .. } => {
            export_types.iter().filter_map(|word| ExportType::from_word(word)).collect()
        }
        Work::BranchExploration { .. } => vec![ExportType::BranchExploration],
    }
}

/// In the words of the platform (protocol.md §2.4): a list of exports, or one.
fn result(build: &Build, made: &[String], reasons: &[String], export_ids: &[String]) -> Value {
    let mut result = Map::new();
    let mut put = |name: &str, value: Value| _ = result.insert(name.to_owned(), value);
    match &build.work {
        Work::CodeEvaluation { .. } => {
            put("export_job_ids", json!(export_ids));
            put("submission_ids", json!(made));
        }
        Work::BranchExploration { .. } => {
            put("export_job_id", json!(export_ids.first()));
            put("session_ids", json!(made));
        }
    }
    put("failed_count", reasons.len().into());
    if !reasons.is_empty() {
        put("failures", json!(&reasons[..reasons.len().min(REASONS)]));
    }
    result.into()
}
