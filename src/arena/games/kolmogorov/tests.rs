use super::payload::draw;
use super::*;
use crate::arena::engine::table::Table;
use crate::arena::engine::{Game, Input, MatchSetup, Play, Verdict};

const ME: Seat = Seat::new(0);

fn table(config: &Value, seed: u64) -> Table<Kolmogorov> {
    Table::start(&MatchSetup { config, seats: 1, max_ticks: 16, seed }).unwrap()
}

fn seen(table: &Table<Kolmogorov>) -> Value {
    let mut bytes = Vec::new();
    table.observe(ME, &[], &mut bytes);
    serde_json::from_slice(&bytes).unwrap()
}

fn play(table: &mut Table<Kolmogorov>, action: &str, text: &str) -> f64 {
    let input = Input::Act(json!({"action": action, "text": text}));
    let report = table.submit(&[(ME, input)].into_iter().collect());
    let report = report.seats.get(ME).unwrap();
    assert_eq!(report.verdict, Some(Verdict::Applied));
    report.reward
}

/// Plays a match: what is noted of a payload, and what is said from note and payload.
fn rewards(config: &Value, note: fn(&str) -> String, answer: fn(&str, &str) -> String) -> Vec<f64> {
    let mut table = table(config, 5);
    let mut payloads = std::collections::HashMap::new();
    let mut rewards = Vec::new();
    while table.probe().over.is_none() {
        let seen = seen(&table);
        let round = seen["round"].as_u64().unwrap();
        if let Some(payload) = seen["payload"].as_str() {
            payloads.insert(round, payload.to_owned());
            assert_eq!(play(&mut table, "note", &note(payload)).to_bits(), 0, "a note earns nothing yet");
        } else {
            rewards.push(play(
                &mut table,
                "emit",
                &answer(seen["note"].as_str().unwrap(), &payloads[&round]),
            ));
        }
    }
    assert_eq!(rewards.len(), ROUNDS);
    rewards
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

#[test]
fn zlib_takes_what_it_was_measured_to_take() {
    // arena.md §3.8, 512 symbols: period-7 20, LFSR 24, Fibonacci word 34, low-entropy Markov 185, random 253, plain 192.
    let zlib = |symbols: &[u8]| zlib_bytes(&payload::text(symbols));
    let mut rng = Pcg::new(1);
    let fibonacci = Pattern::Growth { system: 0, letters: [0, 1, 2] }.symbols(512);
    let period = Pattern::Period(vec![3, 1, 4, 1, 5, 0, 2]).symbols(512);
    let register = Pattern::Register { length: 4, taps: 0b0011, start: 1, letters: [0, 1] }.symbols(512);
    let markov = payload::markov(&mut rng, 512, 30);
    let random: Vec<u8> = (0..512).map(|_| rng.below(8) as u8).collect();
    for (symbols, known) in [(period, 20), (register, 24), (fibonacci, 34), (markov, 185), (random, 253)] {
        let bytes = zlib(&symbols);
        assert!((known * 2 / 3..=known * 3 / 2).contains(&bytes), "{bytes}, known {known}");
    }
    assert_eq!([plain_bytes(512), plain_bytes(266), plain_bytes(64)], [192, 100, 24]);
}

#[test]
fn difficulty_sets_the_length_and_is_bounded() {
    for (difficulty, length) in [(0.0, 64), (0.45, 266), (1.0, 512)] {
        let payload = seen(&table(&json!({"difficulty": difficulty}), 1))["payload"].clone();
        assert_eq!(payload.as_str().unwrap().len(), length);
    }
    assert_eq!(seen(&table(&json!({}), 1))["length"], 266);
    for bad in [json!(1.01), json!(-0.1), json!("hard"), json!(null)] {
        let config = json!({"difficulty": bad});
        let setup = MatchSetup { config: &config, seats: 1, max_ticks: 16, seed: 1 };
        assert!(Table::<Kolmogorov>::start(&setup).is_err(), "{config}");
    }
}

#[test]
fn an_exact_answer_earns_what_the_note_saves() {
    let all = rewards(&json!({}), |_| "0123456789".to_owned(), |_, payload| payload.to_owned());
    // 10 of 100 bytes: 90 % of 12.5 points, and a point where half of the packed payload is more than 10 bytes.
    assert!(all.iter().all(|&reward| close(reward, 11.25) || close(reward, 12.25)), "{all:?}");
    assert!(all.iter().any(|&reward| close(reward, 12.25)), "{all:?}");
    let empty = rewards(&json!({}), |_| String::new(), |_, payload| payload.to_owned());
    assert!(empty.iter().all(|&reward| close(reward, 13.5)), "{empty:?}");
}

#[test]
fn an_answer_of_another_length_earns_nothing_and_neither_does_a_note_as_long_as_plain_packing() {
    for answer in [
        |_: &str, payload: &str| format!("{payload}A"),
        |_: &str, payload: &str| payload[1..].to_owned(),
        |_: &str, _: &str| String::new(),
    ] {
        assert!(rewards(&json!({}), |_| String::new(), answer).iter().all(|&reward| close(reward, 0.0)));
    }
    let long = rewards(&json!({}), |_| "x".repeat(100), |_, payload| payload.to_owned());
    assert!(long.iter().all(|&reward| close(reward, 0.0)), "{long:?}");
}

#[test]
fn right_places_count_and_foreign_letters_are_wrong() {
    let half = |_: &str, payload: &str| format!("{}{}", &payload[..133], "z".repeat(133));
    let all = rewards(&json!({}), |_| String::new(), half);
    assert!(all.iter().all(|&reward| close(reward, 6.25)), "{all:?}");
}

#[test]
fn payload_and_note_are_never_shown_together_and_the_order_is_that_of_the_option() {
    let phases = |config: &Value| {
        let mut table = table(config, 9);
        let mut phases = Vec::new();
        while table.probe().over.is_none() {
            let seen = seen(&table);
            assert_eq!(seen.get("payload").is_some(), seen["phase"] == "encode");
            assert_eq!(seen.get("note").is_some(), seen["phase"] == "decode");
            phases.push((seen["phase"] == "encode", seen["round"].as_u64().unwrap()));
            table.submit(&SeatMap::default());
        }
        let last = seen(&table);
        assert!(last.get("payload").is_none() && last.get("note").is_none() && last["phase"] == "over");
        phases
    };
    let apart = phases(&json!({}));
    assert_eq!(apart[..8], std::array::from_fn::<_, 8, _>(|nth| (true, nth as u64 + 1)));
    let mut decoded: Vec<u64> = apart[8..].iter().map(|(_, round)| *round).collect();
    assert_ne!(decoded, [1, 2, 3, 4, 5, 6, 7, 8], "the order is drawn");
    decoded.sort_unstable();
    assert_eq!(decoded, [1, 2, 3, 4, 5, 6, 7, 8]);
    let together: Vec<(bool, u64)> = (1..=8).flat_map(|round| [(true, round), (false, round)]).collect();
    assert_eq!(phases(&json!({"interleave": true})), together);
}

#[test]
fn the_wrong_verb_and_a_note_that_is_too_long_are_rejected() {
    let mut table = table(&json!({}), 3);
    let judge = |table: &Table<Kolmogorov>, action: Value| table.judge(ME, &action).is_ok();
    assert!(!judge(&table, json!({"action": "emit", "text": "A"})));
    assert!(!judge(&table, json!({"action": "note"})));
    assert!(!judge(&table, json!({"action": "note", "text": 7})));
    assert!(!judge(&table, json!({"action": "note", "text": "x".repeat(267)})));
    // Bytes count, not characters.
    assert!(!judge(&table, json!({"action": "note", "text": "é".repeat(134)})));
    assert!(judge(&table, json!({"action": "note", "text": "é".repeat(133)})));
    for _ in 0..ROUNDS {
        play(&mut table, "note", "");
    }
    assert!(!judge(&table, json!({"action": "note", "text": ""})));
    assert!(judge(&table, json!({"action": "emit", "text": "too short"})));
}

#[test]
fn at_most_one_payload_of_eight_is_random() {
    let mut n_random = 0;
    for seed in 0..300 {
        let mut table = table(&json!({"difficulty": 0}), seed);
        while table.state().phase == Phase::Encode {
            play(&mut table, "note", "");
        }
        let random = table.state().rounds.iter().filter(|round| round.payload.is_random).count();
        assert!(random <= 1, "seed {seed}: {random}");
        n_random += random;
    }
    // 1 - (7/8)^8 of the matches have one.
    assert!((165..230).contains(&n_random), "{n_random} of 300");
}

#[test]
fn payloads_have_their_length_and_letters_at_every_difficulty() {
    let mut rng = Pcg::new(4);
    for step in 0..=50 {
        let difficulty = Difficulty::try_from(f64::from(step) / 50.0).unwrap();
        for length in [64, 266, 512] {
            let symbols = draw(&mut rng, length, difficulty, true).symbols;
            assert!(symbols.len() == length && symbols.iter().all(|&symbol| symbol < LETTERS));
            let kinds: std::collections::BTreeSet<u8> = symbols.into_iter().collect();
            assert!(kinds.len() > 1 || length == 64, "a payload of one letter");
        }
    }
}

#[test]
fn growing_words_begin_as_they_are_known_to() {
    let word = |system| payload::text(&Pattern::Growth { system, letters: [0, 1, 2] }.symbols(13));
    // OEIS A003849, A010060, A096268, A080843.
    assert_eq!([0, 1, 2, 3].map(word), ["ABAABABAABAAB", "ABBABAABBAABA", "ABAAABABABAAA", "ABACABAABACAB"]);
}

#[test]
fn rule_110_and_a_register_go_as_they_are_known_to() {
    let rows = Pattern::Automaton { rule: 110, width: 5, start: 0b1_0000, letters: [0, 1] };
    assert_eq!(payload::text(&rows.symbols(20)), "AAAABAAABBAABBBABBAB");
    // x³ + x + 1: seven bits, all but 000 as windows.
    let bits = Pattern::Register { length: 3, taps: 0b011, start: 0b001, letters: [0, 1] }.symbols(14);
    assert_eq!(bits[..7], bits[7..]);
    assert_eq!(bits[..7].iter().sum::<u8>(), 4);
}

#[test]
fn a_redeal_changes_what_was_shown_before_and_a_new_stream_what_is_still_to_come() {
    let mut table = table(&json!({}), 6);
    play(&mut table, "note", "first");
    let mut other = table.state().clone();
    Kolmogorov::redeal(&mut other, ME, &mut Pcg::new(1));
    assert_ne!(other.rounds[0].payload, table.state().rounds[0].payload);
    assert_eq!(other.rounds[1].payload, table.state().rounds[1].payload);
    Kolmogorov::reseed(&mut other, 1);
    let mut twin = table.clone();
    twin.reseed(1);
    assert_eq!(twin.state().rounds, table.state().rounds, "what is shown now stays");
    play(&mut twin, "note", "second");
    play(&mut table, "note", "second");
    assert_ne!(twin.state().rounds[2], table.state().rounds[2]);
}

#[test]
fn the_example_of_the_prompt_earns_what_it_says() {
    let texts: Vec<Value> = SPEC
        .prompt
        .split("```json")
        .skip(1)
        .map(|part| serde_json::from_str(part.split("```").next().unwrap()).unwrap())
        .collect();
    let answer = texts[1][0]["text"].as_str().unwrap();
    assert_eq!(payload::text(&Pattern::Period(vec![2, 0, 3]).symbols(16)), answer);
    // A third of 12.5 points at 6 bytes, 96 % at 100.
    assert_eq!((plain_bytes(16), worth(16, 4, 16), worth(266, 4, 266)), (6, 41_667, 120_000));
}

#[test]
fn a_match_of_the_best_player_never_plays_differently() {
    // If this changes, `game_version` has to.
    let setup = MatchSetup { config: &json!({}), seats: 1, max_ticks: 16, seed: 7 };
    let mut play = Game::start(&Kolmogorov, &setup).unwrap();
    let mut player = Game::player(&Kolmogorov, "model", 1).unwrap();
    let mut lines = Vec::new();
    while play.probe().over.is_none() {
        let mut bytes = Vec::new();
        play.observe(ME, &[], &mut bytes);
        lines.push(String::from_utf8(bytes).unwrap());
        let action = player.act(&*play, ME);
        play.submit(&[(ME, Input::Act(action))].into_iter().collect());
    }
    lines.push(format!("{:?}", play.probe().scores.get(ME)));
    insta::assert_snapshot!(lines.join("\n"));
}
