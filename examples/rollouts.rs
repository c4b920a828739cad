//! Collects one rollout against a league opponent: `rollouts BASE_URL GAME`, the key in `GERT_API_KEY`. It holds
//! 0.2 credits while it runs and costs 0.0004 for each tick played.
//!
//! Uses the library alone, so it builds with `--no-default-features`.

use gert::api::endpoints::{OpenRun, ResetEpisode};
use gert::api::model::{Json, Seat};
use gert::api::{ApiKey, Client, Settings};
use gert::rollout::{
    BoxError, Observation, Policy, Run, format_observation, parse_action, run_episode, system_prompt,
};

/// The policy that is trained.
struct Model {
    rules: String,
}

impl Policy for Model {
    type Error = BoxError;

    async fn act(&mut self, observation: &Json, seat: &Seat) -> Result<Json, BoxError> {
        // The messages that the platform's own evaluations send, to the byte.
        let system = system_prompt(Some(&self.rules));
        let user = format_observation(Observation::Json(observation))?;
        let reply = ask_a_model(&system, &user, seat);
        // Text without an action is sent as it is: the platform scores it as a failed turn.
        Ok(parse_action(&reply).into_json())
    }
}

/// Here a model is asked.
fn ask_a_model(system: &str, user: &str, seat: &Seat) -> String {
    eprintln!("{seat} is shown {} bytes and passes", system.len() + user.len());
    "I would rather wait: []".to_owned()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(base_url), Some(game)) = (arguments.next(), arguments.next()) else {
        return Err("usage: rollouts BASE_URL GAME".into());
    };
    let key = ApiKey::new(&std::env::var("GERT_API_KEY")?)?;
    let client = Client::new(Settings::new(base_url.parse()?, key))?;

    // One episode of up to 500 ticks. What was not played comes back when the run is closed; a run that is dropped,
    // after an error for instance, is closed in the background.
    let run = Run::open(&client, &OpenRun::new(1u32).max_ticks_per_episode(500u64)).await?;
    let rules = run.rules(&game.as_str().into()).await?.unwrap_or_default();

    // One seat is a league opponent of middling skill; without it every seat is ours.
    let reset = ResetEpisode::of(run.id().clone(), game)
        .opponent_seats(1u32)
        .min_percentile(0.4)
        .max_percentile(0.6)
        .max_ticks(500u64);
    let played = run_episode(&client, &reset, &mut Model { rules }).await;
    // Whatever became of it: this settles the run surely.
    let closed = run.close().await?;
    let played = played?;
    println!("{} steps, reward {}, outcome {:?}", played.steps.len(), played.total_reward, played.outcome);
    println!("{} credits", closed.credits_used.unwrap_or_default());
    Ok(())
}
