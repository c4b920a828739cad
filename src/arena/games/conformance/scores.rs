//! Scores, rewards, places, and that failing never pays.

use super::*;

/// As [`play_out`], but now and then a seat goes bad.
fn play_out_badly(
    game: &dyn Game,
    play: &mut dyn Play,
    stream: u64,
    mut look: impl FnMut(&dyn Play, &StepReport),
) {
    let mut rng = Pcg::new(stream);
    while play.probe().over.is_none() {
        let mut inputs = random_inputs(game, play, &mut rng);
        for seat in play.probe().turn.seats().iter() {
            if rng.one_in(40) {
                inputs.insert(seat, Input::Fail("gone".into()));
            }
        }
        let report = play.submit(&inputs);
        look(play, &report);
    }
}

#[test]
fn rewards_and_the_initial_score_sum_to_the_final_score() {
    for game in GAMES {
        for &seats in game.spec().seats {
            for goes_bad in [false, true] {
                let mut play = start(*game, seats, HORIZON, 51);
                let mut sums = play.probe().scores;
                let mut add = |report: &StepReport| {
                    for (seat, report) in report.seats.iter() {
                        *sums.get_mut(seat).unwrap() += report.reward;
                    }
                };
                if goes_bad {
                    play_out_badly(*game, &mut *play, u64::from(seats), |_, report| add(report));
                } else {
                    play_out(*game, &mut *play, u64::from(seats), |_, _, report| add(report));
                }
                for (seat, score) in play.probe().scores.iter() {
                    assert!(same(round4(*sums.get(seat).unwrap()), *score), "{} {seat}", game.spec().slug);
                }
            }
        }
    }
}

#[test]
fn failing_never_pays() {
    for game in GAMES {
        let spec = game.spec();
        let seat_counts =
            spec.seats.iter().map(|&seats| (seats, if seats == spec.default_seats { 6 } else { 1 }));
        for (seats, seeds) in seat_counts {
            for seed in 0..seeds {
                failing_never_pays_in(*game, seats, seed);
            }
        }
    }
}

fn failing_never_pays_in(game: &dyn Game, seats: u8, seed: u64) {
    let slug = game.spec().slug;
    let mut play = start(game, seats, HORIZON, seed);
    // What each seat would have had if it had failed at some moment.
    let mut best_failure: SeatMap<f64> = SeatMap::default();
    let mut note = |play: &dyn Play| {
        let probe = play.probe();
        if probe.over.is_some() {
            return;
        }
        for seat in SeatSet::first(probe.player_count).without(probe.failed).iter() {
            let mut fork = play.fork();
            fork.fail(seat, "gives up");
            let failure = *fork.probe().scores.get(seat).unwrap();
            assert!(failure <= *probe.scores.get(seat).unwrap(), "{slug} {seat} at tick {}", probe.tick);
            assert!(
                fork.probe().failed.contains(seat) && !fork.probe().turn.seats().contains(seat),
                "{slug}"
            );
            let best = best_failure.get(seat).map_or(failure, |best| best.max(failure));
            best_failure.insert(seat, best);
        }
    };
    note(&*play);
    play_out(game, &mut *play, mix(&[seed, 61]), |play, _, _| note(play));
    for (seat, score) in play.probe().scores.iter() {
        let failure = *best_failure.get(seat).unwrap();
        assert!(*score >= failure, "{slug} {seat}: {score} < {failure}");
    }
}

#[test]
fn a_probe_never_contradicts_itself() {
    for game in GAMES {
        let slug = game.spec().slug;
        for &seats in game.spec().seats {
            let mut out = SeatSet::EMPTY;
            let mut check = |play: &dyn Play| {
                let probe = play.probe();
                let all = SeatSet::first(seats);
                assert!(
                    probe.eliminated.without(probe.failed).is_empty(),
                    "{slug}: the eliminated are failed"
                );
                assert!(
                    probe.turn.seats().without(all.without(probe.failed)).is_empty(),
                    "{slug}: who is out is asked"
                );
                assert_eq!(probe.over.is_some(), probe.turn.seats().is_empty(), "{slug}");
                assert!(out.without(probe.failed).is_empty(), "{slug}: somebody came back");
                out = probe.failed;
                assert_eq!(probe.scores.len(), usize::from(seats));
                assert!(probe.scores.iter().all(|(_, score)| same(round4(*score), *score)), "{slug}");
            };
            let mut play = start(*game, seats, HORIZON, 65);
            check(&*play);
            play_out_badly(*game, &mut *play, 66 + u64::from(seats), |play, _| check(play));
        }
    }
}

#[test]
fn places_go_by_score_and_the_failed_come_last() {
    for game in GAMES {
        let slug = game.spec().slug;
        for seed in 0..4 {
            let seats = most_seats(*game);
            let mut play = start(*game, seats, HORIZON, seed);
            play_out_badly(*game, &mut *play, mix(&[seed, 67]), |_, _| ());
            let (probe, standings) = (play.probe(), play.standings());
            let failed = probe.failed.without(probe.eliminated);
            let rank = |seat| standings.get(seat).unwrap().rank;
            let score = |seat| *probe.scores.get(seat).unwrap();
            for one in Seat::first(seats) {
                for other in Seat::first(seats) {
                    match (failed.contains(one), failed.contains(other)) {
                        (false, false) => {
                            let by_score = score(other).total_cmp(&score(one));
                            assert_eq!(rank(one).cmp(&rank(other)), by_score, "{slug}: {one} and {other}");
                        }
                        (false, true) => assert!(rank(one) < rank(other), "{slug}: {other} failed"),
                        _ => (),
                    }
                }
                let better = Seat::first(seats).filter(|&other| rank(other) < rank(one)).count();
                assert_eq!(rank(one) as usize, better + 1, "{slug}: ranks are 1, 1, 3");
            }
        }
    }
}
