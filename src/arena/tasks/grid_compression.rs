//! `grid_compression`: draw a picture with few rectangles and lines.

mod peel;

use serde_json::{Value, json};

use super::answer::{self, Fuel, Refusal};
use super::level::Level;
use super::prompt::{ONE_ACTION, POINTS, Section, UNREADABLE};
use super::{Instance, Kind, Score, Variant, VariantSpec, hard_enough};
use crate::arena::engine::rng::Pcg;

/// The variant.
pub(super) struct GridCompression;

static SPEC: VariantSpec = VariantSpec {
    name: "grid_compression",
    kind: Kind::Compression,
    weight: 1.0,
    version: 1,
    title: "Grid compression",
    is_exact: true,
    rules: &[
        Section {
            title: "Problem",
            sentences: &[
                [
                    "`rows` is a square picture, row by row from the top, each cell a colour; `0` is the empty ground.",
                    "In `rows` there is a square picture from its top row down; a cell is a colour, and `0` the ground.",
                    "The rows of a square picture are in `rows`, the top one first; cells hold colours, the empty ground is `0`.",
                ],
                [
                    "It was drawn with filled rectangles and straight lines, later ones over earlier ones.",
                    "Filled rectangles and straight lines were drawn over each other to make it.",
                    "What made it are filled rectangles and straight lines, where the later covers the earlier.",
                ],
                [
                    "Draw it with as few operations as you can.",
                    "Find as short a list of operations for it as possible.",
                    "State the operations that draw it, the fewer the better.",
                ],
            ],
        },
        Section {
            title: "Answer",
            sentences: &[
                ONE_ACTION,
                [
                    "Its form is `{\"action\":\"draw\",\"ops\":[[\"rect\",x,y,width,height,colour],[\"line\",x,y,dx,dy,length,colour]]}`.",
                    "Send `{\"action\":\"draw\",\"ops\":[[\"rect\",x,y,width,height,colour],[\"line\",x,y,dx,dy,length,colour]]}`, with numbers for the names.",
                    "It looks like `{\"action\":\"draw\",\"ops\":[[\"rect\",x,y,width,height,colour],[\"line\",x,y,dx,dy,length,colour]]}`.",
                ],
                [
                    "All are whole numbers; `x` counts from the left and `y` from the top, both from 0.",
                    "Only whole numbers are allowed; from 0 on, `x` counts to the right and `y` down.",
                    "Use whole numbers; columns `x` and rows `y` are counted from 0, left and top.",
                ],
                [
                    "A line takes a step of `dx` and `dy`, each -1, 0 or 1, from cell to cell.",
                    "From a cell of a line to the next it is `dx` to the right and `dy` down, each of them -1, 0 or 1.",
                    "The steps of a line are `dx` and `dy`; allowed are -1, 0 and 1.",
                ],
                [
                    "Operations are drawn in their order, and everything must lie inside the picture.",
                    "Nothing may reach out of the picture; the order of the list is the order of drawing.",
                    "They are drawn one after the other, none of them beyond the edge.",
                ],
            ],
        },
        Section {
            title: "Scoring",
            sentences: &[
                [
                    "The drawing must be the picture exactly, or it gets 0 points.",
                    "A drawing that is not exactly the picture is worth 0 points.",
                    "There are 0 points unless the picture is met in every cell.",
                ],
                POINTS,
                [
                    "As many operations as there are runs of one colour in the rows get 0, as many as it was made with 1, and what lies between a share.",
                    "One operation for each run of a colour in the rows is worth 0, the number it was made with 1, with shares between.",
                    "Between an operation for every run of a colour in the rows, for 0, and as many as it was made with, for 1, they grow with what is saved.",
                ],
                UNREADABLE,
            ],
        },
    ],
};

/// The most operations that are read: far more than there are cells to draw one by one.
const MOST_OPS: usize = 2_000;

/// Cells, row by row.
#[derive(Debug, Clone, PartialEq)]
struct Picture {
    side: usize,
    cells: Vec<u8>,
}

/// Something that is drawn: cells in a row, so many steps apart, or a rectangle of them.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Op {
    Rect { x: usize, y: usize, width: usize, height: usize, colour: u8 },
    Line { x: usize, y: usize, dx: i64, dy: i64, length: usize, colour: u8 },
}

