//! What plays: a command or a language model's endpoint, and how long to wait for it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::flags::{self, SpecError};

/// A policy and its limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicySpec {
    /// What answers.
    pub source: Source,
    /// How it is asked. An endpoint has a form of its own.
    pub format: Format,
    /// True for a process of its own for every turn. A game whose turns are isolated gets that in any case.
    pub fresh: bool,
    /// Any JSON value is an answer, since whoever asks judges it. Else what cannot be an action is garbage.
    pub judged: bool,
    /// The working directory, ours if absent. A program named with a relative path is looked up from here.
    pub dir: Option<PathBuf>,
    /// How long to wait and how much to accept.
    pub limits: Limits,
    /// Names of environment variables to pass on although they look like a secret (see [`PolicySpec::withholds`]).
    pub pass_env: Vec<String>,
    /// Put into its environment, so that whatever it starts is known again ([`end_marked`](super::end_marked)).
    pub mark: Option<String>,
}

/// What answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A program and its arguments, passed as they are: no shell in between.
    Command(Vec<String>),
    /// A language model behind an API like `OpenAI`'s.
    Endpoint(Endpoint),
}

/// Where a language model answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The address that `/chat/completions` is added to, without a slash at its end.
    pub url: String,
    /// The model's name there.
    pub model: String,
    /// The environment variable that holds the key; none is sent without it.
    pub key_env: Option<String>,
}

/// How a command is asked and how it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// JSON lines: the protocol of `assets/policies/README.md`.
    #[default]
    Lines,
    /// A turn is one line `{"system":…,"user":…}`, the answer free text.
    Prompt,
    /// A turn is the two messages as plain text, then the end of the input; the answer is all that is printed.
    Text,
}

impl PolicySpec {
    /// A command with default limits, in our working directory, without secrets.
    pub fn new(argv: Vec<String>) -> Self {
        Self {
            source: Source::Command(argv),
            format: Format::Lines,
            fresh: false,
            judged: false,
            dir: None,
            limits: Limits::default(),
            pass_env: Vec::new(),
            mark: None,
        }
    }

    /// A model behind an endpoint, with limits that let it think.
    pub fn endpoint(endpoint: Endpoint) -> Self {
        let limits = Limits { start: Duration::ZERO, silence: Duration::MAX, ..Limits::for_models() };
        Self { source: Source::Endpoint(endpoint), limits, format: Format::Prompt, ..Self::new(Vec::new()) }
    }

    /// Reads what a user typed: flags of ours, then the command, split as
    /// [`parse_command_line`](super::parse_command_line) does. [`FLAGS`](super::FLAGS) says what there is.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        Self::from_words(super::parse_command_line(text)?)
    }

    /// Reads the same from words that are split already.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn from_words(words: Vec<String>) -> Result<Self, SpecError> {
        flags::read(words)
    }

    /// The command as it is run; for an endpoint what is asked where.
    pub fn argv(&self) -> Vec<String> {
        match &self.source {
            Source::Command(argv) => argv.clone(),
            Source::Endpoint(endpoint) => {
                vec!["POST".into(), endpoint.completions(), endpoint.model.clone()]
            }
        }
    }

    /// The name for people: the model, or the file name of the program or of the script that it runs.
    pub fn name(&self) -> String {
        match &self.source {
            Source::Command(argv) => command_name(argv),
            Source::Endpoint(endpoint) => endpoint.model.clone(),
        }
    }

    /// True where an answer is free text with an action in it: a text without one is told as
    /// [`Garbage`](super::PolicyEventKind::Garbage) and nothing more comes, so the turn has to be asked again.
    pub fn answers_in_text(&self) -> bool {
        self.format != Format::Lines
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

impl Endpoint {
    /// Where turns are sent.
    pub fn completions(&self) -> String {
        format!("{}/chat/completions", self.url)
    }
}

const SECRET_WORDS: [&str; 5] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"];

/// Programs that are nobody's policy: what they run is.
const INTERPRETERS: [&str; 12] =
    ["python", "sh", "bash", "dash", "zsh", "node", "deno", "bun", "ruby", "perl", "uv", "env"];

fn command_name(argv: &[String]) -> String {
    let Some(program) = argv.first() else { return String::new() };
    let name = file_name(program);
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let script = argv[1..].iter().find(|word| !word.starts_with('-') && file_name(word).contains('.'));
    match script {
        Some(script) if INTERPRETERS.contains(&bare) && !script.contains(char::is_whitespace) => {
            file_name(script)
        }
        _ => name,
    }
}

fn file_name(path: &str) -> String {
    Path::new(path).file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}

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
    /// Soft limit of the first turn of each match. 5 s; 120 s for what asks a language model.
    pub first: Duration,
    /// Soft limit of the turns after it. 5 s; 120 s for what asks a language model.
    pub turn: Duration,
    /// The hard limit of a turn is its soft limit times this. 3.
    pub hard_factor: u32,
    /// How long the policy may leave a message unread when its pipe (64 KiB on most systems) is full. 10 s.
    pub write: Duration,
    /// How long an open turn may pass without a line before the user gets a hint at buffered output. 3 s.
    pub silence: Duration,
    /// How long the process may take to leave after its input has ended, before it is signalled. 500 ms.
    pub shutdown: Duration,
    /// The longest line, or answer in free text, accepted from the policy; one that is longer ends it. 1 MiB.
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

impl Limits {
    /// For what asks a language model: two minutes a turn, and silence is no sign of a fault for a while.
    pub fn for_models() -> Self {
        Self {
            first: Duration::from_mins(2),
            turn: Duration::from_mins(2),
            silence: Duration::from_secs(30),
            ..Self::default()
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

    #[test]
    fn a_policy_is_called_by_its_program_its_script_or_its_model() {
        for (text, name) in [
            ("./bots/mine --fast", "mine"),
            ("python3 -u bots/random.py x.json", "random.py"),
            ("/usr/bin/python3.12 bot.py", "bot.py"),
            ("sh -c 'exec bot.sh'", "sh"),
            ("llm -m gpt-4.1", "llm"),
            ("--openai http://localhost:1/v1 --model small-2", "small-2"),
        ] {
            assert_eq!(PolicySpec::parse(text).unwrap().name(), name, "{text}");
        }
    }
}
