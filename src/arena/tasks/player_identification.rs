//! `player_identification`: say which built-in player of the arena played which matches of connect four.

use serde_json::{Value, json};

use super::answer::{self, Fuel, Refusal};
use super::level::Level;
use super::prompt::{ONE_ACTION, POINTS, Section, UNREADABLE};
use super::{Instance, Kind, Score, Variant, VariantSpec};
use crate::arena::engine::rng::{Pcg, mix};
use crate::arena::engine::seats::{Seat, SeatMap};
use crate::arena::engine::{Game, Input, MatchSetup, Play, Turn};
use crate::arena::games::connect_four::ConnectFour;

/// The variant.
pub(super) struct PlayerIdentification;

static SPEC: VariantSpec = VariantSpec {
    name: "player_identification",
    kind: Kind::Identification,
    weight: 0.5,
    version: 1,
    title: "Player identification",
    is_exact: false,
    rules: &[
        Section {
            title: "Problem",
            sentences: &[
                [
                    "Each entry of `logs` holds matches of connect four that one and the same hidden player played against a partner.",
                    "One hidden player for each entry of `logs` played all its matches of connect four against a partner.",
                    "In `logs` every entry has the matches of connect four of one hidden player against a partner.",
                ],
                [
                    "The board is 7 columns wide and 6 rows high, and 4 in a row win; a match is the columns in the order of play, counted from 0.",
                    "A match lists the columns, counted from 0, in which discs were dropped in turn, on a board of 7 columns and 6 rows where 4 in a row win.",
                    "They drop discs on 7 columns and 6 rows until 4 are in a row, and a match is the row of columns, counted from 0.",
                ],
                [
                    "The hidden player begins in the match at place 0 of an entry, its partner in the next, and so on in turn.",
                    "Who begins alternates within an entry; in the match at place 0 it is the hidden player.",
                    "In turn they have the first move, the hidden player in the match at place 0.",
                ],
                [
                    "The partner wins if it can, else blocks, else plays at random.",
                    "Its partner takes a win, or blocks one, or else plays at random.",
                    "A partner plays at random unless it can win or has to block.",
                ],
                [
                    "`candidates` describes the players that may be hidden; no two entries have the same one.",
                    "Who may be hidden is described in `candidates`, and every entry has another one.",
                    "The hidden players are different ones of those described in `candidates`.",
                ],
                [
                    "Name the hidden player of every entry.",
                    "Say of each entry who played it.",
                    "Tell who is hidden in which entry.",
                ],
            ],
        },
        Section {
            title: "Answer",
            sentences: &[
                ONE_ACTION,
                [
                    "Its form is `{\"action\":\"identify\",\"names\":[\"random\",\"block\"]}`, with a name for each entry in their order.",
                    "Send `{\"action\":\"identify\",\"names\":[\"random\",\"block\"]}`, as many names as entries and in the same order.",
                    "It looks like `{\"action\":\"identify\",\"names\":[\"random\",\"block\"]}`, a name an entry, in order.",
                ],
            ],
        },
        Section {
            title: "Scoring",
            sentences: &[
                POINTS,
                [
                    "The share of right names counts beyond what guessing would get.",
                    "What counts is the share of right names, less what guessing gives.",
                    "Right names count as a share, from what a guess would reach upwards.",
                ],
                UNREADABLE,
            ],
        },
    ],
};

/// Who the hidden players meet.
const PARTNER: &str = "block";

/// A player of the league that may be hidden.
struct Candidate {
    name: &'static str,
    about: &'static str,
    /// What it is without its slips, and their share.
    base: &'static str,
    slips: f64,
}

