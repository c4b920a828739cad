//! `gert policy rollout`: episodes of a rollout run, kept in a file, each with a label that says whether it is of use.

pub(super) mod label;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use futures_util::future::join_all;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;

use crate::api::Micro;
use crate::api::endpoints::{OpenRun, ResetEpisode};
use crate::api::model::{Episode, Json, Seat};
use crate::cli::twin::{self, CommandPolicy, PolicyBroke};
use crate::cli::{Failure, chain};
use crate::config::{Config, Given};
use crate::contest::schedule;
use crate::journal::Journal;
use crate::policy::PolicySpec;
use crate::rollout::{self, BoxError, Ended, Policy, Run, Together, Trajectory};
use crate::seat::GameFacts;

use self::label::{FailedSeat, Label, judge};
use super::server::Server;
use super::shared;
use super::stop::{INTERRUPTED, unless_stopped};

/// Episodes that may fail one after the other before the rest is given up.
const FAULTS: u32 = 3;

/// The ticks of an episode where nobody says.
const TICKS: u64 = 1000;

/// What `gert policy rollout` takes.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The game, by its slug
    #[arg(long, value_name = "GAME")]
    game: String,
    /// What plays all seats that are ours: a command in one text, flags of the policy before it
    #[arg(long, value_name = "CMD")]
    policy: String,
    /// How many episodes the file is to hold; those that it holds already are not played again
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    episodes: u32,
    /// Where they are kept, a JSON object a line
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// In this run, which stays open [default: a run of its own, closed at the end]
    #[arg(long, value_name = "RUN")]
    run: Option<String>,
    /// The longest an episode may be in ticks, and so its highest price [default: 1000]
    #[arg(long, value_name = "N")]
    max_ticks: Option<u64>,
    /// The seed of the first episode; each one after it has the next
    #[arg(long)]
    seed: Option<u64>,
    /// Seats in all [default: the game's own]
    #[arg(long, value_name = "N")]
    player_count: Option<u32>,
    /// Seats of league opponents [default: none, all seats are ours]
    #[arg(long, value_name = "N")]
    opponent_seats: Option<u32>,
    /// How hard the game is, where that can be set
    #[arg(long, value_name = "D")]
    difficulty: Option<f64>,
    /// Episodes at once; more than one are stepped together, a request a tick
    #[arg(long, short = 'j', value_name = "K", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=128))]
    concurrency: u16,
    /// Make the run so many episodes larger whenever it is used up; the price is told first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    auto_extend: Option<u32>,
    /// Do not ask before credits are spent
    #[arg(long, short)]
    yes: bool,
    /// The summary as one JSON document
    #[arg(long)]
    json: bool,
}

/// A line of the file.
#[derive(Debug, Serialize)]
struct Row<'a> {
    /// Which, from 0.
    episode: u32,
    label: Label,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failed: Vec<FailedSeat>,
    policy: &'a str,
    run_id: &'a str,
    seed: Option<Value>,
    game: &'a str,
    #[serde(flatten)]
    trajectory: Option<&'a Trajectory>,
}

/// Plays. The exit status is 0 when all episodes are there, 1 when some are not, 130 when it was interrupted.
pub(super) async fn run(args: Args, given: Given) -> Result<i32, Failure> {
    let spec = PolicySpec::parse(&args.policy).map_err(|why| format!("--policy: {why}"))?;
    let kept = Kept::read(&args)?;
    let missing: Vec<u32> = (0..args.episodes).filter(|nth| !kept.done.contains(nth)).collect();
    if missing.is_empty() {
        eprintln!("gert: `{}` holds all {} episodes already", args.out.display(), args.episodes);
        return summary(&args, &kept.labels).map(|()| 0);
    }
    let server = Server::of_profile(&crate::cli::load(given, Config::load).await?)?;
    match on(&server, &args, spec, kept, missing).await {
        Ok(status) => Ok(status),
        Err(Stopped::Usual(why)) => match why.downcast_ref::<crate::api::Error>() {
            Some(error) => {
                eprintln!("gert: {error}: {}", error.why());
                Ok(twin::status_of(error))
            }
            None => Err(why),
        },
        Err(Stopped::NotAgreed) => Ok(1),
    }
}

enum Stopped {
    Usual(Failure),
    NotAgreed,
}

impl<E: Into<Failure>> From<E> for Stopped {
    fn from(why: E) -> Self {
        Self::Usual(why.into())
    }
}

