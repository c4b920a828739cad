//! The official SDK in a Python process.

use std::process::Stdio;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::Case;

/// The process; it ends when it is dropped.
pub(crate) struct Python {
    _child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

/// What became of a call, of theirs or of ours.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Outcome {
    /// `ok`, or the name of an exception.
    #[serde(rename = "outcome")]
    pub(crate) name: String,
    pub(crate) code: Option<String>,
    pub(crate) status: Option<u16>,
    pub(crate) request_id: Option<String>,
    pub(crate) said: String,
    pub(crate) rows: usize,
    /// What the algorithms of `gertlabs.rollouts` return.
    pub(crate) value: Value,
    pub(crate) events: Vec<(String, f64)>,
}

impl Python {
    pub(crate) fn start() -> Self {
        let python = std::env::var("GERT_SDK_PYTHON")
            .expect("`GERT_SDK_PYTHON` names the Python of a virtual environment with gertlabs 3.4.0");
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sdk/wire.py");
        let mut child = Command::new(python)
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("Python starts");
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped")).lines();
        Self { _child: child, input, output }
    }

    pub(crate) async fn call(&mut self, base: &str, case: &Case) -> Outcome {
        let Case { operation, kwargs, policy, max_retries, .. } = case;
        let call = json!({
            "base": base, "operation": operation, "kwargs": kwargs, "policy": policy, "max_retries": max_retries,
        });
        self.input.write_all(format!("{call}\n").as_bytes()).await.expect("Python reads");
        let line = self.output.next_line().await.expect("Python writes").expect("Python goes on");
        serde_json::from_str(&line).expect("an outcome")
    }
}

impl Outcome {
    /// The wait between each send and the next: how long, and whether that is an upper bound of chance.
    pub(crate) fn pauses(&self) -> Vec<(f64, bool)> {
        let mut pauses = Vec::new();
        for (what, seconds) in &self.events {
            match (what.as_str(), pauses.last_mut()) {
                ("send", _) => pauses.push((0.0, false)),
                (_, Some((sum, chance))) => {
                    *sum += seconds;
                    *chance |= what == "up_to";
                }
                (_, None) => panic!("a sleep before the first send"),
            }
        }
        pauses.pop();
        pauses
    }
}
