//! Accounts, keys, money.

use reqwest::Method;
use serde_json::{Value, json};

use super::{PATIENCE, Server, both_seats, client, code, drop_in, settings, text};

const LOGIN: &str = r#"{"email":"admin@dev.local","password":"password123"}"#;

/// The path of the SDK's live fixture: register, log in, mint a key.
async fn mint(server: &Server) -> (reqwest::Response, Value) {
    let url = |path| format!("http://{}/api/v1{path}", server.address);
    let body: Value = serde_json::from_str(LOGIN).unwrap();
    server.client.post(url("/auth/register")).json(&body).send().await.unwrap();
    let login = server.client.post(url("/auth/login")).json(&body).send().await.unwrap();
    assert_eq!(login.status(), 200);
    let cookie = login.headers()["set-cookie"].to_str().unwrap().to_owned();
    let csrf = login.json::<Value>().await.unwrap()["data"]["csrf_token"].as_str().unwrap().to_owned();
    assert!(
        cookie.contains("; Path=/;") && cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict")
    );
    assert!(
        !cookie.contains("Secure") && !cookie.contains("Domain"),
        "python would not send it back: {cookie}"
    );
    let pair = cookie.split(';').next().unwrap().to_owned();
    let minted = server
        .client
        .post(url("/auth/api-keys"))
        .header("cookie", &pair)
        .header("x-csrf-token", csrf)
        .json(&json!({ "name": "sdk-integration" }))
        .send()
        .await
        .unwrap();
    (minted, json!({ "cookie": pair }))
}

#[tokio::test]
async fn the_bootstrap_of_the_sdk_gives_a_key_each_time() {
    let server = Server::start().await;
    for _ in 0..2 {
        let (minted, _) = mint(&server).await;
        assert_eq!(minted.status(), 201);
        let key = minted.json::<Value>().await.unwrap()["data"]["key"].as_str().unwrap().to_owned();
        assert!(key.starts_with("sk_gert_"));
        let (status, balance) = server.call(Method::GET, "/auth/balance", None, &[("x-api-key", &key)]).await;
        assert_eq!(
            (status, &balance["data"]),
            (200, &json!({ "credits": 1000, "tier": "arena", "held": 0 }))
        );
    }
}

#[tokio::test]
async fn a_key_is_not_minted_without_login_or_csrf_token() {
    let server = Server::start().await;
    let (_, login) = mint(&server).await;
    let body = || Some(json!({ "name": "x" }));
    let cookie = text(&login["cookie"]);
    let (status, answer) = server.call(Method::POST, "/auth/api-keys", body(), &[("cookie", cookie)]).await;
    assert_eq!((status, code(&answer)), (403, "FORBIDDEN"));
    let forged = [("cookie", cookie), ("x-csrf-token", "cs_forged")];
    assert_eq!(server.call(Method::POST, "/auth/api-keys", body(), &forged).await.0, 403);
    let no_cookie = [("x-csrf-token", "cs_any")];
    assert_eq!(server.call(Method::POST, "/auth/api-keys", body(), &no_cookie).await.0, 401);
    let stranger = [("cookie", "gert_session=gl_forged"), ("x-csrf-token", "cs_any")];
    assert_eq!(server.call(Method::POST, "/auth/api-keys", body(), &stranger).await.0, 401);
    let wrong = json!({ "email": "admin@dev.local", "password": "password124" });
    assert_eq!(server.call(Method::POST, "/auth/login", Some(wrong), &[]).await.0, 401);
    let again = Some(serde_json::from_str(LOGIN).unwrap());
    assert_eq!(server.call(Method::POST, "/auth/register", again, &[]).await.0, 409);
}

#[tokio::test]
async fn without_dev_nobody_can_make_an_account() {
    let mut settings = settings();
    settings.dev = false;
    let server = Server::with(settings).await;
    for path in ["/auth/register", "/auth/login", "/auth/api-keys"] {
        let (status, answer) =
            server.call(Method::POST, path, Some(serde_json::from_str(LOGIN).unwrap()), &[]).await;
        assert_eq!((status, code(&answer)), (404, "NOT_FOUND"), "{path}");
    }
    assert_eq!(server.get("/games").await.0, 200, "the key of the one who runs it works");
}

#[tokio::test]
async fn every_api_route_wants_a_key() {
    let server = Server::start().await;
    let routes = [
        (Method::GET, "/games"),
        (Method::GET, "/games/connect_four"),
        (Method::GET, "/tags"),
        (Method::GET, "/auth/balance"),
        (Method::GET, "/auth/usage"),
        (Method::GET, "/sessions"),
        (Method::GET, "/sessions/x"),
        (Method::DELETE, "/sessions/x"),
        (Method::GET, "/sessions/x/logs"),
        (Method::POST, "/play"),
        (Method::POST, "/play/x/join"),
        (Method::GET, "/spectate/x"),
        (Method::GET, "/exports"),
        (Method::POST, "/exports"),
        (Method::GET, "/exports/x"),
        (Method::POST, "/tasks"),
        (Method::POST, "/tasks/score"),
        (Method::GET, "/tasks/info"),
        // These want a player token.
        (Method::GET, "/play/x"),
        (Method::POST, "/play/x/act"),
        (Method::POST, "/play/x/leave"),
    ];
    for (method, path) in routes {
        for headers in [&[][..], &[("x-api-key", "sk_gert_wrong"), ("x-player-token", "pt_wrong")]] {
            let (status, answer) = server.call(method.clone(), path, None, headers).await;
            assert_eq!((status, code(&answer)), (401, "UNAUTHORIZED"), "{method} {path}");
        }
    }
}

