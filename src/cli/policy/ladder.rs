//! `gert policy ladder`: which bands of the league a policy beats.
//!
//! [`run`] makes the ladder from what was typed, [`play`] plays its sets, [`field`] their games, [`report`] shows them.

mod field;
mod play;
mod report;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::api::Micro;
use crate::api::model::GameDetail;
use crate::cli::Failure;
use crate::config::{Config, Given};
use crate::contest::ladder::{self, Field, LadderSettings, SetRow};
use crate::contest::row;
use crate::policy::PolicySpec;
use crate::seat::{GameFacts, OnFailure, Player};

use self::play::Ladder;
use super::kept::{self, Head, Kept};
use super::server::Server;
use super::shared::{self, Reaction};

/// The ticks of an episode where neither the user nor the game says.
const TICKS: u64 = 1000;

/// What `gert policy ladder` takes.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The policy: a command in one text, with flags of the policy before it
    #[arg(value_name = "CMD")]
    policy: String,
    /// The game, by its slug
    #[arg(long, value_name = "GAME")]
    game: String,
    /// Games against each band, rounded up to whole sets: of a seed one from each seat
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    games: u64,
    /// The middles of the bands, as percentiles of the league's ratings; each reaches 10 to either side, or as far as it
    /// takes to find enough opponents
    #[arg(long, value_name = "PERCENT", value_delimiter = ',', default_value = "10,25,50,75,90",
          value_parser = clap::value_parser!(u8).range(0..=100))]
    bands: Vec<u8>,
    /// Seats of a game: the policy has one, the league the rest [default: the game's own]
    #[arg(long, value_name = "N")]
    players: Option<u32>,
    /// Where all chance comes from [default: another one each time]
    #[arg(long)]
    seed: Option<u64>,
    /// The horizon in ticks, and so the highest price of a game [default: the game's own]
    #[arg(long, value_name = "N")]
    max_ticks: Option<u64>,
    /// Games at once [default: the cores of this machine]
    #[arg(long, short = 'j', value_name = "K", value_parser = clap::value_parser!(u16).range(1..=64))]
    concurrency: Option<u16>,
    /// What becomes of a policy that fails: its game goes on like this, and the failure is tallied
    #[arg(long, value_enum, default_value = "stop")]
    on_failure: Reaction,
    /// Keep the results in this file [default: one in the state folder, named after game, policy and seed]
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    out: Option<PathBuf>,
    /// Go on with the results in this file
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Against the league of the profile's server, in a rollout run of its own, instead of the built-in players in this
    /// process. Which seat the policy has is the server's choice, and each game has a seed of its own
    #[arg(long)]
    online: bool,
    /// Do not ask before credits are spent
    #[arg(long, short)]
    yes: bool,
    /// The result as one JSON document
    #[arg(long)]
    json: bool,
}

impl Head for LadderSettings {
    const OF: &'static str = "ladder";
    const VERSION: u32 = ladder::VERSION;

    fn version(&self) -> u32 {
        self.gert_ladder
    }
}

/// Climbs; the exit status is 0 when all games were played, 130 when it was interrupted.
pub(super) async fn run(args: Args, given: Given) -> Result<i32, Failure> {
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
    let kept: Option<Kept<LadderSettings, SetRow>> = args.resume.as_deref().map(Kept::read).transpose()?;
    let settings = settings(args, &game, kept.as_ref().map(|kept| &kept.settings))?;
    if let Some(kept) = &kept {
        let differences = row::differences(&settings, &kept.settings);
        if !differences.is_empty() {
            let why = differences.join("\n  ");
            return Err(format!("`--resume` goes on with the same ladder only:\n  {why}").into());
        }
    }
    let spec = PolicySpec::parse(&settings.policy).map_err(|why| format!("`{}`: {why}", settings.policy))?;
    let sets = args.games.div_ceil(settings.set_games());
    let rows = kept.as_ref().map(|kept| &*kept.rows).unwrap_or_default();
    let missing = play::missing(&settings, sets, rows);
    let ticks = args.max_ticks.or(game.canonical_ticks).unwrap_or(TICKS);
    let price = Micro::ticks(ticks.saturating_mul(missing));
    let what = format!("{missing} games of {} of at most {ticks} ticks", settings.game);
    if missing > 0 && !shared::agree(server, &what, Some(price), args.yes).await? {
        return Ok(1);
    }
    let path = match (&args.resume, &args.out) {
        (Some(path), _) | (None, Some(path)) => path.clone(),
        (None, None) => kept::default_place("ladders", &settings.file_name())?,
    };
    let facts = GameFacts::of(&game);
    let field = match settings.field {
        Field::Sessions => {
            let player = Arc::new(Player::new(spec.name(), spec));
            field::Field::sessions(server, player, facts, &settings, concurrency)?
        }
        Field::RolloutRun => field::Field::run(server, spec, facts, &settings, ticks, missing),
    };
    let kept = kept.map_or_else(|| Kept::begin(&path, &settings), Ok)?;
    Ladder { field, concurrency, sets, settings, path }.play(kept, args).await
}

