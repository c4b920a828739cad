//! What a rollout costs through HTTP: one arena in this process, one keep-alive connection over loopback.
//!
//! `step`: one step of one episode, round trip. `steps`: 128 episodes in one call. `live`: the memory of 10,000 live
//! episodes, after each was stepped once, and the time to settle them. Client and server share the machine's cores, so
//! the numbers are what a training loop on the same machine would see.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use gert::arena::store::Place;
use gert::arena::{Arena, ArenaSettings, serve};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

/// The goals, from arena.md §7.4.
const STEP_GOAL: Duration = Duration::from_micros(150);
const BATCH_GOAL: Duration = Duration::from_millis(4);

const LIVE: usize = 10_000;
const WIDE: usize = 128;

/// A connection that sends one request and reads its answer, without a library's work around it.
struct Connection {
    stream: TcpStream,
    address: SocketAddr,
    key: String,
    buffer: Vec<u8>,
}

impl Connection {
    async fn post(&mut self, path: &str, body: &str) -> Value {
        let (head, length) = self.send(path, body).await;
        serde_json::from_slice(&self.buffer[head..head + length]).expect("an answer is JSON")
    }

    /// Sends and reads the answer without looking into it.
    async fn send(&mut self, path: &str, body: &str) -> (usize, usize) {
        let Self { stream, address, key, buffer } = self;
        let request = format!(
            "POST /api/v1{path} HTTP/1.1\r\nhost: {address}\r\nx-api-key: {key}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).await.expect("the arena reads");
        buffer.clear();
        loop {
            let read = stream.read_buf(buffer).await.expect("the arena answers");
            assert!(read > 0, "the arena hung up");
            let Some(head) = buffer.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4) else {
                continue;
            };
            let text = std::str::from_utf8(&buffer[..head]).expect("heads are text").to_lowercase();
            assert!(text.starts_with("http/1.1 2"), "{}", String::from_utf8_lossy(buffer));
            let length = text.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next());
            let length: usize = length.and_then(|length| length.parse().ok()).expect("answers have a length");
            while buffer.len() < head + length {
                assert!(stream.read_buf(buffer).await.expect("the arena answers") > 0, "the arena hung up");
            }
            return (head, length);
        }
    }

    async fn open(&mut self, episodes: usize) -> String {
        let body = json!({ "max_episodes": episodes, "max_ticks_per_episode": 50 }).to_string();
        let run = self.post("/rollout-runs", &body).await;
        format!("/rollout-runs/{}", run["data"]["run_id"].as_str().expect("a run has an id"))
    }

    async fn reset(&mut self, run: &str, ask: &Value) -> Value {
        self.post(&format!("{run}/episodes"), &ask.to_string()).await["data"].take()
    }
}

/// What a no-op or a first legal move is, for each seat on turn.
fn actions(result: &Value) -> Value {
    let seats = result["on_turn_seats"].as_array().expect("a list of seats");
    let action = |seat: &Value| {
        let seat = seat.as_str().expect("seats are text").to_owned();
        let space = &result["observations"][&seat]["_action_space"][0]["action"];
        (seat, json!([space]))
    };
    Value::Object(seats.iter().map(action).collect())
}

fn report(what: &str, mut took: Vec<Duration>, goal: Option<Duration>) {
    took.sort_unstable();
    let at = |share: f64| took[((took.len() - 1) as f64 * share) as usize];
    let goal = goal.map_or_else(String::new, |goal| format!("  goal {goal:?}"));
    println!("{what:<44} p50 {:>9.1?}  p99 {:>9.1?}{goal}", at(0.5), at(0.99));
}

async fn single_steps(connection: &mut Connection, ask: Value, name: &str) {
    let run = connection.open(2_000).await;
    let mut took = Vec::new();
    while took.len() < 5_000 {
        let mut last = connection.reset(&run, &ask).await;
        let path = format!("{run}/episodes/{}/step", last["episode_id"].as_str().expect("an id"));
        while last["done"] == false && took.len() < 5_000 {
            let body = json!({ "actions": actions(&last), "expected_tick": last["tick"] }).to_string();
            let begun = Instant::now();
            let (head, length) = connection.send(&path, &body).await;
            took.push(begun.elapsed());
            last = serde_json::from_slice::<Value>(&connection.buffer[head..head + length])
                .expect("an answer is JSON")["data"]
                .take();
        }
    }
    report(&format!("step {name}"), took, Some(STEP_GOAL));
    connection.post(&format!("{run}/close"), "").await;
}

