//! The last results of episodes that have ended, for clients whose answer was lost.

use std::collections::{HashMap, VecDeque};

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};

/// Results kept at most, in bytes: older ones go first.
const BYTES: usize = 64 * 1024 * 1024;

/// What ended when, oldest first.
#[derive(Debug, Default)]
pub(super) struct Replays {
    kept: HashMap<String, Kept>,
    order: VecDeque<(Timestamp, String)>,
    bytes: usize,
}

#[derive(Debug)]
struct Kept {
    run_id: String,
    before: u32,
    body: Bytes,
}

impl Replays {
    /// Keeps the step that ended an episode: its tick and its result.
    pub(super) fn put(&mut self, run_id: &str, episode_id: &str, before: u32, body: Bytes, at: Timestamp) {
        self.bytes += body.len();
        self.order.push_back((at, episode_id.to_owned()));
        self.kept.insert(episode_id.to_owned(), Kept { run_id: run_id.to_owned(), before, body });
        while self.bytes > BYTES {
            self.drop_oldest();
        }
    }

    /// The result, if this step ended this episode.
    pub(super) fn get(&self, run_id: &str, episode_id: &str, expected_tick: Option<u32>) -> Option<Bytes> {
        let kept = self.kept.get(episode_id)?;
        (kept.run_id == run_id && expected_tick == Some(kept.before)).then(|| kept.body.clone())
    }

    /// Forgets what was kept for longer than `life`.
    pub(super) fn expire(&mut self, now: Timestamp, life: SignedDuration) {
        while self.order.front().is_some_and(|(at, _)| now.duration_since(*at) >= life) {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        if let Some(kept) = self.order.pop_front().and_then(|(_, id)| self.kept.remove(&id)) {
            self.bytes -= kept.body.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_answers_its_own_step_until_it_is_too_old() {
        let start = Timestamp::UNIX_EPOCH;
        let mut replays = Replays::default();
        replays.put("r", "e", 4, Bytes::from_static(b"{}"), start);
        assert_eq!(replays.get("r", "e", Some(4)), Some(Bytes::from_static(b"{}")));
        for (run, episode, tick) in
            [("q", "e", Some(4)), ("r", "f", Some(4)), ("r", "e", Some(5)), ("r", "e", None)]
        {
            assert_eq!(replays.get(run, episode, tick), None, "{run} {episode} {tick:?}");
        }
        let life = SignedDuration::from_mins(10);
        replays.expire(start + life - SignedDuration::from_millis(1), life);
        assert!(replays.get("r", "e", Some(4)).is_some());
        replays.expire(start + life, life);
        assert!(replays.get("r", "e", Some(4)).is_none());
        assert_eq!(replays.bytes, 0);
    }

    #[test]
    fn memory_is_bounded_and_the_newest_are_kept() {
        let mut replays = Replays::default();
        let large = Bytes::from(vec![b' '; BYTES / 4]);
        for n in 0..9 {
            replays.put("r", &n.to_string(), 0, large.clone(), Timestamp::UNIX_EPOCH);
        }
        let kept: Vec<bool> =
            (0..9).map(|n: i32| replays.get("r", &n.to_string(), Some(0)).is_some()).collect();
        assert_eq!(kept, [false, false, false, false, false, true, true, true, true]);
    }
}