/// Those that are easy to tell apart stand first.
static CANDIDATES: &[Candidate] = &[
    Candidate { name: "random", about: "any column with room", base: "random", slips: 0.0 },
    Candidate {
        name: "block",
        about: "wins if it can, else blocks, else plays at random",
        base: "block",
        slips: 0.0,
    },
    Candidate {
        name: "ab4",
        about: "alpha-beta search of 4 plies, counts open lines",
        base: "ab4",
        slips: 0.0,
    },
    Candidate { name: "ab2+eps0.4", about: "ab2, but 40 % of its moves at random", base: "ab2", slips: 0.4 },
    Candidate {
        name: "ab2",
        about: "alpha-beta search of 2 plies, counts open lines",
        base: "ab2",
        slips: 0.0,
    },
    Candidate { name: "centre", about: "random, but prefers the centre", base: "centre", slips: 0.0 },
    Candidate { name: "ab2+eps0.8", about: "ab2, but 80 % of its moves at random", base: "ab2", slips: 0.8 },
    Candidate { name: "ab2+eps0.2", about: "ab2, but 20 % of its moves at random", base: "ab2", slips: 0.2 },
    Candidate { name: "ab2+eps0.6", about: "ab2, but 60 % of its moves at random", base: "ab2", slips: 0.6 },
];

struct Logs {
    /// By number in [`CANDIDATES`].
    offered: Vec<usize>,
    /// Columns of every match of every log.
    matches: Vec<Vec<Vec<u8>>>,
    /// Places in `offered`.
    hidden: Vec<usize>,
}

impl Variant for PlayerIdentification {
    fn spec(&self) -> &'static VariantSpec {
        &SPEC
    }

    fn draw(&self, seed: u64, level: Level) -> Box<dyn Instance> {
        let mut rng = Pcg::new(seed);
        let (logs, offer) = (level.between(3, 6) as usize, level.between(4, 8) as usize);
        let matches = level.length(12, 6);
        // The further down the list, the more alike they are.
        let mut offered: Vec<usize> = (0..(offer + 1).min(CANDIDATES.len())).collect();
        rng.shuffle(&mut offered);
        offered.truncate(offer);
        let mut hidden: Vec<usize> = (0..offer).collect();
        rng.shuffle(&mut hidden);
        hidden.truncate(logs);
        let log = |by: &usize| {
            let name = CANDIDATES[offered[*by]].name;
            (0..matches).map(|nth| play(name, nth % 2 == 0, rng.next_u64())).collect()
        };
        let logs = hidden.iter().map(log).collect();
        Box::new(Logs { offered, matches: logs, hidden })
    }
}

fn start() -> Box<dyn Play> {
    let setup = MatchSetup { config: &json!({}), seats: 2, max_ticks: 42, seed: 0 };
    GAME.start(&setup).expect("connect four starts with its defaults")
}

static GAME: &dyn Game = &ConnectFour;

fn drop_in(play: &mut dyn Play, seat: Seat, action: Value) {
    let mut inputs = SeatMap::default();
    inputs.insert(seat, Input::Act(action));
    play.submit(&inputs);
}

/// The columns of a match against the partner.
fn play(name: &str, begins: bool, stream: u64) -> Vec<u8> {
    let names = if begins { [name, PARTNER] } else { [PARTNER, name] };
    let mut players = [0, 1].map(|seat| GAME.player(names[seat], mix(&[stream, seat as u64])));
    let mut play = start();
    let mut columns = Vec::new();
    while let Turn::One(seat) = play.probe().turn {
        let Some(player) = &mut players[seat.index()] else { break };
        let action = player.act(&*play, seat);
        columns.push(column(&action));
        drop_in(&mut *play, seat, action);
    }
    columns
}

fn column(action: &Value) -> u8 {
    let action = action.as_array().and_then(|list| list.first()).unwrap_or(action);
    action["column"].as_u64().unwrap_or_default() as u8
}

impl Logs {
    fn names(&self) -> Vec<&'static str> {
        self.offered.iter().map(|candidate| CANDIDATES[*candidate].name).collect()
    }

    fn answer(names: &[&str]) -> Value {
        json!({ "action": "identify", "names": names })
    }
}

impl Instance for Logs {
    fn observation(&self) -> Value {
        let candidates: serde_json::Map<String, Value> = (self.offered.iter())
            .map(|candidate| (CANDIDATES[*candidate].name.to_owned(), json!(CANDIDATES[*candidate].about)))
            .collect();
        let text =
            |columns: &Vec<u8>| columns.iter().map(|column| char::from(b'0' + column)).collect::<String>();
        let logs: Vec<Vec<String>> = self.matches.iter().map(|log| log.iter().map(text).collect()).collect();
        json!({ "candidates": candidates, "logs": logs })
    }

