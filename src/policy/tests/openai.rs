//! A language model's endpoint as a policy, against a small server on this machine that plays a script.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;

/// What the server does with a request.
enum Reply {
    /// Answers with this status line and body, then closes.
    Answer(&'static str, String),
    /// Answers in these pieces, then closes.
    Pieces(Vec<String>),
    /// Reads and says nothing.
    Silence,
}

struct Server {
    url: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn start(script: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = seen.clone();
        tokio::spawn(async move {
            let mut kept = Vec::new();
            for reply in script {
                let Ok((mut stream, _)) = listener.accept().await else { return };
                let request = read_request(&mut stream).await;
                log.lock().expect("no panic").push(request);
                match reply {
                    Reply::Answer(status, body) => {
                        let head = format!(
                            "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                            body.len()
                        );
                        let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
                    }
                    Reply::Pieces(pieces) => {
                        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n").await;
                        for piece in pieces {
                            let _ = stream.write_all(piece.as_bytes()).await;
                            let _ = stream.flush().await;
                            tokio::task::yield_now().await;
                        }
                    }
                    Reply::Silence => kept.push(stream),
                }
            }
            std::future::pending::<()>().await;
        });
        Self { url, seen }
    }

    fn policy(&self, flags: &str) -> Table {
        let text = format!("--openai {} --model small-2 {flags}", self.url);
        Table::start(PolicySpec::parse(&text).expect("flags"))
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().expect("no panic").clone()
    }
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    loop {
        let n = stream.read_buf(&mut bytes).await.unwrap_or(0);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            if n == 0 {
                return text;
            }
            continue;
        };
        let length = head.to_lowercase();
        let length =
            length.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
        if n == 0 || length.is_none_or(|length| body.len() >= length) {
            return text;
        }
    }
}

fn piece(text: &str) -> String {
    format!("data: {}\n\n", json!({"choices": [{"delta": {"content": text}}]}))
}

fn streamed(parts: &[&str]) -> Reply {
    let mut pieces: Vec<String> = parts.iter().map(|part| piece(part)).collect();
    pieces.push("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n".into());
    pieces.push(
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":3}}\n\ndata: [DONE]\n\n"
            .into(),
    );
    Reply::Pieces(pieces)
}

fn document(text: &str) -> Reply {
    let body = json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]});
    Reply::Answer("200 OK", body.to_string())
}

