//! Which results of tools are old news: each is replaced by a few words when the model is asked again.
//!
//! The words are the platform's (protocol.md §5.14); which results they hit is the generator's to say, and goes into
//! exports as a map. A verdict hangs on later entries only.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

const SUPERSEDED: &str = "(Superseded by later result)";
const DUPLICATE: &str = "(Duplicate read - see later result)";
const PARTIAL: &str = "(Superseded by later full read)";
const REWRITTEN: &str = "(Stale - file was rewritten later)";
const FILES_CHANGED: &str = "(Stale - files were created or deleted later)";

/// What is known of the entries behind the one that is looked at.
#[derive(Default)]
struct Later {
    called: HashSet<String>,
    full_reads: HashSet<String>,
    rewritten: HashSet<String>,
    /// The earliest write of each file that creates it.
    creations: bool,
}

/// The verdicts over all entries so far, by the id of the call.
pub(super) fn verdicts(entries: &[String]) -> Map<String, Value> {
    let tools: Vec<Value> = entries.iter().filter_map(|entry| serde_json::from_str(entry).ok()).collect();
    let tools: Vec<&Value> = tools.iter().filter(|entry: &&Value| entry["kind"] == "tool").collect();
    let created = creations(&tools);
    let (mut later, mut verdicts) = (Later::default(), Map::new());
    for (n, entry) in tools.iter().enumerate().rev() {
        // What failed is neither news nor old.
        if entry["result"].get("error").is_some() {
            continue;
        }
        let verdict = later.judge(entry);
        later.take(entry, created.contains(&n));
        if let (Some(verdict), Some(id)) = (verdict, entry["tool_call_id"].as_str()) {
            verdicts.insert(id.to_owned(), verdict.into());
        }
    }
    verdicts
}

impl Later {
    fn judge(&self, entry: &Value) -> Option<&'static str> {
        let tool = entry["tool"].as_str()?;
        match tool {
            "list_workspace" if self.creations => Some(FILES_CHANGED),
            "list_workspace" | "read_logs" | "run_evaluation" => {
                self.called.contains(tool).then_some(SUPERSEDED)
            }
            "read_file" => {
                let path = path(entry);
                if self.full_reads.contains(path) {
                    Some(if is_partial(entry) { PARTIAL } else { DUPLICATE })
                } else {
                    self.rewritten.contains(path).then_some(REWRITTEN)
                }
            }
            _ => None,
        }
    }

    fn take(&mut self, entry: &Value, creates: bool) {
        let Some(tool) = entry["tool"].as_str() else { return };
        self.creations |= creates;
        match tool {
            "read_file" if !is_partial(entry) => _ = self.full_reads.insert(path(entry).to_owned()),
            "write_workspace_file" => _ = self.rewritten.insert(path(entry).to_owned()),
            _ => _ = self.called.insert(tool.to_owned()),
        }
    }
}

/// The entries that made a file that was not there before.
fn creations(tools: &[&Value]) -> HashSet<usize> {
    let mut first = HashMap::new();
    for (n, entry) in tools.iter().enumerate() {
        let writes = ["write_workspace_file", "apply_patch"].iter().any(|tool| entry["tool"] == *tool);
        if !writes || entry["result"].get("error").is_some() {
            continue;
        }
        let paths = match entry["args"]["patch"].as_str() {
            Some(patch) => patch.lines().filter_map(|line| line.strip_prefix("+++ ")).map(bare).collect(),
            None => vec![path(entry)],
        };
        for path in paths {
            first.entry(path.to_owned()).or_insert(n);
        }
    }
    first.into_values().collect()
}

fn is_partial(entry: &Value) -> bool {
    ["offset", "limit"].iter().any(|name| entry["args"].get(name).is_some())
}

fn path(entry: &Value) -> &str {
    entry["args"]["path"].as_str().unwrap_or_default().trim_start_matches("./")
}

fn bare(named: &str) -> &str {
    let path = named.split_whitespace().next().unwrap_or_default();
    path.strip_prefix("b/").or_else(|| path.strip_prefix("a/")).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn verdicts_of(calls: &[(&str, &str, Value, Value)]) -> Value {
        let entries: Vec<String> = calls
            .iter()
            .map(|(id, tool, args, result)| {
                json!({ "kind": "tool", "tool": tool, "tool_call_id": id, "args": args, "result": result })
                    .to_string()
            })
            .collect();
        Value::Object(verdicts(&entries))
    }

    #[test]
    fn verdicts_are_those_of_the_platforms_fixture() {
        // tests/testdata/projection_conformance.json of SDK 3.4.0: the cases `windowed_explicit_count` and
        // `windowed_derived_slice`, as far as they have tools that the arena has.
        let path = |path: &str| json!({ "path": path });
        let mut calls = vec![
            ("s1", "list_workspace", json!({}), json!("(empty workspace)")),
            ("s2", "read_logs", json!({}), json!("no evaluations yet")),
            ("c3", "read_file", path("./submission.py"), json!({ "content": "# scaffold" })),
            ("a4", "run_evaluation", json!({ "match_count": 1 }), json!({ "mean_score": 1.5 })),
            ("c5", "write_workspace_file", path("submission.py"), json!("wrote submission.py")),
            ("s6", "list_workspace", json!({}), json!("submission.py (2 bytes)")),
            ("s7", "read_logs", json!({}), json!("eval: mean 1.5")),
        ];
        assert_eq!(verdicts_of(&calls), json!({ "s1": FILES_CHANGED, "s2": SUPERSEDED, "c3": REWRITTEN }));
        calls.extend([
            ("a8", "run_evaluation", json!({ "match_count": 1 }), json!({ "mean_score": 2.5 })),
            ("c9", "read_file", path("submission.py"), json!({ "content": "v1" })),
            ("c11", "read_file", path("submission.py"), json!({ "content": "v1" })),
            ("w", "write_workspace_file", path("util.py"), json!("wrote util.py")),
            (
                "c14",
                "read_file",
                json!({ "path": "util.py", "offset": 1, "limit": 5 }),
                json!({ "content": "h" }),
            ),
            ("c18", "read_file", path("util.py"), json!({ "content": "h2" })),
            ("e", "edit_file", path("util.py"), json!({ "error": "no" })),
            ("s13", "list_workspace", json!({}), json!("submission.py, util.py")),
        ]);
        assert_eq!(
            verdicts_of(&calls),
            json!({
                "s1": FILES_CHANGED, "s2": SUPERSEDED, "c3": DUPLICATE, "a4": SUPERSEDED, "s6": FILES_CHANGED,
                "c9": DUPLICATE, "c14": PARTIAL,
            })
        );
    }

    #[test]
    fn a_failed_call_is_no_news() {
        let calls = [
            ("l1", "list_workspace", json!({}), json!("x")),
            ("w1", "write_workspace_file", json!({ "path": "a" }), json!({ "error": "no" })),
        ];
        assert_eq!(verdicts_of(&calls), json!({}));
    }
}
