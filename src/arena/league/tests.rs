//! The tables that ship, and who is drawn from them.

use super::*;
use crate::arena::games::GAMES;

#[test]
fn every_game_has_a_league() {
    for game in GAMES {
        let slug = game.spec().slug;
        let entries = of(slug);
        assert!(entries.len() >= 9, "{slug} has {}", entries.len());
    }
}
