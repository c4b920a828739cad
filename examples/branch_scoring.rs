//! Asks what each of the first legal actions is worth if one's own policy plays on, and plays the best:
//! `branch_scoring BASE_URL GAME`, the key in `GERT_API_KEY`. It holds 1.7 credits while it runs and costs 0.0004
//! for each tick played.
//!
//! Uses the library alone, so it builds with `--no-default-features`.

use gert::api::endpoints::{OpenRun, ResetEpisode, ScoreActionsOnPolicy, StepEpisode};
use gert::api::model::{Episode, Json};
use gert::api::{ApiKey, Client, Settings};
use gert::rollout::{Run, Turn, score_actions_on_policy};

/// How many actions are compared, and how often each is tried.
const ACTIONS: usize = 3;
const TRIES: u32 = 7;

/// The legal actions, in games that list them.
#[derive(serde::Deserialize)]
struct Seen {
    #[serde(rename = "_action_space", default)]
    legal: Vec<Json>,
}

fn candidates(episode: &Episode) -> Vec<Json> {
    let seen = episode.observation.as_ref().and_then(|observation| observation.decode::<Seen>().ok());
    seen.map_or_else(Vec::new, |seen| seen.legal.into_iter().take(ACTIONS).collect())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(base_url), Some(game)) = (arguments.next(), arguments.next()) else {
        return Err("usage: branch_scoring BASE_URL GAME".into());
    };
    let key = ApiKey::new(&std::env::var("GERT_API_KEY")?)?;
    let client = Client::new(Settings::new(base_url.parse()?, key))?;

    // The episode and a fork for each try of each action.
    let episodes = 1 + ACTIONS as u32 * TRIES;
    let run = Run::open(&client, &OpenRun::new(episodes).max_ticks_per_episode(200u64)).await?;
    // Every seat is ours: an episode with league opponents cannot be forked.
    let episode = run.reset(&ResetEpisode::default().game(game.as_str()).max_ticks(200u64), None).await?;

    // The policy decides for all seats of all forks together, as a model with a batch of inputs does. Here it
    // passes.
    let mut policy =
        async |turns: Vec<Turn>| turns.iter().map(|_| Json::parse("[]")).collect::<Result<_, _>>();
    let request = ScoreActionsOnPolicy::new(run.id(), &episode.episode_id, candidates(&episode))
        .samples_per_action(TRIES)
        .phase_ticks(20u64);
    let scores = score_actions_on_policy(&client, &request, Some(&mut policy)).await?;
    for row in &scores.actions {
        let mean = row.score.mean.unwrap_or_default();
        println!(
            "{} mean {mean}, {} of {} failed",
            row.action.get(),
            row.failed.unwrap_or(0),
            row.samples.unwrap_or(0)
        );
    }

    // The best one is played in the episode itself, which the scoring did not touch.
    if let (Some(best), Some(seat)) = (scores.actions.first(), &scores.seat) {
        let mut step = StepEpisode::new(run.id(), &episode.episode_id);
        step.expected_tick = episode.tick;
        let step = match episode.policy_seats.len() {
            0 | 1 => step.action(best.action.clone()),
            _ => step.actions([(seat.as_str(), best.action.clone())]),
        };
        println!("reward {}", client.send(&step).await?.reward_of(seat));
    }
    println!("{} credits", run.close().await?.credits_used.unwrap_or_default());
    Ok(())
}
