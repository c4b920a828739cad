//! The keys of fork batches: a batch that is sent twice runs once.
//!
//! ```text
//!  claim ──▶ running ──commit──▶ committed ──10 min──▶ expired ──15 min──▶ forgotten
//!               │                  replays              refused             runs again
//!               ├──fail──▶ failed ──15 min──▶ forgotten
//!               └──forget─▶ forgotten (the batch was refused before it began)
//! ```
//!
//! Time comes in as an argument and nothing happens by itself: whoever asks also clears away what is too old. Source:
//! protocol.md §2.12.5.

use std::collections::VecDeque;

use axum::http::StatusCode;
use jiff::{SignedDuration, Timestamp};

use crate::arena::error::ArenaError;

/// How long a batch is replayed after its commit.
pub const REPLAYED: SignedDuration = SignedDuration::from_mins(10);

/// How long a key is known after its batch ended.
pub const REMEMBERED: SignedDuration = SignedDuration::from_mins(15);

/// Most bytes of a key in UTF-8.
pub const MAX_KEY_BYTES: usize = 128;

/// Most batches whose children are kept for a replay; the oldest expire early, as the protocol allows.
const MAX_REPLAYS: usize = 256;

/// Most keys; the oldest of those that no longer run is forgotten early. With all running a new one is refused.
const MAX_KEYS: usize = 4096;

/// The keys of one run, each within one parent episode. `T` is what a replay answers, cheap to copy.
#[derive(Debug, Default)]
pub struct OpKeys<T> {
    /// Oldest first.
    batches: VecDeque<Batch<T>>,
}

#[derive(Debug)]
struct Batch<T> {
    parent: String,
    key: String,
    count: u32,
    state: State<T>,
}

#[derive(Debug)]
enum State<T> {
    Running,
    /// No children any more: they expired early.
    Committed {
        at: Timestamp,
        children: Option<T>,
    },
    Failed {
        at: Timestamp,
    },
}

/// What a request with a key is to do.
#[derive(Debug, PartialEq, Eq)]
pub enum Claim<T> {
    /// Run the batch, then [`commit`](OpKeys::commit), [`fail`](OpKeys::fail) or [`forget`](OpKeys::forget) it.
    Run,
    /// Answer what was answered before.
    Replay(T),
}

impl<T: Clone> OpKeys<T> {
    /// No keys yet.
    pub fn new() -> Self {
        Self { batches: VecDeque::new() }
    }

    /// Takes a key for a batch of `count` children, or finds what became of it.
    ///
    /// # Errors
    /// `RUN_BUSY` (503) while it runs, `REPLAY_EXPIRED` when its children are no longer kept, `OP_FAILED` when it
    /// failed, `CONFLICT` for another count, a bad key; `RUN_BUSY` also when too many batches run.
    pub fn claim(
        &mut self,
        parent: &str,
        key: &str,
        count: u32,
        now: Timestamp,
    ) -> Result<Claim<T>, ArenaError> {
        check_key(key)?;
        self.batches.retain(|batch| !batch.is_too_old(now));
        let Some(batch) = self.find(parent, key) else {
            self.make_room()?;
            let (parent, key) = (parent.to_owned(), key.to_owned());
            self.batches.push_back(Batch { parent, key, count, state: State::Running });
            return Ok(Claim::Run);
        };
        if batch.count != count {
            return Err(ArenaError::conflict(format!(
                "this `op_key` was used for a batch of {} and now for one of {count}: use a new key",
                batch.count
            )));
        }
        match &mut batch.state {
            State::Running => Err(busy("this batch is still running: send it again")),
            State::Committed { at, children } => {
                if now.duration_since(*at) >= REPLAYED {
                    *children = None;
                }
                children.clone().map(Claim::Replay).ok_or_else(|| {
                    conflict(
                        "REPLAY_EXPIRED",
                        "this batch was run and its answer is no longer kept: use a new `op_key`",
                    )
                })
            }
            State::Failed { .. } => {
                Err(conflict("OP_FAILED", "this batch was run and failed: use a new `op_key`"))
            }
        }
    }

    /// The batch that was claimed ended well.
    pub fn commit(&mut self, parent: &str, key: &str, children: T, now: Timestamp) {
        if let Some(batch) = self.find(parent, key) {
            batch.state = State::Committed { at: now, children: Some(children) };
        }
        let kept = self.batches.iter_mut().rev().filter_map(|batch| match &mut batch.state {
            State::Committed { children, .. } if children.is_some() => Some(children),
            _ => None,
        });
        kept.skip(MAX_REPLAYS).for_each(|children| *children = None);
    }

    /// The batch that was claimed began and came to nothing.
    pub fn fail(&mut self, parent: &str, key: &str, now: Timestamp) {
        if let Some(batch) = self.find(parent, key) {
            batch.state = State::Failed { at: now };
        }
    }

    /// The batch that was claimed was refused before it began (no budget, the parent is over): the same key may be
    /// sent again.
    pub fn forget(&mut self, parent: &str, key: &str) {
        self.batches.retain(|batch| !batch.is(parent, key));
    }

    fn find(&mut self, parent: &str, key: &str) -> Option<&mut Batch<T>> {
        self.batches.iter_mut().find(|batch| batch.is(parent, key))
    }

    fn make_room(&mut self) -> Result<(), ArenaError> {
        if self.batches.len() < MAX_KEYS {
            return Ok(());
        }
        let oldest = self.batches.iter().position(|batch| !matches!(batch.state, State::Running));
        let oldest = oldest.ok_or_else(|| busy("too many batches of this run are running: send it later"))?;
        self.batches.remove(oldest);
        Ok(())
    }
}

