//! Submissions: code that plays a game. What is uploaded is kept at once and tried out by a job of its own; what is
//! deleted stays in the database for the records that speak of it.
//!
//! ```text
//! upload ── pending ──check──▶ ready ──evaluation──▶ rated
//!                      └─────▶ failed, with why
//! ```
//!
//! The players of the league are submissions too: everybody sees them, nobody changes them. Start at [`upload`].

pub mod check;

use std::collections::BTreeMap;

use axum::http::StatusCode;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::engine::Game;
use super::engine::observation::Number;
use super::error::ArenaError;
use super::evaluation::UNRELIABLE;
use super::jobs::{Kind, Order};
use super::league::{self, Entry};
use super::record::rfc3339;
use super::sandbox::{File, Source};
use super::store::StoreError;
use super::store::sessions::timestamp;
use super::store::submissions::{
    self as rows, Code, MODULE, NewSubmission, Selector, Stage, Standing, SubmissionRow,
};
use super::{Arena, catalogue};

/// The languages of code, and what each means.
pub const LANGUAGES: [&str; 2] = [PYTHON, PROCESS];

/// A module that defines `act`.
pub const PYTHON: &str = "python";

/// Any program that speaks JSON lines; needs a command.
pub const PROCESS: &str = "process";

/// Submissions that an account may keep.
const MOST: u64 = 10_000;

/// Files of a submission at most, and their bytes together.
const MOST_FILES: usize = 64;
const MOST_BYTES: usize = 1024 * 1024;

/// The longest name of a file.
const LONGEST_NAME: usize = 200;

/// What is uploaded.
#[derive(Clone)]
pub struct Upload {
    /// For which game.
    pub game: &'static dyn Game,
    /// One of [`LANGUAGES`].
    pub language: String,
    /// What is run.
    pub code: Code,
    /// Who generated it, for people.
    pub provider: Option<String>,
    /// The model that generated it.
    pub model: Option<String>,
}

/// Keeps a submission and has it tried out. Gives its id and that of the job.
///
/// # Errors
/// The account has too many.
pub async fn upload(arena: &Arena, account_id: &str, upload: Upload) -> Result<(String, String), ArenaError> {
    let Upload { game, language, code, provider, model } = upload;
    let mut new = NewSubmission::new(account_id, game.spec(), language, code);
    (new.provider, new.model) = (provider, model);
    let submission_id = new.submission_id.clone();
    let order = Order::new(account_id, Kind::Check, json!({ "submission_id": submission_id }));
    new.job_id = Some(order.job_id.clone());
    let beside = move |connection: &rusqlite::Connection| {
        if rows::count(connection, &new.account_id, &Selector::default())? >= MOST {
            return Err(StoreError::Full("submissions", MOST));
        }
        rows::add(connection, &new, Timestamp::now())
    };
    let job_id = arena.jobs().submit(arena, order, beside).await?;
    Ok((submission_id, job_id))
}

/// Code as it was sent: one module, or files; `command` starts what is no Python module.
///
/// # Errors
/// Names the field that is wrong.
pub fn read_code(
    language: &str,
    code: Option<String>,
    files: Option<Map<String, Value>>,
    command: Option<String>,
    fresh: bool,
) -> Result<Code, ArenaError> {
    match (language, &command) {
        (PROCESS, None) => {
            return Err(ArenaError::invalid(
                "command",
                "is required with the language `process`: it starts the program",
            ));
        }
        (PYTHON, Some(_)) => {
            return Err(ArenaError::invalid(
                "command",
                "goes with the language `process`: `main.py` needs none",
            ));
        }
        _ => {}
    }
    let files = match (code, files) {
        (Some(_), Some(_)) => return Err(ArenaError::invalid("files", "must not be given beside `code`")),
        (None, None) => return Err(ArenaError::invalid("code", "is required, or `files`")),
        (Some(code), None) => BTreeMap::from([(MODULE.to_owned(), code)]),
        (None, Some(files)) => texts(files)?,
    };
    let n_bytes: usize = files.values().map(String::len).sum();
    if n_bytes > MOST_BYTES {
        let problem = format!("have {n_bytes} bytes together, {MOST_BYTES} are allowed");
        return Err(ArenaError::invalid("files", problem));
    }
    if files.values().all(|text| text.trim().is_empty()) {
        return Err(ArenaError::invalid("code", "must not be empty"));
    }
    if command.is_none() && !files.contains_key(MODULE) {
        let problem = format!("must have a file `{MODULE}`, which defines `act`");
        return Err(ArenaError::invalid("files", problem));
    }
    Ok(Code { files, command, fresh })
}

