//! The findings for people and for programs.

use std::fmt::Write as _;

use serde_json::json;

use super::Findings;
use super::judge::Verdict;
use crate::text;

/// How it looks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    /// Columns.
    pub width: usize,
    /// ASCII only.
    pub ascii: bool,
    pub coloured: bool,
}

/// Wider text is hard to read.
const WIDEST: usize = 100;
/// The least room for words beside the names.
const NARROWEST: usize = 20;

impl Verdict {
    /// As it is shown and in JSON.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Problem => "problem",
            Self::Skipped => "skipped",
        }
    }

    /// Of the sixteen colours those that read on dark and light.
    fn colour(self) -> &'static str {
        match self {
            Self::Ok => "32",
            Self::Warning => "1;35",
            Self::Problem => "1;31",
            Self::Skipped => "2",
        }
    }
}

/// A paragraph for each check, and what it comes to.
pub(super) fn text(findings: &Findings, look: Look) -> String {
    let verdicts = findings.iter().map(|(_, finding)| finding.verdict.word().len()).max().unwrap_or(0);
    let names = findings.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let indent = verdicts + names + 4;
    let room = look.width.min(WIDEST).saturating_sub(indent).max(NARROWEST);
    let arrow = if look.ascii { "-> " } else { "→ " };
    let mut out = String::new();
    for (name, finding) in findings {
        let word = text::pad(finding.verdict.word(), verdicts);
        let word =
            if look.coloured { format!("\u{1b}[{}m{word}\u{1b}[0m", finding.verdict.colour()) } else { word };
        let mut margin = format!("{word}  {}  ", text::pad(name, names));
        for line in text::wrap(&text::clean(&finding.found), room) {
            // Writing into a string does not fail.
            let _ = writeln!(out, "{margin}{line}");
            margin = " ".repeat(indent);
        }
        let mut margin = format!("{:indent$}{arrow}", "");
        let hanging = text::width(arrow);
        for line in finding.advice.iter().flat_map(|advice| text::wrap(&text::clean(advice), room - hanging))
        {
            let _ = writeln!(out, "{margin}{line}");
            margin = " ".repeat(indent + hanging);
        }
    }
    let _ = writeln!(out, "\n{}", text::wrap(&summary(findings), look.width.min(WIDEST)).join("\n"));
    if look.ascii { ascii(&out) } else { out }
}

/// `2 problems, 1 warning`.
fn summary(findings: &Findings) -> String {
    let of = |verdict| findings.iter().filter(|(_, finding)| finding.verdict == verdict).count();
    let told =
        [(of(Verdict::Problem), "problem"), (of(Verdict::Warning), "warning")].map(|(number, noun)| {
            (number > 0).then(|| format!("{number} {noun}{}", if number == 1 { "" } else { "s" }))
        });
    let told: Vec<String> = told.into_iter().flatten().collect();
    if told.is_empty() {
        return "All is well.".to_owned();
    }
    format!("{}. For a bug report: `gert doctor --bundle FILE`.", told.join(", "))
}

/// What we write beyond ASCII; names of others stay as they are.
fn ascii(text: &str) -> String {
    text.replace('×', "x").replace('…', "...")
}

/// One document.
pub(super) fn json(findings: &Findings) -> String {
    let checks: Vec<_> = findings
        .iter()
        .map(|(name, finding)| {
            json!({
                "name": name,
                "verdict": finding.verdict.word(),
                "found": finding.found,
                "advice": finding.advice,
            })
        })
        .collect();
    let ok = findings.iter().all(|(_, finding)| finding.verdict != Verdict::Problem);
    let report = json!({ "version": env!("CARGO_PKG_VERSION"), "ok": ok, "checks": checks });
    format!("{report:#}\n")
}
