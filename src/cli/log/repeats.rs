//! Counts warnings and errors that repeat. Pure: time comes in.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// A line that was written longer ago than this is written again.
const WHILE: Duration = Duration::from_mins(10);
/// How many different lines are remembered.
const MEMORY: usize = 32;

/// What was written lately.
#[derive(Default)]
pub(super) struct Repeats(VecDeque<Said>);

struct Said {
    /// The line without its time.
    words: String,
    written: Instant,
    /// How often it came since then.
    again: u64,
}

impl Repeats {
    /// What to write for a line: the line itself, or a word about how often it came, or nothing.
    pub(super) fn take(&mut self, line: &str, now: Instant) -> Option<String> {
        let (time, words) = line.split_once(' ').unwrap_or_default();
        if !["WARN ", "ERROR "].iter().any(|level| words.trim_start().starts_with(level)) {
            return Some(line.to_owned());
        }
        let Some(said) = self.0.iter_mut().find(|said| said.words == words) else {
            let forgotten = if self.0.len() < MEMORY { None } else { self.0.pop_back() };
            let missed = forgotten.map_or_else(String::new, |said| told(time, said.again, &said.words));
            self.0.push_front(Said { words: words.to_owned(), written: now, again: 0 });
            return Some(format!("{missed}{line}"));
        };
        if now.saturating_duration_since(said.written) >= WHILE {
            let missed = told(time, said.again, words);
            (said.written, said.again) = (now, 0);
            return Some(format!("{missed}{line}"));
        }
        said.again += 1;
        // 10, 100, 1000: the log says how bad it is while it is.
        let is_round = said.again >= 10 && said.again == 10_u64.pow(said.again.ilog10());
        is_round.then(|| told(time, said.again, words))
    }
}

fn told(time: &str, again: u64, words: &str) -> String {
    if again == 0 { String::new() } else { format!("{time} {again} times more: {}\n", words.trim()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_that_repeats_is_counted() {
        // L-01
        let start = Instant::now();
        let mut repeats = Repeats::default();
        let written: String = (0..5000_u64)
            .filter_map(|n| {
                // Two that alternate, each with its own time.
                let line = format!("T{n}  WARN gert: {}\n", if n % 2 == 0 { "one" } else { "two" });
                repeats.take(&line, start)
            })
            .collect();
        let one: Vec<&str> = written.lines().filter(|line| line.ends_with("one")).collect();
        assert_eq!(
            one,
            [
                "T0  WARN gert: one",
                "T20 10 times more: WARN gert: one",
                "T200 100 times more: WARN gert: one",
                "T2000 1000 times more: WARN gert: one",
            ]
        );
        assert_eq!(written.lines().count(), 8);
        let later = repeats.take("T9  WARN gert: one\n", start + WHILE).unwrap();
        assert_eq!(later, "T9 2499 times more: WARN gert: one\nT9  WARN gert: one\n");
    }

    #[test]
    fn what_is_no_warning_is_written_each_time() {
        let mut repeats = Repeats::default();
        for line in ["T  INFO gert: same\n", "T DEBUG gert: same\n", "WARN\n", "\n", ""] {
            for _ in 0..3 {
                assert_eq!(repeats.take(line, Instant::now()).as_deref(), Some(line));
            }
        }
        assert!(repeats.0.is_empty());
    }

    #[test]
    fn only_so_many_lines_are_remembered() {
        let mut repeats = Repeats::default();
        for n in 0..1000 {
            repeats.take(&format!("T ERROR gert: {n}\n"), Instant::now());
        }
        assert_eq!(repeats.0.len(), MEMORY);
    }
}
