//! From facts to a verdict, what was found, and what to do. Pure: tables of facts test it.

pub(super) mod machine;
pub(super) mod network;
pub(super) mod settings;

/// How it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Ok,
    /// Works, but is not as it should be.
    Warning,
    /// Something does not work.
    Problem,
    /// Was not looked at, or there is nothing to look at.
    Skipped,
}

/// What a check came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub verdict: Verdict,
    /// One line.
    pub found: String,
    /// What to do, in one line.
    pub advice: Option<String>,
}

impl Finding {
    fn ok(found: impl Into<String>) -> Self {
        Self { verdict: Verdict::Ok, found: found.into(), advice: None }
    }

    fn skipped(why: impl Into<String>) -> Self {
        Self { verdict: Verdict::Skipped, found: why.into(), advice: None }
    }

    fn warning(found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { verdict: Verdict::Warning, found: found.into(), advice: Some(advice.into()) }
    }

    fn problem(found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { verdict: Verdict::Problem, found: found.into(), advice: Some(advice.into()) }
    }
}

/// `1 file`, `2 files`.
fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Bytes as people read them.
fn bytes(bytes: u64) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let fitting = units.into_iter().find(|(_, shift)| bytes >> shift > 0);
    fitting.map_or_else(|| format!("{bytes} bytes"), |(unit, shift)| format!("{} {unit}", bytes >> shift))
}

#[cfg(test)]
mod tests;
