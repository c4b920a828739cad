//! Agentic exports from a seed: transcripts, frames and verdicts.

use gert::api::model::Json;

use super::generate::Source;

/// The arguments of a reconstruction, as they are given to both sides.
#[derive(Debug)]
pub(super) struct Export {
    pub(super) transcript: String,
    pub(super) frame: String,
    pub(super) index: i64,
    pub(super) pruned: String,
    pub(super) count: Option<usize>,
    pub(super) windowed: bool,
}

const IDS: &[&str] = &["\"r1\"", "\"r2\"", "\"e1\"", "\"c1\"", "\"\\u0072\\u0031\"", "\"\"", "\"idé\""];
const PATHS: &[&str] = &[
    "a.py",
    "./a.py",
    "././a.py",
    "a.py/",
    "./",
    ".",
    "",
    "/",
    "src/b.go",
    "./src/b.go//",
    "prompt.json",
    "é.py",
    "\\u0061.py",
];
const TOOLS: &[&str] = &[
    "read_file",
    "read_file",
    "read_file",
    "apply_patch",
    "append_workspace_file",
    "edit_file",
    "update_prompt_section",
    "run_bash_command",
    "run_script",
    "write_workspace_file",
    "list_workspace",
];
const KINDS: &[&str] =
    &["tool", "tool", "tool", "model_turn", "model", "reminder", "warning", "error", "Tool"];
const DIFF_LINES: &[&str] = &[
    "--- a/a.py",
    "+++ b/a.py",
    "--- ./a.py",
    "+++ b/./src/b.go\\t2026-01-01",
    "--- /dev/null",
    "+++ ",
    "--- a/",
    "+x",
    "-y",
    "@@ -1 +1 @@",
    "+++ \\u00a0 a.py  x",
    "---a.py",
    "+++\\ta.py",
    "--- src/b.go\\r",
    "+++ a.py\\u001f",
];

impl Source {
    pub(super) fn export(&mut self) -> Export {
        let n = self.below(25);
        let entries: Vec<_> = (0..n).map(|_| self.entry()).collect();
        let gap = self.pick(&["", " ", "\n  "]);
        let transcript = format!("{gap}[{gap}{}{gap}]{gap}", entries.join(&format!("{gap},{gap}")));
        let transcript = if self.once_in(60) { self.broken(&transcript) } else { transcript };
        let (index, frame) = self.frame();
        let verdicts = (0..self.below(4)).map(|_| {
            let verdict =
                self.pick(&["\"(Superseded by later result)\"", "\"(Stale - \\\"é\\\" \\u0041)\"", "\"\""]);
            format!("{}:{verdict}", self.pick(IDS))
        });
        let verdicts = format!("{{{}}}", verdicts.collect::<Vec<_>>().join(","));
        let pruned = match self.below(20) {
            0 => "null".to_owned(),
            // As a column of text has it.
            1..4 => serde_json::to_string(&verdicts).unwrap(),
            _ => verdicts,
        };
        let count = self.once_in(3).then(|| self.below(n + 3));
        Export { transcript, frame, index, pruned, count, windowed: !self.once_in(3) }
    }

    fn frame(&mut self) -> (i64, String) {
        let index = self.below(5) as i64 - 1;
        let mut members = Vec::new();
        let version = self.pick(&[
            "1", "2", "3", "3", "4", "4", "4", "4", "4.0", "4", "4", "0", "5", "null", "\"4\"", "3.5",
        ]);
        members.push(format!("\"projection_version\":{version}"));
        if !self.once_in(20) {
            let prompts: Vec<_> = (-1..5)
                .map(|step| {
                    format!("\"{step}\":{}", if self.once_in(40) { "null".to_owned() } else { self.text() })
                })
                .collect();
            members.push(format!("\"step_prompts\":{{{}}}", prompts.join(",")));
        }
        if !self.once_in(20) {
            members.push(format!(
                "\"transcript_window\":{}",
                self.pick(&["1", "2", "2", "3", "8", "100", "1.9", "0", "null", "-3", "0.5"])
            ));
        }
        if !self.once_in(5) {
            members.push(format!("\"system\":{}", self.text()));
        }
        if !self.once_in(5) {
            members.push(format!("\"tools\":{}", self.finite_list()));
        }
        (index, format!("{{{}}}", members.join(", ")))
    }