impl Op {
    fn read(value: &Value, side: usize) -> Option<Self> {
        let (name, numbers) = value.as_array()?.split_first()?;
        let numbers: Vec<i64> = numbers.iter().map(Value::as_i64).collect::<Option<_>>()?;
        let inside = |number: i64| usize::try_from(number).ok().filter(|number| *number < side);
        let colour = |number: i64| u8::try_from(number).ok().filter(|colour| *colour < 10);
        match (name.as_str()?, &numbers[..]) {
            ("rect", &[x, y, width, height, c]) => {
                inside(x.checked_add(width)?.checked_sub(1)?)?;
                inside(y.checked_add(height)?.checked_sub(1)?)?;
                let [width, height] =
                    [width, height].map(|length| usize::try_from(length).ok().filter(|n| *n > 0));
                let (width, height) = (width?, height?);
                Some(Self::Rect { x: inside(x)?, y: inside(y)?, width, height, colour: colour(c)? })
            }
            ("line", &[x, y, dx, dy, length, c]) => {
                let is_step = (-1..=1).contains(&dx) && (-1..=1).contains(&dy);
                if !is_step || !(1..=side as i64).contains(&length) {
                    return None;
                }
                let (x, y) = (inside(x)?, inside(y)?);
                inside(x as i64 + dx * (length - 1))?;
                inside(y as i64 + dy * (length - 1))?;
                Some(Self::Line { x, y, dx, dy, length: length as usize, colour: colour(c)? })
            }
            _ => None,
        }
    }

    fn json(self) -> Value {
        match self {
            Self::Rect { x, y, width, height, colour } => json!(["rect", x, y, width, height, colour]),
            Self::Line { x, y, dx, dy, length, colour } => json!(["line", x, y, dx, dy, length, colour]),
        }
    }

    fn colour(self) -> u8 {
        match self {
            Self::Rect { colour, .. } | Self::Line { colour, .. } => colour,
        }
    }

    /// How many cells it covers.
    fn area(self) -> usize {
        match self {
            Self::Rect { width, height, .. } => width * height,
            Self::Line { length, .. } => length,
        }
    }

    /// The cells that it covers, by their places.
    fn cells(self, side: usize) -> Vec<usize> {
        match self {
            Self::Rect { x, y, width, height, .. } => {
                (y..y + height).flat_map(|y| (x..x + width).map(move |x| y * side + x)).collect()
            }
            Self::Line { x, y, dx, dy, length, .. } => {
                let step = dy * side as i64 + dx;
                (0..length as i64).map(|nth| ((y * side + x) as i64 + nth * step) as usize).collect()
            }
        }
    }
}

impl Picture {
    fn empty(side: usize) -> Self {
        Self { side, cells: vec![0; side * side] }
    }

    fn draw(&mut self, op: Op) {
        for cell in op.cells(self.side) {
            self.cells[cell] = op.colour();
        }
    }

    /// The runs of one colour in the rows, the ground aside: each could be drawn by one operation.
    fn runs(&self) -> Vec<Op> {
        let mut runs = Vec::new();
        for (y, row) in self.cells.chunks(self.side).enumerate() {
            let mut x = 0;
            for run in row.chunk_by(|a, b| a == b) {
                if run[0] != 0 {
                    runs.push(Op::Rect { x, y, width: run.len(), height: 1, colour: run[0] });
                }
                x += run.len();
            }
        }
        runs
    }
}

struct Drawing {
    picture: Picture,
    /// Operations that it was made with.
    made_with: usize,
    /// Operations of drawing it run by run.
    runs: usize,
}

impl Variant for GridCompression {
    fn spec(&self) -> &'static VariantSpec {
        &SPEC
    }

    fn draw(&self, seed: u64, level: Level) -> Box<dyn Instance> {
        let mut rng = Pcg::new(seed);
        Box::new(hard_enough(level, || drawing(&mut rng, level)))
    }
}

