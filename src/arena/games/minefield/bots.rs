//! The ladder of built-in players.

use super::cells::{Cell, Cells};
use super::deduce::{Clue, Known, clues};
use super::field::Seen;
use super::odds::Doubt;
use super::{Minefield, Move, Plan, View};
use crate::arena::engine::rng::Pcg;
use crate::arena::engine::{Bot, BotSpec};

/// Weakest first.
pub(super) const ALL: &[BotSpec<Minefield>] = &[
    BotSpec {
        name: "random",
        about: "reveals any hidden cell",
        make: |stream| boxed(stream, Logic::None, Guess::Any),
    },
    BotSpec {
        name: "dense",
        about: "no logic: the cell whose numbers leave the fewest mines a cell on average",
        make: |stream| boxed(stream, Logic::None, Guess::Mean),
    },
    BotSpec {
        name: "single",
        about: "what single numbers prove, else any cell",
        make: |stream| boxed(stream, Logic::Singles, Guess::Any),
    },
    BotSpec {
        name: "single-risk",
        about: "what single numbers prove, else the cell with the least risk by its worst number",
        make: |stream| boxed(stream, Logic::Singles, Guess::Worst),
    },
    BotSpec {
        name: "subset",
        about: "what pairs of numbers prove, else the cell with the least risk by its worst number",
        make: |stream| boxed(stream, Logic::Pairs, Guess::Worst),
    },
    BotSpec {
        name: "open",
        about: "weighs all ways to lay the mines, and of cells that are nearly the safest takes the one that may open most",
        make: |stream| boxed(stream, Logic::Pairs, Guess::Exact { slack: 0.02 }),
    },
    BotSpec {
        name: "exact",
        about: "weighs all ways to lay the mines, and reveals the safest cell",
        make: |stream| boxed(stream, Logic::Pairs, Guess::Exact { slack: 0.0 }),
    },
];

/// What a player proves.
#[derive(Clone, Copy)]
enum Logic {
    None,
    Singles,
    Pairs,
}

/// What it does when nothing is proven.
#[derive(Clone, Copy)]
enum Guess {
    /// Any cell.
    Any,
    /// By the mean of what the numbers around a cell say.
    Mean,
    /// By the worst of it.
    Worst,
    /// By all ways to lay the mines; cells this much worse than the best are as good.
    Exact { slack: f64 },
}

struct Player {
    logic: Logic,
    guess: Guess,
    rng: Pcg,
}

fn boxed(stream: u64, logic: Logic, guess: Guess) -> Box<dyn Bot<Minefield>> {
    Box::new(Player { logic, guess, rng: Pcg::new(stream) })
}

impl Bot<Minefield> for Player {
    fn act(&mut self, view: &View<'_>) -> Plan {
        let seen = view.seen;
        let (mut known, mut clues) = (Known::default(), clues(seen));
        match self.logic {
            Logic::None => {}
            Logic::Singles => known.by_single_numbers(&mut clues),
            Logic::Pairs => known.by_pairs(&mut clues),
        }
        if known.safe.is_empty() {
            return Plan::of(Move::Reveal(self.guess(seen, &known, &clues)));
        }
        known.safe.iter().map(Move::Reveal).collect()
    }
}

impl Player {
    fn guess(&mut self, seen: &Seen, known: &Known, clues: &[Clue]) -> Cell {
        let cells = seen.hidden().without(known.mined);
        let best = match self.guess {
            // Where nothing is known, the middle opens most.
            Guess::Mean | Guess::Worst | Guess::Exact { .. } if seen.opened().is_empty() => {
                Cells::one(Cell { row: seen.rows() / 2, col: seen.cols() / 2 })
            }
            Guess::Any => cells,
            Guess::Mean => least(cells, |cell| mean(seen, clues, cell)),
            Guess::Worst => least(cells, |cell| worst(seen, clues, cell)),
            Guess::Exact { slack } => match Doubt::new(seen, known) {
                Some(doubt) => safest(&doubt, slack),
                None => least(cells, |cell| worst(seen, clues, cell)),
            },
        };
        let nth = self.rng.below(u64::from(best.len()).max(1)) as usize;
        // Some safe cell is hidden while it goes on, and no mine is proven where there is none.
        best.iter().nth(nth).unwrap_or(Cell { row: 0, col: 0 })
    }
}

/// The cells with the least value; all values are finite.
fn least(cells: Cells, value: impl Fn(Cell) -> f64) -> Cells {
    let values: Vec<(Cell, f64)> = cells.iter().map(|cell| (cell, value(cell))).collect();
    let least = values.iter().map(|(_, value)| *value).fold(f64::INFINITY, f64::min);
    values.into_iter().filter(|(_, value)| *value <= least).map(|(cell, _)| cell).collect()
}

/// What the clues of a cell say, each for itself: mines a cell.
fn shares(clues: &[Clue], cell: Cell) -> impl Iterator<Item = f64> {
    let touching = clues.iter().filter(move |clue| clue.cells.contains(cell));
    touching.map(|clue| f64::from(clue.mines) / f64::from(clue.cells.len()))
}

/// Mines a hidden cell, over the whole field.
fn everywhere(seen: &Seen) -> f64 {
    f64::from(u32::from(seen.mines()).saturating_sub(seen.hits().len()))
        / f64::from(seen.hidden().len().max(1))
}

fn mean(seen: &Seen, clues: &[Clue], cell: Cell) -> f64 {
    let (sum, count) = shares(clues, cell).fold((0.0, 0.0), |(sum, count), share| (sum + share, count + 1.0));
    if count > 0.0 { sum / count } else { everywhere(seen) }
}

fn worst(seen: &Seen, clues: &[Clue], cell: Cell) -> f64 {
    shares(clues, cell).reduce(f64::max).unwrap_or_else(|| everywhere(seen))
}

/// The cells with the least risk; with `slack` those of the safest whose neighbours are the least likely mined.
fn safest(doubt: &Doubt, slack: f64) -> Cells {
    let risks = doubt.risks();
    let least_risk = risks.iter().map(|risk| risk.risk).fold(f64::INFINITY, f64::min);
    let good = risks.iter().filter(|risk| risk.risk <= least_risk + slack);
    let good = good.fold(Cells::EMPTY, |cells, risk| cells.or(risk.cells));
    if slack <= 0.0 || least_risk <= 0.0 {
        return good;
    }
    let around = |cell: Cell| -> f64 {
        let block = Cells::block(cell);
        risks.iter().map(|risk| f64::from(risk.cells.and(block).len()) * risk.risk).sum()
    };
    least(good, around)
}
