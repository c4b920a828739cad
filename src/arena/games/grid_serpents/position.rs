//! What happens in a tick, in the order of the rules; start at [`Position::advance`].
//!
//! A position holds no generator: whoever sees one cannot know where food will come up.

use arrayvec::ArrayVec;
use serde::Serialize;

use super::grid::{Cell, Direction, Grid, MAX_CELLS};
use crate::arena::engine::events::{Audience, EventSink};
use crate::arena::engine::rng::Pcg;
use crate::arena::engine::seats::{MAX_SEATS, Seat, SeatSet};

/// Segments at the start, all on one cell.
pub(super) const START_LENGTH: u16 = 3;
/// Ticks without food until a serpent starves.
pub(super) const FULL_HEALTH: u8 = 100;
const FOOD_POINTS: u32 = 10;
const SURVIVOR_POINTS: u32 = 50;

/// Serpents and food.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Position {
    grid: Grid,
    serpents: ArrayVec<Serpent, MAX_SEATS>,
}

/// One seat's serpent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Serpent {
    /// Where its head is, or was when it died.
    pub head: Cell,
    /// How it moved last; `None` before the first tick.
    pub heading: Option<Direction>,
    /// Segments, those that lie on one another included.
    pub length: u16,
    /// Falls by one a tick; food fills it up.
    pub health: u8,
    tail: Cell,
    /// Segments on the tail's cell besides the tail.
    stacked: u16,
    life: Life,
    score: u32,
}

/// What happens, as observations show it. A cell is column and row.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Event {
    Ate { cell: (u8, u8), seat: Seat },
    Died { cause: &'static str, cell: (u8, u8), seat: Seat },
    Survivor { seat: Seat },
    Failed { seat: Seat },
}

/// Whether a serpent is in the game, and why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Life {
    Alive,
    /// By the rules.
    Dead,
    /// Its seat failed.
    Failed,
}

impl Serpent {
    /// Whether it is in the game.
    pub fn is_alive(&self) -> bool {
        self.life == Life::Alive
    }

    /// Its points so far.
    pub fn score(&self) -> u32 {
        self.score
    }

    /// Where it goes when told so: it cannot turn back into its own neck.
    pub fn course(&self, wish: Direction) -> Direction {
        match self.heading {
            Some(heading) if wish == heading.opposite() => heading,
            _ => wish,
        }
    }

    /// Where it goes when told nothing.
    pub fn straight_on(&self) -> Direction {
        self.heading.unwrap_or(Direction::Up)
    }

    fn new(cell: Cell) -> Self {
        Self {
            head: cell,
            heading: None,
            length: START_LENGTH,
            health: FULL_HEALTH,
            tail: cell,
            stacked: START_LENGTH - 1,
            life: Life::Alive,
            score: 0,
        }
    }

    fn pull_tail(&mut self, grid: &mut Grid) {
        if self.stacked > 0 {
            self.stacked -= 1;
        } else {
            let next = grid.towards_head(self.tail);
            grid.clear(self.tail);
            self.tail = next.unwrap_or(self.tail);
        }
    }
}

impl Position {
    /// Serpents on seeded cells, no food yet.
    pub(super) fn new(width: u8, height: u8, seats: u8, rng: &mut Pcg) -> Self {
        let mut position = Self { grid: Grid::new(width, height), serpents: ArrayVec::new() };
        let mut starts = start_cells(&position.grid);
        rng.shuffle(&mut starts);
        for (owner, &cell) in starts.iter().take(usize::from(seats)).enumerate() {
            position.grid.put_head(cell, owner);
            position.serpents.push(Serpent::new(cell));
        }
        position
    }

    /// Bodies and food.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// All serpents, by seat.
    pub fn serpents(&self) -> &[Serpent] {
        &self.serpents
    }

