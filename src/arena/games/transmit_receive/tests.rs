use super::*;
use crate::arena::engine::playout::Playout;
use crate::arena::engine::table::Table;
use crate::arena::engine::{Game, Input, MatchSetup, Play, Verdict};

const P0: Seat = Seat::new(0);
const P1: Seat = Seat::new(1);

fn table(config: &Value, max_ticks: u32, seed: u64) -> Table<TransmitReceive> {
    Table::start(&MatchSetup { config, seats: 2, max_ticks, seed }).unwrap()
}

fn seen(table: &Table<TransmitReceive>, seat: Seat) -> Value {
    let mut bytes = Vec::new();
    table.observe(seat, &[], &mut bytes);
    serde_json::from_slice(&bytes).unwrap()
}

fn play(table: &mut Table<TransmitReceive>, action: Value) -> SeatMap<f64> {
    let seat = table.probe().turn.seats().iter().next().unwrap();
    let report = table.submit(&[(seat, Input::Act(action))].into_iter().collect());
    assert_eq!(report.seats.get(seat).unwrap().verdict, Some(Verdict::Applied));
    report.seats.iter().map(|(seat, report)| (seat, report.reward)).collect()
}

fn send(word: &str) -> Value {
    json!({"action": "send", "scheme": "raw", "word": word})
}

