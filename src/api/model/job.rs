//! Jobs: what runs on the server after its request was answered.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::JobId;
use super::members::{Json, model};

/// How far a job is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum JobStatus {
    /// It is being worked on.
    Running,
    /// It ended well.
    Completed,
    /// It broke off.
    Failed,
    /// Somebody ended it.
    Cancelled,
    /// A word that this version does not know.
    Other(String),
    /// None came.
    #[default]
    Unknown,
}

impl JobStatus {
    /// The word on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Other(word) => word,
            Self::Unknown => "",
        }
    }

    /// True when nothing more will happen. An unknown word is not an end (protocol.md §2.6).
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

impl FromStr for JobStatus {
    type Err = Infallible;

    fn from_str(word: &str) -> Result<Self, Infallible> {
        Ok(match word {
            "running" => Self::Running,
            "completed" => Self::Completed,
            "failed" => Self::Failed,
            "cancelled" => Self::Cancelled,
            "" => Self::Unknown,
            other => Self::Other(other.to_owned()),
        })
    }
}

impl fmt::Display for JobStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for JobStatus {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        Ok(word.parse().unwrap_or_default())
    }
}

impl Serialize for JobStatus {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unknown => serializer.serialize_none(),
            known => serializer.serialize_str(known.as_str()),
        }
    }
}

model! {
    /// A job.
    pub struct Job {
        /// Its name.
        pub job_id: Option<JobId> = or "id",
        /// How far it is.
        pub status: JobStatus,
        /// What kind of job.
        pub kind: Option<String> = or "type", "job_type",
        /// What came of it, once it is completed.
        pub result: Option<Json>,
        /// Why it failed.
        pub error: Option<String>,
        /// How much of it is done, as the server counts it.
        pub progress: Option<Json>,
        /// When it was asked for.
        pub created_at: Option<String>,
        /// When it was last worked on.
        pub updated_at: Option<String>,
        /// When it ended.
        pub finished_at: Option<String> = or "completed_at", "ended_at",
    }
}

impl Job {
    /// True when it says that it ended, in a word we know or, beside a word we do not know, with a time.
    pub fn is_over(&self) -> bool {
        let unknown = matches!(self.status, JobStatus::Other(_) | JobStatus::Unknown);
        self.status.is_terminal() || (unknown && self.finished_at.is_some())
    }

    /// Why it failed: the server's text, or what it sent instead of one, as JSON.
    pub fn error_text(&self) -> Option<&str> {
        let text = self.error.as_deref().or_else(|| self.extra.get("error").map(Json::get))?;
        (!matches!(text, "" | "false" | "0" | "{}" | "[]")).then_some(text)
    }

    /// The exports that a dataset build made: they are jobs, too. Several for `evaluate_code`, one for
    /// `explore`.
    pub fn export_jobs(&self) -> Vec<JobId> {
        #[derive(Deserialize, Default)]
        #[serde(default)]
        struct Exports {
            export_job_ids: Option<Vec<JobId>>,
            export_job_id: Option<JobId>,
        }
        let exports = self.result.as_ref().and_then(|result| result.decode().ok());
        let Exports { export_job_ids, export_job_id } = exports.unwrap_or_default();
        export_job_ids.unwrap_or_else(|| export_job_id.into_iter().collect())
    }
}

model! {
    /// The decisions of an agentic generation with `branch`, each with its candidates.
    pub struct BranchScores {
        /// The job that generated.
        pub job_id: Option<JobId>,
        /// `best_of_n` when the winner was adopted, `measure` when not.
        pub branch_mode: Option<String>,
        /// The quantile of the rollouts' scores that ranked the candidates, 0 to 1.
        pub adopt_percentile: Option<f64>,
        /// The decisions in their order.
        pub decision_points: Vec<DecisionPoint>,
    }
}

model! {
    /// A decision of a generation.
    pub struct DecisionPoint {
        /// Which one.
        pub decision_index: Option<u64>,
        /// What could be done.
        pub actions: Vec<ScoredAction>,
    }
}