    /// The cells of a live serpent from head to tail, one a segment; the dead have none.
    pub fn body(&self, nth: usize) -> Vec<Cell> {
        let serpent = &self.serpents[nth];
        let mut body = Vec::new();
        if serpent.is_alive() {
            let mut cell = serpent.tail;
            body.resize(usize::from(serpent.stacked) + 1, cell);
            while cell != serpent.head {
                let Some(next) = self.grid.towards_head(cell) else { break };
                body.push(next);
                cell = next;
            }
            body.reverse();
        }
        body
    }

    fn seats_that(&self, is: impl Fn(&Serpent) -> bool) -> SeatSet {
        let seats = Seat::first(self.serpents.len() as u8);
        seats.zip(&self.serpents).filter(|(_, serpent)| is(serpent)).map(|(seat, _)| seat).collect()
    }

    /// Seats whose serpents are in the game.
    pub fn alive(&self) -> SeatSet {
        self.seats_that(Serpent::is_alive)
    }

    /// Seats whose serpents the rules removed.
    pub fn dead(&self) -> SeatSet {
        self.seats_that(|serpent| serpent.life == Life::Dead)
    }

    /// Whether the body on a cell is gone after the coming tick, whatever anybody does: a tail that moves on.
    pub fn will_leave(&self, cell: Cell) -> bool {
        self.grid.owner(cell).is_some_and(|owner| {
            let serpent = &self.serpents[owner];
            serpent.tail == cell && serpent.stacked == 0
        })
    }

    /// Whether a serpent surely dies in the coming tick if it goes there.
    pub fn is_deadly(&self, nth: usize, direction: Direction) -> bool {
        let serpent = &self.serpents[nth];
        match self.grid.step(serpent.head, serpent.course(direction)) {
            None => true,
            Some(cell) if self.grid.is_body(cell) && !self.will_leave(cell) => true,
            Some(cell) => serpent.health <= 1 && !self.grid.is_food(cell),
        }
    }

    /// Moves all live serpents at once, up to the removal of the dead. Without a wish a serpent goes straight on.
    pub fn advance(&mut self, wish: impl Fn(Seat) -> Option<Direction>, events: &mut impl EventSink) {
        // Tails first: a head may follow into the cell that a tail leaves.
        for (seat, serpent) in Seat::first(MAX_SEATS as u8).zip(&mut self.serpents) {
            if serpent.is_alive() {
                let course = serpent.course(wish(seat).unwrap_or(serpent.straight_on()));
                serpent.heading = Some(course);
                serpent.health -= 1;
                self.grid.point(serpent.head, course);
                serpent.pull_tail(&mut self.grid);
            }
        }
        // Heads are not on the grid yet: what is there now are bodies and food.
        let heads: ArrayVec<Option<Cell>, MAX_SEATS> = self
            .serpents
            .iter()
            .map(|serpent| {
                let course = serpent.heading.filter(|_| serpent.is_alive())?;
                self.grid.step(serpent.head, course)
            })
            .collect();
        self.eat(&heads, events);
        let deaths: ArrayVec<Option<&'static str>, MAX_SEATS> =
            (0..self.serpents.len()).map(|nth| self.cause_of_death(nth, &heads)).collect();
        for (nth, cause) in deaths.into_iter().enumerate() {
            match (cause, heads[nth]) {
                (Some(cause), _) => {
                    self.serpents[nth].life = Life::Dead;
                    let (seat, cell) = (Seat::new(nth as u8), self.grid.position(self.serpents[nth].head));
                    events.emit(Audience::All, || Event::Died { cause, cell, seat });
                    self.remove_body(nth);
                }
                (None, Some(head)) => {
                    self.serpents[nth].head = head;
                    self.serpents[nth].score += 1;
                }
                (None, None) => (),
            }
        }
        for (nth, serpent) in self.serpents.iter().enumerate().filter(|(_, serpent)| serpent.is_alive()) {
            self.grid.put_head(serpent.head, nth);
        }
    }

