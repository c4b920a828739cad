//! The form of a renderer's file.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::{Problem, values};
use crate::ui::theme::Role;

/// A larger file is none of ours.
pub const MAX_BYTES: usize = 256 * 1024;
/// Panels of a file.
const MAX_PANELS: usize = 24;

/// A file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Renderer {
    /// When it applies.
    pub(super) when: When,
    /// What it draws, in this order.
    #[serde(default, rename = "panel")]
    pub(super) panels: Vec<Panel>,
}

/// When a file applies: all that is told must hold.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct When {
    /// The game's slug; `*` stands for any letters.
    pub(super) game: Option<String>,
    /// Paths that must lead to something.
    pub(super) fields: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Panel {
    pub(super) kind: Kind,
    #[serde(default)]
    pub(super) title: String,
    #[serde(default)]
    pub(super) slot: SlotName,
    /// Where its values are.
    #[serde(default)]
    pub(super) path: Option<String>,
    /// Several paths: facts, lines of a chart.
    #[serde(default)]
    pub(super) paths: Vec<String>,
    /// How the signs of a grid look.
    #[serde(default)]
    pub(super) cells: BTreeMap<String, Look>,
    /// Things on top of a grid, or on an empty board.
    #[serde(default, rename = "layer")]
    pub(super) layers: Vec<Layer>,
    /// Of an empty board: paths or numbers.
    #[serde(default)]
    pub(super) width: Option<Bound>,
    #[serde(default)]
    pub(super) height: Option<Bound>,
    /// Whether the first row is the lowest.
    #[serde(default)]
    pub(super) upwards: bool,
    #[serde(default, rename = "column")]
    pub(super) columns: Vec<Column>,
    /// The limit of a gauge.
    #[serde(default)]
    pub(super) max: Option<Bound>,
    /// A gauge that grows from the middle.
    #[serde(default)]
    pub(super) signed: bool,
    #[serde(default)]
    pub(super) format: Option<Format>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    Grid,
    Table,
    Facts,
    Chart,
    Gauge,
    Text,
    Cards,
    Log,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SlotName {
    #[default]
    Main,
    Side,
    Far,
    Foot,
}

/// A number, or the path to one.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub(super) enum Bound {
    Number(f64),
    Path(String),
}

impl Bound {
    pub(super) fn of(&self, data: &Value) -> Option<f64> {
        let number = match self {
            Self::Number(number) => Some(*number),
            Self::Path(path) => values(data, path).first().and_then(|(_, value)| value.as_f64()),
        };
        number.filter(|number| number.is_finite())
    }
}

/// How a sign looks.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Look {
    /// What is drawn instead; the sign itself without it.
    pub(super) glyph: Option<char>,
    /// What is drawn where there is ASCII only.
    pub(super) ascii: Option<char>,
    pub(super) role: Option<RoleName>,
    /// Explains it below the board.
    pub(super) legend: Option<String>,
}

