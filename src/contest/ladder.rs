//! One policy against the league, band by band: who meets whom, and which bands it has beaten.
//!
//! Games come in sets: all games of a set have the same seed and the same opponents, and the policy sits in another seat
//! each time, so that neither luck nor the better seat favours anybody. Games of a set may go alike, which the interval
//! allows for ([`effective`]). A game is won by a better place than the mean of the opponents' places, so that a policy as
//! strong as they are has half of the points however many seats there are.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::seat::FailureKind;

use super::interval::{effective, wilson};
use super::row::{GameRow, file_word, hash};
use super::schedule;
use super::{Outcome, Side};

/// The version of the file.
pub const VERSION: u32 = 1;

/// How far a band reaches to either side, in percent, where there are enough players.
pub const HALF_WIDTH: u8 = 10;
/// A band with too few players is made wider by so much to either side, in percent.
const WIDER: u8 = 5;

/// Where its games are played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// In sessions of an arena in this process.
    Sessions,
    /// In a rollout run of a server.
    RolloutRun,
}

/// What makes two ladders the same one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LadderSettings {
    /// [`VERSION`] of who wrote it.
    pub gert_ladder: u32,
    /// The policy: a command.
    pub policy: String,
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
    /// The middles of the bands, in percent, lowest first.
    pub bands: Vec<u8>,
    /// Where.
    pub field: Field,
    /// What becomes of a policy that fails.
    pub on_failure: String,
}

impl LadderSettings {
    /// Games of a set: one for each seat, where we say who sits where.
    pub fn set_games(&self) -> u64 {
        match self.field {
            Field::Sessions => u64::from(self.players),
            Field::RolloutRun => 1,
        }
    }

    /// The name of its file: from policy, game and seed. Ladders that differ in anything else are told apart, too.
    pub fn file_name(&self) -> String {
        // Plain values and string keys always serialise.
        let mark = hash(&serde_json::to_string(self).unwrap_or_default());
        let word = file_word(&self.policy);
        format!("ladder-{}-{word}-{}-{mark:08x}.jsonl", self.game, self.seed)
    }
}

/// The percentiles of a band as shares: around its middle, `step` times made wider, within 0 and 1.
pub fn percentiles(middle: u8, step: u8) -> [f64; 2] {
    let half = HALF_WIDTH.saturating_add(step.saturating_mul(WIDER));
    let share = |percent: u8| f64::from(percent.min(100)) / 100.0;
    [share(middle.saturating_sub(half)), share(middle.saturating_add(half))]
}

/// How often a band may be made wider before it is the whole league.
pub const WIDEST: u8 = (100 - HALF_WIDTH) / WIDER;

/// The seed of all games of a set of a band.
pub fn seed(ladder: u64, band: u8, set: u64) -> u64 {
    schedule::seed(schedule::seed(ladder, u64::from(band)), set)
}

/// The opponents of a set: different ones, and over the sets all of them equally often.
pub fn opponents<'a>(pool: &[&'a str], ladder: u64, band: u8, set: u64, n: usize) -> Vec<&'a str> {
    let first = schedule::seed(ladder, u64::from(band)).wrapping_add(set.wrapping_mul(n as u64));
    let len = pool.len().max(1) as u64;
    (0..n as u64).filter_map(|nth| pool.get((first.wrapping_add(nth) % len) as usize).copied()).collect()
}

/// A finished set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SetRow {
    /// The middle of the band, in percent.
    pub band: u8,
    /// Which of the band's, from 0.
    pub set: u64,
    /// From which percentile to which the opponents were taken.
    pub percentiles: [f64; 2],
    /// Who the opponents were, as far as the server says.
    #[serde(default)]
    pub opponents: Vec<String>,
    /// Its games; the policy is [`Side::A`].
    pub games: Vec<GameRow>,
}

impl SetRow {
    /// The policy's share of the points.
    fn share(&self) -> f64 {
        let halves: usize = self.games.iter().map(|game| game.result.halves()).sum();
        halves as f64 / (2 * self.games.len().max(1)) as f64
    }
}

/// Whether a band is beaten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Badge {
    /// The whole 95 % interval is above one half.
    Beaten,
    /// More than half of the points, and too few games to be sure.
    Ahead,
    /// Half of the points or less, and it may still be the stronger one.
    Behind,
    /// The whole interval is below one half.
    Lost,
}

impl Badge {
    /// The word for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Beaten => "★ beaten",
            Self::Ahead => "ahead",
            Self::Behind => "behind",
            Self::Lost => "lost",
        }
    }
}

/// How a band stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rung {
    /// The middle of the band, in percent.
    pub band: u8,
    /// From which percentile to which, the widest that was needed.
    pub percentiles: [f64; 2],
    /// Opponents that were met.
    pub opponents: Vec<String>,
    /// Games.
    pub games: u64,
    /// Games with a better place than the opponents' mean one.
    pub wins: u64,
    /// Games with just that place.
    pub draws: u64,
    /// Games with a worse one.
    pub losses: u64,
    /// The policy's mean score; nothing where no score is known.
    pub mean_score: Option<f64>,
    /// Its share of the points, a draw counts half, 0 to 1; nothing without a game.
    pub win_share: Option<f64>,
    /// The 95 % interval of that share.
    pub interval: Option<(f64, f64)>,
    /// What that says.
    pub badge: Option<Badge>,
    /// The policy's failures by kind. A failure that lost the game is among the losses, too.
    pub failures: BTreeMap<FailureKind, u64>,
}

