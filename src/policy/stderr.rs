//! What a policy writes to its standard error: always read, kept within bounds, told in bursts.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use super::clean::clean;

/// Bytes kept between two events; above it the oldest lines go.
const KEPT: usize = 256 * 1024;
/// Bytes kept of one line.
const LINE: usize = 4 * 1024;
/// Least time between two events.
const PAUSE: Duration = Duration::from_millis(50);
/// Lines repeated with the exit of the process: enough for the end of a traceback.
const TAIL: usize = 20;

/// The lines not yet told, and the last ones told.
#[derive(Debug, Default)]
pub(super) struct StderrLog {
    lines: VecDeque<Vec<u8>>,
    /// Bytes in `lines`.
    size: usize,
    dropped: u64,
    partial: Vec<u8>,
    /// The last byte was a carriage return: a newline after it ends no further line.
    after_return: bool,
    told: Option<Instant>,
    tail: VecDeque<String>,
}

impl StderrLog {
    /// Takes what was read. A carriage return ends a line too, as progress bars have it.
    pub(super) fn push(&mut self, chunk: &[u8]) {
        for piece in chunk.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
            let (text, end) = match piece.split_last() {
                Some((end @ (b'\n' | b'\r'), text)) => (text, Some(*end)),
                _ => (piece, None),
            };
            let room = LINE.saturating_sub(self.partial.len());
            self.partial.extend_from_slice(&text[..text.len().min(room)]);
            match end {
                Some(b'\n') if self.after_return && text.is_empty() => {}
                Some(_) => self.end_line(),
                None => {}
            }
            self.after_return = end == Some(b'\r');
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.partial);
        self.size += line.len() + 1;
        self.lines.push_back(line);
        while self.size > KEPT {
            let Some(oldest) = self.lines.pop_front() else { break };
            self.size -= oldest.len() + 1;
            self.dropped += 1;
        }
    }

    /// When there will be something to tell.
    pub(super) fn wake(&self, now: Instant) -> Option<Instant> {
        (!self.lines.is_empty()).then(|| self.told.map_or(now, |told| told + PAUSE))
    }

    /// Takes the lines to tell now, with the number dropped before them.
    pub(super) fn take_due(&mut self, now: Instant) -> Option<(Vec<String>, u64)> {
        if self.wake(now)? > now {
            return None;
        }
        self.take(now)
    }

    /// Takes what is left, an unfinished line too. The last lines are then in [`StderrLog::tail`].
    pub(super) fn take_rest(&mut self, now: Instant) -> Option<(Vec<String>, u64)> {
        if !self.partial.is_empty() {
            self.end_line();
        }
        self.take(now)
    }

    fn take(&mut self, now: Instant) -> Option<(Vec<String>, u64)> {
        if self.lines.is_empty() {
            return None;
        }
        let lines: Vec<String> = self.lines.drain(..).map(|line| clean(&line, LINE)).collect();
        self.size = 0;
        self.told = Some(now);
        self.tail.extend(lines.iter().rev().take(TAIL).rev().cloned());
        self.tail.drain(..self.tail.len().saturating_sub(TAIL));
        Some((lines, std::mem::take(&mut self.dropped)))
    }

    /// The last lines told.
    pub(super) fn tail(&self) -> Vec<String> {
        self.tail.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bursts_are_merged_and_line_ends_of_all_kinds_understood() {
        let now = Instant::now();
        let mut log = StderrLog::default();
        log.push(b"one\r\ntwo\n10%\r20");
        assert_eq!(
            log.take_due(now).map(|taken| taken.0),
            Some(vec!["one".into(), "two".into(), "10%".into()])
        );
        log.push(b"%\n\nlast");
        assert_eq!(log.take_due(now), None, "the pause is not over");
        assert_eq!(log.take_due(now + PAUSE), Some((vec!["20%".into(), String::new()], 0)));
        assert_eq!(log.take_due(now + PAUSE * 2), None, "an unfinished line waits");
        assert_eq!(log.take_rest(now), Some((vec!["last".into()], 0)));
        assert_eq!(log.tail(), ["one", "two", "10%", "20%", "", "last"]);
    }

    #[test]
    fn a_flood_keeps_the_newest_lines_and_counts_the_rest() {
        let mut log = StderrLog::default();
        for n in 0..100_000 {
            log.push(format!("line {n:05}\n").as_bytes());
        }
        let (lines, dropped) = log.take_due(Instant::now()).expect("lines");
        assert_eq!(lines.last().map(String::as_str), Some("line 99999"));
        assert_eq!(lines.len() as u64 + dropped, 100_000);
        assert!(lines.len() * 11 <= KEPT, "{}", lines.len());
        assert_eq!(log.tail().len(), TAIL);
    }

    #[test]
    fn a_line_without_end_takes_bounded_memory() {
        let mut log = StderrLog::default();
        for _ in 0..1000 {
            log.push(&[b'x'; 1000]);
        }
        assert_eq!(log.partial.len(), LINE);
        log.push(b"\n");
        assert_eq!(log.take_rest(Instant::now()).map(|taken| taken.0[0].len()), Some(LINE));
    }
}
