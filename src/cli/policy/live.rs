//! A table on standard error that is drawn again while something is played.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use tokio::time::Instant;

use crate::text;

/// How often a line is written where nobody sees a table change.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// The table, or now and then a line where standard error is no terminal.
pub(super) struct Live {
    bar: Option<ProgressBar>,
    line: Instant,
}

impl Live {
    pub(super) fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self { bar, line: Instant::now() }
    }

    /// Shows the table, or the line when one is due.
    pub(super) fn draw(&mut self, table: impl FnOnce() -> String, line: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            bar.set_message(table());
            bar.tick();
        } else if self.line.elapsed() >= LINE_EVERY {
            self.line = Instant::now();
            eprintln!("gert: {}", line());
        }
    }

    /// Says something beside the table.
    pub(super) fn say(&self, words: &str) {
        let words = format!("gert: {}", text::clean(words));
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{words}")),
            None => eprintln!("{words}"),
        }
    }

    pub(super) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// How long each of what is done took, and so how long what is left may take, in words.
pub(super) fn time_left(began: Instant, done: u64, left: f64) -> String {
    if done == 0 {
        return String::new();
    }
    let seconds = began.elapsed().as_secs_f64() / done as f64 * left;
    format!(", about {} left at most", text::duration(seconds))
}
