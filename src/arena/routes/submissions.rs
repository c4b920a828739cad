//! Submissions: upload, list, look at, delete; evaluate, and what came of it.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::Answer;
use crate::arena::error::ArenaError;
use crate::arena::evaluation::pool::{Opponents, Origin};
use crate::arena::evaluation::{self, DEFAULT_MATCHES, MAX_SEED, MOST_MATCHES, Plan};
use crate::arena::generation::request as generation;
use crate::arena::guard::Caller;
use crate::arena::jobs::callback;
use crate::arena::league::Wanted;
use crate::arena::page::{PageRequest, page};
use crate::arena::reply::Reply;
use crate::arena::request::Fields;
use crate::arena::store::submissions::{self as rows, Selector, SubmissionRow};
use crate::arena::store::{evaluations, matches};
use crate::arena::submissions::{self as domain, LANGUAGES, Upload};
use crate::arena::{Arena, catalogue};

/// How branches were used, as the wire has it.
const BRANCH_MODES: [&str; 3] = ["none", "measure", "best_of_n"];

/// Names in one list of a request.
const MOST_NAMES: usize = 1_000;

/// Submissions of a batch.
const MOST_AT_ONCE: usize = 100;

/// Submissions that a dry run shows.
const SAMPLE: usize = 10;

/// The longest label.
const LONGEST_LABEL: usize = 200;

/// `GET /submissions`: the caller's own, newest first; then the league's unless `mine`.
pub(super) async fn list(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    RawQuery(query): RawQuery,
) -> Answer {
    let mut query = Fields::from_query(query.as_deref())?;
    let request = PageRequest::take(&mut query)?;
    let game = query.text("game")?;
    let mine = query.flag("mine")?.unwrap_or(false);
    let branch_modes = query.text("branch_mode")?.unwrap_or_default();
    query.finish()?;
    let branch_modes = branch_modes.split(',').map(str::trim).filter(|mode| !mode.is_empty());
    let wanted = Selector {
        game: game.clone(),
        branch_modes: check_modes("branch_mode", branch_modes.map(str::to_owned).collect())?,
        ..Selector::default()
    };
    // Own ones have positive keys; those of the league follow, by their places, with negative ones.
    let after = request.after_numbers::<1>()?.map(|[key]| key);
    let with_league =
        !mine && (wanted.branch_modes.is_empty() || wanted.branch_modes.iter().any(|mode| mode == "none"));
    let limit = request.limit + 1;
    let mut found: Vec<(i64, Value)> = Vec::new();
    if after.is_none_or(|key| key > 0) {
        let own = arena
            .store()
            .read(move |connection| rows::list(connection, &account_id, &wanted, after, limit))
            .await?;
        found.extend(own.iter().map(|row| (row.seq, domain::json(&arena, row))));
    }
    if with_league {
        let behind = after.filter(|key| *key < 0).map_or(0, i64::unsigned_abs) as usize;
        let league = (1..).zip(domain::in_league(&arena, game.as_deref())).skip(behind);
        let room = limit - found.len();
        found.extend(league.take(room).map(|(nth, (game, entry))| (-nth, domain::league_json(game, entry))));
    }
    Ok(Reply::ok(page("submissions", &request, found, |(key, _)| key.to_string(), |(_, json)| json)))
}

/// `GET /submissions/{id}`: with its code, when it is the caller's own.
pub(super) async fn get(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path(submission_id): Path<String>,
) -> Answer {
    if let Some((game, entry)) = domain::find_in_league(&arena, &submission_id) {
        return Ok(Reply::ok(domain::league_json(game, entry)));
    }
    let row = domain::own(&arena, &account_id, &submission_id).await?;
    let mut json = domain::json(&arena, &row);
    let code = arena.store().read(move |connection| rows::code(connection, &submission_id)).await?;
    if let Some(code) = code {
        json["files"] = json!(code.files);
        json["fresh"] = code.fresh.into();
        if let Some(command) = code.command {
            json["command"] = command.into();
        }
    }
    Ok(Reply::ok(json))
}

