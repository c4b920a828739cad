//! Rollout runs: open, list, extend and close them; start, step, probe and close their episodes.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

use super::Answer;
use crate::arena::credits::Credits;
use crate::arena::engine::decode::shortened;
use crate::arena::engine::seats::Seat;
use crate::arena::engine::{Game, GameSpec};
use crate::arena::error::ArenaError;
use crate::arena::guard::Caller;
use crate::arena::league::Wanted;
use crate::arena::page::{PageRequest, page};
use crate::arena::record::rfc3339;
use crate::arena::reply::{RawReply, Reply};
use crate::arena::request::Fields;
use crate::arena::rollouts::batch::Entry;
use crate::arena::rollouts::curriculum;
use crate::arena::rollouts::episode::Given;
use crate::arena::rollouts::reset::EpisodePlan;
use crate::arena::rollouts::run::Run;
use crate::arena::rollouts::steps::Step;
use crate::arena::store::runs::{self, Counters, RunRow};
use crate::arena::{Arena, catalogue, secret};

/// Episodes that a run may be opened with, or extended by, at once.
const MAX_EPISODES: u64 = 1_000_000;

/// The longest horizon.
const MAX_TICKS: u64 = 10_000;

/// The longest an episode is when nobody says.
const DEFAULT_TICKS: u64 = 1_000;

/// Entries of a batch of steps, and children of a batch of forks.
const MAX_BATCH: usize = 128;

/// Seeds stay exact in programs that keep numbers as doubles.
const MAX_SEED: u64 = (1 << 53) - 1;

/// `POST /rollout-runs`.
pub(super) async fn open(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    let mut fields = Fields::from_body(&headers, &body)?;
    let max_episodes = fields
        .whole("max_episodes", 1..=MAX_EPISODES)?
        .ok_or_else(|| ArenaError::invalid("max_episodes", "is required"))?;
    let ticks = fields.whole("max_ticks_per_episode", 1..=MAX_TICKS)?.unwrap_or(DEFAULT_TICKS);
    let auto_curriculum = fields.flag("auto_curriculum")?.unwrap_or(false);
    let band_width = above_zero(&mut fields, "curriculum_band_width", 0.5)?.unwrap_or(curriculum::HALF_WIDTH);
    let alpha = above_zero(&mut fields, "curriculum_ewma_alpha", 1.0)?.unwrap_or(curriculum::ALPHA);
    fields.finish()?;
    let created_at = now();
    let life = SignedDuration::try_from(arena.limits().run_life).unwrap_or(SignedDuration::MAX);
    let row = RunRow {
        seq: 0,
        run_id: secret::id("run_"),
        account_id,
        ticks_per_episode: ticks as u32,
        auto_curriculum,
        curriculum_band_width: band_width,
        curriculum_ewma_alpha: alpha,
        counters: Counters {
            max_episodes,
            episodes_used: 0,
            ticks_used: 0,
            price_ticks: ticks,
            win_rate: curriculum::START,
        },
        created_at,
        expires_at: created_at.saturating_add(life).unwrap_or(Timestamp::MAX),
        closed_at: None,
    };
    // A client that gives up in the middle leaves a run that is listed, not a hold without one.
    let host = arena.rollouts().clone();
    let opening = arena.tasks().spawn(async move { host.open(row).await });
    let run = opening.await.map_err(ArenaError::internal)??;
    let mut json = budget_json(&run);
    json["expires_at"] = rfc3339(run.row.expires_at).into();
    Ok(Reply(StatusCode::CREATED, json))
}

/// `GET /rollout-runs`: newest first.
pub(super) async fn list(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    RawQuery(query): RawQuery,
) -> Answer {
    let mut query = Fields::from_query(query.as_deref())?;
    let request = PageRequest::take(&mut query)?;
    let status = query.word("status", &["active", "closing", "closed"])?;
    query.finish()?;
    let after = request.after_numbers::<2>()?;
    let is_open = status.map(|status| status != "closed");
    // Only memory tells the open ones apart, so all of them are read.
    let limit = if is_open == Some(true) { arena.limits().open_runs } else { request.limit + 1 };
    let mut rows = arena
        .store()
        .read(move |connection| runs::list(connection, &account_id, is_open, after, limit))
        .await?;
    rows.retain(|row| status.is_none_or(|status| status_of(&arena, row) == status));
    let key = |row: &RunRow| format!("{}.{}", row.created_at.as_millisecond(), row.seq);
    Ok(Reply::ok(page("runs", &request, rows, key, |row| row_json(&arena, &row))))
}

