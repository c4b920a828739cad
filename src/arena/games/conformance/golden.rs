//! Golden logs: a match of each game with the digest of its state after every tick (`tests/data/golden`).
//!
//! They hold for every build and every machine. Whoever changes how a game plays bumps its `game_version`, or its
//! `score_version` if only scores change, and then runs `GERT_GOLDEN=write cargo test golden`, which writes the log of
//! the new version and adds a row to `versions.txt`. Rows are never edited, so a log cannot change under a version.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hash::Hasher;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::*;
use crate::arena::engine::digest::Fnv;
use crate::arena::engine::playout::Playout;

/// Random matches whose digests are pinned together.
const RANDOM_MATCHES: u64 = 1000;

/// One line of a log.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Start {
        game_version: String,
        score_version: String,
        seats: u8,
        max_ticks: u32,
        seed: u64,
        digest: String,
    },
    Tick {
        inputs: BTreeMap<String, Sent>,
        digest: String,
    },
    End {
        over: String,
        scores: BTreeMap<String, f64>,
        random_matches: String,
    },
}

/// What a seat sent.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Sent {
    Act(Value),
    Pass,
    Fail(String),
}

impl Sent {
    fn of(input: &Input) -> Self {
        match input {
            Input::Act(action) => Self::Act(action.clone()),
            Input::Pass => Self::Pass,
            Input::Fail(why) => Self::Fail(why.clone()),
        }
    }

    fn input(&self) -> Input {
        match self {
            Self::Act(action) => Input::Act(action.clone()),
            Self::Pass => Input::Pass,
            Self::Fail(why) => Input::Fail(why.clone()),
        }
    }
}

fn hex(digest: u64) -> String {
    format!("{digest:016x}")
}

fn start_line(game: &dyn Game, digest: u64) -> Line {
    let spec = game.spec();
    Line::Start {
        game_version: spec.game_version.into(),
        score_version: spec.score_version.into(),
        seats: spec.default_seats,
        max_ticks: HORIZON,
        seed: 101,
        digest: hex(digest),
    }
}

fn end_line(play: &dyn Play, random_matches: u64) -> Line {
    let probe = play.probe();
    Line::End {
        over: probe.over.unwrap().as_str().into(),
        scores: probe.scores.iter().map(|(seat, score)| (seat.to_string(), *score)).collect(),
        random_matches: hex(random_matches),
    }
}

/// A match played at random in which now and then a seat sends nothing, and one goes bad in the end.
fn record(game: &dyn Game) -> Vec<Line> {
    let mut play = start(game, game.spec().default_seats, HORIZON, 101);
    let mut lines = vec![start_line(game, play.digest())];
    let mut rng = Pcg::new(102);
    while play.probe().over.is_none() {
        let mut inputs = random_inputs(game, &*play, &mut rng);
        let culprit = play.probe().turn.seats().iter().next();
        if let Some(seat) = culprit.filter(|_| play.probe().tick == HORIZON - 5) {
            inputs.insert(seat, Input::Fail("gone".into()));
        }
        play.submit(&inputs);
        let inputs = inputs.iter().map(|(seat, input)| (seat.to_string(), Sent::of(input))).collect();
        lines.push(Line::Tick { inputs, digest: hex(play.digest()) });
    }
    lines.push(end_line(&*play, random_matches(game, RANDOM_MATCHES)));
    lines
}

/// The lines that the game gives now for the inputs of a log.
fn replay(game: &dyn Game, log: &[Line]) -> Vec<Line> {
    let Some(Line::Start { seats, max_ticks, seed, .. }) = log.first() else { panic!("no first line") };
    let mut play = start(game, *seats, *max_ticks, *seed);
    let mut lines = vec![start_line(game, play.digest())];
    for line in log {
        let Line::Tick { inputs, .. } = line else { continue };
        let sent = inputs.iter().map(|(seat, sent)| (seat.parse().unwrap(), sent.input())).collect();
        play.submit(&sent);
        let again = sent.iter().map(|(seat, input)| (seat.to_string(), Sent::of(input))).collect();
        lines.push(Line::Tick { inputs: again, digest: hex(play.digest()) });
    }
    lines.push(end_line(&*play, random_matches(game, RANDOM_MATCHES)));
    lines
}

