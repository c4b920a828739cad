//! `gert policy play`, `match`, `ladder` and `rollout` as the built binary, on an arena in its own process or a fake service.

mod contest;
mod ladder;
mod play;
mod rollout;

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tokio::process::{Child, Command};

/// A step that takes longer has failed; far more than a loaded machine needs.
const PATIENCE: Duration = Duration::from_mins(3);

/// A home of its own, so that nothing of this machine counts.
struct Home(tempfile::TempDir);

/// What a run left.
struct Run {
    status: i32,
    out: String,
    err: String,
}

impl Run {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|why| panic!("{why}: {}\n{}", self.out, self.err))
    }

    fn lines(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gert"));
        command.arg("policy").args(args);
        self.surround(command)
    }

    /// A line that `gert` told, as a shell takes it.
    fn shell(&self, line: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", line]);
        self.surround(command)
    }

    fn surround(&self, mut command: Command) -> Command {
        let gert = Path::new(env!("CARGO_BIN_EXE_gert")).parent().unwrap();
        let path = format!("{}:{}", gert.display(), std::env::var("PATH").unwrap_or_default());
        command
            .env_clear()
            .env("HOME", self.path())
            .env("PATH", path)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    async fn run(&self, args: &[&str]) -> Run {
        finish(self.command(args).spawn().unwrap()).await
    }

    /// All recordings.
    fn recordings(&self) -> Vec<PathBuf> {
        let folder = self.path().join(".local/share/gert/recordings");
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        let files = entries.map(|entry| entry.unwrap().path());
        files.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl")).collect()
    }
}

async fn finish(child: Child) -> Run {
    let output = tokio::time::timeout(PATIENCE, child.wait_with_output()).await.expect("it ends").unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Run { status: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

/// A sample policy as a command; a mark in its arguments tells its processes from others.
fn sample(name: &str, mark: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/policies").join(name);
    format!("python3 '{}' {mark}", path.display())
}

/// Sends a signal to a program of ours.
fn interrupt(child: &Child) {
    let pid = child.id().unwrap().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
}

/// How many processes have this in their command line.
fn processes(mark: &str) -> usize {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ours = |path: PathBuf| {
        let line = std::fs::read(path.join("cmdline")).unwrap_or_default();
        // Ours alone: the program under test has it in its arguments, too.
        let text = String::from_utf8_lossy(&line).replace('\0', " ");
        text.starts_with("python3") && text.contains(mark)
    };
    entries.filter(|entry| ours(entry.path())).count()
}

/// Waits for something that another process does.
async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let waiting = async {
        let mut look = tokio::time::interval(Duration::from_millis(20));
        while !is_so() {
            look.tick().await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("{what} did not happen"));
}
