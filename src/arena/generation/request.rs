//! The two generating forms of `POST /submissions`: a question and its answer, and a session with tools.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::plan::{Agentic, Branching, INTERVAL, Mode, Plan};
use crate::arena::engine::Game;
use crate::arena::error::ArenaError;
use crate::arena::jobs::{Kind, Order, callback};
use crate::arena::providers::Author;
use crate::arena::reply::Reply;
use crate::arena::request::Fields;
use crate::arena::store::submissions::{self, Code, NewSubmission};
use crate::arena::{Arena, catalogue};

/// Turns of a session at most.
const MAX_TURNS: u64 = 200;

/// Turns of a session where nothing else is said.
const TURNS: u64 = 20;

/// Candidates of a decision, and continuations of each, at most.
const MOST: u64 = 16;

/// A generation that is ordered.
#[derive(Debug, Clone)]
pub struct Ordered {
    /// The job that does it.
    pub job_id: String,
    /// What it writes.
    pub submission_id: String,
}

/// Whether a body without code asks for a generation.
pub fn is_wanted(fields: &Fields) -> bool {
    ["custom_provider_id", "pipeline", "max_turns", "branch"].iter().any(|name| fields.has(name))
        && !fields.has("code")
        && !fields.has("files")
}

/// Reads the request, keeps the submission and starts the job.
///
/// # Errors
/// What is wrong with the request, or too few credits.
pub async fn create(arena: &Arena, account_id: &str, mut fields: Fields) -> Result<Reply<Value>, ArenaError> {
    let slug = fields.required_text("game")?;
    let game = catalogue::find(arena.games(), &slug)
        .ok_or_else(|| ArenaError::not_found(format!("there is no game `{slug}`")))?;
    if let Some(language) = fields.text("language")?.filter(|language| language != "python") {
        return Err(ArenaError::invalid(
            "language",
            format_args!("`{language}` is not written here: leave it out"),
        ));
    }
    let author = Author::find(arena.store(), &fields.required_text("custom_provider_id")?).await?;
    let callback_url = fields.text("callback_url")?;
    if let Some(url) = &callback_url {
        callback::check(url).map_err(|problem| ArenaError::invalid("callback_url", problem))?;
    }
    let plan = read(&author, game, &mut fields)?;
    fields.finish()?;
    let ordered =
        order(arena, account_id, &author, game, plan, Link { parent_id: None, callback_url }).await?;
    let json =
        json!({ "submission_id": ordered.submission_id, "job_id": ordered.job_id, "status": "pending" });
    Ok(Reply(StatusCode::ACCEPTED, json))
}

/// Who hears of a generation.
#[derive(Debug, Clone, Default)]
pub struct Link {
    /// The job that started it.
    pub parent_id: Option<String>,
    /// Told when it ends.
    pub callback_url: Option<String>,
}

/// Keeps the submission of a plan and starts the job that writes it.
///
/// # Errors
/// Too few credits.
pub async fn order(
    arena: &Arena,
    account_id: &str,
    author: &Author,
    game: &dyn Game,
    plan: Plan,
    link: Link,
) -> Result<Ordered, ArenaError> {
    let spec = game.spec();
    let request = serde_json::to_value(&plan).map_err(ArenaError::internal)?;
    let mut order = Order::new(account_id, Kind::Generation, request);
    order.hold = plan.price(spec);
    order.total = plan.agentic.as_ref().map_or(1, |agentic| agentic.max_turns.into());
    order.parent_id = link.parent_id;
    order.callback_url = link.callback_url;
    let submission = NewSubmission {
        submission_id: plan.submission_id.clone(),
        provider: Some(author.name().to_owned()),
        provider_source: Some(author.source().to_owned()),
        model: Some(plan.model.clone()),
        branch_mode: plan.branch_mode(),
        job_id: Some(order.job_id.clone()),
        ..NewSubmission::new(
            account_id,
            spec,
            "python",
            Code { files: BTreeMap::new(), command: None, fresh: false },
        )
    };
    let submission_id = plan.submission_id;
    let at = Timestamp::now();
    let job_id = arena
        .jobs()
        .submit(arena, order, move |connection| submissions::add(connection, &submission, at))
        .await?;
    Ok(Ordered { job_id, submission_id })
}

fn read(author: &Author, game: &dyn Game, fields: &mut Fields) -> Result<Plan, ArenaError> {
    let model = author.model("model", fields.text("model")?)?;
    let is_agentic = fields.word("pipeline", &["agentic", "one_shot"])? == Some("agentic");
    // Random unless given, and below what a double holds exactly.
    let seed = fields.whole("seed", 0..=(1 << 53))?.unwrap_or_else(|| rand::random::<u64>() >> 11);
    let agentic = if is_agentic { Some(agentic(author, fields)?) } else { None };
    Ok(Plan {
        submission_id: crate::arena::secret::id("sub_"),
        game: game.spec().slug.to_owned(),
        provider_id: author.provider_id().to_owned(),
        model,
        seed,
        agentic,
    })
}

