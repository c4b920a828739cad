//! Submissions: players as code, uploaded or generated, and their evaluations.

use super::check_range;
use crate::api::model::{
    BulkDeleted, CreatedSubmission, Evaluation, GameSlug, Ignored, Json, ProviderId, Rows, StartedEvaluation,
    Submission, SubmissionId,
};
use crate::api::request::request;
use crate::api::{Call, Endpoint, List, Quote};

request! {
    /// Lists submissions.
    ///
    /// Free. The server may be silent for 30 s.
    pub struct ListSubmissions {
        optional {
            /// Only for this game, by its slug.
            game: GameSlug,
            /// Only your own.
            mine: bool,
            /// Only those that were branched like this, separated by commas: `none`, `measure`, `best_of_n`.
            branch_mode: String,
        }
    }
}

impl List for ListSubmissions {
    type Item = Submission;
    const NAME: &'static str = "list submissions";
    const OPERATION: &'static str = "submissions.list";
    const COLLECTION: &'static str = "submissions";

    fn call(&self) -> Call {
        Call::get("/submissions").fields(self)
    }
}

request! {
    /// Gets a submission.
    ///
    /// Free. The server may be silent for 30 s.
    pub struct GetSubmission {
        path {
            /// Which submission.
            submission_id: SubmissionId,
        }
    }
}

impl Endpoint for GetSubmission {
    type Reply = Submission;
    const NAME: &'static str = "get submission";
    const OPERATION: &'static str = "submissions.get";

    fn call(&self) -> Call {
        Call::get("/submissions").id("submission", self.submission_id.as_str()).fields(self)
    }
}

request! {
    /// Uploads code, or has a provider's model write it.
    ///
    /// With `code` or `files` it is an upload; with `custom_provider_id` alone the model writes it at once;
    /// with `pipeline` `agentic` it writes it in many turns, and with `branch` other turns are tried, too. What
    /// it costs is told when it is done; generation is billed. The server may be silent for 30 s; never sent
    /// again after a lost answer, since the submission may be there.
    pub struct CreateSubmission {
        optional {
            /// For which game, by its slug.
            game: GameSlug,
            /// The language of the code, such as `python`.
            language: String,
            /// The code.
            code: String,
            /// The code as several files: JSON, names and contents.
            files: Json,
            /// Who generated uploaded code, for people.
            provider: String,
            /// The model that generated uploaded code.
            model: String,
            /// The provider whose model writes the code; `providers list` shows them.
            custom_provider_id: ProviderId,
            /// How the code is written: `agentic` for many turns.
            pipeline: String,
            /// How many turns the model has, in all.
            max_turns: u64,
            /// Try other turns at some decisions and score them.
            branch: bool,
            /// How many turns from one branched decision to the next, from 1; 5 unless given.
            branch_interval: u64,
            /// How many candidates at a decision, from 1; 3 unless given.
            max_actions: u64,
            /// How many rollouts score a candidate, from 1; 5 unless given.
            samples_per_action: u64,
            /// How many decisions are branched at most.
            max_decision_points: u64,
            /// `best_of_n` goes on with the best candidate, `measure` with the model's own; `best_of_n` unless
            /// given.
            branch_mode: String,
            /// Which quantile of its rollouts' scores ranks a candidate, 0 to 1: 1 is the best one, 0.5 the
            /// median; 0.75 unless given.
            adopt_percentile: f64,
            /// A cheaper model of the same provider that plays the rollouts.
            rollout_model: String,
            /// How many turns of a rollout the first model plays before `rollout_model`, from 0 up to less than
            /// `branch_interval`; 0 unless given.
            rollout_model_after: u64,
        }
    }
}

impl Endpoint for CreateSubmission {
    type Reply = CreatedSubmission;
    const NAME: &'static str = "create submission";
    const OPERATION: &'static str = "submissions.create";

    fn call(&self) -> Call {
        let mut call = Call::post("/submissions").fields(self).quote(Quote::Unknown);
        check_range(&mut call, "adopt_percentile", self.adopt_percentile, 0.0..=1.0);
        if let (Some(after), Some(interval)) = (self.rollout_model_after, self.branch_interval)
            && after >= interval
        {
            call.fail(format!(
                "`rollout_model_after` is less than `branch_interval`, {interval}, not {after}"
            ));
        }
        call
    }
}

