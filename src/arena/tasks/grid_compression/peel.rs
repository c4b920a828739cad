//! Takes a picture apart from the top: what is all of one colour, or hidden by what was taken off, was drawn last.

use std::cmp::Reverse;

use super::{Op, Picture};

/// A picture of which some cells are taken off, and how many cells are left in each rectangle from the corner.
struct Left {
    side: usize,
    cells: Vec<Option<u8>>,
    sums: Vec<usize>,
}

/// Operations that draw the picture: each time the one is taken off that frees most cells, of equal ones the smallest
/// or the largest, whichever comes out shorter.
pub(super) fn ops(picture: &Picture) -> Vec<Op> {
    let smallest = peel(picture, |op| Reverse(op.area()));
    let largest = peel(picture, Op::area);
    if largest.len() < smallest.len() { largest } else { smallest }
}

/// The largest rectangle of one colour.
pub(super) fn largest_block(picture: &Picture) -> Option<Op> {
    Left::new(picture).rectangles().into_iter().max_by_key(|(gain, _)| *gain).map(|(_, op)| op)
}

fn peel<K: Ord>(picture: &Picture, preferred: impl Fn(Op) -> K) -> Vec<Op> {
    let mut left = Left::new(picture);
    let mut taken = Vec::new();
    while left.cells.iter().any(|cell| cell.is_some_and(|colour| colour != 0)) {
        let all = left.rectangles().into_iter().chain(left.diagonals());
        let Some((_, op)) = all.max_by_key(|(gain, op)| (*gain, preferred(*op))) else { break };
        left.take(op);
        taken.push(op);
    }
    taken.reverse();
    without_needless(picture, taken)
}

/// Leaves out operations that the others make up for.
fn without_needless(picture: &Picture, mut ops: Vec<Op>) -> Vec<Op> {
    let mut at = 0;
    while at < ops.len() {
        let op = ops.remove(at);
        let mut drawn = Picture::empty(picture.side);
        for op in &ops {
            drawn.draw(*op);
        }
        if drawn != *picture {
            ops.insert(at, op);
            at += 1;
        }
    }
    ops
}

impl Left {
    fn new(picture: &Picture) -> Self {
        let cells = picture.cells.iter().map(|colour| Some(*colour)).collect();
        let mut left = Self { side: picture.side, cells, sums: Vec::new() };
        left.sum_up();
        left
    }

    fn take(&mut self, op: Op) {
        for cell in op.cells(self.side) {
            self.cells[cell] = None;
        }
        self.sum_up();
    }

    fn sum_up(&mut self) {
        let width = self.side + 1;
        self.sums = vec![0; width * width];
        for y in 0..self.side {
            for x in 0..self.side {
                let here = usize::from(self.cells[y * self.side + x].is_some());
                let (above, beside) = (self.sums[y * width + x + 1], self.sums[(y + 1) * width + x]);
                self.sums[(y + 1) * width + x + 1] = here + above + beside - self.sums[y * width + x];
            }
        }
    }

    /// Cells that are left in a rectangle.
    fn count(&self, x: usize, y: usize, width: usize, height: usize) -> usize {
        let at = |x: usize, y: usize| self.sums[y * (self.side + 1) + x];
        at(x + width, y + height) + at(x, y) - at(x + width, y) - at(x, y + height)
    }

    /// For each corner and width the tallest rectangle that may be taken off, with what it would free.
    fn rectangles(&self) -> Vec<(usize, Op)> {
        let mut found = Vec::new();
        for (x, y) in (0..self.side * self.side).map(|corner| (corner % self.side, corner / self.side)) {
            let (mut height, mut colour) = (self.side - y, None);
            for width in 1..=self.side - x {
                // The new column goes as far down as it can together with those before.
                let column = (y..y + height).map(|y| self.cells[y * self.side + x + width - 1]);
                (height, colour) = run(column, colour);
                if height == 0 {
                    break;
                }
                let gain = self.count(x, y, width, height);
                found.extend(colour.map(|colour| (gain, Op::Rect { x, y, width, height, colour })));
            }
        }
        found
    }

    /// The longest diagonal from each cell, with what it would free. Other lines are rectangles.
    fn diagonals(&self) -> Vec<(usize, Op)> {
        let mut found = Vec::new();
        for (x, y) in (0..self.side * self.side).map(|start| (start % self.side, start / self.side)) {
            for (dy, room) in [(1, self.side - y), (-1, y + 1)] {
                let room = room.min(self.side - x);
                let cell =
                    |nth: usize| self.cells[(y as i64 + dy * nth as i64) as usize * self.side + x + nth];
                let (length, colour) = run((0..room).map(cell), None);
                let gain = (0..length).filter(|nth| cell(*nth).is_some()).count();
                found.extend(colour.map(|colour| (gain, Op::Line { x, y, dx: 1, dy, length, colour })));
            }
        }
        found
    }
}

/// How many cells from the first on are of one colour, or free, and the colour, when one is known.
fn run(cells: impl Iterator<Item = Option<u8>>, mut colour: Option<u8>) -> (usize, Option<u8>) {
    let mut length = 0;
    for cell in cells {
        match (cell, colour) {
            (Some(0), _) => break,
            (Some(cell), Some(known)) if cell != known => break,
            (Some(cell), _) => colour = Some(cell),
            (None, _) => {}
        }
        length += 1;
    }
    (length, colour)
}
