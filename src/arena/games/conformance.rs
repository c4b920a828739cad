//! What every game promises, checked for all that are listed.

mod golden;
mod hidden;
mod isolated;
mod scores;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;
use crate::arena::engine::observation::round4;
use crate::arena::engine::rng::{Pcg, mix};
use crate::arena::engine::seats::{Seat, SeatMap, SeatSet};
use crate::arena::engine::{
    ConfigError, EndReason, Enumeration, Input, MatchSetup, Noop, Play, StepReport, Timing, Verdict,
};

/// Long enough for most of what happens in a game, short enough for an unoptimised build.
const HORIZON: u32 = 60;

fn start(game: &dyn Game, seats: u8, max_ticks: u32, seed: u64) -> Box<dyn Play> {
    let setup = MatchSetup { config: &json!({}), seats, max_ticks, seed };
    game.start(&setup).unwrap_or_else(|err| panic!("{}: {err}", game.spec().slug))
}

fn observe(play: &dyn Play, seat: Seat) -> Vec<u8> {
    let mut bytes = Vec::new();
    play.observe(seat, &[], &mut bytes);
    bytes
}

fn observation(play: &dyn Play, seat: Seat) -> Value {
    serde_json::from_slice(&observe(play, seat)).unwrap()
}

/// What `_action_space` offers.
fn choices(play: &dyn Play, seat: Seat) -> Vec<(Value, f32)> {
    let observation = observation(play, seat);
    let entries = observation["_action_space"].as_array().cloned().unwrap_or_default();
    entries
        .into_iter()
        .map(|entry| (entry["action"].clone(), entry["weight"].as_f64().unwrap() as f32))
        .collect()
}

/// Something legal, drawn by the weights. Where nothing is listed, what the random player does or slips into.
fn random_action(game: &dyn Game, play: &dyn Play, seat: Seat, rng: &mut Pcg) -> Option<Value> {
    if game.spec().enumeration == Enumeration::Absent {
        return Some(game.player("random+eps0.5", rng.next_u64())?.act(play, seat));
    }
    rng.weighted(&choices(play, seat)).cloned()
}

/// Legal inputs for all seats on turn; now and then a seat sends nothing.
fn random_inputs(game: &dyn Game, play: &dyn Play, rng: &mut Pcg) -> SeatMap<Input> {
    let mut inputs = SeatMap::default();
    for seat in play.probe().turn.seats().iter() {
        let input = match random_action(game, play, seat, rng) {
            Some(action) if !rng.one_in(10) => Input::Act(action),
            _ => Input::Pass,
        };
        inputs.insert(seat, input);
    }
    inputs
}

/// Plays at random until the match is over and shows each step to `look`.
fn play_out(
    game: &dyn Game,
    play: &mut dyn Play,
    stream: u64,
    mut look: impl FnMut(&dyn Play, &SeatMap<Input>, &StepReport),
) {
    let mut rng = Pcg::new(stream);
    while play.probe().over.is_none() {
        let inputs = random_inputs(game, play, &mut rng);
        let report = play.submit(&inputs);
        look(play, &inputs, &report);
    }
}

fn most_seats(game: &dyn Game) -> u8 {
    *game.spec().seats.last().unwrap()
}

#[test]
fn catalogue_entries_are_complete_and_tags_are_in_the_taxonomy() {
    let slugs: BTreeSet<_> = GAMES.iter().map(|game| game.spec().slug).collect();
    assert_eq!(slugs.len(), GAMES.len(), "a slug is used twice");
    for game in GAMES {
        let spec = game.spec();
        assert_eq!(find(spec.slug).map(|found| found.spec().slug), Some(spec.slug));
        assert!(spec.seats.is_sorted() && spec.seats.contains(&spec.default_seats), "{}", spec.slug);
        assert!(spec.canonical_ticks >= 1 && spec.tick_ms >= 1 && spec.first_tick_ms >= spec.tick_ms);
        assert!(spec.score_version.starts_with("arena-"), "{}", spec.slug);
        for tag in spec.tags {
            assert!(
                TAXONOMY.iter().any(|group| group.tags.contains(tag)),
                "{}: unknown tag {tag}",
                spec.slug
            );
        }
        for name in EXCLUSIVE_GROUPS {
            let group = TAXONOMY.iter().find(|group| group.name == *name).unwrap();
            let n_tags = spec.tags.iter().filter(|tag| group.tags.contains(tag)).count();
            assert_eq!(n_tags, 1, "{}: tags of group {name}", spec.slug);
        }
        assert_eq!(spec.tags.contains(&"turn_based"), spec.timing == Timing::TurnBased, "{}", spec.slug);
        assert_eq!(spec.tags.contains(&"turn_isolated"), spec.turn_isolated, "{}", spec.slug);
        assert_eq!(spec.tags.contains(&"difficulty"), spec.max_difficulty.is_some(), "{}", spec.slug);
        assert_eq!(spec.tags.contains(&"solo"), spec.default_seats == 1, "{}", spec.slug);
    }
}

