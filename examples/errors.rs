//! Asks for a game that is not there, and shows what an error knows: `errors`.
//!
//! The key is in `GERT_API_KEY`, another server than the platform in `GERT_BASE_URL`.

use std::error::Error as _;

use gert::api::endpoints::GetGame;
use gert::api::{ApiKey, BaseUrl, Client, ErrorKind, Settings};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let base: BaseUrl = std::env::var("GERT_BASE_URL").map_or(Ok(BaseUrl::default()), |url| url.parse())?;
    let client = Client::new(Settings::new(base, ApiKey::new(&std::env::var("GERT_API_KEY")?)?))?;

    let Err(error) = client.send(&GetGame::new("no_such_game")).await else {
        return Err("there is such a game".into());
    };
    // For people: the step, then the reason, then what to do.
    println!("{error}: {}", error.source().map(ToString::to_string).unwrap_or_default());
    println!("{}", error.advice().unwrap_or("nothing to do about it"));

    // For programs: the kind, the API's own code, and whether to try again.
    match error.kind() {
        ErrorKind::NotFound => println!("it is not there"),
        ErrorKind::Authentication => println!("the key is wrong"),
        kind => println!("something else: {kind:?}"),
    }
    println!("code {:?}, status {:?}, request {:?}", error.code(), error.status(), error.request_id());
    println!("try again: {}; done all the same: {}", error.is_retryable(), error.outcome_unknown());
    Ok(())
}
