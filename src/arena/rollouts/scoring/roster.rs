//! Who plays the samples: league players on every seat, drawn anew for each sample.
//!
//! With a band everybody comes from it. Without one, league seats keep the players that an episode without a band meets
//! (around the middle of the league), and the policy's seats get strong ones, since an action is worth what it leads to
//! when it is followed up well; strong ones that are also quick, since a question is some hundred matches. With several
//! players slips and habits of one do not decide: on late `connect_four` positions the mix ranks better than its best
//! member alone.

use axum::http::StatusCode;

use crate::arena::engine::rng::{Pcg, mix};
use crate::arena::engine::seats::{Seat, SeatMap, SeatSet};
use crate::arena::engine::{GameSpec, Probe};
use crate::arena::error::ArenaError;
use crate::arena::league::{self, Entry, Wanted};

/// Rated players that a game must have before positions are played on (protocol.md §4.8).
pub const MIN_RATED: usize = 10;

/// How many of the strongest share the policy's seats without a band.
const STRONGEST: usize = 4;

/// How many of those in the middle share the league's seats without a band, as [`league::draw`] has it for one seat.
const MIDDLE: usize = 3;

/// Players that take more than about 15 ms for a whole match, and with how many ticks left they take less (measured on
/// a 2-core AMD EPYC). A band that names them gets them all the same.
const SLOW: &[(&str, &str, u32)] = &[
    ("connect_four", "ab8", 20),
    ("connect_four", "solver", 14),
    ("connect_four", "uct500", 20),
    ("grid_serpents", "scout", 60),
    ("grid_serpents", "wary", 30),
    ("liars_dice", "deal20", 18),
    ("liars_dice", "deal100", 4),
    ("multi_reversi", "ab5x10", 20),
    ("pot_limit_omaha_hilo", "equity200", 140),
    ("pot_limit_omaha_hilo", "ranges200", 80),
];

/// What stands between the name of a player and its share of random moves.
const SLIPS: char = '+';

/// Who may sit where.
#[derive(Debug, Clone, PartialEq)]
pub struct Rosters(SeatMap<Vec<&'static str>>);

impl Rosters {
    /// Of a position. `policy` are the policy's seats, the others are the league's; `wanted` is what the episode's
    /// opponents were drawn by, with the band that counts for this question.
    ///
    /// # Errors
    /// `LEAGUE_TOO_THIN`: nobody fits.
    pub fn new(spec: &GameSpec, probe: &Probe, policy: SeatSet, wanted: &Wanted) -> Result<Self, ArenaError> {
        let fitting: Vec<&'static Entry> =
            league::pool(spec.slug, wanted).into_iter().map(|(entry, _)| entry).collect();
        let others = match wanted.band {
            Some(_) => names(&fitting),
            None => names(&middle(spec.slug, wanted)),
        };
        let own = match wanted.band {
            Some(_) => others.clone(),
            None => names(&strongest(spec.slug, ticks_left(spec, probe))),
        };
        if own.is_empty() || others.is_empty() {
            return Err(too_thin(spec.slug, wanted));
        }
        let seats = Seat::first(probe.player_count).filter(|seat| !probe.failed.contains(*seat));
        let pool = |seat| if policy.contains(seat) { own.clone() } else { others.clone() };
        Ok(Self(seats.map(|seat| (seat, pool(seat))).collect()))
    }

    /// The players of one sample: each seat's drawn for itself, so the same one may sit at several.
    pub fn draw(&self, stream: u64) -> SeatMap<&'static str> {
        let mut rng = Pcg::new(mix(&[stream, 0x5EA7]));
        self.0.iter().map(|(seat, pool)| (seat, pool[rng.below(pool.len() as u64) as usize])).collect()
    }

    /// The strongest that may sit at a seat, at most four, best first.
    pub fn advisers(&self, seat: Seat) -> impl Iterator<Item = &'static str> {
        self.0.get(seat).into_iter().flat_map(|pool| pool.iter().rev().copied().take(STRONGEST))
    }
}

/// Refuses games whose league is too small for playing positions on.
///
/// # Errors
/// `LEAGUE_TOO_THIN`.
pub fn check_rated(slug: &str) -> Result<(), ArenaError> {
    let rated = league::of(slug).len();
    if rated >= MIN_RATED {
        return Ok(());
    }
    let problem = format!(
        "a position is played on by rated players, and `complete` needs at least {MIN_RATED} of them: `{slug}` has {rated}; \
         `score-actions` works with fewer"
    );
    Err(ArenaError::new(StatusCode::CONFLICT, "LEAGUE_TOO_THIN", problem))
}

/// Weakest first, as the league has them.
fn names(entries: &[&'static Entry]) -> Vec<&'static str> {
    entries.iter().map(|entry| entry.player.as_str()).collect()
}

fn middle(slug: &str, wanted: &Wanted) -> Vec<&'static Entry> {
    let mut pool = league::pool(slug, wanted);
    pool.sort_by(|(_, a), (_, b)| (a - 0.5).abs().total_cmp(&(b - 0.5).abs()));
    pool.truncate(MIDDLE);
    pool.sort_by(|(a, _), (b, _)| a.elo.total_cmp(&b.elo));
    pool.into_iter().map(|(entry, _)| entry).collect()
}

fn strongest(slug: &str, ticks_left: u32) -> Vec<&'static Entry> {
    let is_quick = |entry: &&Entry| {
        let bot = entry.player.split(SLIPS).next().unwrap_or_default();
        let slow = SLOW.iter().find(|(game, name, _)| *game == slug && *name == bot);
        slow.is_none_or(|(.., most)| ticks_left <= *most)
    };
    let quick: Vec<&'static Entry> = league::of(slug).iter().filter(is_quick).collect();
    quick[quick.len().saturating_sub(STRONGEST)..].to_vec()
}