#[tokio::test]
async fn a_model_answers_in_pieces_that_are_shown_and_counted() {
    let server = Server::start(vec![streamed(&["I take ", "```json\n[{\"action\":", "\"x\"}]\n```"])]).await;
    let mut table = server.policy("");
    assert!(matches!(table.next().await, PolicyEventKind::Started { pid: None, .. }));
    table.policy.hello(&Hello { rules: "Win.".into(), ..Hello::default() }).expect("room");
    table.ask(5);
    let (mut text, mut counted) = (String::new(), None);
    loop {
        match table.next().await {
            PolicyEventKind::Streamed { id: 5, text: piece } => text.push_str(&piece),
            PolicyEventKind::Counted { id: 5, usage } => counted = Some(usage),
            PolicyEventKind::Answered { id: 5, action, late: false, .. } => {
                assert_eq!(action, json!([{"action": "x"}]));
                break;
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(text, "I take ```json\n[{\"action\":\"x\"}]\n```");
    assert_eq!(counted, Some(Usage { input_tokens: Some(9), output_tokens: Some(3) }));
    let request = &server.seen()[0];
    assert!(request.starts_with("POST /v1/chat/completions "), "{request}");
    assert!(!request.to_lowercase().contains("authorization"), "{request}");
    let body: Value = serde_json::from_str(request.split_once("\r\n\r\n").expect("a body").1).expect("JSON");
    assert_eq!((&body["model"], &body["stream"]), (&json!("small-2"), &json!(true)));
    assert_eq!(body["messages"].as_array().map(Vec::len), Some(2));
    assert!(body["messages"][0]["content"].as_str().expect("text").starts_with("Win.\n\n"));
    assert!(body["messages"][1]["content"].as_str().expect("text").contains("{\"a\":1}"));
    table.policy.quit.cancel();
    assert!(table.exit().await.2);
}

#[tokio::test]
async fn a_document_does_as_well_and_streaming_is_given_up_where_it_is_refused() {
    let refusal =
        Reply::Answer("400 Bad Request", json!({"error": "unknown field stream_options"}).to_string());
    let server = Server::start(vec![document("[]"), refusal, document("[]")]).await;
    let mut table = server.policy("");
    for id in 1..=2 {
        table.ask(id);
        assert_eq!(table.answer().await, (id, json!([])));
    }
    assert!(!server.seen()[2].contains("stream"));
}

#[tokio::test]
async fn what_passes_is_asked_again_and_what_does_not_says_what_to_do() {
    let busy = || Reply::Answer("429 Too Many Requests\r\nRetry-After: 0", "slow down".into());
    let server = Server::start(vec![
        busy(),
        Reply::Answer("503 Busy\r\nRetry-After: 0", String::new()),
        document("[]"),
        Reply::Answer("401 Unauthorized", json!({"error": {"message": "no \u{1b}[31mkey"}}).to_string()),
    ])
    .await;
    let mut table = server.policy("");
    table.ask(1);
    assert_eq!(table.answer().await, (1, json!([])));
    table.ask(2);
    let (how, _, expected) = table.exit().await;
    let words = how.to_string();
    assert!(
        !expected
            && words.contains("401 Unauthorized: no key; name the variable")
            && words.contains("--key-env"),
        "{words}"
    );
}

#[tokio::test]
async fn a_wait_longer_than_the_turn_is_not_begun() {
    let server =
        Server::start(vec![Reply::Answer("429 Too Many Requests\r\nRetry-After: 9000", "quota".into())])
            .await;
    let mut table = server.policy("");
    table.ask(1);
    let words = table.exit().await.0.to_string();
    assert!(words.contains("quota; the wait of 9000 s"), "{words}");
}

#[tokio::test]
async fn an_answer_without_action_or_end_is_garbage_and_can_be_asked_again() {
    // B-14
    let server =
        Server::start(vec![document("I resign."), Reply::Pieces(vec![piece("I th")]), document("[]")]).await;
    let mut table = server.policy("");
    for (wanted, reason) in [("I resign.", "no action"), ("I th", "broke off")] {
        table.ask(1);
        let why = table
            .find(|what| match what {
                PolicyEventKind::Garbage { id: Some(1), text, why, .. } => {
                    assert_eq!(text, wanted);
                    Some(why)
                }
                PolicyEventKind::Exited { how, .. } => panic!("{how}"),
                _ => None,
            })
            .await;
        assert!(why.contains(reason), "{why}");
    }
    table.ask(1);
    assert_eq!(table.answer().await, (1, json!([])));
}

#[tokio::test]
async fn a_turn_given_up_is_not_waited_for_and_a_silent_endpoint_is_timed_out() {
    // B-02, B-12
    let server = Server::start(vec![Reply::Silence, document("[]"), Reply::Silence]).await;
    let mut table = server.policy("");
    table.ask(1);
    eventually("the first request arrives", || server.seen().len() == 1).await;
    table.ask(2);
    assert_eq!(table.answer().await, (2, json!([])));

    let server = Server::start(vec![Reply::Silence]).await;
    let mut table = server.policy("--turn-ms 50");
    table.ask(3);
    let limit = Duration::from_millis(150);
    table
        .find(|what| (what == PolicyEventKind::TimedOut { id: Some(3), limit, unread: false }).then_some(()))
        .await;
    assert!(table.exit().await.2);
}

#[tokio::test]
async fn an_endless_answer_is_stopped() {
    // B-11
    let pieces = (0..64).map(|_| piece(&"x".repeat(40_000))).collect();
    let server = Server::start(vec![Reply::Pieces(pieces)]).await;
    let mut table = server.policy("");
    table.ask(1);
    let limit = 1024 * 1024;
    table.find(|what| (what == PolicyEventKind::LineTooLong { limit }).then_some(())).await;
    assert!(table.exit().await.2);
}

/// The environment of a process cannot be changed safely while other tests run, so this one runs itself again.
#[tokio::test]
async fn the_key_goes_to_the_endpoint_and_is_never_told() {
    // B-19
    const NAME: &str = "policy::tests::openai::the_key_goes_to_the_endpoint_and_is_never_told";
    if std::env::var_os("INNER_RUN").is_none() {
        let output = timeout(DEADLINE, run_again(NAME).env("TEST_KEY", "hush-1").output()).await;
        let output = output.expect("in time").expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{text}");
        return;
    }
    let said = json!({"error": {"message": "`hush-1` is no key"}}).to_string();
    let server = Server::start(vec![Reply::Answer("403 Forbidden", said)]).await;
    let mut table = server.policy("--key-env TEST_KEY");
    table.ask(1);
    let words = table.exit().await.0.to_string();
    assert!(server.seen()[0].to_lowercase().contains("authorization: bearer hush-1"));
    assert!(words.contains("`***` is no key; is the key in `TEST_KEY` right"), "{words}");

    let mut table = server.policy("--key-env TEST_KEY_2");
    let words = table.exit().await.0.to_string();
    assert!(words.contains("`TEST_KEY_2`") && words.contains("is not set"), "{words}");
}
