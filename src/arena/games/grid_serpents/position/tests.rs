use serde_json::Value;

use super::Direction::{Down, Left, Right, Up};
use super::*;

/// A 15×11 position. Bodies are cells from head to tail, as observations show them; equal last cells lie stacked.
pub(in super::super) fn position(bodies: &[&[(u8, u8)]], food: &[(u8, u8)]) -> Position {
    let mut grid = Grid::new(15, 11);
    let serpents = bodies.iter().enumerate().map(|(owner, body)| {
        let cells: Vec<Cell> = body.iter().map(|&(x, y)| grid.at(x, y)).collect();
        let towards = |from: Cell, to: Cell| {
            Direction::ALL.into_iter().find(|&direction| grid.step(from, direction) == Some(to))
        };
        let links: Vec<_> = cells.windows(2).map(|pair| (pair[1], towards(pair[1], pair[0]))).collect();
        let tail = cells[cells.len() - 1];
        for &cell in &cells {
            grid.put_head(cell, owner);
        }
        for &(cell, direction) in &links {
            if let Some(direction) = direction {
                grid.point(cell, direction);
            }
        }
        Serpent {
            head: cells[0],
            heading: links[0].1,
            length: cells.len() as u16,
            tail,
            stacked: cells.iter().filter(|&&cell| cell == tail).count() as u16 - 1,
            ..Serpent::new(tail)
        }
    });
    let serpents = serpents.collect();
    for &(x, y) in food {
        grid.put_food(grid.at(x, y));
    }
    Position { grid, serpents }
}

/// Plays one tick and says of what each serpent died, if it did.
fn tick(position: &mut Position, moves: &[Direction]) -> Vec<Option<&'static str>> {
    let mut events: Vec<(Audience, Value)> = Vec::new();
    position.advance(|seat| moves.get(seat.index()).copied(), &mut events);
    let cause = |seat: Seat| {
        let died =
            events.iter().map(|(_, event)| &event["died"]).find(|died| died["seat"] == seat.to_string())?;
        let causes = ["wall", "hunger", "body", "head"];
        causes.into_iter().find(|cause| died["cause"] == *cause)
    };
    Seat::first(position.serpents.len() as u8).map(cause).collect()
}

fn cells(position: &Position, nth: usize) -> Vec<(u8, u8)> {
    position.body(nth).into_iter().map(|cell| position.grid.position(cell)).collect()
}

#[test]
fn a_serpent_moves_without_growing() {
    let mut position = position(&[&[(3, 3), (2, 3), (2, 4)]], &[]);
    assert_eq!(tick(&mut position, &[Up]), [None]);
    assert_eq!(cells(&position, 0), [(3, 2), (3, 3), (2, 3)]);
    assert_eq!((position.serpents[0].health, position.serpents[0].score), (99, 1));
}

#[test]
fn turning_back_and_silence_are_straight_on() {
    for moves in [&[Left][..], &[]] {
        let mut position = position(&[&[(3, 3), (2, 3), (1, 3)]], &[]);
        assert_eq!(tick(&mut position, moves), [None]);
        assert_eq!(cells(&position, 0)[0], (4, 3), "{moves:?}");
    }
}

#[test]
fn the_stack_of_the_start_unrolls_and_the_first_default_is_up() {
    let mut rng = Pcg::new(1);
    let mut position = Position::new(15, 11, 1, &mut rng);
    let (x, y) = cells(&position, 0)[0];
    assert_eq!(cells(&position, 0), [(x, y); 3]);
    tick(&mut position, &[]);
    assert_eq!(cells(&position, 0), [(x, y - 1), (x, y), (x, y)]);
    tick(&mut position, &[Right]);
    assert_eq!(cells(&position, 0), [(x + 1, y - 1), (x, y - 1), (x, y)]);
    tick(&mut position, &[Down]);
    assert_eq!(cells(&position, 0), [(x + 1, y), (x + 1, y - 1), (x, y - 1)]);
}

