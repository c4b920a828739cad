//! What a build is to do: the request, read and completed, as the job keeps it; what it consists of and what it costs.
//! Pure.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::arena::catalogue::{self, Games};
use crate::arena::credits::Credits;
use crate::arena::engine::rng::mix;
use crate::arena::engine::{Enumeration, Game};
use crate::arena::error::ArenaError;
use crate::arena::generation::plan::Plan as Generation;
use crate::arena::request::Fields;
use crate::arena::secret;

/// Submissions of a game, parents of a game, and their like, at most.
const MOST: u64 = 200;

/// Matches of an evaluation at most.
const MOST_MATCHES: u64 = 2_000;

/// Actions, and samples of each, that one exploration may have together.
const MOST_BRANCHES: u64 = crate::arena::host::branch::MOST as u64;

/// Points of a parent where nothing else is said.
const POINTS: u32 = 4;

/// A build.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Build {
    /// Slugs, in the order of the catalogue.
    pub games: Vec<String>,
    /// Decides all that is drawn.
    pub seed: u64,
    /// `json` or `parquet`.
    pub export_format: String,
    /// What is done with each game.
    pub work: Work,
}

/// What is done with each game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "mode", rename_all = "snake_case")]
pub enum Work {
    /// Programs are written, evaluated and exported.
    CodeEvaluation {
        /// Who writes.
        provider_id: String,
        /// Which model.
        model: String,
        /// Programs of a game.
        submission_count: u32,
        /// Matches of each.
        match_count: u32,
        /// Types of exports.
        export_types: Vec<String>,
    },
    /// Sessions are played, explored and exported.
    BranchExploration {
        /// Sessions of a game.
        parent_count: u32,
        /// Actions at a point.
        max_actions: u32,
        /// Branches of an action.
        samples_per_action: u32,
        /// Ticks between points; a fifth of the game's horizon when nothing is said.
        explore_interval: Option<u32>,
    },
}

impl Build {
    /// Reads the request but for its provider, which `author` has looked up: its id and the model of a code evaluation.
    ///
    /// # Errors
    /// What is wrong, field by field.
    pub fn read(
        games: Games,
        fields: &mut Fields,
        is_code: bool,
        author: (String, String),
    ) -> Result<Self, ArenaError> {
        let games = choose(games, fields)?;
        let export_format = fields.word("export_format", &["json", "parquet"])?.unwrap_or("json").to_owned();
        let seed = fields.whole("seed", 0..=(1 << 53))?.unwrap_or_else(|| rand::random::<u64>() >> 11);
        let work = if is_code { code(fields, author)? } else { exploration(fields)? };
        if let Work::BranchExploration { .. } = work
            && let Some(game) = games.iter().find(|game| game.spec().enumeration == Enumeration::Absent)
        {
            let slug = game.spec().slug;
            let problem = format!("has `{slug}`, whose legal actions are not listed: it cannot be explored");
            return Err(ArenaError::invalid("game_slugs", problem));
        }
        let games = games.iter().map(|game| game.spec().slug.to_owned()).collect();
        Ok(Self { games, seed, export_format, work })
    }

    /// Parts and exports together.
    pub fn steps(&self) -> usize {
        let exports = match &self.work {
            Work::CodeEvaluation { export_types, .. } => export_types.len(),
            Work::BranchExploration { .. } => 1,
        };
        self.units().len() + exports
    }

    /// Parts of the build, without its exports.
    pub fn units(&self) -> Vec<Unit> {
        let count = match &self.work {
            Work::CodeEvaluation { submission_count, .. } => *submission_count,
            Work::BranchExploration { parent_count, .. } => *parent_count,
        };
        let unit = |game: &String, nth: u32| Unit { game: game.clone(), nth };
        // Game by game in turn, so that a build that breaks off has something of each.
        (0..count).flat_map(|nth| self.games.iter().map(move |game| unit(game, nth))).collect()
    }

    /// The generation of a part; only of a code evaluation.
    pub fn generation(&self, unit: &Unit) -> Option<Generation> {
        let Work::CodeEvaluation { provider_id, model, .. } = &self.work else { return None };
        Some(Generation {
            submission_id: secret::id("sub_"),
            game: unit.game.clone(),
            provider_id: provider_id.clone(),
            model: model.clone(),
            seed: self.stream(unit) >> 11,
            agentic: None,
        })
    }

