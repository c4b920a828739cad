//! Who may use whom, and the shape of source files: ARCHITECTURE.md as a test.
//!
//! Reads `src/**/*.rs` as text and takes every path in it apart (`a::b::{c, d::e}` is `a::b::c` and `a::b::d::e`).
//! Comments, and tests at the foot of a file or in `tests.rs`, are left out. What hides behind a macro, a re-export
//! or `super::` is not seen. A new rule is a line in [`RULES`].

use std::fs;
use std::path::{Path, PathBuf};

/// The longest a source file may be.
const MAX_LINES: usize = 700;

/// What a module may use. A path stands for all that is under it.
struct Rule {
    module: &'static str,
    /// Of ours, besides itself.
    may: &'static [&'static str],
    /// Of others.
    never: &'static [&'static [&'static str]],
}

const TERMINAL: &[&str] = &["ratatui", "crossterm", "tui_textarea", "terminput", "terminput_crossterm"];
const SERVER: &[&str] = &["axum", "rusqlite", "argon2"];
const HTTP: &[&str] = &["reqwest", "tokio_tungstenite"];
const IO: &[&str] = &["tokio", "tokio_util", "std::fs", "std::net", "std::process", "std::thread", "rustix"];
const CLOCK: &[&str] = &["Instant::now", "SystemTime::now", "Timestamp::now", "Zoned::now", "rand"];

const RULES: &[Rule] = &[
    Rule { module: "text", may: &[], never: &[IO, HTTP, SERVER, CLOCK] },
    Rule { module: "api", may: &[], never: &[TERMINAL, SERVER] },
    Rule { module: "journal", may: &[], never: &[TERMINAL, SERVER, HTTP] },
    Rule { module: "spend", may: &["api", "config", "journal"], never: &[TERMINAL, SERVER, HTTP] },
    Rule { module: "tape", may: &["api", "journal", "text"], never: &[TERMINAL, SERVER, HTTP] },
    Rule { module: "client", may: &["api", "tape"], never: &[TERMINAL, SERVER] },
    Rule { module: "policy", may: &["api::model", "rollout"], never: &[TERMINAL, SERVER] },
    Rule {
        module: "seat",
        may: &["api", "client", "policy", "tape", "text"],
        never: &[TERMINAL, SERVER, HTTP],
    },
    Rule { module: "contest", may: &["seat::FailureKind"], never: &[TERMINAL, SERVER, HTTP, IO, CLOCK] },
    Rule { module: "rollout", may: &["api"], never: &[TERMINAL, SERVER] },
    Rule { module: "dataset", may: &["api::model"], never: &[TERMINAL, SERVER, HTTP] },
    Rule {
        module: "app",
        // Of `client` and `policy` only what is a message.
        may: &[
            "api::endpoints",
            "api::model",
            "api::Error",
            "api::ErrorKind",
            "api::Message",
            "api::MessageKind",
            "client::Answer",
            "client::ClientEvent",
            "client::FeedEvent",
            "client::FeedId",
            "client::Question",
            "client::Request",
            "client::Ticket",
            "policy::Exit",
            "policy::FLAGS",
            "policy::FLUSH_HINT",
            "policy::Hello",
            "policy::PipeEnd",
            "policy::PolicyEvent",
            "policy::PolicyEventKind",
            "policy::PolicySpec",
            "policy::Run",
            "policy::Turn",
            "policy::Usage",
            "policy::parse_command_line",
            // Pure functions over text: the exact prompt, and when two actions are the same.
            "rollout::Observation",
            "rollout::canonical_action",
            "rollout::format_observation",
            "rollout::system_prompt",
            "tape",
            "text",
        ],
        never: &[TERMINAL, SERVER, HTTP, IO, CLOCK],
    },
    Rule {
        module: "ui",
        may: &["api::model", "api::Error", "app", "tape", "text"],
        never: &[SERVER, HTTP, IO, CLOCK],
    },
    Rule {
        module: "arena",
        // Of `rollout` only what server and client must agree on: statistics, how an action is found in a text, when two
        // actions are the same, and what a model that writes code is asked.
        may: &[
            "api::model",
            "policy",
            "rollout::Decision",
            "rollout::Message",
            "rollout::ModelRequest",
            "rollout::ParsedAction",
            "rollout::Role",
            "rollout::ScoreStats",
            "rollout::TranscriptError",
            "rollout::canonical_action",
            "rollout::parse_action",
            "rollout::percentile",
            "rollout::reconstruct_messages",
            "rollout::score_stats",
            "text",
        ],
        never: &[TERMINAL],
    },
];

