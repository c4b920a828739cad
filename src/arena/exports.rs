//! Exports: what the arena knows of submissions, matches and branches, as files.
//!
//! ```text
//! Ask --start--> job and records chosen, one write --run--> files in a folder --address, signed--> client
//! ```
//!
//! An export is a job ([`run`]). Its records are chosen when it is asked for (`store::exports`) and made one by one while
//! it is written: `rows` has a module a type, `chunks` cuts them into files, `json` and `parquet` write those. `context`
//! is what files say besides their rows, `folder` where they lie, `signature` who may fetch them.
//!
//! A row is a record: a submission, a seat's turn in a match, a decision point, an explored branch. What was exported once
//! is left out of later exports of the same type until [`reset_tracking`](super::store::exports::reset).

mod chunks;
mod context;
pub mod folder;
mod json;
#[cfg(feature = "parquet")]
mod parquet;
mod rows;
pub mod signature;
mod table;

use std::io;
use std::path::Path;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::chunks::Chunks;
use self::context::Envelope;
use super::Arena;
use super::catalogue::{self, Games};
use super::credits::Credits;
use super::engine::Timing;
use super::error::ArenaError;
use super::jobs::{Broken, Done, Job, Kind, Order};
use super::store::exports::{self as rows_of, Choice, ExportFile, Found};
use super::store::ledger::Bill;
use super::store::{Store, StoreError};

/// What a row costs, agentic branches aside. The arena's own price: the platform's is not public.
pub const ROW_PRICE: Credits = Credits(100);

/// The version of the files' content: 3 brought attribution, 4 the difficulty (protocol.md §2.5).
pub const SCHEMA_VERSION: u32 = 4;

/// Rows of an export at most, unless fewer are asked for; the next one has the rest.
pub const MOST_ROWS: u64 = 1_000_000;

/// How large files get, and how long they stay.
#[derive(Debug, Clone)]
pub struct ExportLimits {
    /// A file ends with the row that makes it as large as this, in bytes.
    pub chunk_bytes: u64,
    /// Rows in a file at most.
    pub chunk_records: u64,
    /// How long files stay.
    pub life: Duration,
    /// How long the address of a file is good.
    pub address_life: Duration,
}

impl Default for ExportLimits {
    fn default() -> Self {
        Self {
            chunk_bytes: 64 << 20,
            chunk_records: 500_000,
            life: Duration::from_hours(7 * 24),
            address_life: Duration::from_hours(1),
        }
    }
}

/// What is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExportType {
    /// A row a submission.
    Submissions,
    /// A row a seat and tick of the matches that submissions played.
    Replays,
    /// A row a decision point of a branched generation.
    AgenticBranches,
    /// A row an explored branch of a session.
    BranchExploration,
}

impl ExportType {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::Submissions, Self::Replays, Self::AgenticBranches, Self::BranchExploration];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Submissions => "submissions",
            Self::Replays => "replays",
            Self::AgenticBranches => "agentic_branches",
            Self::BranchExploration => "branch_exploration",
        }
    }

    /// Reads the word, or the one that replays had until 3.1.0.
    pub fn from_word(word: &str) -> Option<Self> {
        let word = if word == "game_replays" { "replays" } else { word };
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// What so many rows cost.
    pub fn price(self, rows: u64) -> Credits {
        let rows = i64::try_from(rows).unwrap_or(i64::MAX);
        match self {
            // One's own generated data is free (SDK 3.4.0 `Exports.create`).
            Self::AgenticBranches => Credits(0),
            _ => Credits(ROW_PRICE.0.saturating_mul(rows)),
        }
    }
}

/// How files are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// One JSON document a file: an envelope with the rows in `records`.
    Json,
    /// Apache Parquet.
    Parquet,
}

impl Format {
    /// The word on the wire, and the ending of a file's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Parquet => "parquet",
        }
    }

    /// Whether this build writes it.
    pub fn is_built_in(self) -> bool {
        self == Self::Json || cfg!(feature = "parquet")
    }
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    /// What is exported.
    pub export_type: ExportType,
    /// How it is written.
    pub format: Format,
    /// Only of this game.
    #[serde(default)]
    pub game_slug: Option<String>,
    /// Only of games that have all of these tags.
    #[serde(default)]
    pub tags: Option<Vec<String>>,
    /// Only of submissions that are rated at least as well as this share of the league, 0 to 1.
    #[serde(default)]
    pub min_percentile: Option<f64>,
    /// Rows at most.
    #[serde(default)]
    pub max_records: Option<u64>,
    /// Only submissions that were branched like this.
    #[serde(default)]
    pub branch_modes: Option<Vec<String>>,
    /// Only of these submissions, or branches of these sessions, also when they were exported before: for builds.
    #[serde(default)]
    pub only: Option<Vec<String>>,
}

