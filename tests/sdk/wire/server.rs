//! A server that plays a script and writes down what it was asked, and when.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use super::world::World;

/// What happens after a request was read. `BASE` in a body stands for the server's own address.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    Answer {
        status: u16,
        headers: String,
        body: String,
        after: Duration,
    },
    /// An answer that breaks off.
    Torn(u16),
    Cut,
}

impl Reply {
    pub(crate) fn new(status: u16, headers: &str, body: &str) -> Self {
        Self::Answer { status, headers: headers.to_owned(), body: body.to_owned(), after: Duration::ZERO }
    }

    pub(crate) fn data(data: &Value) -> Self {
        Self::new(200, "", &serde_json::json!({ "data": data }).to_string())
    }

    /// The same, after a while. A header tells the SDK's side, which does not wait for it.
    pub(crate) fn after(mut self, seconds: f64) -> Self {
        if let Self::Answer { headers, after, .. } = &mut self {
            *headers = format!("{headers}X-Took: {seconds}\r\n");
            *after = Duration::from_secs_f64(seconds);
        }
        self
    }
}

/// Where replies come from.
#[derive(Debug, Clone)]
pub(crate) enum Script {
    /// One after the other, whatever is asked; then every request is cut.
    Replies(VecDeque<Reply>),
    World(Box<World>),
}

impl Script {
    fn next(&mut self, asked: &Asked) -> Reply {
        match self {
            Self::Replies(replies) => replies.pop_front().unwrap_or(Reply::Cut),
            Self::World(world) => world.answer(asked),
        }
    }
}

impl From<Vec<Reply>> for Script {
    fn from(replies: Vec<Reply>) -> Self {
        Self::Replies(replies.into())
    }
}

impl From<World> for Script {
    fn from(world: World) -> Self {
        Self::World(Box::new(world))
    }
}

/// A request as far as it matters.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) body: Option<Value>,
    /// Key, player token, content type.
    pub(crate) headers: [Option<String>; 3],
}

/// The server; it stops when it is dropped.
pub(crate) struct Server {
    pub(crate) base: String,
    asked: Arc<Mutex<Vec<(Asked, Instant)>>>,
    task: JoinHandle<()>,
}

impl Server {
    pub(crate) async fn start(script: &Script) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (log, mut script, own) = (asked.clone(), script.clone(), base.clone());
        let task = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let Some(request) = read(&mut stream).await else { continue };
                let reply = script.next(&request);
                log.lock().expect("no panic").push((request, Instant::now()));
                // The client may be gone.
                let _ = send(&mut stream, reply, &own).await;
            }
        });
        Self { base, asked, task }
    }

    /// What was asked.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        assert!(!self.task.is_finished(), "the server broke");
        self.asked.lock().expect("no panic").iter().map(|(asked, _)| asked.clone()).collect()
    }

    /// The seconds between a request and the next.
    pub(crate) fn pauses(&self) -> Vec<f64> {
        let asked = self.asked.lock().expect("no panic");
        asked.windows(2).map(|pair| (pair[1].1 - pair[0].1).as_secs_f64()).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn send(stream: &mut TcpStream, reply: Reply, own: &str) -> std::io::Result<()> {
    let (status, headers, body, missing) = match reply {
        Reply::Answer { status, headers, body, after } => {
            // Not longer than the client listens.
            tokio::select! {
                () = sleep(after) => {}
                _ = stream.read_u8() => return Ok(()),
            }
            (status, headers, body.replace("BASE", own), 0)
        }
        Reply::Torn(status) => (status, String::new(), "{".to_owned(), 9),
        Reply::Cut => return Ok(()),
    };
    let length = body.len() + missing;
    let head =
        format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n");
    stream.write_all(format!("{head}{body}").as_bytes()).await?;
    stream.shutdown().await
}

async fn read(stream: &mut TcpStream) -> Option<Asked> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).expect("an ASCII head");
    let (first, rest) = head.split_once("\r\n").expect("a request line");
    let mut words = first.split(' ');
    let (method, target) = (words.next().expect("a method"), words.next().expect("a target"));
    let header = |wanted: &str| {
        rest.split("\r\n").find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case(wanted).then(|| value.to_owned())
        })
    };
    let length = header("content-length").map_or(0, |length| length.parse().expect("a length"));
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    let url = reqwest::Url::parse(&format!("http://host{target}")).expect("a target");
    Some(Asked {
        method: method.to_owned(),
        path: target.split('?').next().unwrap_or_default().to_owned(),
        query: url.query_pairs().into_owned().collect(),
        body: (!body.is_empty()).then(|| serde_json::from_slice(&body).expect("JSON")),
        headers: ["x-api-key", "x-player-token", "content-type"].map(header),
    })
}
