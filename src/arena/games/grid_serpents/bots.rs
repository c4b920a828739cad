//! The ladder of built-in players.

mod scout;

use arrayvec::ArrayVec;

use self::scout::Scout;
use super::grid::MAX_CELLS;
use super::{Action, Cell, Direction, GridSerpents, Position, View};
use crate::arena::engine::events::NoEvents;
use crate::arena::engine::rng::Pcg;
use crate::arena::engine::seats::{MAX_SEATS, Seat};
use crate::arena::engine::{Bot, BotSpec};

/// Weakest first, by mean score at tables of four drawn from this list: measured over 100 matches, standard errors up to 20,
/// random 11, safe 68, greedy 146, scout 245, flood 296, wary 370.
pub(super) const ALL: &[BotSpec<GridSerpents>] = &[
    BotSpec { name: "random", about: "any direction, deadly ones too", make: |stream| boxed(stream, random) },
    BotSpec {
        name: "safe",
        about: "any direction that is not surely deadly",
        make: |stream| boxed(stream, safe),
    },
    BotSpec {
        name: "greedy",
        about: "a safe step towards the nearest food",
        make: |stream| boxed(stream, greedy),
    },
    BotSpec {
        name: "scout",
        about: "plays each step out 4 times, all serpents going for food with care",
        make: |stream| Box::new(Scout { plays: 4, rng: Pcg::new(stream) }),
    },
    BotSpec {
        name: "flood",
        about: "towards food through room enough to live, and out of the way of longer heads",
        make: |stream| boxed(stream, flood),
    },
    BotSpec {
        name: "wary",
        about: "looks two ticks ahead, at all that its neighbours may do, and holds territory",
        make: |stream| boxed(stream, wary),
    },
];

/// How good a direction is; among equals one is chosen at random.
type Judge = fn(&Position, usize, Direction) -> i32;

struct Judging {
    judge: Judge,
    rng: Pcg,
}

impl Bot<GridSerpents> for Judging {
    fn act(&mut self, view: &View<'_>) -> Action {
        let serpent = &view.position.serpents()[view.me];
        let mut directions = Direction::ALL;
        self.rng.shuffle(&mut directions);
        let judged = directions
            .into_iter()
            .filter(|&direction| serpent.course(direction) == direction)
            .map(|direction| ((self.judge)(view.position, view.me, direction), direction));
        let best = judged.reduce(|best, other| if other.0 > best.0 { other } else { best });
        Action::Move { direction: best.map_or(serpent.straight_on(), |(_, direction)| direction) }
    }
}

fn boxed(stream: u64, judge: Judge) -> Box<dyn Bot<GridSerpents>> {
    Box::new(Judging { judge, rng: Pcg::new(stream) })
}

/// Worse than anything else that can happen.
const DEATH: i32 = -1_000_000;

fn random(_: &Position, _: usize, _: Direction) -> i32 {
    0
}

fn safe(position: &Position, me: usize, direction: Direction) -> i32 {
    if position.is_deadly(me, direction) { DEATH } else { 0 }
}

fn greedy(position: &Position, me: usize, direction: Direction) -> i32 {
    let grid = position.grid();
    match grid.step(position.serpents()[me].head, direction) {
        Some(cell) if !position.is_deadly(me, direction) => {
            let nearest = grid.food().map(|food| grid.distance(cell, food)).min();
            -i32::from(nearest.unwrap_or(0))
        }
        _ => DEATH,
    }
}

fn flood(position: &Position, me: usize, direction: Direction) -> i32 {
    let serpent = &position.serpents()[me];
    let Some(cell) = position.grid().step(serpent.head, direction) else { return DEATH };
    if position.is_deadly(me, direction) {
        return DEATH;
    }
    let rivals = position.serpents().iter().enumerate().filter(|&(nth, rival)| nth != me && rival.is_alive());
    let risky = rivals
        .clone()
        .any(|(_, rival)| rival.length >= serpent.length && position.grid().distance(rival.head, cell) == 1);
    let reach = Reach::from(position, &[cell]);
    let room = i32::from(reach.cells[0]);
    let cramped = (i32::from(serpent.length) - room).max(0);
    let way = reach.food[0].map_or(50, i32::from);
    room / 8 - 2 * way - 200 * cramped - if risky { 3_000 } else { 0 }
}

/// How many neighbours are looked at: each multiplies the cost by three.
const FEARED: usize = 2;
/// Heads farther away than this many steps do not matter within two ticks.
const NEAR: u16 = 6;

fn wary(position: &Position, me: usize, direction: Direction) -> i32 {
    if position.is_deadly(me, direction) {
        return DEATH;
    }
    over_replies(position, me, direction, |next| {
        let second =
            Direction::ALL.into_iter().filter(|&second| next.serpents()[me].course(second) == second);
        second
            .map(|second| if next.is_deadly(me, second) { DEATH / 2 } else { after(next, me, second) })
            .max()
            .unwrap_or(DEATH)
    })
}

