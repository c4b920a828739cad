//! What actions and positions are worth when league players play on: `score-actions` and `complete`.
//!
//! Each candidate is played in so many samples on copies of the match, each to its end, with league players on all
//! seats. Sample `s` has the same luck and the same players for every candidate, so that candidates differ by what they
//! are and not by whom they met. Everything follows from the position: the same question has the same answer.
//!
//! Start at [`score`]. `target` chooses the seat, `candidates` the actions, `roster` the players; `playouts` plays and
//! `rank` makes the table. `knobs` reads the requests, `call` answers and bills them. Sources: protocol.md §2.12.7,
//! §2.12.8 and §5.10, arena.md §7.2.

mod call;
pub mod candidates;
pub mod knobs;
mod playouts;
pub mod rank;
pub mod roster;
pub mod target;

use tokio_util::sync::CancellationToken;

use self::candidates::Candidate;
use self::playouts::{Branch, Played};
use self::rank::Summary;
use self::roster::Rosters;
use crate::arena::engine::rng::mix;
use crate::arena::engine::seats::{Seat, SeatSet};
use crate::arena::engine::{Play, Verdict};
use crate::arena::error::ArenaError;

/// How positions are played on.
#[derive(Debug)]
pub struct Trial {
    /// The seat whose score counts.
    pub seat: Seat,
    /// Seats whose failure spoils a sample.
    pub policy: SeatSet,
    /// Samples of each candidate, 1 or more.
    pub samples: u32,
    /// Ticks of each sample at most.
    pub max_ticks: u32,
    /// Who may play.
    pub rosters: Rosters,
    /// Every sample of every candidate draws luck and players for itself.
    pub random_opponents: bool,
}

/// What a candidate came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// Its samples in numbers.
    pub summary: Summary,
    /// Why no sample was played: the game refuses the action.
    pub refused: Option<String>,
}

/// Plays all samples; the results are in the order of `candidates`, and beside them the ticks that were played. Takes as
/// long as it takes, on all cores: for a blocking thread.
///
/// `None` as a candidate plays on without a first action.
///
/// # Errors
/// The arena is shutting down, or a player broke.
pub fn score(
    play: &dyn Play,
    trial: &Trial,
    candidates: &[Option<&Candidate>],
    stop: &CancellationToken,
) -> Result<(Vec<Scored>, u64), ArenaError> {
    let refused: Vec<Option<String>> = candidates
        .iter()
        .map(|candidate| {
            let verdict = play.judge(trial.seat, &candidate.as_ref()?.action);
            verdict.err().map(|verdict| words(&verdict))
        })
        .collect();
    let branches = branches(play.digest(), trial, candidates, &refused);
    let played = playouts::play(play, trial, &branches, stop)?;
    let ticks = played.iter().map(|played| u64::from(played.ticks)).sum();
    let is_alone = play.probe().player_count == 1;
    let mut rest = played.as_slice();
    let mut scored = Vec::with_capacity(candidates.len());
    for refused in refused {
        let samples: &[Played] = if refused.is_none() {
            let (own, others) = rest.split_at(trial.samples as usize);
            rest = others;
            own
        } else {
            &[]
        };
        let results: Vec<_> = samples.iter().filter_map(|played| played.result).collect();
        scored.push(Scored { summary: Summary::new(trial.samples, &results, is_alone), refused });
    }
    Ok((scored, ticks))
}

/// The samples of the candidates that can be played, one candidate after the other.
fn branches<'a>(
    digest: u64,
    trial: &'a Trial,
    candidates: &[Option<&'a Candidate>],
    refused: &[Option<String>],
) -> Vec<Branch<'a>> {
    let playable = candidates.iter().zip(refused).enumerate().filter(|(_, (_, refused))| refused.is_none());
    let samples =
        playable.flat_map(|(nth, (candidate, _))| (0..trial.samples).map(move |s| (nth, candidate, s)));
    samples
        .map(|(nth, candidate, sample)| {
            let stream = if trial.random_opponents {
                mix(&[digest, u64::from(sample), nth as u64])
            } else {
                mix(&[digest, u64::from(sample)])
            };
            Branch {
                first: candidate.map(|candidate| &candidate.action),
                players: trial.rosters.draw(stream),
                stream,
            }
        })
        .collect()
}

fn words(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Malformed(problem) | Verdict::Failed(problem) => problem.clone(),
        Verdict::Rejected(reasons) => reasons.join("; "),
        Verdict::Applied | Verdict::Passed => String::new(),
    }
}

#[cfg(test)]
mod tests;