request! {
    /// Deletes a submission.
    ///
    /// Free. The server may be silent for 30 s; never sent again after a lost answer: a second try may say that
    /// it is gone.
    pub struct DeleteSubmission {
        path {
            /// Which submission.
            submission_id: SubmissionId,
        }
    }
}

impl Endpoint for DeleteSubmission {
    type Reply = Ignored;
    const NAME: &'static str = "delete submission";
    const OPERATION: &'static str = "submissions.delete";

    fn call(&self) -> Call {
        Call::delete("/submissions").id("submission", self.submission_id.as_str()).fields(self)
    }
}

request! {
    /// Deletes the submissions that match, or says which would be.
    ///
    /// Only counts unless `dry_run` is false and `confirm` is true. Free. The server may be silent for 30 s;
    /// never sent again after a lost answer: a second run might match others.
    pub struct BulkDeleteSubmissions {
        optional {
            /// Of this game, by its slug.
            game_slug: GameSlug,
            /// Written by these models.
            models: Vec<String>,
            /// Written through these providers, by their readable names.
            providers: Vec<String>,
            /// Branched like this: `none`, `measure`, `best_of_n`.
            branch_modes: Vec<String>,
            /// Made after this time, in RFC 3339 such as `2026-01-31T00:00:00Z`.
            created_after: String,
            /// Made before this time, in RFC 3339.
            created_before: String,
            /// These submissions.
            submission_ids: Vec<String>,
            /// Only count; true unless false is given.
            dry_run: bool,
            /// Yes, delete; needed beside `dry_run` false.
            confirm: bool,
            /// Delete only if exactly so many match, else fail with 409.
            expected_count: u64,
            /// `org` for the whole organisation, which its owner and admins may; your own unless given.
            scope: String,
        }
    }
}

impl Endpoint for BulkDeleteSubmissions {
    type Reply = BulkDeleted;
    const NAME: &'static str = "delete submissions";
    const OPERATION: &'static str = "submissions.bulk_delete";

    fn call(&self) -> Call {
        Call::post("/submissions/bulk-delete").fields(self)
    }
}

request! {
    /// Plays matches to rate a submission; wait for its job, then look at its evaluations.
    ///
    /// What it costs is told when it is done. The server may be silent for 30 s; never sent again after a lost
    /// answer, since the evaluation may be running.
    pub struct EvaluateSubmission {
        path {
            /// Which submission.
            submission_id: SubmissionId,
        }
        optional {
            /// How many matches are played.
            match_count: u64,
            /// Against whom: `system`, `own` or `both`.
            opponent_source: String,
            /// Only opponents written by these models.
            opponent_models: Vec<String>,
            /// Only opponents written through these providers, by their readable names.
            opponent_providers: Vec<String>,
            /// Only opponents made after this time, in RFC 3339 such as `2026-01-31T00:00:00Z`.
            opponent_created_after: String,
            /// Only opponents made before this time, in RFC 3339.
            opponent_created_before: String,
            /// Where the server tells that it is done: a URL.
            callback_url: String,
        }
    }
}

impl Endpoint for EvaluateSubmission {
    type Reply = StartedEvaluation;
    const NAME: &'static str = "evaluate submission";
    const OPERATION: &'static str = "submissions.evaluate";

    fn call(&self) -> Call {
        Call::post("/submissions")
            .id("submission", self.submission_id.as_str())
            .then("/evaluate")
            .fields(self)
            .quote(Quote::Unknown)
    }
}

request! {
    /// Plays matches to rate several submissions.
    ///
    /// The platform documents no fields; what is given is sent as it is. What it costs is told when it is done.
    /// The server may be silent for 30 s; never sent again after a lost answer, since the evaluations may be
    /// running.
    pub struct BatchEvaluateSubmissions {}
}

