//! What SDK 1.3.0 says and expects, put into the words of 3.4.0 and back. Pure: JSON in, JSON out.
//!
//! The SDK does not tell its version, so 1.3.0 has a base path of its own on the same server. Only what differs is here:
//!
//! | 1.3.0 | here |
//! | --- | --- |
//! | a reset gives the policy one seat, or `seats`, and the league the others | `opponent_seats`; of `tags` a game is picked first |
//! | `anchor_opponents` are league seats during self-play | at least so many `opponent_seats` |
//! | answers say `score_higher_is_better` (read until 1.1.0) | always true |
//! | playouts claim episodes of the run, 409 when too few are left | [`PlayoutClaim::Episodes`](super::rollouts::run::PlayoutClaim) |
//! | exports of `game_replays` | `replays` |
//! | error codes until 1.3.0 | [`error_code`] |
//!
//! Everything else is the same on both paths, with two limits. 1.3.0 knows no `eliminated_seats`: its on-policy scorer
//! counts an elimination as a failed sample, as it did on the platform. And what came after it (`difficulty`, tasks) is
//! refused or not asked for. `routes::legacy` mounts all this.

use axum::http::Method;
use serde_json::{Map, Value};

use super::catalogue::{self, Games};
use super::engine::Game;
use super::error::ArenaError;
use super::league;
use super::request::Fields;

/// Where the API for SDK 1.3.0 begins.
pub const BASE_PATH: &str = "/sdk-1.3/api/v1";

/// A call whose words are not those of 3.4.0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// `POST /rollout-runs/{run}/episodes`.
    Reset,
    /// Fork, probe, `complete` and `score-actions`: only the answers differ.
    Episode,
    /// `POST …/forks`: the same in a list.
    Forks,
    /// `POST /exports` and `POST /dataset-builds`.
    MakeExport,
    /// `GET /exports`, `GET /exports/{id}`.
    ReadExports,
}

impl Call {
    /// `path` begins after the base path.
    pub fn of(method: &Method, path: &str) -> Option<Self> {
        let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        match (method.as_str(), segments.as_slice()) {
            ("POST", ["rollout-runs", _, "episodes"]) => Some(Self::Reset),
            ("GET", ["rollout-runs", _, "episodes", _])
            | ("POST", ["rollout-runs", _, "episodes", _, "fork" | "complete" | "score-actions"]) => {
                Some(Self::Episode)
            }
            ("POST", ["rollout-runs", _, "episodes", _, "forks"]) => Some(Self::Forks),
            ("POST", ["exports" | "dataset-builds"]) => Some(Self::MakeExport),
            ("GET", ["exports"] | ["exports", _]) => Some(Self::ReadExports),
            _ => None,
        }
    }

    /// Translates a request. `pick` chooses among the games that fit `tags`; any number will do.
    ///
    /// # Errors
    /// Fields of 1.3.0 are wrong, or fields are there that it does not have.
    pub fn request(self, body: Fields, games: Games, pick: u64) -> Result<Map<String, Value>, ArenaError> {
        match self {
            Self::Reset => reset(body, games, pick),
            Self::MakeExport => {
                let mut body = body.into_rest();
                rename_export_type(&mut body, "game_replays", "replays");
                Ok(body)
            }
            Self::Episode | Self::Forks | Self::ReadExports => Ok(body.into_rest()),
        }
    }

    /// Translates the payload of a success.
    pub fn answer(self, data: &mut Value) {
        let each: fn(&mut Map<String, Value>) = match self {
            Self::Reset | Self::Episode | Self::Forks => {
                |episode| _ = episode.insert("score_higher_is_better".to_owned(), Value::Bool(true))
            }
            Self::ReadExports => |export| rename_export_type(export, "replays", "game_replays"),
            Self::MakeExport => return,
        };
        let list = match self {
            Self::Forks => data.get_mut("forks"),
            Self::ReadExports if data.get("export").is_some() => data.get_mut("export"),
            Self::ReadExports => data.get_mut("exports"),
            _ => Some(data),
        };
        match list {
            Some(Value::Array(items)) => items.iter_mut().filter_map(Value::as_object_mut).for_each(each),
            Some(Value::Object(one)) => each(one),
            _ => {}
        }
    }
}

