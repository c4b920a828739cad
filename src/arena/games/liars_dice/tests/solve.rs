//! The game of one die each, solved: its value is known from elsewhere.

use super::*;
use crate::arena::games::liars_dice::cup::Hand;

/// Faces of a die, and with it the number of hands of one die.
const FACES: usize = 6;

/// What the first player may know, by hand.
type ByHand = [f64; FACES];

/// A point of the game: the bids so far. All that the two players may do from here, and how much they regret not to
/// have done it.
struct Point {
    /// The bids that may follow, and the point that each leads to.
    bids: Vec<Self>,
    /// Per hand of the player to move, one for each bid and the last for the challenge.
    regrets: Vec<ByHand>,
    /// Whether there is a bid to challenge.
    may_challenge: bool,
    /// Who loses a challenge by the hands of the mover and of the bidder: true for the bidder.
    bidder_loses: [[bool; FACES]; FACES],
}

fn die(face: usize) -> Hand {
    std::array::from_fn(|nth| u8::from(nth == face))
}

impl Point {
    /// The tree below a cup of two dice, built and judged by the rules as they are.
    fn new(cup: &Cup) -> Self {
        let may_challenge = !cup.bids().is_empty();
        let bids: Vec<Self> = (cup.lowest_face()..=6)
            .flat_map(|face| (1..=cup.total()).map(move |quantity| (quantity, face)))
            .filter(|&(quantity, face)| cup.cheapest(face).is_some_and(|least| quantity >= least))
            .map(|(quantity, face)| {
                let mut next = cup.clone();
                next.bid(quantity, face);
                Self::new(&next)
            })
            .collect();
        let mover = cup.mover().unwrap();
        let bidder = Seat::new(1 - mover.index() as u8);
        let bidder_loses = std::array::from_fn(|mine| {
            std::array::from_fn(|theirs| {
                let mut cup = cup.clone();
                cup.give(mover, die(mine));
                cup.give(bidder, die(theirs));
                cup.judge(false).is_some_and(|(_, loser)| loser == bidder)
            })
        });
        let regrets = vec![[0.0; FACES]; bids.len() + 1];
        Self { bids, regrets, may_challenge, bidder_loses }
    }

    fn choices(&self) -> usize {
        self.bids.len() + usize::from(self.may_challenge)
    }

    /// How likely each choice is with each hand, by regret matching.
    fn strategy(&self) -> Vec<ByHand> {
        let choices = self.choices();
        let total: ByHand =
            std::array::from_fn(|hand| self.regrets[..choices].iter().map(|regret| regret[hand]).sum());
        let even = 1.0 / choices as f64;
        let share = |regret: &ByHand| {
            std::array::from_fn(|hand| if total[hand] > 0.0 { regret[hand] / total[hand] } else { even })
        };
        self.regrets[..choices].iter().map(share).collect()
    }

    /// One round of CFR+ (O. Tammelin, "Solving Large Imperfect Information Games Using CFR+", 2014), both players at
    /// once. Gives what each hand of the mover and of the other is worth, weighted by how likely the rival comes here.
    fn improve(&mut self, reach: &ByHand, other_reach: &ByHand) -> (ByHand, ByHand) {
        let strategy = self.strategy();
        let (mut worth, mut other_worth) = ([0.0; FACES], [0.0; FACES]);
        let mut worths = Vec::with_capacity(strategy.len());
        for (choice, play) in strategy.iter().enumerate() {
            let here: ByHand = std::array::from_fn(|hand| reach[hand] * play[hand]);
            // A bid gives the turn to the other; a challenge ends the game.
            let (of_other, of_mover) = match self.bids.get_mut(choice) {
                Some(next) => next.improve(other_reach, &here),
                None => self.challenge(&here, other_reach),
            };
            for hand in 0..FACES {
                worth[hand] += play[hand] * of_mover[hand];
                other_worth[hand] += of_other[hand];
            }
            worths.push(of_mover);
        }
        for (regret, of_choice) in self.regrets.iter_mut().zip(&worths) {
            for hand in 0..FACES {
                regret[hand] = (regret[hand] + of_choice[hand] - worth[hand]).max(0.0);
            }
        }
        (worth, other_worth)
    }

    /// What the other's and the mover's hands win by the challenge.
    fn challenge(&self, reach: &ByHand, other_reach: &ByHand) -> (ByHand, ByHand) {
        let gain = |mine: usize, theirs: usize| if self.bidder_loses[mine][theirs] { 1.0 } else { -1.0 };
        let hands = 0..FACES;
        let of_other = std::array::from_fn(|theirs| {
            -hands.clone().map(|mine| reach[mine] * gain(mine, theirs)).sum::<f64>()
        });
        let of_mover = std::array::from_fn(|mine| {
            hands.clone().map(|theirs| other_reach[theirs] * gain(mine, theirs)).sum()
        });
        (of_other, of_mover)
    }
}

/// The mean value for the first player, over later rounds more than over early ones.
fn value(wild_ones: bool, rounds: u32) -> f64 {
    let cup = Cup::new(2, 1, wild_ones, &mut Pcg::new(1));
    let mut game = Point::new(&cup);
    let deal = [1.0 / FACES as f64; FACES];
    let (mut sum, mut weights) = (0.0, 0.0);
    for round in 1..=rounds {
        let (worth, _) = game.improve(&deal, &deal);
        let weight = f64::from(round);
        sum += weight * worth.iter().sum::<f64>() / FACES as f64;
        weights += weight;
    }
    sum / weights
}

#[test]
fn one_die_each_is_worth_what_is_known() {
    // T. D. Ahle's exact values (github.com/thomasahle/snyd): -1/9 with plain ones, -7/327 with wild ones.
    for (wild_ones, known) in [(false, -1.0 / 9.0), (true, -7.0 / 327.0)] {
        let found = value(wild_ones, 60);
        assert!((found - known).abs() < 0.01, "wild ones {wild_ones}: {found} of {known}");
    }
}
