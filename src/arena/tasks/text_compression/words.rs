//! Texts of phrases that are made of phrases.

use crate::arena::engine::rng::Pcg;
use crate::arena::tasks::level::Level;

const THINGS: &[&str] = &[
    "heron", "lantern", "orchard", "ferry", "kettle", "harbour", "violin", "meadow", "chimney", "ladder",
    "pebble", "bakery", "compass", "thicket", "saddle", "mirror", "tunnel", "anchor", "walnut", "cellar",
    "bridge", "puddle", "carpet", "turnip", "beacon", "hedgehog", "needle", "glacier", "furnace", "pillow",
];
const QUALITIES: &[&str] = &[
    "crooked", "silent", "amber", "hollow", "narrow", "patient", "rusty", "early", "gentle", "painted",
    "distant", "frosty", "clever", "broken", "velvet", "restless", "salty", "golden", "foreign", "humble",
];
const DEEDS: &[&str] = &[
    "follows", "hides", "carries", "forgets", "mends", "admires", "crosses", "borrows", "shelters",
    "measures", "polishes", "guards", "repeats", "welcomes", "gathers", "ignores",
];
const PLACES: &[&str] = &[
    "near the mill",
    "before dawn",
    "under the eaves",
    "in late autumn",
    "beyond the gate",
    "along the quay",
    "after the rain",
    "behind the barn",
    "by candlelight",
    "on market day",
];
const JOINTS: &[&str] = &["and then ", "while ", "because ", "so that ", "although ", "until "];

/// A text with the level's length, nesting and share of stray words. Words end with a space.
pub(super) fn text(rng: &mut Pcg, level: Level) -> String {
    let length = level.length(300, 6_000);
    let nesting = level.between(1, 4);
    let stray_in_thousand = level.between(0, 150) as u64;
    let mut phrases: Vec<String> = (0..2 + length / 350).map(|_| phrase(rng)).collect();
    for _ in 1..nesting {
        phrases = (0..phrases.len().div_ceil(2).max(3)).map(|_| joined(rng, &phrases)).collect();
    }
    let mut text = String::with_capacity(length + 200);
    while text.len() < length {
        for word in pick(rng, &phrases).split_inclusive(' ') {
            if rng.below(1_000) < stray_in_thousand {
                let stray = if rng.one_in(2) { pick(rng, THINGS) } else { pick(rng, QUALITIES) };
                text.push_str(stray);
                text.push(' ');
            }
            text.push_str(word);
        }
    }
    // At the end of a word.
    let end = text[..length].rfind(' ').map_or(length, |space| space + 1);
    text.truncate(end);
    text
}

fn phrase(rng: &mut Pcg) -> String {
    let [who, what] = [(); 2].map(|()| pick(rng, THINGS));
    let (how, deed, place) = (pick(rng, QUALITIES), pick(rng, DEEDS), pick(rng, PLACES));
    format!("the {how} {who} {deed} a {what} {place} ")
}

fn joined(rng: &mut Pcg, phrases: &[String]) -> String {
    let parts = rng.between(2, 3);
    let mut whole = pick(rng, phrases).clone();
    for _ in 1..parts {
        whole += *pick(rng, JOINTS);
        whole += pick(rng, phrases).as_str();
    }
    whole
}

fn pick<'a, T>(rng: &mut Pcg, items: &'a [T]) -> &'a T {
    &items[rng.below(items.len() as u64) as usize]
}