#[tokio::test]
async fn a_session_costs_exactly_its_ticks_and_holds_its_horizon_meanwhile() {
    let server = Server::start().await;
    let session = server.create(both_seats()).await;
    let session_id = text(&session["session_id"]);
    let (mut p0, mut p1) = (server.seat(&session, 0).await, server.seat(&session, 1).await);
    p0.next_of("observation").await;
    p1.next_of("observation").await;
    assert_eq!(
        server.data("/auth/balance").await,
        json!({ "credits": 1000, "tier": "arena", "held": 0.0168 })
    );
    // Three ticks played: metered, and no longer held on top.
    for (nth, column) in [0, 1, 0].into_iter().enumerate() {
        let mover = if nth % 2 == 0 { &mut p0 } else { &mut p1 };
        mover.act(drop_in(column)).await;
        assert_eq!(mover.next_of("action_result").await["accepted"], true);
        mover.next_of("observation").await;
    }
    assert_eq!(
        server.data("/auth/balance").await,
        json!({ "credits": 999.9988, "tier": "arena", "held": 0.0156 })
    );
    for (nth, column) in [1, 0, 1, 0].into_iter().enumerate() {
        let mover = if nth % 2 == 0 { &mut p1 } else { &mut p0 };
        mover.act(drop_in(column)).await;
        mover.next_of("action_result").await;
    }
    let end = p0.next_of("game_completed").await;
    assert_eq!((&end["ticks"], &end["credits_used"]), (&json!(7), &json!(0.0028)));
    assert_eq!(end["outcomes"], json!({ "p0": "won", "p1": "lost" }));
    assert_eq!(
        server.data("/auth/balance").await,
        json!({ "credits": 999.9972, "tier": "arena", "held": 0 })
    );
    let usage = server.data("/auth/usage").await;
    let spent = &usage["entries"][0];
    assert_eq!(
        (&spent["kind"], &spent["credits"], &spent["ticks"], text(&spent["session_id"])),
        (&json!("session"), &json!(0.0028), &json!(7), session_id)
    );
    assert_eq!(
        (&usage["entries"][1]["kind"], &usage["entries"][1]["credits"]),
        (&json!("grant"), &json!(-1000))
    );
}

#[tokio::test]
async fn many_sessions_at_once_add_up() {
    let server = Server::start().await;
    let games = (0..6u64).map(|seed| {
        let server = &server;
        async move {
            let ask = json!({ "game": "connect_four", "seats": 0, "vs_ai": true, "ai": ["random", "random"], "pace_ms": 0, "seed": seed });
            let session = server.create(ask).await;
            let session = server.until(text(&session["session_id"]), "status", "completed").await;
            session["tick"].as_u64().unwrap()
        }
    });
    let ticks: u64 = futures_util::future::join_all(games).await.iter().sum();
    let expected = 1_000_000_000 - 400 * ticks;
    assert_eq!((server.credits().await * 1e6).round() as u64, expected);
}

#[tokio::test]
async fn what_is_not_covered_is_refused_and_holds_nothing() {
    let mut settings = settings();
    settings.limits.live_sessions = 1000;
    let server = Server::with(settings).await;
    let ask = || json!({ "game": "connect_four", "seats": 2, "tick_ms": 0, "max_ticks": 10_000 });
    // Each holds 4 credits of 1000.
    for _ in 0..250 {
        server.create(ask()).await;
    }
    let (status, answer) = server.post("/play", ask()).await;
    assert_eq!((status, code(&answer)), (402, "INSUFFICIENT_CREDITS"));
    assert_eq!(server.data("/auth/balance").await, json!({ "credits": 1000, "tier": "arena", "held": 1000 }));
    let page = server.data("/sessions?status=active").await;
    assert_eq!(page["sessions"].as_array().unwrap().len(), 100);
}

#[tokio::test]
async fn live_sessions_are_limited_and_ended_ones_do_not_count() {
    let mut settings = settings();
    settings.limits.live_sessions = 2;
    let server = Server::with(settings).await;
    let first = server.create(both_seats()).await;
    server.create(both_seats()).await;
    let (status, answer) = server.post("/play", both_seats()).await;
    assert_eq!((status, code(&answer)), (429, "SESSION_LIMIT_EXCEEDED"));
    let path = format!("/sessions/{}", text(&first["session_id"]));
    let key = [("x-api-key", server.key.as_str())];
    assert_eq!(server.call(Method::DELETE, &path, None, &key).await.0, 200);
    server.create(both_seats()).await;
}

#[tokio::test]
async fn the_key_works_from_another_client_too() {
    let server = Server::start().await;
    let url = format!("http://localhost:{}/api/v1/games", server.address.port());
    let request = client().get(url).header("x-api-key", &server.key).timeout(PATIENCE);
    assert_eq!(request.send().await.unwrap().status(), 200);
}
