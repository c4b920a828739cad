//! Matches per second of an evaluation: a Python program in the sandbox against the league, as `POST
//! /submissions/{id}/evaluate` plays them, kept in a database on disk.
//!
//! `cargo bench --bench evaluation [-- MATCHES]`

use std::time::{Duration, Instant};

use gert::arena::evaluation::{self, Plan};
use gert::arena::store::submissions::Code;
use gert::arena::store::{Place, jobs};
use gert::arena::submissions::{self, Upload};
use gert::arena::{Arena, ArenaSettings, games};

/// The games that are measured, each with a program that answers at once: what is left is everything else.
const PROGRAMS: [(&str, &str); 3] = [
    (
        "connect_four",
        "def act(observation, seat, info):\n    return [{'action': 'drop', 'column': observation['legal_columns'][0]}]\n",
    ),
    ("grid_serpents", "def act(observation, seat, info):\n    return []\n"),
    ("market_simulator", "def act(observation, seat, info):\n    return []\n"),
];

/// Matches of an evaluation when nobody says.
const MATCHES: u32 = 100;

async fn measure(arena: &Arena, account_id: &str, (slug, code): (&str, &str), matches: u32) {
    let game = games::find(slug).expect("a game of the arena");
    let upload = Upload {
        game,
        language: submissions::PYTHON.to_owned(),
        code: Code::python(code),
        provider: None,
        model: None,
    };
    let (submission_id, check) =
        submissions::upload(arena, account_id, upload).await.expect("the upload is kept");
    arena.jobs().ended(&check).await;
    let begun = Instant::now();
    let plan = Plan { seed: 7, ..Plan::new(matches) };
    let started =
        evaluation::start(arena, account_id, &submission_id, plan).await.expect("the evaluation starts");
    arena.jobs().ended(&started.job_id).await;
    let took = begun.elapsed();
    let id = started.job_id;
    let job = arena.store().read(move |connection| jobs::any(connection, &id)).await.expect("a job");
    let job = job.expect("the job is kept");
    let outcome = job.result.unwrap_or_else(|| panic!("{slug}: {:?}", job.error));
    report(slug, matches, took, &outcome);
}

fn report(slug: &str, matches: u32, took: Duration, outcome: &serde_json::Value) {
    let each = took / matches;
    println!(
        "{slug:<20} {matches:>5} matches in {took:>8.2?}: {:>7.1} a second, {each:>8.2?} each; rated {} ± {}",
        f64::from(matches) / took.as_secs_f64(),
        outcome["elo_rating"],
        outcome["elo_error"],
    );
}

fn main() {
    // Programs are started by the binary that serves them, which is this one.
    if let Some(status) = gert::arena::sandbox::launch::asked(std::env::args_os()) {
        std::process::exit(status);
    }
    let matches = std::env::args().find_map(|arg| arg.parse().ok()).unwrap_or(MATCHES);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let place = Place::File(folder.path().join("arena.db"));
        let arena = Arena::open(ArenaSettings::new(place, false)).await.expect("the arena opens");
        let (account_id, _) = arena.bootstrap_key("bench@arena").await.expect("an account");
        println!("programs are kept in their place: {}", arena.sandbox().level().await);
        for program in PROGRAMS {
            measure(&arena, &account_id, program, matches).await;
        }
        arena.close().await;
    });
}
