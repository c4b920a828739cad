//! How likely each hidden cell is mined, exactly: all ways to lay mines that explain the numbers, weighed by the ways to lay
//! the rest of them elsewhere.
//!
//! Cells that touch the same numbers are one group; groups that numbers tie together are one chain. The ways of a chain
//! are searched group by group and counted by their mines; chains and the cells beside no number then share the mines
//! that are left. Only sums, products and quotients are taken, which are the same on every machine.

use std::collections::BTreeMap;

use super::cells::Cells;
use super::deduce::{Clue, Known, clues};
use super::field::{Seen, draw};
use crate::arena::engine::rng::Pcg;

/// Steps of the search of one chain, after which it is given up: some ten milliseconds. Seldom more than a few thousand
/// are needed on the fields of this game.
const MAX_STEPS: u32 = 300_000;

/// Cells that touch the same clues.
#[derive(Debug, Clone)]
struct Group {
    cells: Cells,
    size: u32,
    /// The clues of the chain that it touches.
    clues: Vec<usize>,
}

/// Groups that hang together.
#[derive(Debug)]
struct Chain {
    groups: Vec<Group>,
    /// The mines of each clue.
    clues: Vec<u32>,
    /// By number of mines: how many ways there are.
    ways: Vec<f64>,
    /// By number of mines: the mines of each group, summed over those ways.
    loads: Vec<Vec<f64>>,
}

/// All that is in doubt.
#[derive(Debug)]
pub(super) struct Doubt {
    chains: Vec<Chain>,
    /// Hidden cells beside no clue.
    rest: Cells,
    /// Mines in the chains and the rest.
    mines: usize,
    /// Mined for sure.
    mined: Cells,
}

/// Cells that are equally likely mined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Risk {
    /// Which.
    pub(super) cells: Cells,
    /// From 0 to 1.
    pub(super) risk: f64,
}

impl Doubt {
    /// Finds all ways; nothing when there are too many to look at. `known` must be true.
    pub(super) fn new(seen: &Seen, known: &Known) -> Option<Self> {
        let mut clues = clues(seen);
        known.cut(&mut clues);
        let mut chains = chains(&clues);
        for chain in &mut chains {
            chain.count()?;
        }
        let in_doubt = seen.hidden().without(known.safe).without(known.mined);
        let bound = clues.iter().fold(Cells::EMPTY, |all, clue| all.or(clue.cells));
        let sure = seen.hits().len() + known.mined.len();
        let mines = u32::from(seen.mines()).checked_sub(sure)? as usize;
        Some(Self { chains, rest: in_doubt.without(bound), mines, mined: known.mined })
    }

    /// The risk of every cell in doubt. Empty when no way explains what is seen, which no true field does.
    pub(super) fn risks(&self) -> Vec<Risk> {
        let after = self.after();
        let total = after[0][self.mines];
        if total <= 0.0 {
            return Vec::new();
        }
        let mut risks = Vec::new();
        // Ways to lay so many mines in the chains before this one.
        let mut before = vec![0.0; self.mines + 1];
        before[0] = 1.0;
        for (nth, chain) in self.chains.iter().enumerate() {
            let others = |mines: usize| -> f64 {
                let left = self.mines.saturating_sub(mines);
                (0..=left).map(|first| before[first] * after[nth + 1][left - first]).sum()
            };
            let others: Vec<f64> = (0..chain.ways.len().min(self.mines + 1)).map(others).collect();
            for (at, group) in chain.groups.iter().enumerate() {
                let load: f64 =
                    others.iter().zip(&chain.loads).map(|(others, loads)| others * loads[at]).sum();
                risks.push(Risk { cells: group.cells, risk: load / total / f64::from(group.size) });
            }
            before = convolve(&before, &chain.ways, self.mines);
        }
        let n = self.rest.len();
        if n > 0 {
            let load: f64 = before
                .iter()
                .enumerate()
                .map(|(used, ways)| {
                    let left = self.mines - used;
                    ways * choose(n, left) * left as f64
                })
                .sum();
            risks.push(Risk { cells: self.rest, risk: load / total / f64::from(n) });
        }
        risks
    }

    /// Mines that would explain what is seen, all such layouts alike.
    pub(super) fn draw(&self, rng: &mut Pcg) -> Cells {
        let after = self.after();
        let (mut mines, mut left) = (self.mined, self.mines);
        for (nth, chain) in self.chains.iter().enumerate() {
            let most = chain.ways.len().min(left + 1);
            let weights: Vec<f64> =
                (0..most).map(|used| chain.ways[used] * after[nth + 1][left - used]).collect();
            let used = pick(&weights, rng);
            mines = mines.or(chain.draw(used, rng));
            left -= used;
        }
        mines.or(draw(self.rest, left as u32, rng))
    }

    /// By chain and number of mines: the ways to lay them in this chain, those after it and the rest.
    fn after(&self) -> Vec<Vec<f64>> {
        let n = self.rest.len();
        let mut after = vec![(0..=self.mines).map(|mines| choose(n, mines)).collect::<Vec<f64>>()];
        for chain in self.chains.iter().rev() {
            let next = convolve(&chain.ways, &after[after.len() - 1], self.mines);
            after.push(next);
        }
        after.reverse();
        after
    }
}

impl Chain {
    /// Fills in ways and loads.
    fn count(&mut self) -> Option<()> {
        let most: u32 = self.groups.iter().map(|group| group.size).sum();
        let mut ways = vec![0.0; most as usize + 1];
        let mut loads = vec![vec![0.0; self.groups.len()]; most as usize + 1];
        self.search(&mut |mined, weight| {
            let mines: u32 = mined.iter().sum();
            ways[mines as usize] += weight;
            for (load, mined) in loads[mines as usize].iter_mut().zip(mined) {
                *load += weight * f64::from(*mined);
            }
        })?;
        (self.ways, self.loads) = (ways, loads);
        Some(())
    }