impl Endpoint for BatchEvaluateSubmissions {
    type Reply = Json;
    const NAME: &'static str = "evaluate submissions";
    const OPERATION: &'static str = "submissions.batch_evaluate";

    fn call(&self) -> Call {
        Call::post("/submissions/evaluate").fields(self).quote(Quote::Unknown)
    }
}

request! {
    /// Gets a submission's evaluations, newest first. A completed one has a `reward`: the rating that came of
    /// it.
    ///
    /// Free. The server may be silent for 30 s.
    pub struct GetEvaluations {
        path {
            /// Which submission.
            submission_id: SubmissionId,
        }
    }
}

impl Endpoint for GetEvaluations {
    type Reply = Rows<Evaluation>;
    const NAME: &'static str = "get evaluations";
    const OPERATION: &'static str = "submissions.evaluations";

    fn call(&self) -> Call {
        Call::get("/submissions")
            .id("submission", self.submission_id.as_str())
            .then("/evaluations")
            .fields(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(endpoint: &impl Endpoint) -> String {
        endpoint.call().body_text().unwrap_or_default()
    }

    #[test]
    fn requests_have_the_sdks_shape() {
        // SDK 3.4.0 resources.py `Submissions`; README "Agentic branching", "Fine-grained control".
        let list = ListSubmissions::new().game("chess").mine(true).branch_mode("none,measure");
        assert_eq!(list.call().target(), "/submissions?game=chess&mine=true&branch_mode=none%2Cmeasure");
        assert_eq!(GetSubmission::new("s7").call().target(), "/submissions/s7");
        assert_eq!(GetEvaluations::new("s7").call().target(), "/submissions/s7/evaluations");
        let delete = DeleteSubmission::new("s7").call();
        assert_eq!((delete.target().as_str(), delete.body_text()), ("/submissions/s7", None));
        let evaluate = EvaluateSubmission::new("s7").match_count(500u64);
        assert_eq!(evaluate.call().target(), "/submissions/s7/evaluate");
        assert_eq!(body(&evaluate), r#"{"match_count":500}"#);
        assert_eq!(BatchEvaluateSubmissions::new().call().target(), "/submissions/evaluate");
    }

    #[test]
    fn without_options_an_empty_object_is_sent() {
        // protocol.md §1.4.
        assert_eq!(body(&EvaluateSubmission::new("s7")), "{}");
        assert_eq!(body(&BatchEvaluateSubmissions::new()), "{}");
        assert_eq!(body(&BulkDeleteSubmissions::new()), "{}");
    }

    #[test]
    fn the_three_forms_of_creating_differ_by_their_fields() {
        // protocol.md §2.8; SDK 3.4.0 tests/test_client.py test_submissions_create_forwards_branch_params.
        let upload = CreateSubmission::new().game("chess").language("python").code("pass");
        assert_eq!(body(&upload), r#"{"game":"chess","language":"python","code":"pass"}"#);
        let agentic = CreateSubmission::new().custom_provider_id("p7").pipeline("agentic").branch(true);
        assert_eq!(
            body(&agentic.branch_mode("measure")),
            r#"{"custom_provider_id":"p7","pipeline":"agentic","branch":true,"branch_mode":"measure"}"#
        );
    }

    #[test]
    fn ranges_are_checked_before_anything_is_sent() {
        let fault = |create: CreateSubmission| create.call().fault().is_some();
        assert!(fault(CreateSubmission::new().adopt_percentile(1.01)));
        assert!(!fault(CreateSubmission::new().adopt_percentile(1.0)));
        let interval = |after: u64| CreateSubmission::new().branch_interval(5u64).rollout_model_after(after);
        assert!(fault(interval(5)) && !fault(interval(4)));
    }

    #[test]
    fn what_is_generated_or_played_costs_something_unknown() {
        assert_eq!(CreateSubmission::new().call().quoted(), Quote::Unknown);
        assert_eq!(EvaluateSubmission::new("s7").call().quoted(), Quote::Unknown);
        assert_eq!(BatchEvaluateSubmissions::new().call().quoted(), Quote::Unknown);
        assert_eq!(BulkDeleteSubmissions::new().call().quoted(), Quote::Free);
    }
}
