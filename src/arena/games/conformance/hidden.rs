//! What is hidden from a seat stays hidden: neither observations nor built-in players tell of it.

use super::*;
use crate::arena::engine::Player;

/// Few, since every player of every game is asked twice, some of them for a long time.
const TICKS: u32 = 16;

#[test]
fn nothing_a_seat_is_shown_depends_on_what_is_hidden_from_it() {
    for game in GAMES {
        let spec = game.spec();
        for seats in [spec.default_seats, most_seats(*game)] {
            let check = |play: &dyn Play| {
                for viewer in Seat::first(seats) {
                    let stream = mix(&[play.digest(), viewer.index() as u64]);
                    let other = play.redeal(viewer, stream);
                    let shown = |play| String::from_utf8(observe(play, viewer)).unwrap();
                    assert_eq!(shown(play), shown(&*other), "{} {viewer}", spec.slug);
                    assert_eq!(play.probe(), other.probe(), "{}", spec.slug);
                }
            };
            let mut play = start(*game, seats, HORIZON, 33);
            check(&*play);
            play_out(*game, &mut *play, 34, |play, _, _| check(play));
        }
    }
}

#[test]
fn no_built_in_player_decides_by_what_it_cannot_see() {
    for game in GAMES {
        let spec = game.spec();
        for bot in game.bots() {
            // Two of a kind for each seat: one plays, the other is asked what it would do in a match that looks the
            // same to it, all along, so that what they remember is compared as well.
            let [mut here, mut elsewhere]: [SeatMap<Box<dyn Player>>; 2] = [(); 2].map(|()| {
                let player = |seat| (seat, game.player(bot.name, 36).unwrap());
                Seat::first(spec.default_seats).map(player).collect()
            });
            let mut play = start(*game, spec.default_seats, spec.canonical_ticks, 35);
            while play.probe().over.is_none() && play.probe().tick < TICKS {
                let mut inputs = SeatMap::default();
                for seat in play.probe().turn.seats().iter() {
                    let other = play.redeal(seat, mix(&[play.digest(), seat.index() as u64]));
                    let action = here.get_mut(seat).unwrap().act(&*play, seat);
                    let there = elsewhere.get_mut(seat).unwrap().act(&*other, seat);
                    assert_eq!(there, action, "{} {}", spec.slug, bot.name);
                    inputs.insert(seat, Input::Act(action));
                }
                play.submit(&inputs);
            }
        }
    }
}