/// What the ladder is, from what was typed; what was not typed comes from the file that it goes on with.
fn settings(
    args: &Args,
    game: &GameDetail,
    kept: Option<&LadderSettings>,
) -> Result<LadderSettings, Failure> {
    let mut bands = args.bands.clone();
    bands.sort_unstable();
    bands.dedup();
    let on_failure = OnFailure::from(args.on_failure);
    if args.online && on_failure != OnFailure::Stop {
        return Err(
            "--on-failure: a rollout run has no way on for a policy that failed: its game is lost".into()
        );
    }
    // Exact in a program that keeps numbers as doubles.
    let seed = args.seed.or(kept.map(|kept| kept.seed)).unwrap_or_else(|| rand::random::<u64>() >> 32);
    Ok(LadderSettings {
        gert_ladder: ladder::VERSION,
        policy: args.policy.clone(),
        game: game.slug.as_str().to_owned(),
        game_version: GameFacts::of(game).version.unwrap_or_default(),
        seed,
        players: players(args.players, game)?,
        max_ticks: args.max_ticks,
        bands,
        field: if args.online { Field::RolloutRun } else { Field::Sessions },
        on_failure: on_failure.to_string(),
    })
}

/// The game's own number of seats: the one that its league plays.
fn players(asked: Option<u32>, game: &GameDetail) -> Result<u32, String> {
    let allowed = &game.allowed_player_counts;
    let slug = game.slug.as_str();
    match asked.or(game.default_players) {
        Some(0 | 1) if asked.is_some() => {
            Err("--players: against a league there are two seats at least".into())
        }
        Some(count) if asked.is_some() && !allowed.is_empty() && !allowed.contains(&count) => {
            Err(format!("--players: {slug} is played by {allowed:?}"))
        }
        Some(count) if count >= 2 => Ok(count),
        _ => allowed
            .iter()
            .copied()
            .find(|count| *count >= 2)
            .ok_or_else(|| format!("{slug} is played alone: there is nobody to beat")),
    }
}

/// What goes on with it.
fn resume_command(args: &Args, settings: &LadderSettings, path: &Path) -> String {
    let mut words = vec!["gert".to_owned(), "policy".into(), "ladder".into()];
    words.push(shared::quoted(&settings.policy));
    let mut flag = |name: &str, value: String| words.extend([format!("--{name}"), value]);
    let bands: Vec<String> = settings.bands.iter().map(u8::to_string).collect();
    flag("game", shared::quoted(&settings.game));
    flag("games", args.games.to_string());
    flag("bands", bands.join(","));
    flag("seed", settings.seed.to_string());
    flag("players", settings.players.to_string());
    if let Some(ticks) = settings.max_ticks {
        flag("max-ticks", ticks.to_string());
    }
    if settings.on_failure != "stop" {
        flag("on-failure", settings.on_failure.clone());
    }
    if let Some(concurrency) = args.concurrency {
        flag("concurrency", concurrency.to_string());
    }
    flag("resume", shared::quoted(&path.display().to_string()));
    for (given, name) in [(args.online, "--online"), (args.yes, "--yes"), (args.json, "--json")] {
        if given {
            words.push(name.into());
        }
    }
    words.join(" ")
}
