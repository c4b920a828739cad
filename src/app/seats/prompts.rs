//! The exact messages that the platform would send a model for what a seat sees, and the examples in a game's rules.

use crate::app::App;
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::live::Tone;
use crate::app::overlay::Overlay;
use crate::app::panes::play::read_action;
use crate::rollout::{Observation, format_observation, system_prompt};

/// What most terminals take for their clipboard, before it is encoded.
const CLIPBOARD: usize = 74_994;
/// Examples kept of a game's rules.
const EXAMPLES: usize = 20;
/// Letters of text a token stands for, roughly.
const LETTERS_A_TOKEN: usize = 4;

/// The two messages of a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptView {
    /// The tick they are for.
    pub tick: u64,
    /// The system message, or why there is none.
    pub system: Result<String, String>,
    /// The user message, or why there is none.
    pub user: Result<String, String>,
    /// Whether the user message is on screen.
    pub shows_user: bool,
    /// First line on screen.
    pub scroll: usize,
}

impl PromptView {
    /// The message on screen.
    pub fn part(&self) -> &Result<String, String> {
        if self.shows_user { &self.user } else { &self.system }
    }

    /// About how many tokens a text is; models count differently.
    pub fn tokens(text: &str) -> usize {
        text.chars().count().div_ceil(LETTERS_A_TOKEN)
    }
}

impl App {
    /// Shows what a model would be shown for the newest observation of the seat on screen.
    pub(in crate::app) fn show_prompt(&mut self) {
        let Some(seat) = self.play.seat() else { return };
        let record = seat.live.view.game.as_deref().and_then(|game| self.games.detail(game));
        let system = match record {
            Some(record) => Ok(system_prompt(record.prompt.as_deref())),
            None => Err("the rules of the game are not here yet".to_owned()),
        };
        // The bytes of the wire, as the platform takes them.
        let user = match seat.live.view.observation_text() {
            Some(text) => format_observation(Observation::Text(&text)).map_err(|why| why.to_string()),
            None => Err("nothing was observed yet".to_owned()),
        };
        let tick = seat.live.view.tick;
        let view = PromptView { tick, system, user, shows_user: true, scroll: 0 };
        self.overlay = Some(Overlay::Prompt(view));
    }

    pub(in crate::app) fn typed_at_prompt(&mut self, key: Key, mut view: PromptView) -> Vec<Effect> {
        let (page, most) = (self.screen().text_rows.max(1), self.screen().max_scroll());
        let mut effects = Vec::new();
        let next = match key.code {
            KeyCode::Tab | KeyCode::BackTab | KeyCode::Left | KeyCode::Right => {
                view.shows_user = !view.shows_user;
                0
            }
            KeyCode::Char('y') => {
                effects.extend(self.copy(view.part()));
                view.scroll
            }
            KeyCode::Down | KeyCode::Char('j') => view.scroll + 1,
            KeyCode::Up | KeyCode::Char('k') => view.scroll.saturating_sub(1),
            KeyCode::PageDown | KeyCode::Char(' ') => view.scroll + page,
            KeyCode::PageUp => view.scroll.saturating_sub(page),
            KeyCode::Home | KeyCode::Char('g') => 0,
            KeyCode::End | KeyCode::Char('G') => most,
            _ => return effects,
        };
        view.scroll = next.min(most);
        self.overlay = Some(Overlay::Prompt(view));
        effects
    }

    fn copy(&mut self, part: &Result<String, String>) -> Option<Effect> {
        let text = part.as_ref().ok()?.clone();
        let bytes = text.len();
        if bytes > CLIPBOARD {
            let words = format!("copied {bytes} bytes; many terminals keep only the first {CLIPBOARD}");
            self.toast(Tone::Warn, words);
        } else {
            self.toast(Tone::Good, format!("copied {bytes} bytes, if the terminal allows it (OSC 52)"));
        }
        Some(Effect::Copy(text))
    }
}

/// The actions that rules show: in fenced blocks, and in code within a line.
pub(super) fn examples(rules: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut keep = |text: &str| {
        let is_new = |action: &str| action.len() > 2 && !found.iter().any(|other| other == action);
        if let Ok(action) = read_action(text.trim())
            && found.len() < EXAMPLES
            && is_new(&action)
        {
            found.push(action.to_string());
        }
    };
    let mut fence: Option<String> = None;
    for line in rules.lines() {
        let is_fence = line.trim_start().starts_with("```");
        match (&mut fence, is_fence) {
            (None, true) => fence = Some(String::new()),
            (None, false) => line.split('`').skip(1).step_by(2).for_each(&mut keep),
            (Some(block), false) => {
                block.push_str(line);
                block.push('\n');
            }
            (Some(block), true) => {
                let block = std::mem::take(block);
                fence = None;
                // One action over several lines, or one a line.
                if read_action(block.trim()).is_ok() {
                    keep(&block);
                } else {
                    block.lines().for_each(&mut keep);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_found_in_blocks_and_in_lines() {
        let rules = "Play `{\"a\":1}` or `[]` or `x`.\n\n```json\n{\n  \"a\": 2\n}\n```\n```\n{\"a\":3}\n{\"a\":1}\nno\n```\n```json\n{\"a\":4}";
        assert_eq!(examples(rules), ["{\"a\":1}", "{\n  \"a\": 2\n}", "{\"a\":3}"]);
    }
}