/// A picture in which every operation can still be seen.
fn drawing(rng: &mut Pcg, level: Level) -> Drawing {
    let side = level.length(12, 40).max(8);
    let colours = level.between(2, 5);
    let count = level.length(3, 24);
    let mut ops: Vec<Op> = Vec::new();
    // A small picture may have no room for all of them.
    for _ in 0..20 * count {
        if ops.len() >= count {
            break;
        }
        ops.push(op(rng, side, colours as u64));
        let mut top = vec![None; side * side];
        for (nth, op) in ops.iter().enumerate() {
            for cell in op.cells(side) {
                top[cell] = Some(nth);
            }
        }
        // One that is covered would be an operation for nothing.
        let seen: Vec<usize> =
            (0..ops.len()).map(|nth| top.iter().filter(|top| **top == Some(nth)).count()).collect();
        let mut seen = seen.into_iter();
        ops.retain(|_| seen.next().is_some_and(|cells| cells > 1));
    }
    let mut picture = Picture::empty(side);
    for op in &ops {
        picture.draw(*op);
    }
    let runs = picture.runs().len();
    Drawing { picture, made_with: ops.len(), runs }
}

fn op(rng: &mut Pcg, side: usize, colours: u64) -> Op {
    let colour = 1 + rng.below(colours - 1) as u8;
    let mut below = |n: usize| rng.below(n as u64) as usize;
    if below(4) == 0 {
        let (x, y) = (below(side), below(side));
        let (dx, dy) = [(1, 0), (0, 1), (1, 1), (1, -1)][below(4)];
        let room = [(x, dx), (y, dy)].map(|(at, step)| match step {
            1 => side - at,
            -1 => at + 1,
            _ => side,
        });
        let length = room[0].min(room[1]);
        return Op::Line {
            x,
            y,
            dx,
            dy,
            length: (length / 2 + 1 + below(length.div_ceil(2))).min(length),
            colour,
        };
    }
    let [width, height] = [(); 2].map(|()| 3 + below(side * 2 / 5));
    Op::Rect { x: below(side - width + 1), y: below(side - height + 1), width, height, colour }
}

impl Drawing {
    fn answer(ops: &[Op]) -> Value {
        json!({ "action": "draw", "ops": ops.iter().map(|op| op.json()).collect::<Vec<_>>() })
    }
}

impl Instance for Drawing {
    fn observation(&self) -> Value {
        let row = |row: &[u8]| row.iter().map(|colour| char::from(b'0' + colour)).collect::<String>();
        let rows: Vec<String> = self.picture.cells.chunks(self.picture.side).map(row).collect();
        json!({ "side": self.picture.side, "rows": rows })
    }

    fn score(&self, action: &Value, fuel: &mut Fuel) -> Result<Score, Refusal> {
        let ops = answer::list(answer::members(action, "draw")?, "ops")?;
        if ops.len() > MOST_OPS {
            return Err(Refusal::Answer(format!("there are {} operations, {MOST_OPS} are read", ops.len())));
        }
        let side = self.picture.side;
        let mut drawn = Picture::empty(side);
        for (at, op) in ops.iter().enumerate() {
            let problem = || {
                Refusal::Answer(format!(
                    "operation {at} is none that is known, or reaches out of the picture"
                ))
            };
            let op = Op::read(op, side).ok_or_else(problem)?;
            fuel.spend(side * side)?;
            drawn.draw(op);
        }
        if let Some(at) =
            drawn.cells.iter().zip(&self.picture.cells).position(|(drawn, wanted)| drawn != wanted)
        {
            let (x, y) = (at % side, at / side);
            return Err(Refusal::Answer(format!("the picture is another one at x {x}, y {y}")));
        }
        let gained = self.runs as f64 - ops.len() as f64;
        Ok(Score::share(gained, self.runs as f64 - self.made_with as f64, ops.len() <= self.made_with))
    }

    fn reference(&self) -> Value {
        Self::answer(&peel::ops(&self.picture))
    }

    /// The largest block of one colour at once, everything else run by run.
    fn naive(&self) -> Value {
        let block = peel::largest_block(&self.picture);
        let mut rest = self.picture.clone();
        let mut ops = Vec::new();
        if let Some(block) = block {
            for cell in block.cells(rest.side) {
                rest.cells[cell] = 0;
            }
            ops.push(block);
        }
        ops.extend(rest.runs());
        Self::answer(&ops)
    }
}

#[cfg(test)]
mod tests;
