//! Lists the games of a tag, or all of them, and then the tags: `discover [TAG]`.
//!
//! The key is in `GERT_API_KEY`, another server than the platform in `GERT_BASE_URL`.

use gert::api::endpoints::{GetGame, GetTags, ListGames};
use gert::api::{ApiKey, BaseUrl, Client, PageOptions, Settings};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let base: BaseUrl = std::env::var("GERT_BASE_URL").map_or(Ok(BaseUrl::default()), |url| url.parse())?;
    let client = Client::new(Settings::new(base, ApiKey::new(&std::env::var("GERT_API_KEY")?)?))?;

    // A request is a value; `all` follows the pages of a list.
    let mut list = ListGames::new();
    list.tag = std::env::args().nth(1);
    let games = client.all(&list, PageOptions::default()).await?;
    for game in &games.items {
        println!("{}\t{}", game.slug, game.tags.join(" "));
    }

    // The rules are a model's system prompt.
    if let Some(first) = games.items.first() {
        let game = client.send(&GetGame::new(&first.slug)).await?;
        println!("\n{}", game.prompt.unwrap_or_default());
    }

    for tag in &client.send(&GetTags::new().active(true)).await?.tags.0 {
        println!("{}\t{} games", tag.name, tag.count.unwrap_or_default());
    }
    Ok(())
}
