use serde_json::json;

use super::*;

/// The jumps found in a row of scores of one player, by their moments.
fn jumps(scores: impl IntoIterator<Item = f64>) -> Vec<usize> {
    let mut marks = Marks::default();
    for (nth, score) in scores.into_iter().enumerate() {
        marks.score(nth, nth as u64, &vec![("p0".to_owned(), score)]);
    }
    marks.all().iter().map(|marker| marker.nth).collect()
}

/// Noise of about a normal shape from a fixed generator.
fn noise(count: usize) -> Vec<f64> {
    let mut state = 7_u64;
    let mut uniform = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1_u32 << 31) - 0.5
    };
    (0..count).map(|_| (0..6).map(|_| uniform()).sum()).collect()
}

fn summed(changes: impl IntoIterator<Item = f64>) -> Vec<f64> {
    changes
        .into_iter()
        .scan(0.0, |sum, change| {
            *sum += change;
            Some(*sum)
        })
        .collect()
}

#[test]
fn noise_of_a_market_is_no_jump_and_a_crash_in_it_is_one() {
    let mut changes = noise(2000);
    assert_eq!(jumps(summed(changes.clone())), [0; 0]);
    changes[1200] = -12.0;
    assert_eq!(jumps(summed(changes)), [1200]);
}

#[test]
fn a_quiet_time_does_not_make_ordinary_moves_jumps() {
    let mut changes = noise(900);
    changes[300..600].fill(0.0);
    let found = jumps(summed(changes));
    assert!(found.len() <= 20, "{found:?}");
}

#[test]
fn food_among_steps_and_seldom_captures_are_one_jump_each() {
    // A serpent gets a point a tick and ten more for food.
    let serpent = (0..200).map(|tick| if [50, 55, 90, 140].contains(&tick) { 11.0 } else { 1.0 });
    assert_eq!(jumps(summed(serpent)), [50, 55, 90, 140]);
    let board = (0..200).map(|tick| if [3, 60, 61, 150].contains(&tick) { 5.0 } else { 0.0 });
    assert_eq!(jumps(summed(board)), [3, 60, 61, 150]);
    // A board game that is decided in its last move.
    assert_eq!(jumps([50.0; 13].into_iter().chain([100.0])), [13]);
}

#[test]
fn a_flood_of_small_things_never_takes_away_what_decides_a_match() {
    let mut marks = Marks::default();
    let failed = json!({"type": "player_failed", "player_id": "p1", "reason": "crashed"});
    marks.look(0, 1, &LineKind::Heard(Message::parse(failed.to_string().into())));
    marks.look(0, 1, &LineKind::Linked { up: false, why: Some("reset".into()) });
    marks.bookmark(2, 2, Some("mine".into()));
    let refused = json!({"type": "action_result", "accepted": false, "reasons": ["no"]});
    for nth in 0..10_000 {
        marks.look(nth, 1, &LineKind::Heard(Message::parse(refused.to_string().into())));
    }
    for (nth, score) in summed((0..40).map(|n| if n == 20 { 90.0 } else { 0.0 })).into_iter().enumerate() {
        marks.score(nth, 5, &vec![("p0".to_owned(), score)]);
    }
    let all = marks.all();
    assert_eq!(all.len(), MOST + 3);
    for kind in [MarkerKind::Failed, MarkerKind::Gap, MarkerKind::Bookmark, MarkerKind::Rise] {
        assert_eq!(all.iter().filter(|marker| marker.kind == kind).count(), 1, "{kind:?}");
    }
}

#[cfg(feature = "arena")]
mod games {
    use super::*;
    use crate::arena::engine::rng::Pcg;
    use crate::arena::engine::seats::SeatMap;
    use crate::arena::engine::{Input, MatchSetup};
    use crate::arena::games::find;

    /// Scores by tick of a match of a game, played by its own players, and the markers of it.
    fn markers(slug: &str, seed: u64) -> (usize, Vec<Marker>, Vec<Vec<f64>>) {
        let game = find(slug).unwrap();
        let spec = game.spec();
        // Enough to see how scores move.
        let (seats, max_ticks) = (spec.default_seats, spec.canonical_ticks.min(250));
        let setup = MatchSetup { config: &json!({}), seats, max_ticks, seed };
        let mut play = game.start(&setup).unwrap();
        let mut rng = Pcg::new(seed);
        let mut marks = Marks::default();
        let mut all = Vec::new();
        for nth in 0.. {
            let probe = play.probe();
            let scores: ByPlayer =
                probe.scores.iter().map(|(seat, score)| (seat.to_string(), *score)).collect();
            all.push(scores.iter().map(|(_, score)| *score).collect());
            marks.score(nth, nth as u64, &scores);
            if probe.over.is_some() {
                break;
            }
            let mut inputs = SeatMap::default();
            for seat in probe.turn.seats().iter() {
                let mut bytes = Vec::new();
                play.observe(seat, &[], &mut bytes);
                let seen: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
                let entries = seen["_action_space"].as_array().map_or(&[][..], Vec::as_slice);
                let choices: Vec<_> = entries
                    .iter()
                    .map(|entry| (&entry["action"], entry["weight"].as_f64().unwrap_or(1.0) as f32))
                    .collect();
                let input =
                    rng.weighted(&choices).map_or(Input::Pass, |action| Input::Act((**action).clone()));
                inputs.insert(seat, input);
            }
            play.submit(&inputs);
        }
        (all.len(), marks.all().to_vec(), all)
    }

    #[test]
    fn a_market_has_few_jumps() {
        for seed in 1..3 {
            let (ticks, found, scores) = markers("market_simulator", seed);
            assert!(found.len() * 25 < ticks * scores[0].len(), "{} of {ticks}: {found:#?}", found.len());
        }
    }

    #[test]
    fn each_meal_of_a_serpent_after_its_first_steps_is_a_jump() {
        for seed in 1..4 {
            let (_, found, scores) = markers("grid_serpents", seed);
            for seat in 0..scores[0].len() {
                let expected: Vec<usize> = (1..scores.len())
                    .filter(|nth| (scores[*nth][seat] - scores[nth - 1][seat]).abs() > 5.0)
                    .collect();
                let name = format!("p{seat} ");
                let marked: Vec<usize> = found
                    .iter()
                    .filter(|marker| marker.text.starts_with(&name))
                    .map(|marker| marker.nth)
                    .collect();
                assert!(
                    expected.iter().filter(|nth| **nth > 3).all(|nth| marked.contains(nth)),
                    "{expected:?} {marked:?}"
                );
                assert!(marked.len() <= expected.len() + 3, "{expected:?} {marked:?}");
            }
        }
    }

    #[test]
    fn a_board_game_is_decided_once() {
        let (ticks, found, _) = markers("connect_four", 3);
        assert!(found.iter().all(|marker| marker.nth + 1 == ticks), "{found:#?}");
        assert_eq!(found.len(), 2);
    }
}
