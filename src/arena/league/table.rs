//! A league's table as it ships: ratings, and what they were measured with.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::solo::Reference;

/// The league of one game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Its slug.
    pub game: String,
    /// Measured with these rules.
    pub game_version: String,
    /// Measured with these scores.
    pub score_version: String,
    /// Seats at a table.
    pub seats: u8,
    /// How often any two met, each time from all seats; in a game of one seat, the matches of each.
    pub pairs: u32,
    /// Decided all matches.
    pub seed: u64,
    /// What the first seat made of its points against the others, 0 to 1; everybody sat there as often. Not in a game of
    /// one seat.
    #[serde(default)]
    pub first_seat: Option<f64>,
    /// In a game of one seat: the scores of all, which ratings are told by.
    #[serde(default)]
    pub reference: Option<Reference>,
    /// Weakest first.
    pub entries: Vec<Row>,
}

/// A rated player.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Its name.
    pub player: String,
    /// Rating.
    pub elo: f64,
    /// Standard error of the rating.
    pub error: f64,
    /// Matches that it was measured in.
    pub matches: u32,
    /// Its mean score, in a game of one seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

impl Row {
    /// Weakest first; equal ones by name.
    pub(super) fn by_elo(&self, other: &Self) -> std::cmp::Ordering {
        self.elo.total_cmp(&other.elo).then_with(|| self.player.cmp(&other.player))
    }
}

impl Table {
    /// Reads a table.
    ///
    /// # Errors
    /// It is none.
    pub fn read(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The file's text: JSON with a line an entry, so that a change of it can be read.
    pub fn to_text(&self) -> String {
        let Self { game, game_version, score_version, seats, pairs, seed, first_seat, reference, entries } =
            self;
        let mut head = Map::new();
        let mut put = |name: &str, value: Value| head.insert(name.to_owned(), value);
        put("game", json!(game));
        put("game_version", json!(game_version));
        put("score_version", json!(score_version));
        put("seats", json!(seats));
        put("pairs", json!(pairs));
        put("seed", json!(seed));
        if let Some(first_seat) = first_seat {
            put("first_seat", json!(first_seat));
        }
        if let Some(reference) = reference {
            put("reference", json!(reference));
        }
        let head = head.iter().map(|(name, value)| format!(" {}: {value},", json!(name)));
        let head: Vec<String> = head.collect();
        let rows: Vec<String> = entries.iter().map(|row| format!("  {}", json!(row))).collect();
        format!("{{\n{}\n \"entries\": [\n{}\n ]\n}}\n", head.join("\n"), rows.join(",\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_reads_back_what_it_wrote() {
        let row =
            |player: &str, elo| Row { player: player.to_owned(), elo, error: 9.5, matches: 40, score: None };
        let table = Table {
            game: "connect_four".to_owned(),
            game_version: "1".to_owned(),
            score_version: "arena-1".to_owned(),
            seats: 2,
            pairs: 10,
            seed: u64::MAX,
            first_seat: Some(0.525),
            reference: None,
            entries: vec![row("random", 712.3), row("ab4+eps0.25", 1000.0)],
        };
        let text = table.to_text();
        assert_eq!(Table::read(&text).unwrap(), table);
        assert_eq!(text.lines().count(), 13, "{text}");
        let mut solo = table;
        (solo.first_seat, solo.reference) = (None, Some(Reference::of(vec![15_000, -20_000])));
        solo.entries[0].score = Some(-1.25);
        assert_eq!(Table::read(&solo.to_text()).unwrap(), solo);
    }
}