fn texts(files: Map<String, Value>) -> Result<BTreeMap<String, String>, ArenaError> {
    if files.is_empty() || files.len() > MOST_FILES {
        return Err(ArenaError::invalid("files", format_args!("must be 1 to {MOST_FILES} files")));
    }
    let text = |(name, value): (String, Value)| match value {
        Value::String(text) if !name.is_empty() && name.len() <= LONGEST_NAME => Ok((name, text)),
        _ => Err(ArenaError::invalid(
            "files",
            "must be an object: file names such as `main.py`, and their text",
        )),
    };
    files.into_iter().map(text).collect()
}

/// Code as the sandbox wants it.
pub fn source(code: Code) -> Source {
    let Code { files, command, fresh } = code;
    let file = |(name, text): (String, String)| File { name, bytes: text.into_bytes() };
    let files: Vec<File> = files.into_iter().map(file).collect();
    let entry = match command {
        Some(command) => super::sandbox::Entry::Command(command),
        None => super::sandbox::Entry::Function(MODULE.to_owned()),
    };
    Source { entry, files, fresh }
}

/// A submission of the caller's own; a word about those that it may not touch.
///
/// # Errors
/// There is none, or it is the league's.
pub async fn own(arena: &Arena, account_id: &str, submission_id: &str) -> Result<SubmissionRow, ArenaError> {
    if find_in_league(arena, submission_id).is_some() {
        return Err(ArenaError::forbidden(format!(
            "`{submission_id}` is a built-in player of the league: it can be looked at and played against, nothing else"
        )));
    }
    find(arena, account_id, submission_id).await?.ok_or_else(|| unknown(submission_id))
}

/// A submission of the caller's own, if there is one.
///
/// # Errors
/// The database failed.
pub async fn find(
    arena: &Arena,
    account_id: &str,
    submission_id: &str,
) -> Result<Option<SubmissionRow>, ArenaError> {
    let (account, id) = (account_id.to_owned(), submission_id.to_owned());
    Ok(arena.store().read(move |connection| rows::get(connection, &account, &id)).await?)
}

/// There is no such submission, or not for this caller.
pub fn unknown(submission_id: &str) -> ArenaError {
    ArenaError::not_found(format!("there is no submission `{submission_id}`"))
}

/// Deletes what matches and ends the evaluations under way; gives how many there were. `expected` must be that number.
///
/// # Errors
/// Another number of submissions match: nothing was deleted.
pub async fn delete(
    arena: &Arena,
    account_id: &str,
    wanted: Selector,
    expected: Option<u64>,
) -> Result<u64, ArenaError> {
    let account = account_id.to_owned();
    let deleted = arena.store().write(move |connection| {
        // Counted and deleted in one write: nobody comes between.
        let found = rows::count(connection, &account, &wanted)?;
        if expected.is_some_and(|expected| expected != found) {
            return Ok((found, None));
        }
        Ok((found, Some(rows::delete(connection, &account, &wanted, Timestamp::now())?)))
    });
    let (found, jobs) = deleted.await?;
    let Some(jobs) = jobs else {
        return Err(ArenaError::new(
            StatusCode::CONFLICT,
            "CONFLICT",
            format!("{} were expected and {found} match: nothing was deleted", expected.unwrap_or_default()),
        ));
    };
    for job_id in &jobs {
        arena.jobs().cancel(job_id);
    }
    Ok(found)
}

/// The league's players that may be listed, game after game, weakest first.
pub fn in_league(
    arena: &Arena,
    slug: Option<&str>,
) -> impl Iterator<Item = (&'static dyn Game, &'static Entry)> + use<> {
    let slug = slug.map(str::to_owned);
    let games = arena.games().iter().copied();
    let wanted = games.filter(move |game| slug.as_ref().is_none_or(|slug| game.spec().slug == *slug));
    wanted.flat_map(|game| league::of(game.spec().slug).iter().map(move |entry| (game, entry)))
}

