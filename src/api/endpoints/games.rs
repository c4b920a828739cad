//! The catalogue.

use crate::api::model::{Game, GameDetail, GameSlug, Tags};
use crate::api::request::request;
use crate::api::{Call, Endpoint, List};

request! {
    /// Lists games.
    ///
    /// Free. The server may be silent for 30 s.
    pub struct ListGames {
        optional {
            /// Only games with this tag.
            tag: String,
        }
    }
}

impl List for ListGames {
    type Item = Game;
    const NAME: &'static str = "list games";
    const OPERATION: &'static str = "games.list";
    const COLLECTION: &'static str = "games";

    fn call(&self) -> Call {
        Call::get("/games").fields(self)
    }
}

request! {
    /// Gets a game with its rules.
    ///
    /// Free. The server may be silent for 30 s.
    pub struct GetGame {
        path {
            /// Which game, by its slug.
            slug: GameSlug,
        }
    }
}

impl Endpoint for GetGame {
    type Reply = GameDetail;
    const NAME: &'static str = "get game";
    const OPERATION: &'static str = "games.get";

    fn call(&self) -> Call {
        Call::get("/games").id("game", self.slug.as_str()).fields(self)
    }
}

request! {
    /// Gets the tags.
    ///
    /// Free. The server may be silent for 30 s.
    pub struct GetTags {
        optional {
            /// With the number of games for each tag.
            active: bool,
        }
    }
}

impl Endpoint for GetTags {
    type Reply = Tags;
    const NAME: &'static str = "get tags";
    const OPERATION: &'static str = "games.tags";

    fn call(&self) -> Call {
        // The SDK sends the word only when it is true.
        let active = self.active.filter(|active| *active);
        Call::get("/tags").fields(&Self { active, ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::model::Json;

    #[test]
    fn requests_have_the_sdks_shape() {
        // SDK 3.4.0 resources.py `Games`.
        assert_eq!(ListGames::new().call().target(), "/games");
        let strategy = ListGames::new().tag("strategy").param("q", Json::parse(r#""a b""#).expect("JSON"));
        assert_eq!(strategy.call().target(), "/games?tag=strategy&q=a%20b");
        assert_eq!(GetGame::new("chess").call().target(), "/games/chess");
        assert!(GetGame::new("a/b").call().fault().is_some());
        assert_eq!(GetTags::new().active(true).call().target(), "/tags?active=true");
        assert_eq!(GetTags::new().active(false).call().target(), "/tags");
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
