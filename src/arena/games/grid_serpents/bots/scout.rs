//! A player that plays each of its steps out many times.

use arrayvec::ArrayVec;

use super::super::{Action, Direction, GridSerpents, Position, View};
use crate::arena::engine::Bot;
use crate::arena::engine::events::NoEvents;
use crate::arena::engine::rng::Pcg;
use crate::arena::engine::seats::{MAX_SEATS, Seat};

/// Ticks that a step is played out for.
const TICKS: u32 = 16;
/// Points that a life is worth.
const LIFE: i64 = 120;
/// Points that a rival's death is worth.
const RIVAL: i64 = 15;

/// Takes the step after which it fares best on average, if all serpents go for food and mind their next step.
pub(super) struct Scout {
    pub(super) plays: u32,
    pub(super) rng: Pcg,
}

impl Bot<GridSerpents> for Scout {
    fn act(&mut self, view: &View<'_>) -> Action {
        let serpent = &view.position.serpents()[view.me];
        let mut steps: ArrayVec<Direction, 4> = Direction::ALL
            .into_iter()
            .filter(|&step| serpent.course(step) == step && !view.position.is_deadly(view.me, step))
            .collect();
        self.rng.shuffle(&mut steps);
        let judged: ArrayVec<(i64, Direction), 4> = match steps.as_slice() {
            [only] => ArrayVec::from_iter([(0, *only)]),
            _ => steps.iter().map(|&step| (self.worth(view, step), step)).collect(),
        };
        let best = judged.into_iter().max_by_key(|(worth, _)| *worth).map(|(_, step)| step);
        Action::Move { direction: best.unwrap_or(serpent.straight_on()) }
    }
}

impl Scout {
    fn worth(&mut self, view: &View<'_>, step: Direction) -> i64 {
        (0..self.plays).map(|_| play_out(view.position.clone(), view.me, step, &mut self.rng)).sum()
    }
}

/// What a step comes to.
fn play_out(mut position: Position, me: usize, first: Direction, rng: &mut Pcg) -> i64 {
    let rivals = |position: &Position| position.alive().len() as i64;
    let (before, others) = (i64::from(position.serpents()[me].score()), rivals(&position));
    for tick in 0..TICKS {
        let mut steps = [Direction::Up; MAX_SEATS];
        for seat in position.alive().iter() {
            let n = seat.index();
            steps[n] = if tick == 0 && n == me { first } else { sensible(&position, n, rng) };
        }
        position.advance(|seat: Seat| Some(steps[seat.index()]), &mut NoEvents);
        let serpent = &position.serpents()[me];
        if !serpent.is_alive() {
            // The points of its ticks make a late death better than a soon one.
            return i64::from(serpent.score()) - before - LIFE;
        }
        if position.alive().len() == 1 && position.serpents().len() > 1 {
            break;
        }
    }
    i64::from(position.serpents()[me].score()) - before + RIVAL * (others - rivals(&position))
}

/// A step that is not deadly, mostly towards the nearest food, with room to go on.
fn sensible(position: &Position, nth: usize, rng: &mut Pcg) -> Direction {
    let (grid, serpent) = (position.grid(), &position.serpents()[nth]);
    let nearest = grid.food().min_by_key(|&food| grid.distance(food, serpent.head));
    let mut best = (i32::MIN, serpent.straight_on());
    for step in Direction::ALL {
        if serpent.course(step) != step || position.is_deadly(nth, step) {
            continue;
        }
        let Some(cell) = grid.step(serpent.head, step) else { continue };
        let exits = Direction::ALL
            .into_iter()
            .filter(|&next| grid.step(cell, next).is_some_and(|next| !grid.is_body(next)))
            .count() as i32;
        let way = nearest.map_or(0, |food| i32::from(grid.distance(food, cell)));
        let dead_end = if exits == 0 { 100 } else { 0 };
        let worth = 4 * exits - 3 * way - dead_end + rng.below(5) as i32;
        if worth > best.0 {
            best = (worth, step);
        }
    }
    best.1
}
