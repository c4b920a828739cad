//! Cards and dice, a row for each holder: as pictures where there is room, else as signs.

use ratatui::text::{Line, Span};

use super::super::scene::{DieLook, Face, Hand};
use super::{words_line, words_width};
use crate::text;
use crate::ui::theme::{Role, Theme};

/// A label is not wider.
const MAX_LABEL: usize = 14;
/// So much of what stands behind faces goes before their size.
const NOTE: usize = 16;
/// Between faces, and before what stands around them.
const GAP: usize = 1;

/// How large faces are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scale {
    /// Dice with their pips, cards in frames.
    Large,
    /// Framed.
    Framed,
    /// One row.
    Sign,
}

impl Scale {
    /// From the largest.
    const ALL: [Self; 3] = [Self::Large, Self::Framed, Self::Sign];

    /// 0 for the largest.
    fn rank(self) -> u8 {
        self as u8
    }

    /// Columns and rows of a face.
    fn size(self, face: Face) -> (usize, usize) {
        match (self, face) {
            (Self::Large, Face::Die(..) | Face::Cup) => (7, 5),
            (Self::Large | Self::Framed, _) => (5, 3),
            (Self::Sign, Face::Die(..) | Face::Cup) => (3, 1),
            (Self::Sign, _) => (2, 1),
        }
    }

    /// Rows of a hand.
    fn rows(self, hand: &Hand<'_>) -> usize {
        hand.faces.iter().map(|face| self.size(*face).1).max().unwrap_or(1)
    }

    fn columns(self, hand: &Hand<'_>) -> usize {
        hand.faces.iter().map(|face| self.size(*face).0 + GAP).sum()
    }
}

