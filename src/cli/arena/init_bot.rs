//! `gert arena init-bot`: a player to submit, in one file: the template of `gert policy init` with a game's rules in it.

use std::fmt::Write as _;
use std::path::PathBuf;

use crate::arena::engine::GameSpec;
use crate::arena::games::{self, GAMES};
use crate::cli::policy::init;
use crate::cli::{Failure, print};
use crate::policy::CommandLine;

/// What `gert arena init-bot` takes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The game it is for
    game: String,
    /// In which language: what the arena takes as code
    #[arg(long, value_enum)]
    lang: Lang,
    /// The file to write [default: GAME.py]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Lang {
    Python,
}

/// Writes the file, if there is none of that name, and says what to try next.
pub(super) fn run(args: &Args) -> Result<i32, Failure> {
    let Args { game, lang: Lang::Python, file } = args;
    let Some(game) = games::find(game) else {
        let all: Vec<&str> = GAMES.iter().map(|game| game.spec().slug).collect();
        eprintln!("gert: there is no game `{game}`: the games are `{}`", all.join("`, `"));
        return Ok(2);
    };
    let spec = game.spec();
    let file = file.clone().unwrap_or_else(|| format!("{}.py", spec.slug).into());
    if !init::write_new(&file, &bot(spec))? {
        return Ok(2);
    }
    let name = file.to_string_lossy().into_owned();
    let command = CommandLine { argv: vec!["python3".into(), name.clone()] };
    print(&format!(
        "wrote {name}; next:\n  gert policy check --game {slug} {command}\n  gert policy ladder {command} --game {slug}\n\
         and in Python, with the SDK and the arena:\n  client.submissions.create(game=\"{slug}\", \
         language=\"python\", code=open(\"{name}\").read())\n",
        slug = spec.slug,
    ))?;
    Ok(0)
}

/// The template with what the game is about above its functions.
fn bot(spec: &GameSpec) -> String {
    let template = init::python().replacen("A policy for GAME", &format!("A policy for {}", spec.slug), 1);
    let mut rules = String::from("\n# The rules:\n#\n");
    for line in excerpt(spec.prompt) {
        // Writing into a string cannot fail.
        let _ = writeln!(rules, "{}", format!("# {line}").trim_end());
    }
    template.replacen("\n\n\ndef act(", &format!("\n{rules}\n\ndef act("), 1)
}

/// The rules without their examples.
fn excerpt(prompt: &str) -> impl Iterator<Item = &str> {
    let end = prompt.find("\n## Examples").unwrap_or(prompt.len());
    prompt[..end].trim_end().lines()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_a_player_with_its_rules_in_comments() {
        for game in GAMES {
            let spec = game.spec();
            let bot = bot(spec);
            assert!(bot.contains(&format!("A policy for {}.", spec.slug)));
            assert!(bot.contains("# ## Mechanics") && !bot.contains("## Examples"), "{}", spec.slug);
            let (_, rest) = bot.split_once("# The rules:").unwrap();
            let (rules, rest) = rest.split_once("\n\n\ndef act(").unwrap();
            assert!(rules.lines().skip(1).all(|line| line.starts_with('#')), "{rules}");
            assert!(rest.contains("def main()"));
        }
    }
}
