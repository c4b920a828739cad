//! Something to see: finished sessions of all games over the last two weeks, one of each that plays itself, and a few
//! programs with their evaluations.
//!
//! The sessions are played by the built-in players through the play host, as fast as they can; the past ones only have
//! their clocks moved. So every record, log, score and ledger entry is real.

use std::time::Duration;

use jiff::SignedDuration;
use tokio_util::sync::CancellationToken;

use super::engine::Game;
use super::engine::rng::mix;
use super::error::ArenaError;
use super::host::Plan;
use super::store::submissions::Code;
use super::submissions::{self, Upload};
use super::{Arena, auth, catalogue, evaluation};

/// How far the history goes back.
const DAYS: u64 = 14;

/// Past sessions played at once.
const AT_ONCE: usize = 4;

/// The games whose live sessions are watched, with the time of a tick and the horizon.
const LIVE: [(&str, u32, u32); 6] = [
    ("market_simulator", 1_000, 3_600),
    ("grid_serpents", 400, 2_000),
    ("connect_four", 3_000, 42),
    ("pot_limit_omaha_hilo", 2_000, 600),
    ("multi_reversi", 2_500, 84),
    ("liars_dice", 2_500, 300),
];

/// Between the end of a live session and the next one, for whoever looks at the end.
const ENCORE: Duration = Duration::from_secs(3);

/// The account that the live sessions belong to: what they cost is not the user's to pay.
const HOUSE: &str = "house@arena";

/// Programs that are evaluated: the game, what is said to have written them, and their code.
const PROGRAMS: [(&str, &str, &str); 3] = [
    ("connect_four", "first-column", include_str!("../../assets/demo/first_column.py")),
    ("connect_four", "threats", include_str!("../../assets/demo/threats.py")),
    ("connect_four", "second-seat", include_str!("../../assets/demo/second_seat.py")),
];

/// Matches of each of them.
const MATCHES: u32 = 20;

/// Keeps sessions alive until `stop`.
pub async fn keep_playing(arena: Arena, stop: CancellationToken) {
    let house = match auth::ensure(arena.store(), HOUSE).await {
        Ok(house) => house,
        Err(error) => {
            tracing::warn!(%error, "no account for the live sessions");
            return;
        }
    };
    let work = futures_util::future::join_all(LIVE.map(|live| keep_alive(&arena, &house, live)));
    tokio::select! {
        () = stop.cancelled() => {}
        _ = work => {}
    }
}

/// Plays the history; the sessions of one day go from the oldest to the newest. Evaluations go on after it.
pub async fn seed(arena: &Arena, account_id: &str) {
    use futures_util::StreamExt as _;
    if let Err(error) = submit(arena, account_id).await {
        tracing::warn!(%error, "the programs were not submitted");
    }
    let plans = history(arena, account_id);
    futures_util::stream::iter(plans)
        .for_each_concurrent(AT_ONCE, |plan| async {
            if let Err(error) = play(arena, plan).await {
                tracing::warn!(%error, "a past session was not played");
            }
        })
        .await;
}

/// Uploads the programs and starts their evaluations, where there is a Python to run them.
async fn submit(arena: &Arena, account_id: &str) -> Result<(), ArenaError> {
    if arena.sandbox().python().await.is_err() {
        return Ok(());
    }
    for (slug, model, code) in PROGRAMS {
        let Some(game) = catalogue::find(arena.games(), slug) else { continue };
        let upload = Upload {
            game,
            language: submissions::PYTHON.to_owned(),
            code: Code::python(code),
            provider: Some("examples".to_owned()),
            model: Some(model.to_owned()),
        };
        let (submission_id, _) = submissions::upload(arena, account_id, upload).await?;
        let plan = evaluation::Plan { seed: 7, ..evaluation::Plan::new(MATCHES) };
        evaluation::start(arena, account_id, &submission_id, plan).await?;
    }
    Ok(())
}

async fn play(arena: &Arena, plan: Plan) -> Result<(), ArenaError> {
    let walks_out = plan.own_seats > 0;
    let live = arena.host().create(plan).await?;
    if walks_out {
        // One that went wrong, so that this can be seen too.
        let seats = live.seats.len() as u8;
        for seat in super::engine::seats::Seat::first(seats).take(1) {
            arena.host().leave(&live, seat).await;
        }
    }
    live.ended().await;
    Ok(())
}

/// One session of each game a day, fewer of the long ones, at plausible hours; the last ones an hour ago.
fn history(arena: &Arena, account_id: &str) -> Vec<Plan> {
    let mut plans = Vec::new();
    for day in (0..DAYS).rev() {
        for (nth, game) in arena.games().iter().copied().enumerate() {
            let luck = mix(&[day, nth as u64, 0xDE]);
            let is_long = game.spec().canonical_ticks > 400;
            // Two days of three for most, one of two for the long ones; every game on the last day.
            if day > 0 && luck.is_multiple_of(if is_long { 2 } else { 3 }) {
                continue;
            }
            let minutes = 50 + 9 * nth as i64 + (luck >> 8) as i64 % 400;
            let ago = SignedDuration::from_hours(24 * day as i64) + SignedDuration::from_mins(minutes);
            let mut plan = Plan::of_bots(game, account_id, game.spec().default_seats, luck >> 16);
            plan.clock_offset = -ago;
            plans.push(plan);
        }
    }
    plans.extend(walk_out(arena, account_id));
    plans
}

/// A session that its player left.
fn walk_out(arena: &Arena, account_id: &str) -> Option<Plan> {
    let game = catalogue::find(arena.games(), LIVE[0].0)?;
    let mut plan = Plan::of_bots(game, account_id, game.spec().default_seats, 7);
    plan.ai.pop();
    plan.own_seats = 1;
    plan.clock_offset = -SignedDuration::from_hours(26);
    Some(plan)
}

async fn keep_alive(arena: &Arena, account_id: &str, (slug, pace_ms, max_ticks): (&str, u32, u32)) {
    let Some(game) = catalogue::find(arena.games(), slug) else { return };
    for round in 0u64.. {
        match arena.host().create(live_plan(game, account_id, round, pace_ms, max_ticks)).await {
            Ok(live) => {
                live.ended().await;
                tokio::time::sleep(ENCORE).await;
            }
            Err(error) => {
                tracing::warn!(%error, slug, "a live session did not start");
                tokio::time::sleep(Duration::from_secs(30)).await;
            }
        }
    }
}

fn live_plan(game: &'static dyn Game, account_id: &str, round: u64, pace_ms: u32, max_ticks: u32) -> Plan {
    let seed = mix(&[round, u64::from(pace_ms), 0x11FE]) >> 16;
    let mut plan = Plan::of_bots(game, account_id, live_seats(game), seed);
    plan.pace_ms = pace_ms;
    plan.max_ticks = max_ticks;
    plan
}

/// A table of four, where there may be one: there is more to see.
fn live_seats(game: &dyn Game) -> u8 {
    let spec = game.spec();
    spec.seats.iter().copied().find(|seats| *seats == 4).unwrap_or(spec.default_seats)
}
