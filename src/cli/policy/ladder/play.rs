//! Plays the sets of a ladder, all bands side by side.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::cli::Failure;
use crate::contest::ladder::{LadderSettings, SetRow};

use super::super::kept::Kept;
use super::super::series::{self, Nothing, Series};
use super::super::stop::{INTERRUPTED, unless_stopped};
use super::field::Field;
use super::report::{Progress, Report};
use super::{Args, resume_command};

/// A ladder and all that is needed to climb it.
pub(super) struct Ladder {
    pub(super) field: Field,
    pub(super) concurrency: usize,
    /// Against each band.
    pub(super) sets: u64,
    pub(super) settings: LadderSettings,
    pub(super) path: PathBuf,
}

/// The sets that were played, by their number over all bands.
pub(super) type Sets = BTreeMap<u64, SetRow>;

/// The number of a set over all bands: the first of each band, then the second of each.
fn number(settings: &LadderSettings, row: &SetRow) -> Option<u64> {
    let band = settings.bands.iter().position(|band| *band == row.band)?;
    row.set.checked_mul(settings.bands.len() as u64)?.checked_add(band as u64)
}

fn sets(settings: &LadderSettings, most: u64, rows: &[SetRow]) -> Sets {
    let is_wanted = |row: &&SetRow| row.set < most && row.games.len() as u64 == settings.set_games();
    let numbered = |row: &SetRow| Some((number(settings, row)?, row.clone()));
    rows.iter().filter(is_wanted).filter_map(numbered).collect()
}

/// Games that are not there yet, with so many sets against each band.
pub(super) fn missing(settings: &LadderSettings, most: u64, rows: &[SetRow]) -> u64 {
    let all = most.saturating_mul(settings.bands.len() as u64);
    all.saturating_sub(sets(settings, most, rows).len() as u64).saturating_mul(settings.set_games())
}

/// The sets so far, and where they are kept.
struct Climb<'a> {
    settings: &'a LadderSettings,
    most: u64,
    sets: &'a mut Sets,
    kept: &'a Kept<LadderSettings, SetRow>,
    progress: Progress,
}

impl Series for Climb<'_> {
    type Row = SetRow;
    const UNIT: &'static str = "set";

    fn next(&self, from: u64) -> Option<u64> {
        (from..self.most).find(|nth| !self.sets.contains_key(nth))
    }

    fn is_over(&self) -> bool {
        self.sets.len() as u64 >= self.most
    }

    fn take(&mut self, row: SetRow) -> Result<(), String> {
        self.kept.append(&row)?;
        if let Some(nth) = number(self.settings, &row) {
            self.sets.insert(nth, row);
        }
        Ok(())
    }

    fn draw(&mut self) {
        self.progress.draw(self.sets);
    }

    fn say(&self, words: &str) {
        self.progress.say(words);
    }
}

impl Ladder {
    /// Plays what is missing and shows the result.
    pub(super) async fn play(self, kept: Kept<LadderSettings, SetRow>, args: &Args) -> Result<i32, Failure> {
        let most = self.sets.saturating_mul(self.settings.bands.len() as u64);
        let mut done = sets(&self.settings, self.sets, &kept.rows);
        let stop = CancellationToken::new();
        let ladder = Arc::new(self);
        let playing = ladder.play_missing(&kept, &mut done, most, &stop);
        let played = unless_stopped(&stop, playing).await;
        ladder.field.end(played.is_some()).await;
        let is_over = done.len() as u64 >= most;
        let interrupted = stop.is_cancelled() && !is_over;
        let report = Report::of(&ladder.settings, ladder.sets, &done, &ladder.path, interrupted);
        crate::cli::print(&if args.json { report.json() } else { report.table() })?;
        let fault = played.and_then(Result::err);
        if let Some(why) = &fault {
            eprintln!("gert: {why}");
        }
        if fault.is_some() || interrupted {
            eprintln!("gert: every finished set is kept; this goes on:");
            eprintln!("{}", resume_command(args, &ladder.settings, &ladder.path));
        }
        Ok(match (fault, interrupted) {
            (Some(_), _) => 1,
            (None, true) => INTERRUPTED,
            (None, false) => 0,
        })
    }

    async fn play_missing(
        self: &Arc<Self>,
        kept: &Kept<LadderSettings, SetRow>,
        sets: &mut Sets,
        most: u64,
        stop: &CancellationToken,
    ) -> Result<(), String> {
        if sets.len() as u64 >= most {
            return Ok(());
        }
        self.field.begin().await?;
        let progress = Progress::new(&self.settings, self.sets, sets, self.concurrency);
        let mut climb = Climb { settings: &self.settings, most, sets, kept, progress };
        let at_once = self.concurrency.div_ceil(self.settings.set_games() as usize);
        let play = |nth: u64, stop: CancellationToken| {
            let ladder = Arc::clone(self);
            async move { ladder.set(nth, &stop).await }
        };
        let outcome = series::play(&mut climb, at_once, stop, play).await;
        climb.progress.end();
        outcome
    }

    async fn set(&self, nth: u64, stop: &CancellationToken) -> Result<SetRow, Nothing> {
        let n_bands = self.settings.bands.len() as u64;
        let band = (nth % n_bands) as usize;
        self.field.set(&self.settings, band, nth / n_bands, stop).await
    }
}
