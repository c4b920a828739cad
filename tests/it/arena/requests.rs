//! What requests may look like: envelopes, validation, pages, hostile callers.

use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::{PATIENCE, Server, both_seats, code, text};

/// Sends bytes as they are; gives status and body.
async fn raw(server: &Server, request: &str) -> (u16, Value) {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let reading = stream.read_to_string(&mut answer);
    tokio::time::timeout(PATIENCE, reading).await.expect("an answer in time").unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    let body = answer.split_once("\r\n\r\n").unwrap().1;
    assert!(!answer.to_lowercase().contains("access-control-"), "{answer}");
    (status, serde_json::from_str(body).unwrap_or_default())
}

fn register(headers: &str) -> String {
    let body = r#"{"email":"evil@example.org","password":"password123"}"#;
    format!(
        "POST /api/v1/auth/register HTTP/1.1\r\n{headers}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

#[tokio::test]
async fn foreign_hosts_and_origins_are_refused_before_anything_happens() {
    // S-02, S-03.
    let server = Server::start().await;
    let port = server.address.port();
    let json = "Content-Type: application/json";
    let refused = [
        (403, format!("Host: evil.example:{port}\r\n{json}")),
        (403, format!("Host: evil.example\r\n{json}")),
        (403, format!("Host: 127.0.0.1:{}\r\n{json}", port ^ 1)),
        (403, format!("Host: 127.0.0.1\r\n{json}")),
        (403, format!("Host: 127.0.0.1:{port}\r\nOrigin: http://evil.example\r\n{json}")),
        (403, format!("Host: 127.0.0.1:{port}\r\nOrigin: null\r\n{json}")),
        (403, format!("Host: 127.0.0.1:{port}\r\nOrigin: http://localhost:{}\r\n{json}", port ^ 1)),
        (415, format!("Host: 127.0.0.1:{port}\r\nContent-Type: text/plain")),
        (415, format!("Host: 127.0.0.1:{port}")),
    ];
    for (expected, headers) in refused {
        let (status, answer) = raw(&server, &register(&headers)).await;
        assert_eq!(status, expected, "{headers}: {answer}");
        code(&answer);
    }
    let login = Some(json!({ "email": "evil@example.org", "password": "password123" }));
    assert_eq!(server.call(Method::POST, "/auth/login", login, &[]).await.0, 401, "no account was made");
    let own = format!("Host: localhost:{port}\r\nOrigin: http://localhost:{port}\r\n{json}");
    assert_eq!(raw(&server, &register(&own)).await.0, 201);
}

#[tokio::test]
async fn sockets_from_foreign_origins_are_refused() {
    let server = Server::start().await;
    let (host, key) = (server.address, &server.key);
    let upgrade = format!(
        "GET /api/v1/spectate/x HTTP/1.1\r\nHost: {host}\r\nX-API-Key: {key}\r\nUpgrade: websocket\r\n\
         Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\
         Origin: http://evil.example\r\n\r\n"
    );
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(upgrade.as_bytes()).await.unwrap();
    let mut head = [0; 12];
    tokio::time::timeout(PATIENCE, stream.read_exact(&mut head)).await.unwrap().unwrap();
    assert_eq!(&head, b"HTTP/1.1 403");
}

#[tokio::test]
async fn unknown_things_are_not_found_in_the_envelope() {
    let server = Server::start().await;
    for path in [
        "/games/definitely-not-a-real-game-xyz",
        "/sessions/s_none",
        "/exports/x_none",
        "/exports/x_none/download",
        "/jobs/x_none",
        "/nothing/here",
        "/games/",
        "/submissions/none",
        "/sessions/s_none/branches",
    ] {
        let (status, answer) = server.get(path).await;
        assert_eq!((status, code(&answer)), (404, "NOT_FOUND"), "{path}");
    }
    let (status, answer) = server.post("/games", json!({})).await;
    assert_eq!((status, code(&answer)), (405, "METHOD_NOT_ALLOWED"));
    let outside = server.client.get(format!("http://{}/", server.address)).send().await.unwrap();
    assert_eq!(outside.status(), 404);
    assert_eq!(code(&outside.json().await.unwrap()), "NOT_FOUND");
}

#[tokio::test]
async fn a_body_has_a_limit() {
    let server = Server::start().await;
    let (status, answer) = server.post("/play", json!({ "game": "x".repeat(300 * 1024) })).await;
    assert_eq!((status, code(&answer)), (413, "PAYLOAD_TOO_LARGE"));
}

#[tokio::test]
async fn requests_are_checked_strictly_and_the_message_names_the_field() {
    let server = Server::start().await;
    let game = "connect_four";
    let table = [
        (json!({}), "game"),
        (json!({ "game": 1 }), "game"),
        (json!({ "game": game, "tags": ["board"] }), "tags"),
        (json!({ "tags": "no-such-tag" }), "tags"),
        (json!({ "game": game, "seats": 3 }), "seats"),
        (json!({ "game": game, "seats": 9 }), "seats"),
        (json!({ "game": game, "seats": -1 }), "seats"),
        (json!({ "game": game, "seats": "2" }), "seats"),
        (json!({ "game": game, "seats": 1.5 }), "seats"),
        (json!({ "game": game, "seats": 0, "vs_ai": false }), "vs_ai"),
        (json!({ "game": game, "player_count": 3 }), "player_count"),
        (json!({ "game": game, "max_ticks": 0 }), "max_ticks"),
        (json!({ "game": game, "max_ticks": 10_001 }), "max_ticks"),
        (json!({ "game": game, "max_ticks": true }), "max_ticks"),
        (json!({ "game": game, "vs_ai": "yes" }), "vs_ai"),
        (json!({ "game": game, "spectate_mode": "secret" }), "spectate_mode"),
        (json!({ "game": game, "seed": 9_007_199_254_740_992u64 }), "seed"),
        (json!({ "game": game, "config": [] }), "config"),
        (json!({ "game": game, "config": { "no_such_option": 1 } }), "no_such_option"),
        (json!({ "game": game, "tick_ms": -1 }), "tick_ms"),
        (json!({ "game": game, "pace_ms": 60_001 }), "pace_ms"),
        (json!({ "game": game, "vs_ai": true, "ai": ["nobody"] }), "ai"),
        (json!({ "game": game, "vs_ai": true, "ai": ["random+eps2"] }), "ai"),
        (json!({ "game": game, "vs_ai": true, "ai": ["random", "random"] }), "ai"),
        (json!({ "game": game, "vs_ai": false, "ai": ["random"] }), "ai"),
        (json!({ "game": game, "custom_provider_id": "p" }), "custom_provider_id"),
        (json!({ "game": game, "ai_mode": "agentic_player" }), "custom_provider_id"),
        (json!({ "game": game, "players": 2 }), "players"),
    ];
    for (body, field) in table {
        let (status, answer) = server.post("/play", body.clone()).await;
        assert_eq!((status, code(&answer)), (400, "VALIDATION_ERROR"), "{body}");
        assert!(text(&answer["error"]["message"]).contains(&format!("`{field}`")), "{body}: {answer}");
    }
    for (path, field) in [
        ("/games?limit=0", "limit"),
        ("/games?limit=101", "limit"),
        ("/games?limit=x", "limit"),
        ("/games?cursor=%21", "cursor"),
        ("/games?cursor=bm90IG91cnM", "cursor"),
        ("/games?colour=red", "colour"),
        ("/sessions?status=sleeping", "status"),
        ("/tags?active=1", "active"),
        ("/tasks/info?difficulty=2", "difficulty"),
    ] {
        let (status, answer) = server.get(path).await;
        assert_eq!((status, code(&answer)), (400, "VALIDATION_ERROR"), "{path}");
        assert!(text(&answer["error"]["message"]).contains(&format!("`{field}`")), "{path}: {answer}");
    }
    let broken = format!(
        "POST /api/v1/play HTTP/1.1\r\nHost: {}\r\nX-API-Key: {}\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: 5\r\n\r\n{{\"a\":",
        server.address, server.key
    );
    assert_eq!(raw(&server, &broken).await.0, 400);
    assert_eq!(server.data("/sessions").await["sessions"], json!([]), "nothing was made");
}

/// Walks a list with a page size; gives the ids in order.
async fn walk(server: &Server, path: &str, collection: &str, id: &str, limit: usize) -> Vec<String> {
    let (mut ids, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = server.data(&format!("{path}?limit={limit}{cursor}")).await;
        let rows = page[collection].as_array().unwrap();
        assert!(rows.len() <= limit);
        ids.extend(rows.iter().map(|row| text(&row[id]).to_owned()));
        match page.get("next_cursor").and_then(Value::as_str) {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return ids,
        }
    }
}

#[tokio::test]
async fn pages_of_every_size_add_up_to_the_same_list() {
    let server = Server::start().await;
    for _ in 0..7 {
        server.create(both_seats()).await;
        let (status, _) = server.post("/exports", json!({ "export_type": "submissions" })).await;
        assert_eq!(status, 202);
    }
    for (path, collection, id, least) in [
        ("/games", "games", "slug", 2),
        ("/sessions", "sessions", "session_id", 7),
        ("/exports", "exports", "job_id", 7),
        ("/auth/usage", "entries", "entry_id", 1),
    ] {
        let whole = walk(&server, path, collection, id, 100).await;
        assert!(whole.len() >= least, "{path}: {whole:?}");
        for limit in [1, 2, 3] {
            assert_eq!(walk(&server, path, collection, id, limit).await, whole, "{path} by {limit}");
        }
    }
    let newest_first = server.data("/sessions?limit=2").await;
    assert!(
        text(&newest_first["sessions"][0]["created_at"]) >= text(&newest_first["sessions"][1]["created_at"])
    );
}

#[tokio::test]
async fn the_catalogue_tells_what_a_client_needs() {
    let server = Server::start().await;
    let game = server.data("/games/connect_four").await;
    assert_eq!(
        (&game["slug"], &game["turn_based"], &game["max_players"]),
        (&json!("connect_four"), &json!(true), &json!(2))
    );
    assert!(text(&game["prompt"]).lines().next().unwrap().contains("Arena edition"));
    assert_eq!((&game["config"]["arena"], &game["config"]["noop"]), (&json!(true), &json!("none")));
    assert!(game["action_schema"].is_object() && game["observation_schema"].is_object());
    let rows = server.data("/games?tag=board").await;
    assert!(
        rows["games"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row["tags"].as_array().unwrap().contains(&json!("board")))
    );
    assert!(rows["games"][0].get("prompt").is_none(), "rows are short");
    let tags = server.data("/tags?active=true").await;
    let board = tags["tags"].as_array().unwrap().iter().find(|tag| tag["name"] == "board").unwrap();
    assert_eq!((&board["group"], &board["count"]), (&json!("form"), &json!(2)));
    assert!(tags["taxonomy"]["timing"].as_array().unwrap().contains(&json!("turn_based")));
    assert!(server.data("/tags").await["tags"][0].get("count").is_none());
}

#[tokio::test]
async fn an_export_of_nothing_is_complete_and_empty() {
    let server = Server::start().await;
    let ask = json!({ "export_type": "submissions", "format": "json", "max_records": 1 });
    let (_, answer) = server.post("/exports", ask).await;
    let job_id = text(&answer["data"]["job_id"]).to_owned();
    server.arena.jobs().ended(&job_id).await;
    let export = server.data(&format!("/exports/{job_id}")).await;
    assert_eq!(
        (&export["export"]["export_type"], &export["export"]["status"]),
        (&json!("submissions"), &json!("completed"))
    );
    let download = server.data(&format!("/exports/{job_id}/download")).await;
    assert_eq!(download["record_count"], 0);
    assert!(download.get("download_url").is_none() && download.get("chunked").is_none());
    assert_eq!(server.data(&format!("/jobs/{job_id}")).await["job"]["status"], "completed");
    let dry = json!({ "export_type": "submissions", "dry_run": true });
    assert_eq!(server.post("/exports", dry).await.1["data"]["estimated_credits"], 0);
    assert_eq!(
        server.data("/exports").await["exports"].as_array().unwrap().len(),
        1,
        "a dry run makes nothing"
    );
    let (status, answer) = server.post("/exports", json!({ "export_type": "scores" })).await;
    assert_eq!((status, code(&answer)), (400, "VALIDATION_ERROR"));
}
