use super::*;
use crate::arena::engine::playout::Playout;
use crate::arena::engine::table::Table;
use crate::arena::engine::{Game, Input, MatchSetup, Play, Verdict};

fn table(config: &Value, max_ticks: u32, seed: u64) -> Table<SpeRecall> {
    Table::start(&MatchSetup { config, seats: 1, max_ticks, seed }).unwrap()
}

fn observation(table: &Table<SpeRecall>) -> Value {
    let mut bytes = Vec::new();
    table.observe(ALONE, &[], &mut bytes);
    serde_json::from_slice(&bytes).unwrap()
}

fn play(table: &mut Table<SpeRecall>, action: Value) -> f64 {
    let report = table.submit(&[(ALONE, Input::Act(action))].into_iter().collect());
    let report = report.seats.get(ALONE).unwrap();
    assert_eq!(report.verdict, Some(Verdict::Applied));
    report.reward
}

fn answer(word: u8) -> Value {
    json!({"action": "answer", "value": WORDS[usize::from(word)]})
}

/// Goes on until something is asked; gives what is right.
fn until_asked(table: &mut Table<SpeRecall>) -> u8 {
    while table.state().world.query().is_none() {
        play(table, json!([]));
    }
    table.state().world.answer().unwrap()
}

#[test]
fn keys_and_notepad_grow_with_the_difficulty() {
    // arena.md §3.10: K = 6 + round(18 d), C = 40 + 4 K.
    for (difficulty, keys, capacity) in [(0.0, 6, 64), (0.45, 14, 96), (0.5, 15, 100), (1.0, 24, 136)] {
        let seen = observation(&table(&json!({"difficulty": difficulty}), 60, 1));
        assert_eq!((seen["keys"].as_array().unwrap().len(), &seen["capacity"]), (keys, &json!(capacity)));
    }
    assert_eq!(observation(&table(&json!({}), 60, 1))["capacity"], 96);
}

#[test]
fn the_notepad_holds_its_bytes_and_no_more() {
    let mut table = table(&json!({}), 60, 2);
    let write = |text: String| json!([{"action": "write", "text": text}]);
    for bad in ["x".repeat(97), "ä".repeat(49), "x".repeat(1_000_000)] {
        let Err(Verdict::Rejected(reasons)) = table.judge(ALONE, &write(bad)) else { panic!("too long") };
        assert!(reasons[0].contains("96 bytes"), "{reasons:?}");
    }
    for good in ["x".repeat(96), "ä".repeat(48), String::new()] {
        play(&mut table, write(good.clone()));
        assert_eq!(observation(&table)["notepad"], good);
    }
    play(&mut table, write("stays".into()));
    play(&mut table, json!([]));
    assert_eq!(observation(&table)["notepad"], "stays");
}

#[test]
fn right_is_worth_five_and_wrong_costs_one() {
    let mut table = table(&json!({}), 60, 3);
    let right = until_asked(&mut table);
    assert!((play(&mut table, answer(right)) - 5.0).abs() < 1e-9);
    assert_eq!(observation(&table)["events"], json!([{"answer": {"right": true}}]));
    let right = until_asked(&mut table);
    let both = json!([{"action": "write", "text": "both"}, answer((right + 1) % 16)]);
    assert!((play(&mut table, both) + 1.0).abs() < 1e-9);
    let seen = observation(&table);
    assert_eq!((&seen["events"], &seen["notepad"]), (&json!([{"answer": {"right": false}}]), &json!("both")));
    until_asked(&mut table);
    assert!(play(&mut table, json!([])).abs() < 1e-9, "no answer, no points");
}

#[test]
fn what_makes_no_sense_is_rejected() {
    let mut table = table(&json!({}), 60, 4);
    let rejected = |table: &Table<SpeRecall>, bad: &Value| {
        assert!(matches!(table.judge(ALONE, bad), Err(Verdict::Rejected(_))), "{bad}");
    };
    rejected(&table, &answer(3));
    until_asked(&mut table);
    let write = json!({"action": "write", "text": ""});
    for bad in [
        json!([answer(1), answer(2)]),
        json!([write, write]),
        json!([write, write, answer(1)]),
        json!({"action": "answer", "value": "nothing"}),
        json!({"action": "answer", "value": 3}),
        json!({"action": "write"}),
    ] {
        rejected(&table, &bad);
    }
    assert_eq!(table.judge(ALONE, &json!([write, answer(1)])), Ok(()));
}

