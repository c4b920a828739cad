//! The league over the wire: what a game's record says of it, and who sits on the other seats.

use serde_json::{Value, json};

use super::{Server, text};

async fn data(server: &Server, path: &str) -> Value {
    let (status, answer) = server.get(path).await;
    assert_eq!(status, 200, "{answer}");
    answer["data"].clone()
}

/// The names of the built-in players of a new session.
async fn opponents(server: &Server, body: Value) -> Vec<String> {
    let session = server.create(body).await;
    let seats = session["session"]["seats"].as_array().unwrap();
    seats.iter().filter(|seat| seat["kind"] == "ai").map(|seat| text(&seat["name"]).to_owned()).collect()
}

#[tokio::test]
async fn a_game_tells_who_is_rated_and_how() {
    let server = Server::start().await;
    let record = data(&server, "/games/multi_reversi").await["league"].clone();
    let players = record["players"].as_array().unwrap();
    assert!(players.len() >= 12);
    assert_eq!(record["rated"], players.len());
    assert_eq!(
        (&record["min_elo"], &record["max_elo"]),
        (&players[0]["elo_rating"], &players[players.len() - 1]["elo_rating"])
    );
    assert!(record["min_elo"].as_f64().unwrap() < 1000.0 && record["max_elo"].as_f64().unwrap() > 1000.0);
    let random = players.iter().find(|player| player["name"] == "random").unwrap();
    assert!(random["error"].as_f64().unwrap() > 0.0 && random["about"].is_string());
    // The list says how many, not who.
    let list = data(&server, "/games").await;
    let row = list["games"].as_array().unwrap().iter().find(|game| game["slug"] == "multi_reversi").unwrap();
    assert_eq!(row["league"]["rated"], record["rated"]);
    assert_eq!(row["league"].get("players"), None);
}

#[tokio::test]
async fn seats_without_a_name_go_to_the_middle_of_the_league_by_the_seed() {
    let server = Server::start().await;
    let ask = |seed: u32| json!({ "game": "grid_serpents", "player_count": 4, "vs_ai": true, "tick_ms": 0, "seed": seed });
    let first = opponents(&server, ask(1)).await;
    assert_eq!(opponents(&server, ask(1)).await, first);
    let record = data(&server, "/games/grid_serpents").await["league"].clone();
    let ladder: Vec<&str> =
        record["players"].as_array().unwrap().iter().map(|player| text(&player["name"])).collect();
    for name in &first {
        let place = ladder.iter().position(|rated| rated == name).expect("a rated player");
        assert!((place * 2).abs_diff(ladder.len()) <= 5, "{name} is number {place} of {}", ladder.len());
    }
}

#[tokio::test]
async fn a_player_may_be_named_with_its_share_of_random_moves() {
    let server = Server::start().await;
    let ask = json!({ "game": "connect_four", "vs_ai": true, "ai": ["ab4+eps0.25"] });
    assert_eq!(opponents(&server, ask).await, ["ab4+eps0.25"]);
}
