//! What a generation is to do: the request, read and completed, as the job keeps it.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::arena::credits::Credits;
use crate::arena::engine::GameSpec;

/// Matches of each evaluation with which the harness ends a step, and of each continuation of a decision.
pub const AUTO_EVAL_MATCHES: u32 = 2;

/// Matches that a model may ask for in one step.
pub const STEP_MATCHES: u32 = 2;

/// Turns of a step where nothing else is said.
pub const INTERVAL: u32 = 5;

/// A generation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// What it writes.
    pub submission_id: String,
    /// The game's slug.
    pub game: String,
    /// Who writes.
    pub provider_id: String,
    /// Which model of the provider's.
    pub model: String,
    /// Decides all that is drawn.
    pub seed: u64,
    /// With tools and turns; else one question, one answer.
    pub agentic: Option<Agentic>,
}

/// A session with tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Agentic {
    /// Turns of the model.
    pub max_turns: u32,
    /// Turns between decision points, which is a step.
    pub interval: u32,
    /// Decisions are branched.
    pub branch: Option<Branching>,
}

/// How decisions are branched (protocol.md §2.8).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Branching {
    /// Whether the winner is adopted.
    pub mode: Mode,
    /// Candidate actions of a point.
    pub max_actions: u32,
    /// Continuations of a candidate.
    pub samples_per_action: u32,
    /// Points at most.
    pub max_decision_points: Option<u32>,
    /// The quantile of the scores by which candidates are ranked for adoption.
    pub adopt_percentile: f64,
    /// Plays the continuations.
    pub rollout_model: Option<String>,
    /// Turns of a continuation that stay with the session's model.
    pub rollout_model_after: u32,
}

/// What becomes of a decision's winner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Nothing: the session goes on as it would have.
    Measure,
    /// The session goes on from its best continuation.
    BestOfN,
}

impl Mode {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Measure => "measure",
            Self::BestOfN => "best_of_n",
        }
    }
}

impl Plan {
    /// The branching, if there is any.
    pub fn branch(&self) -> Option<&Branching> {
        self.agentic.as_ref()?.branch.as_ref()
    }

    /// The word for how it is branched.
    pub fn branch_mode(&self) -> &'static str {
        self.branch().map_or("none", |branch| branch.mode.as_str())
    }

    /// Matches at most; see [`AUTO_EVAL_MATCHES`], [`STEP_MATCHES`].
    pub fn most_matches(&self) -> u64 {
        // Whether the finished program can play is tried in one more.
        let last = 1;
        let Some(agentic) = &self.agentic else { return last };
        let steps = agentic.max_turns.div_ceil(agentic.interval);
        let a_step = u64::from(AUTO_EVAL_MATCHES + STEP_MATCHES);
        let Some(branch) = &agentic.branch else { return u64::from(steps) * a_step + last };
        let points = branch.max_decision_points.unwrap_or(u32::MAX).min(steps);
        let lines = u64::from(branch.max_actions) * u64::from(branch.samples_per_action);
        let lines = u64::from(points) * lines + u64::from(steps - points);
        lines * a_step + last
    }

    /// What it costs at most.
    pub fn price(&self, game: &GameSpec) -> Credits {
        Credits::for_ticks(self.most_matches() * u64::from(game.canonical_ticks))
    }

    /// The provenance of a branched submission (protocol.md §2.8).
    pub fn branch_config(&self, game: &GameSpec, provider: &str, provider_source: &str) -> Option<Value> {
        let (branch, agentic) = (self.branch()?, self.agentic.as_ref()?);
        let mut config = json!({
            "mode": branch.mode.as_str(),
            "max_actions": branch.max_actions,
            "samples_per_action": branch.samples_per_action,
            "branch_interval": agentic.interval,
            "max_decision_points": branch.max_decision_points,
            "adopt_percentile": branch.adopt_percentile,
            "opponent_source": "system",
            "auto_eval_matches": AUTO_EVAL_MATCHES,
            "score_version": game.score_version,
            "ticks": game.canonical_ticks,
            "model": self.model,
            "provider": provider,
            "provider_source": provider_source,
        });
        if let Some(model) = &branch.rollout_model {
            config["rollout_model"] = model.as_str().into();
            config["rollout_model_after"] = branch.rollout_model_after.into();
        }
        Some(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(max_turns: u32, branch: Option<Branching>) -> Plan {
        Plan {
            submission_id: "sub_1".into(),
            game: "connect_four".into(),
            provider_id: "p".into(),
            model: "m".into(),
            seed: 1,
            agentic: Some(Agentic { max_turns, interval: 5, branch }),
        }
    }

    #[test]
    fn the_matches_of_all_lines_are_held_for() {
        let branching = |points| Branching {
            mode: Mode::BestOfN,
            max_actions: 3,
            samples_per_action: 5,
            max_decision_points: points,
            adopt_percentile: 0.75,
            rollout_model: None,
            rollout_model_after: 0,
        };
        assert_eq!(Plan { agentic: None, ..plan(1, None) }.most_matches(), 1);
        // 12 steps of 4 matches, and one.
        assert_eq!(plan(60, None).most_matches(), 49);
        // 12 points with 15 lines each.
        assert_eq!(plan(60, Some(branching(None))).most_matches(), 12 * 15 * 4 + 1);
        // Two points, and ten steps without.
        assert_eq!(plan(60, Some(branching(Some(2)))).most_matches(), (2 * 15 + 10) * 4 + 1);
    }
}