#[test]
fn a_match_has_sixty_ticks_and_no_more() {
    let ends = |max_ticks| {
        let mut table = table(&json!({}), max_ticks, 5);
        while table.probe().over.is_none() {
            play(&mut table, json!([]));
        }
        (table.probe().tick, table.probe().over.unwrap())
    };
    assert_eq!(ends(1000), (60, EndReason::GameComplete));
    assert_eq!(ends(60), (60, EndReason::GameComplete));
    assert_eq!(ends(10), (10, EndReason::MaxTicks));
}

#[test]
fn the_worst_player_stays_above_the_floor_and_failing_falls_to_it() {
    for seed in 0..20 {
        let mut table = table(&json!({}), 60, seed);
        while table.probe().over.is_none() {
            let wrong = table.state().world.answer().map(|right| answer((right + 1) % 16));
            play(&mut table, wrong.unwrap_or(json!([])));
        }
        assert!(*table.probe().scores.get(ALONE).unwrap() > FLOOR);
    }
    let mut table = table(&json!({}), 60, 1);
    table.fail(ALONE, "left");
    assert_eq!(*table.probe().scores.get(ALONE).unwrap() as i32, -20);
    assert_eq!(table.probe().over, Some(EndReason::PolicyFailed));
}

/// What is told or asked in one tick is in no observation of another: nothing but the notepad says what came before.
#[test]
fn past_ticks_are_not_shown_again() {
    for seed in 0..10 {
        let [mut one, mut other] = [seed, seed + 100].map(|seed| table(&json!({}), 60, seed));
        // Two worlds that tell different things up to here look alike but for what they tell now.
        for _ in 0..20 {
            play(&mut one, json!([]));
            play(&mut other, json!([]));
        }
        let strip = |table: &Table<SpeRecall>| {
            let mut seen = observation(table);
            let members = seen.as_object_mut().unwrap();
            for now in ["facts", "query", "keys", "_action_space"] {
                members.remove(now);
            }
            seen
        };
        assert_eq!(strip(&one), strip(&other));
    }
}

fn scores(name: &str, config: &Value, matches: u64) -> Vec<f64> {
    let players = SeatMap::from_iter([(ALONE, name)]);
    let score = |seed| {
        let setup = MatchSetup { config, seats: 1, max_ticks: 60, seed };
        let order = Playout {
            players: &players,
            players_stream: seed,
            chance_stream: None,
            first: None,
            max_ticks: 60,
        };
        *SpeRecall.start(&setup).unwrap().playout(&order).unwrap().scores.get(ALONE).unwrap()
    };
    (0..matches).map(score).collect()
}

#[test]
fn codes_of_two_bytes_remember_everything() {
    for difficulty in [0.0, 0.45, 1.0] {
        let scores = scores("codebook", &json!({"difficulty": difficulty}), 30);
        assert!(scores.iter().all(|score| [90, 95].contains(&(*score as i32))), "{scores:?}");
    }
}

#[test]
fn the_ladder_climbs() {
    let mean = |name: &str| scores(name, &json!({}), 60).iter().sum::<f64>() / 60.0;
    let means = ["random", "silent", "log", "table", "initials", "codes", "codebook"].map(mean);
    assert!(means.is_sorted(), "{means:?}");
    // One of 16 guesses is right: 5/16 - 15/16 each.
    assert!((-16.0..-7.0).contains(&means[0]) && means[1].abs() < 1e-9, "{means:?}");
}

#[test]
fn a_match_of_silent_seats_never_plays_differently() {
    let setup = MatchSetup { config: &json!({}), seats: 1, max_ticks: 12, seed: 7 };
    let mut play = SpeRecall.start(&setup).unwrap();
    let mut lines = Vec::new();
    while play.probe().over.is_none() {
        let mut bytes = Vec::new();
        play.observe(ALONE, &[], &mut bytes);
        let seen: Value = serde_json::from_slice(&bytes).unwrap();
        lines.push(format!("{} facts {} query {}", seen["tick"], seen["facts"], seen["query"]));
        play.submit(&SeatMap::default());
    }
    insta::assert_snapshot!(lines.join("\n"));
}