impl Look {
    /// What is drawn, if not the sign itself.
    pub(super) fn sign(&self, ascii: bool) -> Option<char> {
        self.ascii.filter(|_| ascii).or(self.glyph)
    }
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Layer {
    /// Points: `[x, y]`, `{x, y}`, or lists of these.
    pub(super) path: String,
    pub(super) glyph: char,
    #[serde(default)]
    pub(super) ascii: Option<char>,
    #[serde(default)]
    pub(super) role: RoleName,
    #[serde(default)]
    pub(super) legend: Option<String>,
    /// The points are `[row, column]`.
    #[serde(default)]
    pub(super) rows_first: bool,
}

impl Layer {
    /// What is drawn.
    pub(super) fn sign(&self, ascii: bool) -> char {
        self.ascii.filter(|_| ascii).unwrap_or(self.glyph)
    }
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Column {
    /// Below the row; `/` is the row itself, `@` its name.
    pub(super) path: String,
    #[serde(default)]
    pub(super) title: Option<String>,
    #[serde(default)]
    pub(super) align: Option<AlignName>,
    #[serde(default)]
    pub(super) format: Option<Format>,
    #[serde(default)]
    pub(super) role: RoleName,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum AlignName {
    Left,
    Right,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Format {
    /// No places.
    Whole,
    /// Two places.
    Money,
    /// Two places and a sign.
    Signed,
    /// Times a hundred, with a sign for it.
    Percent,
    /// A mark for true.
    Mark,
}

/// A role that a file may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RoleName {
    #[default]
    Text,
    Strong,
    Dim,
    Accent,
    Money,
    Good,
    Bad,
    Warn,
    Info,
    Food,
    Seat0,
    Seat1,
    Seat2,
    Seat3,
}

impl RoleName {
    pub(super) fn role(self) -> Role {
        match self {
            Self::Text => Role::Text,
            Self::Strong => Role::Strong,
            Self::Dim => Role::Dim,
            Self::Accent => Role::Accent,
            Self::Money => Role::Money,
            Self::Good => Role::Good,
            Self::Bad => Role::Bad,
            Self::Warn => Role::Warn,
            Self::Info => Role::Info,
            Self::Food => Role::Food,
            Self::Seat0 => Role::Seat(0),
            Self::Seat1 => Role::Seat(1),
            Self::Seat2 => Role::Seat(2),
            Self::Seat3 => Role::Seat(3),
        }
    }
}

impl Renderer {
    pub(super) fn applies(&self, game: Option<&str>, data: &Value) -> bool {
        let game_fits =
            self.when.game.as_deref().is_none_or(|glob| game.is_some_and(|game| fits(glob, game)));
        game_fits && self.when.fields.iter().all(|path| !values(data, path).is_empty())
    }
}

/// Whether a name fits a pattern in which `*` stands for any letters.
fn fits(glob: &str, name: &str) -> bool {
    let mut parts = glob.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Reads a file.
pub(super) fn read(name: &str, text: &str) -> Result<Renderer, Problem> {
    let problem = |line: Option<usize>, why: String| Problem { file: name.to_owned(), line, why };
    if text.len() > MAX_BYTES {
        return Err(problem(None, format!("it is larger than {} kB; use fewer panels", MAX_BYTES / 1024)));
    }
    let renderer: Renderer = toml_edit::de::from_str(text).map_err(|why| {
        let line = why.span().map(|span| 1 + text[..span.start.min(text.len())].matches('\n').count());
        let message = crate::text::clean(why.message().trim()).into_owned();
        problem(line, format!("{message}; `assets/renderers/roguelike.toml` explains every part"))
    })?;
    if renderer.when == When::default() {
        return Err(problem(None, "`[when]` needs a `game` or `fields`, or it would draw every game".into()));
    }
    if renderer.panels.is_empty() || renderer.panels.len() > MAX_PANELS {
        return Err(problem(None, format!("it needs between 1 and {MAX_PANELS} `[[panel]]`")));
    }
    for (nth, panel) in renderer.panels.iter().enumerate() {
        check(panel).map_err(|why| {
            let line =
                text.match_indices("[[panel]]").nth(nth).map(|(at, _)| 1 + text[..at].matches('\n').count());
            problem(line, why)
        })?;
    }
    Ok(renderer)
}

fn check(panel: &Panel) -> Result<(), String> {
    let paths = panel.path.iter().chain(&panel.paths).chain(panel.layers.iter().map(|layer| &layer.path));
    for path in paths.chain(panel.columns.iter().map(|column| &column.path).filter(|path| *path != "@")) {
        if !path.starts_with('/') {
            return Err(format!(
                "`{}` is no path: it starts with `/`, like `/hero/hp`",
                crate::text::excerpt(path, 40)
            ));
        }
    }
    let needs = match panel.kind {
        Kind::Facts | Kind::Chart if panel.paths.is_empty() && panel.path.is_none() => "`paths`",
        Kind::Table | Kind::Gauge | Kind::Text | Kind::Cards | Kind::Log if panel.path.is_none() => "`path`",
        Kind::Grid if panel.path.is_none() && (panel.width.is_none() || panel.height.is_none()) => {
            "`path`, or `width` and `height` for its layers"
        }
        Kind::Gauge if panel.max.is_none() => "`max`",
        _ => return Ok(()),
    };
    Err(format!("this panel needs {needs}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stand_for_slugs() {
        let cases = [
            ("chess", "chess", true),
            ("chess", "chess960", false),
            ("chess*", "chess960", true),
            ("*_market", "spot_market", true),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "acb", false),
        ];
        for (glob, name, expected) in cases {
            assert_eq!(fits(glob, name), expected, "{glob} {name}");
        }
    }
}
