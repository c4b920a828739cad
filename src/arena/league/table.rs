//! A league's table as it ships: ratings, and what they were measured with.

use serde::{Deserialize, Serialize};
use serde_json::json;

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
    /// How often any two met, each time from all seats.
    pub pairs: u32,
    /// Decided all matches.
    pub seed: u64,
    /// What the first seat made of its points against the others, 0 to 1; everybody sat there as often.
    pub first_seat: f64,
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
        let Self { game, game_version, score_version, seats, pairs, seed, first_seat, entries } = self;
        let head = json!({
            "game": game,
            "game_version": game_version,
            "score_version": score_version,
            "seats": seats,
            "pairs": pairs,
            "seed": seed,
            "first_seat": first_seat,
        });
        let head =
            head.as_object().into_iter().flatten().map(|(name, value)| format!(" {}: {value},", json!(name)));
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
        let row = |player: &str, elo| Row { player: player.to_owned(), elo, error: 9.5, matches: 40 };
        let table = Table {
            game: "connect_four".to_owned(),
            game_version: "1".to_owned(),
            score_version: "arena-1".to_owned(),
            seats: 2,
            pairs: 10,
            seed: u64::MAX,
            first_seat: 0.525,
            entries: vec![row("random", 712.3), row("ab4+eps0.25", 1000.0)],
        };
        let text = table.to_text();
        assert_eq!(Table::read(&text).unwrap(), table);
        assert_eq!(text.lines().count(), 13, "{text}");
    }
}
