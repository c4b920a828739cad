//! Constants of a template: lines like `DEPTH = 3  #: 1..5`. A value with a point is drawn in hundredths of its range, any
//! other as a whole number.

use crate::arena::engine::rng::Pcg;

/// What stands before the range.
const RANGE: &str = "  #: ";

/// Steps in the range of a value with a point.
const STEPS: i64 = 100;

/// One constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Knob<'a> {
    /// The whole line.
    pub(super) line: &'a str,
    name: &'a str,
    range: &'a str,
    low: f64,
    high: f64,
    is_whole: bool,
    /// Digits behind the point.
    digits: usize,
}

impl<'a> Knob<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let (assigned, range) = line.split_once(RANGE)?;
        let (name, value) = assigned.split_once(" = ")?;
        let is_constant = !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        let (low, high) = range.split_once("..")?;
        let digits = |text: &str| text.split_once('.').map_or(0, |(_, digits)| digits.len());
        let knob = Self {
            line,
            name,
            range,
            low: low.parse().ok()?,
            high: high.parse().ok()?,
            is_whole: !value.contains('.'),
            digits: digits(value).max(digits(low)).max(digits(high)).max(2),
        };
        (is_constant && knob.low < knob.high).then_some(knob)
    }

    /// The line with another value.
    pub(super) fn drawn(&self, rng: &mut Pcg) -> String {
        let value = if self.is_whole {
            rng.between(self.low as i64, self.high as i64).to_string()
        } else {
            let share = rng.between(0, STEPS) as f64 / STEPS as f64;
            format!("{:.*}", self.digits + 1, self.low + share * (self.high - self.low))
        };
        format!("{} = {value}{RANGE}{}", self.name, self.range)
    }
}

/// The constants of a program.
pub(super) fn read(text: &str) -> Vec<Knob<'_>> {
    text.lines().filter_map(Knob::read).collect()
}

/// The program with all constants drawn.
pub(super) fn fill(text: &str, rng: &mut Pcg) -> String {
    text.lines().map(|line| Knob::read(line).map_or(line.to_owned(), |knob| knob.drawn(rng)) + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_drawn_within_their_range_and_nothing_else_changes() {
        let text = "N = 3  #: 1..5\nSHARE = 0.0006  #: 0.0..0.003\nx = 1  #: 1..2\nOFF = 1 #: 1..2\nUP = 2  #: 5..1\n";
        for stream in 0..50 {
            let filled = fill(text, &mut Pcg::new(stream));
            let lines: Vec<&str> = filled.lines().collect();
            let value = |line: &str| line.split(' ').nth(2).unwrap().parse::<f64>().unwrap();
            assert!((1..=5).any(|n| lines[0] == format!("N = {n}  #: 1..5")), "{filled}");
            assert!((0.0..=0.003).contains(&value(lines[1])), "{filled}");
            assert_eq!(lines[2..], text.lines().collect::<Vec<_>>()[2..]);
            assert_eq!(read(&filled).len(), 2, "it can be drawn again");
        }
    }
}
