//! Inputs of every kind, well-formed and not, from a seed.

use rand::RngExt as _;
use rand_pcg::Pcg64Mcg;

/// A source of inputs.
pub(super) struct Source(Pcg64Mcg);

/// Names that objects repeat, so that members collide, also when one of them is escaped.
const NAMES: &[&str] = &[
    "a",
    "b",
    "\\u0061",
    "B",
    "zeta",
    "é",
    "\\u00e9",
    "action",
    "<&>",
    "\u{ffff}",
    "\u{10000}",
    "",
    "\\ud800",
];

/// Pieces of texts, as they stand in JSON.
const PIECES: &[&str] = &[
    "move",
    "a b",
    "é",
    "日本",
    "\u{1f600}",
    "\\ud83d\\ude00",
    "\\uD83D\\uDE00x",
    "\u{2028}",
    "\u{2029}",
    "\\u2028",
    "<tag>",
    "a & b",
    "\\u0026",
    "\\\"",
    "\\\\",
    "\\/",
    "/",
    "\\n",
    "\\t",
    "\\r",
    "\\b",
    "\\f",
    "\\u0000",
    "\\u001F",
    "\\u007f",
    "\u{7f}",
    "\u{80}",
    "\u{ffff}",
    "```",
    "[",
    "]",
    "{",
    "}",
    "[{}]",
    "'",
    "\\u00e9",
    "\u{feff}",
    "\u{10ffff}",
    "%s {0}",
    "\u{a0}",
];

/// Halves of surrogate pairs.
const HALVES: &[&str] =
    &["\\ud800", "\\udfff", "\\uDE00\\uD83D", "\\ud83d\\ud83d\\ude00", "\\ud83dx", "\\ud83d\\u0041"];

const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "1",
    "-1",
    "10",
    "0.0",
    "-0.0",
    "-0e5",
    "0E-0",
    "1.0",
    "1.50",
    "7.30",
    "0.1",
    "0.30000000000000004",
    "1e2",
    "1E+2",
    "1e-2",
    "100.000",
    "1e-4",
    "1e-5",
    "9.999e-5",
    "0.000001",
    "0.00000099",
    "1e-7",
    "1.5e-7",
    "1e-10",
    "1.5e-100",
    "5e-324",
    "4e-324",
    "2e-324",
    "2.2250738585072011e-308",
    "1e15",
    "1e16",
    "123456789012345680.0",
    "1e20",
    "999999999999999999999.0",
    "1e21",
    "1.5e21",
    "1e22",
    "1e23",
    "1.7976931348623157e308",
    "9007199254740993",
    "9007199254740993.0",
    "18446744073709551616",
    "-170141183460469231731687303715884105728",
    "1e-999",
    "-1e-999",
];

