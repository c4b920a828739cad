//! Balance and usage; and the bootstrap that `--dev` opens: register, log in, mint a key.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::IntoResponse;
use serde_json::json;

use super::Answer;
use crate::arena::credits::Credits;
use crate::arena::error::ArenaError;
use crate::arena::guard::Caller;
use crate::arena::page::{PageRequest, page};
use crate::arena::reply::Reply;
use crate::arena::request::Fields;
use crate::arena::store::ledger::{self, Payee};
use crate::arena::{Arena, auth};

const COOKIE: &str = "gert_session";

/// `GET /auth/balance`.
pub(super) async fn balance(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
) -> Answer {
    let holdings = arena.store().read(move |connection| ledger::holdings(connection, &account_id)).await?;
    let held: i64 = holdings.open.iter().map(|(_, hold)| hold.0).sum();
    // What is open has used so far; what ended meanwhile still counts until it is settled.
    let metered: i64 = (holdings.open.iter())
        .filter_map(|(payee, _)| match payee {
            Payee::Session(session_id) => Some(arena.host().find(session_id)?.face().record.credits()),
            Payee::Run(run_id) => Some(Credits::for_ticks(arena.rollouts().find(run_id)?.ticks_used())),
            // Settled in one piece when it ends.
            Payee::Job(_) => None,
        })
        .map(|credits| credits.0)
        .sum();
    Ok(Reply::ok(json!({
        "credits": Credits(holdings.free.0 + held - metered),
        "tier": "arena",
        "held": Credits(held - metered),
    })))
}

/// `GET /auth/usage`.
pub(super) async fn usage(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    RawQuery(query): RawQuery,
) -> Answer {
    let mut query = Fields::from_query(query.as_deref())?;
    let request = PageRequest::take(&mut query)?;
    query.finish()?;
    let after = request.after_numbers::<2>()?;
    let limit = request.limit + 1;
    let entries =
        arena.store().read(move |connection| ledger::usage(connection, &account_id, after, limit)).await?;
    let key = |entry: &ledger::UsageEntry| format!("{}.{}", entry.at, entry.entry);
    Ok(Reply::ok(page("entries", &request, entries, key, |entry| entry.json())))
}

/// `POST /auth/register`.
pub(super) async fn register(State(arena): State<Arena>, headers: HeaderMap, body: Bytes) -> Answer {
    let (email, password) = credentials(&arena, &headers, &body)?;
    let account_id = auth::register(arena.store(), &email, password).await?;
    Ok(Reply(StatusCode::CREATED, json!({ "account_id": account_id })))
}

/// `POST /auth/login`. The cookie works over plain http: no `Secure`, no `Domain`.
pub(super) async fn log_in(
    State(arena): State<Arena>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<impl IntoResponse, ArenaError> {
    let (email, password) = credentials(&arena, &headers, &body)?;
    let login = auth::log_in(arena.store(), &email, password).await?;
    let cookie = format!("{COOKIE}={}; Path=/; HttpOnly; SameSite=Strict", login.token);
    let cookie = HeaderValue::from_str(&cookie).map_err(ArenaError::internal)?;
    Ok(([(header::SET_COOKIE, cookie)], Reply::ok(json!({ "csrf_token": login.csrf_token }))))
}

/// `POST /auth/api-keys`.
pub(super) async fn mint_key(State(arena): State<Arena>, headers: HeaderMap, body: Bytes) -> Answer {
    only_in_dev(&arena)?;
    let mut fields = Fields::from_body(&headers, &body)?;
    let name = fields.required_text("name")?;
    fields.finish()?;
    if name.len() > 100 {
        return Err(ArenaError::invalid("name", "must have at most 100 bytes"));
    }
    let token =
        cookie(&headers).ok_or_else(|| ArenaError::unauthenticated("log in first: the cookie is missing"))?;
    let csrf_token = headers.get("x-csrf-token").and_then(|token| token.to_str().ok()).unwrap_or_default();
    let account_id = auth::check_login(arena.store(), token, csrf_token).await?;
    let key = arena.keys().mint(arena.store(), &account_id, &name).await?;
    Ok(Reply(StatusCode::CREATED, json!({ "key": key, "name": name })))
}

fn credentials(arena: &Arena, headers: &HeaderMap, body: &[u8]) -> Result<(String, String), ArenaError> {
    only_in_dev(arena)?;
    let mut fields = Fields::from_body(headers, body)?;
    let (email, password) = (fields.required_text("email")?, fields.required_text("password")?);
    fields.finish()?;
    Ok((email, password))
}

fn only_in_dev(arena: &Arena) -> Result<(), ArenaError> {
    if arena.is_dev() {
        Ok(())
    } else {
        Err(ArenaError::not_found(
            "accounts are made over the wire only when the arena was started with `--dev`",
        ))
    }
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|cookies| cookies.to_str().ok());
    let mut pairs =
        cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE).map(|(_, token)| token)
}
