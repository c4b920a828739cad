//! Play: make a session, join it, act in it over REST, leave it.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use jiff::SignedDuration;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::Answer;
use crate::arena::engine::Game;
use crate::arena::engine::seats::Seat;
use crate::arena::error::ArenaError;
use crate::arena::guard::Caller;
use crate::arena::host::Plan;
use crate::arena::host::live::Live;
use crate::arena::record::{SeatKind, Status};
use crate::arena::reply::Reply;
use crate::arena::request::Fields;
use crate::arena::store::accounts;
use crate::arena::{Arena, catalogue, host, providers};

/// The longest horizon.
const MAX_TICKS: u64 = 10_000;

/// Seeds stay exact in programs that keep numbers as doubles.
const MAX_SEED: u64 = (1 << 53) - 1;

/// The least time of a tick in a session that nobody plays, so that people can follow.
const SHOW_PACE_MS: u32 = 1_000;

/// `POST /play`.
pub(super) async fn create(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    let mut fields = Fields::from_body(&headers, &body)?;
    let name = display_name(&arena, &account_id).await?;
    let plan = plan(&arena, &account_id, name, &mut fields)?;
    fields.finish()?;
    // A client that gives up in the middle leaves a session behind, not a hold without one.
    let host = arena.clone();
    let creating = arena.tasks().spawn(async move { host.host().create(plan).await });
    let live = creating.await.map_err(ArenaError::internal)??;
    let mut json = begun(&live, &account_id)?;
    json.insert("prompt".to_owned(), Value::from(catalogue::prompt(live.game.spec())));
    Ok(Reply(StatusCode::CREATED, Value::Object(json)))
}

/// A new session with the seats of its owner and what the first of them sees.
pub(super) fn begun(live: &Live, account_id: &str) -> Result<Map<String, Value>, ArenaError> {
    let face = live.face();
    let own: Vec<Seat> =
        (face.record.seats.iter()).filter(|seat| seat.kind == SeatKind::User).map(|seat| seat.seat).collect();
    let mut json = seats_json(live, &own);
    json.insert("session".to_owned(), live.record().json(account_id));
    if let Some(observation) = own.first().and_then(|seat| face.observations.get(*seat)) {
        json.insert(
            "observation".to_owned(),
            serde_json::from_str(observation).map_err(ArenaError::internal)?,
        );
    }
    Ok(json)
}