/// These wire the rest together, so nothing but `main` and they themselves may use them.
const TOP: &[&str] = &["runtime", "cli"];

/// One file is a widget and state at once, by the nature of the text area that it wraps.
const EXCEPTIONS: &[(&str, &[&str])] = &[("app/editor.rs", TERMINAL)];

#[test]
fn every_source_file_keeps_to_its_layer_and_shape() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    assert!(files.len() > 10, "sources not found in {}", root.display());
    let faults: Vec<String> = files
        .iter()
        .flat_map(|path| {
            let text = fs::read_to_string(path).unwrap();
            let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
            [layer_faults(name, &text), shape_faults(name, &text)].concat()
        })
        .collect();
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// What is wrong with the paths in a file; `name` is relative to `src`.
fn layer_faults(name: &str, text: &str) -> Vec<String> {
    let module = name.split(['/', '.']).next().unwrap_or_default();
    if ["main", "lib"].contains(&module) || TOP.contains(&module) || is_test(name) {
        return Vec::new();
    }
    let rule = RULES.iter().find(|rule| rule.module == module);
    let exceptions = EXCEPTIONS.iter().find(|(file, _)| *file == name).map_or(&[][..], |(_, paths)| paths);
    let is_forbidden = |path: &str| {
        if let Some(ours) = path.strip_prefix("crate::") {
            return match rule {
                Some(rule) => !under(ours, module) && !rule.may.iter().any(|may| under(ours, may)),
                None => TOP.iter().any(|top| under(ours, top)),
            };
        }
        let never = rule.into_iter().flat_map(|rule| rule.never).copied().flatten();
        never.filter(|path| !exceptions.contains(path)).any(|never| names(path, never))
    };
    paths(&code(text))
        .into_iter()
        .filter(|(_, path)| is_forbidden(path))
        .map(|(line, path)| format!("src/{name}:{line}: `{module}` must not use `{path}`"))
        .collect()
}

/// Tests and what they share.
fn is_test(name: &str) -> bool {
    name.ends_with("tests.rs") || name.contains("/tests/")
}

/// What is wrong with a file as a whole.
fn shape_faults(name: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    // Tests are explained by their names.
    if !is_test(name) && !text.trim_start().starts_with("//!") {
        faults.push(format!("src/{name}:1: does not begin with `//!` that says what it is for"));
    }
    let lines = text.lines().count();
    if lines > MAX_LINES {
        faults.push(format!(
            "src/{name}:{lines}: is longer than {MAX_LINES} lines: which two ideas are in it?"
        ));
    }
    faults
}

fn under(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// Whether a path is that, or is under it; `Type::function` may also stand at the end of a longer path.
fn names(path: &str, never: &str) -> bool {
    under(path, never) || (never.contains("::") && path.ends_with(&format!("::{never}")))
}

/// The text without comments and tests, line for line.
fn code(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.starts_with("#[cfg(test)]") {
            break;
        }
        // `://` is in an address.
        let comment = line.match_indices("//").find(|(at, _)| !line[..*at].ends_with(':'));
        lines.push(comment.map_or(line, |(at, _)| &line[..at]));
    }
    lines.join("\n")
}

/// Every path of two parts or more, with its line.
fn paths(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(skipped) = code[at..].find(is_word) {
        at += skipped;
        let end = word_end(code, at);
        if code[end..].starts_with("::") && !code[..at].ends_with("::") {
            tree(code, at, "", &mut found);
        }
        at = end;
    }
    found
}

