//! Submissions and their evaluations.

use super::members::{Json, model};
use super::{GameSlug, JobId, JobStatus, SubmissionId};

model! {
    /// A submission: the code of a player.
    pub struct Submission {
        /// Its name.
        pub submission_id: Option<SubmissionId> = or "id",
        /// For which game.
        pub game: Option<GameSlug> = or "game_slug",
        /// How far it is.
        pub status: JobStatus,
        /// The language of its code.
        pub language: Option<String>,
        /// Its rating.
        pub elo_rating: Option<f64>,
        /// Who generated it, for people.
        pub provider: Option<String>,
        /// Whose provider that is: `gertlabs` or `org:<slug>`.
        pub provider_source: Option<String>,
        /// The model that generated it.
        pub model: Option<String>,
        /// How it was branched, if it was.
        pub branch_config: Option<Json>,
        /// When it was made.
        pub created_at: Option<String>,
    }
}

model! {
    /// A submission that was created, or is being generated.
    pub struct CreatedSubmission {
        /// The submission.
        pub submission_id: Option<SubmissionId>,
        /// The job to wait for; an upload may have none.
        pub job_id: Option<JobId>,
    }
}

model! {
    /// What was deleted, or what would be.
    pub struct BulkDeleted {
        /// How many match.
        pub matched: Option<u64>,
        /// Some of them.
        pub sample: Option<Vec<Json>>,
        /// How many were deleted.
        pub deleted: Option<u64> = or "deleted_count",
    }
}

model! {
    /// An evaluation that was started.
    pub struct StartedEvaluation {
        /// Its name.
        pub eval_run_id: Option<String>,
        /// The job to wait for.
        pub job_id: Option<JobId>,
    }
}

model! {
    /// An evaluation of a submission.
    pub struct Evaluation {
        /// Its name.
        pub eval_run_id: Option<String> = or "id",
        /// The job that did it.
        pub job_id: Option<JobId>,
        /// How far it is.
        pub status: JobStatus,
        /// The rating that came of it, once it is completed: the reward of code generation.
        pub reward: Option<f64>,
        /// How many matches were played.
        pub match_count: Option<u64>,
        /// When it was asked for.
        pub created_at: Option<String>,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::model::check::keeps;

    #[test]
    fn the_shapes_of_the_sdk_are_kept() {
        // SDK 3.4.0 resources.py `Submissions`; tests/test_client.py test_submissions_create_forwards_branch_params.
        keeps::<CreatedSubmission>(r#"{"job_id":"j7"}"#);
        keeps::<CreatedSubmission>(r#"{"submission_id":"sub-7","job_id":"j7"}"#);
        keeps::<Submission>(
            r#"{"submission_id":"sub-7","game":"chess","elo_rating":1512.5,"provider":"mine",
                "provider_source":"org:a","model":"m-1",
                "branch_config":{"mode":"measure","max_actions":3,"adopt_percentile":1.0}}"#,
        );
        keeps::<BulkDeleted>(r#"{"matched":2,"sample":[{"submission_id":"sub-7"},"sub-8"]}"#);
        keeps::<StartedEvaluation>(r#"{"eval_run_id":"ev-7","job_id":"j8","match_count":500}"#);
        keeps::<Evaluation>(r#"{"eval_run_id":"ev-7","status":"completed","reward":1512.5}"#);
    }
}
