//! The ladder of built-in players: functions of what a tick shows, so none remembers more than its notepad says.
//!
//! They differ in how they write: as plain text or in codes, every fact or one a key, and in what goes when it is full.

use super::world::{Fact, Key, WORDS};
use super::{Action, Notepad, SpeRecall, View};
use crate::arena::engine::rng::{Pcg, mix};
use crate::arena::engine::{Bot, BotSpec};

/// Weakest first.
pub(super) const ALL: &[BotSpec<SpeRecall>] = &[
    BotSpec { name: "random", about: "notes nothing and guesses", make: |_| Box::new(Pure(guess)) },
    BotSpec { name: "silent", about: "notes nothing and answers nothing", make: |_| Box::new(Pure(silence)) },
    BotSpec {
        name: "log",
        about: "the newest facts as plain text",
        make: |_| Box::new(Pure(|view| write(view, Style::Plain, Keep::EveryFact))),
    },
    BotSpec {
        name: "table",
        about: "one line of plain text a key; the oldest goes when it is full",
        make: |_| Box::new(Pure(|view| write(view, Style::Plain, Keep::NewestOfKey))),
    },
    BotSpec {
        name: "touched",
        about: "as table, but what was asked for counts as new",
        make: |_| Box::new(Pure(|view| write(view, Style::Plain, Keep::TouchedOfKey))),
    },
    BotSpec {
        name: "initials",
        about: "the newest facts as keys with the first letters of their values",
        make: |_| Box::new(Pure(|view| write(view, Style::Initials, Keep::EveryFact))),
    },
    BotSpec {
        name: "codes",
        about: "the newest facts in codes of two bytes",
        make: |_| Box::new(Pure(|view| write(view, Style::Codes, Keep::EveryFact))),
    },
    BotSpec {
        name: "codebook",
        about: "one code of two bytes a key; what was not told or asked for the longest time goes when it is full",
        make: |_| Box::new(Pure(|view| write(view, Style::Codes, Keep::TouchedOfKey))),
    },
];

