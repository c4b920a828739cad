//! A server that plays a script: one reply a request, in order, whatever is asked.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// What happens after a request was read.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// These bytes, then the end.
    Bytes(Vec<u8>),
    /// The end at once.
    Cut,
    /// These bytes, then nothing more, with the connection open.
    Stall(Vec<u8>),
}

/// The server; it stops when it is dropped.
pub(crate) struct Canned {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Canned {
    /// Plays the script; requests after its end are cut.
    pub(crate) async fn start(script: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = seen.clone();
        let task = tokio::spawn(async move {
            let mut script = script.into_iter();
            let mut stalled = Vec::new();
            while let Ok((mut stream, _)) = listener.accept().await {
                let request = read_request(&mut stream).await;
                if request.is_empty() {
                    continue;
                }
                log.lock().expect("no panic").push(request);
                match script.next().unwrap_or(Reply::Cut) {
                    Reply::Cut => {}
                    Reply::Bytes(bytes) => {
                        let _ = stream.write_all(&bytes).await;
                        let _ = stream.shutdown().await;
                    }
                    Reply::Stall(bytes) => {
                        let _ = stream.write_all(&bytes).await;
                        stalled.push(stream);
                    }
                }
            }
        });
        Self { address, seen, task }
    }

    pub(crate) fn base(&self) -> String {
        format!("http://{}/api/v1", self.address)
    }

    /// The requests so far, heads and bodies.
    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().expect("no panic").clone()
    }
}

impl Drop for Canned {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Reads one request: its head in lower case but for the first line, and its body by `Content-Length`.
pub(crate) async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return String::new(),
        }
    }
    let head = String::from_utf8(head).expect("an ASCII head");
    let (first, rest) = head.split_once("\r\n").expect("a request line");
    let rest = rest.to_lowercase();
    let length = rest.split("\r\n").find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().expect("a length"))];
    stream.read_exact(&mut body).await.expect("a body");
    format!("{first}\r\n{rest}{}", String::from_utf8(body).expect("UTF-8"))
}

/// A whole answer.
pub(crate) fn answer(status: u16, headers: &str, body: &str) -> Reply {
    Reply::Bytes(raw_answer(status, headers, body.as_bytes()))
}

pub(crate) fn raw_answer(status: u16, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n");
    [head.as_bytes(), body].concat()
}

/// A successful answer in its envelope.
pub(crate) fn data(data: &str) -> Reply {
    answer(
        200,
        "Content-Type: application/json\r\n",
        &format!(r#"{{"data":{data},"meta":{{"request_id":"req-1"}}}}"#),
    )
}

/// A refusal in its envelope.
pub(crate) fn error(status: u16, headers: &str, code: &str) -> Reply {
    let body = format!(r#"{{"error":{{"code":"{code}","message":"boom"}},"request_id":"req-err"}}"#);
    answer(status, headers, &body)
}

/// Answers one request on a stream that is already there.
pub(crate) async fn serve_once(stream: &mut (impl AsyncRead + AsyncWrite + Unpin), reply: &[u8]) -> String {
    let request = read_request(stream).await;
    stream.write_all(reply).await.expect("an open connection");
    stream.shutdown().await.expect("an open connection");
    request
}
