//! Plays a session with a policy of one's own against the platform's players: `play BASE_URL GAME`, the key in
//! `GERT_API_KEY`. It costs 0.0004 credits for each of up to 600 ticks.
//!
//! Uses the library alone, so it builds with `--no-default-features`.

use gert::api::endpoints::CreateSession;
use gert::api::model::Json;
use gert::api::{ApiKey, Client, MessageKind, Settings};

/// The policy: the session's prompt says what is observed and how to act. `[]` does nothing.
fn decide(_observation: &str) -> &'static str {
    "[]"
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(base_url), Some(game)) = (arguments.next(), arguments.next()) else {
        return Err("usage: play BASE_URL GAME".into());
    };
    let key = ApiKey::new(&std::env::var("GERT_API_KEY")?)?;
    let client = Client::new(Settings::new(base_url.parse()?, key))?;

    let create = CreateSession::of(game).seats(1u32).vs_ai(true).max_ticks(600u64);
    let session = client.send(&create).await?;
    println!("{}", session.prompt.as_deref().unwrap_or("no rules"));
    let seats = session.own_seats();
    let seat = seats.first().ok_or("the session has no seat for us")?;

    let mut socket = client.connect_player(session.id(), &seat.player_token).await?;
    while let Some(message) = socket.recv().await? {
        match message.kind {
            MessageKind::Observation => {
                let action = Json::parse(decide(message.raw_member("data").unwrap_or("null")))?;
                socket.send_action(&action.into_raw(), None).await?;
            }
            MessageKind::GameCompleted => {
                println!("{}", message.raw_member("scores").unwrap_or("no scores"));
                break;
            }
            _ => {}
        }
    }
    socket.close().await;
    Ok(())
}
