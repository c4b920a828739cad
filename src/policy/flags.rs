//! What a user types for a policy: flags of ours, then the command.

use std::time::Duration;

use super::command_line::CommandLineError;
use super::spec::{Endpoint, Format, Limits, PolicySpec, Source};

/// The flags that may stand before the command, one a line, for help texts.
pub const FLAGS: &str = "\
--format lines|prompt   JSON lines (the default), or a model's two messages as one line and free text back
--stdin json|text       with text: the messages as plain text on the standard input of a process a turn
--fresh                 a process of its own for every turn
--openai URL            no command but an endpoint like OpenAI's, such as http://localhost:11434/v1
--model NAME            the endpoint's model
--key-env NAME          the environment variable that holds the endpoint's key
--turn-ms N             how long a turn may take
--first-ms N            how long the first turn of a match may take [default: as --turn-ms]
--start-ms N            added to the first turn of a process
--pass-env NAME         pass on a variable of the environment that looks like a secret
--dir DIR               run the command in this folder
--                      what follows is the command";

/// Why a text is no policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// It cannot be split into words, or there are none.
    #[error(transparent)]
    CommandLine(#[from] CommandLineError),
    /// A flag of ours that does not exist.
    #[error(
        "`{flag}` is no flag of a policy; before the command may stand {}; a command whose name starts with a dash \
         follows `--`",
        known()
    )]
    UnknownFlag {
        /// As typed.
        flag: String,
    },
    /// A flag without what has to follow it.
    #[error("`{flag}` needs a value after it")]
    NoValue {
        /// The flag.
        flag: &'static str,
    },
    /// A value that a flag does not take.
    #[error("`{flag} {value}`: {why}")]
    Value {
        /// The flag.
        flag: &'static str,
        /// As typed.
        value: String,
        /// What is wrong with it.
        why: String,
    },
    /// Flags that do not go together, or one that lacks another.
    #[error("{0}")]
    Together(&'static str),
}

/// The names in [`FLAGS`].
fn known() -> String {
    let names = FLAGS.lines().filter_map(|line| line.split(' ').next());
    names.filter(|name| *name != "--").collect::<Vec<_>>().join(", ")
}

/// What was typed before the command.
#[derive(Default)]
struct Typed {
    format: Option<Format>,
    text: bool,
    fresh: bool,
    url: Option<String>,
    model: Option<String>,
    key_env: Option<String>,
    turn: Option<Duration>,
    first: Option<Duration>,
    start: Option<Duration>,
    pass_env: Vec<String>,
    dir: Option<String>,
}

/// Reads flags, then the command.
pub(super) fn read(words: Vec<String>) -> Result<PolicySpec, SpecError> {
    let mut typed = Typed::default();
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next_if(|word| word.starts_with('-') && word != "-") {
        if word == "--" {
            break;
        }
        let (flag, joined) = match word.split_once('=') {
            Some((flag, value)) => (flag.to_owned(), Some(value.to_owned())),
            None => (word, None),
        };
        typed.take(&flag, joined.as_deref(), &mut words)?;
    }
    typed.spec(words.collect())
}

