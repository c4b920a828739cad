//! Dataset builds, started. They are polled like any job.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use serde_json::json;

use super::Answer;
use crate::arena::Arena;
use crate::arena::builds::plan::Build;
use crate::arena::error::ArenaError;
use crate::arena::guard::Caller;
use crate::arena::jobs::{Kind, Order, callback};
use crate::arena::providers::{self, Author};
use crate::arena::reply::Reply;
use crate::arena::request::Fields;
use crate::arena::store::{StoreError, jobs, ledger};

/// `POST /dataset-builds`.
pub(super) async fn create(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    let mut fields = Fields::from_body(&headers, &body)?;
    let mode = fields.word("mode", &["code_evaluation", "branch_exploration"])?;
    let is_code = match mode {
        Some(mode) => mode == "code_evaluation",
        None => return Err(ArenaError::invalid("mode", "is required")),
    };
    let dry_run = fields.flag("dry_run")?.unwrap_or(false);
    let callback_url = fields.text("callback_url")?;
    if let Some(url) = &callback_url {
        callback::check(url).map_err(|problem| ArenaError::invalid("callback_url", problem))?;
    }
    let author =
        if is_code { code_author(&arena, &mut fields).await? } else { explorer(&arena, &mut fields).await? };
    let build = Build::read(arena.games(), &mut fields, is_code, author)?;
    fields.finish()?;
    let price = build.estimate(arena.games());
    if dry_run {
        let games = &build.games;
        return Ok(Reply::ok(
            json!({ "estimated_credits": price, "games": games, "parts": build.units().len() }),
        ));
    }
    let mut order = Order::new(
        &account_id,
        Kind::DatasetBuild,
        serde_json::to_value(&build).map_err(ArenaError::internal)?,
    );
    order.callback_url = callback_url;
    order.total = build.steps() as u64;
    let (own, payer) = (order.job_id.clone(), account_id.clone());
    let submitted = arena.jobs().submit(&arena, order, move |connection| {
        // Parts hold what they need; a build that could never be paid is refused as a whole.
        let have = ledger::free(connection, &payer)?;
        if have < price {
            return Err(StoreError::Short { need: price, have });
        }
        match jobs::other_of_kind(connection, &payer, Kind::DatasetBuild, &own)? {
            Some(_) => Err(StoreError::Taken("the place for a dataset build")),
            None => Ok(()),
        }
    });
    match submitted.await {
        Ok(job_id) => Ok(Reply(StatusCode::ACCEPTED, json!({ "job_id": job_id }))),
        Err(error) if error.code() == "CONFLICT" => Err(running(&arena, account_id).await?.unwrap_or(error)),
        Err(error) => Err(error),
    }
}

/// The conflict with the build that is under way.
async fn running(arena: &Arena, account_id: String) -> Result<Option<ArenaError>, ArenaError> {
    let find = move |connection: &_| jobs::open_of_kind(connection, &account_id, Kind::DatasetBuild);
    let existing = arena.store().read(find).await?;
    Ok(existing.map(|job_id| {
        let problem = format!("a dataset build is under way: wait for the job `{job_id}`");
        ArenaError::conflict(problem).with("existing_job_id", job_id)
    }))
}

/// Who writes the programs of a code evaluation: provider and model.
async fn code_author(arena: &Arena, fields: &mut Fields) -> Result<(String, String), ArenaError> {
    let author = Author::find(arena.store(), &fields.required_text("custom_provider_id")?).await?;
    let model = author.model("model", fields.text("model")?)?;
    Ok((author.provider_id().to_owned(), model))
}

/// Explorations are played by built-in players, whichever provider is named: one must be there, though.
async fn explorer(arena: &Arena, fields: &mut Fields) -> Result<(String, String), ArenaError> {
    let provider = fields.text("custom_provider_id")?;
    let mode = fields.word("ai_mode", &["code", "agentic_player"])?;
    match provider {
        Some(id) if id != providers::BUILT_IN => {
            if mode == Some("agentic_player") {
                let problem = format!(
                    "takes no turns: with `ai_mode` `agentic_player` it is `{}`",
                    providers::BUILT_IN
                );
                return Err(ArenaError::invalid("custom_provider_id", problem));
            }
            Author::find(arena.store(), &id).await?;
        }
        None if mode == Some("agentic_player") => {
            return Err(ArenaError::invalid("custom_provider_id", "is required for this `ai_mode`"));
        }
        _ => {}
    }
    Ok((String::new(), String::new()))
}
