//! The turn that may be open: which answer counts, and when time is up. No input or output, no clock of its own.

use std::time::Duration;

use tokio::time::Instant;

use super::answer::{Line, read_line};
use super::clean::clean;
use super::event::PolicyEventKind;
use super::message::TurnEffect;
use super::outbox::Outbox;
use super::spec::Limits;

/// Longest piece of a garbage line carried in an event, in characters.
const SHOWN: usize = 200;

/// What has been asked and answered so far.
#[derive(Debug)]
pub(super) struct Dialogue {
    limits: Limits,
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
}

/// The hard limit of the open turn has passed: the process has to go.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TimeIsUp;

impl Dialogue {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, open: None, owed: 0, is_up: false, ready_told: false, is_first: true, n_lines: 0 }
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
        if self.open.take().is_some() {
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
        });
    }

    pub(super) fn open_id(&self) -> Option<u64> {
        self.open.as_ref().map(|turn| turn.id)
    }

    /// Takes a line the policy has written.
    pub(super) fn line(&mut self, bytes: &[u8], at: Instant, out: &mut Outbox) {
        let line = read_line(bytes);
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
                    let latency = at.saturating_duration_since(turn.since);
                    let late = latency > turn.soft;
                    out.push(PolicyEventKind::Answered { id: turn.id, action, note, latency, late });
                }
                None => out.stale(id, at),
            },
            Line::Garbage { why } => out.garbage(self.open_id(), why, || clean(bytes, SHOWN), at),
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
            self.dialogue.line(line.as_bytes(), self.at(second), &mut self.out);
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
}