impl Ask {
    /// All there is of a type.
    pub fn all(export_type: ExportType, format: Format) -> Self {
        Self {
            export_type,
            format,
            game_slug: None,
            tags: None,
            min_percentile: None,
            max_records: None,
            branch_modes: None,
            only: None,
        }
    }

    /// Looks whether it can be done.
    ///
    /// # Errors
    /// An unknown game, a filter that the type has no use for, a format that this build lacks.
    pub fn check(&self, games: Games) -> Result<(), ArenaError> {
        if !self.format.is_built_in() {
            let problem =
                "`parquet` needs a `gert` that was built with the feature `parquet`: ask for `json`";
            return Err(ArenaError::invalid("format", problem));
        }
        if let Some(slug) = self.game_slug.as_deref().filter(|slug| catalogue::find(games, slug).is_none()) {
            return Err(ArenaError::not_found(format!("there is no game `{slug}`")));
        }
        let kind = self.export_type;
        if self.branch_modes.is_some() && kind != ExportType::Submissions {
            return Err(ArenaError::invalid("branch_modes", "is for exports of `submissions` only"));
        }
        if self.min_percentile.is_some() && kind == ExportType::BranchExploration {
            return Err(ArenaError::invalid(
                "min_percentile",
                "is for submissions and what they did: branches of sessions have no percentile",
            ));
        }
        Ok(())
    }

    /// The games that are meant; `None` for all, of which some may not be there any more.
    pub fn games(&self, games: Games) -> Option<Vec<String>> {
        named_games(games, self.game_slug.as_deref(), self.tags.as_deref())
    }

    fn choice(&self, games: Games, account_id: &str, again: bool) -> Choice {
        let turn_based = games.iter().map(|game| game.spec()).filter(|spec| spec.timing == Timing::TurnBased);
        Choice {
            account_id: account_id.to_owned(),
            export_type: self.export_type,
            games: self.games(games),
            turn_based: turn_based.map(|spec| spec.slug.to_owned()).collect(),
            min_percentile: self.min_percentile,
            branch_modes: self.branch_modes.clone().unwrap_or_default(),
            only: self.only.clone(),
            again,
        }
    }

    fn most_rows(&self) -> u64 {
        self.max_records.unwrap_or(MOST_ROWS).min(MOST_ROWS)
    }
}

/// The games with this name and all of these tags; `None` when neither is given.
pub fn named_games(games: Games, slug: Option<&str>, tags: Option<&[String]>) -> Option<Vec<String>> {
    if slug.is_none() && tags.is_none_or(<[String]>::is_empty) {
        return None;
    }
    let tagged = catalogue::with_tags(games, tags.unwrap_or_default()).map(|game| game.spec().slug);
    Some(tagged.filter(|found| slug.is_none_or(|slug| slug == *found)).map(str::to_owned).collect())
}

/// What an export would hold and cost at most.
///
/// # Errors
/// The database failed.
pub async fn estimate(arena: &Arena, account_id: &str, ask: &Ask) -> Result<(Found, Credits), ArenaError> {
    let (choice, most) = (ask.choice(arena.games(), account_id, false), ask.most_rows());
    let found = arena.store().read(move |connection| rows_of::count(connection, &choice, most)).await?;
    Ok((found, ask.export_type.price(found.rows)))
}

/// Starts an export that was checked ([`Ask::check`]); `parent_id` is the job that wants it. Answers its job's id.
///
/// # Errors
/// The credits do not cover it.
pub async fn start(
    arena: &Arena,
    account_id: &str,
    ask: &Ask,
    parent_id: Option<String>,
) -> Result<String, ArenaError> {
    let (found, price) = estimate(arena, account_id, ask).await?;
    let request = serde_json::to_value(ask).map_err(ArenaError::internal)?;
    let mut order = Order::new(account_id, Kind::Export, request.clone());
    (order.parent_id, order.hold, order.total) = (parent_id, price, found.units);
    let (job_id, account_id) = (order.job_id.clone(), account_id.to_owned());
    let choice = ask.choice(arena.games(), &account_id, false);
    let kind = (ask.export_type, ask.format);
    // No more than was counted, and so paid for: what came since is for the next one.
    let most = found.rows;
    let beside = move |connection: &Connection| {
        let now = Timestamp::now().as_millisecond();
        rows_of::add(connection, &account_id, &job_id, kind, &request, now)?;
        if found.units > 0 { rows_of::claim(connection, &job_id, &choice, most) } else { Ok(()) }
    };
    arena.jobs().submit(arena, order, beside).await
}

/// Why files were not written.
#[derive(Debug, thiserror::Error)]
enum Fault {
    /// The job is to end.
    #[error("stopped")]
    Stopped,
    /// The disk.
    #[error("the files cannot be written")]
    Io(#[from] io::Error),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(error.into())
    }
}

