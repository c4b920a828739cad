//! What a check found: one line a step, in words or as JSON.

use serde_json::{Value, json};

use crate::text;

/// Something wrong, for its author to act on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    words: String,
    line: Option<String>,
    hint: Option<String>,
    /// Nothing after it can be tried.
    pub(super) is_fatal: bool,
}

impl Finding {
    pub(super) fn new(words: impl Into<String>) -> Self {
        Self { words: words.into(), line: None, hint: None, is_fatal: false }
    }

    /// The line that shows it.
    pub(super) fn line(self, line: impl Into<String>) -> Self {
        Self { line: Some(line.into()), ..self }
    }

    /// What to do.
    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    pub(super) fn fatal(self) -> Self {
        Self { is_fatal: true, ..self }
    }

    /// The other steps can be tried in spite of it.
    pub(super) fn bearable(self) -> Self {
        Self { is_fatal: false, ..self }
    }

    /// Says first where it was.
    pub(super) fn at(self, place: &str) -> Self {
        Self { words: format!("{place}: {}", self.words), ..self }
    }
}

/// What came of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    Ok(String),
    Warn(Finding),
    Fail(Finding),
    Skipped,
}

/// A step with its name.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) verdict: Verdict,
    /// Where its input was written to.
    pub(super) saved: Option<String>,
}

impl Step {
    fn word(&self) -> &'static str {
        match self.verdict {
            Verdict::Ok(_) => "ok",
            Verdict::Warn(_) => "warn",
            Verdict::Fail(_) => "FAIL",
            Verdict::Skipped => "-",
        }
    }

    fn finding(&self) -> Option<&Finding> {
        match &self.verdict {
            Verdict::Warn(finding) | Verdict::Fail(finding) => Some(finding),
            _ => None,
        }
    }

    fn words(&self) -> &str {
        match &self.verdict {
            Verdict::Ok(words) => words,
            Verdict::Warn(finding) | Verdict::Fail(finding) => &finding.words,
            Verdict::Skipped => "not tried",
        }
    }

    /// A numbered line, and what helps under it.
    pub(super) fn lines(&self, n: usize) -> String {
        let mut lines = format!("{n:>2} {:<4} {}: {}\n", self.word(), self.name, text::clean(self.words()));
        let mut under = |label: &str, words: &str| {
            lines.extend(["        ", label, ": ", &*text::clean(words), "\n"]);
        };
        if let Some(finding) = self.finding() {
            finding.line.iter().for_each(|line| under("line", line));
            finding.hint.iter().for_each(|hint| under("hint", hint));
        }
        lines
    }

    fn document(&self, n: usize) -> Value {
        let finding = self.finding();
        json!({
            "n": n,
            "step": self.name,
            "verdict": self.word().to_lowercase().replace('-', "skipped"),
            "words": self.words(),
            "line": finding.and_then(|finding| finding.line.clone()),
            "hint": finding.and_then(|finding| finding.hint.clone()),
            "saved": self.saved,
        })
    }
}

/// All steps.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) steps: Vec<Step>,
}

impl Report {
    /// How many steps say this: `ok`, `warn` or `FAIL`.
    pub(super) fn count(&self, word: &str) -> usize {
        self.steps.iter().filter(|step| step.word() == word).count()
    }

    /// The last line.
    pub(super) fn summary(&self, name: &str) -> String {
        let (ok, warn, fail) = (self.count("ok"), self.count("warn"), self.count("FAIL"));
        let verdict = if fail == 0 { "plays by the protocol" } else { "needs work" };
        format!("{} {verdict}: {ok} ok, {warn} to look at, {fail} failed\n", text::clean(name))
    }

    /// The whole as one document.
    pub(super) fn document(&self, name: &str, command: &[String]) -> Value {
        let steps: Vec<Value> = self.steps.iter().zip(1..).map(|(step, n)| step.document(n)).collect();
        json!({
            "name": name, "command": command, "steps": steps,
            "ok": self.count("ok"), "warnings": self.count("warn"), "failures": self.count("FAIL"),
        })
    }
}
