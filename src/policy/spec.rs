//! What to run, and how long to wait for it.

use std::path::PathBuf;
use std::time::Duration;

use super::command_line::{CommandLineError, parse_command_line};

/// A command and its limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicySpec {
    /// The program and its arguments, passed as they are: no shell in between.
    pub argv: Vec<String>,
    /// The working directory, ours if absent. A program named with a relative path is looked up from here.
    pub dir: Option<PathBuf>,
    /// How long to wait and how much to accept.
    pub limits: Limits,
    /// Names of environment variables to pass on although they look like a secret (see [`PolicySpec::withholds`]).
    pub pass_env: Vec<String>,
}

impl PolicySpec {
    /// A command with default limits, in our working directory, without secrets.
    pub fn new(argv: Vec<String>) -> Self {
        Self { argv, dir: None, limits: Limits::default(), pass_env: Vec::new() }
    }

    /// Reads what a user typed: flags of ours, then the command, split as [`parse_command_line`] does.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, CommandLineError> {
        parse_command_line(text).map(Self::new)
    }

    /// True for a variable the policy does not get to see: ours (`GERT_…`) and any whose name contains `KEY`,
    /// `TOKEN`, `SECRET`, `PASSWORD` or `CREDENTIAL`, whatever the case, unless `pass_env` names it exactly.
    pub fn withholds(&self, name: &str) -> bool {
        if self.pass_env.iter().any(|passed| passed == name) {
            return false;
        }
        let name = name.to_uppercase();
        name.starts_with("GERT_") || SECRET_WORDS.iter().any(|word| name.contains(word))
    }
}

const SECRET_WORDS: [&str; 5] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"];

/// How long to wait for a policy and how much of its output to accept.
///
/// The clock of a turn runs from the newline written to the newline read. Past the soft limit the answer is late
/// ([`PolicyEventKind::OverDue`](super::PolicyEventKind::OverDue)); past the soft limit times
/// [`Limits::hard_factor`] the policy is ended ([`PolicyEventKind::TimedOut`](super::PolicyEventKind::TimedOut)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Added to the very first turn of a process that has said nothing yet: starting an interpreter or loading a
    /// model is not thinking. 5 s.
    pub start: Duration,
    /// Soft limit of the first turn of each match. 5 s.
    pub first: Duration,
    /// Soft limit of the turns after it. 5 s; a command that asks a language model needs more.
    pub turn: Duration,
    /// The hard limit of a turn is its soft limit times this. 3.
    pub hard_factor: u32,
    /// How long the policy may leave a message unread when its pipe (64 KiB on most systems) is full. 10 s.
    pub write: Duration,
    /// How long an open turn may pass without a line before the user gets a hint at buffered output. 3 s.
    pub silence: Duration,
    /// How long the process may take to leave after its input has ended, before it is signalled. 500 ms.
    pub shutdown: Duration,
    /// The longest line accepted from the policy; one that is longer ends it. 1 MiB.
    pub line_bytes: usize,
    /// Told to the policy in `hello`. Not enforced here: that needs a launcher that sets resource limits.
    pub memory_mb: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(5),
            first: Duration::from_secs(5),
            turn: Duration::from_secs(5),
            hard_factor: 3,
            write: Duration::from_secs(10),
            silence: Duration::from_secs(3),
            shutdown: Duration::from_millis(500),
            line_bytes: 1024 * 1024,
            memory_mb: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_withheld_by_name_and_passed_only_when_listed() {
        let mut spec = PolicySpec::new(vec!["bot".into()]);
        for name in
            ["GERT_API_KEY", "GERT_URL", "OPENAI_API_KEY", "github_token", "DB_PASSWORD", "AWS_CREDENTIALS"]
        {
            assert!(spec.withholds(name), "{name}");
        }
        for name in ["PATH", "HOME", "LANG", "PYTHONPATH", "VIRTUAL_ENV"] {
            assert!(!spec.withholds(name), "{name}");
        }
        spec.pass_env = vec!["OPENAI_API_KEY".into()];
        assert!(!spec.withholds("OPENAI_API_KEY"));
        assert!(spec.withholds("MY_OPENAI_API_KEY"));
    }
}