/// Does the job.
///
/// # Errors
/// Why it ended otherwise than well.
pub async fn run(job: &Job) -> Result<Done, Broken> {
    let ask: Ask = serde_json::from_value(job.row.request.clone()).map_err(ArenaError::internal)?;
    let kind = ask.export_type;
    let (worker, folder) = (job.clone(), folder::of(job.arena.store().path()));
    let store = job.arena.store();
    expire(store).await?;
    let work = move |connection: &Connection| Ok(write(connection, &worker, &ask, &folder));
    let (files, message) = match store.read(work).await? {
        Ok(written) => written,
        Err(Fault::Stopped) => return Err(Broken::Stopped { bill: Bill::nothing() }),
        Err(Fault::Store(error)) => return Err(error.into()),
        Err(Fault::Io(error)) => {
            let error =
                format!("the files cannot be written: {error}: make room on the disk and export again");
            return Err(Broken::Failed { error, bill: Bill::nothing() });
        }
    };
    let rows: u64 = files.iter().map(|file| file.records).sum();
    let mut result = json!({ "export_type": kind.as_str(), "record_count": rows });
    if files.is_empty() {
        result["message"] = message.into();
    } else {
        result["chunk_count"] = files.len().into();
        result["size_bytes"] = files.iter().map(|file| file.bytes).sum::<u64>().into();
    }
    let life = SignedDuration::try_from(job.arena.limits().exports.life).unwrap_or(SignedDuration::MAX);
    let expires_at = Timestamp::now().checked_add(life).unwrap_or(Timestamp::MAX).as_millisecond();
    let job_id = job.row.job_id.clone();
    store.write(move |connection| rows_of::put_files(connection, &job_id, &files, expires_at)).await?;
    let plural = if rows == 1 { "record" } else { "records" };
    let description = format!("export of {rows} {plural} of {}", kind.as_str());
    Ok(Done { result, bill: Bill { amount: kind.price(rows), ticks: None, description } })
}

/// Writes all files, and says why there are none if so.
fn write(
    connection: &Connection,
    job: &Job,
    ask: &Ask,
    folder: &Path,
) -> Result<(Vec<ExportFile>, String), Fault> {
    let games = job.arena.games();
    let job_id = &job.row.job_id;
    if rows_of::chosen(connection, job_id)? == 0 {
        let choice = ask.choice(games, &job.row.account_id, true);
        let all = rows_of::count(connection, &choice, u64::MAX)?;
        return Ok((Vec::new(), nothing(ask.export_type, all)));
    }
    let envelope = Envelope::new(connection, games, job_id, ask.export_type)?;
    let place = folder::Making::new(folder, job_id)?;
    let limits = job.arena.limits().exports.clone();
    let mut chunks = Chunks::new(rows::schema(ask.export_type), ask.format, envelope, &place, limits);
    rows::write(connection, job, ask.export_type, &mut chunks)?;
    let files = chunks.finish()?;
    let message = format!("nothing to export: none of the {} can be made again", ask.export_type.as_str());
    let files =
        place.finish(&format!("{}_{job_id}", ask.export_type.as_str()), ask.format.as_str(), files)?;
    Ok((files, message))
}

fn nothing(kind: ExportType, all: Found) -> String {
    let (what, units) = (kind.as_str(), all.units);
    if units == 0 {
        return format!("nothing to export: there are no {what} that fit");
    }
    format!(
        "nothing new to export: all {units} {what} that fit were exported before; `POST /exports/reset-tracking` (`gert exports \
         reset-tracking`) makes them new again"
    )
}

/// Removes what is left of exports that expired or broke off. For the start, when none is running.
///
/// # Errors
/// The database failed.
pub async fn sweep(store: &Store) -> Result<(), StoreError> {
    expire(store).await?;
    let kept = store.write(rows_of::tidy).await?;
    let folder = folder::of(store.path());
    on_disk(move || folder::keep_only(&folder, &kept)).await;
    Ok(())
}

/// Removes the files of exports that have expired.
async fn expire(store: &Store) -> Result<(), StoreError> {
    let now = Timestamp::now().as_millisecond();
    let expired = store.write(move |connection| rows_of::expire(connection, now)).await?;
    let folder = folder::of(store.path());
    if !expired.is_empty() {
        on_disk(move || folder::remove(&folder, &expired)).await;
    }
    Ok(())
}

/// Files that cannot be removed now are no reason to stop: the next start tries again.
async fn on_disk(work: impl FnOnce() -> io::Result<()> + Send + 'static) {
    if let Ok(Err(error)) = tokio::task::spawn_blocking(work).await {
        tracing::warn!(%error, "the files of some old exports stay");
    }
}

/// A value as the text of a cell.
fn text_of(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}
