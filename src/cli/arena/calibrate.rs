//! `gert arena calibrate`: measures a league.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::arena::engine::Game;
use crate::arena::games::{self, GAMES};
use crate::arena::league::calibrate::{CalibrateError, Order, calibrate};
use crate::arena::league::table::Table;
use crate::arena::league::{self, roster};
use crate::cli::{Failure, print};

/// Where the tables that ship lie, in the source folder.
const TABLES: &str = "assets/league";

/// How often two meet when nobody says and no table ships.
const PAIRS: u32 = 100;

/// What `gert arena calibrate` takes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Its slug
    game: String,
    /// How often any two players meet, each time from all seats; in a game for one, the matches of each [default: as for the table that ships]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pairs: Option<u32>,
    /// Decides all matches: the same seed, the same table [default: as for the table that ships]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// These players only, by name (`ab4+eps0.25`); repeat it, or separate names by commas [default: the game's league]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    player: Vec<String>,
    /// Print the table as the file that ships, not for people
    #[arg(long)]
    json: bool,
    /// Write the file that ships, assets/league/GAME.json; run it in the source folder
    #[arg(long, conflicts_with = "player")]
    write: bool,
}

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("there is no game `{slug}`: the games are `{}`", all.join("`, `"))]
    NoGame { slug: String, all: Vec<&'static str> },
    #[error("there is no folder `{TABLES}` here: run `--write` in the source folder")]
    NotTheSource,
    #[error("cannot write `{}`", path.display())]
    Write { path: PathBuf, source: std::io::Error },
}

/// Measures, prints, and writes if asked to.
pub(super) async fn run(args: Args) -> Result<i32, Failure> {
    let game = games::find(&args.game).ok_or_else(|| Error::NoGame {
        slug: args.game.clone(),
        all: GAMES.iter().map(|game| game.spec().slug).collect(),
    })?;
    // Before minutes are spent on it.
    if args.write && !Path::new(TABLES).is_dir() {
        return Err(Error::NotTheSource.into());
    }
    let players = if args.player.is_empty() { roster::of(game) } else { args.player };
    let (pairs, seed) = league::shipped(&args.game).map_or((PAIRS, 1), |table| (table.pairs, table.seed));
    let (pairs, seed) = (args.pairs.unwrap_or(pairs), args.seed.unwrap_or(seed));
    let order = Order { game, players, pairs, seed };
    let began = Instant::now();
    let table = tokio::task::spawn_blocking(move || measure(&order)).await??;
    eprintln!("gert: {} in {:.1} s", game.spec().slug, began.elapsed().as_secs_f64());
    print(&if args.json { table.to_text() } else { for_people(&table) })?;
    if args.write {
        let path = Path::new(TABLES).join(format!("{}.json", table.game));
        std::fs::write(&path, table.to_text())
            .map_err(|source| Error::Write { path: path.clone(), source })?;
        eprintln!("gert: wrote {}", path.display());
    }
    Ok(0)
}

fn measure(order: &Order<'_>) -> Result<Table, CalibrateError> {
    let bar = bar(order.game);
    let table = calibrate(order, &|done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    table
}

fn bar(game: &dyn Game) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0).with_prefix(game.spec().slug);
    if let Ok(style) =
        ProgressStyle::with_template("{prefix}  {wide_bar} {pos}/{len} rounds  {elapsed} of {duration}")
    {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

/// Strongest first, with the step to the next.
fn for_people(table: &Table) -> String {
    let mut text = format!("{:<20} {:>7} {:>6} {:>6} {:>8}", "player", "elo", "error", "gap", "matches");
    text.push_str(if table.reference.is_some() { "   score\n" } else { "\n" });
    let below = table.entries.iter().map(Some).rev().skip(1).chain([None]);
    for (row, below) in table.entries.iter().rev().zip(below) {
        let gap = below.map_or_else(String::new, |below| format!("{:.0}", row.elo - below.elo));
        // Writing to a text cannot fail.
        let score = row.score.map_or_else(String::new, |score| format!(" {score:>7.1}"));
        _ = writeln!(
            text,
            "{:<20} {:>7.1} {:>6.1} {:>6} {:>8}{score}",
            row.player, row.elo, row.error, gap, row.matches
        );
    }
    let plural = if table.seats == 1 { "seat" } else { "seats" };
    let _ = write!(text, "{} of version {}, {} {plural}, ", table.game, table.game_version, table.seats);
    _ = match table.first_seat {
        Some(first) => writeln!(
            text,
            "{} pairs, seed {}; the first seat made {:.1} %",
            table.pairs,
            table.seed,
            first * 100.0
        ),
        None => writeln!(text, "{} matches, seed {}; rated by score", table.pairs, table.seed),
    };
    text
}