#[test]
fn prompts_say_arena_edition_first_and_have_the_four_sections_in_order() {
    for game in GAMES {
        let prompt = game.spec().prompt;
        assert!(prompt.lines().next().unwrap().contains("Arena edition"), "{}", game.spec().slug);
        let places: Vec<Option<usize>> = ["Overview", "Objectives", "Mechanics", "Examples"]
            .iter()
            .map(|section| {
                prompt
                    .lines()
                    .position(|line| line.trim_start_matches('#').trim() == *section && line.starts_with('#'))
            })
            .collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{}: {places:?}", game.spec().slug);
        assert!(!prompt.ends_with(char::is_whitespace), "{}", game.spec().slug);
        assert!(prompt.contains("`[]`"), "{}: says what the empty list does", game.spec().slug);
    }
}

#[test]
fn settings_that_are_not_the_games_are_refused() {
    for game in GAMES {
        let seats = game.spec().default_seats;
        let refused = |config: Value, seats, max_ticks| {
            game.start(&MatchSetup { config: &config, seats, max_ticks, seed: 1 }).err()
        };
        assert!(matches!(refused(json!({"no_such_option": 1}), seats, 9), Some(ConfigError::Config(_))));
        assert!(matches!(refused(json!([]), seats, 9), Some(ConfigError::Config(_))));
        assert!(matches!(refused(json!({}), seats, 0), Some(ConfigError::Config(_))));
        assert!(matches!(refused(json!({}), 9, 9), Some(ConfigError::Seats { seats: 9, .. })));
        assert_eq!(refused(json!({}), seats, 9), None);
    }
}

#[test]
fn a_difficulty_goes_from_nothing_to_the_most_where_there_is_one() {
    for game in GAMES {
        let spec = game.spec();
        let schema = jsonschema::validator_for(&(spec.observation_schema)()).unwrap();
        let play = |difficulty: Value| {
            let config = json!({"difficulty": difficulty});
            game.start(&MatchSetup {
                config: &config,
                seats: spec.default_seats,
                max_ticks: HORIZON,
                seed: 3,
            })
        };
        let Some(most) = spec.max_difficulty else {
            assert!(play(json!(0.45)).is_err(), "{}", spec.slug);
            continue;
        };
        for bad in [json!(-0.01), json!(most + 0.01), json!("0.5"), json!(null)] {
            assert!(matches!(play(bad), Err(ConfigError::Config(_))), "{}", spec.slug);
        }
        let usual = start(*game, spec.default_seats, HORIZON, 3);
        assert_eq!(
            play(json!(0.45)).unwrap().digest(),
            usual.digest(),
            "{}: 0.45 is the usual one",
            spec.slug
        );
        for difficulty in [0.0, most] {
            let mut play = play(json!(difficulty)).unwrap();
            assert_ne!(play.digest(), usual.digest(), "{}", spec.slug);
            play_out(*game, &mut *play, 4, |play, _, _| {
                for seat in Seat::first(spec.default_seats) {
                    let bytes = observe(play, seat);
                    assert!(bytes.len() < 16 << 10, "{}: {} bytes", spec.slug, bytes.len());
                    if let Err(err) = schema.validate(&serde_json::from_slice(&bytes).unwrap()) {
                        panic!("{} at {difficulty}: {err} at {}", spec.slug, err.instance_path());
                    }
                }
            });
        }
    }
}

#[test]
fn one_seed_gives_one_match() {
    for game in GAMES {
        let seats = game.spec().default_seats;
        let digests = |seed| {
            let mut play = start(*game, seats, HORIZON, seed);
            let mut digests = vec![play.digest()];
            play_out(*game, &mut *play, 5, |play, _, _| digests.push(play.digest()));
            digests
        };
        assert_eq!(digests(3), digests(3), "{}", game.spec().slug);
    }
}