model! {
    /// A candidate of a decision, and what came of it.
    pub struct ScoredAction {
        /// The turn: its reasoning and its tool calls.
        pub action: Option<Json>,
        /// Its place among the candidates, 1 for the best mean.
        pub action_rank: Option<u64>,
        /// The scores of its rollouts, summed up.
        pub value: Option<ValueStats>,
        /// The score of each rollout.
        pub sample_scores: Option<Vec<Option<f64>>>,
        /// The turns of each rollout, in the order of the scores.
        pub sample_turns: Option<Vec<Option<u64>>>,
        /// The generation went on with it; only in the mode `best_of_n`.
        pub adopted: Option<bool>,
    }
}

model! {
    /// Scores, summed up.
    pub struct ValueStats {
        /// The mean.
        pub mean: Option<f64>,
        /// The standard deviation.
        pub std_dev: Option<f64>,
        /// The lowest.
        pub min: Option<f64>,
        /// The highest.
        pub max: Option<f64>,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::model::check::keeps;

    fn job(text: &str) -> Job {
        serde_json::from_str(text).expect("a job")
    }

    #[test]
    fn the_shapes_of_the_sdks_tests_are_kept() {
        // SDK 3.4.0 tests/test_client.py, section "jobs": the shapes, with other values.
        for text in [
            r#"{"job_id":"j7","status":"running"}"#,
            r#"{"job_id":"j7","status":"completed","result":{"rows":12345678901234567890123}}"#,
            r#"{"job_id":"j7","status":"failed","error":"out of matches"}"#,
        ] {
            keeps::<Job>(text);
        }
        let scores = r#"{"job_id":"j7","decision_points":[{"decision_index":4,"actions":[]}]}"#;
        keeps::<BranchScores>(scores);
        // Every member of SDK 3.4.0 resources.py `Jobs.branch_scores`.
        keeps::<BranchScores>(
            r#"{"job_id":"j7","branch_mode":"best_of_n","adopt_percentile":0.75,"decision_points":[
                {"decision_index":4,"actions":[{"action":{"tool_calls":[]},"action_rank":1,
                  "value":{"mean":0.5,"std_dev":0.25,"min":0.25,"max":0.75},
                  "sample_scores":[0.25,null],"sample_turns":[3,4],"adopted":true}]}]}"#,
        );
    }

    #[test]
    fn a_word_we_do_not_know_is_shown_and_ends_with_its_time_only() {
        // H-11, P-02.
        let paused = job(r#"{"status":"paused"}"#);
        assert_eq!((paused.status.as_str(), paused.is_over()), ("paused", false));
        for text in [
            r#"{"status":"archived","finished_at":"2026-01-01T00:00:00Z"}"#,
            r#"{"status":null,"completed_at":"2026-01-01T00:00:00Z"}"#,
            r#"{"status":"failed"}"#,
        ] {
            assert!(job(text).is_over(), "{text}");
        }
        let odd = job(r#"{"status":"running","finished_at":"2026-01-01T00:00:00Z"}"#);
        assert!(!odd.is_over() && !job("{}").is_over());
    }

    #[test]
    fn an_error_that_is_no_text_is_shown_as_it_came() {
        assert_eq!(job(r#"{"error":"x"}"#).error_text(), Some("x"));
        assert_eq!(job(r#"{"error":{"code":"X"}}"#).error_text(), Some(r#"{"code":"X"}"#));
        for text in [r#"{"error":""}"#, r#"{"error":null}"#, r#"{"error":{}}"#, "{}"] {
            assert_eq!(job(text).error_text(), None, "{text}");
        }
    }

    #[test]
    fn the_exports_of_a_build_are_found_in_both_spellings() {
        // SDK 3.4.0 resources.py `DatasetBuilds`: a list after `evaluate_code`, one after `explore`.
        let many = job(r#"{"result":{"export_job_ids":["x1","x2"]}}"#);
        assert_eq!(many.export_jobs(), ["x1".into(), "x2".into()]);
        assert_eq!(job(r#"{"result":{"export_job_id":"x3"}}"#).export_jobs(), ["x3".into()]);
        assert!(job(r#"{"result":[1]}"#).export_jobs().is_empty() && job("{}").export_jobs().is_empty());
    }
}