/// `POST /submissions`: an upload, or an order to generate.
pub(super) async fn create(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    let mut fields = Fields::from_body(&headers, &body)?;
    if generation::is_wanted(&fields) {
        return generation::create(&arena, &account_id, fields).await;
    }
    let upload = read_upload(&arena, &mut fields)?;
    fields.finish()?;
    let (submission_id, job_id) = domain::upload(&arena, &account_id, upload).await?;
    let answer = json!({ "submission_id": submission_id, "job_id": job_id, "status": "pending" });
    Ok(Reply(StatusCode::CREATED, answer))
}

fn read_upload(arena: &Arena, fields: &mut Fields) -> Result<Upload, ArenaError> {
    let slug = fields.required_text("game")?;
    let game = catalogue::find(arena.games(), &slug)
        .ok_or_else(|| ArenaError::not_found(format!("there is no game `{slug}`")))?;
    let command = fields.text("command")?;
    let usual = if command.is_some() { domain::PROCESS } else { domain::PYTHON };
    let language = fields.word("language", &LANGUAGES)?.unwrap_or(usual);
    let (code, fresh) = (fields.text("code")?, fields.flag("fresh")?.unwrap_or(false));
    let files = fields.object("files")?.map(|files| match files {
        Value::Object(files) => files,
        _ => Map::new(),
    });
    Ok(Upload {
        game,
        language: language.to_owned(),
        code: domain::read_code(language, code, files, command, fresh)?,
        provider: label(fields, "provider")?,
        model: label(fields, "model")?,
    })
}

/// A readable name.
fn label(fields: &mut Fields, name: &str) -> Result<Option<String>, ArenaError> {
    let Some(text) = fields.text(name)? else { return Ok(None) };
    if text.trim().is_empty() || text.len() > LONGEST_LABEL || text.chars().any(char::is_control) {
        let problem = format!("must be a name of 1 to {LONGEST_LABEL} bytes on one line");
        return Err(ArenaError::invalid(name, problem));
    }
    Ok(Some(text))
}

/// `DELETE /submissions/{id}`.
pub(super) async fn delete(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path(submission_id): Path<String>,
) -> Result<Response, ArenaError> {
    let row = domain::own(&arena, &account_id, &submission_id).await?;
    let only = Selector { submission_ids: Some(vec![row.submission_id]), ..Selector::default() };
    match domain::delete(&arena, &account_id, only, None).await? {
        0 => Err(domain::unknown(&submission_id)),
        _ => Ok(StatusCode::NO_CONTENT.into_response()),
    }
}

/// `POST /submissions/bulk-delete`: counts, unless `dry_run` is false and `confirm` true.
pub(super) async fn bulk_delete(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    let mut fields = Fields::from_body(&headers, &body)?;
    let wanted = Selector {
        game: fields.text("game_slug")?,
        models: some_names(&mut fields, "models")?.unwrap_or_default(),
        providers: some_names(&mut fields, "providers")?.unwrap_or_default(),
        branch_modes: check_modes(
            "branch_modes",
            some_names(&mut fields, "branch_modes")?.unwrap_or_default(),
        )?,
        created_after: moment(&mut fields, "created_after")?,
        created_before: moment(&mut fields, "created_before")?,
        submission_ids: some_names(&mut fields, "submission_ids")?,
    };
    let dry_run = fields.flag("dry_run")?.unwrap_or(true);
    let confirm = fields.flag("confirm")?.unwrap_or(false);
    let expected = fields.whole("expected_count", 0..=u64::MAX)?;
    if fields.word("scope", &["own", "org"])? == Some("org") {
        return Err(ArenaError::forbidden(
            "`scope` `org` is for owners of an organisation: this arena has none",
        ));
    }
    fields.finish()?;
    let (account, selector) = (account_id.clone(), wanted.clone());
    let sample = arena.store().read(move |connection| {
        let matched = rows::count(connection, &account, &selector)?;
        Ok((matched, rows::list(connection, &account, &selector, None, SAMPLE)?))
    });
    let (matched, sample) = sample.await?;
    let sample: Vec<Value> = sample.iter().map(sample_json).collect();
    if dry_run || !confirm {
        return Ok(Reply::ok(json!({ "dry_run": true, "matched": matched, "sample": sample })));
    }
    let deleted = domain::delete(&arena, &account_id, wanted, expected).await?;
    Ok(Reply::ok(json!({ "dry_run": false, "matched": deleted, "deleted": deleted, "sample": sample })))
}