#[test]
fn a_log_of_inputs_replays_to_the_same_digest_at_every_tick() {
    for game in GAMES {
        let seats = game.spec().default_seats;
        let mut play = start(*game, seats, HORIZON, 11);
        let mut log = Vec::new();
        play_out(*game, &mut *play, 12, |play, inputs, report| {
            log.push((inputs.clone(), play.digest(), report.clone()));
        });
        // The same, but the last seat to act in it goes bad in the middle.
        let mut broken = log.split_at(log.len() / 2).0.to_vec();
        if let Some(last) = broken.last_mut() {
            last.0 = last.0.iter().map(|(seat, _)| (seat, Input::Act(json!("nonsense")))).collect();
        }
        for inputs in
            [log.iter().map(|step| &step.0).collect::<Vec<_>>(), broken.iter().map(|step| &step.0).collect()]
        {
            let [mut one, mut other] = [(); 2].map(|()| start(*game, seats, HORIZON, 11));
            for inputs in inputs {
                assert_eq!(one.submit(inputs), other.submit(inputs), "{}", game.spec().slug);
                assert_eq!(one.digest(), other.digest(), "{}", game.spec().slug);
            }
        }
        let mut replay = start(*game, seats, HORIZON, 11);
        for (inputs, digest, report) in &log {
            assert_eq!(&replay.submit(inputs), report, "{}", game.spec().slug);
            assert_eq!(replay.digest(), *digest, "{}", game.spec().slug);
        }
        assert_eq!(replay.probe(), play.probe());
    }
}

#[test]
fn a_fork_goes_on_like_the_original() {
    for game in GAMES {
        let mut play = start(*game, game.spec().default_seats, HORIZON, 21);
        let mut rng = Pcg::new(22);
        for _ in 0..5 {
            let inputs = random_inputs(*game, &*play, &mut rng);
            play.submit(&inputs);
        }
        let mut fork = play.fork();
        let before = fork.digest();
        play_out(*game, &mut *play, 23, |_, _, _| ());
        assert_eq!(fork.digest(), before, "{}: playing on changed the fork", game.spec().slug);
        play_out(*game, &mut *fork, 23, |_, _, _| ());
        assert_eq!(fork.digest(), play.digest(), "{}", game.spec().slug);
        for seat in Seat::first(game.spec().default_seats) {
            assert_eq!(observation(&*fork, seat), observation(&*play, seat), "{}", game.spec().slug);
        }
    }
}

#[test]
fn nonsense_is_told_apart_and_judging_changes_nothing() {
    for game in GAMES {
        let spec = game.spec();
        let play = start(*game, spec.default_seats, HORIZON, 31);
        let (seat, before) = (play.probe().turn.seats().iter().next().unwrap(), play.digest());
        for malformed in [json!(null), json!(3), json!("up"), json!(["up"]), json!([{}, 1]), json!([[]])] {
            assert!(
                matches!(play.judge(seat, &malformed), Err(Verdict::Malformed(_))),
                "{}: {malformed}",
                spec.slug
            );
        }
        for rejected in [json!({}), json!([{}]), json!({"action": "no_such_action"}), json!({"action": 7})] {
            let verdict = play.judge(seat, &rejected);
            let Err(Verdict::Rejected(reasons)) = verdict else {
                panic!("{}: {rejected} is {verdict:?}", spec.slug)
            };
            assert!(!reasons.is_empty() && reasons.iter().all(|reason| !reason.is_empty()), "{}", spec.slug);
        }
        assert_eq!(play.judge(seat, &json!([])).is_ok(), spec.noop != Noop::None, "{}", spec.slug);
        for (action, _) in choices(&*play, seat) {
            let listed = if action.is_array() { action.clone() } else { json!([action]) };
            assert_eq!(play.judge(seat, &action), play.judge(seat, &listed), "{}", spec.slug);
        }
        assert_eq!(play.digest(), before, "{}: judging changed the match", spec.slug);
    }
}