fn agentic(author: &Author, fields: &mut Fields) -> Result<Agentic, ArenaError> {
    let max_turns = fields.whole("max_turns", 1..=MAX_TURNS)?.unwrap_or(TURNS) as u32;
    let branches = fields.flag("branch")?.unwrap_or(false);
    if !branches {
        return Ok(Agentic { max_turns, interval: INTERVAL, branch: None });
    }
    let interval = fields.whole("branch_interval", 1..=MAX_TURNS)?.map_or(INTERVAL, |turns| turns as u32);
    let rollout_model = fields.text("rollout_model")?;
    let rollout_model = rollout_model.map(|model| author.model("rollout_model", Some(model))).transpose()?;
    let after = fields.whole("rollout_model_after", 0..=MAX_TURNS)?.unwrap_or(0) as u32;
    if after >= interval {
        let problem = format!("must be less than `branch_interval`, which is {interval}");
        return Err(ArenaError::invalid("rollout_model_after", problem));
    }
    if after > 0 && rollout_model.is_none() {
        return Err(ArenaError::invalid("rollout_model_after", "needs `rollout_model`"));
    }
    let mode = fields.word("branch_mode", &["best_of_n", "measure"])?;
    let branch = Branching {
        mode: if mode == Some("measure") { Mode::Measure } else { Mode::BestOfN },
        max_actions: fields.whole("max_actions", 1..=MOST)?.unwrap_or(3) as u32,
        samples_per_action: fields.whole("samples_per_action", 1..=MOST)?.unwrap_or(5) as u32,
        max_decision_points: fields.whole("max_decision_points", 1..=MAX_TURNS)?.map(|points| points as u32),
        adopt_percentile: fields.number("adopt_percentile", 0.0..=1.0)?.unwrap_or(0.75),
        rollout_model,
        rollout_model_after: after,
    };
    Ok(Agentic { max_turns, interval, branch: Some(branch) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::games;

    fn plan(fields: Value) -> Result<Plan, String> {
        let Value::Object(fields) = fields else { panic!("an object") };
        let mut fields = Fields::from_object(fields);
        let plan = read(&Author::Writer, games::find("connect_four").unwrap(), &mut fields);
        plan.and_then(|plan| fields.finish().map(|()| plan)).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn a_branching_has_the_defaults_of_the_platform() {
        // Protocol.md §2.8.
        let plan = plan(json!({ "pipeline": "agentic", "max_turns": 60, "branch": true })).unwrap();
        assert_eq!(plan.model, "templates-large");
        let agentic = plan.agentic.unwrap();
        assert_eq!((agentic.max_turns, agentic.interval), (60, 5));
        let expected = Branching {
            mode: Mode::BestOfN,
            max_actions: 3,
            samples_per_action: 5,
            max_decision_points: None,
            adopt_percentile: 0.75,
            rollout_model: None,
            rollout_model_after: 0,
        };
        assert_eq!(agentic.branch.unwrap(), expected);
    }

    #[test]
    fn what_does_not_fit_together_is_refused_by_its_name() {
        for (fields, why) in [
            (
                json!({ "model": "gpt" }),
                "`model` must be one of the provider's: `templates-large`, `templates-small`",
            ),
            (json!({ "pipeline": "x" }), "`pipeline` must be one of"),
            (json!({ "max_turns": 5 }), "`max_turns` is not a field"),
            (json!({ "pipeline": "agentic", "max_turns": 0 }), "`max_turns` must be a whole number from 1"),
            (json!({ "pipeline": "agentic", "max_actions": 2 }), "`max_actions` is not a field"),
            (
                json!({ "pipeline": "agentic", "branch": true, "rollout_model": "x" }),
                "`rollout_model` must be one of the provider's",
            ),
            (
                json!({ "pipeline": "agentic", "branch": true, "rollout_model": "templates-small", "rollout_model_after": 5 }),
                "`rollout_model_after` must be less than `branch_interval`, which is 5",
            ),
            (
                json!({ "pipeline": "agentic", "branch": true, "adopt_percentile": 1.5 }),
                "`adopt_percentile` must be a number from 0 to 1",
            ),
        ] {
            let error = plan(fields.clone()).unwrap_err();
            assert!(error.starts_with(why), "{fields}: {error}");
        }
    }

    #[test]
    fn a_body_with_code_is_no_generation() {
        let is_wanted = |fields: Value| match fields {
            Value::Object(fields) => is_wanted(&Fields::from_object(fields)),
            _ => false,
        };
        assert!(is_wanted(json!({ "game": "g", "custom_provider_id": "p" })));
        assert!(is_wanted(json!({ "game": "g", "pipeline": "agentic" })));
        assert!(!is_wanted(json!({ "game": "g", "code": "x", "custom_provider_id": "p" })));
        assert!(!is_wanted(json!({ "game": "g", "pipeline": null })));
    }
}
