//! The turn that may be open: which answer counts, and when time is up. No input or output, no clock of its own.

use std::time::Duration;

use tokio::time::Instant;

use super::answer::{Line, read_any, read_line};
use super::clean::clean;
use super::event::PolicyEventKind;
use super::free_text::{Said, read_said, read_whole};
use super::message::TurnEffect;
use super::outbox::Outbox;
use super::spec::Limits;

/// Longest piece of a garbage line carried in an event, in characters.
const SHOWN: usize = 200;

/// How the answers come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Reading {
    /// A line of JSON each.
    #[default]
    Lines,
    /// The same, where any JSON value is an answer.
    Json,
    /// Free text, which a line can hold or which ends with a mark.
    Text,
    /// All that the process writes is the answer.
    Whole,
}

impl Reading {
    fn is_by_line(self) -> bool {
        matches!(self, Self::Lines | Self::Json)
    }
}

/// What has been asked and answered so far.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "facts of a process that do not depend on each other")]
pub(super) struct Dialogue {
    limits: Limits,
    reading: Reading,
    /// Free text whose end has not come.
    text: String,
    /// The process has given its answer, whatever it is worth.
    is_spent: bool,
    open: Option<OpenTurn>,
    /// Requests given up whose answer may still come without an id. Each is owed one line, and as many are dropped
    /// before one counts: better to miss an answer than to play it in the wrong position.
    owed: u32,
    /// It said `ready` or answered: its start is over.
    is_up: bool,
    /// `ready` was told since the last `hello`.
    ready_told: bool,
    /// The next turn is the first of its match.
    is_first: bool,
    n_lines: u64,
}

#[derive(Debug)]
struct OpenTurn {
    id: u64,
    since: Instant,
    soft: Duration,
    hard: Duration,
    over_due_told: bool,
    silent_told: bool,
    /// An answer may still come when it is given up.
    is_owed: bool,
}

/// The hard limit of the open turn has passed: the process has to go.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TimeIsUp;

/// An answer in free text is longer than a line may be: the process has to go.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TextTooLong;

