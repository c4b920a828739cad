//! What is wrong with the settings: where, what, and what to do about it.

use std::fmt;
use std::path::PathBuf;

use crate::text::clean;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub at: At,
    /// What is wrong there.
    pub what: String,
    /// What to do about it.
    pub advice: Option<String>,
}

/// Where a setting was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum At {
    /// A file, and the line if it is known, from 1.
    File(PathBuf, Option<usize>),
    /// A flag or a variable, by its name.
    Named(String),
}

impl Problem {
    pub(crate) fn named(name: &str, what: impl fmt::Display) -> Self {
        Self { at: At::Named(name.to_owned()), what: what.to_string(), advice: None }
    }

    pub(crate) fn file(path: PathBuf, line: Option<usize>, what: impl fmt::Display) -> Self {
        Self { at: At::File(path, line), what: what.to_string(), advice: None }
    }

    pub(crate) fn advise(self, advice: impl Into<String>) -> Self {
        Self { advice: Some(advice.into()), ..self }
    }

    /// What is wrong and what to do, without where.
    pub fn words(&self) -> String {
        let advice = self.advice.as_ref().map_or_else(String::new, |advice| format!("; {advice}"));
        clean(&format!("{}{advice}", self.what)).into_owned()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.words())
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path, Some(line)) => write!(f, "{}:{line}", clean(&path.to_string_lossy())),
            Self::File(path, None) => f.write_str(&clean(&path.to_string_lossy())),
            Self::Named(name) => write!(f, "`{name}`"),
        }
    }
}

/// Why the settings cannot be used: at least one problem, shown a line each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError(Vec<Problem>);

impl ConfigError {
    /// Every problem that was found.
    pub fn problems(&self) -> &[Problem] {
        &self.0
    }

    /// An error, if there is any problem.
    pub(crate) fn check(problems: Vec<Problem>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self(problems)) }
    }
}

impl From<Problem> for ConfigError {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, problem) in self.0.iter().enumerate() {
            if nth > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}