/// Ticks that the match may still take: the game's usual length bounds those with a more generous horizon.
fn ticks_left(spec: &GameSpec, probe: &Probe) -> u32 {
    let usual = Some(spec.canonical_ticks).filter(|usual| *usual > probe.tick);
    usual.map_or(probe.max_ticks, |usual| usual.min(probe.max_ticks)).saturating_sub(probe.tick)
}

fn too_thin(slug: &str, wanted: &Wanted) -> ArenaError {
    let band = wanted
        .band
        .map_or_else(String::new, |[low, high]| format!(" with a percentile from {low} to {high}"));
    let problem = format!(
        "the league of `{slug}` has no player{band} to play on: widen the band, or name fewer filters"
    );
    ArenaError::new(StatusCode::CONFLICT, "LEAGUE_TOO_THIN", problem)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::arena::engine::{Game, MatchSetup};
    use crate::arena::games::GAMES;
    use crate::arena::games::connect_four::ConnectFour;

    const P: [Seat; 2] = [Seat::new(0), Seat::new(1)];

    fn start(max_ticks: u32) -> Probe {
        let setup = MatchSetup { config: &json!({}), seats: 2, max_ticks, seed: 1 };
        ConnectFour.start(&setup).unwrap().probe()
    }

    fn rosters(policy: SeatSet, band: Option<[f64; 2]>) -> Result<Rosters, ArenaError> {
        Rosters::new(ConnectFour.spec(), &start(1000), policy, &Wanted { band, ..Wanted::any() })
    }

    #[test]
    fn a_band_is_for_everybody_and_is_kept() {
        let band = [0.3, 0.7];
        let rosters = rosters(SeatSet::first(1), Some(band)).unwrap();
        let allowed = names(
            &league::pool("connect_four", &Wanted { band: Some(band), ..Wanted::any() })
                .into_iter()
                .map(|(entry, _)| entry)
                .collect::<Vec<_>>(),
        );
        let drawn: Vec<&str> =
            (0..200).flat_map(|stream| P.map(|seat| *rosters.draw(stream).get(seat).unwrap())).collect();
        assert!(drawn.iter().all(|player| allowed.contains(player)), "{drawn:?}");
        assert!(allowed.iter().all(|player| drawn.contains(player)), "everybody plays: {drawn:?}");
        assert_eq!(rosters.draw(7), rosters.draw(7));
    }

    #[test]
    fn a_narrow_band_fills_all_seats_and_an_empty_one_is_refused() {
        let rosters = rosters(SeatSet::first(2), Some([0.0, 0.05])).unwrap();
        let roster = rosters.draw(1);
        assert_eq!(roster.get(P[0]), roster.get(P[1]));
        let error = super::tests::rosters(SeatSet::first(2), Some([0.5001, 0.5002])).unwrap_err();
        assert_eq!(error.code(), "LEAGUE_TOO_THIN");
        assert!(
            error.message().contains("0.5001") && error.message().contains("widen"),
            "{}",
            error.message()
        );
    }

    #[test]
    fn without_a_band_the_policys_seats_are_strong_and_the_leagues_as_it_draws_them() {
        let rosters = rosters(SeatSet::one(P[1]), None).unwrap();
        let mut rng = Pcg::new(1);
        for stream in 0..50 {
            let opponent = league::draw("connect_four", &Wanted::any(), 1, &mut rng).unwrap()[0];
            assert!(rosters.0.get(P[0]).unwrap().contains(&opponent.player.as_str()));
            let own = *rosters.draw(stream).get(P[1]).unwrap();
            let percentile = league::pool("connect_four", &Wanted::any())
                .into_iter()
                .find_map(|(entry, percentile)| (entry.player == own).then_some(percentile));
            assert!(percentile.unwrap() > 0.5, "{own}");
        }
    }

    #[test]
    fn slow_players_wait_for_the_end_of_a_match() {
        let has_slow =
            |ticks| strongest("connect_four", ticks).iter().any(|entry| entry.player.starts_with("ab8"));
        assert!(!has_slow(42) && has_slow(20));
        assert_eq!(ticks_left(ConnectFour.spec(), &start(1000)), 42);
        assert_eq!(ticks_left(ConnectFour.spec(), &start(10)), 10);
    }

    #[test]
    fn every_game_with_a_league_has_players_and_slow_ones_exist() {
        for game in GAMES {
            let slug = game.spec().slug;
            let strong = strongest(slug, u32::MAX);
            assert_eq!(strong.len(), STRONGEST.min(league::of(slug).len()), "{slug}");
        }
        for (slug, bot, _) in SLOW {
            let game = GAMES.iter().find(|game| game.spec().slug == *slug).unwrap();
            assert!(game.bots().iter().any(|info| info.name == *bot), "{slug} {bot}");
        }
    }

    #[test]
    fn a_small_league_is_told_with_its_size() {
        check_rated("connect_four").unwrap();
        let error = check_rated("chess").unwrap_err();
        assert!(error.message().contains("at least 10") && error.message().contains("has 0"));
    }
}