async fn on(
    server: &Server,
    args: &Args,
    spec: PolicySpec,
    kept: Kept,
    missing: Vec<u32>,
) -> Result<i32, Stopped> {
    let game = GameFacts::of(&server.game(&args.game).await?);
    let count = missing.len() as u32;
    let ticks = args.max_ticks.unwrap_or(TICKS);
    let price = Micro::ticks(u64::from(count).saturating_mul(ticks));
    let what = format!("{count} episode(s) of {} of at most {ticks} ticks", args.game);
    if !shared::agree(server, &what, Some(price), args.yes).await? {
        return Err(Stopped::NotAgreed);
    }
    let run = if let Some(run) = &args.run {
        Run::adopt(&server.api, &run.as_str().into())
    } else {
        let mut open = OpenRun::new(count);
        open.max_ticks_per_episode = args.max_ticks;
        Run::open(&server.api, &open).await?
    };
    let stop = CancellationToken::new();
    let work = Work {
        args,
        server,
        run: &run,
        game: &game,
        spec,
        journal: kept.journal,
        left: Mutex::new(missing.into_iter()),
        labels: Mutex::new(kept.labels),
        faults: Mutex::new((0, None)),
        extending: tokio::sync::Mutex::new(None),
        stop: stop.clone(),
    };
    let done = unless_stopped(&stop, work.play()).await;
    let (labels, fault) = work.into_result();
    if args.run.is_some() {
        run.keep_open();
    } else if done.is_none() {
        // It is closed on the side, for which there is a moment below.
        drop(run);
    } else if let Err(why) = run.close().await {
        eprintln!("gert: the run `{}` could not be closed and holds its credits: {}", run.id(), why.why());
    }
    if stop.is_cancelled() {
        // Episodes that were broken off are closed on the side.
        twin::settle().await;
        eprintln!("gert: stopped by you; the same command goes on where it was");
        summary(args, &labels)?;
        return Ok(INTERRUPTED);
    }
    summary(args, &labels)?;
    if let Some(why) = fault {
        eprintln!("gert: {why}");
        return Ok(1);
    }
    Ok(i32::from(labels.contains_key(&Label::Infrastructure)))
}

/// What is in the file already.
struct Kept {
    journal: Journal,
    done: BTreeSet<u32>,
    labels: BTreeMap<Label, u32>,
}

impl Kept {
    /// Reads the file. An episode that failed for reasons of infrastructure is played again; a torn line is, too.
    fn read(args: &Args) -> Result<Self, Failure> {
        let name = args.out.display();
        let journal = Journal::new(&args.out);
        let rows = journal.read::<Value>().map_err(|why| format!("`{name}` cannot be read: {why}"))?;
        let mut kept = Self { journal, done: BTreeSet::new(), labels: BTreeMap::new() };
        for row in rows.rows {
            for (member, ours) in [("game", &args.game), ("policy", &args.policy)] {
                if row[member].as_str().is_some_and(|theirs| theirs != ours) {
                    let theirs = &row[member];
                    let why = format!(
                        "`{name}` holds episodes with another {member} ({theirs}): choose another file"
                    );
                    return Err(why.into());
                }
            }
            let label: Option<Label> = serde_json::from_value(row["label"].clone()).ok();
            let nth = row["episode"].as_u64().and_then(|nth| u32::try_from(nth).ok());
            let (Some(label), Some(nth)) = (label, nth) else {
                return Err(
                    format!("`{name}` holds something else than episodes: choose another file").into()
                );
            };
            if label != Label::Infrastructure && kept.done.insert(nth) {
                *kept.labels.entry(label).or_default() += 1;
            }
        }
        Ok(kept)
    }
}

/// The policy of one of many episodes.
struct Entrant {
    policy: CommandPolicy,
    nth: u32,
    seed: Option<Value>,
}

impl Policy for Entrant {
    type Error = BoxError;

    async fn act(&mut self, observation: &Json, seat: &Seat) -> Result<Json, BoxError> {
        self.policy.act(observation, seat).await
    }
}

