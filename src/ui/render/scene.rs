//! What there is to draw: typed panels, without colours or positions.
//!
//! A game's painter makes panels from an observation; [`layout`](super::layout) decides where they go and
//! [`draw`](super::draw) how each looks at the size it gets. Large values are kept by reference and formatted only
//! where they are seen.

use std::borrow::Cow;

use serde_json::Value;

pub use crate::app::fields::Folds;
use crate::ui::theme::{Role, Suit};
use crate::ui::widgets::Align;

/// Panels, most important first within their slot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scene<'a> {
    /// What there is to draw.
    pub panels: Vec<Panel<'a>>,
}

impl<'a> Scene<'a> {
    /// Adds a panel with a plain title.
    pub fn add(&mut self, slot: Slot, title: impl Into<Cow<'a, str>>, body: Body<'a>) {
        let title = title.into();
        let title = if title.is_empty() { Vec::new() } else { vec![Part::new(title, Role::Heading)] };
        self.push(slot, 9, title, body);
    }

    /// Adds a panel with any title.
    pub fn push(&mut self, slot: Slot, priority: u8, title: Words<'a>, body: Body<'a>) {
        self.panels.push(Panel { title, body, slot, priority });
    }
}

/// One part of a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel<'a> {
    /// Its heading; may be empty.
    pub title: Words<'a>,
    /// What it shows.
    pub body: Body<'a>,
    /// Where it would like to be.
    pub slot: Slot,
    /// Where slots share a column, lower comes first; equal ones keep their order.
    pub priority: u8,
}

/// The place a panel asks for. Narrow screens stack the slots in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    /// The thing itself: board, chart.
    Main,
    /// What belongs to it: account, book.
    Side,
    /// What is good to know: the other seats.
    Far,
    /// A strip along the bottom: what happened.
    Foot,
}

/// A piece of text with a role.
#[derive(Debug, Clone, PartialEq)]
pub struct Part<'a> {
    /// Any text; it is cleaned when drawn.
    pub text: Cow<'a, str>,
    /// What it is.
    pub role: Role,
}

impl<'a> Part<'a> {
    /// Text in a role.
    pub fn new(text: impl Into<Cow<'a, str>>, role: Role) -> Self {
        Self { text: text.into(), role }
    }

    /// Text in no particular role.
    pub fn plain(text: impl Into<Cow<'a, str>>) -> Self {
        Self::new(text, Role::Text)
    }
}

/// A line of text.
pub type Words<'a> = Vec<Part<'a>>;

/// The kinds of panels.
#[derive(Debug, Clone, PartialEq)]
pub enum Body<'a> {
    /// Cells in rows and columns: a board, a map.
    Grid(Grid<'a>),
    /// Lines of a chart.
    Series(Series<'a>),
    /// An order book.
    Ladder(Ladder),
    /// Rows with a header.
    Table(Table<'a>),
    /// Values within limits.
    Gauges(Vec<Gauge<'a>>),
    /// Names with values, as many side by side as fit.
    Facts(Vec<Fact<'a>>),
    /// What happened, newest first.
    Log(Vec<Words<'a>>),
    /// Text to wrap.
    Text(Cow<'a, str>),
    /// Texts to wrap, each with a word before it: what was said, what may be chosen, paragraphs.
    Passages(Vec<Passage<'a>>),
    /// JSON with folds.
    Tree(Tree<'a>),
    /// Cards or dice, a row for each holder.
    Hands(Vec<Hand<'a>>),
}

/// Cards or dice that lie together.
#[derive(Debug, Clone, PartialEq)]
pub struct Hand<'a> {
    /// Whose they are, or what.
    pub label: Words<'a>,
    /// From left to right.
    pub faces: Vec<Face>,
    /// Stands behind them.
    pub note: Words<'a>,
    /// Drawn larger than the others where not all can be large.
    pub is_main: bool,
}

/// A card or a die.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Face {
    /// A card that is open.
    Card {
        /// One column: `2` to `9`, `T`, `J`, `Q`, `K`, `A`.
        rank: char,
        /// Its suit.
        suit: Suit,
    },
    /// A card that lies face down.
    CardBack,
    /// The place of a card that may still come.
    CardGap,
    /// A die with 1 to 6 pips; another number is drawn as it is.
    Die(u8, DieLook),
    /// A die under its cup.
    Cup,
}

/// How a die stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DieLook {
    /// Not at all.
    Plain,
    /// It counts.
    Counted,
    /// It steps back behind those that count.
    Quiet,
}

/// A text with what stands before it.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage<'a> {
    /// Who said it, or its number; may be empty.
    pub lead: Words<'a>,
    /// The text.
    pub text: Cow<'a, str>,
    /// It is not what it was a moment ago.
    pub changed: bool,
}

/// A board or map.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid<'a> {
    /// How its cells are drawn.
    pub kind: GridKind,
    /// Cells in a row.
    pub columns: usize,
    /// Row by row, a whole number of rows.
    pub cells: Vec<GridCell<'a>>,
    /// Above the columns: text and role, or nothing.
    pub head: Vec<Vec<Part<'a>>>,
    /// Below the columns, likewise.
    pub foot: Vec<Vec<Part<'a>>>,
    /// Number the rows at the left.
    pub number_rows: bool,
    /// The cell to keep in sight where not all fit, as column and row.
    pub focus: Option<(usize, usize)>,
}

impl Grid<'_> {
    /// Whole rows.
    pub fn rows(&self) -> usize {
        self.cells.len().checked_div(self.columns).unwrap_or(0)
    }
}

/// How the cells of a grid may be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GridKind {
    /// As large discs where there is room.
    Discs,
    /// Two columns a cell, or half a row where there is little room.
    Map,
    /// As text, this many columns wide.
    Text(usize),
    /// Colours: two columns a cell, or half a row.
    Picture,
}

/// One cell.
#[derive(Debug, Clone, PartialEq)]
pub enum GridCell<'a> {
    /// Nothing there.
    Empty,
    /// A value, formatted when it comes into sight; true where it changed.
    Value(&'a Value, bool),
    /// A text.
    Text(Cow<'a, str>, Role),
    /// A seat's disc.
    Disc {
        /// Whose.
        seat: u8,
        /// How it stands out.
        look: DiscLook,
    },
    /// A part of a seat's body, two columns of glyphs.
    Body {
        /// Whose.
        seat: u8,
        /// The two columns.
        glyphs: [char; 2],
    },
    /// Something on the floor, with its glyph.
    Thing(char, Role),
    /// A share of the greatest value, in 255ths; true where it changed.
    Heat(u8, bool),
    /// A pixel: red, green, blue.
    Pixel(u8, u8, u8),
    /// Not a part of the board.
    Outside,
}

/// How a disc stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscLook {
    /// Not at all.
    Plain,
    /// Part of the winning line.
    Winner,
    /// Steps back behind the winning line.
    Quiet,
    /// Not played yet: where it would go.
    Ghost,
    /// The last one that was played.
    Last,
    /// It was another seat's a moment ago.
    Turned,
}

/// A chart.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series<'a> {
    /// Lines, later ones on top.
    pub lines: Vec<SeriesLine<'a>>,
    /// Marks on top of the lines.
    pub marks: Vec<SeriesMark>,
}

/// One line of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct SeriesLine<'a> {
    /// What it is; shown when there are several.
    pub name: Cow<'a, str>,
    /// Its colour.
    pub role: Role,
    /// x and y, by x ascending.
    pub points: Vec<(f64, f64)>,
}