async fn wide_steps(connection: &mut Connection, ask: Value, name: &str) {
    let run = connection.open(WIDE * 40).await;
    let (mut took, mut bytes) = (Vec::new(), 0);
    while took.len() < 400 {
        let mut results = Vec::new();
        for _ in 0..WIDE {
            results.push(connection.reset(&run, &ask).await);
        }
        for _ in 0..12 {
            let entry = |result: &Value| json!({ "episode_id": result["episode_id"], "actions": actions(result), "expected_tick": result["tick"] });
            let live = results.iter().filter(|result| result["done"] == false);
            let body = json!({ "steps": live.map(entry).collect::<Vec<_>>() }).to_string();
            let begun = Instant::now();
            let (head, length) = connection.send(&format!("{run}/steps"), &body).await;
            took.push(begun.elapsed());
            bytes = length;
            let mut answer: Value =
                serde_json::from_slice(&connection.buffer[head..head + length]).expect("an answer is JSON");
            let Value::Array(next) = answer["data"]["results"].take() else { panic!("results are a list") };
            results = next;
        }
    }
    report(&format!("steps x {WIDE} {name} ({} kB)", bytes / 1000), took, Some(BATCH_GOAL));
    connection.post(&format!("{run}/close"), "").await;
}

/// Resident memory of this process, in MiB; 0 where it cannot be told.
fn resident() -> f64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: f64 = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or_default();
    pages * 4096.0 / f64::from(1 << 20)
}

async fn many_live(connection: &mut Connection, ask: Value, name: &str) {
    let run = connection.open(LIVE).await;
    let before = resident();
    let mut bodies = Vec::new();
    let begun = Instant::now();
    for _ in 0..LIVE.div_ceil(WIDE) {
        let mut entries = Vec::new();
        for _ in 0..WIDE.min(LIVE - bodies.len() * WIDE) {
            let episode = connection.reset(&run, &ask).await;
            entries.push(json!({ "episode_id": episode["episode_id"], "actions": actions(&episode) }));
        }
        bodies.push(json!({ "steps": entries }).to_string());
    }
    let opened = begun.elapsed();
    let begun = Instant::now();
    for body in &bodies {
        let answer = connection.post(&format!("{run}/steps"), body).await;
        let results = answer["data"]["results"].as_array().expect("a list");
        assert!(results.iter().all(|result| result["ok"] == true), "every episode can be stepped");
    }
    let (stepped, grown) = (begun.elapsed(), resident() - before);
    let begun = Instant::now();
    let end = connection.post(&format!("{run}/close"), "").await;
    let closed = begun.elapsed();
    assert_eq!(end["data"]["ticks_used"], LIVE, "settled to the tick");
    println!(
        "{LIVE} live {name:<29} {grown:.0} MiB, reset in {opened:.1?}, stepped in {stepped:.1?}, settled in {closed:.1?}"
    );
}

#[tokio::main]
async fn main() {
    let arena = Arena::open(ArenaSettings::new(Place::Ephemeral, false)).await.expect("an arena opens");
    let (_, key) = arena.bootstrap_key("bench@example.org").await.expect("a key is made");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback is there");
    let address = listener.local_addr().expect("it is bound");
    let stop = CancellationToken::new();
    let serving = tokio::spawn(serve(listener, arena, stop.clone()));
    let stream = TcpStream::connect(address).await.expect("it listens");
    stream.set_nodelay(true).expect("a socket option");
    let mut connection = Connection { stream, address, key, buffer: Vec::new() };
    let games = [
        ("connect_four", json!({ "game": "connect_four" })),
        ("multi_reversi", json!({ "game": "multi_reversi" })),
        ("market_simulator", json!({ "game": "market_simulator", "player_count": 2 })),
    ];
    for (name, ask) in &games {
        single_steps(&mut connection, ask.clone(), name).await;
    }
    for (name, ask) in &games {
        wide_steps(&mut connection, ask.clone(), name).await;
    }
    for (name, ask) in &games {
        many_live(&mut connection, ask.clone(), name).await;
    }
    drop(connection);
    stop.cancel();
    serving.await.expect("the arena ends").expect("and ends well");
}
