//! A decision point: candidate actions, what each leads to, and which one the session goes on with.
//!
//! ```text
//! line at turn 0 ─┬─ candidate 1 ─┬─ continuation 1 ─▶ score
//!                 │               └─ continuation 2 ─▶ score
//!                 └─ candidate 2 ─── …                            best_of_n: on from the winner's best continuation
//!                                                                 measure:   on from the first one of all
//! ```
//!
//! The action of a candidate is the turn that the model takes here, its reasoning and its calls; it is held fixed. A
//! continuation goes to the end of the step, and its program's mean score in real matches is what it is worth. All
//! continuations of a point meet the same opponents with the same luck.

use futures_util::{FutureExt as _, StreamExt as _, stream};
use serde_json::{Map, Value, json};

use super::frame::Frame;
use super::line::{Answer, Line};
use super::plan::{Branching, Mode};
use super::session::{Branch, Broke, Session};
use crate::rollout::{percentile, score_stats};

/// Continuations that are led at once: they wait for endpoints more than for matches.
const AT_ONCE: usize = 4;

/// One way on from a decision.
#[derive(Debug, Clone)]
struct Continuation {
    line: Line,
    /// Turns after the decision's own.
    turns: u32,
    /// Nothing when there is no program that can play.
    score: Option<f64>,
}

/// A candidate and what it led to.
#[derive(Debug)]
struct Candidate {
    action: Vec<Value>,
    continuations: Vec<Continuation>,
}

/// A decision that was made.
#[derive(Debug)]
pub struct Decision {
    /// The line that the session goes on with, at the end of the step.
    pub line: Line,
    /// The record, for branch scores and exports.
    pub record: Value,
}

/// Branches a line that has just opened a step.
///
/// # Errors
/// The model does not answer, or no match can be played.
pub async fn decide(
    session: &Session<'_>,
    branching: &Branching,
    line: &Line,
    frame: &Frame,
) -> Result<Decision, Broke> {
    let mut candidates = Vec::new();
    for (nth, answer) in candidates_of(session, branching, line, frame).await?.into_iter().enumerate() {
        let ways = (1..=branching.samples_per_action).map(|sample| {
            let branch = Branch { candidate: nth as u32 + 1, sample };
            go_on(session, line, frame, answer.clone(), branch).boxed()
        });
        let ways: Vec<_> = ways.collect();
        let continuations: Vec<_> = stream::iter(ways).buffered(AT_ONCE).collect().await;
        let continuations = continuations.into_iter().collect::<Result<_, _>>()?;
        let mut numbered = answer;
        // The ids that its calls have in all its continuations.
        line.clone().heard(&mut numbered, frame);
        candidates.push(Candidate { action: numbered.blocks, continuations });
    }
    Ok(choose(branching, line, &candidates))
}

/// Different answers at this point: what was said already is not tried twice.
async fn candidates_of(
    session: &Session<'_>,
    branching: &Branching,
    line: &Line,
    frame: &Frame,
) -> Result<Vec<Answer>, Broke> {
    let mut answers: Vec<Answer> = Vec::new();
    for candidate in 1..=branching.max_actions {
        let answer = session.ask(line, frame, Branch { candidate, sample: 0 }).await?;
        if answers.iter().all(|other| other.blocks != answer.blocks) {
            answers.push(answer);
        }
    }
    Ok(answers)
}

async fn go_on(
    session: &Session<'_>,
    from: &Line,
    frame: &Frame,
    answer: Answer,
    branch: Branch,
) -> Result<Continuation, Broke> {
    let mut line = from.clone();
    let trial = if session.take_turn(&mut line, frame, answer).await? {
        session.finish_step(&mut line, frame, branch).await?
    } else {
        session.end_step(&mut line, branch).await?
    };
    let turns = line.turns - from.turns - 1;
    Ok(Continuation { line, turns, score: trial.and_then(|trial| trial.mean()) })
}

impl Candidate {
    fn scored(&self) -> impl Iterator<Item = (&Continuation, f64)> {
        self.continuations.iter().filter_map(|way| Some((way, way.score?)))
    }

    fn scores(&self) -> Vec<f64> {
        self.scored().map(|(_, score)| score).collect()
    }

    /// The continuation of the highest score, the first of several.
    fn best(&self) -> Option<&Continuation> {
        self.scored().reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(way, _)| way)
    }

    /// What it counts for in the choice.
    fn rank_value(&self, adopt_percentile: f64) -> f64 {
        let mut scores = self.scores();
        scores.sort_by(f64::total_cmp);
        if scores.is_empty() { f64::NEG_INFINITY } else { percentile(&scores, adopt_percentile) }
    }
}

/// Picks the winner and writes the record.
fn choose(branching: &Branching, line: &Line, candidates: &[Candidate]) -> Decision {
    let worth: Vec<f64> =
        candidates.iter().map(|candidate| candidate.rank_value(branching.adopt_percentile)).collect();
    let winner = (0..worth.len()).reduce(|best, next| if worth[next] > worth[best] { next } else { best });
    let adopted = winner.filter(|_| branching.mode == Mode::BestOfN);
    let ranks = ranks(candidates);
    let actions: Vec<Value> = candidates
        .iter()
        .enumerate()
        .map(|(nth, candidate)| action(candidate, ranks[nth], adopted.map(|winner| winner == nth)))
        .collect();
    let record = json!({
        "decision_index": line.step,
        "state_entry_count": line.transcript.len(),
        "pruned": Value::Object(line.verdicts()),
        "branch_mode": branching.mode.as_str(),
        "adopt_percentile": branching.adopt_percentile,
        "actions": actions,
    });
    // Without a winner's best, and where nothing is adopted, on with the first continuation, which nobody has picked.
    let best = adopted.and_then(|winner| candidates[winner].best());
    let first = || candidates.first().and_then(|candidate| candidate.continuations.first());
    let next = best.or_else(first).map_or_else(|| line.clone(), |way| way.line.clone());
    Decision { line: next, record }
}