    /// Decides what is drawn for a part.
    pub fn stream(&self, unit: &Unit) -> u64 {
        let game = unit.game.bytes().fold(0, |hash, byte| mix(&[hash, byte.into()]));
        mix(&[self.seed, game, unit.nth.into()])
    }

    /// What it costs at most, exports aside, which are held for by themselves.
    pub fn estimate(&self, games: Games) -> Credits {
        let units = self.units();
        let ticks = units.iter().filter_map(|unit| {
            let game = catalogue::find(games, &unit.game)?;
            let horizon = u64::from(game.spec().canonical_ticks);
            Some(match &self.work {
                Work::CodeEvaluation { match_count, .. } => {
                    let tries = self.generation(unit)?.most_matches();
                    (tries + u64::from(*match_count)) * horizon
                }
                Work::BranchExploration { max_actions, samples_per_action, .. } => {
                    let branches = u64::from(*max_actions) * u64::from(*samples_per_action);
                    let rest = |tick: &u32| horizon.saturating_sub(u64::from(*tick)) * branches;
                    horizon + self.points(game).iter().map(rest).sum::<u64>()
                }
            })
        });
        Credits::for_ticks(ticks.sum::<u64>())
    }

    /// Ticks at which the parents of a game are explored, as far as they get; none of a code evaluation.
    pub fn points(&self, game: &dyn Game) -> Vec<u32> {
        let Work::BranchExploration { explore_interval, .. } = self.work else { return Vec::new() };
        let horizon = game.spec().canonical_ticks;
        let interval = explore_interval.unwrap_or(horizon / (POINTS + 1)).max(1);
        (interval..horizon).step_by(interval as usize).collect()
    }
}

/// A submission or a parent of a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// The game's slug.
    pub game: String,
    /// Its number among those of the game, from 0.
    pub nth: u32,
}

impl Unit {
    /// Its name within the build.
    pub fn key(&self) -> String {
        format!("{}/{}", self.game, self.nth)
    }
}

/// Exactly one of three ways to say which games.
fn choose(games: Games, fields: &mut Fields) -> Result<Vec<&'static dyn Game>, ArenaError> {
    let find = |slug: &String| {
        let found = catalogue::find(games, slug);
        found.ok_or_else(|| ArenaError::not_found(format!("there is no game `{slug}`")))
    };
    let chosen = match (fields.text("game_slug")?, fields.texts("game_slugs")?, fields.texts("game_tags")?) {
        (Some(slug), None, None) => vec![find(&slug)?],
        (None, Some(slugs), None) => {
            let wanted = slugs.iter().map(find).collect::<Result<Vec<_>, _>>()?;
            let is_wanted = |game: &&&'static dyn Game| {
                wanted.iter().any(|wanted| wanted.spec().slug == game.spec().slug)
            };
            games.iter().filter(is_wanted).copied().collect()
        }
        (None, None, Some(tags)) => catalogue::with_tags(games, &tags).collect(),
        _ => {
            let problem = "must be given, or `game_slugs`, or `game_tags`: exactly one of them";
            return Err(ArenaError::invalid("game_slug", problem));
        }
    };
    if chosen.is_empty() {
        return Err(ArenaError::invalid("game_tags", "must fit at least one game"));
    }
    Ok(chosen)
}

fn code(fields: &mut Fields, (provider_id, model): (String, String)) -> Result<Work, ArenaError> {
    let whole = |fields: &mut Fields, name, most, usual| {
        Ok::<_, ArenaError>(fields.whole(name, 1..=most)?.unwrap_or(usual) as u32)
    };
    let words = ["submissions", "replays", "both", "game_replays"];
    let export_types = match fields.word("export_type", &words)?.unwrap_or("submissions") {
        "both" => vec!["submissions".to_owned(), "replays".to_owned()],
        "submissions" => vec!["submissions".to_owned()],
        // `game_replays` was the word until 3.1.0 (protocol.md §2.4).
        _ => vec!["replays".to_owned()],
    };
    Ok(Work::CodeEvaluation {
        provider_id,
        model,
        submission_count: whole(fields, "submission_count", MOST, 5)?,
        match_count: whole(fields, "match_count", MOST_MATCHES, 20)?,
        export_types,
    })
}