    fn eat(&mut self, heads: &[Option<Cell>], events: &mut impl EventSink) {
        for (nth, serpent) in self.serpents.iter_mut().enumerate() {
            let Some(head) = heads[nth].filter(|&head| self.grid.is_food(head)) else { continue };
            serpent.health = FULL_HEALTH;
            serpent.length += 1;
            serpent.stacked += 1;
            serpent.score += FOOD_POINTS;
            let (cell, seat) = (self.grid.position(head), Seat::new(nth as u8));
            events.emit(Audience::All, || Event::Ate { cell, seat });
        }
        // Only now: two heads on one food both eat.
        for &head in heads.iter().flatten() {
            self.grid.take_food(head);
        }
    }

    /// Decided for all before anybody is removed.
    fn cause_of_death(&self, nth: usize, heads: &[Option<Cell>]) -> Option<&'static str> {
        let serpent = &self.serpents[nth];
        if !serpent.is_alive() {
            return None;
        }
        let Some(head) = heads[nth] else { return Some("wall") };
        let meets_its_match = |other: usize| {
            other != nth && heads[other] == Some(head) && self.serpents[other].length >= serpent.length
        };
        if serpent.health == 0 {
            Some("hunger")
        } else if self.grid.is_body(head) {
            Some("body")
        } else if (0..heads.len()).any(meets_its_match) {
            Some("head")
        } else {
            None
        }
    }

    /// Takes a body off the grid, from the tail to the head's last cell on it.
    fn remove_body(&mut self, nth: usize) {
        let Serpent { mut tail, head, .. } = self.serpents[nth];
        while tail != head {
            let Some(next) = self.grid.towards_head(tail) else { break };
            self.grid.clear(tail);
            tail = next;
        }
        if self.grid.owner(head) == Some(nth) {
            self.grid.clear(head);
        }
    }

    /// Takes a failed seat's serpent out.
    pub(super) fn remove_failed(&mut self, seat: Seat, events: &mut impl EventSink) {
        let serpent = &mut self.serpents[seat.index()];
        serpent.life = Life::Failed;
        serpent.score = 0;
        self.remove_body(seat.index());
        events.emit(Audience::All, || Event::Failed { seat });
    }

    /// Rewards the last one alive; to be called once, when somebody has left.
    pub(super) fn reward_survivor(&mut self, events: &mut impl EventSink) {
        let alive = self.alive();
        if self.serpents.len() > 1
            && alive.len() == 1
            && let Some(seat) = alive.iter().next()
        {
            self.serpents[seat.index()].score += SURVIVOR_POINTS;
            events.emit(Audience::All, || Event::Survivor { seat });
        }
    }

    /// Lets food come up after a tick.
    pub(super) fn grow_food(&mut self, rng: &mut Pcg) {
        let n_food = self.grid.n_food();
        if n_food == 0 || usize::from(n_food) < self.serpents.len() && rng.one_in(5) {
            self.spawn_food(rng);
        }
    }

    /// Puts food on a random free cell, if there is one.
    pub(super) fn spawn_food(&mut self, rng: &mut Pcg) {
        let free: ArrayVec<Cell, MAX_CELLS> =
            (0..self.grid.n_cells()).filter(|&cell| self.grid.is_free(cell)).collect();
        if !free.is_empty() {
            let nth = rng.below(free.len() as u64) as usize;
            self.grid.put_food(free[nth]);
        }
    }
}

/// Eight cells one step from the border and half way between, far from each other.
fn start_cells(grid: &Grid) -> [Cell; MAX_SEATS] {
    let xs = [1, grid.width() / 2, grid.width() - 2];
    let ys = [1, grid.height() / 2, grid.height() - 2];
    [(0, 0), (1, 0), (2, 0), (0, 1), (2, 1), (0, 2), (1, 2), (2, 2)].map(|(x, y)| grid.at(xs[x], ys[y]))
}

#[cfg(test)]
pub(super) mod tests;
