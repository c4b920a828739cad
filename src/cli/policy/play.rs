//! `gert policy play`: a policy in seats of play sessions, one after the other or several at once.

mod told;

use std::io::IsTerminal;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use indicatif::{ProgressBar, ProgressStyle};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::api::endpoints::CreateSession;
use crate::api::model::{GameDetail, Json};
use crate::api::{self, Micro};
use crate::cli::{Failure, twin};
use crate::config::Given;
use crate::contest::schedule;
use crate::seat::{self, Booking, GameFacts, Place, Played, Player, SeatEnd, Table};
use crate::tape::Keep;
use crate::text;

use super::server::Server;
use super::shared::{self, Reaction};
use super::stop::{INTERRUPTED, unless_stopped};

/// Notes that wait to be written; what finds no room is dropped.
const NOTES: usize = 256;

/// What `gert policy play` takes.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The game, by its slug
    #[arg(long, value_name = "GAME")]
    game: String,
    /// What plays: a command in one text, flags of the policy before it; more than one for several own seats
    #[arg(long, value_name = "CMD", required = true)]
    policy: Vec<String>,
    /// What plays the second own seat
    #[arg(long, value_name = "CMD")]
    policy2: Option<String>,
    /// Own seats; policies take them in turn [default: one for each policy]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16))]
    seats: Option<u32>,
    /// Seats in all [default: the game's own]
    #[arg(long, value_name = "N")]
    players: Option<u32>,
    /// The server's players take the other seats [default: they do, where there are any]
    #[arg(long)]
    vs_ai: bool,
    /// The other seats stay open for others to join
    #[arg(long, conflicts_with_all = ["vs_ai", "ai"])]
    lobby: bool,
    /// A built-in player of an arena for an other seat; may be repeated
    #[arg(long, value_name = "NAME")]
    ai: Vec<String>,
    /// How many sessions
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    sessions: u64,
    /// Sessions at once
    #[arg(long, short = 'j', value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    concurrency: u16,
    /// The horizon in ticks, and so the highest price [default: the game's own]
    #[arg(long, value_name = "N")]
    max_ticks: Option<u64>,
    /// The seed of the first session, where the server takes seeds; each one after it has the next
    #[arg(long)]
    seed: Option<u64>,
    /// The least time of a tick, where the server takes one
    #[arg(long, value_name = "MS")]
    pace: Option<u64>,
    /// Who may watch, such as `private`
    #[arg(long, value_name = "WHO")]
    spectate_mode: Option<String>,
    /// Play on an arena in this process: no key, no network, no credits. So it is without a key, too
    #[arg(long)]
    arena: bool,
    /// What becomes of a seat whose policy fails
    #[arg(long, value_enum, default_value = "stop")]
    on_failure: Reaction,
    /// Record nothing
    #[arg(long)]
    no_record: bool,
    /// Do not ask before credits are spent
    #[arg(long, short)]
    yes: bool,
    /// A JSON object for each session as it ends, a line each
    #[arg(long)]
    jsonl: bool,
    /// Show what policies write to their standard error, and what goes on in their seats
    #[arg(long, short)]
    verbose: bool,
}

/// Plays. The exit status is 0 when all sessions were played to their end, 1 when a policy or the server failed, 130 when
/// it was interrupted.
pub(super) async fn run(args: Args, given: Given) -> Result<i32, Failure> {
    let server = Server::choose(args.arena, usize::from(args.concurrency), given).await?;
    let outcome = on(&server, &args).await;
    server.close().await;
    outcome
}

async fn on(server: &Server, args: &Args) -> Result<i32, Failure> {
    let players = args.policy.iter().chain(&args.policy2).map(|command| shared::player(command));
    let players: Vec<Arc<Player>> = players.collect::<Result<_, _>>()?;
    let game = match server.game(&args.game).await {
        Ok(game) => game,
        Err(why) => return failed(why),
    };
    let ticks = args.max_ticks.or(game.canonical_ticks);
    let price = ticks.map(|ticks| Micro::ticks(ticks.saturating_mul(args.sessions)));
    let each = ticks.map(|ticks| format!(" of at most {ticks} ticks")).unwrap_or_default();
    let what = format!("{} session(s) of {}{each}", args.sessions, args.game);
    if !shared::agree(server, &what, price, args.yes).await? {
        return Ok(1);
    }
    let (notes, told) = mpsc::channel(NOTES);
    let recordings = if args.no_record { None } else { crate::tape::folder().map(Keep::new) };
    let on_failure = args.on_failure.into();
    let notes = args.verbose.then_some(notes);
    let table = Table { api: server.api.clone(), recordings, on_failure, notes };
    let run = Run::new(args, &game, players.clone(), server);
    let stop = CancellationToken::new();
    let writing = tokio::spawn(write_notes(told, run.bar.clone()));
    let done = unless_stopped(&stop, run.play(&table, &stop)).await;
    drop(table);
    writing.abort();
    run.bar.finish_and_clear();
    let Some(sessions) = done else { return Ok(INTERRUPTED) };
    for player in &players {
        player.shutdown().await;
    }
    let Sessions { played, fault } = sessions;
    if !args.jsonl {
        crate::cli::print(&told::table(&played))?;
    }
    for open in played.iter().filter_map(Played::still_open) {
        eprintln!("gert: {}", still_open(&played, &open.end));
    }
    if let Some(why) = fault {
        eprintln!("gert: {why}: {}", why.why());
        return Ok(twin::status_of(&why));
    }
    if stop.is_cancelled() {
        let left = played.iter().filter(|session| session.was_stopped()).count();
        eprintln!(
            "gert: stopped by you: {} of {} sessions were played to their end, {left} left on the way",
            played.len() - left,
            args.sessions
        );
        return Ok(INTERRUPTED);
    }
    let failed = |session: &Played| {
        session.still_open().is_some() || session.seats.iter().any(|seat| seat.counts.failed > 0)
    };
    Ok(i32::from(played.iter().any(failed)))
}

