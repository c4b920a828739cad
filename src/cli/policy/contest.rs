//! `gert policy match`: two players against each other, until the difference between them is known.
//!
//! [`run`] makes the contest from what was typed, [`play`] plays its pairs, [`report`] shows them.

mod play;
mod report;

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use crate::api::model::GameDetail;
use crate::cli::Failure;
use crate::config::{Config, Given};
use crate::contest::{Bounds, PairRow, Settings, row};
use crate::seat::{GameFacts, Player};
use crate::tape::Keep;

use self::play::Contest;
use super::kept::{self, Kept};
use super::server::Server;
use super::shared::{self, Reaction};

/// What `gert policy match` takes.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "the flags of a command")]
pub(in crate::cli) struct Args {
    /// The first player: a command in one text, with flags of the policy before it, or `ai:NAME` for a built-in player
    #[arg(value_name = "CMD_A", required_unless_present = "list_players")]
    a: Option<String>,
    /// The second player
    #[arg(value_name = "CMD_B", required_unless_present = "list_players")]
    b: Option<String>,
    /// The game, by its slug
    #[arg(long, value_name = "GAME")]
    game: String,
    /// At most so many games, two to a seed with the seats exchanged
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    games: u64,
    /// Stop when it is sure that A is no more than the first or at least the second number of Elo stronger, with the
    /// error rates of either; `off` plays all games
    #[arg(long, value_name = "ELO0,ELO1[,ALPHA,BETA]", default_value = "0,10", allow_hyphen_values = true)]
    sprt: String,
    /// Seats of a game; with more than two each player has half of them [default: the game's own, or two]
    #[arg(long, value_name = "N")]
    players: Option<u32>,
    /// Where all chance comes from [default: another one each time]
    #[arg(long)]
    seed: Option<u64>,
    /// The horizon in ticks [default: the game's own]
    #[arg(long, value_name = "N")]
    max_ticks: Option<u64>,
    /// The game's options, a JSON object
    #[arg(long, value_name = "JSON")]
    game_config: Option<String>,
    /// Games at once [default: the cores of this machine]
    #[arg(long, short = 'j', value_name = "K", value_parser = clap::value_parser!(u16).range(1..=64))]
    concurrency: Option<u16>,
    /// What becomes of a policy that fails: its game goes on like this, and the failure is tallied
    #[arg(long, value_enum, default_value = "stop")]
    on_failure: Reaction,
    /// Keep the results in this file [default: one in the state folder, named after players, game and seed]
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    out: Option<PathBuf>,
    /// Go on with the results in this file
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Record every game, as the dashboard does
    #[arg(long)]
    record: bool,
    /// Play on the profile's server instead of an arena in this process; it has to take seeds
    #[arg(long)]
    online: bool,
    /// Do not ask before credits are spent
    #[arg(long, short)]
    yes: bool,
    /// The result as one JSON document
    #[arg(long)]
    json: bool,
    /// List the built-in players of the game, weakest first
    #[arg(long, conflicts_with_all = ["a", "b", "resume"])]
    list_players: bool,
}

/// One of the two.
#[derive(Debug, Clone)]
pub(super) enum Contender {
    /// A built-in player of the arena.
    BuiltIn(String),
    /// A command, or a model.
    Policy(Arc<Player>),
}

impl Contender {
    fn parse(text: &str, game: &str) -> Result<Self, String> {
        let Some(name) = text.strip_prefix("ai:") else { return shared::player(text).map(Self::Policy) };
        let ladder = ladder(game);
        if !ladder.is_empty() && !ladder.iter().any(|(known, _)| known == name) {
            let names: Vec<String> = ladder.iter().map(|(name, _)| format!("`ai:{name}`")).collect();
            return Err(format!("there is no `ai:{name}` in {game}: there are {}", names.join(", ")));
        }
        Ok(Self::BuiltIn(name.to_owned()))
    }
}

/// Plays the contest; the exit status is 0 when it was played to its end, 130 when it was interrupted.
pub(super) async fn run(args: Args, given: Given) -> Result<i32, Failure> {
    if args.list_players {
        return list_players(&args.game);
    }
    let concurrency = args.concurrency.map_or_else(shared::cores, usize::from);
    let server = if args.online {
        Server::of_profile(&crate::cli::load(given, Config::load).await?)?
    } else {
        Server::own(concurrency, "").await?
    };
    let outcome = on(&server, &args, concurrency).await;
    server.close().await;
    outcome
}

async fn on(server: &Server, args: &Args, concurrency: usize) -> Result<i32, Failure> {
    let game = server.game(&args.game).await?;
    let kept: Option<Kept<Settings, PairRow>> = args.resume.as_deref().map(Kept::read).transpose()?;
    let settings = settings(args, &game, kept.as_ref().map(|kept| &kept.settings))?;
    let contenders =
        [Contender::parse(&settings.a, &settings.game)?, Contender::parse(&settings.b, &settings.game)?];
    if let Some(kept) = &kept {
        let differences = settings.differences(&kept.settings);
        if !differences.is_empty() {
            let why = differences.join("\n  ");
            return Err(format!("`--resume` goes on with the same contest only:\n  {why}").into());
        }
    }
    let ticks = settings.max_ticks.or(game.canonical_ticks);
    let price = ticks.map(|ticks| crate::api::Micro::ticks(ticks.saturating_mul(args.games)));
    if !shared::agree(server, &format!("up to {} games of {}", args.games, settings.game), price, args.yes)
        .await?
    {
        return Ok(1);
    }
    let path = match (&args.resume, &args.out) {
        (Some(path), _) | (None, Some(path)) => path.clone(),
        (None, None) => kept::default_place("matches", &row::file_name(&settings))?,
    };
    let kept = kept.map_or_else(|| Kept::begin(&path, &settings), Ok)?;
    let recordings = args.record.then(crate::tape::folder).flatten().map(Keep::new);
    let contest = Contest {
        api: server.api.clone(),
        recordings,
        game: Arc::new(GameFacts::of(&game)),
        contenders,
        on_failure: args.on_failure.into(),
        concurrency,
        pairs: args.games.div_ceil(2),
        forget: server.is_own(),
        settings,
        path,
    };
    contest.play(kept, args).await
}

