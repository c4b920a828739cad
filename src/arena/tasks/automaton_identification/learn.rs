//! Learning by state merging: RPNI (Oncina and García, "Inferring regular languages in polynomial updated time", 1992).
//!
//! The examples form a tree of states; in the order of the words to them, each state is merged into an earlier one if
//! the examples allow it.

use super::Word;
use super::automaton::Automaton;

/// States that may have been merged.
#[derive(Clone)]
struct Merged {
    next: Vec<[Option<usize>; 2]>,
    label: Vec<Option<bool>>,
    /// Who a state was merged into; itself when it was not.
    into: Vec<usize>,
}

/// An automaton that agrees with all examples.
pub(super) fn automaton(examples: &[(Word, bool)]) -> Automaton {
    let (mut merged, order) = tree(examples);
    let mut kept = vec![0];
    for state in order {
        if merged.find(state) != state || kept.contains(&state) {
            continue;
        }
        let fitting = kept.iter().find_map(|&earlier| {
            let mut tried = merged.clone();
            tried.merge(earlier, state).then_some(tried)
        });
        match fitting {
            Some(fitting) => merged = fitting,
            None => kept.push(state),
        }
    }
    merged.automaton(&kept)
}

/// The tree of all words, and its states by the length of the words to them, then by the alphabet.
fn tree(examples: &[(Word, bool)]) -> (Merged, Vec<usize>) {
    let mut merged = Merged { next: vec![[None; 2]], label: vec![None], into: vec![0] };
    for (word, label) in examples {
        let mut state = 0;
        for letter in word {
            state = if let Some(next) = merged.next[state][usize::from(*letter)] {
                next
            } else {
                let new = merged.next.len();
                merged.next[state][usize::from(*letter)] = Some(new);
                merged.next.push([None; 2]);
                merged.label.push(None);
                merged.into.push(new);
                new
            };
        }
        merged.label[state] = Some(*label);
    }
    let mut order = vec![0];
    let mut at = 0;
    while at < order.len() {
        order.extend(merged.next[order[at]].into_iter().flatten());
        at += 1;
    }
    (merged, order)
}

impl Merged {
    fn find(&self, mut state: usize) -> usize {
        while self.into[state] != state {
            state = self.into[state];
        }
        state
    }

    /// Merges two states and all that has to follow; false when labels stand against it.
    fn merge(&mut self, keep: usize, gone: usize) -> bool {
        let mut open = vec![(keep, gone)];
        while let Some((keep, gone)) = open.pop() {
            let (keep, gone) = (self.find(keep), self.find(gone));
            if keep == gone {
                continue;
            }
            match (self.label[keep], self.label[gone]) {
                (Some(a), Some(b)) if a != b => return false,
                (None, label) => self.label[keep] = label,
                _ => {}
            }
            self.into[gone] = keep;
            for letter in 0..2 {
                match (self.next[keep][letter], self.next[gone][letter]) {
                    (Some(a), Some(b)) => open.push((a, b)),
                    (None, next) => self.next[keep][letter] = next,
                    _ => {}
                }
            }
        }
        true
    }

    /// What nobody knows leads to the start, and is rejected.
    fn automaton(&self, kept: &[usize]) -> Automaton {
        let number = |state: usize| {
            let state = self.find(state);
            kept.iter().position(|kept| *kept == state).unwrap_or(0)
        };
        let next = |state: &usize| self.next[*state].map(|next| next.map_or(0, number));
        let accepting = kept.iter().map(|state| self.label[*state] == Some(true));
        Automaton { start: 0, next: kept.iter().map(next).collect(), accepting: accepting.collect() }
    }
}
