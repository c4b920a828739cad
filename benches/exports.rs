//! What an export costs: rows of replays a second, from the action logs in the database to files on the disk.
//!
//! A row is a seat's turn: the match is played again and the seat's observation is written. Nothing here has a goal in
//! arena.md; the numbers are to be compared with one another.

use std::time::Instant;

use gert::arena::exports::{self, Ask, ExportType, Format};
use gert::arena::matches::{Order, Player};
use gert::arena::store::evaluations::{self, NewEvaluation};
use gert::arena::store::matches::{self, MatchRow};
use gert::arena::store::submissions::{self, Code, NewSubmission, Stage};
use gert::arena::store::{Place, jobs};
use gert::arena::{Arena, ArenaSettings, games};
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Matches of each game.
const GAMES: [(&str, u64); 3] = [("connect_four", 500), ("multi_reversi", 200), ("market_simulator", 10)];

/// Plays matches of the weakest players and keeps them as an evaluation would.
async fn fill(arena: &Arena, account_id: &str, slug: &str, n: u64) {
    let game = games::find(slug).expect("a game of the arena");
    let spec = game.spec();
    let mut new = NewSubmission::new(account_id, spec, "python", Code::python("pass"));
    new.stage = Stage::Ready;
    let evaluation = NewEvaluation {
        eval_run_id: format!("ev_{slug}"),
        submission_id: new.submission_id.clone(),
        account_id: account_id.to_owned(),
        job_id: format!("j_{slug}"),
        match_count: n as u32,
        seed: 0,
        opponents: json!({}),
        pool: json!([]),
    };
    let mut played = Vec::new();
    let mut series = arena.matches().series();
    for seed in 0..n {
        let players = vec![Player::BuiltIn("random".to_owned()); usize::from(spec.default_seats)];
        let order = Order::new(game, seed, players);
        let record = series.play(&order, &CancellationToken::new()).await.expect("random players play");
        let seats: Vec<Value> =
            record.seats.iter().map(|seat| json!({ "provider": "arena", "score": seat.score })).collect();
        played.push(MatchRow {
            replay_id: format!("m_{slug}_{seed}"),
            eval_run_id: evaluation.eval_run_id.clone(),
            n: seed as u32,
            game: slug.to_owned(),
            game_version: spec.game_version.to_owned(),
            score_version: spec.score_version.to_owned(),
            config: order.config.clone(),
            seed,
            max_ticks: order.max_ticks,
            ticks: record.ticks,
            completion_reason: record.end.as_str().to_owned(),
            seat: 0,
            seats: json!(seats),
            wall_ms: 0,
            cpu_ms: 0,
            log: record.log.as_bytes().to_vec(),
        });
    }
    series.close().await;
    let at = Timestamp::now();
    let write = move |connection: &_| {
        submissions::add(connection, &new, at)?;
        evaluations::add(connection, &evaluation, at)?;
        played.iter().try_for_each(|row| matches::add(connection, row, at))
    };
    arena.store().write(write).await.expect("the database takes it");
}

#[tokio::main]
async fn main() {
    let arena = Arena::open(ArenaSettings::new(Place::Ephemeral, false)).await.expect("an arena opens");
    let (account_id, _) = arena.bootstrap_key("bench@example.org").await.expect("a key is made");
    for (slug, n) in GAMES {
        fill(&arena, &account_id, slug, n).await;
        for format in [Format::Json, Format::Parquet].into_iter().filter(|format| format.is_built_in()) {
            let ask = Ask { game_slug: Some(slug.to_owned()), ..Ask::all(ExportType::Replays, format) };
            let begun = Instant::now();
            let job_id = exports::start(&arena, &account_id, &ask, None).await.expect("an export starts");
            arena.jobs().ended(&job_id).await;
            let took = begun.elapsed();
            let job = arena.store().read(move |connection| jobs::any(connection, &job_id)).await;
            let result = job.expect("the database answers").and_then(|job| job.result).expect("it completes");
            let (rows, bytes) = (result["record_count"].as_f64(), result["size_bytes"].as_f64());
            let (rows, bytes) = (rows.expect("a number"), bytes.expect("a number"));
            println!(
                "replays {slug:<18} {:<8} {rows:>7} rows in {took:>9.1?}: {:>8.0} rows/s, {:.0} bytes a row",
                format.as_str(),
                rows / took.as_secs_f64(),
                bytes / rows
            );
            let again = account_id.clone();
            let reset =
                move |connection: &_| gert::arena::store::exports::reset(connection, &again, None, None);
            arena.store().write(reset).await.expect("the database takes it");
        }
    }
    arena.close().await;
}