/// What the contest is, from what was typed; what was not typed comes from the file that it goes on with.
fn settings(args: &Args, game: &GameDetail, kept: Option<&Settings>) -> Result<Settings, Failure> {
    let sprt = match args.sprt.as_str() {
        "off" => None,
        text => Some(Bounds::parse(text).map_err(|why| format!("--sprt: {why}"))?),
    };
    let players = players(args.players, game)?;
    let config: Value = match &args.game_config {
        Some(text) => serde_json::from_str(text).map_err(|why| format!("--game-config: {why}"))?,
        None => serde_json::json!({}),
    };
    if !config.is_object() {
        return Err("--game-config: is a JSON object such as `{\"width\":9}`".into());
    }
    // Exact in a program that keeps numbers as doubles.
    let seed = args.seed.or(kept.map(|kept| kept.seed)).unwrap_or_else(|| rand::random::<u64>() >> 32);
    Ok(Settings {
        gert_match: row::VERSION,
        a: args.a.clone().unwrap_or_default(),
        b: args.b.clone().unwrap_or_default(),
        game: game.slug.as_str().to_owned(),
        game_version: GameFacts::of(game).version.unwrap_or_default(),
        seed,
        players,
        max_ticks: args.max_ticks,
        sprt,
        on_failure: crate::seat::OnFailure::from(args.on_failure).to_string(),
        config,
    })
}

/// Two seats where the game has them: a duel says most with the fewest games.
fn players(asked: Option<u32>, game: &GameDetail) -> Result<u32, String> {
    let allowed = &game.allowed_player_counts;
    let slug = game.slug.as_str();
    match asked {
        Some(0 | 1) => Err("--players: a match needs two seats".into()),
        Some(count) if !allowed.is_empty() && !allowed.contains(&count) => {
            Err(format!("--players: {slug} is played by {allowed:?}"))
        }
        Some(count) => Ok(count),
        None if allowed.contains(&2) || allowed.is_empty() => Ok(2),
        None => allowed
            .iter()
            .copied()
            .find(|count| *count >= 2)
            .ok_or_else(|| format!("{slug} is played alone: there is nobody to play against")),
    }
}

fn list_players(game: &str) -> Result<i32, Failure> {
    let ladder = ladder(game);
    if ladder.is_empty() {
        return Err(format!("the arena has no game `{game}`, or no players for it").into());
    }
    let rows: Vec<Vec<String>> =
        ladder.into_iter().map(|(name, about)| vec![format!("ai:{name}"), about]).collect();
    let columns = [super::table::Column::Text("PLAYER"), super::table::Column::Text("HOW IT PLAYS")];
    crate::cli::print(&super::table::draw(&columns, &rows))?;
    Ok(0)
}

/// The built-in players of a game and how they play, weakest first.
#[cfg(feature = "arena")]
fn ladder(game: &str) -> Vec<(String, String)> {
    let game = crate::arena::games::find(game);
    let bots = game.map(crate::arena::engine::Game::bots).unwrap_or_default();
    bots.into_iter().map(|bot| (bot.name.to_owned(), bot.about.to_owned())).collect()
}

#[cfg(not(feature = "arena"))]
fn ladder(_: &str) -> Vec<(String, String)> {
    Vec::new()
}

/// What goes on with it.
pub(super) fn resume_command(args: &Args, settings: &Settings, path: &std::path::Path) -> String {
    let mut words = vec!["gert".to_owned(), "policy".into(), "match".into()];
    words.extend([shared::quoted(&settings.a), shared::quoted(&settings.b)]);
    let mut flag = |name: &str, value: String| words.extend([format!("--{name}"), value]);
    flag("game", shared::quoted(&settings.game));
    flag("games", args.games.to_string());
    flag("sprt", args.sprt.clone());
    flag("seed", settings.seed.to_string());
    flag("players", settings.players.to_string());
    if let Some(ticks) = settings.max_ticks {
        flag("max-ticks", ticks.to_string());
    }
    if let Some(config) = &args.game_config {
        flag("game-config", shared::quoted(config));
    }
    if settings.on_failure != "stop" {
        flag("on-failure", settings.on_failure.clone());
    }
    if let Some(concurrency) = args.concurrency {
        flag("concurrency", concurrency.to_string());
    }
    flag("resume", shared::quoted(&path.display().to_string()));
    for (given, name) in [(args.online, "--online"), (args.record, "--record"), (args.json, "--json")] {
        if given {
            words.push(name.into());
        }
    }
    words.join(" ")
}
