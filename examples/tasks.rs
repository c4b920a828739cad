//! Draws a task and scores replies to it, which are read from standard input, one a line: `tasks`. This costs credits.
//!
//! The key is in `GERT_API_KEY`, another server than the platform in `GERT_BASE_URL`.

use gert::api::endpoints::{CreateTasks, GetTaskInfo};
use gert::api::{ApiKey, BaseUrl, Client, Settings};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let base: BaseUrl = std::env::var("GERT_BASE_URL").map_or(Ok(BaseUrl::default()), |url| url.parse())?;
    let client = Client::new(Settings::new(base, ApiKey::new(&std::env::var("GERT_API_KEY")?)?))?;

    for variant in client.send(&GetTaskInfo::new().difficulty(0.5)).await?.variants {
        eprintln!(
            "{}: {:?} a task, {:?} a scored answer",
            variant.name, variant.generate_price, variant.score_price
        );
    }

    let task = client.draw_task(CreateTasks::new().difficulty(0.5).kinds(["compression"])).await?;
    println!("{}", task.prompt());

    // Equal actions are charged once, so a group of replies is scored in one call.
    let replies: Vec<String> = std::io::stdin().lines().collect::<Result<_, _>>()?;
    let replies: Vec<&str> = replies.iter().map(String::as_str).collect();
    for result in client.score_replies(&task.task_id, &replies).await? {
        match result.error {
            Some(error) => println!("{error}"),
            None => println!("{:?} points, solved: {:?}", result.points, result.solved),
        }
    }
    Ok(())
}
