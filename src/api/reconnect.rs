//! What to do when a live link is lost: pure decisions, no clock and no chance inside.
//!
//! ```text
//!              Opened                 Lost(soon, later, back off)
//! Connecting ─────────▶ Live ─────────────────────────▶ Waiting ──Due, Retry──▶ Connecting
//!      │ Lost            │ Lost(ended)   Lost(stop)        ▲
//!      ▼                 ▼                                 │ Retry
//!   Waiting            Ended            Stopped ───────────┘ (as Connecting)
//! ```
//!
//! The owner of the link feeds [`Input`]s and carries out [`Output`]s. Chance comes in as `jitter`, time as the
//! life span of the lost link.

use std::time::Duration;

use super::socket::Verdict;

/// A link that lived this long was a good one: the next loss starts over at the shortest wait.
const GOOD_LIFE: Duration = Duration::from_secs(10);

/// The longest wait of the ordinary back-off.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// Where a link is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Being opened, for the `attempt`th time in a row, from 1.
    Connecting {
        /// Counted since the last good link.
        attempt: u32,
    },
    /// Messages flow.
    Live {
        /// What it took to get here, kept until the link has proved good.
        attempt: u32,
    },
    /// The next attempt is due after a wait.
    Waiting {
        /// The attempts made so far.
        attempt: u32,
        /// How long the wait is.
        wait: Duration,
    },
    /// Over for good: there is nothing more to come.
    Ended,
    /// Given up until the user says otherwise.
    Stopped,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// The link is up.
    Opened,
    /// The link could not be opened, or was lost after it lived for a while.
    Lost {
        /// What the way it was lost means.
        verdict: Verdict,
        /// How long it was up; zero if it never was.
        lived: Duration,
    },
    /// The wait is over.
    Due,
    /// The user wants another try at once, perhaps with another key.
    Retry,
}

/// What to do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// Nothing.
    Nothing,
    /// Open the link.
    Connect,
    /// Wait, then send [`Input::Due`].
    Wait(Duration),
    /// Fetch the current state: whatever happened while the link was down was missed.
    Refetch,
    /// Fetch the final state, then leave it.
    Finish,
    /// Tell the user; do not try again by yourself.
    GiveUp,
}

impl State {
    /// A link that is being opened for the first time.
    pub const START: Self = Self::Connecting { attempt: 1 };
}

/// One step. `jitter` is from 0 up to 1. An input that does not fit the state changes nothing.
pub fn step(state: State, input: Input, jitter: f64) -> (State, Output) {
    match (state, input) {
        (State::Connecting { attempt }, Input::Opened) => (State::Live { attempt }, Output::Refetch),
        (State::Connecting { attempt } | State::Live { attempt }, Input::Lost { verdict, lived }) => {
            lost(if lived >= GOOD_LIFE { 0 } else { attempt }, verdict, jitter)
        }
        (State::Waiting { attempt, .. }, Input::Due | Input::Retry) => {
            (State::Connecting { attempt: attempt.saturating_add(1) }, Output::Connect)
        }
        (State::Stopped | State::Ended, Input::Retry) => (State::START, Output::Connect),
        _ => (state, Output::Nothing),
    }
}

fn lost(attempt: u32, verdict: Verdict, jitter: f64) -> (State, Output) {
    let wait = match verdict {
        Verdict::Ended => return (State::Ended, Output::Finish),
        Verdict::Stop => return (State::Stopped, Output::GiveUp),
        Verdict::Soon => delay(attempt, Duration::from_millis(500), jitter),
        Verdict::BackOff => delay(attempt, Duration::from_secs(1), jitter),
        Verdict::Later => delay(attempt, Duration::from_secs(10), jitter).max(Duration::from_secs(5)),
    };
    (State::Waiting { attempt, wait }, Output::Wait(wait))
}

/// Between a tenth and the whole of a span that doubles with each attempt, so that many clients never come back
/// at the same moment and none comes back at once.
fn delay(attempt: u32, first: Duration, jitter: f64) -> Duration {
    let span = first.saturating_mul(1 << attempt.saturating_sub(1).min(10)).min(MAX_WAIT);
    span.mul_f64(0.1 + 0.9 * jitter.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOST: Input = Input::Lost { verdict: Verdict::BackOff, lived: Duration::ZERO };

    /// The waits of `n` losses in a row.
    fn waits(verdict: Verdict, lived: Duration, jitter: f64, n: usize) -> Vec<u64> {
        let mut state = State::START;
        let mut waits = Vec::new();
        for _ in 0..n {
            let (next, output) = step(state, Input::Lost { verdict, lived }, jitter);
            let Output::Wait(wait) = output else { panic!("{output:?}") };
            waits.push(wait.as_millis() as u64);
            state = step(next, Input::Due, 0.0).0;
        }
        waits
    }

    #[test]
    fn waits_grow_to_a_cap_and_are_spread() {
        // W-04.
        let zero = Duration::ZERO;
        assert_eq!(waits(Verdict::BackOff, zero, 1.0, 7), [1000, 2000, 4000, 8000, 16000, 30000, 30000]);
        assert_eq!(waits(Verdict::BackOff, zero, 0.0, 3), [100, 200, 400]);
        assert_eq!(waits(Verdict::Soon, zero, 1.0, 3), [500, 1000, 2000]);
        assert_eq!(waits(Verdict::Later, zero, 0.0, 2), [5000, 5000]);
        assert_eq!(waits(Verdict::Later, zero, 1.0, 3), [10000, 20000, 30000]);
    }

    #[test]
    fn a_link_that_opens_and_falls_at_once_still_backs_off() {
        assert_eq!(waits(Verdict::Soon, Duration::from_secs(1), 1.0, 3), [500, 1000, 2000]);
        assert_eq!(waits(Verdict::Soon, GOOD_LIFE, 1.0, 3), [500, 500, 500]);
    }

    #[test]
    fn after_every_opening_the_state_is_fetched() {
        // W-13.
        let (live, output) = step(State::START, Input::Opened, 0.0);
        assert_eq!(output, Output::Refetch);
        let waiting = step(live, LOST, 0.5).0;
        let (connecting, output) = step(waiting, Input::Due, 0.0);
        assert_eq!((connecting, output), (State::Connecting { attempt: 2 }, Output::Connect));
        assert_eq!(step(connecting, Input::Opened, 0.0).1, Output::Refetch);
    }

    #[test]
    fn an_end_and_a_refusal_are_not_retried_but_the_user_may() {
        // W-06, W-07.
        for (verdict, end, output) in
            [(Verdict::Ended, State::Ended, Output::Finish), (Verdict::Stop, State::Stopped, Output::GiveUp)]
        {
            let lost = Input::Lost { verdict, lived: Duration::ZERO };
            assert_eq!(step(State::START, lost, 0.5), (end, output));
            assert_eq!(step(end, Input::Due, 0.5), (end, Output::Nothing));
            assert_eq!(step(end, Input::Retry, 0.5), (State::START, Output::Connect));
        }
    }

    #[test]
    fn an_input_that_does_not_fit_changes_nothing() {
        for (state, input) in [(State::START, Input::Due), (State::START, Input::Retry), (State::Ended, LOST)]
        {
            assert_eq!(step(state, input, 0.5), (state, Output::Nothing));
        }
        let huge = State::Connecting { attempt: u32::MAX };
        assert!(matches!(step(huge, LOST, 9.0).1, Output::Wait(wait) if wait == MAX_WAIT));
    }
}