/// A mark in a chart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeriesMark {
    /// Where.
    pub x: f64,
    /// Where.
    pub y: f64,
    /// One column.
    pub glyph: char,
    /// Its colour.
    pub role: Role,
}

/// An order book.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ladder {
    /// Offers to sell, best first.
    pub asks: Vec<Level>,
    /// Offers to buy, best first.
    pub bids: Vec<Level>,
}

/// A price with what is offered there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// The price.
    pub price: f64,
    /// All that is offered.
    pub quantity: f64,
    /// What of it is one's own.
    pub own: f64,
}

/// Rows with a header.
#[derive(Debug, Clone, PartialEq)]
pub struct Table<'a> {
    /// Titles; where the first is empty, the panel's title stands there.
    pub columns: Vec<Column<'a>>,
    /// The rows.
    pub rows: Rows<'a>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Column<'a> {
    /// Its title.
    pub title: Cow<'a, str>,
    /// Where its text stands.
    pub align: Align,
}

impl<'a> Column<'a> {
    /// A column of words.
    pub fn left(title: impl Into<Cow<'a, str>>) -> Self {
        Self { title: title.into(), align: Align::Left }
    }

    /// A column of numbers.
    pub fn right(title: impl Into<Cow<'a, str>>) -> Self {
        Self { title: title.into(), align: Align::Right }
    }
}

/// The rows of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Rows<'a> {
    /// Made already: few.
    Ready(Vec<Words<'a>>),
    /// Objects of like members, formatted as they come into sight. With the objects of a moment ago, by place.
    Objects(Vec<Record<'a>>),
}

impl Rows<'_> {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Self::Ready(rows) => rows.len(),
            Self::Objects(rows) => rows.len(),
        }
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// One row that is an object.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Record<'a> {
    /// Its name, where the table was an object of objects.
    pub name: Option<&'a str>,
    /// Its members are the cells.
    pub now: &'a Value,
    /// The same row a moment ago.
    pub before: Option<&'a Value>,
}

/// A value within limits.
#[derive(Debug, Clone, PartialEq)]
pub struct Gauge<'a> {
    /// What it is.
    pub label: Words<'a>,
    /// The value.
    pub value: f64,
    /// The limit; with `signed`, to both sides of zero.
    pub limit: f64,
    /// Grows from the middle.
    pub signed: bool,
    /// The value in words.
    pub text: Cow<'a, str>,
    /// The bar's colour.
    pub role: Role,
}

/// A name with a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact<'a> {
    /// The name.
    pub key: Cow<'a, str>,
    /// The value.
    pub value: Words<'a>,
    /// What the value was, oldest first.
    pub trend: Vec<f64>,
}

/// JSON with folds.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree<'a> {
    /// Members at the top: name and value, with the value of a moment ago.
    pub roots: Vec<(Cow<'a, str>, &'a Value, Option<&'a Value>)>,
    /// What is open.
    pub folds: Cow<'a, Folds>,
    /// There is an earlier value to compare with, so that what is new can be marked.
    pub compare: bool,
}