/// `POST /play/{id}/join`.
pub(super) async fn join(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path(session_id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    Fields::from_body(&headers, &body)?.finish()?;
    let live = arena.host().find(&session_id);
    let live =
        live.ok_or_else(|| ArenaError::not_found(format!("there is no live session `{session_id}`")))?;
    // Who has the id of a private session was given it.
    let name = display_name(&arena, &account_id).await?;
    let seats = live.join(account_id.clone(), name).await?;
    let mut json = seats_json(&live, &seats);
    json.insert("session".to_owned(), live.record().json(&account_id));
    Ok(Reply::ok(Value::Object(json)))
}

/// `GET /play/{id}`: the status and what the seat sees.
pub(super) async fn get(
    State(arena): State<Arena>,
    Path(session_id): Path<String>,
    headers: HeaderMap,
) -> Result<Reply<View>, ArenaError> {
    let (live, seat) = seat_of(&arena, &session_id, &headers)?;
    live.seats[seat.index()].presence.touch();
    let face = live.face();
    let observation = face.observations.get(seat).filter(|_| face.record.status != Status::Waiting);
    let observation = observation.map(|json| RawValue::from_string(json.to_string())).transpose();
    Ok(Reply::ok(View {
        session_id,
        player_id: seat,
        status: face.record.status.as_str(),
        tick: face.record.tick,
        observation: observation.map_err(ArenaError::internal)?,
        failure_reason: face.record.failure_reason.clone(),
    }))
}

/// What a player polls.
#[derive(Debug, serde::Serialize)]
pub(super) struct View {
    session_id: String,
    player_id: Seat,
    status: &'static str,
    tick: u32,
    observation: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure_reason: Option<String>,
}

/// `POST /play/{id}/act`.
pub(super) async fn act(
    State(arena): State<Arena>,
    Path(session_id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    let (live, seat) = seat_of(&arena, &session_id, &headers)?;
    let mut fields = Fields::from_body(&headers, &body)?;
    let payload = fields
        .take("payload")
        .ok_or_else(|| ArenaError::invalid("payload", "is required: an action or a list"))?;
    let action_id = fields.take("action_id");
    fields.finish()?;
    live.seats[seat.index()].presence.touch();
    let mut answer = live.act(seat, payload).await.json();
    if let Some(action_id) = action_id {
        answer["action_id"] = action_id;
    }
    Ok(Reply::ok(answer))
}

/// `POST /play/{id}/leave`.
pub(super) async fn leave(
    State(arena): State<Arena>,
    Path(session_id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    let (live, seat) = seat_of(&arena, &session_id, &headers)?;
    Fields::from_body(&headers, &body)?.finish()?;
    arena.host().leave(&live, seat).await;
    Ok(Reply::ok(json!({ "session_id": session_id, "player_id": seat, "left": true })))
}

fn seat_of(
    arena: &Arena,
    session_id: &str,
    headers: &HeaderMap,
) -> Result<(std::sync::Arc<Live>, Seat), ArenaError> {
    let token = headers.get("x-player-token").and_then(|token| token.to_str().ok()).unwrap_or_default();
    if token.is_empty() {
        return Err(ArenaError::unauthenticated("the header `X-Player-Token` is missing"));
    }
    arena
        .host()
        .seat_of(session_id, token.trim())
        .ok_or_else(|| ArenaError::unauthenticated("this player token opens no seat of this session"))
}

/// The caller's seats in a session, with their tokens.
pub(super) fn seats_json(live: &Live, seats: &[Seat]) -> Map<String, Value> {
    let tokens: Vec<(Seat, String)> =
        seats.iter().filter_map(|seat| Some((*seat, live.seats[seat.index()].token()?))).collect();
    let mut json = Map::new();
    json.insert("session_id".to_owned(), live.session_id.as_str().into());
    if let Some((seat, token)) = tokens.first() {
        json.insert("player_id".to_owned(), json!(seat));
        json.insert("player_token".to_owned(), token.as_str().into());
    }
    let list = tokens.iter().map(|(seat, token)| json!({ "player_id": seat, "player_token": token }));
    json.insert("seats".to_owned(), list.collect());
    json
}

/// What other accounts read beside a seat.
async fn display_name(arena: &Arena, account_id: &str) -> Result<String, ArenaError> {
    let id = account_id.to_owned();
    let email = arena.store().read(move |connection| accounts::email(connection, &id)).await?;
    Ok(email.as_deref().and_then(|email| email.split('@').next()).unwrap_or("player").to_owned())
}

/// Reads the settings of a session.
fn plan(arena: &Arena, account_id: &str, name: String, fields: &mut Fields) -> Result<Plan, ArenaError> {
    let game = choose_game(arena, fields)?;
    let spec = game.spec();
    let autostart = fields.flag("autostart")?.unwrap_or(false);
    let seats = fields.whole("seats", 0..=8)?.map(|seats| seats as u8);
    let own_seats = seats.unwrap_or(u8::from(!autostart));
    let most = spec.seats.last().copied().unwrap_or_default();
    if own_seats > most {
        return Err(ArenaError::invalid("seats", format_args!("must be at most {most} in `{}`", spec.slug)));
    }
    let player_count = match fields.whole("player_count", 1..=8)? {
        Some(count) => count as u8,
        None => spec
            .seats
            .iter()
            .copied()
            .find(|count| *count >= own_seats.max(spec.default_seats))
            .unwrap_or(own_seats),
    };
    if !spec.seats.contains(&player_count) {
        let problem = format!("must be one of {:?} in `{}`", spec.seats, spec.slug);
        return Err(ArenaError::invalid("player_count", problem));
    }
    if own_seats > player_count {
        return Err(ArenaError::invalid(
            "seats",
            format_args!("must be at most the {player_count} seats of the session"),
        ));
    }
    let provided = is_provided(game, fields)?;
    let free = player_count - own_seats;
    let seed = fields.whole("seed", 0..=MAX_SEED)?.unwrap_or_else(|| rand::random::<u64>() & MAX_SEED);
    let named = fields.texts("ai")?;
    let vs_ai = fields.flag("vs_ai")?.unwrap_or(own_seats == 0 || named.is_some() || provided);
    let ai = ai_players(game, named, vs_ai, free, seed)?;
    if own_seats == 0 && ai.len() < usize::from(player_count) {
        let problem = "must be true in a session without seats of your own";
        return Err(ArenaError::invalid("vs_ai", problem));
    }
    let pace = if own_seats == 0 { SHOW_PACE_MS } else { 0 };
    Ok(Plan {
        game,
        account_id: account_id.to_owned(),
        name,
        player_count,
        own_seats,
        ai,
        rotation: fields.whole("rotation", 0..=7)?.unwrap_or(0) as u8,
        max_ticks: fields
            .whole("max_ticks", 1..=MAX_TICKS)?
            .map_or(spec.canonical_ticks, |ticks| ticks as u32),
        seed,
        config: fields.object("config")?.unwrap_or_else(|| json!({})),
        tick_ms: fields.whole("tick_ms", 0..=3_600_000)?.map(|ms| ms as u32),
        pace_ms: fields.whole("pace_ms", 0..=60_000)?.map_or(pace, |ms| ms as u32),
        vs_ai,
        spectate_mode: fields.word("spectate_mode", &["public", "private", "org"])?.unwrap_or("public"),
        clock_offset: SignedDuration::ZERO,
    })
}

fn choose_game(arena: &Arena, fields: &mut Fields) -> Result<&'static dyn Game, ArenaError> {
    match (fields.text("game")?, fields.texts("tags")?) {
        (Some(_), Some(_)) => Err(ArenaError::invalid("tags", "must not be given beside `game`")),
        (Some(slug), None) => catalogue::find(arena.games(), &slug)
            .ok_or_else(|| ArenaError::not_found(format!("there is no game `{slug}`"))),
        (None, Some(tags)) => {
            let fitting: Vec<&dyn Game> = catalogue::with_tags(arena.games(), &tags).collect();
            let nth = rand::random_range(0..fitting.len().max(1));
            fitting.get(nth).copied().ok_or_else(|| ArenaError::invalid("tags", "must fit at least one game"))
        }
        (None, None) => Err(ArenaError::invalid("game", "is required, or `tags`")),
    }
}

/// Whether a provider is to play the other seats. The one there is stands for the built-in players.
fn is_provided(game: &dyn Game, fields: &mut Fields) -> Result<bool, ArenaError> {
    let mode = fields.word("ai_mode", &["code", "agentic_player"])?;
    let provider = fields.text("custom_provider_id")?;
    match (mode, provider) {
        (None | Some("code"), None) => Ok(false),
        (None | Some("code"), Some(_)) => {
            Err(ArenaError::invalid("custom_provider_id", "needs `ai_mode` to be `agentic_player`"))
        }
        (Some(mode), None) => {
            let problem =
                format!("is required for `ai_mode` `{mode}`: this arena has `{}`", providers::BUILT_IN);
            Err(ArenaError::invalid("custom_provider_id", problem))
        }
        (Some(_), Some(provider)) => {
            providers::player(game, &provider, None).map(|_| true).map_err(|problem| {
                ArenaError::invalid("custom_provider_id", format_args!("is unknown: {problem}"))
            })
        }
    }
}

fn ai_players(
    game: &dyn Game,
    named: Option<Vec<String>>,
    vs_ai: bool,
    free: u8,
    seed: u64,
) -> Result<Vec<String>, ArenaError> {
    let named = named.unwrap_or_default();
    if !vs_ai {
        return if named.is_empty() { Ok(named) } else { Err(ArenaError::invalid("ai", "needs `vs_ai`")) };
    }
    if named.len() > usize::from(free) {
        return Err(ArenaError::invalid("ai", format_args!("names more players than the {free} free seats")));
    }
    if let Some(unknown) = named.iter().find(|name| game.player(name, seed).is_none()) {
        let all: Vec<&str> = game.bots().iter().map(|bot| bot.name).collect();
        let problem = format!(
            "names `{unknown}`, but the players of this game are `{}`; with `+eps0.25` behind it, a player makes a random move \
             a quarter of the time",
            all.join("`, `")
        );
        return Err(ArenaError::invalid("ai", problem));
    }
    let drawn = host::middling_bots(game, free, seed);
    Ok(named.iter().cloned().chain(drawn.into_iter().skip(named.len())).collect())
}
