//! What a file of results holds: the contest's settings first, then a line for each finished pair.
//!
//! ```text
//! {"gert_match":1,"a":"python3 bot.py","b":"ai:ab4","game":"connect_four","seed":1,…}
//! {"pair":0,"games":[{"result":"win","ticks":13,…},{"result":"loss",…}]}
//! ```

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::seat::FailureKind;

use super::Outcome;
use super::schedule::Side;
use super::sprt::Bounds;

/// The version of the file.
pub const VERSION: u32 = 1;

/// What makes two contests the same one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// [`VERSION`] of who wrote it.
    pub gert_match: u32,
    /// The first player: a command, or `ai:NAME`.
    pub a: String,
    /// The second.
    pub b: String,
    /// What is played.
    pub game: String,
    /// The game's version: with another one the same seeds play differently.
    #[serde(default)]
    pub game_version: String,
    /// Where all seeds come from.
    pub seed: u64,
    /// Seats.
    pub players: u32,
    /// The horizon; the game's own without one.
    #[serde(default)]
    pub max_ticks: Option<u64>,
    /// The test, if there is one.
    #[serde(default)]
    pub sprt: Option<Bounds>,
    /// What becomes of a policy that fails.
    pub on_failure: String,
    /// The game's options.
    #[serde(default)]
    pub config: serde_json::Value,
}

impl Settings {
    /// What keeps results of the other contest from counting in this one, a sentence each.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        differences(self, other)
    }
}

/// Where two settings of the same type differ, a sentence for each member.
pub fn differences<S: Serialize>(ours: &S, theirs: &S) -> Vec<String> {
    let members = |settings: &S| -> BTreeMap<String, serde_json::Value> {
        let value = serde_json::to_value(settings).ok();
        value.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
    };
    let theirs = members(theirs);
    members(ours)
        .into_iter()
        .filter(|(name, value)| theirs.get(name) != Some(value))
        .map(|(name, value)| {
            let other = theirs.get(&name).cloned().unwrap_or_default();
            format!("`{}` is {value} now and was {other}", name.replace('_', "-"))
        })
        .collect()
}

/// A finished pair.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairRow {
    /// Which, from 0.
    pub pair: u64,
    /// Both games.
    pub games: [GameRow; 2],
}

/// A finished game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GameRow {
    /// For the first player.
    pub result: Outcome,
    /// Its seed.
    #[serde(default)]
    pub seed: u64,
    /// The session it was played in.
    #[serde(default)]
    pub session_id: String,
    /// Who sat where.
    #[serde(default)]
    pub seats: Vec<Side>,
    /// Ticks played.
    #[serde(default)]
    pub ticks: u64,
    /// Scores by seat.
    #[serde(default)]
    pub scores: BTreeMap<String, f64>,
    /// Why it is over.
    #[serde(default)]
    pub reason: Option<String>,
    /// What went wrong with a policy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<FailureRow>,
}

impl Default for GameRow {
    fn default() -> Self {
        Self {
            result: Outcome::Draw,
            seed: 0,
            session_id: String::new(),
            seats: Vec::new(),
            ticks: 0,
            scores: BTreeMap::new(),
            reason: None,
            failures: Vec::new(),
        }
    }
}

/// A policy's failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureRow {
    /// Whose.
    pub side: Side,
    /// In which seat.
    #[serde(default)]
    pub player_id: String,
    /// What kind.
    pub kind: FailureKind,
    /// What happened.
    #[serde(default)]
    pub why: String,
}

impl Default for FailureRow {
    fn default() -> Self {
        Self { side: Side::A, player_id: String::new(), kind: FailureKind::Crash, why: String::new() }
    }
}

/// What is written in the name of a file: letters and digits of a player's last word, at most so many.
pub fn file_word(player: &str) -> String {
    const LONGEST: usize = 24;
    let word = player.split_whitespace().last().unwrap_or(player);
    let word = word.rsplit('/').next().unwrap_or(word);
    let clean: String = word.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let clean = clean.trim_matches('-');
    if clean.is_empty() { "policy".into() } else { clean.chars().take(LONGEST).collect() }
}

/// The name of a contest's file: from both players, the game and the seed. Contests that differ in anything else are told
/// apart, too.
pub fn file_name(settings: &Settings) -> String {
    // Plain values and string keys always serialise.
    let mark = hash(&serde_json::to_string(settings).unwrap_or_default());
    format!(
        "match-{}-{}-{}-{}-{mark:08x}.jsonl",
        settings.game,
        file_word(&settings.a),
        file_word(&settings.b),
        settings.seed
    )
}

/// FNV-1a, 32 bit: the same on every machine and in every version.
pub(super) fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811C_9DC5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        Settings {
            gert_match: VERSION,
            a: "python3 my/bot.py".into(),
            b: "ai:ab4".into(),
            game: "connect_four".into(),
            game_version: "1".into(),
            seed: 7,
            players: 2,
            max_ticks: None,
            sprt: Some(Bounds::default()),
            on_failure: "stop".into(),
            config: serde_json::json!({}),
        }
    }

    #[test]
    fn settings_come_back_and_differences_are_named() {
        let text = serde_json::to_string(&settings()).expect("JSON");
        let read: Settings = serde_json::from_str(&text).expect("settings");
        assert!(settings().differences(&read).is_empty());
        let other = Settings { seed: 8, b: "ai:ab2".into(), ..settings() };
        let faults = settings().differences(&other);
        assert_eq!(faults, ["`b` is \"ai:ab4\" now and was \"ai:ab2\"", "`seed` is 7 now and was 8"]);
    }

    #[test]
    fn a_file_is_named_after_what_is_played() {
        let name = file_name(&settings());
        assert!(name.starts_with("match-connect_four-bot-py-ai-ab4-7-"), "{name}");
        assert_ne!(name, file_name(&Settings { a: "python3 other/bot.py".into(), ..settings() }));
        assert_eq!(file_word("sh -c '…'"), "policy");
    }

    #[test]
    fn a_row_comes_back_and_old_rows_are_read() {
        let row = PairRow {
            pair: 3,
            games: [
                GameRow { failures: vec![FailureRow::default()], ..GameRow::default() },
                GameRow::default(),
            ],
        };
        let text = serde_json::to_string(&row).expect("JSON");
        assert_eq!(serde_json::from_str::<PairRow>(&text).expect("a row"), row);
        let short = r#"{"pair":0,"games":[{"result":"win"},{"result":"draw"}]}"#;
        assert!(serde_json::from_str::<PairRow>(short).is_ok_and(|row| row.games[0].result == Outcome::Win));
    }
}
