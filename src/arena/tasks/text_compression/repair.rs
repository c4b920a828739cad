//! Re-Pair on words (Larsson and Moffat, "Off-line dictionary-based compression", 1999): the most frequent pair of
//! neighbours becomes a rule until none comes twice; then rules that cost more than they save are taken back.
//!
//! On words, because a letter costs less than a reference: what pays is seldom shorter than a word.

use std::collections::HashMap;

use super::grammar::{Grammar, Item, RULE_COST};

/// A word by its number, or behind the words a rule.
type Symbol = usize;

/// Rules over the words of a text.
struct Draft<'a> {
    words: Vec<&'a str>,
    /// What the rules stand for; the symbol of rule `r` is `words.len() + r`. `None` for one that was taken back.
    rules: Vec<Option<Vec<Symbol>>>,
    start: Vec<Symbol>,
}

/// A small grammar of a text.
pub(super) fn grammar(text: &str) -> Grammar {
    let mut draft = Draft::new(text);
    while let Some(pair) = draft.most_frequent_pair() {
        draft.replace(pair);
    }
    while draft.take_back() {}
    draft.grammar()
}

/// The grammar with one rule, for the run of up to eight words that saves most.
pub(super) fn one_rule(text: &str) -> Grammar {
    let mut counts: HashMap<&str, (usize, usize)> = HashMap::new();
    let ends: Vec<usize> = std::iter::once(0).chain(text.match_indices(' ').map(|(at, _)| at + 1)).collect();
    for (nth, &from) in ends.iter().enumerate() {
        for &to in ends[nth + 1..].iter().take(8) {
            let entry = counts.entry(&text[from..to]).or_insert((0, 0));
            // Runs that overlap the last one counted cannot be replaced as well.
            if entry.0 == 0 || from >= entry.1 {
                *entry = (entry.0 + 1, to);
            }
        }
    }
    let saving =
        |run: &str, count: usize| (count * run.len()) as i64 - (run.len() + 2 * count + RULE_COST) as i64;
    let best = counts.iter().map(|(run, (count, _))| (saving(run, *count), *run)).max();
    let Some((_, run)) = best.filter(|(saved, _)| *saved > 0) else {
        return Grammar { rules: vec![vec![Item::Literal(text.to_owned())]], start: 0 };
    };
    let mut start = Vec::new();
    for (nth, part) in text.split(run).enumerate() {
        if nth > 0 {
            start.push(Item::Reference(0));
        }
        if !part.is_empty() {
            start.push(Item::Literal(part.to_owned()));
        }
    }
    Grammar { rules: vec![vec![Item::Literal(run.to_owned())], start], start: 1 }
}

impl<'a> Draft<'a> {
    /// Every word that comes twice is a rule at first.
    fn new(text: &'a str) -> Self {
        let mut numbers: HashMap<&str, Symbol> = HashMap::new();
        let mut words = Vec::new();
        let mut start: Vec<Symbol> = Vec::new();
        for word in text.split_inclusive(' ') {
            start.push(*numbers.entry(word).or_insert_with(|| {
                words.push(word);
                words.len() - 1
            }));
        }
        let rules = (0..words.len()).map(|word| Some(vec![word])).collect();
        for symbol in &mut start {
            *symbol += words.len();
        }
        Self { words, rules, start }
    }

    /// Of equally frequent pairs the one of the lowest numbers, so that one text has one grammar.
    fn most_frequent_pair(&self) -> Option<[Symbol; 2]> {
        let mut counts: HashMap<[Symbol; 2], (usize, usize)> = HashMap::new();
        for (at, pair) in self.start.windows(2).enumerate() {
            let entry = counts.entry([pair[0], pair[1]]).or_insert((0, 0));
            if entry.0 == 0 || at > entry.1 + 1 || pair[0] != pair[1] {
                *entry = (entry.0 + 1, at);
            }
        }
        let most = counts.into_iter().max_by_key(|(pair, (count, _))| (*count, std::cmp::Reverse(*pair)));
        most.filter(|(_, (count, _))| *count > 1).map(|(pair, _)| pair)
    }

    fn replace(&mut self, pair: [Symbol; 2]) {
        let new = self.words.len() + self.rules.len();
        self.rules.push(Some(pair.to_vec()));
        let mut left = std::mem::take(&mut self.start).into_iter().peekable();
        while let Some(symbol) = left.next() {
            let is_pair = symbol == pair[0] && left.next_if_eq(&pair[1]).is_some();
            self.start.push(if is_pair { new } else { symbol });
        }
    }

    /// Puts the bodies of rules that do not pay in their places; false when all do.
    fn take_back(&mut self) -> bool {
        let mut changed = false;
        for rule in 0..self.rules.len() {
            let Some(body) = &self.rules[rule] else { continue };
            let symbol = self.words.len() + rule;
            let uses = self.bodies().flatten().filter(|used| **used == symbol).count();
            let cost: usize = body.iter().map(|part| self.price(*part)).sum();
            if cost * uses > cost + RULE_COST + 2 * uses {
                continue;
            }
            let body = body.clone();
            self.rules[rule] = None;
            let bodies = self.rules.iter_mut().flatten().chain(std::iter::once(&mut self.start));
            for user in bodies.filter(|user| user.contains(&symbol)) {
                let parts = std::mem::take(user).into_iter();
                *user =
                    parts.flat_map(|part| if part == symbol { body.clone() } else { vec![part] }).collect();
            }
            changed = true;
        }
        changed
    }

    fn bodies(&self) -> impl Iterator<Item = &Vec<Symbol>> {
        self.rules.iter().flatten().chain(std::iter::once(&self.start))
    }

    fn price(&self, symbol: Symbol) -> usize {
        self.words.get(symbol).map_or(2, |word| word.len())
    }

    fn grammar(&self) -> Grammar {
        let mut numbers = vec![0; self.rules.len()];
        let kept = (0..self.rules.len()).filter(|&rule| self.rules[rule].is_some());
        kept.enumerate().for_each(|(number, rule)| numbers[rule] = number);
        let body = |symbols: &Vec<Symbol>| {
            let mut items: Vec<Item> = Vec::new();
            for &symbol in symbols {
                match (self.words.get(symbol), items.last_mut()) {
                    (Some(word), Some(Item::Literal(text))) => text.push_str(word),
                    (Some(word), _) => items.push(Item::Literal((*word).to_owned())),
                    (None, _) => items.push(Item::Reference(numbers[symbol - self.words.len()])),
                }
            }
            items
        };
        let rules: Vec<_> = self.bodies().map(body).collect();
        let start = rules.len() - 1;
        Grammar { rules, start }
    }
}
