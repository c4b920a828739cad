//! Dataset builds: one job that runs a model over many games.

use crate::api::model::{GameSlug, ProviderId, Started};
use crate::api::request::{Request, request};
use crate::api::{Call, Endpoint, Quote};

request! {
    /// Has a model write players for many games, evaluates them and exports the result, in one job.
    ///
    /// Give exactly one of `game_slug`, `game_slugs` and `game_tags`. Costs what `dry_run` estimates; the
    /// estimate is free. One build runs at a time: a second one is refused with 409, and `existing_job_id`
    /// names the first. The server may be silent for 30 s; never sent again after a lost answer, since the
    /// build may be running. The job's result names the exports in `export_job_ids`; they are jobs, too.
    pub struct EvaluateCode {
        required {
            /// The provider whose model writes the code; `providers list` shows them.
            custom_provider_id: ProviderId,
        }
        optional {
            /// One game, by its slug.
            game_slug: GameSlug,
            /// Several games, by their slugs.
            game_slugs: Vec<String>,
            /// All games that have these tags.
            game_tags: Vec<String>,
            /// How many players are written.
            submission_count: u64,
            /// How many matches evaluate a player.
            match_count: u64,
            /// What is exported: `submissions`, `replays` or `both`.
            export_type: String,
            /// The format of the exports: `json` or `parquet`.
            export_format: String,
            /// Only estimate what it would cost: starts nothing, costs nothing.
            dry_run: bool,
        }
    }
}

impl Endpoint for EvaluateCode {
    type Reply = Started;
    const NAME: &'static str = "build dataset from code";
    const OPERATION: &'static str = "dataset_builds.evaluate_code";

    fn call(&self) -> Call {
        let games = Games { slug: &self.game_slug, slugs: &self.game_slugs, tags: &self.game_tags };
        build(self, "code_evaluation", &games, self.dry_run)
    }
}

request! {
    /// Branches sessions of many games at their decisions and exports how each choice scored, in one job.
    ///
    /// Give exactly one of `game_slug`, `game_slugs` and `game_tags`. Costs what `dry_run` estimates; the
    /// estimate is free. One build runs at a time: a second one is refused with 409, and `existing_job_id`
    /// names the first. The server may be silent for 30 s; never sent again after a lost answer, since the
    /// build may be running. The job's result names the export in `export_job_id`; it is a job, too.
    pub struct Explore {
        optional {
            /// The provider whose model plays; `providers list` shows them.
            custom_provider_id: ProviderId,
            /// One game, by its slug.
            game_slug: GameSlug,
            /// Several games, by their slugs.
            game_slugs: Vec<String>,
            /// All games that have these tags.
            game_tags: Vec<String>,
            /// How many sessions are branched.
            parent_count: u64,
            /// How often each action is tried.
            samples_per_action: u64,
            /// How many actions are tried at a decision.
            max_actions: u64,
            /// How many ticks from one branched decision to the next.
            explore_interval: u64,
            /// How the platform's players decide, such as `agentic_player`.
            ai_mode: String,
            /// Ticks that the provider's model plays in each branch before a cheaper player finishes it; needs
            /// an `ai_mode` that asks a model.
            llm_phase_ticks: u64,
            /// The cheaper model that finishes the branches instead of rated code.
            handover_model: String,
            /// The format of the export: `json` or `parquet`.
            export_format: String,
            /// Only estimate what it would cost: starts nothing, costs nothing.
            dry_run: bool,
        }
    }
}

impl Endpoint for Explore {
    type Reply = Started;
    const NAME: &'static str = "build dataset from branches";
    const OPERATION: &'static str = "dataset_builds.explore";

    fn call(&self) -> Call {
        let games = Games { slug: &self.game_slug, slugs: &self.game_slugs, tags: &self.game_tags };
        build(self, "branch_exploration", &games, self.dry_run)
    }
}

/// Which games.
struct Games<'a> {
    slug: &'a Option<GameSlug>,
    slugs: &'a Option<Vec<String>>,
    tags: &'a Option<Vec<String>>,
}

fn build(request: &impl Request, mode: &'static str, games: &Games<'_>, dry_run: Option<bool>) -> Call {
    let quote = if dry_run == Some(true) { Quote::Free } else { Quote::DryRun };
    let mut call = Call::post("/dataset-builds").fields(request).quote(quote);
    // SDK 3.4.0 resources.py `DatasetBuilds._create`.
    if call.sent_member("mode").is_some() {
        call.fail("the mode is fixed: evaluate code and explore are two operations".to_owned());
    }
    let given = [games.slug.is_some(), games.slugs.is_some(), games.tags.is_some()];
    if given.into_iter().filter(|given| *given).count() != 1 {
        call.fail("give exactly one of `game_slug`, `game_slugs` and `game_tags`".to_owned());
    }
    let no_slug = games.slug.as_ref().is_some_and(GameSlug::is_empty);
    if no_slug || [games.slugs, games.tags].into_iter().flatten().any(Vec::is_empty) {
        call.fail("the choice of games is empty".to_owned());
    }
    call.member("mode", &mode)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::model::Json;
    use crate::api::{Resend, Timeout};

    #[test]
    fn each_mode_is_an_operation_of_its_own() {
        // SDK 3.4.0 tests/test_client.py test_evaluate_code_sets_mode, test_explore_sets_mode.
        let call = EvaluateCode::new("p7").game_tags(["strategy"]).submission_count(20u64).request();
        assert_eq!(
            call.body_text().as_deref(),
            Some(
                r#"{"custom_provider_id":"p7","game_tags":["strategy"],"submission_count":20,"mode":"code_evaluation"}"#
            )
        );
        assert_eq!((call.target().as_str(), call.fault()), ("/dataset-builds", None));
        assert_eq!((call.resend, call.timeout), (Resend::Generic, Timeout::Default));
        let call = Explore::new().game_slug("chess").parent_count(5u64).request();
        assert_eq!(
            call.body_text().as_deref(),
            Some(r#"{"game_slug":"chess","parent_count":5,"mode":"branch_exploration"}"#)
        );
    }

    #[test]
    fn the_price_is_known_after_a_dry_run() {
        let build = EvaluateCode::new("p7").game_slug("chess");
        assert_eq!(build.call().quoted(), Quote::DryRun);
        assert_eq!(build.clone().dry_run(false).call().quoted(), Quote::DryRun);
        assert_eq!(build.dry_run(true).call().quoted(), Quote::Free);
    }

    #[test]
    fn the_mode_and_the_choice_of_games_are_checked_before_anything_is_sent() {
        // SDK 3.4.0 tests/test_client.py test_dataset_builds_reject_caller_mode_override.
        let mode = Json::parse(r#""branch_exploration""#).expect("JSON");
        assert!(EvaluateCode::new("p7").game_tags(["x"]).param("mode", mode).call().fault().is_some());
        for build in [
            Explore::new(),
            Explore::new().game_slug(""),
            Explore::new().game_slugs([]),
            Explore::new().game_slug("a").game_tags(["b"]),
            Explore::new().game_slugs(["a"]).game_tags(["b"]),
        ] {
            assert!(build.call().fault().is_some(), "{build:?}");
        }
    }
}