/// The league's player with this id.
pub fn find_in_league(arena: &Arena, submission_id: &str) -> Option<(&'static dyn Game, &'static Entry)> {
    in_league(arena, None).find(|(_, entry)| entry.submission_id == submission_id)
}

/// A submission as it goes out, without its code.
pub fn json(arena: &Arena, row: &SubmissionRow) -> Value {
    let mut json = json!({
        "submission_id": row.submission_id,
        "game": row.game,
        "status": row.stage.as_str(),
        "language": row.language,
        "game_version": row.game_version,
        "score_version": row.score_version,
        "created_at": rfc3339(timestamp(row.created_at)),
    });
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            json[key] = value;
        }
    };
    let text = |text: &Option<String>| text.as_deref().map(Value::from);
    put("provider", text(&row.provider));
    put("provider_source", text(&row.provider_source));
    put("model", text(&row.model));
    put("branch_config", row.branch_config.clone());
    put("job_id", text(&row.job_id));
    put("failure", row.failure.clone());
    if let Some(Standing { elo, error, percentile, matches, failure_rate }) = row.standing {
        put("elo_rating", Some(json!(Number(elo))));
        put("elo_error", Some(json!(Number(error))));
        put("percentile", Some(json!(Number(percentile))));
        put("matches", Some(matches.into()));
        put("failure_rate", Some(json!(Number(failure_rate))));
        put("unreliable", Some((failure_rate > UNRELIABLE).into()));
        let game = catalogue::find(arena.games(), &row.game);
        put("score_ticks", game.map(|game| game.spec().canonical_ticks.into()));
    }
    json
}

/// A player of the league as a submission.
pub fn league_json(game: &dyn Game, entry: &Entry) -> Value {
    let spec = game.spec();
    json!({
        "submission_id": entry.submission_id,
        "game": spec.slug,
        "status": Stage::Ready.as_str(),
        "provider": league::PROVIDER,
        "provider_source": league::PROVIDER,
        "model": entry.player,
        "elo_rating": Number(entry.elo),
        "elo_error": Number(entry.error),
        "matches": entry.matches,
        "game_version": spec.game_version,
        "score_version": spec.score_version,
        "score_ticks": spec.canonical_ticks,
        "created_at": rfc3339(entry.created_at),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(code: Result<Code, ArenaError>) -> String {
        code.unwrap_err().message().to_owned()
    }

    fn files(json: Value) -> Option<Map<String, Value>> {
        if let Value::Object(files) = json { Some(files) } else { None }
    }

    #[test]
    fn code_is_a_module_or_files_with_one() {
        let module = read_code("python", Some("x = 1".into()), None, None, false).unwrap();
        assert_eq!(module, Code::python("x = 1"));
        let two = json!({ "main.py": "import lib", "lib.py": "" });
        let code = read_code("python", None, files(two), None, true).unwrap();
        assert!(code.fresh && code.files.len() == 2);
        let shell =
            read_code("process", None, files(json!({ "run.sh": "cat" })), Some("run.sh".into()), false);
        assert_eq!(source(shell.unwrap()).entry, super::super::sandbox::Entry::Command("run.sh".into()));
    }

    #[test]
    fn a_refusal_names_the_field_and_what_to_do() {
        let refused = |language, code: Option<&str>, given: Option<Value>, command: Option<&str>| {
            let given = given.and_then(files);
            refusal(read_code(language, code.map(str::to_owned), given, command.map(str::to_owned), false))
        };
        let both = refused("python", Some("x"), Some(json!({ "main.py": "x" })), None);
        assert!(both.starts_with("`files`"), "{both}");
        assert!(refused("python", None, None, None).starts_with("`code` is required"));
        assert!(refused("python", Some(" \n"), None, None).starts_with("`code` must not be empty"));
        assert!(refused("python", None, Some(json!({ "bot.py": "x" })), None).contains("`main.py`"));
        assert!(refused("python", None, Some(json!({})), None).contains("1 to 64 files"));
        assert!(refused("python", None, Some(json!({ "main.py": 1 })), None).contains("their text"));
        assert!(refused("python", Some("x"), None, Some("run")).starts_with("`command`"));
        assert!(refused("process", Some("x"), None, None).starts_with("`command` is required"));
        let large = "x".repeat(MOST_BYTES + 1);
        assert!(refused("python", Some(&large), None, None).contains("1048577 bytes"));
    }
}