fn label_width(hands: &[Hand<'_>]) -> usize {
    let widest = hands.iter().map(|hand| words_width(&hand.label)).max().unwrap_or(0).min(MAX_LABEL);
    if widest > 0 { widest + GAP } else { 0 }
}

/// How large the main hands and the others are drawn.
type Scales = (Scale, Scale);

/// All ways to draw that fit a width, the highest first. Where what stands behind the faces fits, too, it shall.
fn ways(hands: &[Hand<'_>], width: usize) -> Vec<(Scales, usize)> {
    let label = label_width(hands);
    let fits = |scales: &Scales, with_notes: bool| {
        hands.iter().all(|hand| {
            let note = if with_notes { GAP + words_width(&hand.note).min(NOTE) } else { 0 };
            label + of(hand, *scales).columns(hand) + note <= width + GAP
        })
    };
    let pairs = Scale::ALL.iter().flat_map(|main| Scale::ALL.map(|other| (*main, other)));
    let pairs = pairs.filter(|(main, other)| main.rank() <= other.rank());
    let mut ways: Vec<_> = [true, false]
        .iter()
        .map(|with_notes| pairs.clone().filter(|pair| fits(pair, *with_notes)).collect::<Vec<Scales>>())
        .find(|ways| !ways.is_empty())
        .unwrap_or_else(|| vec![(Scale::Sign, Scale::Sign)])
        .into_iter()
        .map(|scales| (scales, hands.iter().map(|hand| of(hand, scales).rows(hand)).sum()))
        .collect();
    ways.sort_by_key(|(_, height): &(Scales, usize)| std::cmp::Reverse(*height));
    ways
}

fn of(hand: &Hand<'_>, (main, other): Scales) -> Scale {
    if hand.is_main { main } else { other }
}

/// Least and greatest height at a width.
pub(super) fn heights(hands: &[Hand<'_>], width: usize) -> (u16, u16) {
    let most = ways(hands, width).first().map_or(hands.len(), |(_, height)| *height);
    (hands.len().min(500) as u16, most.min(500) as u16)
}

/// The greatest height up to `height` that they have use for.
pub(super) fn fitting(hands: &[Hand<'_>], width: usize, height: u16) -> u16 {
    let found = ways(hands, width).into_iter().find(|(_, rows)| *rows <= usize::from(height));
    found.map_or(height, |(_, rows)| rows as u16)
}

/// Columns that all hands take at the largest scale that fits the room.
pub(super) fn width(hands: &[Hand<'_>], room: usize) -> usize {
    let wished = Scale::ALL.map(|scale| {
        let row = |hand: &Hand<'_>| scale.columns(hand) + GAP + words_width(&hand.note);
        label_width(hands) + hands.iter().map(row).max().unwrap_or(0)
    });
    wished.into_iter().find(|wide| *wide <= room).unwrap_or(wished[2]).clamp(20, 200)
}

/// The lines of all hands, at the largest scales for which all of them fit.
pub(super) fn lines(hands: &[Hand<'_>], width: usize, height: usize, theme: &Theme) -> Vec<Line<'static>> {
    let found = ways(hands, width).into_iter().find(|(_, rows)| *rows <= height);
    let scales = found.map_or((Scale::Sign, Scale::Sign), |(scales, _)| scales);
    let label = label_width(hands).min(width);
    hands.iter().flat_map(|hand| rows(hand, of(hand, scales), label, width, theme)).collect()
}

fn rows(hand: &Hand<'_>, scale: Scale, label: usize, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let high = scale.rows(hand);
    let faces: Vec<[Span<'static>; 5]> = hand.faces.iter().map(|face| draw(*face, scale, theme)).collect();
    let row = |nth: usize| {
        let middle = nth == high / 2;
        let mut line = if middle { words_line(&hand.label, label, theme) } else { Line::default() };
        line.push_span(Span::raw(" ".repeat(label.saturating_sub(line.width()))));
        for face in &faces {
            line.push_span(face[nth].clone());
            line.push_span(Span::raw(" "));
        }
        if middle {
            let room = width.saturating_sub(line.width());
            line.spans.extend(words_line(&hand.note, room, theme).spans);
        }
        line
    };
    (0..high).map(row).collect()
}

/// The rows of a face; only as many as the scale has are used.
fn draw(face: Face, scale: Scale, theme: &Theme) -> [Span<'static>; 5] {
    let (inside, role) = sign(face, theme);
    let style = theme.style(role);
    let rows: Vec<String> = match (scale, face) {
        (Scale::Sign, Face::Die(_, DieLook::Quiet)) => vec![format!(" {inside} ")],
        (Scale::Sign, Face::Die(..) | Face::Cup) => vec![format!("[{inside}]")],
        (Scale::Sign, _) => vec![inside],
        (Scale::Large, Face::Die(number @ 1..=6, look)) => framed(look, &pips(number)),
        (Scale::Large, Face::Die(_, look)) => framed(look, &["", &format!("  {inside}"), ""]),
        (Scale::Large, Face::Cup) => framed(DieLook::Plain, &["", "  ?", ""]),
        (Scale::Framed, Face::Die(_, look)) => framed(look, &[&format!(" {inside} ")]),
        (Scale::Framed, Face::Cup) => framed(DieLook::Plain, &[" ? "]),
        (_, Face::CardGap) => ["╭╌ ╌╮", "     ", "╰╌ ╌╯"].map(str::to_owned).into(),
        (_, Face::CardBack) => framed(DieLook::Plain, &["▒▒▒"]),
        (_, Face::Card { .. }) => framed(DieLook::Plain, &[&inside]),
    };
    let mut rows = rows.into_iter().map(|row| Span::styled(row, style));
    std::array::from_fn(|_| rows.next().unwrap_or_default())
}

/// The sign of a face in one row, and its role.
fn sign(face: Face, theme: &Theme) -> (String, Role) {
    match face {
        Face::Card { rank, suit } => {
            let suit_sign = if theme.ascii { suit.letter() } else { suit.glyph() };
            (format!("{rank}{suit_sign}"), Role::Suit(suit))
        }
        Face::CardBack => ("▒▒".to_owned(), Role::Dim),
        Face::CardGap => ("··".to_owned(), Role::Border),
        Face::Die(number, look) => {
            let role = match look {
                DieLook::Plain => Role::Strong,
                DieLook::Counted => Role::Changed,
                DieLook::Quiet => Role::Dim,
            };
            (number.to_string(), role)
        }
        Face::Cup => ("?".to_owned(), Role::Dim),
    }
}

/// Rows in a frame: what counts has a heavy one, what steps back has none.
fn framed(look: DieLook, rows: &[&str]) -> Vec<String> {
    let inner = rows.iter().map(|row| text::width(row)).max().unwrap_or(0);
    let inner = if rows.len() > 1 { 5 } else { inner.max(3) };
    let [top, side, low] = match look {
        DieLook::Plain => [['╭', '─', '╮'], ['│', ' ', '│'], ['╰', '─', '╯']],
        DieLook::Counted => [['┏', '━', '┓'], ['┃', ' ', '┃'], ['┗', '━', '┛']],
        DieLook::Quiet => [[' '; 3]; 3],
    };
    let edge = |[left, line, right]: [char; 3]| format!("{left}{}{right}", line.to_string().repeat(inner));
    let mut all = vec![edge(top)];
    all.extend(rows.iter().map(|row| format!("{}{}{}", side[0], text::pad(row, inner), side[2])));
    all.push(edge(low));
    all
}

/// Pips as they lie on a die.
fn pips(number: u8) -> [&'static str; 3] {
    match number {
        1 => ["     ", "  ●  ", "     "],
        2 => ["●    ", "     ", "    ●"],
        3 => ["●    ", "  ●  ", "    ●"],
        4 => ["●   ●", "     ", "●   ●"],
        5 => ["●   ●", "  ●  ", "●   ●"],
        _ => ["●   ●", "●   ●", "●   ●"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::render::scene::Part;
    use crate::ui::theme::{ColorDepth, Suit};

    const PLAIN: Theme = Theme::new(ColorDepth::None, false);

    fn drawn(hands: &[Hand<'_>], (width, height): (usize, usize), theme: &Theme) -> Vec<String> {
        let line = |line: Line<'_>| line.spans.iter().map(|span| span.content.as_ref()).collect::<String>();
        lines(hands, width, height, theme).into_iter().map(|row| line(row).trim_end().to_owned()).collect()
    }

    fn hand(faces: Vec<Face>) -> [Hand<'static>; 1] {
        [Hand { label: vec![Part::plain("p0")], faces, note: vec![Part::plain("out")], is_main: false }]
    }

    #[test]
    fn faces_take_the_largest_form_that_fits() {
        let dice = hand(vec![Face::Die(5, DieLook::Plain), Face::Die(2, DieLook::Counted), Face::Cup]);
        assert_eq!(drawn(&dice, (40, 1), &PLAIN), ["p0 [5] [2] [?] out"]);
        assert_eq!(
            drawn(&dice, (40, 3), &PLAIN),
            ["   ╭───╮ ┏━━━┓ ╭───╮", "p0 │ 5 │ ┃ 2 ┃ │ ? │ out", "   ╰───╯ ┗━━━┛ ╰───╯"]
        );
        let large = drawn(&dice, (40, 5), &PLAIN);
        assert_eq!(large[1], "   │●   ●│ ┃●    ┃ │     │");
        assert_eq!(large[2], "p0 │  ●  │ ┃     ┃ │  ?  │ out");
        assert_eq!(drawn(&dice, (12, 5), &PLAIN).len(), 1);
        assert_eq!(heights(&dice, 40), (1, 5));
    }

    #[test]
    fn the_main_hand_grows_first() {
        let [other] = hand(vec![Face::Cup; 2]);
        let hands = [Hand { is_main: true, ..other.clone() }, other.clone(), other];
        assert_eq!([3, 4, 5, 7, 8, 9, 30].map(|height| fitting(&hands, 40, height)), [3, 3, 5, 7, 7, 9, 15]);
        let rows = drawn(&hands, (40, 5), &PLAIN);
        assert_eq!(rows[1..], ["p0 │ ? │ │ ? │ out", "   ╰───╯ ╰───╯", "p0 [?] [?] out", "p0 [?] [?] out"]);
    }

    #[test]
    fn cards_keep_their_suits_without_colours_and_without_glyphs() {
        let cards = hand(Suit::ALL.map(|suit| Face::Card { rank: 'T', suit }).into());
        assert_eq!(drawn(&cards, (40, 1), &PLAIN), ["p0 T♣ T♦ T♥ T♠ out"]);
        let ascii = Theme::new(ColorDepth::None, true);
        assert_eq!(drawn(&cards, (40, 1), &ascii), ["p0 Tc Td Th Ts out"]);
        assert_eq!(drawn(&cards, (40, 3), &PLAIN)[1], "p0 │T♣ │ │T♦ │ │T♥ │ │T♠ │ out");
    }
}
