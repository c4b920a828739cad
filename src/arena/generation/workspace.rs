//! The files that a model works on, and the tools that act on them alone. Pure: a workspace is a map in memory, and a
//! clone is a branch of it.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::patch;
use crate::arena::store::submissions::MODULE;

/// The program that is submitted.
pub const PROGRAM: &str = "submission.py";

/// Files at most.
const MAX_FILES: usize = 16;

/// Bytes of a file at most.
const MAX_FILE: usize = 64 * 1024;

/// Bytes of a file that one read gives.
const MAX_READ: usize = 32 * 1024;

/// Bytes of a name.
const MAX_NAME: usize = 100;

/// Files by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Workspace(BTreeMap<String, String>);

/// The arguments of a call, as far as they are what they should be.
struct Arguments<'a>(&'a Value);

impl<'a> Arguments<'a> {
    fn text(&self, name: &str) -> Result<&'a str, String> {
        self.0.get(name).and_then(Value::as_str).ok_or_else(|| format!("`{name}` must be a string"))
    }

    fn number(&self, name: &str) -> Option<usize> {
        self.0.get(name).and_then(Value::as_u64).map(|number| number as usize)
    }
}

impl Workspace {
    /// Reads one that was kept.
    pub fn from_files(files: BTreeMap<String, String>) -> Self {
        Self(files)
    }

    /// The files, by name.
    pub fn files(&self) -> &BTreeMap<String, String> {
        &self.0
    }

    /// The program, once there is one.
    pub fn program(&self) -> Option<&str> {
        self.0.get(PROGRAM).map(String::as_str)
    }

    /// The files as a JSON object.
    pub fn json(&self) -> Value {
        Value::Object(self.0.iter().map(|(name, text)| (name.clone(), text.as_str().into())).collect())
    }

    /// The files as a submission has them: the program is its module.
    pub fn submitted(&self) -> BTreeMap<String, String> {
        let name = |name: &String| if name == PROGRAM { MODULE.to_owned() } else { name.clone() };
        // Last, so that it wins over a file that has the module's name.
        let (program, others): (Vec<_>, Vec<_>) = self.0.iter().partition(|(name, _)| *name == PROGRAM);
        others.into_iter().chain(program).map(|(key, text)| (name(key), text.clone())).collect()
    }

    /// What a tool answers; `None` for one that is not about files. What fails is an object with `error`, and changes
    /// nothing.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Option<Value> {
        let arguments = Arguments(arguments);
        let outcome = match tool {
            "list_workspace" => Ok(self.list()),
            "read_file" => self.read(&arguments),
            "write_workspace_file" => self.write(&arguments),
            "edit_file" => self.edit(&arguments),
            "apply_patch" => self.patch(&arguments),
            _ => return None,
        };
        Some(outcome.unwrap_or_else(|why| json!({ "error": format!("ERROR: {tool} failed: {why}") })))
    }

    fn list(&self) -> Value {
        if self.0.is_empty() {
            return "(empty workspace)".into();
        }
        let files: Vec<String> =
            self.0.iter().map(|(name, text)| format!("{name} ({} bytes)", text.len())).collect();
        files.join("\n").into()
    }

    /// Lines from `offset` (from 1), `limit` of them; all without these.
    fn read(&self, arguments: &Arguments<'_>) -> Result<Value, String> {
        let name = file_name(arguments.text("path")?)?;
        let text = self.get(name)?;
        let offset = arguments.number("offset").unwrap_or(1).max(1);
        let limit = arguments.number("limit").unwrap_or(usize::MAX);
        let lines = text.split_inclusive('\n').skip(offset - 1).take(limit);
        let part: String = lines.collect();
        let shown = &part[..part.floor_char_boundary(MAX_READ)];
        let mut answer = Map::new();
        answer.insert("content".to_owned(), shown.into());
        if shown.len() < part.len() {
            answer.insert("truncated".to_owned(), true.into());
        }
        Ok(answer.into())
    }

    fn write(&mut self, arguments: &Arguments<'_>) -> Result<Value, String> {
        let name = file_name(arguments.text("path")?)?;
        self.put(name, arguments.text("content")?.to_owned())?;
        Ok(format!("wrote {name}").into())
    }

    fn edit(&mut self, arguments: &Arguments<'_>) -> Result<Value, String> {
        let name = file_name(arguments.text("path")?)?;
        let (old, new) = (arguments.text("old_string")?, arguments.text("new_string")?);
        let text = self.get(name)?;
        match text.matches(old).count() {
            _ if old.is_empty() => return Err("`old_string` is empty".to_owned()),
            0 => return Err(format!("old_string not found in {name}; the file is unchanged.")),
            1 => {}
            n => return Err(format!("old_string is {n} times in {name}: make it longer")),
        }
        let edited = text.replacen(old, new, 1);
        self.put(name, edited)?;
        Ok(json!({ "path": name, "replacements": 1 }))
    }

    /// Applies all of a patch or nothing.
    fn patch(&mut self, arguments: &Arguments<'_>) -> Result<Value, String> {
        let mut after = self.clone();
        let mut names = Vec::new();
        for part in patch::read(arguments.text("patch")?)? {
            let name = file_name(part.path)?;
            let before = after.0.get(name).map_or("", String::as_str);
            let text = patch::apply(before, &part).map_err(|why| format!("{name}: {why}"))?;
            after.put(name, text)?;
            names.push(name.to_owned());
        }
        *self = after;
        Ok(json!({ "stderr": "", "stdout": format!("patched {}", names.join(", ")) }))
    }

    fn get(&self, name: &str) -> Result<&str, String> {
        self.0.get(name).map(String::as_str).ok_or_else(|| format!("there is no file {name}"))
    }

    fn put(&mut self, name: &str, text: String) -> Result<(), String> {
        if text.len() > MAX_FILE {
            return Err(format!("a file may have {MAX_FILE} bytes"));
        }
        if !self.0.contains_key(name) && self.0.len() >= MAX_FILES {
            return Err(format!("the workspace may have {MAX_FILES} files"));
        }
        self.0.insert(name.to_owned(), text);
        Ok(())
    }
}

