//! Jobs. [`Client::wait_job`](crate::api::Client::wait_job) waits for one.

use crate::api::model::{BranchScores, Job, JobId};
use crate::api::request::request;
use crate::api::{Call, Endpoint};

request! {
    /// Gets a job: how far it is and what came of it.
    ///
    /// Free. The server may be silent for 30 s.
    pub struct GetJob {
        path {
            /// Which job.
            job_id: JobId,
        }
    }
}

impl Endpoint for GetJob {
    type Reply = Job;
    const NAME: &'static str = "get job";
    const OPERATION: &'static str = "jobs.get";
    const MEMBER: Option<&'static str> = Some("job");

    fn call(&self) -> Call {
        Call::get("/jobs").id("job", self.job_id.as_str()).fields(self)
    }
}

request! {
    /// Gets the decisions of an agentic generation with `branch`, each with its candidates and how they scored.
    ///
    /// Free. The server may be silent for 30 s.
    pub struct GetJobBranchScores {
        path {
            /// Which job: the one that generated.
            job_id: JobId,
        }
    }
}

impl Endpoint for GetJobBranchScores {
    type Reply = BranchScores;
    const NAME: &'static str = "get branch scores of job";
    const OPERATION: &'static str = "jobs.branch_scores";

    fn call(&self) -> Call {
        Call::get("/jobs").id("job", self.job_id.as_str()).then("/branch-scores").fields(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_have_the_sdks_shape() {
        // SDK 3.4.0 resources.py `Jobs`; tests/test_client.py test_jobs_branch_scores_hits_endpoint.
        assert_eq!(GetJob::new("j7").call().target(), "/jobs/j7");
        assert_eq!(GetJobBranchScores::new("j7").call().target(), "/jobs/j7/branch-scores");
        assert!(GetJob::new("../x").call().fault().is_some());
    }
}
