//! `automaton_prediction`: say what becomes of a row of cells; the rule is given, or is to be found first.

use serde_json::{Value, json};

use super::answer::{self, Fuel, Refusal};
use super::level::Level;
use super::prompt::{ONE_ACTION, POINTS, Section, UNREADABLE};
use super::{Instance, Kind, Score, Variant, VariantSpec, hard_enough};
use crate::arena::engine::rng::Pcg;

/// The variant.
pub(super) struct AutomatonPrediction;

static SPEC: VariantSpec = VariantSpec {
    name: "automaton_prediction",
    kind: Kind::Prediction,
    weight: 1.0,
    version: 1,
    title: "Automaton prediction",
    is_exact: true,
    rules: &[
        Section {
            title: "Problem",
            sentences: &[
                [
                    "`rows` shows a ring of cells, each `0` or `1`, one row a step, the last row being now.",
                    "A ring of cells, `0` or `1` each, is shown in `rows`: a row for every step, and now is the last.",
                    "In `rows` there is a row for each step of a ring of cells that are `0` or `1`; the last row is now.",
                ],
                [
                    "At every step all cells change at once, each by itself and the `radius` cells at either side of it.",
                    "A cell's next state depends on itself and on `radius` cells to its left and its right, and all change together.",
                    "All cells step together; each looks at itself and at `radius` neighbours on both sides.",
                ],
                [
                    "If `table` is there it is the rule: read the neighbourhood from left to right as a binary number, and the cell becomes what stands there, counted from 0.",
                    "Where there is a `table`, it holds the new state for every neighbourhood, read from left to right as a binary number and counted from 0.",
                    "The rule may be given as `table`: its entry for a neighbourhood, which is a binary number read from left to right and counted from 0, is the new state.",
                ],
                [
                    "If not, find the rule in the rows.",
                    "Without it, the rows have to tell the rule.",
                    "Else the rule is to be found in the rows.",
                ],
                [
                    "Say what the ring looks like after `steps` more steps.",
                    "Predict the row that is reached by `steps` further steps.",
                    "Give the row `steps` steps from now.",
                ],
            ],
        },
        Section {
            title: "Answer",
            sentences: &[
                ONE_ACTION,
                [
                    "Its form is `{\"action\":\"predict\",\"cells\":\"0110\"}`, with all cells of the row.",
                    "Send `{\"action\":\"predict\",\"cells\":\"0110\"}`, as long as a row.",
                    "It looks like `{\"action\":\"predict\",\"cells\":\"0110\"}`, a whole row.",
                ],
            ],
        },
        Section {
            title: "Scoring",
            sentences: &[
                POINTS,
                [
                    "The share of right cells counts as far as it is better than guessing the same for every cell.",
                    "What counts is by how much more cells are right than by the same guess everywhere.",
                    "Right cells count beyond those that one guess for all cells would get.",
                ],
                UNREADABLE,
            ],
        },
    ],
};

/// Rows that are shown when the rule is not.
const SHOWN: usize = 10;

struct Ring {
    radius: usize,
    table: Vec<bool>,
    /// The last one is now.
    rows: Vec<Vec<bool>>,
    steps: usize,
    is_told: bool,
    future: Vec<bool>,
}

impl Variant for AutomatonPrediction {
    fn spec(&self) -> &'static VariantSpec {
        &SPEC
    }

    fn draw(&self, seed: u64, level: Level) -> Box<dyn Instance> {
        let mut rng = Pcg::new(seed);
        Box::new(hard_enough(level, || ring(&mut rng, level)))
    }
}

/// A ring that stays lively: neither state takes over.
fn ring(rng: &mut Pcg, level: Level) -> Ring {
    let width = level.length(32, 128).max(16);
    let steps = level.between(1, 24) as usize;
    let is_told = !level.is_at_least(0.6);
    loop {
        let radius = if level.is_at_least(0.3) && rng.one_in(2) { 2 } else { 1 };
        let mut table = vec![false; 1 << (2 * radius + 1)];
        table.iter_mut().step_by(2).for_each(|cell| *cell = true);
        rng.shuffle(&mut table);
        let first: Vec<bool> = (0..width).map(|_| rng.one_in(2)).collect();
        let mut rows = vec![first];
        for _ in 1..SHOWN {
            let next = step(&rows[rows.len() - 1], radius, &table);
            rows.push(next);
        }
        let mut future = rows[SHOWN - 1].clone();
        for _ in 0..steps {
            future = step(&future, radius, &table);
        }
        if is_told {
            rows.drain(..SHOWN - 1);
        }
        let ring = Ring { radius, table, rows, steps, is_told, future };
        if ring.base() <= 0.7 {
            return ring;
        }
    }
}

