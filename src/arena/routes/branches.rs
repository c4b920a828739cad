//! Branches of sessions: making them, and the tree of them; how they scored is in [`scores`].

pub(super) mod scores;

use std::collections::HashMap;
use std::time::Duration;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use serde_json::{Map, Value, json};

use self::scores::{Row, decision_points};
use super::Answer;
use super::play::begun;
use super::sessions::{newest, visible};
use crate::arena::engine::Game;
use crate::arena::engine::seats::Seat;
use crate::arena::error::ArenaError;
use crate::arena::guard::Caller;
use crate::arena::host::branch::{Explore, MOST, Order, Want};
use crate::arena::record::SessionRecord;
use crate::arena::reply::Reply;
use crate::arena::request::Fields;
use crate::arena::store::branches::{self, BranchFilter};
use crate::arena::store::sessions;
use crate::arena::{Arena, catalogue, providers};

/// How long an exploration is waited for: well before anything on the way gives up. What is not played by then goes on;
/// its scores are told by `branch-scores`.
const EXPLORE_WAIT: Duration = Duration::from_secs(75);

/// Actions that are tried unless a number is given.
const ACTIONS: u64 = 4;

/// `POST /play/{id}/branch`.
pub(super) async fn create(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path(session_id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    let mut fields = Fields::from_body(&headers, &body)?;
    let parent = visible(&arena, &account_id, &session_id).await?;
    let is_others = |of: Option<&str>| of.is_some_and(|of| of != account_id);
    if !parent.status.is_terminal() && parent.seats.iter().any(|seat| is_others(seat.account_id.as_deref())) {
        // A branch shows what all seats see.
        return Err(ArenaError::forbidden(
            "a session with seats of others can be branched when it has ended",
        ));
    }
    let order = order(&arena, &account_id, parent, &mut fields)?;
    fields.finish()?;
    let explores = matches!(order.want, Want::Explore(_));
    // A client that gives up in the middle leaves branches behind, not a hold without one.
    let host = arena.clone();
    let making = arena.tasks().spawn(async move { host.host().branch(order).await });
    let made = making.await.map_err(ArenaError::internal)??;
    if explores {
        let ends = futures_util::future::join_all(made.iter().map(|live| live.ended()));
        // Too slow is no failure.
        _ = tokio::time::timeout(EXPLORE_WAIT, ends).await;
    }
    let Some(first) = made.first() else { return Err(ArenaError::conflict("there is nothing to try")) };
    let mut json = begun(first, &account_id)?;
    json.insert("prompt".to_owned(), Value::from(catalogue::prompt(first.game.spec())));
    if explores || made.len() > 1 {
        let branches: Result<Vec<_>, _> = made.iter().map(|live| begun(live, &account_id)).collect();
        json.insert("branches".to_owned(), json!(branches?));
    }
    if explores {
        let rows: Vec<Row> = made.iter().filter_map(|live| Row::new(live.record(), None)).collect();
        json.insert("decision_points".to_owned(), decision_points(&rows));
    }
    Ok(Reply(StatusCode::CREATED, Value::Object(json)))
}

fn order(
    arena: &Arena,
    account_id: &str,
    parent: SessionRecord,
    fields: &mut Fields,
) -> Result<Order, ArenaError> {
    let game = catalogue::find(arena.games(), &parent.game)
        .ok_or_else(|| ArenaError::conflict(format!("this arena does not play `{}`", parent.game)))?;
    let count = fields.whole("count", 1..=MOST as u64)?;
    let explore = match fields.object("explore")? {
        Some(Value::Object(explore)) => Some(read_explore(game, &parent, explore)?),
        _ => None,
    };
    let want = match (count, explore) {
        (Some(2..), Some(_)) => {
            return Err(ArenaError::invalid(
                "count",
                "must not be given beside `explore`: `samples` is its word",
            ));
        }
        (_, Some(explore)) => Want::Explore(explore),
        (count, None) => Want::Copies(count.unwrap_or(1) as usize),
    };
    Ok(Order {
        game,
        account_id: account_id.to_owned(),
        tick: fields.whole("tick", 0..=u64::from(parent.max_ticks))?.map(|tick| tick as u32),
        want,
        fresh_luck: fields.word("luck", &["same", "fresh"])? == Some("fresh"),
        tick_ms: fields.whole("tick_ms", 0..=3_600_000)?.map(|ms| ms as u32),
        pace_ms: fields.whole("pace_ms", 0..=60_000)?.map(|ms| ms as u32),
        parent,
    })
}

fn read_explore(
    game: &dyn Game,
    parent: &SessionRecord,
    explore: Map<String, Value>,
) -> Result<Explore, ArenaError> {
    let mut fields = Fields::from_object(explore);
    let most = MOST as u64;
    let max_actions = fields.whole("max_actions", 1..=most)?.unwrap_or(ACTIONS) as usize;
    let samples = fields.whole("samples", 1..=most)?.unwrap_or(1) as usize;
    if max_actions * samples > MOST {
        let problem = format!("times `samples` must be at most {MOST}: each try is a session");
        return Err(ArenaError::invalid("max_actions", problem));
    }
    let seat = fields.text("player_id")?.map(|id| seat_named(&id, parent)).transpose()?;
    let model = fields.text("model")?;
    let player = providers::player(game, providers::BUILT_IN, model.as_deref())
        .map_err(|problem| ArenaError::invalid("model", format_args!("is unknown: {problem}")))?;
    fields.finish()?;
    Ok(Explore { max_actions, samples, seat, player })
}

fn seat_named(id: &str, of: &SessionRecord) -> Result<Seat, ArenaError> {
    let seat: Option<Seat> = id.parse().ok();
    seat.filter(|seat| seat.index() < of.seats.len())
        .ok_or_else(|| ArenaError::invalid("player_id", "must be a seat of the session, such as `p0`"))
}

/// `GET /sessions/{id}/branches`: the sessions that began here, and those that began in them.
pub(super) async fn tree(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path(session_id): Path<String>,
    RawQuery(query): RawQuery,
) -> Answer {
    Fields::from_query(query.as_deref())?.finish()?;
    parent(&arena, &account_id, &session_id).await?;
    let root = session_id.clone();
    let mut tree = arena.store().read(move |connection| branches::tree(connection, &root)).await?;
    let branches = nest(&arena, &account_id, &mut tree, &session_id);
    Ok(Reply::ok(json!({ "session_id": session_id, "branches": branches })))
}

/// Checks that an account may look at a session. Branches outlive their parent: one that was deleted still answers for
/// them, to those who may see some.
async fn parent(arena: &Arena, account_id: &str, session_id: &str) -> Result<(), ArenaError> {
    let Err(hidden) = visible(arena, account_id, session_id).await else { return Ok(()) };
    let id = session_id.to_owned();
    let orphans = arena.store().read(move |connection| match sessions::get(connection, &id)? {
        Some(_) => Ok(Vec::new()),
        None => branches::children(connection, &id, &BranchFilter::default()),
    });
    if orphans.await?.iter().any(|orphan| orphan.may_watch(account_id)) { Ok(()) } else { Err(hidden) }
}

fn nest(
    arena: &Arena,
    account_id: &str,
    tree: &mut HashMap<String, Vec<SessionRecord>>,
    parent: &str,
) -> Vec<Value> {
    let rows = tree.remove(parent).unwrap_or_default();
    let seen = rows.into_iter().filter(|row| row.may_watch(account_id));
    let node = |row: SessionRecord| {
        let id = row.session_id.clone();
        let mut json = newest(arena, row).json(account_id);
        json["branches"] = nest(arena, account_id, tree, &id).into();
        json
    };
    seen.map(node).collect()
}