impl Rung {
    /// From the sets that were played against a band.
    pub fn of<'a>(band: u8, sets: impl IntoIterator<Item = &'a SetRow>) -> Self {
        let mut rung = Self {
            band,
            percentiles: percentiles(band, 0),
            opponents: Vec::new(),
            games: 0,
            wins: 0,
            draws: 0,
            losses: 0,
            mean_score: None,
            win_share: None,
            interval: None,
            badge: None,
            failures: BTreeMap::new(),
        };
        let (mut shares, mut scores) = (Vec::new(), Vec::new());
        for set in sets {
            rung.count(set);
            shares.push(set.share());
            scores.extend(set.games.iter().filter_map(score));
        }
        rung.opponents.sort();
        rung.opponents.dedup();
        if !shares.is_empty() {
            let n_sets = shares.len() as f64;
            let share = shares.iter().sum::<f64>() / n_sets;
            rung.win_share = Some(share);
            rung.interval = wilson(share, effective(&shares, rung.games as f64 / n_sets));
            rung.badge = rung.interval.map(|interval| badge(share, interval));
        }
        if !scores.is_empty() {
            rung.mean_score = Some(scores.iter().sum::<f64>() / scores.len() as f64);
        }
        rung
    }

    fn count(&mut self, set: &SetRow) {
        let [low, high] = set.percentiles;
        self.percentiles = [self.percentiles[0].min(low), self.percentiles[1].max(high)];
        self.opponents.extend(set.opponents.iter().cloned());
        for game in &set.games {
            self.games += 1;
            match game.result {
                Outcome::Win => self.wins += 1,
                Outcome::Draw => self.draws += 1,
                Outcome::Loss => self.losses += 1,
            }
            for failure in &game.failures {
                *self.failures.entry(failure.kind).or_default() += 1;
            }
        }
    }
}

/// The policy's score of a game.
fn score(game: &GameRow) -> Option<f64> {
    let seat = game.seats.iter().position(|side| *side == Side::A)?;
    game.scores.get(&format!("p{seat}")).copied()
}

fn badge(share: f64, (low, high): (f64, f64)) -> Badge {
    match () {
        () if low > 0.5 => Badge::Beaten,
        () if high < 0.5 => Badge::Lost,
        () if share > 0.5 => Badge::Ahead,
        () => Badge::Behind,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::super::row::FailureRow;
    use super::*;
    use Outcome::{Draw, Loss, Win};

    fn set(results: &[Outcome]) -> SetRow {
        let game = |(seat, result): (usize, &Outcome)| {
            let mut seats = vec![Side::B; results.len()];
            seats[seat] = Side::A;
            let scores = [(format!("p{seat}"), 10.0 * result.halves() as f64)].into();
            GameRow { result: *result, seats, scores, ..GameRow::default() }
        };
        let games = results.iter().enumerate().map(game).collect();
        SetRow { band: 25, set: 0, percentiles: [0.15, 0.35], opponents: vec!["b".into(), "a".into()], games }
    }

    #[test]
    fn a_band_reaches_ten_percent_to_either_side_and_ends_at_the_ends() {
        let hundredths = |band, widened| percentiles(band, widened).map(|end| (end * 100.0).round() as u32);
        assert_eq!([hundredths(50, 0), hundredths(10, 0), hundredths(90, 2)], [[40, 60], [0, 20], [70, 100]]);
        for band in [0, 10, 50, 100] {
            assert_eq!(hundredths(band, WIDEST), [0, 100], "{band}");
        }
    }

    #[test]
    fn a_band_is_beaten_when_its_whole_interval_says_so() {
        let rung = |win: usize, loss: usize| {
            let sets: Vec<SetRow> =
                [vec![set(&[Win, Win]); win], vec![set(&[Loss, Loss]); loss]].into_iter().flatten().collect();
            Rung::of(25, &sets)
        };
        // 8 of 10: 49.0 % to 94.3 %; 9 of 10: 59.6 % to 98.2 %.
        for (win, loss, badge) in [
            (0, 0, None),
            (8, 2, Some(Badge::Ahead)),
            (9, 1, Some(Badge::Beaten)),
            (5, 5, Some(Badge::Behind)),
            (1, 9, Some(Badge::Lost)),
        ] {
            assert_eq!(rung(win, loss).badge, badge, "{win} to {loss}");
        }
    }

    #[test]
    fn draws_are_half_points_and_failures_are_tallied_apart() {
        let mut sets = [set(&[Win, Draw]), set(&[Loss, Draw])];
        let failure = FailureRow { side: Side::A, kind: FailureKind::TimeOut, ..FailureRow::default() };
        sets[1].games[0].failures.push(failure);
        sets[1].percentiles = [0.1, 0.4];
        let rung = Rung::of(25, &sets);
        assert_eq!((rung.games, rung.wins, rung.draws, rung.losses), (4, 1, 2, 1));
        assert_eq!((rung.win_share, rung.mean_score), (Some(0.5), Some(10.0)));
        assert_eq!((rung.percentiles, rung.opponents), ([0.1, 0.4], vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(rung.failures, [(FailureKind::TimeOut, 1)].into());
    }

    proptest! {
        #[test]
        fn opponents_of_a_set_differ_and_all_are_met_equally_often(len in 1usize..9, n in 1usize..8, seed: u64) {
            let names: Vec<String> = (0..len).map(|nth| nth.to_string()).collect();
            let pool: Vec<&str> = names.iter().map(String::as_str).collect();
            let n = n.min(len);
            let mut met: HashMap<&str, usize> = HashMap::new();
            for set in 0..len as u64 {
                let drawn = opponents(&pool, seed, 50, set, n);
                let different: std::collections::HashSet<_> = drawn.iter().collect();
                prop_assert_eq!(different.len(), n);
                for name in drawn {
                    *met.entry(name).or_default() += 1;
                }
            }
            prop_assert!(pool.iter().all(|name| met[name] == n), "{:?}", met);
        }
    }
}