/// All last digests of random matches in one, with as many seats as the game allows, in turn.
fn random_matches(game: &dyn Game, count: u64) -> u64 {
    let seat_counts = game.spec().seats;
    let mut all = Fnv::default();
    for seed in 0..count {
        let seats = seat_counts[(seed % seat_counts.len() as u64) as usize];
        let players = Seat::first(seats).map(|seat| (seat, "random")).collect();
        let order = Playout {
            players: &players,
            players_stream: seed,
            chance_stream: None,
            first: None,
            max_ticks: u32::MAX,
        };
        all.write_u64(start(game, seats, HORIZON, seed).playout(&order).unwrap().digest);
    }
    all.finish()
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden").join(name)
}

fn read(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap_or_else(|err| panic!("tests/data/golden/{name}: {err}"))
}

fn text_of(lines: &[Line]) -> String {
    lines.iter().fold(String::new(), |mut text, line| {
        writeln!(text, "{}", serde_json::to_string(line).unwrap()).unwrap();
        text
    })
}

fn parse(text: &str) -> Vec<Line> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What `versions.txt` says of a log: slug, versions, digest of the file.
fn row(game: &dyn Game, text: &str) -> String {
    let mut hasher = Fnv::default();
    hasher.write(text.as_bytes());
    let spec = game.spec();
    format!("{} {} {} {}", spec.slug, spec.game_version, spec.score_version, hex(hasher.finish()))
}

/// Whether a row is to be added.
///
/// # Errors
/// The same version of the game has a row with another log.
fn is_new(versions: &str, row: &str) -> Result<bool, String> {
    let (version, _) = row.rsplit_once(' ').unwrap();
    match versions.lines().find(|known| known.rsplit_once(' ').is_some_and(|(known, _)| known == version)) {
        None => Ok(true),
        Some(known) if known == row => Ok(false),
        Some(_) => {
            Err(format!("`{version}` has a golden log already: bump `game_version` or `score_version`"))
        }
    }
}

/// Writes the logs of new versions, when asked to.
fn write() {
    let mut versions = std::fs::read_to_string(path("versions.txt")).unwrap_or_default();
    for game in GAMES {
        let text = text_of(&record(*game));
        let row = row(*game, &text);
        if is_new(&versions, &row).unwrap() {
            std::fs::write(path(&format!("{}.jsonl", game.spec().slug)), text).unwrap();
            writeln!(versions, "{row}").unwrap();
        }
    }
    std::fs::write(path("versions.txt"), versions).unwrap();
}

#[test]
fn golden_logs_replay_to_the_same_digest_at_every_tick() {
    if std::env::var_os("GERT_GOLDEN").is_some_and(|mode| mode == "write") {
        write();
    }
    for game in GAMES {
        let spec = game.spec();
        let text = read(&format!("{}.jsonl", spec.slug));
        let log = parse(&text);
        for (nth, (was, is)) in log.iter().zip(replay(*game, &log)).enumerate() {
            assert_eq!(
                *was,
                is,
                "{}: line {} of its golden log changed; see the head of this file",
                spec.slug,
                nth + 1
            );
        }
        assert_eq!(is_new(&read("versions.txt"), &row(*game, &text)), Ok(false), "{}", spec.slug);
    }
}

#[test]
fn a_changed_log_needs_a_new_version() {
    let versions = "pong 1 arena-1 00aa\npong 2 arena-1 00bb\n";
    assert_eq!(is_new(versions, "pong 2 arena-1 00bb"), Ok(false));
    assert!(is_new(versions, "pong 2 arena-1 00cc").unwrap_err().contains("bump"));
    for new in ["pong 3 arena-1 00bb", "pong 2 arena-2 00bb", "ping 2 arena-1 00bb"] {
        assert_eq!(is_new(versions, new), Ok(true), "{new}");
    }
}

#[test]
fn two_runs_of_random_matches_side_by_side_end_alike() {
    for game in GAMES {
        let [one, other] = std::thread::scope(|scope| {
            [(); 2].map(|()| scope.spawn(|| random_matches(*game, 100))).map(|run| run.join().unwrap())
        });
        assert_eq!(one, other, "{}", game.spec().slug);
    }
}