#[test]
fn walls_are_deadly_on_all_sides() {
    for (body, way) in [
        ([(0, 5), (1, 5), (2, 5)], Left),
        ([(14, 5), (13, 5), (12, 5)], Right),
        ([(5, 0), (5, 1), (5, 2)], Up),
        ([(5, 10), (5, 9), (5, 8)], Down),
    ] {
        let mut position = position(&[&body], &[]);
        assert!(position.is_deadly(0, way));
        assert_eq!(tick(&mut position, &[way]), [Some("wall")], "{way:?}");
        assert!(
            position.grid.n_food() == 0
                && (0..position.grid.n_cells()).all(|cell| position.grid.is_free(cell))
        );
    }
}

#[test]
fn food_fills_health_and_grows_by_one_a_tick_later() {
    let mut position = position(&[&[(3, 3), (2, 3), (1, 3)]], &[(4, 3)]);
    position.serpents[0].health = 1;
    assert!(!position.is_deadly(0, Right) && position.is_deadly(0, Up), "only food helps now");
    assert_eq!(tick(&mut position, &[Right]), [None]);
    assert_eq!(cells(&position, 0), [(4, 3), (3, 3), (2, 3), (2, 3)]);
    let serpent = position.serpents[0];
    assert_eq!((serpent.health, serpent.length, serpent.score, position.grid.n_food()), (100, 4, 11, 0));
    tick(&mut position, &[Right]);
    assert_eq!(cells(&position, 0), [(5, 3), (4, 3), (3, 3), (2, 3)]);
}

#[test]
fn without_food_a_serpent_starves() {
    let mut position = position(&[&[(3, 3), (2, 3), (1, 3)]], &[]);
    position.serpents[0].health = 1;
    assert_eq!(tick(&mut position, &[Right]), [Some("hunger")]);
    assert_eq!(position.serpents[0].score, 0, "the last tick was not survived");
}

#[test]
fn heads_that_meet_kill_the_shorter_or_both() {
    let left = [(4, 3), (3, 3), (2, 3)];
    let right = [(6, 3), (7, 3), (8, 3)];
    let longer = [(6, 3), (7, 3), (8, 3), (9, 3)];
    assert_eq!(tick(&mut position(&[&left, &right], &[]), &[Right, Left]), [Some("head"), Some("head")]);
    let mut unequal = position(&[&left, &longer], &[]);
    assert_eq!(tick(&mut unequal, &[Right, Left]), [Some("head"), None]);
    assert_eq!(cells(&unequal, 1)[0], (5, 3), "the longer one lies there now");
}

#[test]
fn of_three_heads_on_a_cell_only_a_single_longest_lives() {
    let bodies: [&[(u8, u8)]; 3] =
        [&[(4, 3), (3, 3), (2, 3), (1, 3)], &[(6, 3), (7, 3), (8, 3)], &[(5, 4), (5, 5), (5, 6), (5, 7)]];
    let two_longest = tick(&mut position(&bodies, &[]), &[Right, Left, Up]);
    assert_eq!(two_longest, [Some("head"), Some("head"), Some("head")]);
    let one_longest = tick(&mut position(&[bodies[0], bodies[1], &bodies[2][..3]], &[]), &[Right, Left, Up]);
    assert_eq!(one_longest, [None, Some("head"), Some("head")]);
}

#[test]
fn two_heads_on_one_food_both_eat() {
    let bodies: [&[(u8, u8)]; 2] = [&[(4, 3), (3, 3), (2, 3)], &[(6, 3), (7, 3), (8, 3), (9, 3)]];
    let mut position = position(&bodies, &[(5, 3)]);
    assert_eq!(tick(&mut position, &[Right, Left]), [Some("head"), None]);
    assert_eq!([0, 1].map(|nth| position.serpents[nth].score), [10, 11]);
    assert_eq!([0, 1].map(|nth| position.serpents[nth].length), [4, 5]);
    assert_eq!(position.grid.n_food(), 0);
}