#[test]
fn a_bad_input_takes_the_seat_out_and_off_turn_inputs_are_ignored() {
    for game in GAMES {
        let spec = game.spec();
        for bad in [
            Input::Act(json!(1)),
            Input::Act(json!({"action": "no_such_action"})),
            Input::Fail("gone".into()),
        ] {
            let mut play = start(*game, spec.default_seats, HORIZON, 41);
            let on_turn = play.probe().turn.seats();
            let culprit = on_turn.iter().next().unwrap();
            let off_turn = SeatSet::first(spec.default_seats).without(on_turn);
            let mut inputs: SeatMap<Input> = off_turn.iter().map(|seat| (seat, bad.clone())).collect();
            inputs.insert(culprit, bad.clone());
            let report = play.submit(&inputs);
            let verdict = report.seats.get(culprit).unwrap().verdict.clone();
            assert!(
                matches!(verdict, Some(Verdict::Malformed(_) | Verdict::Rejected(_) | Verdict::Failed(_))),
                "{}: {verdict:?}",
                spec.slug
            );
            let probe = play.probe();
            assert_eq!(
                (probe.failed, probe.eliminated),
                (SeatSet::one(culprit), SeatSet::EMPTY),
                "{}",
                spec.slug
            );
            assert!(!probe.turn.seats().contains(culprit));
            assert!(observation(&*play, culprit).get("_action_space").is_none(), "{}", spec.slug);
            for seat in off_turn.iter() {
                assert_eq!(report.seats.get(seat).unwrap().verdict, None, "{}", spec.slug);
            }
            let standing = *play.standings().get(culprit).unwrap();
            assert_eq!(standing.rank, u32::from(spec.default_seats), "{}: the failed come last", spec.slug);
            assert_eq!(standing.outcome, "lost");
        }
    }
}

#[test]
fn when_every_seat_fails_at_once_the_match_ends_as_failed() {
    for game in GAMES.iter().filter(|game| game.spec().timing == Timing::Simultaneous) {
        for &seats in game.spec().seats {
            let mut play = start(*game, seats, HORIZON, 45);
            let inputs = Seat::first(seats).map(|seat| (seat, Input::Fail("gone".into()))).collect();
            assert_eq!(play.submit(&inputs).over, Some(EndReason::PolicyFailed), "{}", game.spec().slug);
            assert_eq!(play.probe().failed, SeatSet::first(seats));
            let digest = play.digest();
            play.submit(&inputs);
            play.fail(Seat::new(0), "again");
            assert_eq!(play.digest(), digest, "{}: nothing happens after the end", game.spec().slug);
        }
    }
}

#[test]
fn observations_and_actions_fit_their_schemas() {
    for game in GAMES {
        let spec = game.spec();
        let schema = jsonschema::validator_for(&(spec.observation_schema)()).unwrap();
        let action_schema = jsonschema::validator_for(&(spec.action_schema)()).unwrap();
        let mut seat_counts = vec![spec.seats[0], spec.default_seats, most_seats(*game)];
        seat_counts.dedup();
        for seats in seat_counts {
            let check = |play: &dyn Play| {
                let probe = play.probe();
                for seat in Seat::first(seats) {
                    let bytes = observe(play, seat);
                    assert!(bytes.len() < 16 << 10, "{}: {} bytes", spec.slug, bytes.len());
                    let observation: Value = serde_json::from_slice(&bytes).unwrap();
                    if let Err(err) = schema.validate(&observation) {
                        panic!("{}: {err} at {}", spec.slug, err.instance_path());
                    }
                    let keys: Vec<&String> = observation.as_object().unwrap().keys().collect();
                    assert!(keys.is_sorted(), "{}: {keys:?}", spec.slug);
                    check_numbers(spec.slug, &observation);
                    assert_eq!(observation["seat"], seat.to_string());
                    assert_eq!(observation["tick"], probe.tick);
                    assert_eq!(observation["score"].as_f64(), probe.scores.get(seat).copied());
                    let on_turn = probe.turn.seats().contains(seat);
                    assert_eq!(
                        observation.get("_action_space").is_some(),
                        on_turn && spec.enumeration != Enumeration::Absent,
                        "{}",
                        spec.slug
                    );
                    assert_eq!(
                        observation.get("is_your_turn").and_then(Value::as_bool),
                        (spec.timing == Timing::TurnBased).then_some(on_turn)
                    );
                    for (action, weight) in choices(play, seat) {
                        assert!(weight > 0.0, "{}", spec.slug);
                        let entries = action.as_array().cloned().unwrap_or_else(|| vec![action.clone()]);
                        for entry in &entries {
                            assert!(action_schema.is_valid(entry), "{}: {entry}", spec.slug);
                        }
                        assert_eq!(play.judge(seat, &action), Ok(()), "{}: {action}", spec.slug);
                    }
                }
            };
            let mut play = start(*game, seats, HORIZON, 71);
            check(&*play);
            play_out(*game, &mut *play, 72, |play, inputs, report| {
                for (_, input) in inputs.iter() {
                    let Input::Act(action) = input else { continue };
                    let entries = action.as_array().map_or(std::slice::from_ref(action), Vec::as_slice);
                    assert!(
                        entries.iter().all(|entry| action_schema.is_valid(entry)),
                        "{}: {action}",
                        spec.slug
                    );
                }
                // Every tick would take too long with many seats; the end is always looked at.
                if report.over.is_some() || report.tick % 7 < 2 {
                    check(play);
                }
            });
        }
    }
}

