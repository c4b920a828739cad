//! A policy against the league: in this process on every game, and in a rollout run of a small service.

use serde_json::{Value, json};

use super::rollout::POLICY;
use super::{Home, Run, finish, interrupt, processes, sample, until};
use crate::rollout::fake::{Fault, Server, World};

/// Slugs and seats of all games.
const GAMES: [(&str, usize); 6] = [
    ("connect_four", 2),
    ("grid_serpents", 4),
    ("liars_dice", 4),
    ("market_simulator", 4),
    ("multi_reversi", 2),
    ("pot_limit_omaha_hilo", 2),
];

/// The cells of the table's line about a band.
fn cells(out: &str, band: u64) -> Vec<String> {
    let line = out.lines().find(|line| line.trim_start().starts_with(&format!("{band} %"))).unwrap();
    line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect()
}

/// The sets in a file.
fn sets(text: &str) -> Vec<Value> {
    text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn every_game_has_a_ladder_where_the_policy_sits_in_each_seat_once_a_set() {
    let home = Home::new();
    for (game, seats) in GAMES {
        let file = home.path().join(format!("{game}.jsonl"));
        let name = file.display().to_string();
        let policy = sample("random.py", "l-all");
        let words = ["ladder", &policy, "--game", game, "--games", "1", "--bands", "90,10", "--seed", "5"];
        let more = ["--max-ticks", "12", "-j", "2", "--json", "--out", &name];
        let result = home.run(&[&words[..], &more].concat()).await.json();
        assert_eq!((&result["games"], &result["finished"]), (&json!(2 * seats), &json!(true)), "{game}");
        let bands: Vec<&Value> =
            result["bands"].as_array().unwrap().iter().map(|rung| &rung["band"]).collect();
        assert_eq!(bands, [10, 90], "{game}");
        for set in sets(&std::fs::read_to_string(&file).unwrap()) {
            let games = set["games"].as_array().unwrap();
            let own = |game: &Value| game["seats"].as_array().unwrap().iter().position(|side| side == "a");
            assert_eq!(games.iter().map(own).collect::<Vec<_>>(), (0..seats).map(Some).collect::<Vec<_>>());
            assert!(games.iter().all(|played| played["seed"] == games[0]["seed"]), "{game}: paired seeds");
            assert_eq!(set["opponents"].as_array().unwrap().len(), seats - 1, "{game}");
        }
    }
    assert_eq!(processes("l-all"), 0);
}

#[tokio::test]
async fn the_table_says_what_the_document_says() {
    let home = Home::new();
    let name = home.path().join("l.jsonl").display().to_string();
    let policy = sample("centre.py", "l-table");
    let words = ["ladder", &policy, "--game", "connect_four", "--games", "16", "--bands", "5,90"];
    let words = [&words[..], &["--seed", "2", "-j", "2"]].concat();
    let result = home.run(&[&words[..], &["--json", "--out", &name]].concat()).await.json();
    let table = home.run(&[&words[..], &["--resume", &name]].concat()).await;
    assert_eq!(table.status, 0, "{}", table.err);
    for rung in result["bands"].as_array().unwrap() {
        let cells = cells(&table.out, rung["band"].as_u64().unwrap());
        let number = |member: &str| rung[member].to_string();
        assert_eq!(cells[1..5], [number("games"), number("wins"), number("draws"), number("losses")]);
        let percent = |share: &Value| format!("{:.1}", share.as_f64().unwrap() * 100.0);
        let [low, high] = [0, 1].map(|end| percent(&rung["interval"][end]));
        assert_eq!(cells[6], format!("{} % ({low} to {high})", percent(&rung["win_share"])));
        let off = cells[5].parse::<f64>().unwrap() - rung["mean_score"].as_f64().unwrap();
        assert!(off.abs() <= 0.005, "{} for {}", cells[5], rung["mean_score"]);
        assert_eq!(cells[7].trim_start_matches("★ "), rung["badge"].as_str().unwrap());
    }
    // The weakest of the league are no match for a policy that plays towards the middle, the strongest are.
    assert_eq!((&result["bands"][1]["badge"], &result["beaten"]), (&json!("lost"), &json!([5])));
    assert!(table.out.contains("1 of 2 bands beaten"), "{}", table.out);
}

#[tokio::test]
async fn an_interrupted_ladder_goes_on_to_the_result_of_an_uninterrupted_one() {
    // B-20
    let home = Home::new();
    let policy = sample("random.py", "l-stop");
    let usual = ["ladder", &policy, "--game", "connect_four", "--games", "16", "--seed", "3", "-j", "2"];
    let usual = [&usual[..], &["--json", "--bands", "10,50,90"]].concat();
    let whole = home.run(&usual).await.json();
    let file = home.path().join("part.jsonl");
    let name = file.display().to_string();
    let child = home.command(&[&usual[..], &["--out", &name]].concat()).spawn().unwrap();
    until("some sets", || std::fs::read_to_string(&file).is_ok_and(|text| text.lines().count() > 2)).await;
    interrupt(&child);
    let stopped = finish(child).await;
    assert_eq!(stopped.status, 130, "{}", stopped.err);
    assert_eq!(stopped.json()["finished"], false);
    assert!(stopped.json()["games"].as_u64().unwrap() < 48, "it was stopped in time");
    assert_eq!(processes("l-stop"), 0);
    // The command that is told goes on.
    let told = stopped.err.lines().find(|line| line.starts_with("gert policy ladder ")).unwrap();
    let resumed = finish(home.shell(told).spawn().unwrap()).await;
    assert_eq!(resumed.status, 0, "{}", resumed.err);
    let without_file = |mut result: Value| {
        result.as_object_mut().unwrap().remove("file");
        result
    };
    assert_eq!(without_file(resumed.json()), without_file(whole));
    let other = home.run(&[&usual[..], &["--resume", &name, "--max-ticks", "9"]].concat()).await;
    assert!(other.status == 1 && other.err.contains("`max-ticks` is 9 now"), "{}", other.err);
}

#[tokio::test]
async fn failures_of_the_policy_are_tallied_apart_and_lose_their_games() {
    // B-01
    let home = Home::new();
    let policy = sample("crash.py", "l-crash");
    let words = [
        "ladder",
        &policy,
        "--game",
        "connect_four",
        "--games",
        "2",
        "--bands",
        "5",
        "--seed",
        "1",
        "--json",
    ];
    let run = home.run(&words).await;
    assert_eq!(run.status, 0, "{}", run.err);
    let rung = run.json()["bands"][0].clone();
    assert_eq!((&rung["losses"], &rung["failures"]), (&json!(2), &json!({"crash": 2})));
    let nobody = home.run(&["ladder", "no-such-bot", "--game", "connect_four", "--games", "2"]).await;
    assert!(nobody.status == 1 && nobody.err.contains("no-such-bot"), "{}", nobody.err);
    assert_eq!(processes("l-crash"), 0);
}

async fn online(home: &Home, server: &Server, policy: &str, more: &[&str]) -> Run {
    let name = home.path().join("run.jsonl").display().to_string();
    let words =
        ["ladder", policy, "--game", "g", "--players", "2", "--max-ticks", "50", "--online", "--json"];
    let file = if more.contains(&"--resume") { &[][..] } else { &["--out", &name] };
    let words = [&words[..], file, more].concat();
    finish(online_command(home, server, &words).spawn().unwrap()).await
}

fn online_command(home: &Home, server: &Server, words: &[&str]) -> tokio::process::Command {
    let mut command = home.command(words);
    command.env("GERT_API_KEY", "sk_gert_ladder").env("GERT_BASE_URL", server.base());
    command
}

#[tokio::test]
async fn on_a_server_it_is_a_rollout_run_whose_price_is_told_and_that_is_closed() {
    let home = Home::new();
    let server = World { seats: 2, ..World::default() }.start().await;
    server.fault(0, "/episodes", Fault::Refuse(409, "LEAGUE_TOO_THIN"));
    let run = online(&home, &server, POLICY, &["--games", "3", "--bands", "25,75", "-j", "1"]).await;
    assert_eq!(run.status, 0, "{}", run.err);
    // 6 games of 50 ticks at 0.0004 credits.
    assert!(run.err.contains("at most 0.12 credits"), "{}", run.err);
    assert_eq!(server.bodies("/rollout-runs"), [json!({"max_episodes": 6, "max_ticks_per_episode": 50})]);
    let resets = server.bodies("/episodes");
    let bands: Vec<_> =
        resets.iter().map(|reset| (&reset["min_percentile"], &reset["max_percentile"])).collect();
    // The first band was too thin as it was asked for first.
    let [low, wider, high] = [[0.15, 0.35], [0.1, 0.4], [0.65, 0.85]].map(|band| band.map(|end| json!(end)));
    let expected = [&low, &wider, &high, &wider, &high, &wider, &high];
    assert_eq!(bands, expected.map(|[low, high]| (low, high)));
    assert!(resets.iter().all(|reset| reset["opponent_seats"] == 1 && reset["player_count"] == 2));
    let mut seeds: Vec<u64> = resets.iter().skip(1).map(|reset| reset["seed"].as_u64().unwrap()).collect();
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!(seeds.len(), 6, "each game has its own");
    let result = run.json();
    assert_eq!(
        (&result["beaten"], &result["bands"][0]["wins"]),
        (&json!([]), &json!(3)),
        "three are too few"
    );
    assert_eq!(server.count("/rollout-runs/run-1/close"), 1);
}

#[tokio::test]
async fn the_run_is_closed_also_after_an_interrupt_a_failure_and_a_policy_that_breaks() {
    // B-20
    let home = Home::new();
    let server = World { seats: 2, ..World::default() }.start().await;
    let broken = online(&home, &server, "false", &["--games", "1", "--bands", "50"]).await;
    assert_eq!(broken.status, 0, "{}", broken.err);
    assert_eq!(broken.json()["bands"][0]["failures"], json!({"crash": 1}));
    assert_eq!(server.count("/rollout-runs/run-1/close"), 1);

    let name = home.path().join("failed.jsonl").display().to_string();
    server.fault(0, "/step", Fault::Refuse(402, "INSUFFICIENT_CREDITS"));
    let words = ["--games", "4", "--bands", "50", "-j", "1", "--seed", "9"];
    let words = [&["ladder", POLICY, "--game", "g", "--players", "2", "--online"], &words[..]].concat();
    let out = ["--out", &name];
    let failed = finish(online_command(&home, &server, &[&words[..], &out].concat()).spawn().unwrap()).await;
    assert_eq!(failed.status, 1, "{}", failed.err);
    assert!(failed.err.contains("this goes on:") && failed.err.contains(&name), "{}", failed.err);
    assert_eq!(server.count("/rollout-runs/run-1/close"), 2);

    let mut hanging = online_command(&home, &server, &[&words[..], &["--resume", &name]].concat());
    server.fault(1, "/step", Fault::Hang);
    let child = hanging.spawn().unwrap();
    let steps = server.count("/step");
    until("a step that hangs", || server.count("/step") > steps + 1).await;
    interrupt(&child);
    let stopped = finish(child).await;
    assert_eq!(stopped.status, 130, "{}", stopped.err);
    assert_eq!(server.count("/rollout-runs/run-1/close"), 3);
}

#[tokio::test]
async fn what_a_read_only_profile_or_a_cap_forbids_opens_no_run() {
    let home = Home::new();
    let server = World { seats: 2, ..World::default() }.start().await;
    let folder = home.path().join(".config/gert");
    std::fs::create_dir_all(&folder).unwrap();
    for (config, words) in [
        ("[profiles.default]\nread_only = true\n", "read-only"),
        ("[spend]\nper_action = 0.1\n", "the cap for an action is 0.1"),
    ] {
        std::fs::write(folder.join("config.toml"), config).unwrap();
        let run = online(&home, &server, POLICY, &["--games", "6", "--bands", "50", "--seed", "1"]).await;
        assert_eq!(run.status, 1, "{}", run.err);
        assert!(run.err.contains(words), "{}", run.err);
        assert_eq!(server.count("/rollout-runs"), 0, "{words}");
        std::fs::remove_file(home.path().join("run.jsonl")).unwrap();
    }
}

#[tokio::test]
async fn the_league_of_a_real_arena_is_met_on_every_game_and_its_run_is_settled() {
    let (home, server) = (Home::new(), crate::arena::Server::start().await);
    for (game, seats) in GAMES {
        let file = home.path().join(format!("{game}.jsonl"));
        let name = file.display().to_string();
        let policy = sample("random.py", "l-arena");
        let words = ["ladder", &policy, "--game", game, "--games", "2", "--bands", "10,90", "--seed", "5"];
        let more = ["--max-ticks", "12", "-j", "2", "--online", "--json", "--out", &name];
        let mut command = home.command(&[&words[..], &more].concat());
        command.env("GERT_API_KEY", &server.key).env("GERT_BASE_URL", server.base());
        let run = finish(command.spawn().unwrap()).await;
        assert_eq!(run.status, 0, "{game}: {}", run.err);
        assert_eq!(
            (&run.json()["games"], &run.json()["field"]),
            (&json!(4), &json!("rollout_run")),
            "{game}"
        );
        for set in sets(&std::fs::read_to_string(&file).unwrap()) {
            let opponents = set["opponents"].as_array().unwrap();
            assert_eq!(opponents.len(), seats - 1, "{game}: {set}");
            assert!(opponents.iter().all(|name| name != "code"), "{game}: they are named: {set}");
            assert_eq!(set["games"][0]["failures"], Value::Null, "{game}: {set}");
            assert_eq!(set["games"][0]["scores"].as_object().unwrap().len(), 1, "{game}: the policy's own");
        }
    }
    let runs = server.data("/rollout-runs").await;
    let runs = runs["runs"].as_array().unwrap();
    assert_eq!(runs.len(), GAMES.len());
    assert!(runs.iter().all(|run| run["status"] == "closed" && run["episodes_used"] == 4), "{runs:?}");
    assert_eq!(processes("l-arena"), 0);
}