#[test]
fn heads_that_swap_cells_both_run_into_necks() {
    let mut position = position(&[&[(4, 3), (3, 3), (2, 3)], &[(5, 3), (6, 3), (7, 3), (8, 3)]], &[]);
    assert_eq!(tick(&mut position, &[Right, Left]), [Some("body"), Some("body")]);
}

#[test]
fn a_head_may_follow_a_tail_unless_its_owner_has_just_eaten() {
    let square = [(3, 3), (3, 4), (4, 4), (4, 3)];
    let mut chasing = position(&[&square], &[]);
    assert!(!chasing.is_deadly(0, Right));
    assert_eq!(tick(&mut chasing, &[Right]), [None]);
    let mut full = position(&[&[(3, 3), (3, 4), (4, 4), (4, 3), (4, 3)]], &[]);
    assert!(full.is_deadly(0, Right));
    assert_eq!(tick(&mut full, &[Right]), [Some("body")]);
    // The other's tail moves on even if its owner eats in this very tick.
    let mut other = position(&[&[(4, 6), (4, 7), (4, 8)], &[(6, 5), (5, 5), (4, 5)]], &[(7, 5)]);
    assert!(!other.is_deadly(0, Up));
    assert_eq!(tick(&mut other, &[Up, Right]), [None, None]);
}

#[test]
fn bodies_of_the_dying_still_kill_and_are_gone_afterwards() {
    // p1 leaves the grid; p0 runs into its body in the same tick.
    let mut position = position(&[&[(12, 6), (12, 7), (12, 8)], &[(14, 5), (13, 5), (12, 5), (11, 5)]], &[]);
    assert_eq!(tick(&mut position, &[Up, Right]), [Some("body"), Some("wall")]);
    assert!((0..position.grid.n_cells()).all(|cell| position.grid.is_free(cell)));
}

#[test]
fn chains_in_the_grid_and_lengths_agree_through_random_matches() {
    for seed in 0..10 {
        let mut rng = Pcg::new(seed);
        let mut position = Position::new(19, 15, 8, &mut rng);
        for _ in 0..120 {
            position.grow_food(&mut rng);
            let moves: Vec<Direction> = (0..8)
                .map(|nth| {
                    let mut ways = Direction::ALL;
                    rng.shuffle(&mut ways);
                    ways.into_iter().find(|&way| !position.is_deadly(nth, way)).unwrap_or(Up)
                })
                .collect();
            tick(&mut position, &moves);
            let mut occupied = 0;
            for (nth, serpent) in
                position.serpents.iter().enumerate().filter(|(_, serpent)| serpent.is_alive())
            {
                let body = position.body(nth);
                assert_eq!(body.len(), usize::from(serpent.length));
                assert_eq!(body[0], serpent.head);
                assert!(body.iter().all(|&cell| position.grid.owner(cell) == Some(nth)));
                occupied += body.len() - usize::from(serpent.stacked);
            }
            let bodies = (0..position.grid.n_cells()).filter(|&cell| position.grid.is_body(cell)).count();
            assert_eq!(bodies, occupied, "nothing is left of the dead");
            assert_eq!(position.grid.food().count(), usize::from(position.grid.n_food()));
        }
    }
}

#[test]
fn there_is_always_food_and_at_most_one_a_seat_comes_up() {
    let mut rng = Pcg::new(5);
    let mut position = Position::new(15, 11, 4, &mut rng);
    position.grow_food(&mut rng);
    assert_eq!(position.grid.n_food(), 1, "an empty grid gets food at once");
    let mut waits = 0;
    while position.grid.n_food() < 4 {
        position.grow_food(&mut rng);
        waits += 1;
        assert!(waits < 200, "the chance is 1/5");
    }
    for _ in 0..50 {
        position.grow_food(&mut rng);
    }
    assert_eq!(position.grid.n_food(), 4);
}