    /// One of the ways with so many mines.
    fn draw(&self, mines: usize, rng: &mut Pcg) -> Cells {
        let mut left = uniform(rng) * self.ways[mines];
        let mut chosen = None;
        // It was searched before, so it is not given up.
        _ = self.search(&mut |mined, weight| {
            if left >= 0.0 && mined.iter().sum::<u32>() as usize == mines {
                left -= weight;
                chosen = Some(mined.to_vec());
            }
        });
        let mined = chosen.unwrap_or_default();
        let drawn = self.groups.iter().zip(mined).map(|(group, mined)| draw(group.cells, mined, rng));
        drawn.fold(Cells::EMPTY, Cells::or)
    }

    /// Shows every way: the mines of each group, and in how many ways their cells can have them. Nothing when it is
    /// given up.
    fn search(&self, visit: &mut dyn FnMut(&[u32], f64)) -> Option<()> {
        let mut room = vec![0; self.clues.len()];
        for group in &self.groups {
            group.clues.iter().for_each(|&clue| room[clue] += group.size);
        }
        let (left, mined) = (self.clues.clone(), vec![0; self.groups.len()]);
        Search { chain: self, left, room, mined, steps: 0 }.assign(0, 1.0, visit)
    }
}

struct Search<'a> {
    chain: &'a Chain,
    /// By clue: mines that it still lacks.
    left: Vec<u32>,
    /// By clue: cells of groups that are still to come.
    room: Vec<u32>,
    /// By group.
    mined: Vec<u32>,
    steps: u32,
}

impl Search<'_> {
    /// Gives mines to this group and those after it, in all ways.
    fn assign(&mut self, nth: usize, weight: f64, visit: &mut dyn FnMut(&[u32], f64)) -> Option<()> {
        let chain = self.chain;
        let Some(group) = chain.groups.get(nth) else {
            visit(&self.mined, weight);
            return Some(());
        };
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return None;
        }
        group.clues.iter().for_each(|&clue| self.room[clue] -= group.size);
        let least = group.clues.iter().map(|&clue| self.left[clue].saturating_sub(self.room[clue])).max();
        let most = group.clues.iter().map(|&clue| self.left[clue]).min().unwrap_or(0).min(group.size);
        for mined in least.unwrap_or(0)..=most {
            group.clues.iter().for_each(|&clue| self.left[clue] -= mined);
            self.mined[nth] = mined;
            self.assign(nth + 1, weight * choose(group.size, mined as usize), visit)?;
            group.clues.iter().for_each(|&clue| self.left[clue] += mined);
        }
        group.clues.iter().for_each(|&clue| self.room[clue] += group.size);
        Some(())
    }
}

/// Sorts the cells of clues into groups, and these into chains.
fn chains(clues: &[Clue]) -> Vec<Chain> {
    let mut by_clues: BTreeMap<Vec<usize>, Cells> = BTreeMap::new();
    let all = clues.iter().fold(Cells::EMPTY, |all, clue| all.or(clue.cells));
    for cell in all.iter() {
        let touched = (0..clues.len()).filter(|&nth| clues[nth].cells.contains(cell)).collect();
        by_clues.entry(touched).or_default().insert(cell);
    }
    // Clues of one chain have the number of its first.
    let mut chain_of: Vec<usize> = (0..clues.len()).collect();
    for touched in by_clues.keys() {
        let first = touched.iter().map(|&clue| chain_of[clue]).min().unwrap_or(0);
        let joined: Vec<usize> = touched.iter().map(|&clue| chain_of[clue]).collect();
        chain_of.iter_mut().filter(|chain| joined.contains(chain)).for_each(|chain| *chain = first);
    }
    let mut chains: BTreeMap<usize, (Chain, Vec<usize>)> = BTreeMap::new();
    for (touched, cells) in by_clues {
        let empty = || Chain { groups: Vec::new(), clues: Vec::new(), ways: Vec::new(), loads: Vec::new() };
        let (chain, members) = chains.entry(chain_of[touched[0]]).or_insert_with(|| (empty(), Vec::new()));
        let mut local = |clue: usize| {
            members.iter().position(|member| *member == clue).unwrap_or_else(|| {
                members.push(clue);
                chain.clues.push(clues[clue].mines);
                members.len() - 1
            })
        };
        let touched = touched.into_iter().map(&mut local).collect();
        chain.groups.push(Group { cells, size: cells.len(), clues: touched });
    }
    chains.into_values().map(|(chain, _)| chain).collect()
}

/// The ways to get a sum of at most `most` from two independent numbers.
fn convolve(one: &[f64], other: &[f64], most: usize) -> Vec<f64> {
    let mut sums = vec![0.0; most + 1];
    for (a, ways) in one.iter().enumerate().take(most + 1).filter(|(_, ways)| **ways > 0.0) {
        for (b, more) in other.iter().enumerate().take(most + 1 - a) {
            sums[a + b] += ways * more;
        }
    }
    sums
}

/// The ways to choose `k` of `n`.
fn choose(n: u32, k: usize) -> f64 {
    if k > n as usize {
        return 0.0;
    }
    (0..k).fold(1.0, |ways, nth| ways * f64::from(n - nth as u32) / (nth + 1) as f64)
}

/// A place, with probability in proportion to its weight.
fn pick(weights: &[f64], rng: &mut Pcg) -> usize {
    let mut left = uniform(rng) * weights.iter().sum::<f64>();
    let mut last = 0;
    for (nth, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
        last = nth;
        left -= weight;
        if left < 0.0 {
            break;
        }
    }
    last
}

/// From 0 to below 1.
fn uniform(rng: &mut Pcg) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}