/// Takes a path apart from `at` on; returns where it ends.
fn tree(code: &str, at: usize, prefix: &str, found: &mut Vec<(usize, String)>) -> usize {
    let end = word_end(code, at);
    let path = format!("{prefix}{}", &code[at..end]);
    let Some(rest) = code[end..].strip_prefix("::") else {
        found.push((code[..at].matches('\n').count() + 1, path.trim_end_matches("::self").to_owned()));
        return end;
    };
    let prefix = format!("{path}::");
    if rest.starts_with(is_word) {
        return tree(code, end + 2, &prefix, found);
    }
    if !rest.starts_with('{') {
        found.push((code[..at].matches('\n').count() + 1, path));
        return end;
    }
    let mut at = end + 3;
    while let Some(next) = code[at..].find(|c: char| is_word(c) || c == '}') {
        at += next;
        if code[at..].starts_with('}') {
            return at + 1;
        }
        at = tree(code, at, &prefix, found);
        // `Error as ApiError` is still `Error`.
        if let Some(name) = code[at..].strip_prefix(" as ") {
            at = word_end(code, code.len() - name.len());
        }
    }
    code.len()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn word_end(code: &str, at: usize) -> usize {
    code[at..].find(|c| !is_word(c)).map_or(code.len(), |length| at + length)
}

#[test]
fn the_checker_finds_what_is_forbidden_and_nothing_else() {
    for (name, text, expected) in [
        ("app/state.rs", "use crate::api::model::Episode;\nuse crate::text;", &[][..]),
        ("app/state.rs", "use crate::app::Action;\nuse std::time::{Duration, Instant};", &[]),
        ("app/state.rs", "//! See [`crate::ui`] and https://x.org/tokio::x\n// crate::ui", &[]),
        ("app/state.rs", "\nuse crate::ui::theme;", &["2 crate::ui::theme"]),
        (
            "app/state.rs",
            "use crate::{\n    api::{self, model::Id},\n    client::http,\n};",
            &["2 crate::api", "3 crate::client::http"],
        ),
        ("app/state.rs", "fn f() { let now = std::time::Instant::now(); }", &["1 std::time::Instant::now"]),
        ("app/state.rs", "use crate::api::{Error as ApiError, model::Id as Name};", &[]),
        ("app/state.rs", "use std::{collections::BTreeMap, fs};", &["1 std::fs"]),
        ("app/state.rs", "use ratatui::layout::Rect;", &["1 ratatui::layout::Rect"]),
        ("app/editor.rs", "use ratatui::layout::Rect;", &[]),
        ("app/editor.rs", "use tokio::sync::mpsc;", &["1 tokio::sync::mpsc"]),
        ("app.rs", "#[cfg(test)]\nmod tests {\n    use crate::ui;\n}", &[]),
        ("app/update/tests.rs", "use crate::ui::x;", &[]),
        ("api/http.rs", "fn f(x: crate::client::Request) {}", &["1 crate::client::Request"]),
        ("apis.rs", "use crate::arena::x;", &[]),
        (
            "arena/routes.rs",
            "use crate::api::model::Id;\nuse crate::api::http::get;",
            &["2 crate::api::http::get"],
        ),
        ("arena.rs", "use crate::arena_x::y;", &["1 crate::arena_x::y"]),
        ("ui/panes/games.rs", "use crate::policy::Run;", &["1 crate::policy::Run"]),
        ("config.rs", "use crate::cli::Args;\nuse crate::api::Key;", &["1 crate::cli::Args"]),
        ("runtime/input.rs", "use crate::cli::Args;\nuse tokio::x;", &[]),
        ("main.rs", "use crate::cli::Args;", &[]),
    ] {
        let module = name.split(['/', '.']).next().unwrap();
        let expected: Vec<String> = expected
            .iter()
            .map(|fault| fault.split_once(' ').unwrap())
            .map(|(line, path)| format!("src/{name}:{line}: `{module}` must not use `{path}`"))
            .collect();
        assert_eq!(layer_faults(name, text), expected, "{text}");
    }
}

#[test]
fn the_checker_finds_files_without_a_purpose_and_with_two() {
    assert_eq!(shape_faults("a.rs", "//! Is for something.\n"), [""; 0]);
    assert_eq!(shape_faults("a.rs", "use std::fs;\n").len(), 1);
    assert_eq!(shape_faults("a.rs", &"//! Long.\n".repeat(MAX_LINES)).len(), 0);
    assert_eq!(shape_faults("a.rs", &"//! Too long.\n".repeat(MAX_LINES + 1)).len(), 1);
}