fn step(row: &[bool], radius: usize, table: &[bool]) -> Vec<bool> {
    (0..row.len()).map(|at| table[neighbourhood(row, radius, at)]).collect()
}

/// The cells around one, from left to right, as a binary number.
fn neighbourhood(row: &[bool], radius: usize, at: usize) -> usize {
    let from = at + row.len() - radius;
    (0..=2 * radius).fold(0, |number, nth| number * 2 + usize::from(row[(from + nth) % row.len()]))
}

fn text(cells: &[bool]) -> String {
    cells.iter().map(|cell| if *cell { '1' } else { '0' }).collect()
}

impl Ring {
    /// The share of right cells of the better of the two guesses.
    fn base(&self) -> f64 {
        let ones = self.future.iter().filter(|cell| **cell).count();
        ones.max(self.future.len() - ones) as f64 / self.future.len() as f64
    }

    fn answer(cells: &[bool]) -> Value {
        json!({ "action": "predict", "cells": text(cells) })
    }

    /// The rule as far as the rows show it; what they do not show becomes the state that is more common.
    fn seen_table(&self) -> Vec<bool> {
        let mut votes = vec![0i32; self.table.len()];
        for pair in self.rows.windows(2) {
            for (at, next) in pair[1].iter().enumerate() {
                votes[neighbourhood(&pair[0], self.radius, at)] += if *next { 1 } else { -1 };
            }
        }
        votes.into_iter().map(|vote| vote > 0).collect()
    }
}

impl Instance for Ring {
    fn observation(&self) -> Value {
        let rows: Vec<String> = self.rows.iter().map(|row| text(row)).collect();
        let mut shown = json!({ "radius": self.radius, "rows": rows, "steps": self.steps });
        if self.is_told {
            shown["table"] = json!(text(&self.table));
        }
        shown
    }

    fn score(&self, action: &Value, _: &mut Fuel) -> Result<Score, Refusal> {
        let cells = answer::text(answer::members(action, "predict")?, "cells")?;
        let width = self.future.len();
        if cells.len() != width || cells.bytes().any(|cell| cell != b'0' && cell != b'1') {
            return Err(Refusal::Answer(format!("`cells` must be {width} times `0` or `1`")));
        }
        let right =
            cells.bytes().zip(&self.future).filter(|(cell, future)| (*cell == b'1') == **future).count();
        let (accuracy, base) = (right as f64 / width as f64, self.base());
        Ok(Score::share(accuracy - base, 1.0 - base, right == width))
    }

    fn reference(&self) -> Value {
        let seen = self.seen_table();
        let table = if self.is_told { &self.table } else { &seen };
        let mut row = self.rows[self.rows.len() - 1].clone();
        for _ in 0..self.steps {
            row = step(&row, self.radius, table);
        }
        Self::answer(&row)
    }

    /// As it is now.
    fn naive(&self) -> Value {
        Self::answer(&self.rows[self.rows.len() - 1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbourhoods_are_read_from_left_to_right_around_the_ring() {
        // Rule 110, one step of 0001 0011: by hand.
        let table: Vec<bool> = (0..8).map(|n| 110 >> n & 1 == 1).collect();
        let row: Vec<bool> = "00010011".chars().map(|cell| cell == '1').collect();
        assert_eq!(text(&step(&row, 1, &table)), "00110111");
    }

    #[test]
    fn cells_count_beyond_the_better_guess() {
        // arena.md §10.2.
        let future = vec![true, true, true, false];
        let ring =
            Ring { radius: 1, table: vec![], rows: vec![future.clone()], steps: 1, is_told: true, future };
        let score = |cells| ring.score(&json!({ "action": "predict", "cells": cells }), &mut Fuel::default());
        assert_eq!(score(json!("1110")), Ok(Score { points: 1.0, solved: true }));
        for cells in ["1111", "0000", "1100"] {
            assert_eq!(score(json!(cells)), Ok(Score { points: 0.0, solved: false }), "{cells}");
        }
        for wrong in [json!("111"), json!("11102"), json!("111x"), json!("éé"), json!(1110)] {
            assert!(matches!(score(wrong), Err(Refusal::Answer(_))));
        }
    }
}