fn exploration(fields: &mut Fields) -> Result<Work, ArenaError> {
    for name in ["llm_phase_ticks", "handover_model"] {
        if fields.take(name).is_some_and(|value| value != Value::Bool(false)) {
            let problem =
                "is not done here: branches are finished by built-in players from their first tick on";
            return Err(ArenaError::invalid(name, problem));
        }
    }
    let max_actions = fields.whole("max_actions", 1..=MOST_BRANCHES)?.unwrap_or(3);
    let samples_per_action = fields.whole("samples_per_action", 1..=MOST_BRANCHES)?.unwrap_or(3);
    if max_actions * samples_per_action > MOST_BRANCHES {
        let problem =
            format!("times `samples_per_action` must be at most {MOST_BRANCHES}: each try is a session");
        return Err(ArenaError::invalid("max_actions", problem));
    }
    Ok(Work::BranchExploration {
        parent_count: fields.whole("parent_count", 1..=MOST)?.unwrap_or(2) as u32,
        max_actions: max_actions as u32,
        samples_per_action: samples_per_action as u32,
        explore_interval: fields.whole("explore_interval", 1..=10_000)?.map(|ticks| ticks as u32),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::arena::games::GAMES;

    fn read(fields: Value, is_code: bool) -> Result<Build, String> {
        let Value::Object(fields) = fields else { panic!("an object") };
        let mut fields = Fields::from_object(fields);
        let build = Build::read(GAMES, &mut fields, is_code, ("p".into(), "m".into()));
        build.and_then(|build| fields.finish().map(|()| build)).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn games_are_chosen_in_exactly_one_way() {
        // Protocol.md §2.4.
        let games = |fields| read(fields, true).unwrap().games;
        assert_eq!(games(json!({ "game_slug": "connect_four" })), ["connect_four"]);
        let two = json!({ "game_slugs": ["multi_reversi", "connect_four", "connect_four"] });
        assert_eq!(games(two), ["connect_four", "multi_reversi"]);
        assert!(games(json!({ "game_tags": ["strategy"] })).len() > 2);
        for fields in [
            json!({}),
            json!({ "game_slug": "connect_four", "game_tags": ["board"] }),
            json!({ "game_slugs": ["connect_four"], "game_slug": "connect_four" }),
        ] {
            assert!(read(fields, true).unwrap_err().contains("exactly one"));
        }
        assert_eq!(read(json!({ "game_slugs": ["chess"] }), true).unwrap_err(), "there is no game `chess`");
        assert!(
            read(json!({ "game_tags": ["board", "card"] }), true).unwrap_err().starts_with("`game_tags`")
        );
        assert!(read(json!({ "game_slugs": [] }), true).is_err());
    }

    #[test]
    fn a_code_evaluation_is_estimated_by_its_matches() {
        let build = read(
            json!({ "game_slug": "connect_four", "submission_count": 20, "match_count": 200, "export_type": "both", "seed": 1 }),
            true,
        )
        .unwrap();
        let Work::CodeEvaluation { export_types, .. } = &build.work else { panic!("code") };
        assert_eq!(export_types[..], ["submissions", "replays"]);
        assert_eq!(build.units().len(), 20);
        // 20 programs, each tried once and evaluated in 200 matches of 42 ticks.
        assert_eq!(build.estimate(GAMES), Credits::for_ticks(20u64 * 201 * 42));
        let seeds: std::collections::HashSet<u64> =
            build.units().iter().map(|unit| build.generation(unit).unwrap().seed).collect();
        assert_eq!(seeds.len(), 20);
    }

    #[test]
    fn an_exploration_is_estimated_by_what_its_branches_have_left() {
        let fields = json!({ "game_slug": "connect_four", "parent_count": 2, "explore_interval": 20 });
        let build = read(fields, false).unwrap();
        // Explored at ticks 20 and 40 of 42, in 9 branches each.
        assert_eq!(build.estimate(GAMES), Credits::for_ticks(2u64 * (42 + 9 * 22 + 9 * 2)));
        let usual = read(json!({ "game_slug": "connect_four" }), false).unwrap();
        assert_eq!(usual.points(catalogue::find(GAMES, "connect_four").unwrap()), [8, 16, 24, 32, 40]);
    }

    #[test]
    fn members_of_the_other_mode_are_refused() {
        for (fields, is_code) in [
            (json!({ "game_slug": "connect_four", "parent_count": 2 }), true),
            (json!({ "game_slug": "connect_four", "match_count": 2 }), false),
            (json!({ "game_slug": "connect_four", "max_actions": 8, "samples_per_action": 8 }), false),
            (json!({ "game_slug": "connect_four", "llm_phase_ticks": 5 }), false),
        ] {
            assert!(read(fields.clone(), is_code).is_err(), "{fields}");
        }
    }
}
