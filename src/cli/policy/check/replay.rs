//! The input of a failed step as a file: a head, then the protocol's lines as the policy read them.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::observations::Seen;
use super::report::{Report, Step, Verdict};
use super::steps::Failing;
use super::talk::Talk;
use crate::policy::{Hello, PolicySpec};

/// Files tried before giving up finding a free name.
const NAMES: u32 = 100;
/// The largest file that is read.
const MOST: u64 = 64 * 1024 * 1024;

/// The first line of a file.
#[derive(Deserialize)]
struct Head {
    gert_policy_check: u32,
    step: String,
    #[serde(default)]
    not_awaited: Vec<u64>,
}

/// Any other line.
#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    id: u64,
    #[serde(default)]
    tick: u64,
    observation: Option<Box<RawValue>>,
    #[serde(default)]
    reasons: Vec<String>,
}

/// Writes the input of a failed step into a new file in `folder`.
pub(super) fn save(folder: &Path, name: &str, failing: &Failing) -> std::io::Result<PathBuf> {
    let head = json!({"gert_policy_check": 1, "step": name, "not_awaited": failing.not_awaited});
    let lines = std::iter::once(head.to_string()).chain(failing.script.iter().cloned());
    let text: String = lines.map(|line| line + "\n").collect();
    let stem = name.replace(' ', "-");
    for n in 1..NAMES {
        let number = if n == 1 { String::new() } else { format!("-{n}") };
        let path = folder.join(format!("policy-check-{stem}{number}.jsonl"));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => return file.write_all(text.as_bytes()).map(|()| path),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(std::io::Error::other("there are too many such files here already"))
}

/// Plays a file to the policy.
pub(super) async fn run(
    spec: &PolicySpec,
    file: &Path,
    tell: &mut dyn FnMut(usize, &Step),
) -> Result<Report, String> {
    let size = std::fs::metadata(file).map_err(|error| format!("`{}`: {error}", file.display()))?.len();
    if size > MOST {
        return Err(format!("`{}` is too large to be a file of `gert policy check`", file.display()));
    }
    let text = std::fs::read_to_string(file).map_err(|error| format!("`{}`: {error}", file.display()))?;
    let wrong = |n: usize| format!("line {n} of `{}` is none of `gert policy check`", file.display());
    let mut lines = text.lines().zip(1..);
    let head = lines.next().and_then(|(line, _)| serde_json::from_str::<Head>(line).ok());
    let head = head.filter(|head| head.gert_policy_check == 1).ok_or_else(|| wrong(1))?;
    let mut report = Report::default();
    let mut talk = Talk::start(spec);
    let mut put = |name, verdict| {
        let step = Step { name, verdict, saved: None };
        tell(report.steps.len() + 1, &step);
        report.steps.push(step);
    };
    let mut found = None;
    for (line, n) in lines {
        let read: Line = serde_json::from_str(line).map_err(|_| wrong(n))?;
        match read.kind.as_str() {
            "hello" => talk.hello(&hello(line).ok_or_else(|| wrong(n))?),
            "reject" => talk.reject(read.id, &read.reasons.join("; ")),
            "end" => talk.end(),
            "observe" => {
                let observation = read.observation.ok_or_else(|| wrong(n))?;
                let seen = Seen::replayed(read.tick, observation.get());
                if head.not_awaited.contains(&read.id) {
                    talk.put(read.id, &seen);
                    continue;
                }
                match talk.ask(read.id, &seen).await {
                    Ok(action) => put("answers", Verdict::Ok(format!("turn {}: {action}", read.id))),
                    Err(finding) => {
                        found = Some(finding.at(&format!("turn {}", read.id)));
                        break;
                    }
                }
            }
            _ => return Err(wrong(n)),
        }
    }
    let talk = talk.leave().await;
    let mut found = found.or_else(|| super::steps::noise(&talk, spec));
    if found.is_none() {
        found = super::steps::family(&talk).await.err();
    }
    let end =
        found.map_or_else(|| Verdict::Ok(format!("the step `{}` passes now", head.step)), Verdict::Fail);
    put("the step", end);
    Ok(report)
}

fn hello(line: &str) -> Option<Hello> {
    let value: Value = serde_json::from_str(line).ok()?;
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    Some(Hello {
        game: text("game")?,
        game_version: text("game_version"),
        seat: text("seat")?,
        player_count: value.get("player_count").and_then(Value::as_u64).unwrap_or_default() as u32,
        rules: text("rules").unwrap_or_default(),
        config: value.get("config").cloned().unwrap_or_default(),
        seed: value.get("seed").and_then(Value::as_u64),
    })
}
