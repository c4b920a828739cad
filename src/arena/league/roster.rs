//! Who is rated in each game: its built-in players, and mixes of them with random moves that fill the gaps between.

use crate::arena::engine::Game;

/// The players of a game's league, each once: its ladder, then the mixes.
pub fn of(game: &dyn Game) -> Vec<String> {
    let ladder = game.bots().into_iter().map(|bot| bot.name.to_owned());
    let slug = game.spec().slug;
    let mixes = MIXES
        .iter()
        .filter(|(of, ..)| *of == slug)
        .flat_map(|(_, player, shares)| shares.iter().map(move |share| format!("{player}+eps{share}")));
    let mut players: Vec<String> = ladder.chain(mixes).collect();
    let mut seen = std::collections::HashSet::new();
    players.retain(|player| seen.insert(player.clone()));
    players
}

/// Game, player, and the shares of random moves that it is mixed with. Chosen for steps that are alike: a share of 0.05
/// costs a strong player what 0.5 costs a weak one.
const MIXES: &[(&str, &str, &[&str])] = &[
    ("connect_four", "ab2", &["0.8", "0.6", "0.4", "0.33", "0.2", "0.12", "0.05"]),
    ("grid_serpents", "safe", &["0.5", "0.3", "0.1"]),
    ("grid_serpents", "greedy", &["0.25", "0.1"]),
    ("grid_serpents", "flood", &["0.1", "0.03"]),
    ("kolmogorov", "lz", &["0.6", "0.3", "0.1"]),
    ("kolmogorov", "model", &["0.7", "0.5", "0.35", "0.2", "0.1", "0.04"]),
    ("liars_dice", "count", &["0.4", "0.25", "0.1"]),
    ("liars_dice", "prob", &["0.25", "0.1"]),
    ("liars_dice", "infer", &["0.25", "0.1"]),
    ("market_simulator", "momentum-calm", &["0.25", "0.1"]),
    ("market_simulator", "news", &["0.15"]),
    ("market_simulator", "hybrid", &["0.2"]),
    ("market_simulator", "adaptive", &["0.6", "0.5", "0.35", "0.2", "0.1"]),
    ("minefield", "random", &["0.5"]),
    ("minefield", "single", &["0.2"]),
    ("minefield", "subset", &["0.25", "0.1"]),
    ("minefield", "exact", &["0.15", "0.05"]),
    ("multi_reversi", "positional", &["0.75", "0.5", "0.25", "0.1"]),
    ("multi_reversi", "ab3", &["0.25", "0.1"]),
    ("multi_reversi", "ab4", &["0.05"]),
    ("pot_limit_omaha_hilo", "station", &["0.3"]),
    ("pot_limit_omaha_hilo", "rock", &["0.3"]),
    ("pot_limit_omaha_hilo", "loose", &["0.3"]),
    ("pot_limit_omaha_hilo", "equity50", &["0.25"]),
    ("spe_recall", "log", &["0.5"]),
    ("spe_recall", "initials", &["0.25"]),
    ("spe_recall", "codebook", &["0.5", "0.25", "0.1", "0.03"]),
    ("transmit_receive", "raw", &["0.6", "0.3"]),
    ("transmit_receive", "rep3", &["0.5", "0.25", "0.1"]),
    ("transmit_receive", "linear", &["0.5", "0.25", "0.1", "0.04"]),
];
