//! Complete deterministic automata over two letters.

use std::collections::BTreeSet;

use super::Word;
use crate::arena::engine::rng::Pcg;

/// An automaton; states are numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Automaton {
    pub(super) start: usize,
    /// Where `a` and `b` lead.
    pub(super) next: Vec<[usize; 2]>,
    pub(super) accepting: Vec<bool>,
}

impl Automaton {
    /// Whether it accepts the word.
    pub(super) fn accepts(&self, word: &[bool]) -> bool {
        self.accepting[word.iter().fold(self.start, |state, letter| self.next[state][usize::from(*letter)])]
    }
}

/// An automaton that has no smaller equivalent.
pub(super) fn draw(rng: &mut Pcg, states: usize) -> Automaton {
    loop {
        let state = |rng: &mut Pcg| rng.below(states as u64) as usize;
        let next: Vec<[usize; 2]> = (0..states).map(|_| [state(rng), state(rng)]).collect();
        let accepting: Vec<bool> = (0..states).map(|_| rng.one_in(2)).collect();
        let automaton = Automaton { start: 0, next, accepting };
        let all_differ = || {
            let mut pairs = (0..states).flat_map(|a| (0..a).map(move |b| (a, b)));
            pairs.all(|(a, b)| telling_suffix(&automaton, a, b).is_some())
        };
        if paths(&automaton).iter().all(Option::is_some) && all_differ() {
            return automaton;
        }
    }
}

/// The shortest word to each state; nothing for one that cannot be reached.
fn paths(automaton: &Automaton) -> Vec<Option<Word>> {
    let mut paths: Vec<Option<Word>> = vec![None; automaton.next.len()];
    paths[automaton.start] = Some(Vec::new());
    let mut queue = std::collections::VecDeque::from([automaton.start]);
    while let Some(state) = queue.pop_front() {
        for letter in [false, true] {
            let next = automaton.next[state][usize::from(letter)];
            if paths[next].is_none() {
                let mut path = paths[state].clone().unwrap_or_default();
                path.push(letter);
                paths[next] = Some(path);
                queue.push_back(next);
            }
        }
    }
    paths
}

/// A shortest word that one state accepts and the other does not.
fn telling_suffix(automaton: &Automaton, a: usize, b: usize) -> Option<Word> {
    difference(automaton, a, automaton, b)
}

fn difference(one: &Automaton, from: usize, other: &Automaton, other_from: usize) -> Option<Word> {
    let mut seen = BTreeSet::from([(from, other_from)]);
    let mut queue = std::collections::VecDeque::from([(from, other_from, Vec::new())]);
    while let Some((a, b, word)) = queue.pop_front() {
        if one.accepting[a] != other.accepting[b] {
            return Some(word);
        }
        for letter in [false, true] {
            let (a, b) = (one.next[a][usize::from(letter)], other.next[b][usize::from(letter)]);
            if seen.insert((a, b)) {
                let mut word = word.clone();
                word.push(letter);
                queue.push_back((a, b, word));
            }
        }
    }
    None
}

/// Whether two automata accept the same words.
pub(super) fn is_equivalent(one: &Automaton, other: &Automaton) -> bool {
    difference(one, one.start, other, other.start).is_none()
}

/// Words that leave a learner by state merging no choice: the shortest word to each state, with and without a letter
/// behind it, continued by words that tell the states apart.
pub(super) fn telling_words(automaton: &Automaton) -> BTreeSet<Word> {
    let states = automaton.next.len();
    let paths: Vec<Word> = paths(automaton).into_iter().flatten().collect();
    let suffixes: BTreeSet<Word> = (0..states)
        .flat_map(|a| (0..a).filter_map(move |b| telling_suffix(automaton, a, b)))
        .chain([Vec::new()])
        .collect();
    let longer = paths.iter().flat_map(|path| [false, true].map(|letter| [&path[..], &[letter]].concat()));
    let stems: BTreeSet<Word> = longer.chain(paths.iter().cloned()).collect();
    stems.iter().flat_map(|stem| suffixes.iter().map(move |suffix| [&stem[..], suffix].concat())).collect()
}
