//! The games: one module each, one line each in [`GAMES`].
//!
//! What all of them promise is tested here, once for all (`conformance`): a new game has nothing to do for it but
//! to be listed.

use super::engine::Game;

pub mod connect_four;
pub mod grid_serpents;
pub mod kolmogorov;
pub mod liars_dice;
pub mod market_simulator;
pub mod minefield;
pub mod multi_reversi;
pub mod pot_limit_omaha_hilo;
pub mod spe_recall;
pub mod transmit_receive;

/// Every game, by slug.
pub static GAMES: &[&dyn Game] = &[
    &connect_four::ConnectFour,
    &grid_serpents::GridSerpents,
    &kolmogorov::Kolmogorov,
    &liars_dice::LiarsDice,
    &market_simulator::MarketSimulator,
    &minefield::Minefield,
    &multi_reversi::MultiReversi,
    &pot_limit_omaha_hilo::PotLimitOmahaHilo,
    &spe_recall::SpeRecall,
    &transmit_receive::TransmitReceive,
];

/// The game with this slug.
pub fn find(slug: &str) -> Option<&'static dyn Game> {
    GAMES.iter().copied().find(|game| game.spec().slug == slug)
}

/// Tags that say something about the same side of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TagGroup {
    /// What they are about.
    pub name: &'static str,
    /// In the order in which they are shown.
    pub tags: &'static [&'static str],
}

/// All tags. A game has exactly one of each group in [`EXCLUSIVE_GROUPS`].
pub const TAXONOMY: &[TagGroup] = &[
    TagGroup { name: "form", tags: &["board", "card", "dice", "grid", "market", "puzzle", "signal"] },
    TagGroup {
        name: "skill",
        tags: &[
            "strategy",
            "spatial",
            "memory",
            "bluffing",
            "compression",
            "planning",
            "economics",
            "probability",
            "theory_of_mind",
            "cooperation",
        ],
    },
    TagGroup { name: "interaction", tags: &["solo", "competitive", "coop"] },
    TagGroup { name: "information", tags: &["perfect_information", "hidden_information"] },
    TagGroup { name: "timing", tags: &["turn_based", "simultaneous"] },
    TagGroup { name: "engine", tags: &["code", "difficulty", "turn_isolated", "forkable"] },
];

/// The groups of which a game has exactly one tag.
pub const EXCLUSIVE_GROUPS: &[&str] = &["interaction", "information", "timing"];

#[cfg(test)]
mod conformance;