/// The episodes that are to be played.
struct Work<'a> {
    args: &'a Args,
    server: &'a Server,
    run: &'a Run,
    game: &'a GameFacts,
    spec: PolicySpec,
    journal: Journal,
    left: Mutex<std::vec::IntoIter<u32>>,
    labels: Mutex<BTreeMap<Label, u32>>,
    /// Failures in a row, and why nothing more is played.
    faults: Mutex<(u32, Option<String>)>,
    /// Whether the run may be made larger; asked once.
    extending: tokio::sync::Mutex<Option<bool>>,
    stop: CancellationToken,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Work<'_> {
    async fn play(&self) {
        if self.args.concurrency == 1 { self.one_by_one().await } else { self.together().await }
    }

    fn into_result(self) -> (BTreeMap<Label, u32>, Option<String>) {
        let labels = self.labels.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (_, fault) = self.faults.into_inner().unwrap_or_else(PoisonError::into_inner);
        (labels, fault)
    }

    /// The next episode, unless nothing more is played.
    fn next(&self) -> Option<u32> {
        if self.is_over() { None } else { lock(&self.left).next() }
    }

    /// Plays one episode after the other, with processes that live as long.
    async fn one_by_one(&self) {
        let mut policy = CommandPolicy::in_game(self.spec.clone(), self.game);
        while let Some(nth) = self.next() {
            tokio::select! {
                // Dropped in the middle, the episode is closed on the side.
                () = self.stop.cancelled() => break,
                () = self.episode(nth, &mut policy) => {}
            }
        }
        policy.shutdown().await;
    }

    async fn episode(&self, nth: u32, policy: &mut CommandPolicy) {
        let (reset, episode) = self.start(nth).await;
        let mut seed = reset.seed.map(Value::from);
        let played = match episode {
            Ok(episode) => {
                seed = seed.or_else(|| seed_of(&episode));
                seat(&reset, &episode, policy);
                let played = rollout::play_episode(&self.server.api, &reset, &episode, policy).await;
                policy.end(played.as_ref().ok());
                played
            }
            Err(why) => Err(why),
        };
        self.keep(nth, seed, &played);
        match &played {
            Ok(_) => lock(&self.faults).0 = 0,
            Err(why) => self.fault(why),
        }
    }

    /// Plays many episodes, each with processes of its own, a step of all of them at a time.
    async fn together(&self) {
        let mut live = Together::new(&self.server.api, self.run.id());
        let mut idle: Vec<CommandPolicy> = Vec::new();
        loop {
            let round = async {
                self.fill(&mut live, &mut idle).await;
                live.step().await
            };
            let ended = tokio::select! {
                // Dropped in the middle, its episodes are closed on the side.
                () = self.stop.cancelled() => break,
                ended = round => ended,
            };
            let mut is_told = false;
            for Ended { policy: Entrant { mut policy, nth, seed }, outcome } in ended {
                policy.end(outcome.as_ref().ok());
                self.keep(nth, seed, &outcome);
                // A call that was lost for all is one fault.
                match &outcome {
                    Err(rollout::Error::Api(_)) if std::mem::replace(&mut is_told, true) => {}
                    Err(why) => self.fault(why),
                    Ok(_) => lock(&self.faults).0 = 0,
                }
                idle.push(policy);
            }
            if live.is_empty() && (lock(&self.left).len() == 0 || self.is_over()) {
                break;
            }
        }
        idle.extend(live.close().await.into_iter().map(|entrant| entrant.policy));
        for policy in idle {
            policy.shutdown().await;
        }
    }

    /// Starts episodes until there are as many as there may be at once.
    async fn fill(&self, live: &mut Together<Entrant>, idle: &mut Vec<CommandPolicy>) {
        let room = usize::from(self.args.concurrency).saturating_sub(live.len());
        let starting: Vec<u32> = std::iter::from_fn(|| self.next()).take(room).collect();
        let started = starting.into_iter().map(async |nth| (nth, self.start(nth).await));
        for (nth, (reset, episode)) in join_all(started).await {
            let seed = reset.seed.map(Value::from);
            let episode = match episode {
                Ok(episode) => episode,
                Err(why) => {
                    self.fault(&why);
                    self.keep(nth, seed, &Err(why));
                    continue;
                }
            };
            let mut policy =
                idle.pop().unwrap_or_else(|| CommandPolicy::in_game(self.spec.clone(), self.game));
            seat(&reset, &episode, &mut policy);
            let entrant = Entrant { policy, nth, seed: seed.or_else(|| seed_of(&episode)) };
            // There is room: a batch is as large as the most that may be asked for at once.
            let _ = live.add(&episode, entrant);
        }
    }

    fn is_over(&self) -> bool {
        self.stop.is_cancelled() || lock(&self.faults).1.is_some()
    }

    /// Starts an episode.
    async fn start(&self, nth: u32) -> (ResetEpisode, Result<Episode, rollout::Error>) {
        let mut reset = ResetEpisode::of(self.run.id().clone(), self.args.game.as_str());
        reset.seed = self.args.seed.map(|seed| seed.wrapping_add(u64::from(nth)));
        reset.player_count = self.args.player_count;
        reset.opponent_seats = self.args.opponent_seats;
        reset.difficulty = self.args.difficulty;
        reset.max_ticks = self.args.max_ticks;
        let episode = self.reset(&reset).await;
        (reset, episode)
    }

    /// Starts an episode; asks first where the run has to be made larger for it.
    async fn reset(&self, reset: &ResetEpisode) -> Result<Episode, rollout::Error> {
        match self.run.reset(reset, None).await {
            Err(why @ rollout::Error::Exhausted { .. }) => {
                let Some(more) = self.args.auto_extend else { return Err(why) };
                let mut agreed = self.extending.lock().await;
                if agreed.is_none() {
                    let price = Micro::ticks(u64::from(more) * self.args.max_ticks.unwrap_or(TICKS));
                    let what = format!("the run is used up: {more} more episodes each time");
                    let answer = shared::agree(self.server, &what, Some(price), self.args.yes).await;
                    *agreed = Some(answer.unwrap_or(false));
                }
                let may = *agreed == Some(true);
                drop(agreed);
                if may { self.run.reset(reset, Some(more)).await } else { Err(why) }
            }
            other => other,
        }
    }

    /// Writes an episode down.
    fn keep(&self, nth: u32, seed: Option<Value>, played: &Result<Trajectory, rollout::Error>) {
        let mut row = Row {
            episode: nth,
            label: Label::Infrastructure,
            why: None,
            failed: Vec::new(),
            policy: &self.args.policy,
            run_id: self.run.id().as_str(),
            seed,
            game: &self.args.game,
            trajectory: None,
        };
        match played {
            Ok(trajectory) => {
                (row.label, row.failed) = judge(trajectory);
                row.trajectory = Some(trajectory);
            }
            Err(why) => {
                row.why = Some(crate::text::excerpt(&chain(why), 400).into_owned());
                row.failed.extend(broken_seat(why));
            }
        }
        *lock(&self.labels).entry(row.label).or_default() += 1;
        if let Err(why) = self.write(&row) {
            let why = format!("the episodes cannot be kept in `{}`: {why}", self.args.out.display());
            lock(&self.faults).1.get_or_insert(why);
        }
    }

    /// Counts a failure; too many in a row are the end.
    fn fault(&self, why: &rollout::Error) {
        let mut faults = lock(&self.faults);
        faults.0 += 1;
        let is_final = matches!(why, rollout::Error::Exhausted { .. }) || faults.0 >= FAULTS;
        if is_final {
            faults.1.get_or_insert_with(|| chain(why));
        }
    }

    fn write(&self, row: &Row<'_>) -> std::io::Result<()> {
        // JSON has line breaks only between its tokens, where a blank means the same.
        let line = serde_json::to_string(row)?.replace(['\n', '\r'], " ");
        self.journal.lock()?.append(&RawValue::from_string(line)?)
    }
}