impl Source {
    pub(super) fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::new(u128::from(seed) << 32 | 0xcafe))
    }

    /// A number below `n`.
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0.random_range(0..n)
    }

    /// True once in `n` times.
    pub(super) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn several(&mut self, at_most: usize, between: &str, mut one: impl FnMut(&mut Self) -> String) -> String {
        let n = self.below(at_most + 1);
        (0..n).map(|_| one(self)).collect::<Vec<_>>().join(between)
    }

    pub(super) fn double(&mut self) -> f64 {
        loop {
            let x = match self.below(7) {
                // Halfway between two decimals.
                6 => {
                    self.0.random_range(1_u64 << 48..1 << 55) as f64
                        / self.pick(&[1.0, 2.0, 4.0, 8.0, 1024.0])
                }
                0 => f64::from_bits(self.0.random()),
                1 => f64::from_bits(self.0.random::<u64>() >> 12),
                2 => f64::from(self.0.random_range(-1000..1000)) / self.pick(&[1.0, 2.0, 8.0, 1000.0, 3.0]),
                3 => self.0.random_range(-1e3..1e3),
                4 => self.0.random_range(-1.0..1.0) * 10f64.powi(self.0.random_range(-25..25)),
                _ => self.pick(&[0.0, -0.0, 1.0, 0.5, 0.0005, -0.0005, 1e16, -1e16, f64::MIN_POSITIVE]),
            };
            if x.is_finite() {
                return x;
            }
        }
    }

    pub(super) fn number(&mut self) -> String {
        match self.below(8) {
            0..4 => self.pick(NUMBERS).to_owned(),
            4 => format!("{:e}", self.double()),
            5 => format!("{:?}", self.double()).replace('e', self.pick(&["e", "E"])),
            6 => format!("{:.*}", self.below(25), self.double().clamp(-1e9, 1e9)),
            _ => {
                let longest = self.pick(&[20, 20, 400]);
                let n = 1 + self.below(longest);
                let digits: String = (0..n).map(|_| self.pick(&['0', '1', '5', '9'])).collect();
                format!("{}{}{digits}", self.pick(&["", "-"]), self.pick(&["1", "7"]))
            }
        }
    }

    /// A text between its quotes.
    pub(super) fn text(&mut self) -> String {
        let halves = self.once_in(30);
        let inside = self.several(4, "", |source| {
            let pieces = if halves && source.once_in(2) { HALVES } else { PIECES };
            source.pick(pieces).to_owned()
        });
        format!("\"{inside}\"")
    }

    fn name(&mut self) -> String {
        if self.once_in(4) { self.text() } else { format!("\"{}\"", self.pick(NAMES)) }
    }

    fn space(&mut self) -> &'static str {
        self.pick(&["", "", "", "", "", " ", "\n", "\t", "\r\n  "])
    }

    fn scalar(&mut self) -> String {
        match self.below(160) {
            0 => self.pick(&["NaN", "Infinity", "-Infinity", "1e999", "-1.5E+400"]).to_owned(),
            1..30 => self.pick(&["null", "true", "false"]).to_owned(),
            30..90 => self.number(),
            _ => self.text(),
        }
    }

    /// Any value, of at most so many levels.
    pub(super) fn value(&mut self, depth: usize) -> String {
        match if depth == 0 { 0 } else { self.below(4) } {
            0 | 1 => self.scalar(),
            2 => self.list(depth),
            _ => self.object(depth),
        }
    }

    pub(super) fn list(&mut self, depth: usize) -> String {
        let objects = self.once_in(2);
        let items = self.several(3, ",", |source| {
            let item = if objects { source.object(depth - 1) } else { source.value(depth - 1) };
            format!("{}{item}{}", source.space(), source.space())
        });
        format!("[{}{items}]", self.space())
    }

    pub(super) fn object(&mut self, depth: usize) -> String {
        let members = self.several(4, ",", |source| source.member(depth));
        format!("{{{}{members}}}", self.space())
    }

    fn member(&mut self, depth: usize) -> String {
        let [a, b, c, d] = [(); 4].map(|()| self.space());
        format!("{a}{}{b}:{c}{}{d}", self.name(), self.value(depth.saturating_sub(1)))
    }

    /// An observation with reserved members more often than not.
    pub(super) fn observation(&mut self) -> String {
        if self.once_in(6) {
            return self.value(4);
        }
        let members = self.several(7, ",", |source| match source.below(5) {
            0 => format!(
                "{}:{}",
                source.pick(&["\"_action_space\"", "\"\\u005faction_space\"", "\"_Action_space\""]),
                source.value(2)
            ),
            1 => {
                let feedback = match source.below(6) {
                    0 | 1 => source.text(),
                    2 | 3 => format!("[{}]", source.several(3, ", ", Self::text)),
                    4 => source.pick(&["[]", "\"\"", "null", "{}", "0", "[\"a\",null]", "[[]]"]).to_owned(),
                    _ => source.value(2),
                };
                format!(
                    "{}:{feedback}",
                    source.pick(&["\"_rejection_feedback\"", "\"_rejection\\u005ffeedback\""])
                )
            }
            _ => source.member(3),
        });
        format!("{}{{{members}}}{}", self.space(), self.space())
    }

    /// The text with something missing, added or cut off.
    pub(super) fn broken(&mut self, text: &str) -> String {
        let places: Vec<_> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let at = self.pick(&places);
        let (before, after) = text.split_at(at);
        match self.below(4) {
            0 => before.to_owned(),
            1 => after.to_owned(),
            2 => format!("{before}{}", after.chars().skip(1).collect::<String>()),
            _ => {
                let piece = self.pick(&[
                    "[", "]", "{", "}", "\"", ",", ":", "\\", "0", "-", ".", "e", " ", "\u{1}", "\n",
                    "\u{a0}", "```", "\\u12", "é",
                ]);
                format!("{before}{piece}{after}")
            }
        }
    }

    /// A model's answer: prose, fences, brackets and values, whole and broken.
    pub(super) fn answer(&mut self) -> String {
        self.several(5, "", |source| match source.below(12) {
            0 => source
                .pick(&[
                    "I think ",
                    "[A/B] ",
                    "see [1]. ",
                    "{x} ",
                    "\"quoted\" ",
                    "f(x)[0] = {1, 2} ",
                    "é \u{1f600} ",
                    "\\",
                ])
                .to_owned(),
            1 => {
                source.pick(&["```", "```json", "```JSON\n", "````", "\n```\n", "```json\n", "``"]).to_owned()
            }
            2 => source
                .pick(&[
                    " ",
                    "\n",
                    "\u{1c}",
                    "\u{1f}\u{85}",
                    "\u{a0}\u{2028}\u{3000}",
                    "\u{feff}",
                    "\0",
                    "\u{200b}",
                ])
                .to_owned(),
            3 => source
                .pick(&[
                    "[",
                    "{",
                    "]",
                    "}",
                    "[[",
                    "[{",
                    "\"",
                    "{\"a\":",
                    "[{\"a\":1},",
                    "[]",
                    "{}",
                    "null",
                    "[1]",
                ])
                .to_owned(),
            4 | 5 => {
                let fenced = source.value(3);
                let fenced = if source.once_in(4) { source.broken(&fenced) } else { fenced };
                format!(
                    "```{}{}{fenced}{}```",
                    source.pick(&["json", "", "json", "py"]),
                    source.space(),
                    source.space()
                )
            }
            6 => {
                let value = source.value(3);
                source.broken(&value)
            }
            // Brackets inside of a text that has begun.
            7 => format!("\"{}\"{}", source.value(2), source.pick(&["", ",", "]", "}"])),
            8 => source.list(3),
            9 => source.object(3),
            _ => source.value(3),
        })
    }

    /// Scores, few or many, alike or not.
    pub(super) fn scores(&mut self) -> Vec<f64> {
        let most = self.pick(&[2, 4, 12, 130]);
        let n = self.below(most);
        let alike = self.once_in(3).then(|| self.double());
        (0..n).map(|_| alike.filter(|_| !self.once_in(4)).unwrap_or_else(|| self.double())).collect()
    }
}
