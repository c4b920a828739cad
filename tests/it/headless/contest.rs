//! Matches.

use serde_json::{Value, json};

use super::{Home, finish, interrupt, processes, sample, until};

fn args<'a>(a: &'a str, b: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["match", a, b, "--game", "connect_four"], more].concat()
}

#[tokio::test]
async fn a_match_ends_by_its_test_and_table_and_document_agree() {
    let home = Home::new();
    let (a, b) = (sample("centre.py", "m-sprt"), sample("random.py", "m-sprt"));
    let file = home.path().join("results.jsonl");
    let name = file.display().to_string();
    let usual = ["--games", "600", "--sprt", "-50,150", "--seed", "5", "-j", "2"];
    let played = home.run(&args(&a, &b, &[&usual[..], &["--out", &name, "--json"]].concat())).await;
    assert_eq!(played.status, 0, "{}", played.err);
    let result = played.json();
    assert_eq!(result["decision"], "accepted", "{result}");
    assert!(result["llr"].as_f64().unwrap() >= 2.94, "{result}");
    let games = result["games"].as_u64().unwrap();
    assert!(games < 600 && games % 2 == 0, "{games}");
    // Over already: it is only shown.
    let shown = home.run(&args(&a, &b, &[&usual[..], &["--resume", &name]].concat())).await;
    assert_eq!(shown.status, 0, "{}", shown.err);
    let row = shown.out.lines().find(|line| line.starts_with("A ")).unwrap();
    let cells: Vec<&str> = row.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    let number = |member: &str| result[member].to_string();
    assert_eq!(cells[3..6], [number("wins"), number("draws"), number("losses")], "{row}");
    let elo = format!("{:+.1} ± {:.1}", result["elo"].as_f64().unwrap(), result["error"].as_f64().unwrap());
    assert!(row.contains(&elo), "{row}: {elo}");
    assert!(shown.out.contains(&format!("LLR {:.2} ", result["llr"].as_f64().unwrap())), "{}", shown.out);
    assert!(shown.out.contains("A is stronger by 150 Elo or more"), "{}", shown.out);
    assert_eq!(processes("m-sprt"), 0, "B-05");
}

#[tokio::test]
async fn an_interrupted_match_goes_on_to_the_result_of_an_uninterrupted_one() {
    // B-20
    let home = Home::new();
    let (a, b) = (sample("centre.py", "m-stop"), sample("random.py", "m-stop"));
    let usual = ["--games", "60", "--sprt", "off", "--seed", "3", "-j", "2", "--json"];
    let whole = home.run(&args(&a, &b, &[&usual[..], &["--out", "/dev/null/x"]].concat())).await;
    assert!(whole.status == 1 && whole.err.contains("cannot be kept"), "{}", whole.err);
    let whole = home.run(&args(&a, &b, &usual)).await.json();
    let file = home.path().join("broken.jsonl");
    let name = file.display().to_string();
    let child = home.command(&args(&a, &b, &[&usual[..], &["--out", &name]].concat())).spawn().unwrap();
    let lines = || std::fs::read_to_string(&file).map_or(0, |text| text.lines().count());
    until("some pairs", || lines() > 3).await;
    interrupt(&child);
    let stopped = finish(child).await;
    assert_eq!(stopped.status, 130, "{}", stopped.err);
    assert!(
        stopped.err.contains("--seed 3") && stopped.err.contains(&format!("--resume {name}")),
        "{}",
        stopped.err
    );
    assert_eq!(stopped.json()["finished"], false);
    assert!(stopped.json()["games"].as_u64().unwrap() < 60, "it was stopped in time");
    assert_eq!(processes("m-stop"), 0);
    // A crash in the middle of a line costs that pair.
    let mut text = std::fs::read_to_string(&file).unwrap();
    text.push_str("{\"pair\":");
    std::fs::write(&file, text).unwrap();
    let resumed = home.run(&args(&a, &b, &[&usual[..], &["--resume", &name]].concat())).await;
    assert_eq!(resumed.status, 0, "{}", resumed.err);
    let without_file = |mut result: Value| {
        result.as_object_mut().unwrap().remove("file");
        result
    };
    assert_eq!(without_file(resumed.json()), without_file(whole));
}

#[tokio::test]
async fn a_policy_that_crashes_loses_its_games_and_the_match_goes_on() {
    // B-01
    let home = Home::new();
    let (a, b) = (sample("crash.py", "m-crash"), "ai:random".to_owned());
    let run = home.run(&args(&a, &b, &["--games", "8", "--sprt", "off", "--seed", "1", "--json"])).await;
    assert_eq!(run.status, 0, "{}", run.err);
    let result = run.json();
    assert_eq!((&result["games"], &result["losses"]), (&json!(8), &json!(8)));
    assert_eq!(result["failures"], json!({"a": {"crash": 8}, "b": {}}));
    assert_eq!(processes("m-crash"), 0);
}

#[tokio::test]
async fn results_of_another_contest_are_refused_and_never_overwritten() {
    let home = Home::new();
    let name = home.path().join("r.jsonl").display().to_string();
    let run = async |more: &[&str]| {
        home.run(&args("ai:random", "ai:centre", &[&["--games", "4", "--sprt", "off"], more].concat())).await
    };
    assert_eq!(run(&["--seed", "1", "--out", &name]).await.status, 0);
    let again = run(&["--seed", "1", "--out", &name]).await;
    assert!(again.status == 1 && again.err.contains("holds results already"), "{}", again.err);
    let other = run(&["--seed", "2", "--resume", &name]).await;
    assert!(other.status == 1 && other.err.contains("`seed` is 2 now and was 1"), "{}", other.err);
    let nobody = home.run(&args("ai:nobody", "ai:random", &[])).await;
    assert!(nobody.status == 1 && nobody.err.contains("`ai:centre`"), "{}", nobody.err);
}