/// A name without folders, however it is spelt.
fn file_name(path: &str) -> Result<&str, String> {
    let mut name = path;
    while let Some(rest) = name.strip_prefix("./") {
        name = rest;
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if name.is_empty() || name.len() > MAX_NAME || name.starts_with('.') || !name.chars().all(is_plain) {
        return Err(format!(
            "a path is a file name of letters, digits, `.`, `_` and `-`, such as `{PROGRAM}`: there are no folders"
        ));
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(workspace: &mut Workspace, tool: &str, arguments: impl std::borrow::Borrow<Value>) -> Value {
        workspace.call(tool, arguments.borrow()).unwrap()
    }

    #[test]
    fn files_are_written_read_edited_and_listed_in_the_words_of_the_platform() {
        // The shapes of results are those of the SDK's projection fixture (protocol.md §5.14).
        let mut workspace = Workspace::default();
        assert_eq!(call(&mut workspace, "list_workspace", json!({})), "(empty workspace)");
        let write = json!({ "path": "./submission.py", "content": "a\nb\nc\n" });
        assert_eq!(call(&mut workspace, "write_workspace_file", write), "wrote submission.py");
        let read = json!({ "path": "submission.py", "offset": 2, "limit": 1 });
        assert_eq!(call(&mut workspace, "read_file", read), json!({ "content": "b\n" }));
        let edit = json!({ "path": "submission.py", "old_string": "b", "new_string": "x" });
        assert_eq!(
            call(&mut workspace, "edit_file", edit.clone()),
            json!({ "path": "submission.py", "replacements": 1 })
        );
        assert_eq!(
            call(&mut workspace, "edit_file", edit)["error"],
            "ERROR: edit_file failed: old_string not found in submission.py; the file is unchanged."
        );
        assert_eq!(call(&mut workspace, "list_workspace", json!({})), "submission.py (6 bytes)");
        assert_eq!(workspace.program(), Some("a\nx\nc\n"));
        assert_eq!(workspace.call("run_evaluation", &json!({})), None);
    }

    #[test]
    fn what_is_outside_or_too_much_is_refused_and_changes_nothing() {
        let mut workspace = Workspace::default();
        for path in ["", "..", "../x", "/etc/passwd", "a/b", ".hidden", "a b", "ä"] {
            let answer = call(&mut workspace, "write_workspace_file", json!({ "path": path, "content": "" }));
            assert!(answer["error"].as_str().unwrap().contains("no folders"), "{path}: {answer}");
        }
        let long = json!({ "path": "a", "content": "x".repeat(MAX_FILE + 1) });
        assert!(call(&mut workspace, "write_workspace_file", long)["error"].is_string());
        for n in 0..20 {
            call(&mut workspace, "write_workspace_file", json!({ "path": format!("f{n}"), "content": "é" }));
        }
        assert_eq!(workspace.files().len(), MAX_FILES);
        for arguments in [json!({}), json!({ "path": 7 }), json!(null), json!([])] {
            assert!(call(&mut workspace, "read_file", arguments)["error"].is_string());
        }
    }

    #[test]
    fn a_patch_is_applied_as_a_whole_or_not_at_all() {
        let mut workspace = Workspace::default();
        call(&mut workspace, "write_workspace_file", json!({ "path": "a.py", "content": "x\ny\nz\n" }));
        let two =
            "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n x\n-y\n+Y\n z\n--- a/b.py\n+++ b/b.py\n@@\n-no\n+n\n";
        let before = workspace.clone();
        assert!(call(&mut workspace, "apply_patch", json!({ "patch": two }))["error"].is_string());
        assert_eq!(workspace, before);
        let one = two.split("--- a/b.py").next().unwrap();
        let answer = call(&mut workspace, "apply_patch", json!({ "patch": one }));
        assert_eq!(answer, json!({ "stderr": "", "stdout": "patched a.py" }));
        assert_eq!(workspace.files()["a.py"], "x\nY\nz\n");
    }
}