impl Dialogue {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            reading: Reading::Lines,
            text: String::new(),
            is_spent: false,
            open: None,
            owed: 0,
            is_up: false,
            ready_told: false,
            is_first: true,
            n_lines: 0,
        }
    }

    /// Says how the answers come from now on.
    pub(super) fn read_as(&mut self, reading: Reading) {
        self.reading = reading;
    }

    /// Another process has taken the place of the one that was heard so far.
    pub(super) fn restarted(&mut self) {
        self.text.clear();
        self.owes_nothing();
        (self.is_spent, self.is_up, self.owed, self.n_lines) = (false, false, 0, 0);
    }

    /// What was asked last has been answered, or will not be.
    fn owes_nothing(&mut self) {
        if let Some(turn) = &mut self.open {
            turn.is_owed = false;
        }
    }

    /// True once the process has given its answer, whatever it is worth.
    pub(super) fn is_spent(&self) -> bool {
        self.is_spent
    }

    /// A message has been written, its newline included.
    pub(super) fn written(&mut self, effect: TurnEffect, at: Instant) {
        match effect {
            TurnEffect::Opens => {
                self.give_up();
                self.is_first = true;
                self.ready_told = false;
            }
            TurnEffect::Asks(id) => self.ask(id, at),
            TurnEffect::Tells => {}
            TurnEffect::Closes => self.give_up(),
        }
    }

    fn give_up(&mut self) {
        if self.open.take().is_some_and(|turn| turn.is_owed) {
            self.owed += 1;
        }
    }

    fn ask(&mut self, id: u64, at: Instant) {
        self.give_up();
        let base = if self.is_first { self.limits.first } else { self.limits.turn };
        let soft = if self.is_up { base } else { base.saturating_add(self.limits.start) };
        self.is_first = false;
        self.open = Some(OpenTurn {
            id,
            since: at,
            soft,
            hard: soft.saturating_mul(self.limits.hard_factor.max(1)),
            over_due_told: false,
            silent_told: false,
            is_owed: true,
        });
    }

    pub(super) fn open_id(&self) -> Option<u64> {
        self.open.as_ref().map(|turn| turn.id)
    }

    /// Takes a line the policy has written.
    pub(super) fn line(&mut self, bytes: &[u8], at: Instant, out: &mut Outbox) -> Result<(), TextTooLong> {
        match self.reading {
            Reading::Lines => self.heard(read_line(bytes), bytes, at, out),
            Reading::Json => self.heard(read_any(bytes), bytes, at, out),
            Reading::Whole => return self.collect(&String::from_utf8_lossy(bytes), out),
            Reading::Text => match read_said(bytes, !self.text.is_empty()) {
                Said::Whole(line) => self.heard(line, bytes, at, out),
                Said::Piece(piece) => return self.collect(&piece, out),
                Said::Mark => self.text_ended(at, out),
            },
        }
        Ok(())
    }

    /// The output has ended; `rest` is what stands after the last newline.
    pub(super) fn output_ended(
        &mut self,
        rest: &[u8],
        at: Instant,
        out: &mut Outbox,
    ) -> Result<(), TextTooLong> {
        if self.reading.is_by_line() || !rest.is_empty() {
            self.line(rest, at, out)?;
        }
        self.text_ended(at, out);
        Ok(())
    }

    fn collect(&mut self, piece: &str, out: &mut Outbox) -> Result<(), TextTooLong> {
        if self.text.len() + piece.len() >= self.limits.line_bytes {
            return Err(TextTooLong);
        }
        self.n_lines += 1;
        self.text.push_str(piece);
        self.text.push('\n');
        if let Some(turn) = &mut self.open {
            turn.silent_told = true;
            out.streamed(turn.id, &format!("{piece}\n"));
        }
        Ok(())
    }

    fn text_ended(&mut self, at: Instant, out: &mut Outbox) {
        let text = std::mem::take(&mut self.text);
        let line = read_whole(&text);
        self.is_spent |= matches!(line, Line::Garbage { .. });
        self.heard(line, text.as_bytes(), at, out);
    }

    /// Takes what a line, or a text, says.
    pub(super) fn heard(&mut self, line: Line, bytes: &[u8], at: Instant, out: &mut Outbox) {
        if line == Line::Blank {
            return;
        }
        self.n_lines += 1;
        if let Some(turn) = &mut self.open {
            turn.silent_told = true;
        }
        match line {
            Line::Blank => {}
            Line::Ready { name } => {
                self.is_up = true;
                if !std::mem::replace(&mut self.ready_told, true) {
                    out.push(PolicyEventKind::Ready { name });
                }
            }
            Line::Answer { id, action, note } => match self.close_with(id) {
                Some(turn) => {
                    self.is_spent = true;
                    let latency = at.saturating_duration_since(turn.since);
                    let late = latency > turn.soft;
                    out.push(PolicyEventKind::Answered { id: turn.id, action, note, latency, late });
                }
                None => out.stale(id, at),
            },
            Line::Garbage { why } => {
                if !self.reading.is_by_line() {
                    self.owes_nothing();
                }
                out.garbage(self.open_id(), why, || clean(bytes, SHOWN), at);
            }
        }
    }

    /// Closes the open turn if an answer with this id, or without any, is the answer to it.
    fn close_with(&mut self, id: Option<u64>) -> Option<OpenTurn> {
        self.is_up = true;
        if id.is_none() && self.owed > 0 {
            self.owed -= 1;
            return None;
        }
        let turn = self.open.take_if(|turn| id.is_none_or(|id| id == turn.id))?;
        self.owed = 0;
        Some(turn)
    }

    /// When [`Dialogue::check`] has something to say next.
    pub(super) fn wake(&self) -> Option<Instant> {
        let turn = self.open.as_ref()?;
        let silent = (!turn.silent_told).then_some(self.limits.silence);
        let over_due = (!turn.over_due_told).then_some(turn.soft);
        let next = [silent, over_due, Some(turn.hard)].into_iter().flatten().min()?;
        // A limit beyond what the clock can show is none.
        turn.since.checked_add(next)
    }

    /// True when an open turn's hard limit has passed.
    pub(super) fn is_time_up(&self, now: Instant) -> bool {
        self.open.as_ref().is_some_and(|turn| now.saturating_duration_since(turn.since) >= turn.hard)
    }

    /// Compares the open turn with its limits. `unfinished` is how many bytes wait for their newline.
    pub(super) fn check(
        &mut self,
        now: Instant,
        unfinished: usize,
        out: &mut Outbox,
    ) -> Result<(), TimeIsUp> {
        let is_time_up = self.is_time_up(now);
        let Some(turn) = &mut self.open else { return Ok(()) };
        let (id, waited) = (turn.id, now.saturating_duration_since(turn.since));
        if !turn.silent_told && waited >= self.limits.silence {
            turn.silent_told = true;
            out.push(PolicyEventKind::Silent { id, waited, lines: self.n_lines, unfinished });
        }
        if !turn.over_due_told && waited >= turn.soft {
            turn.over_due_told = true;
            out.push(PolicyEventKind::OverDue { id, waited });
        }
        if is_time_up {
            out.push(PolicyEventKind::TimedOut { id: Some(id), limit: turn.hard, unread: false });
            self.open = None;
            return Err(TimeIsUp);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A dialogue at a desk: seconds are counted by hand.
    struct Desk {
        dialogue: Dialogue,
        out: Outbox,
        start: Instant,
    }

    impl Desk {
        fn new() -> Self {
            let limits = Limits {
                start: Duration::from_secs(10),
                first: Duration::from_secs(4),
                turn: Duration::from_secs(2),
                hard_factor: 3,
                silence: Duration::from_secs(1),
                ..Limits::default()
            };
            Self { dialogue: Dialogue::new(limits), out: Outbox::default(), start: Instant::now() }
        }

        fn at(&self, second: u64) -> Instant {
            self.start + Duration::from_secs(second)
        }

        fn ask(&mut self, id: u64, second: u64) {
            self.dialogue.written(TurnEffect::Asks(id), self.at(second));
        }

        fn hear(&mut self, line: &str, second: u64) -> Vec<PolicyEventKind> {
            self.dialogue.line(line.as_bytes(), self.at(second), &mut self.out).unwrap();
            self.out.tell_noise_if_due(self.at(second + 1000));
            std::iter::from_fn(|| self.out.pop()).collect()
        }

        /// Checks at the next time asked for; gives that second and what was told.
        fn wait(&mut self) -> (u64, Vec<PolicyEventKind>, Result<(), TimeIsUp>) {
            let wake = self.dialogue.wake().expect("an open turn");
            let result = self.dialogue.check(wake, 0, &mut self.out);
            ((wake - self.start).as_secs(), std::iter::from_fn(|| self.out.pop()).collect(), result)
        }
    }

    fn answered(id: u64, seconds: u64, late: bool) -> PolicyEventKind {
        let latency = Duration::from_secs(seconds);
        PolicyEventKind::Answered { id, action: json!([]), note: None, latency, late }
    }

    fn stale(id: Option<u64>) -> PolicyEventKind {
        PolicyEventKind::StaleAnswer { id, count: 1 }
    }

    #[test]
    fn an_answer_with_the_open_id_or_without_any_closes_the_turn() {
        let mut desk = Desk::new();
        desk.ask(1, 0);
        assert_eq!(desk.hear(r#"{"id":1,"action":[]}"#, 14), [answered(1, 14, false)]);
        desk.ask(2, 20);
        assert_eq!(desk.hear("[]", 23), [answered(2, 3, true)]);
        assert_eq!(desk.hear("[]", 24), [stale(None)]);
        assert_eq!(desk.dialogue.wake(), None);
    }

    #[test]
    fn silence_lateness_and_the_hard_limit_are_told_once_each() {
        let mut desk = Desk::new();
        desk.dialogue.is_up = true;
        desk.dialogue.is_first = false;
        desk.ask(1, 0);
        let (id, lines, unfinished) = (1, 0, 0);
        let told = |seconds| Duration::from_secs(seconds);
        assert_eq!(
            desk.wait(),
            (1, vec![PolicyEventKind::Silent { id, waited: told(1), lines, unfinished }], Ok(()))
        );
        assert_eq!(desk.wait(), (2, vec![PolicyEventKind::OverDue { id, waited: told(2) }], Ok(())));
        let timed_out = PolicyEventKind::TimedOut { id: Some(1), limit: told(6), unread: false };
        assert_eq!(desk.wait(), (6, vec![timed_out], Err(TimeIsUp)));
        assert_eq!(desk.dialogue.wake(), None);
    }

    #[test]
    fn limits_follow_start_first_turn_and_match() {
        let mut desk = Desk::new();
        let soft = |desk: &mut Desk, id, spoken: Option<&str>| {
            spoken.map(|line| desk.hear(line, 0));
            desk.ask(id, 0);
            desk.dialogue.open.as_ref().map(|turn| turn.soft.as_secs())
        };
        assert_eq!(soft(&mut desk, 1, None), Some(14), "start and first");
        assert_eq!(soft(&mut desk, 2, Some("[]")), Some(2), "a later turn");
        desk.dialogue.written(TurnEffect::Opens, desk.at(0));
        assert_eq!(soft(&mut desk, 3, None), Some(4), "first of the next match");

        let mut desk = Desk::new();
        assert_eq!(soft(&mut desk, 1, Some(r#"{"type":"ready"}"#)), Some(4), "ready ends the start");
    }

    #[test]
    fn an_answer_to_a_turn_given_up_is_never_played_in_the_next_one() {
        let mut desk = Desk::new();
        desk.ask(1, 0);
        desk.ask(2, 5);
        assert_eq!(desk.hear(r#"{"id":1,"action":[]}"#, 6), [stale(Some(1))]);
        assert_eq!(desk.hear(r#"{"id":2,"action":[]}"#, 7), [answered(2, 2, false)]);
        // Without ids, the debt is paid line by line.
        desk.ask(3, 10);
        desk.ask(4, 11);
        assert_eq!(desk.hear("[]", 12), [stale(None)], "the answer to 3");
        assert_eq!(desk.hear("[]", 12), [answered(4, 1, false)]);
        // An answer with the id clears it.
        desk.ask(5, 20);
        desk.dialogue.written(TurnEffect::Closes, desk.at(21));
        desk.ask(6, 22);
        assert_eq!(desk.hear(r#"{"id":6,"action":[]}"#, 23), [answered(6, 1, false)]);
        desk.ask(7, 24);
        assert_eq!(desk.hear("[]", 25), [answered(7, 1, false)]);
    }

    #[test]
    fn garbage_leaves_the_turn_open() {
        let mut desk = Desk::new();
        desk.ask(1, 0);
        let told = desk.hear("thinking\u{1b}[1m hard", 1);
        assert!(
            matches!(&told[..], [PolicyEventKind::Garbage { id: Some(1), text, count: 1, .. }] if text == "thinking hard"),
            "{told:?}"
        );
        assert_eq!(desk.hear("[]", 2), [answered(1, 2, false)]);
    }

    #[test]
    fn a_limit_without_end_never_wakes() {
        let mut desk = Desk::new();
        desk.dialogue.limits.turn = Duration::MAX;
        desk.dialogue.limits.silence = Duration::MAX;
        desk.dialogue.is_first = false;
        desk.ask(1, 0);
        assert_eq!(desk.dialogue.wake(), None);
        assert_eq!(desk.dialogue.check(desk.at(1_000_000), 0, &mut desk.out), Ok(()));
    }

    #[test]
    fn free_text_is_one_json_line_or_lines_up_to_a_mark() {
        let mut desk = Desk::new();
        desk.dialogue.read_as(Reading::Text);
        desk.ask(1, 0);
        assert_eq!(desk.hear(r#"{"text":"I say []"}"#, 1), [answered(1, 1, false)]);
        desk.ask(2, 10);
        let streamed = |text: &str| PolicyEventKind::Streamed { id: 2, text: text.into() };
        assert_eq!(desk.hear("I think:", 11), [streamed("I think:\n")]);
        assert_eq!(desk.hear("[]", 11), [streamed("[]\n")]);
        assert_eq!(desk.hear("---", 12), [answered(2, 2, false)]);
    }

    #[test]
    fn a_whole_output_is_one_answer_and_a_text_without_action_leaves_the_turn_open() {
        for (output, sound) in [("so be it\n[]\ngood luck", true), ("never", false)] {
            let mut desk = Desk::new();
            desk.dialogue.read_as(Reading::Whole);
            desk.ask(1, 0);
            let (rest, lines) =
                output.split('\n').collect::<Vec<_>>().split_last().map(|(l, r)| (*l, r.to_vec())).unwrap();
            for line in lines {
                desk.hear(line, 1);
            }
            assert!(!desk.dialogue.is_spent());
            desk.dialogue.output_ended(rest.as_bytes(), desk.at(2), &mut desk.out).unwrap();
            let told: Vec<_> = std::iter::from_fn(|| desk.out.pop()).collect();
            assert!(desk.dialogue.is_spent());
            assert_eq!(told.contains(&answered(1, 2, false)), sound, "{told:?}");
            assert_eq!(desk.dialogue.open_id(), if sound { None } else { Some(1) });
        }
    }

    #[test]
    fn a_text_without_end_is_stopped_at_the_limit() {
        let mut desk = Desk::new();
        desk.dialogue.read_as(Reading::Whole);
        desk.dialogue.limits.line_bytes = 10;
        assert_eq!(desk.dialogue.line(b"12345", desk.start, &mut desk.out), Ok(()));
        assert_eq!(desk.dialogue.line(b"1234", desk.start, &mut desk.out), Err(TextTooLong));
    }
}