/// A function of what is shown.
struct Pure(fn(&View<'_>) -> Action);

impl Bot<SpeRecall> for Pure {
    fn act(&mut self, view: &View<'_>) -> Action {
        (self.0)(view)
    }
}

fn guess(view: &View<'_>) -> Action {
    // By what is asked and when: a stream of its own would be a memory.
    let answer = view.query.map(|key| {
        let name =
            view.keys[usize::from(key)].as_str().bytes().fold(0, |name, byte| name << 8 | u64::from(byte));
        Pcg::new(mix(&[u64::from(view.tick), name])).below(WORDS.len() as u64) as u8
    });
    Action { answer, write: None }
}

fn silence(_: &View<'_>) -> Action {
    Action::default()
}

/// How a fact is written.
#[derive(Clone, Copy, PartialEq)]
enum Style {
    /// `qx=amber;`
    Plain,
    /// `qxa`: no two values begin alike.
    Initials,
    /// `Ca`: the key's place, the value's.
    Codes,
}

/// Which facts stay.
#[derive(Clone, Copy, PartialEq)]
enum Keep {
    EveryFact,
    NewestOfKey,
    TouchedOfKey,
}

fn write(view: &View<'_>, style: Style, keep: Keep) -> Action {
    // Oldest first.
    let mut notes = style.read(view.keys, view.notepad);
    for fact in view.facts {
        if keep != Keep::EveryFact {
            notes.retain(|note| note.key != fact.key);
        }
        notes.push(*fact);
    }
    let found = view.query.and_then(|key| notes.iter().rposition(|note| note.key == key));
    let answer = found.map(|nth| notes[nth].word);
    if let Some(nth) = found.filter(|_| keep == Keep::TouchedOfKey) {
        notes[nth..].rotate_left(1);
    }
    let text = notes.into_iter().map(|note| style.write(view.keys, note)).collect::<Vec<String>>();
    let first =
        (0..text.len()).find(|first| text[*first..].iter().map(String::len).sum::<usize>() <= view.capacity);
    let text = first.map(|first| text[first..].concat()).unwrap_or_default();
    let write = Notepad::from(&text).ok().filter(|text| text.as_str() != view.notepad);
    Action { write, answer }
}

impl Style {
    fn write(self, keys: &[Key], fact: Fact) -> String {
        match self {
            Self::Plain => plain(keys, fact),
            Self::Initials => {
                format!("{}{}", keys[usize::from(fact.key)].as_str(), &WORDS[usize::from(fact.word)][..1])
            }
            Self::Codes => [b'A' + fact.key, b'a' + fact.word].map(char::from).iter().collect(),
        }
    }

    /// What can be read; the rest is skipped.
    fn read(self, keys: &[Key], text: &str) -> Vec<Fact> {
        let mut notes = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let note = self.first(keys, rest);
            let width =
                note.map_or_else(|| rest.chars().next().map_or(1, char::len_utf8), |(_, width)| width);
            notes.extend(note.map(|(fact, _)| fact));
            rest = &rest[width..];
        }
        notes
    }

    /// The fact that a text begins with, and its bytes.
    fn first(self, keys: &[Key], text: &str) -> Option<(Fact, usize)> {
        let named = || keys.iter().position(|key| text.starts_with(key.as_str()));
        let fact = |key: usize, word: usize| Fact { key: key as u8, word: word as u8 };
        match self {
            Self::Plain => {
                let (key, value) = (named()?, text.get(2..)?.strip_prefix('=')?);
                let word = WORDS.iter().position(|word| value.starts_with(word))?;
                Some((fact(key, word), 4 + WORDS[word].len())).filter(|(_, width)| *width <= text.len())
            }
            Self::Initials => {
                let (key, value) = (named()?, text.get(2..3)?);
                let word = WORDS.iter().position(|word| word.starts_with(value))?;
                Some((fact(key, word), 3))
            }
            Self::Codes => {
                let &[key, word, ..] = text.as_bytes() else { return None };
                let (key, word) = (key.checked_sub(b'A')?, word.checked_sub(b'a')?);
                let is_known = usize::from(key) < keys.len() && usize::from(word) < WORDS.len();
                is_known.then_some((Fact { key, word }, 2))
            }
        }
    }
}

/// A fact as plain text.
pub(super) fn plain(keys: &[Key], fact: Fact) -> String {
    format!("{}={};", keys[usize::from(fact.key)].as_str(), WORDS[usize::from(fact.word)])
}

/// Two texts, less so much of the beginning that it fits.
pub(super) fn newest(old: &str, new: &str, capacity: usize) -> Notepad {
    let all = [old, new].concat();
    let cut = (all.len().saturating_sub(capacity)..=all.len()).find(|cut| all.is_char_boundary(*cut));
    Notepad::from(&all[cut.unwrap_or(all.len())..]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::games::spe_recall::world::World;

    #[test]
    fn every_style_reads_what_it_writes() {
        let world = World::new(24, 5);
        let facts: Vec<Fact> = (0..24).map(|key| Fact { key, word: (key * 7 + 3) % 16 }).collect();
        for style in [Style::Plain, Style::Initials, Style::Codes] {
            let text: String = facts.iter().map(|fact| style.write(world.keys(), *fact)).collect();
            assert_eq!(style.read(world.keys(), &text), facts, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_skipped() {
        let world = World::new(14, 5);
        let note = Style::Codes.write(world.keys(), Fact { key: 3, word: 4 });
        let text = format!("ä=;{note}?Zz{note}");
        assert_eq!(Style::Codes.read(world.keys(), &text), [Fact { key: 3, word: 4 }; 2]);
        for style in [Style::Plain, Style::Initials] {
            assert_eq!(style.read(world.keys(), "ÄÖ=;\u{1f600}=="), []);
        }
    }

    #[test]
    fn a_cut_never_splits_a_letter() {
        assert_eq!(newest("ääää", "xy", 5).as_str(), "äxy");
        assert_eq!(newest("abc", "", 5).as_str(), "abc");
    }
}