#[test]
fn feedback_is_shown_once_asked_for() {
    for game in GAMES {
        let play = start(*game, game.spec().default_seats, HORIZON, 75);
        let mut bytes = Vec::new();
        play.observe(Seat::new(0), &["too late".to_owned()], &mut bytes);
        let observation: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(observation["_rejection_feedback"], json!(["too late"]));
        assert!(
            jsonschema::is_valid(&(game.spec().observation_schema)(), &observation),
            "{}",
            game.spec().slug
        );
    }
}

#[test]
fn every_match_ends_within_its_horizon() {
    for game in GAMES {
        let spec = game.spec();
        for &seats in spec.seats {
            for max_ticks in [1, 7, spec.canonical_ticks] {
                let mut play = start(*game, seats, max_ticks, 81);
                let mut last = 0;
                while play.probe().over.is_none() {
                    // Nothing is sent: the table finds something to play.
                    let report = play.submit(&SeatMap::default());
                    assert_eq!(report.tick, last + 1, "{}: a tick is one decision", spec.slug);
                    last = report.tick;
                }
                assert!(last <= max_ticks, "{}: {last} ticks of {max_ticks}", spec.slug);
                assert!(play.probe().turn.seats().is_empty());
                let standings = play.standings();
                assert_eq!(standings.len(), usize::from(seats));
                assert!(standings.iter().any(|(_, standing)| standing.rank == 1));
            }
        }
    }
}

#[test]
fn every_bot_plays_whole_matches_legally() {
    for game in GAMES {
        let spec = game.spec();
        let bots = game.bots();
        assert!(bots.len() >= 6, "{}: with slips a ladder of twelve needs six kinds of players", spec.slug);
        assert_eq!(
            bots.iter().map(|bot| bot.name).collect::<BTreeSet<_>>().len(),
            bots.len(),
            "{}",
            spec.slug
        );
        assert!(game.player("no_such_bot", 0).is_none());
        for bot in bots {
            let mut play = start(*game, spec.default_seats, spec.canonical_ticks.min(HORIZON), 91);
            let seats = Seat::first(spec.default_seats);
            let mut players: SeatMap<_> =
                seats.map(|seat| (seat, game.player(bot.name, 92).unwrap())).collect();
            while play.probe().over.is_none() {
                let mut inputs = SeatMap::default();
                for seat in play.probe().turn.seats().iter() {
                    let action = players.get_mut(seat).unwrap().act(&*play, seat);
                    assert_eq!(play.judge(seat, &action), Ok(()), "{} {}: {action}", spec.slug, bot.name);
                    inputs.insert(seat, Input::Act(action));
                }
                let report = play.submit(&inputs);
                let fine = |verdict: &Option<Verdict>| matches!(verdict, None | Some(Verdict::Applied));
                assert!(
                    report.seats.iter().all(|(_, seat)| fine(&seat.verdict)),
                    "{} {}",
                    spec.slug,
                    bot.name
                );
            }
        }
    }
}

/// The same to the last bit.
fn same(one: f64, other: f64) -> bool {
    one.total_cmp(&other).is_eq()
}

/// Whole numbers have no `.0`, others at most four places; `-0` is `0`.
fn check_numbers(slug: &str, value: &Value) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| check_numbers(slug, item)),
        Value::Object(members) => members.values().for_each(|member| check_numbers(slug, member)),
        Value::Number(number) if number.is_f64() => {
            let float = number.as_f64().unwrap();
            assert!(float.fract() != 0.0 && same(round4(float), float), "{slug}: {number}");
        }
        _ => (),
    }
}
