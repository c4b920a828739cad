//! The command-line twin as the built binary, against a server that plays a script.

mod commands;
mod failures;
mod money;
mod rollouts;

use std::path::Path;
use std::process::{Output, Stdio};

use tokio::process::Command;

use crate::api::canned::{Canned, Reply};

/// What a run left.
struct Run {
    status: i32,
    out: String,
    err: String,
    /// The requests that were sent: first line and body.
    seen: Vec<(String, String)>,
}

/// A run's surroundings: a home of its own, so that nothing of this machine counts.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn command(&self, base: &str, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gert"));
        command
            .args(args)
            .env_clear()
            .env("HOME", self.path())
            .env("GERT_API_KEY", "sk_gert_twin")
            .env("GERT_BASE_URL", base)
            .stdin(Stdio::null())
            .kill_on_drop(true);
        command
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Runs a command against a script.
    async fn run(&self, script: Vec<Reply>, args: &[&str]) -> Run {
        let server = Canned::start(script).await;
        let output = self.command(&server.base(), args).output().await.unwrap();
        Run::of(&output, &server)
    }
}

impl Run {
    fn of(output: &Output, server: &Canned) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let request = |request: String| {
            let (head, body) = request.split_once("\r\n\r\n").unwrap();
            let line = head.lines().next().unwrap().trim_end_matches(" HTTP/1.1");
            (line.to_owned(), body.to_owned())
        };
        Self {
            status: output.status.code().unwrap_or(-1),
            out: text(&output.stdout),
            err: text(&output.stderr),
            seen: server.seen().into_iter().map(request).collect(),
        }
    }
}

/// Runs a command in a home of its own.
async fn run(script: Vec<Reply>, args: &[&str]) -> Run {
    Home::new().run(script, args).await
}