/// The word that 1.3.0 knows for an error that means the same to it.
pub fn error_code(code: &str) -> &str {
    match code {
        // Both say: take a new key. The message says what happened.
        "OP_FAILED" => "REPLAY_EXPIRED",
        code => code,
    }
}

fn reset(mut body: Fields, games: Games, pick: u64) -> Result<Map<String, Value>, ArenaError> {
    for newer in ["opponent_seats", "difficulty"] {
        if body.take(newer).is_some() {
            let problem = format_args!("is not known to SDK 1.3.0: use the base path `{}`", super::BASE_PATH);
            return Err(ArenaError::invalid(newer, problem));
        }
    }
    let seats = body.whole("seats", 1..=u64::from(u8::MAX))?;
    let anchors = body.whole("anchor_opponents", 0..=u64::from(u8::MAX))?.unwrap_or(0);
    if anchors > 0 && seats.unwrap_or(1) == 1 {
        return Err(ArenaError::invalid("anchor_opponents", "is for self-play: set `seats` to 2 or more"));
    }
    let mut body = body.into_rest();
    let wish = Wish {
        seats: seats.unwrap_or(1),
        anchors,
        players: body.get("player_count").and_then(Value::as_u64),
    };
    let game = match (body.get("game"), body.get("tags")) {
        (Some(Value::String(slug)), None) => catalogue::find(games, slug),
        (None, Some(Value::Array(tags))) => {
            let tags: Vec<String> = tags.iter().filter_map(Value::as_str).map(str::to_owned).collect();
            wish.pick(catalogue::with_tags(games, &tags).collect(), pick)?
        }
        _ => None,
    };
    // Without a game the request is wrong whichever the version, and refused where all requests are.
    if let Some(game) = game {
        body.shift_remove("tags");
        body.insert("game".to_owned(), Value::from(game.spec().slug));
        body.insert("opponent_seats".to_owned(), Value::from(wish.opponents(game)?));
    }
    Ok(body)
}

/// Which seats a reset of 1.3.0 asks for.
#[derive(Debug, Clone, Copy)]
struct Wish {
    /// Seats of the policy, 1 or more.
    seats: u64,
    /// League seats at least.
    anchors: u64,
    /// Seats of the match; without it the game's own number.
    players: Option<u64>,
}

impl Wish {
    /// The league seats: never more seats for the policy than it asked for, never fewer anchors.
    fn opponents(self, game: &dyn Game) -> Result<u64, ArenaError> {
        let spec = game.spec();
        let players = self.players.unwrap_or(u64::from(spec.default_seats));
        if self.seats > players {
            let problem = format_args!(
                "must be a whole number from 1 to {players}, the `player_count` of this `{}`",
                spec.slug
            );
            return Err(ArenaError::invalid("seats", problem));
        }
        if self.anchors >= players {
            let problem = format_args!("must leave a seat of this `{}`'s {players} to the policy", spec.slug);
            return Err(ArenaError::invalid("anchor_opponents", problem));
        }
        Ok((players - self.seats).max(self.anchors))
    }

    /// A game with enough seats and a league for the others. `None` when there was nothing to choose from.
    fn pick(self, games: Vec<&'static dyn Game>, pick: u64) -> Result<Option<&'static dyn Game>, ArenaError> {
        if games.is_empty() {
            return Ok(None);
        }
        let fits = |game: &&dyn Game| {
            let spec = game.spec();
            let allowed = self
                .players
                .is_none_or(|players| spec.seats.iter().any(|seats| u64::from(*seats) == players));
            let stocked = |opponents| league::of(spec.slug).len() as u64 >= opponents;
            allowed && self.opponents(*game).is_ok_and(stocked)
        };
        let fitting: Vec<&'static dyn Game> = games.into_iter().filter(fits).collect();
        let Some(nth) = pick.checked_rem(fitting.len() as u64) else {
            return Err(ArenaError::invalid(
                "tags",
                "fits no game with so many players and opponents: ask for fewer seats",
            ));
        };
        Ok(fitting.get(nth as usize).copied())
    }
}

fn rename_export_type(body: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(Value::String(word)) = body.get_mut("export_type")
        && word == from
    {
        to.clone_into(word);
    }
}

#[cfg(test)]
mod tests;
