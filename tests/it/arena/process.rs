//! `gert arena` as a process: told where it is, killed, stopped.
#![cfg(unix)]

use std::path::Path;
use std::process::Stdio;

use reqwest::{Client, Method};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use super::{PATIENCE, both_seats, client, drop_in, text};

/// The arena in a process of its own. Dropping it kills the process.
struct Process {
    child: Child,
    base: String,
    key: String,
    client: Client,
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gert"));
    command.arg("arena").args(args).env("RUST_LOG", "gert=error").kill_on_drop(true);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

impl Process {
    async fn start(db: &Path) -> Self {
        let mut child = command(&["--port", "0", "--db", db.to_str().unwrap()]).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let reading = async {
            let mut said = Vec::new();
            while said.len() < 3 {
                said.push(lines.next_line().await.unwrap().expect("it says that it is ready"));
            }
            said
        };
        let said = tokio::time::timeout(PATIENCE, reading).await.expect("ready in time");
        let value = |line: &str| line.split_once('=').expect("an assignment").1.to_owned();
        Self { child, base: value(&said[1]), key: value(&said[2]), client: client() }
    }

    async fn call(&self, method: Method, path: &str, body: Option<Value>, token: Option<&str>) -> Value {
        let request =
            self.client.request(method, format!("{}{path}", self.base)).header("x-api-key", &self.key);
        let request =
            token.into_iter().fold(request, |request, token| request.header("x-player-token", token));
        let request = body.into_iter().fold(request, |request, body| request.json(&body));
        let answer: Value = request.timeout(PATIENCE).send().await.unwrap().json().await.unwrap();
        assert!(answer.get("error").is_none(), "{path}: {answer}");
        answer["data"].clone()
    }

    async fn get(&self, path: &str) -> Value {
        self.call(Method::GET, path, None, None).await
    }

    /// Drops a disc and waits until that is written down.
    async fn drop_disc(&self, session: &Value, nth: usize, column: u32, tick: usize) {
        let id = text(&session["session_id"]);
        let token = text(&session["seats"][nth]["player_token"]);
        let body = json!({ "payload": drop_in(column) });
        let answer = self.call(Method::POST, &format!("/play/{id}/act"), Some(body), Some(token)).await;
        assert_eq!(answer["accepted"], true, "{answer}");
        let written = async {
            loop {
                let logs = self.get(&format!("/sessions/{id}/logs")).await;
                let played =
                    logs["logs"].as_array().unwrap().iter().filter(|row| row["kind"] == "action").count();
                if played == tick {
                    break;
                }
                tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(PATIENCE, written).await.expect("written in time");
    }

    fn signal(&self, signal: Signal) {
        let pid = self.child.id().and_then(|id| Pid::from_raw(id.cast_signed())).expect("it runs");
        kill_process(pid, signal).unwrap();
    }
}

#[tokio::test]
async fn a_port_or_a_file_in_use_is_told_and_nothing_says_ready() {
    // S-01.
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("arena.db");
    let first = Process::start(&db).await;
    let port = first.base.trim_start_matches("http://127.0.0.1:").split('/').next().unwrap().to_owned();
    let other = folder.path().join("other.db");
    for (args, says) in [
        (["--port", &port, "--db", other.to_str().unwrap()], "--port"),
        (["--port", "0", "--db", db.to_str().unwrap()], "in use by another arena"),
    ] {
        let ended = tokio::time::timeout(PATIENCE, command(&args).output()).await.expect("it ends").unwrap();
        let stderr = String::from_utf8_lossy(&ended.stderr);
        assert!(!ended.status.success() && ended.stdout.is_empty(), "{stderr}");
        assert!(stderr.contains(says), "{stderr}");
    }
    first.get("/games").await;
}

#[tokio::test]
async fn what_was_played_when_it_was_killed_is_interrupted_settled_once_and_not_run_again() {
    // S-09.
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("arena.db");
    let mut killed = Process::start(&db).await;
    let parent = killed.call(Method::POST, "/play", Some(both_seats()), None).await;
    let parent_id = text(&parent["session_id"]);
    for (nth, column) in [3, 4, 3].into_iter().enumerate() {
        killed.drop_disc(&parent, nth % 2, column, nth + 1).await;
    }
    let branch = format!("/play/{parent_id}/branch");
    let branch = killed.call(Method::POST, &branch, Some(json!({})), None).await;
    killed.drop_disc(&branch, 1, 0, 4).await;
    killed.signal(Signal::KILL);
    killed.child.wait().await.unwrap();

    let again = Process::start(&db).await;
    assert_eq!(again.get("/sessions?status=active").await["sessions"], json!([]), "nothing runs by itself");
    for (session, tick, cost) in [(&parent, 3, 0.0012), (&branch, 4, 0.0004)] {
        let path = format!("/sessions/{}", text(&session["session_id"]));
        let record = again.get(&path).await;
        assert_eq!((&record["status"], &record["tick"]), (&json!("failed"), &json!(tick)));
        assert_eq!(record["completion_reason"], "interrupted");
        assert!(text(&record["failure_reason"]).starts_with("interrupted"), "{record}");
        assert_eq!(record["credits_used"], json!(cost), "a branch pays for its own ticks");
    }
    let balance = again.get("/auth/balance").await;
    assert_eq!(balance, json!({ "credits": 999.9984, "tier": "arena", "held": 0 }));
    // Where it was interrupted one can go on, by a branch of it.
    let on = format!("/play/{}/branch", text(&branch["session_id"]));
    assert_eq!(again.call(Method::POST, &on, Some(json!({})), None).await["session"]["tick"], 4);
    for session in [&parent, &branch] {
        let path = format!("/sessions/{}", text(&session["session_id"]));
        assert_eq!(again.call(Method::DELETE, &path, None, None).await["deleted"], true);
    }
}

#[tokio::test]
async fn a_signal_ends_it_in_time_with_a_spectator_that_never_reads() {
    // S-10.
    let folder = tempfile::tempdir().unwrap();
    let mut arena = Process::start(&folder.path().join("arena.db")).await;
    let ask = json!({ "game": "market_simulator", "player_count": 8, "autostart": true, "pace_ms": 0, "max_ticks": 10_000 });
    let session = arena.call(Method::POST, "/play", Some(ask), None).await;
    let host = arena.base.trim_start_matches("http://").split('/').next().unwrap().to_owned();
    let mut stuck = TcpStream::connect(&host).await.unwrap();
    let upgrade = format!(
        "GET /api/v1/spectate/{} HTTP/1.1\r\nHost: {host}\r\nX-API-Key: {}\r\nUpgrade: websocket\r\n\
         Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
        text(&session["session_id"]),
        arena.key
    );
    stuck.write_all(upgrade.as_bytes()).await.unwrap();
    let mut first = [0; 12];
    stuck.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 101");
    arena.signal(Signal::TERM);
    let status = tokio::time::timeout(std::time::Duration::from_secs(10), arena.child.wait()).await;
    assert!(status.expect("it ends").unwrap().success(), "in an orderly way");
    let mut files = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(files.all(|name| name != "arena.db-wal"), "the database is closed cleanly");
}
