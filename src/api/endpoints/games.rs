//! The catalogue.

use crate::api::model::{Game, GameDetail, GameSlug, Tags};
use crate::api::{Call, Endpoint, List};

/// Lists games.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ListGames {
    /// Only games with this tag.
    pub tag: Option<String>,
    /// Further filters, sent as they are.
    pub filters: Vec<(String, String)>,
}

impl List for ListGames {
    type Item = Game;
    const NAME: &'static str = "list games";
    const COLLECTION: &'static str = "games";

    fn call(&self) -> Call {
        Call::get("/games").query("tag", self.tag.as_ref()).filters(&self.filters)
    }
}

/// Gets a game with its rules.
#[derive(Debug, Clone, PartialEq)]
pub struct GetGame<'a> {
    /// Which.
    pub slug: &'a GameSlug,
}

impl Endpoint for GetGame<'_> {
    type Reply = GameDetail;
    const NAME: &'static str = "get game";

    fn call(&self) -> Call {
        Call::get("/games").id("game", self.slug.as_str())
    }
}

/// Gets the tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GetTags {
    /// With the number of games for each.
    pub active: bool,
}

impl Endpoint for GetTags {
    type Reply = Tags;
    const NAME: &'static str = "get tags";

    fn call(&self) -> Call {
        Call::get("/tags").query("active", self.active.then_some(true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::model::Json;

    #[test]
    fn requests_have_the_sdks_shape() {
        // SDK 3.4.0 resources.py `Games`.
        assert_eq!(ListGames::default().call().target(), "/games");
        let strategy = ListGames { tag: Some("strategy".into()), filters: vec![("q".into(), "a b".into())] };
        assert_eq!(strategy.call().target(), "/games?tag=strategy&q=a%20b");
        assert_eq!(GetGame { slug: &"chess".into() }.call().target(), "/games/chess");
        assert!(GetGame { slug: &"a/b".into() }.call().fault().is_some());
        assert_eq!(GetTags { active: true }.call().target(), "/tags?active=true");
        assert_eq!(GetTags { active: false }.call().target(), "/tags");
    }

    #[test]
    fn a_recorded_game_is_read() {
        // The members the SDK reads (README, verifiers_env.py), in the arena's shape.
        let text = include_str!("../../../tests/data/game.json");
        let game: GameDetail = serde_json::from_str(text).expect("a game");
        assert_eq!((game.slug.as_str(), game.name.as_str()), ("market_simulator", "Market Simulator"));
        assert!(game.prompt.is_some_and(|prompt| prompt.contains("## Overview")));
        assert!(game.config.decode::<bool>("turn_isolated").is_some_and(|isolated| !isolated));
        assert_eq!(game.extra.get("house_rule").map(Json::get), Some("123456789012345678901234567890"));
    }
}
