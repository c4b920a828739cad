//! Splits what a user typed into a program and its arguments.
//!
//! No shell runs it: `$NAME`, `*`, `~`, `|`, `>` and `;` are ordinary characters. Who wants a shell asks for one:
//! `sh -c '…'`.

use std::fmt;
use std::str::FromStr;

/// A command with its arguments, as typed (`"python3 'my bot.py'"`) or as a list.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(try_from = "Written")]
pub struct CommandLine {
    /// The program and its arguments, at least one word.
    pub argv: Vec<String>,
}

impl CommandLine {
    /// Takes a list as it is, without splitting.
    pub fn from_argv(argv: Vec<String>) -> Result<Self, CommandLineError> {
        if argv.first().is_none_or(String::is_empty) {
            return Err(CommandLineError::Empty);
        }
        Ok(Self { argv })
    }
}

impl FromStr for CommandLine {
    type Err = CommandLineError;

    fn from_str(line: &str) -> Result<Self, CommandLineError> {
        Self::from_argv(parse_command_line(line)?)
    }
}

/// Writes a line that splits into the same words again.
impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (idx, word) in self.argv.iter().enumerate() {
            let blank = if idx > 0 { " " } else { "" };
            let plain = |c: char| c.is_alphanumeric() || "-_./:=+,@%".contains(c);
            if !word.is_empty() && word.chars().all(plain) {
                write!(f, "{blank}{word}")?;
            } else {
                write!(f, "{blank}'{}'", word.replace('\'', r"'\''"))?;
            }
        }
        Ok(())
    }
}

/// How a settings file may write a command.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Written {
    Line(String),
    List(Vec<String>),
}

impl TryFrom<Written> for CommandLine {
    type Error = CommandLineError;

    fn try_from(written: Written) -> Result<Self, CommandLineError> {
        match written {
            Written::Line(line) => line.parse(),
            Written::List(argv) => Self::from_argv(argv),
        }
    }
}

/// A line that cannot be split. Positions count characters from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandLineError {
    /// There is no program to run.
    #[error("the command is empty")]
    Empty,
    /// A quote has no end.
    #[error("the {quote} at character {at} has no closing {quote}")]
    OpenQuote {
        /// `'` or `"`.
        quote: char,
        /// Where it opens.
        at: usize,
    },
    /// The line ends in a backslash.
    #[error("the backslash at character {at} has nothing after it to quote")]
    LoneBackslash {
        /// Where it stands.
        at: usize,
    },
}

/// Splits a line into words, the way a POSIX shell does it.
///
/// Blanks separate words. Between single quotes everything stands for itself. Between double quotes too, except a
/// backslash before `"`, `\`, `$` or `` ` ``, which is removed. Elsewhere a backslash quotes the next character
/// (so write Windows paths in single quotes). Quoted and unquoted pieces without a blank between them are one word,
/// and `''` is an empty word.
pub fn parse_command_line(line: &str) -> Result<Vec<String>, CommandLineError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars().zip(1..).peekable();
    while let Some((c, at)) = chars.next() {
        if c.is_whitespace() {
            words.extend(word.take());
            continue;
        }
        let word = word.get_or_insert_default();
        match c {
            '\\' => word.push(chars.next().ok_or(CommandLineError::LoneBackslash { at })?.0),
            '\'' | '"' => loop {
                let (inner, _) = chars.next().ok_or(CommandLineError::OpenQuote { quote: c, at })?;
                if inner == c {
                    break;
                }
                let quoted = if c == '"' && inner == '\\' {
                    chars.next_if(|(next, _)| matches!(next, '"' | '\\' | '$' | '`'))
                } else {
                    None
                };
                word.push(quoted.map_or(inner, |(next, _)| next));
            },
            _ => word.push(c),
        }
    }
    words.extend(word);
    if words.is_empty() { Err(CommandLineError::Empty) } else { Ok(words) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_split_the_way_a_shell_does() {
        for (line, words) in [
            ("python3 bot.py", &["python3", "bot.py"][..]),
            ("  python3\t-u   bot.py\n", &["python3", "-u", "bot.py"]),
            ("'/opt/my bots/bot' --name \"a b\"", &["/opt/my bots/bot", "--name", "a b"]),
            (r"/opt/my\ bots/bot", &["/opt/my bots/bot"]),
            (r#""say \"hi\" \n \\""#, &[r#"say "hi" \n \"#]),
            (r"'C:\bots\bot.exe' x", &[r"C:\bots\bot.exe", "x"]),
            ("a''b \"\" ''", &["ab", "", ""]),
            ("--x='a b'c", &["--x=a bc"]),
            ("a | b > $HOME/*", &["a", "|", "b", ">", "$HOME/*"]),
            ("schüler 'ü b'", &["schüler", "ü b"]),
        ] {
            let words = words.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(parse_command_line(line), Ok(words), "{line}");
        }
    }

    #[test]
    fn an_error_says_where() {
        for (line, message) in [
            ("", "the command is empty"),
            ("   ", "the command is empty"),
            ("ü 'abc", "the ' at character 3 has no closing '"),
            ("a \"b\\\"", "the \" at character 3 has no closing \""),
            ("a b\\", "the backslash at character 4 has nothing after it to quote"),
        ] {
            assert_eq!(
                parse_command_line(line).map_err(|why| why.to_string()),
                Err(message.into()),
                "{line}"
            );
        }
    }

    #[test]
    fn a_settings_file_may_write_a_line_or_a_list() {
        let read = |json: &str| serde_json::from_str::<CommandLine>(json).map(|command| command.argv);
        assert_eq!(read(r#""python3 'a b'""#).expect("a line"), ["python3", "a b"]);
        assert_eq!(read(r#"["a b", "c d"]"#).expect("a list"), ["a b", "c d"]);
        assert!(read("[]").is_err());
        assert!(read(r#""'open""#).is_err());
    }

    proptest! {
        #[test]
        fn what_is_displayed_splits_into_the_same_words(argv in prop::collection::vec(".*", 1..5)) {
            prop_assume!(!argv[0].is_empty());
            let command = CommandLine { argv };
            prop_assert_eq!(command.to_string().parse::<CommandLine>(), Ok(command));
        }
    }
}
