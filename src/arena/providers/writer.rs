//! The writer of programs that needs no network: it fills templates of real bots with constants that it draws, and in a
//! session with tools it plays the part of a model. The same stream, the same words.
//!
//! A template is a whole program. What may vary stands in lines like `DEPTH = 3  #: 1..5`.

mod knobs;

use serde_json::{Value, json};

use self::knobs::Knob;
use crate::arena::engine::rng::{Pcg, mix};
use crate::arena::generation::line::tool_use;
use crate::arena::generation::workspace::{PROGRAM, Workspace};

/// Its id as a provider.
pub const PROVIDER_ID: &str = "program-writer";

/// Its name, which says what it is.
pub const NAME: &str = "program-writer (offline, templates)";

/// How good its templates are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Draws from the listed actions, whatever the game.
    Small,
    /// Programs of the game's own.
    Large,
}

impl Size {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Small, Self::Large];

    /// The model's name.
    pub fn model(self) -> &'static str {
        match self {
            Self::Small => "templates-small",
            Self::Large => "templates-large",
        }
    }

    /// The model of this name.
    pub fn from_model(model: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|size| size.model() == model)
    }
}

/// A program, and which game it is for; any when that is empty.
struct Template {
    game: &'static str,
    text: &'static str,
}

macro_rules! templates {
    ($($game:literal $name:literal),* $(,)?) => {
        &[$(Template { game: $game, text: include_str!(concat!("../../../assets/writer/", $name, ".py")) }),*]
    };
}

const TEMPLATES: &[Template] = templates![
    "" "any.weights",
    "" "any.heaviest",
    "connect_four" "connect_four.rules",
    "connect_four" "connect_four.search",
    "grid_serpents" "grid_serpents.food",
    "grid_serpents" "grid_serpents.room",
    "liars_dice" "liars_dice.odds",
    "market_simulator" "market_simulator.quotes",
    "market_simulator" "market_simulator.return",
    "multi_reversi" "multi_reversi.mobility",
    "multi_reversi" "multi_reversi.places",
    "pot_limit_omaha_hilo" "pot_limit_omaha_hilo.hand",
];

/// Where a session stands, as far as the writer cares.
#[derive(Debug, Clone, Copy)]
pub struct Situation<'a> {
    /// The game's slug.
    pub game: &'a str,
    /// The files as they are.
    pub workspace: &'a Workspace,
    /// Decides everything.
    pub stream: u64,
}

/// A program for a game.
pub fn program(size: Size, game: &str, stream: u64) -> String {
    let own: Vec<&Template> =
        TEMPLATES.iter().filter(|template| size == Size::Large && template.game == game).collect();
    let any = || TEMPLATES.iter().filter(|template| template.game.is_empty()).collect();
    let fitting: Vec<&Template> = if own.is_empty() { any() } else { own };
    let mut rng = Pcg::new(mix(&[stream, 0x7E3F]));
    let text = fitting[rng.below(fitting.len() as u64) as usize].text;
    knobs::fill(text, &mut rng)
}

/// The answer to a question for a whole program.
pub fn one_shot(size: Size, game: &str, stream: u64) -> String {
    format!("A template with constants drawn anew:\n\n```python\n{}```\n", program(size, game, stream))
}

/// The next turn of a session: blocks, the thought first.
pub fn answer(size: Size, now: &Situation<'_>) -> Vec<Value> {
    let mut rng = Pcg::new(mix(&[now.stream, 0xA5]));
    let Some(text) = now.workspace.program() else {
        return turn("There is no program yet: start from a template.", vec![write(size, now)]);
    };
    let knobs = knobs::read(text);
    match rng.below(6) {
        0 => turn(
            "See how it does before changing anything.",
            vec![tool_use("run_evaluation", json!({ "match_count": 1 }))],
        ),
        1..=2 if !knobs.is_empty() => turn(
            "Read the log and the constants, then move one of them.",
            vec![
                tool_use("read_logs", json!({})),
                tool_use("read_file", json!({ "path": PROGRAM })),
                edit(&knobs, &mut rng),
            ],
        ),
        3..=4 if !knobs.is_empty() => {
            turn("Move a constant and look again.", vec![patch(text, &knobs, &mut rng)])
        }
        _ => turn("Another template may do better.", vec![write(size, now)]),
    }
}

fn turn(thought: &str, calls: Vec<Value>) -> Vec<Value> {
    let mut blocks = vec![json!({ "type": "reasoning", "text": thought })];
    blocks.extend(calls);
    blocks
}

fn write(size: Size, now: &Situation<'_>) -> Value {
    let content = program(size, now.game, now.stream);
    tool_use("write_workspace_file", json!({ "path": PROGRAM, "content": content }))
}

fn edit(knobs: &[Knob<'_>], rng: &mut Pcg) -> Value {
    let knob = &knobs[rng.below(knobs.len() as u64) as usize];
    let arguments = json!({ "path": PROGRAM, "old_string": knob.line, "new_string": knob.drawn(rng) });
    tool_use("edit_file", arguments)
}

/// The same as a diff, with the lines around it.
fn patch(text: &str, knobs: &[Knob<'_>], rng: &mut Pcg) -> Value {
    let knob = &knobs[rng.below(knobs.len() as u64) as usize];
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| *line == knob.line).unwrap_or_default();
    let beside = |at: Option<usize>| at.and_then(|at| lines.get(at)).map(|line| format!(" {line}\n"));
    let (before, after) = (beside(at.checked_sub(1)), beside(Some(at + 1)));
    let diff = format!(
        "--- a/{PROGRAM}\n+++ b/{PROGRAM}\n@@ -{0} +{0} @@\n{1}-{2}\n+{3}\n{4}",
        at.max(1),
        before.unwrap_or_default(),
        knob.line,
        knob.drawn(rng),
        after.unwrap_or_default(),
    );
    tool_use("apply_patch", json!({ "patch": diff }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::games::GAMES;

    #[test]
    fn every_game_has_programs_that_differ_by_stream_and_by_nothing_else() {
        for game in GAMES {
            let slug = game.spec().slug;
            for size in Size::ALL {
                let programs: Vec<String> = (0..20).map(|stream| program(size, slug, stream)).collect();
                assert_eq!(programs[7], program(size, slug, 7));
                assert!(
                    programs.iter().all(|text| text.contains("def act(observation, seat, info)")),
                    "{slug}"
                );
                let distinct: std::collections::HashSet<&String> = programs.iter().collect();
                assert!(distinct.len() > 10, "{slug}");
            }
        }
        assert!(TEMPLATES.iter().all(|template| !knobs::read(template.text).is_empty()));
    }

    #[test]
    fn its_calls_fit_what_it_wrote() {
        // A session of 60 turns in which no edit may fail, for each game.
        for game in GAMES {
            let slug = game.spec().slug;
            let mut workspace = Workspace::default();
            let mut tools = std::collections::HashSet::new();
            for stream in 0..60 {
                let now = Situation { game: slug, workspace: &workspace, stream };
                for block in answer(Size::Large, &now).into_iter().filter(|block| block["type"] == "tool_use")
                {
                    let tool = block["name"].as_str().unwrap().to_owned();
                    let result = workspace.call(&tool, &block["input"]);
                    assert!(result.is_none_or(|result| result.get("error").is_none()), "{slug}: {block}");
                    tools.insert(tool);
                }
            }
            for tool in ["write_workspace_file", "edit_file", "apply_patch", "run_evaluation", "read_file"] {
                assert!(tools.contains(tool), "{slug} without {tool}");
            }
        }
    }
}
