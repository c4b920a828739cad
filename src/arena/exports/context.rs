//! What a file says besides its rows: what scores are worth, the rules of the games, when it was written.
//!
//! `score_context` of a game lets a user place a score. `elo` has the rated built-in players with their percentiles;
//! `score_quantiles` are the scores of the league in a game whose players are rated by them; `scores` is what league players
//! scored in this arena's own evaluations at the canonical horizon, which is nothing before the first one. A row pairs with it when its `score_version` is the same and its `score_ticks` are the `canonical_ticks`.

use jiff::Timestamp;
use rusqlite::{Connection, params};
use serde_json::{Map, Value, json};

use super::{ExportType, Fault};
use crate::arena::catalogue::{self, Games};
use crate::arena::engine::GameSpec;
use crate::arena::engine::observation::Number;
use crate::arena::league::{self, Wanted};
use crate::arena::record::rfc3339;
use crate::arena::store::exports;
use crate::rollout::score_stats;

/// Matches that `scores` looks at, the newest ones.
const MATCHES: i64 = 1_000;

/// The same in every file of an export.
pub(super) struct Envelope {
    /// What the rows are.
    pub export_type: ExportType,
    /// By the slug of the game.
    pub score_context: Vec<(String, Value)>,
    /// The rules, by slug and version: `connect_four:1`. Versions count for each game, so the slug is part of the name.
    pub prompts: Vec<(String, String)>,
    /// RFC 3339.
    pub exported_at: String,
}

impl Envelope {
    /// For the games that an export has rows of.
    pub(super) fn new(
        connection: &Connection,
        games: Games,
        job_id: &str,
        export_type: ExportType,
    ) -> Result<Self, Fault> {
        let (mut score_context, mut prompts) = (Vec::new(), Vec::new());
        for slug in exports::games(connection, job_id)? {
            // One that this arena does not play any more has no context.
            let Some(game) = catalogue::find(games, &slug) else { continue };
            let spec = game.spec();
            score_context.push((slug, context(connection, spec)?));
            prompts.push((format!("{}:{}", spec.slug, spec.game_version), catalogue::prompt(spec)));
        }
        Ok(Self { export_type, score_context, prompts, exported_at: rfc3339(Timestamp::now()) })
    }
}

fn context(connection: &Connection, spec: &GameSpec) -> Result<Value, Fault> {
    let players = league::pool(spec.slug, &Wanted::any());
    let ratings: Vec<f64> = players.iter().map(|(entry, _)| entry.elo).collect();
    let players: Vec<Value> = players
        .iter()
        .map(|(entry, percentile)| {
            json!({
                "model": entry.player, "elo_rating": Number(entry.elo), "error": Number(entry.error),
                "percentile": Number(*percentile),
            })
        })
        .collect();
    let mut json = Map::new();
    json.insert("score_version".to_owned(), spec.score_version.into());
    json.insert("game_version".to_owned(), spec.game_version.into());
    json.insert("canonical_ticks".to_owned(), spec.canonical_ticks.into());
    json.insert("provider".to_owned(), league::PROVIDER.into());
    if !players.is_empty() {
        json.insert("elo".to_owned(), json!({ "stats": score_stats(&ratings), "players": players }));
    }
    // Quantiles from 0 to 100 %, where players are rated by their scores.
    if let Some(reference) = league::shipped(spec.slug).and_then(|table| table.reference) {
        json.insert("score_quantiles".to_owned(), json!(reference));
    }
    let scores = league_scores(connection, spec)?;
    if !scores.is_empty() {
        json.insert("scores".to_owned(), json!({ "count": scores.len(), "stats": score_stats(&scores) }));
    }
    Ok(Value::Object(json))
}

/// What league players scored in evaluations that were played as the league is.
fn league_scores(connection: &Connection, spec: &GameSpec) -> Result<Vec<f64>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT seats FROM matches WHERE game = ?1 AND score_version = ?2 AND max_ticks = ?3 AND config = '{}'
         ORDER BY seq DESC LIMIT ?4",
    )?;
    let rows = statement
        .query_map(params![spec.slug, spec.score_version, spec.canonical_ticks, MATCHES], |row| {
            row.get::<_, String>(0)
        })?;
    let mut scores = Vec::new();
    for row in rows {
        let seats: Vec<Value> = serde_json::from_str(&row?).unwrap_or_default();
        let of_league = seats.iter().filter(|seat| seat["provider"] == league::PROVIDER);
        scores.extend(of_league.filter_map(|seat| seat["score"].as_f64()));
    }
    Ok(scores)
}
