use super::*;
use crate::arena::engine::seats::SeatMap;
use crate::arena::engine::{Rules, Turn};
use crate::arena::games::grid_serpents::Config;

fn bot(name: &str, stream: u64) -> Box<dyn Bot<GridSerpents>> {
    (ALL.iter().find(|spec| spec.name == name).unwrap().make)(stream)
}

/// Mean scores of two bots that share the four seats of some short matches, seats rotated.
fn series(strong: &str, weak: &str, matches: u64) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for seed in 0..matches {
        let mut state = GridSerpents::init(&Config::default(), 4, 150, seed).unwrap();
        let side = |seat: Seat| (seat.index() + seed as usize) % 2;
        let mut players: Vec<_> = Seat::first(4)
            .map(|seat| bot([strong, weak][side(seat)], seed * 4 + seat.index() as u64))
            .collect();
        while let Turn::All(seats) = GridSerpents::turn(&state) {
            let actions: SeatMap<Action> = seats
                .iter()
                .map(|seat| (seat, players[seat.index()].act(&GridSerpents::view(&state, seat))))
                .collect();
            GridSerpents::apply(&mut state, &actions, &mut NoEvents);
        }
        for seat in Seat::first(4) {
            sums[side(seat)] += GridSerpents::score(&state, seat) / (2 * matches) as f64;
        }
    }
    sums
}

#[test]
fn each_rung_beats_the_one_two_below() {
    // Few matches each, so that an unoptimised build does it in a second or two; the gaps are wide.
    for (rungs, matches) in ALL.windows(3).zip([12, 8, 4, 4]) {
        let (weak, strong) = (rungs[0].name, rungs[2].name);
        let [better, worse] = series(strong, weak, matches);
        assert!(better > 1.2 * worse, "{strong} v {weak}: {better} to {worse}");
    }
}

#[test]
fn territory_and_a_look_ahead_beat_room_alone() {
    let [better, worse] = series("wary", "flood", 16);
    assert!(better > 1.1 * worse, "{better} to {worse}");
}

#[test]
fn all_but_the_random_one_keep_off_sure_death() {
    let position =
        crate::arena::games::grid_serpents::position::tests::position(&[&[(0, 0), (0, 1), (0, 2)]], &[]);
    for name in ["safe", "greedy", "scout", "flood", "wary"] {
        for stream in 0..8 {
            let action = bot(name, stream).act(&View { position: &position, me: 0 });
            assert_eq!(action, Action::Move { direction: Direction::Right }, "{name}");
        }
    }
}

#[test]
fn those_that_look_for_room_do_not_enter_a_dead_end() {
    // Left is a pocket of one cell, right is open; food lies in the pocket.
    let position = crate::arena::games::grid_serpents::position::tests::position(
        &[&[(1, 0), (1, 1), (0, 1), (0, 2), (0, 3), (0, 4)]],
        &[(0, 0)],
    );
    for (name, way) in [("greedy", Direction::Left), ("flood", Direction::Right), ("wary", Direction::Right)]
    {
        let action = bot(name, 1).act(&View { position: &position, me: 0 });
        assert_eq!(action, Action::Move { direction: way }, "{name}");
    }
}
