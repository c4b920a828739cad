//! Notes on reads of files that were changed later, which the platform puts before their results since projection
//! version 4.
//!
//! Source: protocol.md section 5.14, `_stale_notes` in the SDK's `transcript.py`. A note hangs on later entries only,
//! so a window gives the same ones as the whole history.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::super::json::{Kind, Text, Value};
use super::super::python::is_space;
use super::{Entry, Verdicts};

/// The notes by the id of the call, each with its line's end.
pub(super) fn stale_reads<'a>(
    entries: impl DoubleEndedIterator<Item = &'a Entry<'a>>,
    verdicts: &Verdicts<'_>,
) -> BTreeMap<Text<'a>, String> {
    let mut edits = BTreeMap::<String, usize>::new();
    let mut notes = BTreeMap::new();
    // From the newest on: what was counted so far came later.
    for entry in entries.rev().filter(|entry| entry.is("tool")) {
        let result = entry.0.get("result");
        if result.is_some_and(|result| result.get("error").is_some()) {
            continue;
        }
        let tool = entry.text("tool").map(Text::to_str).unwrap_or_default();
        let argument = |name| {
            let text = entry.0.get("args").and_then(|args| args.get(name)).and_then(Value::text);
            text.map(Text::to_str).unwrap_or_default()
        };
        let changed: Vec<Cow<'_, str>> = match &*tool {
            "read_file" => {
                let id = entry.call_id().and_then(Value::text).filter(|id| !verdicts.contains_key(id));
                let later = edits.get(normalized(&argument("path")));
                if let (Some(id), Some(later)) = (id, later) {
                    notes.insert(id, note(*later));
                }
                continue;
            }
            "apply_patch" => {
                patched(&argument("patch")).into_iter().map(|path| path.to_owned().into()).collect()
            }
            "append_workspace_file" | "edit_file" => vec![argument("path")],
            "update_prompt_section" => vec!["prompt.json".into()],
            "run_bash_command" | "run_script" => changed_files(result),
            _ => continue,
        };
        for path in changed {
            *edits.entry(normalized(&path).to_owned()).or_default() += 1;
        }
    }
    notes
}

fn note(later: usize) -> String {
    format!(
        "[Note: this file changed after this read ({later} later edits). The content below is the old version - read \
         the file again before you quote exact lines.]\n"
    )
}

fn changed_files<'a>(result: Option<&Value<'a>>) -> Vec<Cow<'a, str>> {
    let Some(Kind::List(files)) =
        result.and_then(|result| result.get("changed_files")).map(|files| &files.kind)
    else {
        return Vec::new();
    };
    files.iter().filter_map(Value::text).map(Text::to_str).filter(|path| !path.is_empty()).collect()
}

/// A path as the sandbox names it.
fn normalized(path: &str) -> &str {
    let mut path = path;
    while let Some(rest) = path.strip_prefix("./").filter(|rest| !rest.is_empty()) {
        path = rest;
    }
    match path {
        "./" => ".",
        path => Some(path.trim_end_matches('/')).filter(|path| !path.is_empty()).unwrap_or("."),
    }
}

/// The files that a unified diff names, each once.
fn patched(patch: &str) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let paths = patch.split('\n').filter_map(|line| {
        let named = line.strip_prefix("--- ").or_else(|| line.strip_prefix("+++ "))?;
        let path =
            named.split(is_space).find(|field| !field.is_empty()).filter(|path| *path != "/dev/null")?;
        let path = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path);
        Some(path.strip_prefix("./").unwrap_or(path)).filter(|path| !path.is_empty())
    });
    paths.filter(|path| seen.insert(*path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_one_name() {
        for (path, name) in [
            ("", "."),
            (".", "."),
            ("./", "."),
            ("././", "."),
            ("/", "."),
            (".//", "."),
            ("./a", "a"),
            ("././a//", "a"),
            ("../a", "../a"),
            ("a/./b", "a/./b"),
        ] {
            assert_eq!(normalized(path), name, "{path}");
        }
    }

    #[test]
    fn a_patch_names_its_files_once_and_in_order() {
        let patch = "--- a/x.go\t2026\n+++ b/x.go\n--- /dev/null\n+++ b/./new file\n+++ \n---  a/./y\n--- a/\n ++++ z\n+++ a/b/c\r";
        assert_eq!(patched(patch), ["x.go", "new", "y", "b/c"]);
    }
}