/// `POST /rollout-runs/{run}/extend`.
pub(super) async fn extend(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path(run_id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    let mut fields = Fields::from_body(&headers, &body)?;
    let additional = fields
        .whole("additional_episodes", 1..=MAX_EPISODES)?
        .ok_or_else(|| ArenaError::invalid("additional_episodes", "is required"))?;
    fields.finish()?;
    let run = arena.rollouts().run(&account_id, &run_id).await?;
    let host = arena.rollouts().clone();
    let extending = arena.tasks().spawn(async move {
        host.extend(&run, additional).await?;
        Ok::<Value, ArenaError>(budget_json(&run))
    });
    Ok(Reply::ok(extending.await.map_err(ArenaError::internal)??))
}

/// `POST /rollout-runs/{run}/close`. Idempotent.
pub(super) async fn close(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path(run_id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    Fields::from_body(&headers, &body)?.finish()?;
    let host = arena.rollouts().clone();
    let closing = arena.tasks().spawn(async move { host.close(&account_id, &run_id, now()).await });
    let row = closing.await.map_err(ArenaError::internal)??;
    Ok(Reply::ok(json!({
        "run_id": row.run_id,
        "status": "closed",
        "ticks_used": row.counters.ticks_used,
        "episodes_used": row.counters.episodes_used,
        "credits_used": Credits::for_ticks(row.counters.ticks_used),
    })))
}

/// `POST /rollout-runs/{run}/episodes`.
pub(super) async fn reset(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path(run_id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<RawReply, ArenaError> {
    let mut fields = Fields::from_body(&headers, &body)?;
    let run = arena.rollouts().run(&account_id, &run_id).await?;
    let plan = plan(&arena, &run, &mut fields)?;
    fields.finish()?;
    let host = arena.rollouts().clone();
    let starting = arena.tasks().spawn(async move { host.reset(run, plan).await });
    Ok(RawReply(StatusCode::CREATED, starting.await.map_err(ArenaError::internal)??))
}

/// `GET /rollout-runs/{run}/episodes/{episode}`: where it stands.
pub(super) async fn probe(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path((run_id, episode_id)): Path<(String, String)>,
) -> Result<RawReply, ArenaError> {
    let run = arena.rollouts().run(&account_id, &run_id).await?;
    Ok(RawReply(StatusCode::OK, arena.rollouts().probe(&run, &episode_id).await?))
}

/// `POST /rollout-runs/{run}/episodes/{episode}/step`.
pub(super) async fn step(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path((run_id, episode_id)): Path<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<RawReply, ArenaError> {
    let mut fields = Fields::from_body(&headers, &body)?;
    let step = read_step(episode_id, fields.take("action"), fields.take("actions"), &mut fields)?;
    fields.finish()?;
    let run = arena.rollouts().run(&account_id, &run_id).await?;
    Ok(RawReply(StatusCode::OK, arena.rollouts().step(&run, step).await?))
}

/// `POST /rollout-runs/{run}/episodes/{episode}/close`.
pub(super) async fn close_episode(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path((run_id, episode_id)): Path<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    Fields::from_body(&headers, &body)?.finish()?;
    let run = arena.rollouts().run(&account_id, &run_id).await?;
    let ticks = arena.rollouts().close_episode(&run, &episode_id).await?;
    Ok(Reply::ok(json!({ "episode_id": episode_id, "ticks_used": ticks })))
}

/// `POST /rollout-runs/{run}/steps`: each entry fails for itself.
pub(super) async fn steps(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path(run_id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<RawReply, ArenaError> {
    let mut fields = Fields::from_body(&headers, &body)?;
    let entries = match fields.take("steps") {
        Some(Value::Array(entries)) if (1..=MAX_BATCH).contains(&entries.len()) => entries,
        _ => {
            return Err(ArenaError::invalid(
                "steps",
                format_args!("must be a list of 1 to {MAX_BATCH} steps"),
            ));
        }
    };
    fields.finish()?;
    let entries: Vec<Entry> = entries.into_iter().map(read_entry).collect();
    let run = arena.rollouts().run(&account_id, &run_id).await?;
    let host = arena.rollouts().clone();
    let stepping = arena.tasks().spawn(async move { host.steps(&run, entries).await });
    Ok(RawReply(StatusCode::OK, stepping.await.map_err(ArenaError::internal)?))
}

/// `POST /rollout-runs/{run}/episodes/{episode}/fork`.
pub(super) async fn fork(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path((run_id, episode_id)): Path<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<RawReply, ArenaError> {
    Fields::from_body(&headers, &body)?.finish()?;
    let run = arena.rollouts().run(&account_id, &run_id).await?;
    let host = arena.rollouts().clone();
    let forking = arena.tasks().spawn(async move { host.fork(&run, &episode_id).await });
    Ok(RawReply(StatusCode::CREATED, forking.await.map_err(ArenaError::internal)??))
}

/// `POST /rollout-runs/{run}/episodes/{episode}/forks`. Idempotent by `op_key`.
pub(super) async fn forks(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path((run_id, episode_id)): Path<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<RawReply, ArenaError> {
    let mut fields = Fields::from_body(&headers, &body)?;
    let count = fields
        .whole("count", 1..=MAX_BATCH as u64)?
        .ok_or_else(|| ArenaError::invalid("count", "is required"))?;
    let op_key = fields.text("op_key")?.ok_or_else(|| ArenaError::invalid("op_key", "is required"))?;
    fields.finish()?;
    let run = arena.rollouts().run(&account_id, &run_id).await?;
    let host = arena.rollouts().clone();
    let forking =
        arena.tasks().spawn(async move { host.forks(&run, &episode_id, count as u32, &op_key).await });
    Ok(RawReply(StatusCode::CREATED, forking.await.map_err(ArenaError::internal)??))
}

/// An action that is `null` is there: an entry says what its policy said.
fn read_entry(entry: Value) -> Entry {
    let Value::Object(mut entry) = entry else {
        let error = ArenaError::invalid("steps", "must hold objects");
        return Entry { episode_id: String::new(), step: Err(error) };
    };
    let (action, actions) = (entry.shift_remove("action"), entry.shift_remove("actions"));
    let mut fields = Fields::from_object(entry);
    let episode_id = match fields.required_text("episode_id") {
        Ok(episode_id) => episode_id,
        Err(error) => return Entry { episode_id: String::new(), step: Err(error) },
    };
    let step = read_step(episode_id.clone(), action, actions, &mut fields);
    let step = step.and_then(|step| fields.finish().map(|()| step));
    Entry { episode_id, step }
}

fn read_step(
    episode_id: String,
    action: Option<Value>,
    actions: Option<Value>,
    fields: &mut Fields,
) -> Result<Step, ArenaError> {
    let given = match (action, actions) {
        (Some(action), None) => Given::One(action),
        (None, Some(actions)) => Given::BySeat(actions_by_seat(actions)?),
        (Some(_), Some(_)) => {
            return Err(ArenaError::invalid("actions", "must not be given beside `action`"));
        }
        (None, None) => {
            return Err(ArenaError::invalid("action", "is required, or `actions`: `[]` is a no-op"));
        }
    };
    let expected_tick = fields.whole("expected_tick", 0..=u64::from(u32::MAX))?.map(|tick| tick as u32);
    Ok(Step { episode_id, given, expected_tick })
}

fn actions_by_seat(actions: Value) -> Result<Vec<(Seat, Value)>, ArenaError> {
    let Value::Object(actions) = actions else {
        return Err(ArenaError::invalid("actions", "must be an object: actions by seat"));
    };
    let read = |(name, action): (String, Value)| {
        let seat = name.parse::<Seat>().map_err(|()| {
            let problem = format!("names `{}`: seats are `p0`, `p1` and so on", shortened(&name));
            ArenaError::invalid("actions", problem)
        })?;
        Ok((seat, action))
    };
    actions.into_iter().map(read).collect()
}

fn plan(arena: &Arena, run: &Run, fields: &mut Fields) -> Result<EpisodePlan, ArenaError> {
    let seed = fields.whole("seed", 0..=MAX_SEED)?.unwrap_or_else(|| rand::random::<u64>() & MAX_SEED);
    let player_count = fields.whole("player_count", 1..=8)?.map(|count| count as u8);
    let opponent_seats = fields.whole("opponent_seats", 0..=7)?.unwrap_or(0) as u8;
    let wanted = wanted(fields)?;
    let difficulty = fields.number("difficulty", f64::MIN..=f64::MAX)?;
    let (game, is_named) = choose_game(arena, fields, player_count, opponent_seats)?;
    let spec = game.spec();
    if let Some(difficulty) = difficulty {
        check_difficulty(difficulty, spec, is_named, opponent_seats)?;
    }
    if let Some(wrong) = player_count.filter(|count| !spec.seats.contains(count)) {
        let problem = format!("must be one of {:?} in `{}`, not {wrong}", spec.seats, spec.slug);
        return Err(ArenaError::invalid("player_count", problem));
    }
    let player_count = player_count.or_else(|| least_count(game, opponent_seats));
    let player_count = player_count.filter(|count| *count > opponent_seats).ok_or_else(|| {
        ArenaError::invalid("opponent_seats", "must leave at least one seat of the game to the policy")
    })?;
    let wanted = match run.curriculum() {
        Some(curriculum) => curriculum.opponents(spec.slug, wanted, usize::from(opponent_seats)),
        None => wanted,
    };
    let ticks = fields.whole("max_ticks", 1..=MAX_TICKS)?.map(|ticks| ticks as u32);
    let max_ticks = ticks.unwrap_or(spec.canonical_ticks.min(run.row.ticks_per_episode));
    Ok(EpisodePlan { game, player_count, opponent_seats, wanted, max_ticks, seed, difficulty })
}

/// A difficulty is for a game that has several, is named, and is played without the league, whose players are rated at
/// the usual one.
fn check_difficulty(
    difficulty: f64,
    spec: &GameSpec,
    is_named: bool,
    opponent_seats: u8,
) -> Result<(), ArenaError> {
    let problem = match spec.max_difficulty {
        None => format!("cannot be used: `{}` has one difficulty", spec.slug),
        Some(_) if !is_named => "needs `game`: with `tags` the game is drawn".to_owned(),
        Some(_) if opponent_seats > 0 => "needs `opponent_seats` to be 0".to_owned(),
        Some(most) if !(0.0..=most).contains(&difficulty) => format!("must be a number from 0 to {most}"),
        Some(_) => return Ok(()),
    };
    Err(ArenaError::invalid("difficulty", problem))
}

/// The count of seats when nobody says: the game's own, or the next that leaves the policy a seat.
fn least_count(game: &dyn Game, opponent_seats: u8) -> Option<u8> {
    let spec = game.spec();
    let least = spec.default_seats.max(opponent_seats + 1);
    spec.seats.iter().copied().find(|count| *count >= least)
}

/// The game, and whether it was named or drawn.
fn choose_game(
    arena: &Arena,
    fields: &mut Fields,
    player_count: Option<u8>,
    opponent_seats: u8,
) -> Result<(&'static dyn Game, bool), ArenaError> {
    match (fields.text("game")?, fields.texts("tags")?) {
        (Some(_), Some(_)) => Err(ArenaError::invalid("tags", "must not be given beside `game`")),
        (Some(slug), None) => catalogue::find(arena.games(), &slug)
            .map(|game| (game, true))
            .ok_or_else(|| ArenaError::not_found(format!("there is no game `{slug}`"))),
        (None, Some(tags)) => {
            if tags.is_empty() || tags.iter().any(String::is_empty) {
                return Err(ArenaError::invalid("tags", "must be tags, at least one"));
            }
            let fits = |game: &&dyn Game| {
                let count = player_count.or_else(|| least_count(*game, opponent_seats));
                count.is_some_and(|count| game.spec().seats.contains(&count) && count > opponent_seats)
            };
            let fitting: Vec<&dyn Game> = catalogue::with_tags(arena.games(), &tags).filter(fits).collect();
            let nth = rand::random_range(0..fitting.len().max(1));
            let problem = "must all be tags of one game that has these seats";
            let drawn = fitting.get(nth).map(|game| (*game, false));
            drawn.ok_or_else(|| ArenaError::invalid("tags", problem))
        }
        (None, None) => Err(ArenaError::invalid("game", "is required, or `tags`")),
    }
}

/// Which opponents are wanted.
fn wanted(fields: &mut Fields) -> Result<Wanted, ArenaError> {
    let (low, high) =
        (fields.number("min_percentile", 0.0..=1.0)?, fields.number("max_percentile", 0.0..=1.0)?);
    let band = (low.is_some() || high.is_some()).then(|| [low.unwrap_or(0.0), high.unwrap_or(1.0)]);
    if band.is_some_and(|[low, high]| low > high) {
        return Err(ArenaError::invalid("min_percentile", "must not be above `max_percentile`"));
    }
    if fields.word("opponent_source", &["system", "own", "both"])? == Some("own") {
        let problem =
            "cannot be `own`: your submissions play evaluations, no rollouts; use `system` or `both`";
        return Err(ArenaError::invalid("opponent_source", problem));
    }
    Ok(Wanted {
        band,
        models: fields.texts("opponent_models")?.unwrap_or_default(),
        providers: fields.texts("opponent_providers")?.unwrap_or_default(),
        created_after: moment(fields, "opponent_created_after")?,
        created_before: moment(fields, "opponent_created_before")?,
    })
}

fn moment(fields: &mut Fields, name: &str) -> Result<Option<Timestamp>, ArenaError> {
    let text = fields.text(name)?;
    text.map(|text| text.parse().map_err(|_| ArenaError::invalid(name, "must be a time as in RFC 3339")))
        .transpose()
}

fn above_zero(fields: &mut Fields, name: &str, most: f64) -> Result<Option<f64>, ArenaError> {
    match fields.number(name, 0.0..=most)? {
        Some(number) if number <= 0.0 => {
            Err(ArenaError::invalid(name, format_args!("must be a number above 0, at most {most}")))
        }
        number => Ok(number),
    }
}

fn budget_json(run: &Run) -> Value {
    json!({
        "run_id": run.run_id(),
        "max_episodes": run.counters().max_episodes,
        "estimated_credits": run.held(),
    })
}

/// A run as it is listed; one that is open has newer counters in memory.
fn row_json(arena: &Arena, row: &RunRow) -> Value {
    let open = arena.rollouts().find(&row.run_id);
    let counters = open.as_ref().map_or(row.counters, |run| run.counters());
    let mut json = Map::new();
    json.insert("run_id".to_owned(), row.run_id.as_str().into());
    json.insert("status".to_owned(), status_of(arena, row).into());
    json.insert("max_episodes".to_owned(), counters.max_episodes.into());
    json.insert("episodes_used".to_owned(), counters.episodes_used.into());
    json.insert("ticks_used".to_owned(), counters.ticks_used.into());
    json.insert("credits_used".to_owned(), json!(Credits::for_ticks(counters.ticks_used)));
    json.insert("ticks_per_episode".to_owned(), row.ticks_per_episode.into());
    json.insert("auto_curriculum".to_owned(), row.auto_curriculum.into());
    json.insert("created_at".to_owned(), rfc3339(row.created_at).into());
    json.insert("expires_at".to_owned(), rfc3339(row.expires_at).into());
    if let Some(at) = row.closed_at {
        json.insert("closed_at".to_owned(), rfc3339(at).into());
    }
    Value::Object(json)
}

fn status_of(arena: &Arena, row: &RunRow) -> &'static str {
    match row.closed_at {
        Some(_) => "closed",
        None if arena.rollouts().find(&row.run_id).is_some_and(|run| run.is_closing()) => "closing",
        None => "active",
    }
}

/// Times are kept in whole milliseconds.
fn now() -> Timestamp {
    let now = Timestamp::now();
    Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
}