fn failed(why: Failure) -> Result<i32, Failure> {
    match why.downcast_ref::<api::Error>() {
        Some(error) => {
            eprintln!("gert: {error}: {}", error.why());
            Ok(twin::status_of(error))
        }
        None => Err(why),
    }
}

fn still_open(played: &[Played], end: &SeatEnd) -> String {
    let id = played.iter().find(|session| session.still_open().is_some());
    let id = id.map(|session| session.session_id.to_string()).unwrap_or_default();
    let why = match end {
        SeatEnd::Lost(why) => format!("the connection is lost for good ({why})"),
        _ => "the server did not say that it was left".into(),
    };
    format!("{id} may still run and be billed: {why}; look at `gert sessions get {id}`")
}

/// What is to be played.
struct Run<'a> {
    args: &'a Args,
    game: Arc<GameFacts>,
    players: Vec<Arc<Player>>,
    own: u32,
    vs_ai: bool,
    seed: Option<u64>,
    bar: ProgressBar,
}

/// What was played, and why nothing more was.
struct Sessions {
    played: Vec<Played>,
    fault: Option<api::Error>,
}

impl<'a> Run<'a> {
    fn new(args: &'a Args, game: &GameDetail, players: Vec<Arc<Player>>, server: &Server) -> Self {
        let own = args.seats.unwrap_or(players.len() as u32);
        let all = args.players.or(game.default_players);
        let vs_ai = !args.lobby && (args.vs_ai || !args.ai.is_empty() || all.is_none_or(|all| own < all));
        // Known in any case on an arena of our own, so that every session can be played again.
        let seed = args.seed.or_else(|| server.is_own().then(|| rand::random::<u64>() >> 32));
        Self { args, game: Arc::new(GameFacts::of(game)), players, own, vs_ai, seed, bar: bar(args.sessions) }
    }

    async fn play(&self, table: &Table, stop: &CancellationToken) -> Sessions {
        let mut under_way = FuturesUnordered::new();
        let mut sessions = Sessions { played: Vec::new(), fault: None };
        let mut next = 0;
        loop {
            let goes_on = sessions.fault.is_none() && !stop.is_cancelled();
            while goes_on && next < self.args.sessions && under_way.len() < usize::from(self.args.concurrency)
            {
                let nth = next;
                under_way.push(async move { (nth, seat::play(table, self.booking(nth), stop).await) });
                next += 1;
            }
            match under_way.next().await {
                None => return sessions,
                Some((nth, Ok(played))) => {
                    let line = told::line(nth, self.seed_of(nth), &self.args.game, &played);
                    self.tell(&line, &played);
                    let cannot_run = told::not_started(&played);
                    sessions.played.push(played);
                    if cannot_run {
                        // It cannot in the next session either.
                        next = self.args.sessions;
                    }
                }
                Some((_, Err(why))) => sessions.fault = Some(why),
            }
        }
    }

    fn tell(&self, line: &str, played: &Played) {
        self.bar.inc(1);
        self.bar.set_message(told::short(played));
        let jsonl = self.args.jsonl;
        self.bar.suspend(|| {
            if jsonl {
                // A reader that went away is no reason to leave sessions half played.
                let _ = crate::cli::print(&format!("{line}\n"));
            }
            if self.bar.is_hidden() || played.seats.iter().any(|seat| seat.counts.failed > 0) {
                eprintln!("gert: {}", told::short(played));
            }
        });
    }

    fn seed_of(&self, nth: u64) -> Option<u64> {
        self.seed.map(|seed| seed.wrapping_add(nth))
    }

    fn booking(&self, nth: u64) -> Booking {
        let args = self.args;
        let seed = self.seed_of(nth);
        let mut create = CreateSession::of(args.game.as_str());
        create.seats = Some(self.own);
        create.player_count = args.players;
        create.vs_ai = Some(self.vs_ai);
        create.max_ticks = args.max_ticks;
        create.spectate_mode.clone_from(&args.spectate_mode);
        let mut put = |name: &str, value: Option<serde_json::Value>| {
            // What was made from a value is JSON.
            if let Some(json) = value.and_then(|value| Json::parse(&value.to_string()).ok()) {
                create.extra.insert(name, json);
            }
        };
        put("seed", seed.map(Into::into));
        put("pace_ms", args.pace.map(Into::into));
        put("ai", (!args.ai.is_empty()).then(|| args.ai.clone().into()));
        let places = (0..self.own as usize).map(|seat| Place {
            player: Arc::clone(&self.players[seat % self.players.len()]),
            seed: seed.map(|seed| schedule::policy_seed(seed, seat)),
        });
        Booking { create, places: places.collect(), game: Arc::clone(&self.game) }
    }
}

fn bar(sessions: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{pos}/{len} sessions  {msg}  {elapsed}").ok();
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(sessions);
    style.map(|style| bar.set_style(style));
    bar.enable_steady_tick(std::time::Duration::from_secs(1));
    bar
}

async fn write_notes(mut notes: mpsc::Receiver<String>, bar: ProgressBar) {
    while let Some(words) = notes.recv().await {
        let words = text::clean(&words).into_owned();
        bar.suspend(|| eprintln!("gert: {words}"));
    }
}
