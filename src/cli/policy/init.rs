//! `gert policy init`: a policy to start from, in one file.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::cli::{Failure, print};
use crate::policy::CommandLine;

/// What `gert policy init` takes.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// In which language
    #[arg(long, value_enum)]
    lang: Lang,
    /// The game it is for; without it, any
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// The file to write [default: policy.py, policy.rs, policy.sh or policy.mjs]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

/// A language that there is a template in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Lang {
    Python,
    Rust,
    Sh,
    Js,
}

impl Lang {
    fn file(self) -> &'static str {
        match self {
            Self::Python => "policy.py",
            Self::Rust => "policy.rs",
            Self::Sh => "policy.sh",
            Self::Js => "policy.mjs",
        }
    }

    fn template(self) -> &'static str {
        match self {
            Self::Python => include_str!("../../../assets/policies/init/policy.py"),
            Self::Rust => include_str!("../../../assets/policies/init/policy.rs"),
            Self::Sh => include_str!("../../../assets/policies/random.sh"),
            Self::Js => include_str!("../../../assets/policies/init/policy.mjs"),
        }
    }

    /// What makes a program of the file, if anything, and what runs it.
    fn commands(self, file: &Path) -> (Option<String>, String) {
        let line = |words: &[&str]| {
            CommandLine { argv: words.iter().map(|word| (*word).to_owned()).collect() }.to_string()
        };
        let name = file.to_string_lossy();
        match self {
            Self::Python => (None, line(&["python3", &name])),
            Self::Sh => (None, line(&["sh", &name])),
            Self::Js => (None, line(&["node", &name])),
            Self::Rust => {
                let program = file.with_extension("");
                let program = program.to_string_lossy();
                let run = if program.contains('/') { program.into_owned() } else { format!("./{program}") };
                (Some(line(&["rustc", "-O", "-o", &run, &name])), line(&[&run]))
            }
        }
    }
}

/// The template in Python, which `gert arena init-bot` writes too.
#[cfg(feature = "arena")]
pub(in crate::cli) fn python() -> &'static str {
    Lang::Python.template()
}

/// Writes a file that must not be there; says so and gives false if it is.
pub(in crate::cli) fn write_new(file: &Path, text: &str) -> Result<bool, Failure> {
    match OpenOptions::new().write(true).create_new(true).open(file) {
        Ok(mut new) => new.write_all(text.as_bytes())?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            eprintln!(
                "gert: `{}` is there already and is not overwritten, there is no `--force`: remove it yourself or \
                 give another name",
                file.display()
            );
            return Ok(false);
        }
        Err(error) => return Err(format!("`{}` cannot be written: {error}", file.display()).into()),
    }
    Ok(true)
}

/// Writes the file, if there is none of that name, and says what to try next.
pub(super) fn run(args: &Args) -> Result<i32, Failure> {
    let file = args.file.clone().unwrap_or_else(|| args.lang.file().into());
    let game = args.game.as_deref().unwrap_or("any game");
    let text = args.lang.template().replacen("A policy for GAME", &format!("A policy for {game}"), 1);
    if !write_new(&file, &text)? {
        return Ok(2);
    }
    let (build, command) = args.lang.commands(&file);
    let game = args.game.as_deref().map(|game| format!("--game {game} ")).unwrap_or_default();
    let build = build.map(|build| format!("  {build}\n")).unwrap_or_default();
    let played = args.game.as_deref().unwrap_or("connect_four");
    print(&format!(
        "wrote {}; next:\n{build}  gert policy check {game}{command}\n  gert policy play --game {played} --policy '{}'\n",
        file.display(),
        command.replace('\'', r"'\''"),
    ))?;
    Ok(0)
}