/// The worth of a step over all that the nearest rivals may do at the same time: half the least, half the mean. The least
/// alone is as good as dead in every crowd, and then one step is like another.
fn over_replies(
    position: &Position,
    me: usize,
    direction: Direction,
    worth: impl Fn(&Position) -> i32,
) -> i32 {
    let head = position.serpents()[me].head;
    let mut feared: Vec<(u16, usize)> = Vec::new();
    for (nth, rival) in position.serpents().iter().enumerate() {
        let distance = position.grid().distance(head, rival.head);
        if nth != me && rival.is_alive() && distance <= NEAR {
            feared.push((distance, nth));
        }
    }
    feared.sort_unstable();
    feared.truncate(FEARED);
    let outcome = |replies: &[(usize, Direction)]| {
        let mut next = position.clone();
        let reply = |nth| replies.iter().find(|(rival, _)| *rival == nth).map(|(_, reply)| *reply);
        next.advance(
            |seat: Seat| if seat.index() == me { Some(direction) } else { reply(seat.index()) },
            &mut NoEvents,
        );
        if next.serpents()[me].is_alive() { worth(&next) } else { DEATH }
    };
    let combinations = 0..Direction::ALL.len().pow(feared.len() as u32);
    let replies = combinations.map(|code| -> Vec<(usize, Direction)> {
        let reply = |place: usize| Direction::ALL[code >> (2 * place) & 3];
        feared.iter().enumerate().map(|(place, &(_, rival))| (rival, reply(place))).collect()
    });
    // A rival that would surely die, or turn back, does not threaten that.
    let sensible = |&(rival, reply): &(usize, Direction)| {
        position.serpents()[rival].course(reply) == reply && !position.is_deadly(rival, reply)
    };
    let (mut sum, mut count, mut least) = (0, 0, i32::MAX);
    for worth in replies.filter(|replies| replies.iter().all(sensible)).map(|replies| outcome(&replies)) {
        (sum, count, least) = (sum + worth, count + 1, least.min(worth));
    }
    if count == 0 { outcome(&[]) } else { i32::midpoint(least, sum / count) }
}

/// The worth of a position after one more own step, while the others stand still.
fn after(position: &Position, me: usize, direction: Direction) -> i32 {
    let serpent = &position.serpents()[me];
    let Some(cell) = position.grid().step(serpent.head, direction) else { return DEATH };
    let rivals = position.serpents().iter().enumerate().filter(|&(nth, rival)| nth != me && rival.is_alive());
    let mut heads: ArrayVec<Cell, MAX_SEATS> = ArrayVec::from_iter([cell]);
    let mut risky = false;
    for (_, rival) in rivals {
        heads.push(rival.head);
        risky |= rival.length >= serpent.length && position.grid().distance(rival.head, cell) == 1;
    }
    let alone = Reach::from(position, &heads[..1]);
    let contested = Reach::from(position, &heads);
    let cramped = (i32::from(serpent.length) - i32::from(alone.cells[0])).max(0);
    let way = contested.food[0].or(alone.food[0].map(|way| way + 6)).map_or(50, i32::from);
    i32::from(contested.cells[0]) / 4 + 40 * i32::from(serpent.length)
        - 2 * way
        - 200 * cramped
        - if risky { 1_000 } else { 0 }
}

/// What each of some heads reaches before the others do.
struct Reach {
    /// Cells, the head's own included.
    cells: [u16; MAX_SEATS],
    /// Steps to the nearest food among them.
    food: [Option<u16>; MAX_SEATS],
}

impl Reach {
    /// Earlier heads win ties. Bodies are walls, but for tails that are about to leave.
    fn from(position: &Position, heads: &[Cell]) -> Self {
        let grid = position.grid();
        let mut reach = Self { cells: [0; MAX_SEATS], food: [None; MAX_SEATS] };
        let mut seen = [false; MAX_CELLS];
        let mut queue: ArrayVec<(Cell, usize, u16), MAX_CELLS> = ArrayVec::new();
        for (nth, &head) in heads.iter().enumerate() {
            seen[usize::from(head)] = true;
            queue.push((head, nth, 0));
        }
        let mut next = 0;
        while let Some(&(cell, nth, steps)) = queue.get(next) {
            next += 1;
            reach.cells[nth] += 1;
            if grid.is_food(cell) && reach.food[nth].is_none() {
                reach.food[nth] = Some(steps);
            }
            for direction in Direction::ALL {
                let Some(cell) = grid.step(cell, direction) else { continue };
                if !seen[usize::from(cell)] && (!grid.is_body(cell) || position.will_leave(cell)) {
                    seen[usize::from(cell)] = true;
                    queue.push((cell, nth, steps + 1));
                }
            }
        }
        reach
    }
}

#[cfg(test)]
mod tests;