fn sample_json(row: &SubmissionRow) -> Value {
    json!({ "submission_id": row.submission_id, "game": row.game, "model": row.model, "provider": row.provider })
}

/// `POST /submissions/{id}/evaluate`.
pub(super) async fn evaluate(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path(submission_id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    let mut fields = Fields::from_body(&headers, &body)?;
    let plan = read_plan(&mut fields)?;
    fields.finish()?;
    let started = start(&arena, &account_id, &submission_id, plan).await?;
    Ok(Reply(StatusCode::ACCEPTED, started))
}

/// `POST /submissions/evaluate`: the same for several; each fails for itself.
pub(super) async fn batch_evaluate(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    let mut fields = Fields::from_body(&headers, &body)?;
    let ids = names(&mut fields, "submission_ids")?;
    if ids.is_empty() || ids.len() > MOST_AT_ONCE {
        let problem = format!("must be a list of 1 to {MOST_AT_ONCE} submissions");
        return Err(ArenaError::invalid("submission_ids", problem));
    }
    let plan = read_plan(&mut fields)?;
    fields.finish()?;
    let mut entries = Vec::new();
    for submission_id in ids {
        let entry = match start(&arena, &account_id, &submission_id, plan.clone()).await {
            Ok(started) => started,
            Err(why) => json!({
                "submission_id": submission_id,
                "error": { "code": why.code(), "message": why.message() },
            }),
        };
        entries.push(entry);
    }
    Ok(Reply(StatusCode::ACCEPTED, json!({ "evaluations": entries })))
}

async fn start(
    arena: &Arena,
    account_id: &str,
    submission_id: &str,
    plan: Plan,
) -> Result<Value, ArenaError> {
    let (match_count, seed) = (plan.match_count, plan.seed);
    // A client that gives up in the middle leaves an evaluation that is listed, not a hold without one.
    let (host, account, id) = (arena.clone(), account_id.to_owned(), submission_id.to_owned());
    let starting = arena.tasks().spawn(async move { evaluation::start(&host, &account, &id, plan).await });
    let started = starting.await.map_err(ArenaError::internal)??;
    Ok(json!({
        "eval_run_id": started.eval_run_id,
        "job_id": started.job_id,
        "submission_id": submission_id,
        "status": "queued",
        "match_count": match_count,
        "seed": seed,
        "estimated_credits": started.hold,
    }))
}

fn read_plan(fields: &mut Fields) -> Result<Plan, ArenaError> {
    let matches = fields.whole("match_count", 1..=u64::from(MOST_MATCHES))?;
    let mut plan = Plan::new(matches.map_or(DEFAULT_MATCHES, |matches| matches as u32));
    if let Some(seed) = fields.whole("seed", 0..=MAX_SEED)? {
        plan.seed = seed;
    }
    plan.opponents = Opponents {
        origin: fields.word("opponent_source", &Origin::WORDS)?.map_or(Origin::System, Origin::from_word),
        wanted: Wanted {
            band: None,
            models: names(fields, "opponent_models")?,
            providers: names(fields, "opponent_providers")?,
            created_after: moment(fields, "opponent_created_after")?,
            created_before: moment(fields, "opponent_created_before")?,
        },
    };
    plan.callback_url = fields.text("callback_url")?;
    if let Some(url) = &plan.callback_url {
        callback::check(url).map_err(|problem| ArenaError::invalid("callback_url", problem))?;
    }
    Ok(plan)
}

/// `GET /submissions/{id}/evaluations`: newest first.
pub(super) async fn evaluations(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path(submission_id): Path<String>,
    RawQuery(query): RawQuery,
) -> Answer {
    let mut query = Fields::from_query(query.as_deref())?;
    let request = PageRequest::take(&mut query)?;
    query.finish()?;
    if domain::find_in_league(&arena, &submission_id).is_some() {
        return Ok(Reply::ok(json!({ "evaluations": [] })));
    }
    domain::own(&arena, &account_id, &submission_id).await?;
    let after = request.after_numbers::<1>()?.map(|[seq]| seq);
    let limit = request.limit + 1;
    let rows = arena
        .store()
        .read(move |connection| evaluations::list(connection, &submission_id, after, limit))
        .await?;
    Ok(Reply::ok(page(
        "evaluations",
        &request,
        rows,
        |row| row.seq.to_string(),
        |row| evaluation::json(&row),
    )))
}

/// `GET /submissions/{id}/evaluations/{run}/matches`: one after the other, as they were scheduled.
pub(super) async fn matches(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path((submission_id, eval_run_id)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Answer {
    let mut query = Fields::from_query(query.as_deref())?;
    let request = PageRequest::take(&mut query)?;
    query.finish()?;
    domain::own(&arena, &account_id, &submission_id).await?;
    let from = request.after_numbers::<1>()?.map_or(0, |[n]| n.saturating_add(1));
    let from = u32::try_from(from)
        .map_err(|_| ArenaError::invalid("cursor", "is not one that the arena gave out"))?;
    let (id, limit) = (eval_run_id.clone(), request.limit + 1);
    let found = arena.store().read(move |connection| {
        let is_there = evaluations::get(connection, &submission_id, &id)?.is_some();
        is_there.then(|| matches::list(connection, &id, from, limit)).transpose()
    });
    let rows = found
        .await?
        .ok_or_else(|| ArenaError::not_found(format!("there is no evaluation `{eval_run_id}`")))?;
    Ok(Reply::ok(page(
        "matches",
        &request,
        rows,
        |row| row.n.to_string(),
        |row| evaluation::match_json(&row),
    )))
}

fn names(fields: &mut Fields, name: &str) -> Result<Vec<String>, ArenaError> {
    let names = fields.texts(name)?.unwrap_or_default();
    if names.len() > MOST_NAMES {
        return Err(ArenaError::invalid(name, format_args!("must have at most {MOST_NAMES} entries")));
    }
    Ok(names)
}

/// A list that may be absent but not empty: a list that somebody computed must not select everything when it comes out empty.
fn some_names(fields: &mut Fields, name: &str) -> Result<Option<Vec<String>>, ArenaError> {
    if !fields.has(name) {
        return Ok(None);
    }
    match names(fields, name)? {
        list if list.is_empty() => {
            Err(ArenaError::invalid(name, "must not be empty: leave it out to select by other things"))
        }
        list => Ok(Some(list)),
    }
}

fn check_modes(name: &str, modes: Vec<String>) -> Result<Vec<String>, ArenaError> {
    if modes.iter().all(|mode| BRANCH_MODES.contains(&mode.as_str())) {
        Ok(modes)
    } else {
        Err(ArenaError::invalid(name, format_args!("must be some of `{}`", BRANCH_MODES.join("`, `"))))
    }
}

fn moment(fields: &mut Fields, name: &str) -> Result<Option<Timestamp>, ArenaError> {
    let text = fields.text(name)?;
    text.map(|text| text.parse().map_err(|_| ArenaError::invalid(name, "must be a time as in RFC 3339")))
        .transpose()
}