fn guess(text: &str) -> Value {
    json!({"action": "guess", "text": text})
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

/// At the difficulty that is usual.
fn usual() -> Channel {
    Channel::new(Difficulty::default())
}

fn at(difficulty: f64) -> Channel {
    Channel::new(Difficulty::try_from(difficulty).unwrap())
}

#[test]
fn noise_budget_and_par_are_those_of_the_design() {
    // arena.md §3.8: at 0.45 p = 0.1235, raw about 74.5, rep3 about 85.5, par 82.9.
    let channel = usual();
    assert_eq!((channel.noise, channel.budget), (123_500, 27));
    assert!((16.0 * channel.expected(1) - 74.5).abs() < 0.1, "{}", channel.expected(1));
    assert!((16.0 * channel.expected(3) - 85.5).abs() < 0.1, "{}", channel.expected(3));
    assert!(close(channel.par(ROUNDS), 82.9));
    let seen = seen(&table(&json!({}), 32, 1), P0);
    assert_eq!((&seen["noise"], &seen["budget"], &seen["par"]), (&json!(0.1235), &json!(27), &json!(82.9)));
    let ends = [0.0, 1.0].map(at).map(|channel| (channel.noise, channel.budget));
    assert_eq!(ends, [(20_000, 32), (250_000, 20)]);
    // From two thirds on, three copies of eight symbols do not fit.
    assert_eq!([0.666, 0.667, 0.709].map(|difficulty| at(difficulty).budget), [24, 24, 23]);
}

#[test]
fn difficulties_out_of_range_are_refused() {
    for bad in [json!(1.5), json!(-0.01), json!("hard"), json!(null)] {
        let config = json!({"difficulty": bad});
        let setup = MatchSetup { config: &config, seats: 2, max_ticks: 32, seed: 1 };
        assert!(Table::<TransmitReceive>::start(&setup).is_err(), "{config}");
    }
}

#[test]
fn the_channel_changes_its_share_of_symbols_and_never_into_themselves() {
    let (channel, mut rng) = (at(1.0), Pcg::new(1));
    let sent: Word = (0..LONGEST).map(|nth| nth as u8 % SYMBOLS).collect();
    let mut became = [[0_u32; SYMBOLS as usize]; SYMBOLS as usize];
    for _ in 0..2000 {
        let arrived = channel.carry(&sent, &mut rng);
        assert_eq!(arrived.len(), sent.len());
        for (&from, &to) in sent.iter().zip(&arrived) {
            became[usize::from(from)][usize::from(to)] += 1;
        }
    }
    for (from, row) in became.iter().enumerate() {
        // Of 8000 a quarter is changed, into each other symbol as often.
        for (to, &count) in row.iter().enumerate() {
            let expected = if from == to { 6000..=6000 } else { 286..=286 };
            assert!(count.abs_diff(*expected.start()) < 160, "{from} became {to} {count} times");
        }
    }
    // A channel that changes everything leaves nothing as it was.
    let all = Channel { noise: 1_000_000, budget: 32 };
    assert!((0..200).all(|_| sent.iter().zip(all.carry(&sent, &mut rng)).all(|(&from, to)| from != to)));
}

#[test]
fn a_round_earns_by_right_symbols_and_costs_by_those_sent() {
    let mut table = table(&json!({}), 32, 3);
    let message = seen(&table, P0)["message"].as_str().unwrap().to_owned();
    let rewards = play(&mut table, send("ABCDEFGHAB"));
    assert!(rewards.iter().all(|(_, &reward)| close(reward, -0.2)), "both pay");
    let wrong = if message.starts_with('A') { 'B' } else { 'A' };
    let rewards = play(&mut table, guess(&format!("{wrong}{}", &message[1..])));
    assert!(rewards.iter().all(|(_, &reward)| close(reward, 4.375)));
    // The roles are swapped.
    let message = seen(&table, P1)["message"].as_str().unwrap().to_owned();
    play(&mut table, json!([]));
    let rewards = play(&mut table, guess(&message));
    assert!(rewards.iter().all(|(_, &reward)| close(reward, 6.25)));
    assert!(table.probe().scores.iter().all(|(_, &score)| close(score, 10.425)));
    // A guess may be short.
    let message = seen(&table, P0)["message"].as_str().unwrap().to_owned();
    play(&mut table, json!([]));
    assert!(close(*play(&mut table, guess(&message[..3])).get(P1).unwrap(), 1.875));
}

#[test]
fn each_seat_sees_its_own_side_and_only_on_its_turn() {
    let mut table = table(&json!({}), 32, 4);
    let shown = |table: &Table<TransmitReceive>, seat: Seat| {
        let seen = seen(table, seat);
        ["message", "received", "scheme"].map(|member| seen.get(member).is_some())
    };
    assert_eq!([P0, P1].map(|seat| shown(&table, seat)), [[true, false, false], [false; 3]]);
    play(&mut table, json!({"action": "send", "scheme": "custom", "word": "AAAA"}));
    assert_eq!([P0, P1].map(|seat| shown(&table, seat)), [[false; 3], [false, true, true]]);
    assert_eq!(seen(&table, P1)["scheme"], "custom");
    assert_eq!([P0, P1].map(|seat| seen(&table, seat)["role"].clone()), ["transmitter", "receiver"]);
    play(&mut table, guess(""));
    assert_eq!([P0, P1].map(|seat| shown(&table, seat)), [[false; 3], [true, false, false]]);
    assert_eq!([P0, P1].map(|seat| seen(&table, seat)["role"].clone()), ["receiver", "transmitter"]);
}

#[test]
fn words_over_the_budget_foreign_symbols_and_the_other_role_are_rejected() {
    let mut table = table(&json!({}), 32, 5);
    let rejected = |table: &Table<TransmitReceive>, seat, action: Value| {
        matches!(table.judge(seat, &action), Err(Verdict::Rejected(_)))
    };
    assert!(table.judge(P0, &send(&"A".repeat(27))).is_ok());
    for bad in [
        send(&"A".repeat(28)),
        send(&"A".repeat(3000)),
        send("ABI"),
        send("abc"),
        send("A B"),
        send("Ä"),
        json!({"action": "send", "word": "A"}),
        json!({"action": "send", "scheme": "morse", "word": "A"}),
        json!({"action": "send", "scheme": "raw"}),
        guess("ABCDEFGH"),
    ] {
        assert!(rejected(&table, P0, bad.clone()), "{bad}");
    }
    play(&mut table, send("ABCDEFGH"));
    for bad in [guess("ABCDEFGHA"), guess("ABCDEFGX"), send("A"), json!({"action": "guess"})] {
        assert!(rejected(&table, P1, bad.clone()), "{bad}");
    }
}

#[test]
fn a_failed_seat_ends_it_for_both_and_its_partner_is_not_marked() {
    let mut table = table(&json!({}), 32, 6);
    play(&mut table, send("ABCDEFGH"));
    table.fail(P1, "left");
    let probe = table.probe();
    assert_eq!((probe.over, probe.failed), (Some(EndReason::GameComplete), SeatSet::one(P1)));
    assert!(probe.scores.iter().all(|(_, &score)| close(score, -12.0)));
    let standings = table.standings();
    let of = |seat| *standings.get(seat).unwrap();
    assert_eq!((of(P0).rank, of(P0).outcome), (1, "lost"));
    assert_eq!((of(P1).rank, of(P1).outcome), (2, "lost"));
}

#[test]
fn both_have_won_from_par_on_and_lost_below_it() {
    for (n_right, outcome) in [(8, "won"), (3, "lost")] {
        let mut table = table(&json!({}), 32, 7);
        while table.probe().over.is_none() {
            let message = text(&table.state().message);
            play(&mut table, json!([]));
            play(&mut table, guess(&message[..n_right]));
        }
        let standings = table.standings();
        assert!(standings.iter().all(|(_, standing)| (standing.rank, standing.outcome) == (1, outcome)));
    }
    // With time for four rounds, par is for four.
    assert!(close(table(&json!({}), 9, 8).state().par(), usual().par(4)));
}

#[test]
fn a_redeal_leaves_what_is_seen_and_changes_what_is_not() {
    let mut table = table(&json!({}), 32, 9);
    let redealt = |table: &Table<TransmitReceive>, viewer: Seat| {
        let mut state = table.state().clone();
        TransmitReceive::redeal(&mut state, viewer, &mut Pcg::new(1));
        state
    };
    assert_eq!(redealt(&table, P0), *table.state());
    assert_ne!(redealt(&table, P1).message, table.state().message);
    play(&mut table, send("ABCDEFGHABCDEFGH"));
    assert_eq!(redealt(&table, P1).arrived, table.state().arrived);
    assert_ne!(redealt(&table, P0).arrived, table.state().arrived);
}

/// The mean score of matches of a player with itself, and how many messages were read without a wrong symbol.
fn measure(player: &str, difficulty: f64, matches: u64) -> (f64, u64) {
    let config = json!({"difficulty": difficulty});
    let (mut points, mut exact) = (0.0, 0);
    for seed in 0..matches {
        let mut table = table(&config, 32, seed);
        let mut hired = TransmitReceive.player(player, seed).unwrap();
        while table.probe().over.is_none() {
            let message = text(&table.state().message);
            let seat = table.probe().turn.seats().iter().next().unwrap();
            let action = hired.act(&table, seat);
            exact += u64::from(action["text"] == message);
            play(&mut table, action);
        }
        points += table.probe().scores.get(P0).unwrap();
    }
    (points / matches as f64, exact)
}

#[test]
fn raw_and_three_copies_score_what_was_computed() {
    for (player, copies) in [("raw", 1), ("rep3", 3)] {
        let (mean, _) = measure(player, 0.45, 60);
        let expected = 16.0 * usual().expected(copies);
        // A round differs from its mean by less than 1.5 points on average, so 960 rounds by less than 47.
        assert!((mean - expected).abs() < 3.0 * 47.0 / 60.0, "{player}: {mean}, expected {expected}");
    }
}

/// The most messages of a million that any code can bring over without a wrong symbol in `sent` symbols: each has, on
/// average, so many words that may be taken for it as there are words for each message, at best the likeliest ones.
fn most_exact(noise: f64, sent: usize) -> f64 {
    let mut words = 8_f64.powi(sent as i32 - MESSAGE as i32);
    let (mut share, mut patterns) = (0.0_f64, 1.0_f64);
    for wrong in 0..=sent {
        let chance = (1.0 - noise).powi((sent - wrong) as i32) * (noise / 7.0).powi(wrong as i32);
        share += patterns.min(words) * chance;
        words = (words - patterns).max(0.0);
        patterns *= 7.0 * (sent - wrong) as f64 / (wrong + 1) as f64;
    }
    share
}

#[test]
fn no_player_brings_over_more_than_the_channel_carries() {
    // Capacity of the channel in bits a symbol, and the symbols that 24 bits take at least (arena.md §3.9).
    let noise = 0.1235_f64;
    let entropy = -(noise * noise.log2() + (1.0 - noise) * (1.0 - noise).log2());
    let capacity = 3.0 - entropy - noise * 7_f64.log2();
    assert!((24.0 / capacity - 11.35).abs() < 0.01, "{capacity}");
    // With fewer symbols no code is reliable, with twice as many it may be.
    assert!(most_exact(noise, 8) < 0.35 && most_exact(noise, 11) < 0.8 && most_exact(noise, 24) > 0.999);
    for bot in TransmitReceive.bots() {
        let word = |table: &Table<TransmitReceive>| {
            let action = TransmitReceive.player(bot.name, 1).unwrap().act(table, P0);
            action["word"].as_str().unwrap().len()
        };
        let bound = most_exact(noise, word(&table(&json!({}), 32, 1)));
        let (_, exact) = measure(bot.name, 0.45, 20);
        let (share, error) = (exact as f64 / 320.0, (bound * (1.0 - bound) / 320.0).sqrt());
        assert!(share <= bound + 3.0 * error, "{}: {share}, at most {bound}", bot.name);
    }
}

#[test]
fn players_come_weakest_first_and_any_two_can_play() {
    let bots: Vec<&str> = TransmitReceive.bots().iter().map(|bot| bot.name).collect();
    let means: Vec<f64> = bots.iter().map(|name| measure(name, 0.45, 40).0).collect();
    // `parity` and `hamming` are close.
    assert!(means.windows(2).all(|pair| pair[0] < pair[1] + 2.0), "{bots:?} {means:?}");
    assert!(means[0] < 12.0 && means[means.len() - 1] > 90.0, "{means:?}");
    for one in &bots[1..] {
        for other in &bots[1..] {
            let players = [(P0, *one), (P1, *other)].into_iter().collect();
            let order = Playout {
                players: &players,
                players_stream: 1,
                chance_stream: None,
                first: None,
                max_ticks: 32,
            };
            let end = table(&json!({}), 32, 2).playout(&order).unwrap();
            assert!(*end.scores.get(P0).unwrap() > 60.0, "{one} with {other}: {:?}", end.scores);
        }
    }
    for difficulty in [0.0, 0.7, 1.0] {
        for name in &bots {
            measure(name, difficulty, 2);
        }
    }
}

#[test]
fn the_examples_of_the_prompt_are_right() {
    let message = codes::first_symbols(&symbols("HACDBEAG"));
    assert!(SPEC.prompt.contains(&text(&codes::rep3(message))));
    assert_eq!(text(&codes::parity(message, 1)), "HACDBEAGAECBED");
    for (scheme, received) in [(Scheme::Rep3, "HHHAFACCCDDDBBGEEEAAAGGG"), (Scheme::Parity, "HACDBEFGAECBED")]
    {
        assert!(SPEC.prompt.contains(received));
        assert_eq!(codes::read(scheme, &symbols(received)), message);
    }
    // The generator is the one that players use: a half that is a single 1 gives its row.
    for (nth, line) in SPEC.prompt.lines().filter(|line| line.starts_with('g')).enumerate() {
        let mut unit = [0; MESSAGE];
        unit[nth] = 1;
        assert_eq!(line.split_once(": ").unwrap().1, text(&codes::linear(unit, 16)[..16]));
    }
}

#[test]
fn a_match_of_two_players_never_plays_differently() {
    // If this changes, `game_version` has to.
    let mut table = table(&json!({}), 32, 10);
    let mut players: SeatMap<_> = [(P0, "hamming"), (P1, "linear")]
        .map(|(seat, name)| (seat, TransmitReceive.player(name, 1).unwrap()))
        .into_iter()
        .collect();
    let mut lines = Vec::new();
    while table.probe().over.is_none() {
        let seat = table.probe().turn.seats().iter().next().unwrap();
        let mut bytes = Vec::new();
        table.observe(seat, &[], &mut bytes);
        lines.push(String::from_utf8(bytes).unwrap());
        let action = players.get_mut(seat).unwrap().act(&table, seat);
        play(&mut table, action);
    }
    lines.push(format!("{:?}", table.probe().scores.get(P0)));
    insta::assert_snapshot!(lines.join("\n"));
}
