//! Who can decide in a player's place: one provider, whose models are the built-in players of each game.

use serde_json::{Map, Value, json};

use super::catalogue::Games;
use super::engine::Game;

/// The provider that every arena has.
pub const BUILT_IN: &str = "arena";

/// All providers, as they go out. Which models a game has is in `models_by_game`.
pub fn list(games: Games) -> Value {
    let mut all: Vec<&str> = games.iter().flat_map(|game| names(*game)).collect();
    all.sort_unstable();
    all.dedup();
    let by_game: Map<String, Value> =
        games.iter().map(|game| (game.spec().slug.to_owned(), json!(names(*game)))).collect();
    json!([{
        "provider_id": BUILT_IN,
        "name": "built-in players",
        "allowed_models": all,
        "models_by_game": by_game,
    }])
}

/// The built-in player that a provider's model is; without a model the one in the middle of the ladder. A name may have
/// slips: `ab4+eps0.25`.
///
/// # Errors
/// Says what there is.
pub fn player(game: &dyn Game, provider_id: &str, model: Option<&str>) -> Result<String, String> {
    if provider_id != BUILT_IN {
        return Err(format!("there is no provider `{provider_id}`: this arena has `{BUILT_IN}`"));
    }
    let names = names(game);
    let Some(model) = model.or_else(|| names.get(names.len() / 2).copied()) else {
        return Err(format!("`{}` has no built-in players", game.spec().slug));
    };
    if game.player(model, 0).is_none() {
        return Err(format!(
            "`{BUILT_IN}` has no model `{model}` for `{}`: it has `{}`, each also with slips (`NAME+eps0.25`)",
            game.spec().slug,
            names.join("`, `"),
        ));
    }
    Ok(model.to_owned())
}

fn names(game: &dyn Game) -> Vec<&'static str> {
    game.bots().iter().map(|bot| bot.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::games::{self, GAMES};

    #[test]
    fn a_model_is_a_player_of_the_game_and_a_refusal_says_what_there_is() {
        let game = games::find("connect_four").unwrap();
        assert_eq!(player(game, BUILT_IN, Some("ab4")).unwrap(), "ab4");
        assert_eq!(player(game, BUILT_IN, Some("ab4+eps0.25")).unwrap(), "ab4+eps0.25");
        assert!(game.bots().iter().any(|bot| bot.name == player(game, BUILT_IN, None).unwrap()));
        let unknown = player(game, BUILT_IN, Some("gpt")).unwrap_err();
        assert!(unknown.contains("`gpt`") && unknown.contains("`ab4`"), "{unknown}");
        assert!(player(game, "mine", None).unwrap_err().contains("has `arena`"));
    }

    #[test]
    fn the_list_is_what_the_client_reads() {
        use crate::api::model::{Provider, Rows};
        let rows: Rows<Provider> = serde_json::from_value(list(GAMES)).unwrap();
        let [provider] = &rows.items[..] else { panic!("one provider") };
        assert_eq!(provider.provider_id.as_str(), BUILT_IN);
        assert!(provider.allowed_models.as_ref().unwrap().iter().any(|model| model == "ab4"));
    }
}
