//! Where the table comes from: external-sampling Monte Carlo CFR (M. Lanctot et al., "Monte Carlo Sampling for Regret
//! Minimization in Extensive Games", 2009) over single hands of two seats.

use super::*;
use crate::arena::engine::events::NoEvents;
use crate::arena::engine::seats::Seat;
use crate::arena::games::pot_limit_omaha_hilo::state::{State, Street};
use crate::arena::games::pot_limit_omaha_hilo::{BIG_BLIND, START_STACK};

/// Hands, each walked through for both seats.
const HANDS: u64 = 6_000;
/// Deals that a hand's strength is judged by, on each street.
const SAMPLES: u32 = 30;

type Row = [f64; CHOICES];

struct Training {
    regrets: Vec<Row>,
    /// The strategies so far, added up.
    played: Vec<Row>,
    sampler: Sampler,
    rng: Pcg,
}

impl Training {
    fn new(seed: u64) -> Self {
        let rows = || vec![[0.0; CHOICES]; SITUATIONS];
        Self {
            regrets: rows(),
            played: rows(),
            sampler: Sampler::new(SAMPLES, seed),
            rng: Pcg::new(mix(&[seed, 1])),
        }
    }

    fn play(&mut self, hands: u64) {
        for hand in 0..hands {
            let state = State::new(2, u32::MAX, 1, hand);
            let strengths = [0, 1].map(|seat| self.strengths(&state, seat));
            for seat in Seat::first(2) {
                self.walk(&state, seat, &strengths, hand as f64 + 1.0);
            }
        }
    }

    /// How strong a seat's hand is on each street.
    fn strengths(&mut self, state: &State, seat: usize) -> [usize; STREETS] {
        [Street::Preflop, Street::Flop, Street::Turn, Street::River].map(|street| {
            let board = &state.board[..street.open()];
            strength(self.sampler.equity_of(state.holes[seat], board))
        })
    }

    /// What the rest of the hand is worth to a seat, in big blinds: all that it may do is looked at, of the other one
    /// thing. `weight` grows, since later strategies are better.
    fn walk(&mut self, state: &State, seat: Seat, strengths: &[[usize; STREETS]; 2], weight: f64) -> f64 {
        let Some(on_turn) = state.to_act else {
            let won = state.stacks[seat.index()] as i32 - START_STACK as i32;
            return f64::from(won) / f64::from(BIG_BLIND);
        };
        let view = View::new(state, on_turn);
        let at = situation(&view, strengths[on_turn.index()][view.street() as usize]);
        let open = open(&view);
        let strategy = matching(&self.regrets[at], open);
        let after = |choice| {
            let mut next = state.clone();
            next.play(play(&view, choice), &mut NoEvents);
            next
        };
        if on_turn != seat {
            for (played, share) in self.played[at].iter_mut().zip(strategy) {
                *played += weight * share;
            }
            let choice = self.draw(strategy);
            return self.walk(&after(choice), seat, strengths, weight);
        }
        let mut worths = [0.0; CHOICES];
        for choice in (0..CHOICES).filter(|&choice| open[choice]) {
            worths[choice] = self.walk(&after(choice), seat, strengths, weight);
        }
        let worth: f64 = strategy.iter().zip(worths).map(|(share, worth)| share * worth).sum();
        for choice in (0..CHOICES).filter(|&choice| open[choice]) {
            let regret = &mut self.regrets[at][choice];
            *regret = (*regret + worths[choice] - worth).max(0.0);
        }
        worth
    }

    fn draw(&mut self, strategy: Row) -> usize {
        let mut left = self.rng.below(1 << 32) as f64 / (1u64 << 32) as f64;
        for (choice, share) in strategy.into_iter().enumerate() {
            left -= share;
            if left < 0.0 {
                return choice;
            }
        }
        1
    }

    /// The mean strategies in parts of 255.
    fn table(&self) -> Vec<u8> {
        let row = |row: &Row| {
            let total: f64 = row.iter().sum();
            row.map(|share| if total > 0.0 { (255.0 * share / total).round() as u8 } else { 0 })
        };
        self.played.iter().flat_map(row).collect()
    }
}

/// Choices in proportion to how much they are missed.
fn matching(regrets: &Row, open: [bool; CHOICES]) -> Row {
    let total: f64 = (0..CHOICES).filter(|&choice| open[choice]).map(|choice| regrets[choice]).sum();
    let even = 1.0 / open.iter().filter(|open| **open).count() as f64;
    std::array::from_fn(|choice| match (open[choice], total > 0.0) {
        (false, _) => 0.0,
        (true, true) => regrets[choice] / total,
        (true, false) => even,
    })
}

#[test]
#[ignore = "minutes without optimisation; `GERT_GOLDEN=write` writes the table"]
fn the_table_is_what_training_gives() {
    let mut training = Training::new(7);
    training.play(HANDS);
    let table = training.table();
    if std::env::var_os("GERT_GOLDEN").is_some_and(|mode| mode == "write") {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/src/arena/games/pot_limit_omaha_hilo/bots/regret/table.bin"
        );
        std::fs::write(path, &table).unwrap();
    } else {
        assert_eq!(table, TABLE);
    }
}

#[test]
fn a_short_training_learns_what_is_plain() {
    let mut training = Training::new(7);
    training.play(40);
    let shares = |strength: usize, street: Street, price: usize| -> Row {
        let rows = [0, 1].map(|deep| {
            training.played[((strength * STREETS + street as usize) * PRICES + price) * 2 + deep]
        });
        std::array::from_fn(|choice| rows[0][choice] + rows[1][choice])
    };
    // On the river a hand that wins nearly all does not fold to a bet of the pot.
    let [fold, call, half, pot] = shares(STRENGTHS - 1, Street::River, 3);
    assert!(fold < 0.2 * (fold + call + half + pot), "{fold} {call} {half} {pot}");
    // And without a bet there is nothing to fold to.
    assert!((0..STRENGTHS).all(|strength| shares(strength, Street::Flop, 0)[0] <= 0.0));
}

#[test]
fn the_table_has_a_row_for_most_situations_and_each_sums_to_one() {
    let rows: Vec<&[u8]> = TABLE.chunks(CHOICES).filter(|row| row.iter().any(|&weight| weight > 0)).collect();
    assert!(rows.len() > SITUATIONS * 3 / 4, "{} of {SITUATIONS} came up", rows.len());
    assert!(
        rows.iter()
            .all(|row| (250..=260).contains(&row.iter().map(|&weight| u32::from(weight)).sum::<u32>()))
    );
}