/// Tells a policy what its next episode is like.
fn seat(reset: &ResetEpisode, episode: &Episode, policy: &mut CommandPolicy) {
    let seed = reset.seed.map(|seed| schedule::policy_seed(seed, 0));
    policy.next_match(episode.player_count.unwrap_or_default(), seed);
}

fn seed_of(episode: &Episode) -> Option<Value> {
    episode.seed.as_ref().and_then(|seed| serde_json::to_value(seed).ok())
}

/// The seat whose policy ended an episode, and how.
fn broken_seat(why: &rollout::Error) -> Option<FailedSeat> {
    let rollout::Error::Policy(why) = why else { return None };
    let broke = why.downcast_ref::<PolicyBroke>()?;
    Some(FailedSeat { seat: broke.seat.clone(), how: broke.kind.as_str().into() })
}

fn summary(args: &Args, labels: &BTreeMap<Label, u32>) -> Result<(), Failure> {
    let file: &Path = &args.out;
    if args.json {
        let document = serde_json::json!({
            "game": args.game, "policy": args.policy, "file": file.display().to_string(),
            "episodes": labels.values().sum::<u32>(),
            "labels": labels,
        });
        return crate::cli::print(&format!("{document}\n"));
    }
    let words: Vec<String> =
        labels.iter().map(|(label, count)| format!("{count} {}", label.as_str())).collect();
    let words = if words.is_empty() { "none".into() } else { words.join(", ") };
    crate::cli::print(&format!("episodes in {}: {words}\n", file.display()))
}