impl Typed {
    fn take(
        &mut self,
        flag: &str,
        joined: Option<&str>,
        words: &mut impl Iterator<Item = String>,
    ) -> Result<(), SpecError> {
        let mut value = |flag: &'static str| {
            joined.map(str::to_owned).or_else(|| words.next()).ok_or(SpecError::NoValue { flag })
        };
        match flag {
            "--format" => self.format = Some(format(value("--format")?)?),
            "--stdin" => self.text = is_text(value("--stdin")?)?,
            "--fresh" if joined.is_none() => self.fresh = true,
            "--openai" => self.url = Some(url(value("--openai")?)?),
            "--model" => self.model = Some(value("--model")?),
            "--key-env" => self.key_env = Some(variable("--key-env", value("--key-env")?)?),
            "--turn-ms" => self.turn = Some(millis("--turn-ms", value("--turn-ms")?)?),
            "--first-ms" => self.first = Some(millis("--first-ms", value("--first-ms")?)?),
            "--start-ms" => self.start = Some(millis("--start-ms", value("--start-ms")?)?),
            "--pass-env" => self.pass_env.push(variable("--pass-env", value("--pass-env")?)?),
            "--dir" => self.dir = Some(value("--dir")?),
            _ => return Err(SpecError::UnknownFlag { flag: flag.to_owned() }),
        }
        Ok(())
    }

    fn spec(self, command: Vec<String>) -> Result<PolicySpec, SpecError> {
        let mut spec = match (self.url, self.model) {
            (Some(url), Some(model)) => {
                let of_commands = self.format.is_some() || self.text || self.fresh;
                if of_commands || self.dir.is_some() || !self.pass_env.is_empty() {
                    return Err(SpecError::Together(
                        "an endpoint is no process: `--format`, `--stdin`, `--fresh`, `--dir` and `--pass-env` are \
                         for commands",
                    ));
                }
                if !command.is_empty() {
                    return Err(SpecError::Together("with `--openai` there is no command after the flags"));
                }
                PolicySpec::endpoint(Endpoint { url, model, key_env: self.key_env })
            }
            (Some(_), None) => {
                return Err(SpecError::Together("`--openai` needs `--model NAME`: which model is to play?"));
            }
            (None, Some(_)) => {
                return Err(SpecError::Together("`--model` needs `--openai URL`: where is it?"));
            }
            (None, None) if self.key_env.is_some() => {
                return Err(SpecError::Together(
                    "`--key-env` is for `--openai`; a command gets a variable by `--pass-env NAME`",
                ));
            }
            (None, None) => {
                if command.first().is_none_or(String::is_empty) {
                    return Err(CommandLineError::Empty.into());
                }
                PolicySpec::new(command)
            }
        };
        if let Source::Command(_) = spec.source {
            spec.format = match (self.format, self.text) {
                (Some(Format::Lines), true) => {
                    return Err(SpecError::Together("`--stdin text` is a form of `--format prompt`"));
                }
                (_, true) => Format::Text,
                (format, false) => format.unwrap_or_default(),
            };
            if spec.answers_in_text() {
                spec.limits = Limits::for_models();
            }
            spec.fresh = self.fresh || spec.format == Format::Text;
            spec.dir = self.dir.map(Into::into);
            spec.pass_env = self.pass_env;
        }
        spec.limits.turn = self.turn.unwrap_or(spec.limits.turn);
        spec.limits.first = self.first.or(self.turn).unwrap_or(spec.limits.first);
        spec.limits.start = self.start.unwrap_or(spec.limits.start);
        Ok(spec)
    }
}

fn wrong(flag: &'static str, value: String, why: impl Into<String>) -> SpecError {
    SpecError::Value { flag, value, why: why.into() }
}

fn format(value: String) -> Result<Format, SpecError> {
    match value.as_str() {
        "lines" => Ok(Format::Lines),
        "prompt" => Ok(Format::Prompt),
        _ => Err(wrong("--format", value, "it is `lines` or `prompt`")),
    }
}

fn is_text(value: String) -> Result<bool, SpecError> {
    match value.as_str() {
        "text" => Ok(true),
        "json" => Ok(false),
        _ => Err(wrong("--stdin", value, "it is `json` or `text`")),
    }
}

fn millis(flag: &'static str, value: String) -> Result<Duration, SpecError> {
    match value.parse::<u64>() {
        Ok(millis) if millis > 0 || flag == "--start-ms" => Ok(Duration::from_millis(millis)),
        _ => Err(wrong(flag, value, "it is a whole number of milliseconds")),
    }
}

/// The error never repeats what may be a key that was put in place of a name.
fn variable(flag: &'static str, value: String) -> Result<String, SpecError> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if value.is_empty() || value.starts_with(|c: char| c.is_ascii_digit()) || !value.chars().all(is_name) {
        return Err(wrong(
            flag,
            "…".into(),
            "it takes the name of an environment variable, not what is in it",
        ));
    }
    Ok(value)
}

