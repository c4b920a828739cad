//! What is answered to a request that starts a job.

use super::JobId;
use super::members::model;

model! {
    /// A job that was started, or with `dry_run` what it would cost.
    pub struct Started {
        /// The job to wait for; `None` after `dry_run`.
        pub job_id: Option<JobId>,
        /// What it would cost, in credits; after `dry_run` only.
        pub estimated_credits: Option<f64>,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::model::check::keeps;

    #[test]
    fn the_shapes_of_the_sdks_tests_are_kept() {
        // SDK 3.4.0 tests/test_client.py test_evaluate_code_sets_mode; README "Estimate cost before spending".
        keeps::<Started>(r#"{"job_id":"j7"}"#);
        keeps::<Started>(r#"{"estimated_credits":12.75,"games":["a","b"]}"#);
    }
}