    fn finite_list(&mut self) -> String {
        let list = self.list(3);
        if Json::parse(&list).is_ok() { list } else { "null".to_owned() }
    }

    fn entry(&mut self) -> String {
        if self.once_in(40) {
            return self.pick(&["null", "\"stray\"", "5", "[]", "{}", "[{\"kind\":\"tool\"}]"]).to_owned();
        }
        let kind = self.pick(KINDS);
        let mut members = vec![format!("\"kind\":\"{kind}\"")];
        if !self.once_in(10) {
            members
                .push(format!("\"step\":{}", self.pick(&["0", "1", "1", "2", "2", "3", "-1", "1.0", "2e0"])));
        }
        if !self.once_in(5) {
            members
                .push(format!("\"turn\":{}", self.pick(&["0", "0", "-0.0", "0.5", "1", "1.5", "2", "10"])));
        }
        match kind {
            "tool" => self.call(&mut members),
            "model_turn" | "model" => {
                let content = match self.below(8) {
                    0 => "null".to_owned(),
                    1 => "[]".to_owned(),
                    _ => format!(
                        "[{}]",
                        (0..=self.below(3)).map(|_| self.block()).collect::<Vec<_>>().join(",")
                    ),
                };
                members.push(format!("\"raw_content\":{content}"));
            }
            _ if self.once_in(5) => {}
            _ => members.push(format!("\"message\":{}", self.text())),
        }
        if self.once_in(3) {
            let at = self.below(members.len() + 1);
            members.insert(at, format!("\"{}\":{}", self.pick(&["extra", "kind2", "steps"]), self.value(2)));
        }
        format!("{{{}}}", members.join(self.pick(&[",", " , "])))
    }

    fn call(&mut self, members: &mut Vec<String>) {
        if !self.once_in(10) {
            members.push(format!("\"tool_call_id\":{}", self.pick(IDS)));
        }
        let tool = self.pick(TOOLS);
        members.push(format!("\"tool\":\"{tool}\""));
        let args = match self.below(10) {
            0 => "null".to_owned(),
            1 => "[]".to_owned(),
            _ if tool == "apply_patch" => {
                let lines: Vec<_> = (0..self.below(6)).map(|_| self.pick(DIFF_LINES)).collect();
                format!("{{\"patch\":\"{}\"}}", lines.join("\\n"))
            }
            _ => format!("{{\"path\":\"{}\"}}", self.pick(PATHS)),
        };
        members.push(format!("\"args\":{args}"));
        let result = match self.below(10) {
            0 => return,
            1 => "null".to_owned(),
            2 => format!("{{ \"error\" : {} }}", self.value(1)),
            3 => self.text(),
            4 => self.value(3),
            _ => {
                let files: Vec<_> = (0..self.below(4))
                    .map(
                        |_| if self.once_in(8) { self.value(1) } else { format!("\"{}\"", self.pick(PATHS)) },
                    )
                    .collect();
                format!("{{\"changed_files\": [{}], \"n\":{}}}", files.join(", "), self.number())
            }
        };
        members.push(format!("\"result\": {result}"));
    }

    fn block(&mut self) -> String {
        match self.below(6) {
            0 => format!("{{\"type\":\"text\",\"text\":{}}}", self.text()),
            1 => self.value(3),
            2 => format!("{{\"type\":\"tool_use\",\"id\":{}}}", self.pick(IDS)),
            _ => {
                let (id, input) = (self.pick(IDS), self.object(2));
                let name = self.pick(&["input", "\\u0069nput"]);
                format!(
                    "{{\"type\":\"tool_use\", \"id\":{id}, \"name\":\"x\", \"{name}\": {input}, \"last\":1.10}}"
                )
            }
        }
    }
}
