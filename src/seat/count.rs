//! What is counted of a policy in a seat.

use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::policy::Usage;

use super::Failure;

/// Failures kept with their words; more are only counted.
const FAILURES: usize = 64;

/// Values of this many leading bits are told apart: within 1.6 %.
const BITS: u32 = 6;

/// What a policy did in a seat.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct SeatCounts {
    /// Answers that became actions the server accepted.
    pub turns: u64,
    /// Answers beyond the soft limit.
    pub late: u64,
    /// Turns that went by before it answered.
    pub missed: u64,
    /// Actions that the server refused.
    pub refused: u64,
    /// Lines that were no answer.
    pub garbage: u64,
    /// Actions that were played in its place.
    pub safe: u64,
    /// How often it was started again.
    pub restarts: u64,
    /// How often it failed.
    pub failed: u64,
    /// The first of its failures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
    /// From the question to the answer.
    pub latency_ms: Latencies,
    /// Tokens of prompts, where an endpoint counts them.
    pub input_tokens: u64,
    /// Tokens of answers.
    pub output_tokens: u64,
}

impl SeatCounts {
    pub(super) fn fail(&mut self, failure: Failure) {
        self.failed += 1;
        if self.failures.len() < FAILURES {
            self.failures.push(failure);
        }
    }

    pub(super) fn use_tokens(&mut self, usage: &Usage) {
        self.input_tokens += usage.input_tokens.unwrap_or_default();
        self.output_tokens += usage.output_tokens.unwrap_or_default();
    }

    /// Adds what was counted elsewhere.
    pub fn add(&mut self, other: &Self) {
        self.turns += other.turns;
        self.late += other.late;
        self.missed += other.missed;
        self.refused += other.refused;
        self.garbage += other.garbage;
        self.safe += other.safe;
        self.restarts += other.restarts;
        self.failed += other.failed;
        let room = FAILURES.saturating_sub(self.failures.len());
        self.failures.extend(other.failures.iter().take(room).cloned());
        self.latency_ms.add(&other.latency_ms);
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
    }
}

/// How long answers took, in buckets of microseconds that grow with the value: any number of answers fits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Latencies {
    buckets: Vec<u32>,
    count: u64,
}

impl Latencies {
    /// Counts one.
    pub fn push(&mut self, latency: Duration) {
        let bucket = bucket(u64::try_from(latency.as_micros()).unwrap_or(u64::MAX));
        if self.buckets.len() <= bucket {
            self.buckets.resize(bucket + 1, 0);
        }
        self.buckets[bucket] = self.buckets[bucket].saturating_add(1);
        self.count += 1;
    }

    /// The latency that this share of the answers kept to; `None` without any.
    pub fn percentile(&self, share: f64) -> Option<Duration> {
        let rank = (share.clamp(0.0, 1.0) * self.count as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        let at = self.buckets.iter().position(|count| {
            seen += u64::from(*count);
            seen >= rank
        })?;
        Some(Duration::from_micros(value(at)))
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    fn add(&mut self, other: &Self) {
        if self.buckets.len() < other.buckets.len() {
            self.buckets.resize(other.buckets.len(), 0);
        }
        for (ours, theirs) in self.buckets.iter_mut().zip(&other.buckets) {
            *ours = ours.saturating_add(*theirs);
        }
        self.count += other.count;
    }
}

/// `{"p50":0.21,"p99":1.4}`, or `null`.
impl Serialize for Latencies {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ms = |share| Some((self.percentile(share)?.as_secs_f64() * 1e6).round() / 1e3);
        match (ms(0.5), ms(0.99)) {
            (Some(p50), Some(p99)) => serializer.collect_map([("p50", p50), ("p99", p99)]),
            _ => serializer.serialize_none(),
        }
    }
}

/// Exact up to 2^(BITS+1), then so many leading bits.
fn bucket(micros: u64) -> usize {
    let shift = micros.max(1).ilog2().saturating_sub(BITS);
    ((u64::from(shift) << BITS) + (micros >> shift)) as usize
}

/// The least value of a bucket.
fn value(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    let shift = (bucket >> BITS).saturating_sub(1);
    (bucket - (shift << BITS)) << shift
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn percentiles_are_those_of_the_values() {
        let mut latencies = Latencies::default();
        assert_eq!(latencies.percentile(0.5), None);
        for micros in 1..=100 {
            latencies.push(Duration::from_micros(micros));
        }
        assert_eq!(latencies.percentile(0.5), Some(Duration::from_micros(50)));
        assert_eq!(latencies.percentile(0.99), Some(Duration::from_micros(99)));
        assert_eq!(latencies.percentile(0.0), Some(Duration::from_micros(1)));
        assert_eq!(serde_json::to_string(&latencies).expect("JSON"), r#"{"p50":0.05,"p99":0.099}"#);
    }

    proptest! {
        #[test]
        fn a_bucket_is_no_wider_than_its_promise(micros in 0u64..u64::MAX / 2) {
            let least = value(bucket(micros));
            prop_assert!(least <= micros && (micros - least) as f64 <= micros as f64 / 64.0);
        }

        #[test]
        fn adding_is_the_same_as_counting_all(a in prop::collection::vec(0u64..1 << 40, 0..50), b in prop::collection::vec(0u64..1 << 40, 0..50)) {
            let of = |all: &[u64]| {
                let mut latencies = Latencies::default();
                for micros in all {
                    latencies.push(Duration::from_micros(*micros));
                }
                latencies
            };
            let mut sum = of(&a);
            sum.add(&of(&b));
            prop_assert_eq!(sum, of(&[a, b].concat()));
        }
    }
}