/// An address for [`Endpoint::url`]: https, or plain http on this machine.
fn url(value: String) -> Result<String, SpecError> {
    let flag = "--openai";
    let Ok(url) = reqwest::Url::parse(&value) else {
        return Err(wrong(flag, value, "it is an address such as `http://localhost:11434/v1`"));
    };
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong(
            flag,
            "…".into(),
            "an address with a password in it would be logged: use `--key-env`",
        ));
    }
    let host = url.host_str().unwrap_or_default();
    let is_here = host == "localhost"
        || host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
    match url.scheme() {
        "https" => {}
        "http" if is_here => {}
        "http" => return Err(wrong(flag, value, "plain http is for this machine only: use https")),
        _ => return Err(wrong(flag, value, "it begins with https://, or with http:// on this machine")),
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong(flag, value, "it ends with its path, such as `/v1`"));
    }
    let url = value.trim_end_matches('/');
    Ok(url.strip_suffix("/chat/completions").unwrap_or(url).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> PolicySpec {
        PolicySpec::parse(text).unwrap_or_else(|why| panic!("{text}: {why}"))
    }

    #[test]
    fn without_flags_it_is_the_command_as_it_stands() {
        for text in ["python3 -u bot.py --fresh", "-- python3 -u bot.py --fresh"] {
            let spec = parse(text);
            assert_eq!(
                spec,
                PolicySpec::new(["python3", "-u", "bot.py", "--fresh"].map(Into::into).to_vec())
            );
        }
    }

    #[test]
    fn flags_before_the_command_are_ours() {
        let spec =
            parse("--fresh --turn-ms 200 --start-ms=0 --pass-env HF_TOKEN --dir '/my bots' ./bot --dir x");
        assert_eq!(spec.source, Source::Command(["./bot", "--dir", "x"].map(Into::into).to_vec()));
        assert!(spec.fresh);
        let millis = Duration::from_millis;
        assert_eq!(
            (spec.limits.turn, spec.limits.first, spec.limits.start),
            (millis(200), millis(200), millis(0))
        );
        assert_eq!(spec.dir.as_deref(), Some(std::path::Path::new("/my bots")));
        assert_eq!(spec.pass_env, ["HF_TOKEN"]);
        assert_eq!(parse("--turn-ms 200 --first-ms 900 x").limits.first, millis(900));
    }

    #[test]
    fn what_asks_a_model_gets_two_minutes_and_text_a_process_a_turn() {
        let prompt = parse("--format prompt llm");
        assert_eq!((prompt.format, prompt.fresh), (Format::Prompt, false));
        assert_eq!(prompt.limits.turn, Duration::from_mins(2));
        let text = parse("--stdin text ollama run m");
        assert_eq!((text.format, text.fresh), (Format::Text, true));
        let model = parse("--openai http://127.0.0.1:11434/v1/ --model m --key-env K --turn-ms 1000");
        let endpoint = Endpoint {
            url: "http://127.0.0.1:11434/v1".into(),
            model: "m".into(),
            key_env: Some("K".into()),
        };
        assert_eq!(model.source, Source::Endpoint(endpoint));
        assert_eq!(model.limits.turn, Duration::from_secs(1));
        assert!(model.answers_in_text());
    }

    #[test]
    fn an_error_says_what_there_is_or_what_is_missing() {
        for (text, message) in [
            ("", "the command is empty"),
            ("--fresh", "the command is empty"),
            ("--turn-ms", "`--turn-ms` needs a value after it"),
            ("--turn-ms fast bot", "`--turn-ms fast`: it is a whole number of milliseconds"),
            ("--format xml bot", "`--format xml`: it is `lines` or `prompt`"),
            ("--openai http://localhost:1", "`--openai` needs `--model NAME`: which model is to play?"),
            ("--model m bot", "`--model` needs `--openai URL`: where is it?"),
            (
                "--openai http://localhost:1 --model m bot",
                "with `--openai` there is no command after the flags",
            ),
            (
                "--openai http://example.org/v1 --model m",
                "`--openai http://example.org/v1`: plain http is for this machine only: use https",
            ),
            (
                "--openai https://u:hush@example.org/v1 --model m",
                "`--openai …`: an address with a password in it would be logged: use `--key-env`",
            ),
            (
                "--openai https://example.org --model m --key-env sk-hush",
                "`--key-env …`: it takes the name of an environment variable, not what is in it",
            ),
        ] {
            assert_eq!(PolicySpec::parse(text).unwrap_err().to_string(), message, "{text}");
        }
        let unknown = PolicySpec::parse("--frehs bot").unwrap_err().to_string();
        assert!(
            unknown.contains("`--frehs` is no flag") && unknown.contains("--fresh, --openai"),
            "{unknown}"
        );
    }
}