impl<T> Batch<T> {
    fn is(&self, parent: &str, key: &str) -> bool {
        self.key == key && self.parent == parent
    }

    fn is_too_old(&self, now: Timestamp) -> bool {
        match self.state {
            State::Running => false,
            State::Committed { at, .. } | State::Failed { at } => now.duration_since(at) >= REMEMBERED,
        }
    }
}

/// Refuses what cannot be a key.
///
/// # Errors
/// It is empty or longer than [`MAX_KEY_BYTES`].
pub fn check_key(key: &str) -> Result<(), ArenaError> {
    if key.is_empty() || key.len() > MAX_KEY_BYTES {
        let problem = format!("must not be empty and have at most {MAX_KEY_BYTES} bytes in UTF-8");
        return Err(ArenaError::invalid("op_key", problem));
    }
    Ok(())
}

fn busy(problem: &str) -> ArenaError {
    ArenaError::new(StatusCode::SERVICE_UNAVAILABLE, "RUN_BUSY", problem)
}

fn conflict(code: &'static str, problem: &str) -> ArenaError {
    ArenaError::new(StatusCode::CONFLICT, code, problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: SignedDuration = SignedDuration::from_mins(1);
    const START: Timestamp = Timestamp::UNIX_EPOCH;

    fn code<T: std::fmt::Debug>(claim: Result<Claim<T>, ArenaError>) -> &'static str {
        claim.unwrap_err().code()
    }

    /// The table of protocol.md §2.12.5, line by line.
    #[test]
    fn a_key_lives_as_the_protocol_says() {
        let (mut keys, start) = (OpKeys::new(), START);
        assert_eq!(keys.claim("ep", "k", 3, start).unwrap(), Claim::Run);
        assert_eq!(code(keys.claim("ep", "k", 3, start + MINUTE * 60)), "RUN_BUSY");
        assert_eq!(code(keys.claim("ep", "k", 4, start)), "CONFLICT");
        keys.commit("ep", "k", "children", start);
        let at = |minutes, seconds| start + MINUTE * minutes + SignedDuration::from_secs(seconds);
        assert_eq!(keys.claim("ep", "k", 3, at(9, 59)).unwrap(), Claim::Replay("children"));
        assert_eq!(code(keys.claim("ep", "k", 4, at(9, 59))), "CONFLICT");
        assert_eq!(code(keys.claim("ep", "k", 3, at(10, 0))), "REPLAY_EXPIRED");
        assert_eq!(code(keys.claim("ep", "k", 3, at(14, 59))), "REPLAY_EXPIRED");
        assert_eq!(keys.claim("ep", "k", 3, at(15, 0)).unwrap(), Claim::Run);
        keys.fail("ep", "k", at(15, 0));
        assert_eq!(code(keys.claim("ep", "k", 3, at(20, 0))), "OP_FAILED");
        assert_eq!(keys.claim("ep", "k", 3, at(30, 0)).unwrap(), Claim::Run);
    }

    #[test]
    fn a_batch_that_was_refused_may_be_sent_again() {
        let (mut keys, now) = (OpKeys::<()>::new(), START);
        assert_eq!(keys.claim("ep", "k", 3, now).unwrap(), Claim::Run);
        keys.forget("ep", "k");
        assert_eq!(keys.claim("ep", "k", 9, now).unwrap(), Claim::Run);
    }

    #[test]
    fn a_key_belongs_to_its_parent() {
        let (mut keys, now) = (OpKeys::<()>::new(), START);
        for parent in ["a", "b"] {
            assert_eq!(keys.claim(parent, "k", 1, now).unwrap(), Claim::Run);
        }
    }

    #[test]
    fn keys_are_measured_in_bytes() {
        for bad in [String::new(), "x".repeat(129), "ä".repeat(65)] {
            assert_eq!(check_key(&bad).unwrap_err().code(), "VALIDATION_ERROR", "{bad}");
        }
        for good in ["x".repeat(128), "ä".repeat(64), " ".into()] {
            check_key(&good).unwrap();
        }
    }

    #[test]
    fn only_so_much_is_kept() {
        let (mut keys, now) = (OpKeys::new(), START);
        for n in 0..MAX_KEYS {
            let key = n.to_string();
            assert_eq!(keys.claim("ep", &key, 1, now).unwrap(), Claim::Run);
            if n > 0 {
                keys.commit("ep", &key, n, now);
            }
        }
        assert_eq!(code(keys.claim("ep", "1", 1, now)), "REPLAY_EXPIRED");
        let last = MAX_KEYS - 1;
        assert_eq!(keys.claim("ep", &last.to_string(), 1, now).unwrap(), Claim::Replay(last));
        // The oldest still runs, so the one after it makes room.
        assert_eq!(keys.claim("ep", "new", 1, now).unwrap(), Claim::Run);
        assert_eq!(code(keys.claim("ep", "0", 1, now)), "RUN_BUSY");
        assert_eq!(keys.batches.len(), MAX_KEYS);
    }

    #[test]
    fn running_batches_are_never_forgotten() {
        let (mut keys, now) = (OpKeys::<()>::new(), START);
        for n in 0..MAX_KEYS {
            keys.claim("ep", &n.to_string(), 1, now).unwrap();
        }
        assert_eq!(code(keys.claim("ep", "new", 1, now + MINUTE * 60)), "RUN_BUSY");
    }
}
