//! Who can decide in a player's place, and who can write a submission.
//!
//! Every arena has two providers: `arena`, whose models are the built-in players of each game and decide turns, and the
//! offline [`writer`] of programs. Endpoints that the user has registered (`gert arena provider add`) write programs, too.

pub mod writer;

use serde_json::{Map, Value, json};

use self::writer::Size;
use super::catalogue::Games;
use super::engine::Game;
use super::error::ArenaError;
use super::generation::model::Model;
use super::store::providers::{self as rows, ProviderRow};
use super::store::{Store, StoreError};
use crate::policy::Endpoint;

/// The provider of players that every arena has.
pub const BUILT_IN: &str = "arena";

/// All providers, as they go out. Which models a game has is in `models_by_game`.
pub fn list(games: Games, endpoints: &[ProviderRow]) -> Value {
    let mut all: Vec<&str> = games.iter().flat_map(|game| names(*game)).collect();
    all.sort_unstable();
    all.dedup();
    let by_game: Map<String, Value> =
        games.iter().map(|game| (game.spec().slug.to_owned(), json!(names(*game)))).collect();
    let mut list = vec![
        json!({
            "provider_id": BUILT_IN,
            "name": "built-in players",
            "allowed_models": all,
            "models_by_game": by_game,
            "writes_programs": false,
        }),
        Author::Writer.json(),
    ];
    list.extend(endpoints.iter().cloned().map(|row| Author::Endpoint(row).json()));
    list.into()
}

/// A provider that writes programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Author {
    /// The offline one.
    Writer,
    /// A registered endpoint.
    Endpoint(ProviderRow),
}

impl Author {
    /// The provider of this id.
    ///
    /// # Errors
    /// There is none, or it is one of players: says what there is.
    pub async fn find(store: &Store, provider_id: &str) -> Result<Self, ArenaError> {
        if provider_id == writer::PROVIDER_ID {
            return Ok(Self::Writer);
        }
        let id = provider_id.to_owned();
        let find = move |connection: &rusqlite::Connection| -> Result<_, StoreError> {
            Ok((rows::get(connection, &id)?, rows::list(connection)?))
        };
        let (found, all) = store.read(find).await?;
        found.map(Self::Endpoint).ok_or_else(|| {
            let mut ids = vec![writer::PROVIDER_ID];
            ids.extend(all.iter().map(|row| row.provider_id.as_str()));
            let problem =
                if provider_id == BUILT_IN { "plays and writes no programs" } else { "is not known" };
            ArenaError::invalid(
                "custom_provider_id",
                format_args!("`{provider_id}` {problem}: those that write are `{}`", ids.join("`, `")),
            )
        })
    }

    /// Its id.
    pub fn provider_id(&self) -> &str {
        match self {
            Self::Writer => writer::PROVIDER_ID,
            Self::Endpoint(row) => &row.provider_id,
        }
    }

    /// Its name, as submissions are labelled with it.
    pub fn name(&self) -> &str {
        match self {
            Self::Writer => writer::NAME,
            Self::Endpoint(row) => &row.name,
        }
    }

    /// Whose it is (protocol.md §2.5); the platform's own word is not used for ours.
    pub fn source(&self) -> &'static str {
        match self {
            Self::Writer => BUILT_IN,
            Self::Endpoint(_) => "org:local",
        }
    }

    /// Its models, the one that is used when nobody says first.
    pub fn models(&self) -> Vec<&str> {
        match self {
            Self::Writer => Size::ALL.iter().rev().map(|size| size.model()).collect(),
            Self::Endpoint(row) => row.models.iter().map(String::as_str).collect(),
        }
    }

    /// Checks a model, or gives the usual one.
    ///
    /// # Errors
    /// `field` names one that it does not have.
    pub fn model(&self, field: &str, model: Option<String>) -> Result<String, ArenaError> {
        let models = self.models();
        let Some(model) = model.or_else(|| models.first().map(|model| (*model).to_owned())) else {
            return Err(ArenaError::invalid(field, "is required: the provider has no models"));
        };
        if !models.contains(&model.as_str()) {
            let problem = format!("must be one of the provider's: `{}`", models.join("`, `"));
            return Err(ArenaError::invalid(field, problem));
        }
        Ok(model)
    }

    /// Makes ready to ask one of its models.
    ///
    /// # Errors
    /// What is missing, such as the key in its variable.
    pub fn open(&self, model: &str) -> Result<Model, String> {
        match self {
            Self::Writer => Size::from_model(model)
                .map(Model::Writer)
                .ok_or_else(|| format!("`{}` has no model `{model}`", writer::PROVIDER_ID)),
            Self::Endpoint(row) => Model::endpoint(&Endpoint {
                url: row.base_url.clone(),
                model: model.to_owned(),
                key_env: row.key_env.clone(),
            }),
        }
    }

    fn json(&self) -> Value {
        json!({
            "provider_id": self.provider_id(),
            "name": self.name(),
            "allowed_models": self.models(),
            "writes_programs": true,
        })
    }
}

/// The built-in player that a provider's model is; without a model the one in the middle of the ladder. A name may have
/// slips: `ab4+eps0.25`.
///
/// # Errors
/// Says what there is.
pub fn player(game: &dyn Game, provider_id: &str, model: Option<&str>) -> Result<String, String> {
    if provider_id == writer::PROVIDER_ID {
        return Err(format!(
            "`{provider_id}` writes programs and takes no turns: players are `{BUILT_IN}`'s"
        ));
    }
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
        assert!(player(game, writer::PROVIDER_ID, None).unwrap_err().contains("writes programs"));
    }

    #[test]
    fn the_list_is_what_the_client_reads() {
        use crate::api::model::{Provider, Rows};
        let endpoint = ProviderRow {
            provider_id: "pr_1".into(),
            name: "mine".into(),
            base_url: "http://127.0.0.1:1/v1".into(),
            models: vec!["m".into()],
            key_env: Some("SECRET_NAME".into()),
        };
        let list = list(GAMES, &[endpoint]);
        assert!(!list.to_string().contains("SECRET_NAME"));
        let rows: Rows<Provider> = serde_json::from_value(list).unwrap();
        let ids: Vec<&str> = rows.items.iter().map(|provider| provider.provider_id.as_str()).collect();
        assert_eq!(ids, [BUILT_IN, writer::PROVIDER_ID, "pr_1"]);
        let models = |n: usize| rows.items[n].allowed_models.as_ref().unwrap();
        assert!(models(0).iter().any(|model| model == "ab4"));
        assert_eq!(models(1)[..], ["templates-large", "templates-small"]);
        // It says in its name what it is.
        assert!(writer::NAME.contains("offline") && writer::NAME.contains("templates"));
    }
}
