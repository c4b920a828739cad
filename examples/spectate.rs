//! Watches a session to its end and prints how much came: `spectate BASE_URL SESSION_ID`, the key in `GERT_API_KEY`.
//!
//! Uses the library alone, so it builds with `--no-default-features`.

use std::time::Instant;

use gert::api::model::SessionId;
use gert::api::{ApiKey, Client, MessageKind, Settings};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(base_url), Some(session)) = (arguments.next(), arguments.next()) else {
        return Err("usage: spectate BASE_URL SESSION_ID".into());
    };
    let key = ApiKey::new(&std::env::var("GERT_API_KEY")?)?;
    let client = Client::new(Settings::new(base_url.parse()?, key))?;
    let mut socket = client.spectate(&SessionId::from(session)).await?;
    let (mut messages, mut bytes, mut first) = (0_u64, 0, None);
    while let Some(message) = socket.recv().await? {
        first.get_or_insert_with(Instant::now);
        messages += 1;
        bytes += message.raw.len();
        if message.kind == MessageKind::GameCompleted {
            break;
        }
    }
    let secs = first.map_or(0.0, |at| at.elapsed().as_secs_f64());
    println!("{}", serde_json::json!({"messages": messages, "bytes": bytes, "secs": secs}));
    socket.close().await;
    Ok(())
}