/// 1 for the best mean; what has no score comes last.
fn ranks(candidates: &[Candidate]) -> Vec<usize> {
    let mean = |candidate: &Candidate| {
        let scores = candidate.scores();
        if scores.is_empty() { f64::NEG_INFINITY } else { score_stats(&scores).mean }
    };
    let means: Vec<f64> = candidates.iter().map(mean).collect();
    let better = |mean: f64| means.iter().filter(|other| **other > mean).count();
    means.iter().map(|mean| better(*mean) + 1).collect()
}

fn action(candidate: &Candidate, rank: usize, adopted: Option<bool>) -> Value {
    let mut json = Map::new();
    let mut put = |name: &str, value: Value| _ = json.insert(name.to_owned(), value);
    put("action", candidate.action.clone().into());
    put("action_rank", rank.into());
    let scores = candidate.scores();
    if !scores.is_empty() {
        let stats = score_stats(&scores);
        put(
            "value",
            json!({ "mean": stats.mean, "std_dev": stats.std_dev, "min": stats.min, "max": stats.max }),
        );
    }
    put("sample_scores", json!(scores));
    put("sample_turns", candidate.scored().map(|(way, _)| way.turns).collect::<Vec<_>>().into());
    if let Some(adopted) = adopted {
        put("adopted", adopted.into());
    }
    if let Some(best) = candidate.best() {
        put("code", best.line.workspace.json());
    }
    json.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn branching(mode: Mode, adopt_percentile: f64) -> Branching {
        Branching {
            mode,
            max_actions: 2,
            samples_per_action: 3,
            max_decision_points: None,
            adopt_percentile,
            rollout_model: None,
            rollout_model_after: 0,
        }
    }

    /// A candidate whose continuations have these scores; each line is told by its turns.
    fn candidate(first_turns: u32, scores: &[Option<f64>]) -> Candidate {
        let continuation = |(nth, score): (usize, &Option<f64>)| {
            let mut line = Line::default();
            line.turns = first_turns + nth as u32;
            Continuation { line, turns: nth as u32, score: *score }
        };
        let action = vec![json!({ "type": "text", "text": first_turns })];
        Candidate { action, continuations: scores.iter().enumerate().map(continuation).collect() }
    }

    fn steady_and_bold() -> Vec<Candidate> {
        vec![
            candidate(10, &[Some(5.0), Some(6.0), Some(5.5)]),
            candidate(20, &[Some(0.0), Some(9.0), Some(1.0)]),
        ]
    }

    #[test]
    fn the_quantile_decides_who_is_adopted_and_the_mean_who_is_ranked_first() {
        // Protocol.md §2.8: 1.0 is the best single rollout, 0.5 the median; §2.6: rank 1 is the best mean.
        for (adopt_percentile, turns, adopted) in [(0.5, 11, [true, false]), (1.0, 21, [false, true])] {
            let branching = branching(Mode::BestOfN, adopt_percentile);
            let decision = choose(&branching, &Line::default(), &steady_and_bold());
            assert_eq!(decision.line.turns, turns, "on from the best continuation of the winner");
            let actions = decision.record["actions"].as_array().unwrap();
            let of = |name: &str| actions.iter().map(|action| action[name].clone()).collect::<Vec<_>>();
            assert_eq!(of("adopted"), adopted);
            assert_eq!(of("action_rank"), [1, 2]);
            assert_eq!(actions[0]["value"]["mean"], 5.5);
            assert_eq!(actions[1]["sample_scores"], json!([0.0, 9.0, 1.0]));
            assert_eq!(actions[1]["sample_turns"], json!([0, 1, 2]));
        }
    }

    #[test]
    fn a_measured_session_goes_on_as_it_would_have() {
        let decision = choose(&branching(Mode::Measure, 1.0), &Line::default(), &steady_and_bold());
        assert_eq!(decision.line.turns, 10);
        let actions = decision.record["actions"].as_array().unwrap();
        assert!(actions.iter().all(|action| action.get("adopted").is_none()));
    }

    #[test]
    fn what_has_no_score_is_in_no_value_and_never_adopted() {
        let candidates = vec![candidate(10, &[None, None]), candidate(20, &[None, Some(-3.0)])];
        let decision = choose(&branching(Mode::BestOfN, 0.75), &Line::default(), &candidates);
        assert_eq!(decision.line.turns, 21);
        let actions = decision.record["actions"].as_array().unwrap();
        assert_eq!(actions[0]["sample_scores"], json!([]));
        assert!(actions[0].get("value").is_none() && actions[0].get("code").is_none());
        assert_eq!(actions[0]["action_rank"], 2);
        assert_eq!(actions[1]["sample_turns"], json!([1]), "aligned with the scores");
    }
}
