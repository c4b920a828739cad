//! A server that does as little as possible, so that clients are what is measured: canned answers whose ticks advance,
//! and spectator sockets that flood.
//!
//! It keeps nothing: an episode's name says how long it is, a session's name how many messages of what size it sends.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use serde::Deserialize;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

/// No peer is waited for longer.
const PATIENCE: Duration = Duration::from_mins(1);

/// How many messages a flood hands to the system at once.
const TOGETHER: u64 = 50;

/// Prints its port and serves until standard input ends: whatever becomes of who started it, it does not stay.
pub(crate) fn serve() -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    println!("{}", listener.local_addr()?.port());
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // What breaks a connection is the client's to tell.
            thread::spawn(move || drop(converse(&stream)));
        }
    });
    io::copy(&mut io::stdin(), &mut io::sink()).map(drop)
}

fn converse(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let (mut reader, mut writer) = (BufReader::new(stream), stream);
    while let Some(request) = Request::read(&mut reader)? {
        if let Some(key) = &request.socket_key {
            return flood(&mut reader, writer, &request.path, key);
        }
        writer.write_all(reply(&request).as_bytes())?;
    }
    Ok(())
}

struct Request {
    path: String,
    body: Vec<u8>,
    socket_key: Option<String>,
}

impl Request {
    /// The next one; `None` when the client is done.
    fn read(reader: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        let mut request = Self { path, body: Vec::new(), socket_key: None };
        loop {
            line.clear();
            reader.read_line(&mut line)?;
            let Some((name, value)) = line.split_once(':') else { break };
            if name.eq_ignore_ascii_case("content-length") {
                request.body = vec![0; value.trim().parse().map_err(io::Error::other)?];
            } else if name.eq_ignore_ascii_case("sec-websocket-key") {
                request.socket_key = Some(value.trim().to_owned());
            }
        }
        reader.read_exact(&mut request.body)?;
        Ok(Some(request))
    }
}

fn reply(request: &Request) -> String {
    let mut parts = request.path.split('/').skip(3);
    let data = match (parts.next(), parts.nth(1), parts.next(), parts.next()) {
        (Some("auth"), ..) => r#"{"credits":998.42,"tier":"arena","held":0.4}"#.to_owned(),
        (_, Some("episodes"), None, _) => reset(&request.body),
        (_, Some("episodes"), Some(episode), Some("step")) => step(episode, &request.body),
        (_, Some("steps"), ..) => steps(&request.body),
        _ => "{}".to_owned(),
    };
    let body = format!(r#"{{"data":{data},"meta":{{"request_id":"req_1"}}}}"#);
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}")
}

#[derive(Deserialize)]
struct Reset {
    max_ticks: u64,
}

#[derive(Deserialize)]
struct Step<'a> {
    #[serde(default)]
    episode_id: &'a str,
    expected_tick: u64,
}

#[derive(Deserialize)]
struct Steps<'a> {
    #[serde(borrow)]
    steps: Vec<Step<'a>>,
}

fn reset(body: &[u8]) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let Ok(Reset { max_ticks }) = serde_json::from_slice(body) else { return "{}".to_owned() };
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let position = position(0, max_ticks);
    format!(
        r#"{{"episode_id":"e{number}-{max_ticks}","game":"bench","policy_seat":"p0","policy_seats":["p0"],"player_count":1,"seed":7,"max_ticks":{max_ticks},"initial_score":0,{position}}}"#
    )
}

fn step(episode: &str, body: &[u8]) -> String {
    let Ok(Step { expected_tick, .. }) = serde_json::from_slice(body) else { return "{}".to_owned() };
    format!("{{{}}}", played(episode, expected_tick))
}

fn steps(body: &[u8]) -> String {
    let Ok(Steps { steps }) = serde_json::from_slice(body) else { return "{}".to_owned() };
    let mut results = String::new();
    for Step { episode_id, expected_tick } in steps {
        let (comma, result) = (if results.is_empty() { "" } else { "," }, played(episode_id, expected_tick));
        write!(results, r#"{comma}{{"episode_id":"{episode_id}","ok":true,{result}}}"#).expect("a string");
    }
    format!(r#"{{"results":[{results}]}}"#)
}

/// The members of a step's result.
fn played(episode: &str, tick: u64) -> String {
    let length = episode.split_once('-').and_then(|(_, length)| length.parse().ok()).unwrap_or(0);
    let position = position(tick + 1, length);
    let end = if tick + 1 < length { "" } else { r#","score":12.5,"completion_reason":"max_ticks""# };
    format!(r#""reward":0.25,{position}{end}"#)
}

fn position(tick: u64, length: u64) -> String {
    let (done, observation) = (tick >= length, observation(tick, 1000));
    format!(r#""tick":{tick},"done":{done},"observation":{observation},"on_turn_seats":["p0"]"#)
}

/// An observation of `size` bytes, if that is not too few: a few numbers, and rows of numbers and words.
fn observation(tick: u64, size: usize) -> String {
    const ROW: &str = r#"{"id":17,"kind":"rock","at":[12,7],"strength":0.75}"#;
    const END: &str = r#"],"note":""}"#;
    let mut text = format!(r#"{{"turn":{tick},"score":12.5,"you":"p0","entities":[{ROW}"#);
    while text.len() + 1 + ROW.len() + END.len() <= size {
        text.push(',');
        text.push_str(ROW);
    }
    let note = "x".repeat(size.saturating_sub(text.len() + END.len()));
    text + &END.replace(r#""""#, &format!(r#""{note}""#))
}

/// Upgrades to a socket and sends what the session's name (`n100000-s2000`) says, the end of the game and a close frame.
fn flood(reader: &mut impl Read, mut writer: &TcpStream, path: &str, key: &str) -> io::Result<()> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let numbers: Vec<usize> =
        name.split('-').filter_map(|part| part.get(1..).and_then(|number| number.parse().ok())).collect();
    let [count, size] = numbers[..] else { return Ok(()) };
    let accept = derive_accept_key(key.as_bytes());
    write!(
        writer,
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: {accept}\r\n\r\n"
    )?;
    let block = (0..TOGETHER).flat_map(|tick| frame(&message(tick, size))).collect::<Vec<_>>();
    for _ in 0..count as u64 / TOGETHER {
        writer.write_all(&block)?;
    }
    writer.write_all(&frame(r#"{"type":"game_completed","scores":{"p0":12.5}}"#))?;
    writer.write_all(&[0x88, 2, 0x03, 0xe8])?;
    io::copy(reader, &mut io::sink()).map(drop)
}

/// An observation message of `size` bytes, if that is not too few.
fn message(tick: u64, size: usize) -> String {
    let start = format!(r#"{{"type":"observation","tick":{tick},"player_id":"p0","data":"#);
    let data = observation(tick, size.saturating_sub(start.len() + 1));
    format!("{start}{data}}}")
}

/// A text frame as servers send it.
fn frame(text: &str) -> Vec<u8> {
    let mut frame = vec![0x81];
    match text.len() {
        length @ ..126 => frame.push(length as u8),
        length @ 126..=0xffff => {
            frame.push(126);
            frame.extend((length as u16).to_be_bytes());
        }
        length => {
            frame.push(127);
            frame.extend((length as u64).to_be_bytes());
        }
    }
    frame.extend(text.as_bytes());
    frame
}