    fn score(&self, action: &Value, _: &mut Fuel) -> Result<Score, Refusal> {
        let members = answer::members(action, "identify")?;
        let found = answer::names(members, "names", self.matches.len(), &self.names())?;
        let right = found.iter().zip(&self.hidden).filter(|(found, hidden)| found == hidden).count();
        Ok(Score::above_chance(right, self.matches.len(), 1.0 / self.offered.len() as f64))
    }

    /// Who would most likely have played so.
    fn reference(&self) -> Value {
        let best = |log: &Vec<Vec<u8>>| {
            let candidates = self.offered.iter().map(|candidate| &CANDIDATES[*candidate]);
            let rated = candidates.map(|candidate| (likelihood(candidate, log), candidate.name));
            rated.max_by(|a, b| a.0.total_cmp(&b.0)).map_or("", |(_, name)| name)
        };
        Self::answer(&self.matches.iter().map(best).collect::<Vec<_>>())
    }

    /// The same name for all.
    fn naive(&self) -> Value {
        Self::answer(&vec![self.names()[0]; self.matches.len()])
    }
}

/// The logarithm of how likely a player plays as the hidden one did.
fn likelihood(candidate: &Candidate, log: &[Vec<u8>]) -> f64 {
    let mut sum = 0.0;
    for (nth, columns) in log.iter().enumerate() {
        let mut play = start();
        for (ply, &chosen) in columns.iter().enumerate() {
            let seat = Seat::new((ply % 2) as u8);
            if ply % 2 == nth % 2 {
                let share = if candidate.base == "random" {
                    1.0 / 7.0
                } else {
                    share(candidate.base, &*play, seat, chosen)
                };
                sum += ((1.0 - candidate.slips) * share + candidate.slips / 7.0).ln();
            }
            drop_in(&mut *play, seat, json!({ "action": "drop", "column": chosen }));
        }
    }
    sum
}

/// How often a player chooses a column: it is asked a few times, and a doubt remains.
fn share(name: &str, play: &dyn Play, seat: Seat, chosen: u8) -> f64 {
    // Searches hardly ever waver, and take longer.
    let asked: u32 = if name.starts_with("ab") { 4 } else { 24 };
    let doubt = f64::from(asked) / 40.0;
    let same = (0..asked).filter(|stream| {
        let player = GAME.player(name, mix(&[u64::from(*stream), u64::from(play.probe().tick)]));
        player.is_some_and(|mut player| column(&player.act(play, seat)) == chosen)
    });
    (same.count() as f64 + doubt) / (f64::from(asked) + 7.0 * doubt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::league;
    use crate::arena::tasks::level::Difficulty;

    #[test]
    fn candidates_are_rated_players_of_the_league() {
        for candidate in CANDIDATES {
            let rated = league::of("connect_four").iter().any(|entry| entry.player == candidate.name);
            assert!(rated && GAME.player(candidate.base, 0).is_some(), "{}", candidate.name);
        }
    }

    #[test]
    fn logs_are_whole_matches_of_different_players() {
        let level = Level::new(Difficulty::DEFAULT);
        let observation = PlayerIdentification.draw(1, level).observation();
        let logs = observation["logs"].as_array().unwrap();
        assert_eq!(logs.len(), 4);
        for columns in logs.iter().flat_map(|log| log.as_array().unwrap()) {
            let mut play = start();
            for (ply, column) in columns.as_str().unwrap().bytes().enumerate() {
                let column = column - b'0';
                drop_in(
                    &mut *play,
                    Seat::new((ply % 2) as u8),
                    json!({ "action": "drop", "column": column }),
                );
            }
            assert!(play.probe().over.is_some(), "{columns}");
        }
    }

    #[test]
    fn right_names_count_beyond_chance() {
        // arena.md §10.2.
        let logs = Logs { offered: vec![0, 1], matches: vec![vec![]; 2], hidden: vec![0, 1] };
        let score = |names: &[&str]| logs.score(&Logs::answer(names), &mut Fuel::default());
        assert_eq!(score(&["random", "block"]), Ok(Score { points: 1.0, solved: true }));
        assert_eq!(score(&["random", "random"]), Ok(Score { points: 0.0, solved: false }));
        assert!(matches!(score(&["random", "solver"]), Err(Refusal::Answer(_))));
    }
}