#[tokio::test]
async fn a_command_that_cannot_be_run_ends_the_match_with_its_name() {
    // B-16
    let run = Home::new().run(&args("no-such-bot --fast", "ai:random", &["--games", "4"])).await;
    assert_eq!(run.status, 1);
    assert!(run.err.contains(r#"["no-such-bot", "--fast"]"#), "{}", run.err);
}

#[tokio::test]
async fn more_than_two_seats_are_shared_and_moved_on() {
    let home = Home::new();
    let a = sample("random.py", "m-four");
    let name = home.path().join("four.jsonl").display().to_string();
    let more = ["--games", "4", "--sprt", "off", "--players", "4", "--max-ticks", "12", "--seed", "2"];
    let words = [&["match", &a, "ai:greedy", "--game", "grid_serpents", "--out", &name], &more[..]].concat();
    let list = home.run(&["match", "--list-players", "--game", "grid_serpents"]).await;
    let ai = list.out.lines().nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    let words: Vec<&str> =
        words.into_iter().map(|word| if word == "ai:greedy" { &ai } else { word }).collect();
    let run = home.run(&words).await;
    assert_eq!(run.status, 0, "{}", run.err);
    let text = std::fs::read_to_string(&name).unwrap();
    let rows: Vec<Value> = text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut seats: Vec<String> = rows
        .iter()
        .flat_map(|row| [row["games"][0]["seats"].to_string(), row["games"][1]["seats"].to_string()])
        .collect();
    seats.sort();
    assert_eq!(
        seats,
        [r#"["a","a","b","b"]"#, r#"["a","b","b","a"]"#, r#"["b","a","a","b"]"#, r#"["b","b","a","a"]"#]
    );
}

#[tokio::test]
async fn every_game_is_played_with_as_many_seats_as_it_has_and_each_side_has_half_of_them() {
    let home = Home::new();
    for (game, players, mine) in [
        ("connect_four", "2", [1, 1]),
        ("grid_serpents", "4", [2, 2]),
        ("liars_dice", "3", [2, 1]),
        ("market_simulator", "8", [4, 4]),
        ("multi_reversi", "4", [2, 2]),
        ("pot_limit_omaha_hilo", "5", [3, 2]),
    ] {
        let name = home.path().join(format!("{game}.jsonl")).display().to_string();
        let (a, b) = (sample("random.py", "m-all"), sample("random.sh", "m-all").replace("python3", "sh"));
        let words = ["match", &a, &b, "--game", game, "--players", players, "--games", "2", "--sprt", "off"];
        let more = ["--max-ticks", "8", "--json", "-j", "1", "--seed", "3", "--out", &name];
        let run = home.run(&[&words[..], &more].concat()).await;
        let result = run.json();
        assert_eq!(
            (&result["games"], &result["failures"]),
            (&json!(2), &json!({"a": {}, "b": {}})),
            "{game}"
        );
        let text = std::fs::read_to_string(&name).unwrap();
        let row: Value = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
        let count =
            |game: &Value| game["seats"].as_array().unwrap().iter().filter(|side| *side == "a").count();
        assert_eq!([count(&row["games"][0]), count(&row["games"][1])], mine, "{game}");
    }
    assert_eq!(processes("m-all"), 0);
}

#[tokio::test]
async fn a_match_on_a_server_comes_out_as_one_in_this_process_and_leaves_no_session_behind() {
    let (home, server) = (Home::new(), crate::arena::Server::start().await);
    let a = sample("centre.py", "m-online");
    let usual = ["--games", "6", "--sprt", "off", "--seed", "6", "--json", "-j", "2"];
    let local = home.run(&args(&a, "ai:block", &usual)).await.json();
    let name = home.path().join("online.jsonl").display().to_string();
    let online = |more: &[&str]| {
        let mut command = home.command(&args(&a, "ai:block", &[&usual[2..], &["--online"], more].concat()));
        command.env("GERT_API_KEY", &server.key).env("GERT_BASE_URL", server.base());
        command
    };
    let run = finish(online(&["--games", "6", "--out", &name]).spawn().unwrap()).await;
    assert_eq!(run.status, 0, "{}", run.err);
    // 6 games of 42 ticks at 0.0004 credits.
    assert!(run.err.contains("at most 0.1008 credits") && run.err.contains("127.0.0.1"), "{}", run.err);
    for member in ["games", "wins", "draws", "losses", "pairs", "failures", "elo"] {
        assert_eq!(run.json()[member], local[member], "{member}");
    }
    let child = online(&["--games", "600", "--out", &format!("{name}-2")]).spawn().unwrap();
    let rows = || std::fs::read_to_string(format!("{name}-2")).map_or(0, |text| text.lines().count());
    until("some pairs", || rows() > 2).await;
    interrupt(&child);
    let run = finish(child).await;
    assert_eq!(run.status, 130, "{}", run.err);
    assert!(run.err.contains("--online"), "the command that goes on says where: {}", run.err);
    let live = server.data("/sessions?status=active").await;
    assert_eq!(live["sessions"], json!([]), "{live}");
    assert_eq!(processes("m-online"), 0);
}
