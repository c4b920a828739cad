//! Recordings on the command line, and played without a platform.

mod commands;
mod playing;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gert::api::Message;
use gert::tape::line::VERSION;
use gert::tape::{About, Act, Header, Line, LineKind};
use serde_json::{Value, json};

/// A home with recordings in it.
struct Home(tempfile::TempDir);

/// What came of a command.
struct Ran {
    status: i32,
    out: String,
    err: String,
}

impl Home {
    fn new() -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        std::fs::create_dir_all(home.folder()).unwrap();
        home
    }

    fn folder(&self) -> PathBuf {
        self.0.path().join("gert/recordings")
    }

    fn run(&self, args: &[&str]) -> Ran {
        let home = self.0.path();
        let output = Command::new(env!("CARGO_BIN_EXE_gert"))
            .args(args)
            .env_clear()
            .envs(["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"].map(|name| (name, home)))
            .current_dir(home)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ran { status: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// A recording of a spectator: ten ticks of a game in which the first seat scores at `meal`.
    fn watched(&self, name: &str, meal: u64) -> PathBuf {
        let mut lines = vec![about("grid_game")];
        for tick in 1..=10 {
            let score = if tick < meal { 0 } else { 11 };
            lines.push(heard(
                tick * 1000,
                &json!({"type": "observation", "tick": tick, "player_id": "p0", "scores": {"p0": score, "p1": 3},
                    "data": {"board": [[tick % 3, score]], "tick": tick}, "others": {"p1": {"tick": tick}},
                    "actions": {"p0": {"action": [{"go": tick.min(meal)}], "latency_ms": 12}}}),
            ));
        }
        lines.push(heard(
            10_500,
            &json!({"type": "game_completed", "tick": 10, "scores": {"p0": 12, "p1": 3},
            "outcomes": {"p0": "won"}, "completion_reason": "max_ticks"}),
        ));
        put(&self.folder(), name, "spectator", &lines)
    }

    /// A recording of a player.
    fn played(&self, name: &str) -> PathBuf {
        let mut lines = vec![about("grid_game")];
        for tick in 1..=4 {
            lines.push(heard(
                tick * 1000,
                &json!({"type": "observation", "tick": tick, "player_id": "p1", "data": {"score": tick * 2}}),
            ));
            let by = if tick < 3 { "human" } else { "policy bot" };
            lines.push(Line { at_ms: tick * 1000 + 40, what: LineKind::Acted(act(tick, by)) });
        }
        put(&self.folder(), name, "player", &lines)
    }
}

fn about(game: &str) -> Line {
    let about = About { game: Some(game.into()), player_id: None };
    Line { at_ms: 0, what: LineKind::About(about) }
}

fn act(tick: u64, by: &str) -> Act {
    Act {
        player_id: "p1".into(),
        tick,
        by: by.into(),
        payload: Some(format!("[{{\"go\":{tick}}}]").into()),
        shadow: false,
        agrees: None,
    }
}

fn heard(at_ms: u64, message: &Value) -> Line {
    Line { at_ms, what: LineKind::Heard(Message::parse(message.to_string().into())) }
}

fn put(folder: &Path, name: &str, kind: &'static str, lines: &[Line]) -> PathBuf {
    let header = Header {
        gert_recording: VERSION,
        kind: kind.into(),
        session_id: format!("s_{name}"),
        host: "https://example.test".into(),
        started_at: "2026-01-02T03:04:05Z".parse().unwrap(),
    };
    let mut bytes = serde_json::to_vec(&header).unwrap();
    bytes.push(b'\n');
    for line in lines {
        line.write(&mut bytes);
    }
    let path = folder.join(format!("{name}.jsonl"));
    std::fs::write(&path, bytes).unwrap();
    path
}
