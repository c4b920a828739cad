//! The league: the built-in players of each game as rated code submissions, and the opponents drawn from them.
//!
//! Ratings are measured by `gert arena calibrate` and ship as tables (`assets/league`), one a game. An entry is owned by
//! the system; its `model` is the player's name (`ab4+eps0.25`). Start at [`of`]; opponents come from [`draw`].
//!
//! `roster` says who is rated, `calibrate` plays and `rating` fits; `solo` does both for games without opponents; `table` is
//! the file.

pub mod calibrate;
mod id;
pub mod rating;
pub mod roster;
pub mod solo;
pub mod table;

use std::collections::HashMap;
use std::sync::OnceLock;

use jiff::{SignedDuration, Timestamp};

use self::table::{Row, Table};
use super::engine::rng::Pcg;
use super::error::ArenaError;

/// Who generated the built-in players. The platform's own corpus has another word; ours must not pass for it.
pub const PROVIDER: &str = "arena";

/// A rated player of one game.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Stable through releases.
    pub submission_id: String,
    /// The built-in player, for [`Game::player`](super::engine::Game::player).
    pub player: String,
    /// Rating, in Elo points around 1000.
    pub elo: f64,
    /// Standard error of the rating.
    pub error: f64,
    /// Matches that it was measured in.
    pub matches: u32,
    /// Spread over a year, so that there is something to filter by.
    pub created_at: Timestamp,
}

/// Which opponents are wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// Lowest and highest percentile, 0 to 1. `None` draws around the middle.
    pub band: Option<[f64; 2]>,
    /// Names of players; empty for any.
    pub models: Vec<String>,
    /// Empty for any.
    pub providers: Vec<String>,
    /// Made at this time or later.
    pub created_after: Option<Timestamp>,
    /// Made before this time.
    pub created_before: Option<Timestamp>,
}

impl Wanted {
    /// Anybody.
    pub fn any() -> Self {
        Self {
            band: None,
            models: Vec::new(),
            providers: Vec::new(),
            created_after: None,
            created_before: None,
        }
    }

    fn fits(&self, entry: &Entry) -> bool {
        (self.models.is_empty() || self.models.contains(&entry.player))
            && (self.providers.is_empty() || self.providers.iter().any(|provider| provider == PROVIDER))
            && self.created_after.is_none_or(|after| entry.created_at >= after)
            && self.created_before.is_none_or(|before| entry.created_at < before)
    }
}

/// The rated players of a game, weakest first; empty for a game without a table.
pub fn of(slug: &str) -> &'static [Entry] {
    static TABLES: OnceLock<HashMap<&'static str, Vec<Entry>>> = OnceLock::new();
    TABLES
        .get_or_init(|| TEXTS.iter().map(|&(slug, text)| (slug, read(slug, text))).collect())
        .get(slug)
        .map_or(&[], Vec::as_slice)
}

/// The players that fit, with their percentiles among those that fit but for the band: the share of them that is rated
/// lower, ties half.
pub fn pool(slug: &str, wanted: &Wanted) -> Vec<(&'static Entry, f64)> {
    let fitting: Vec<&Entry> = of(slug).iter().filter(|entry| wanted.fits(entry)).collect();
    let percentile = |elo: f64| {
        let lower = fitting.iter().filter(|other| other.elo < elo).count() as f64;
        let equal = fitting.iter().filter(|other| other.elo.total_cmp(&elo).is_eq()).count() as f64;
        (lower + equal / 2.0) / fitting.len() as f64
    };
    let [low, high] = wanted.band.unwrap_or([0.0, 1.0]);
    let ranked = fitting.iter().map(|&entry| (entry, percentile(entry.elo)));
    ranked.filter(|(_, percentile)| (low..=high).contains(percentile)).collect()
}

/// Draws different players, one a seat. Without a band those around the middle.
///
/// # Errors
/// Fewer players fit than there are seats: names the count, the band and what to do.
pub fn draw(
    slug: &str,
    wanted: &Wanted,
    seats: usize,
    rng: &mut Pcg,
) -> Result<Vec<&'static Entry>, ArenaError> {
    let mut pool = pool(slug, wanted);
    if pool.len() < seats {
        return Err(too_thin(slug, wanted, seats, pool.len()));
    }
    if wanted.band.is_none() {
        pool.sort_by(|(_, a), (_, b)| (a - 0.5).abs().total_cmp(&(b - 0.5).abs()));
        pool.truncate(seats.max(3));
    }
    rng.shuffle(&mut pool);
    Ok(pool.into_iter().take(seats).map(|(entry, _)| entry).collect())
}

fn too_thin(slug: &str, wanted: &Wanted, seats: usize, found: usize) -> ArenaError {
    let band = wanted
        .band
        .map_or_else(String::new, |[low, high]| format!(" with a percentile from {low} to {high}"));
    ArenaError::new(
        axum::http::StatusCode::CONFLICT,
        "LEAGUE_TOO_THIN",
        format!(
            "{seats} opponents are wanted and the league of `{slug}` has {found}{band}: widen the band, name fewer filters, or \
             ask for fewer opponent seats"
        ),
    )
}

/// The table of a game as it ships.
pub fn shipped(slug: &str) -> Option<Table> {
    let (_, text) = TEXTS.iter().find(|(of, _)| *of == slug)?;
    Table::read(text).ok()
}

/// The tables as they ship.
const TEXTS: &[(&str, &str)] = &[
    ("connect_four", include_str!("../../assets/league/connect_four.json")),
    ("grid_serpents", include_str!("../../assets/league/grid_serpents.json")),
    ("kolmogorov", include_str!("../../assets/league/kolmogorov.json")),
    ("liars_dice", include_str!("../../assets/league/liars_dice.json")),
    ("market_simulator", include_str!("../../assets/league/market_simulator.json")),
    ("minefield", include_str!("../../assets/league/minefield.json")),
    ("multi_reversi", include_str!("../../assets/league/multi_reversi.json")),
    ("pot_limit_omaha_hilo", include_str!("../../assets/league/pot_limit_omaha_hilo.json")),
    ("spe_recall", include_str!("../../assets/league/spe_recall.json")),
    ("transmit_receive", include_str!("../../assets/league/transmit_receive.json")),
];

fn read(slug: &str, text: &str) -> Vec<Entry> {
    let table = Table::read(text).expect("the tables that ship are tested");
    let mut entries: Vec<Entry> = table.entries.into_iter().map(|row| entry(slug, row)).collect();
    entries.sort_by(|a, b| a.elo.total_cmp(&b.elo));
    entries
}

fn entry(slug: &str, row: Row) -> Entry {
    /// 2025-01-01T00:00:00Z.
    const FIRST: Timestamp = Timestamp::constant(1_735_689_600, 0);
    const MINUTES_A_YEAR: u128 = 365 * 24 * 60;
    let id = id::submission(slug, &row.player);
    Entry {
        submission_id: id::hyphenated(id),
        // By the id, so that it stays when other players come and go.
        created_at: FIRST + SignedDuration::from_mins((id % MINUTES_A_YEAR) as i64),
        player: row.player,
        elo: row.elo,
        error: row.error,
        matches: row.matches,
    }
}

#[cfg(test)]
mod tests;
