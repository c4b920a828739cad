//! What Python's own types do, where the SDK's results hang on it: its white space and the way it writes a float.

/// True for what Python's `str.strip`, `str.split` and the `\s` of its patterns take for white space: that of Unicode
/// and the four separators U+001C to U+001F.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// `str.strip`.
pub(super) fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// The shortest decimal that reads back as a double, as Python and Go find it.
///
/// Rust's own differs in one case: of two shortest ones that are equally close it takes the larger, the others the
/// even one (1817065380809337.25 is `1817065380809337.2`).
pub(super) struct Shortest {
    is_negative: bool,
    /// The first is not 0, nor is the last unless it is the only one.
    digits: String,
    /// The power of ten that the first digit stands for.
    pub(super) exponent: i32,
}

impl Shortest {
    /// That of a finite double.
    pub(super) fn of(x: f64) -> Self {
        let text = format!("{:e}", x.abs());
        let n_digits = text.bytes().take_while(|byte| *byte != b'e').filter(u8::is_ascii_digit).count();
        // Rounds to even. Next to a power of two the closest decimal may belong to another double.
        let even = format!("{:.*e}", n_digits - 1, x.abs());
        let text = if even.parse() == Ok(x.abs()) { even } else { text };
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let digits = mantissa.chars().filter(char::is_ascii_digit).collect();
        Self { is_negative: x.is_sign_negative(), digits, exponent: exponent.parse().unwrap_or_default() }
    }

    fn sign(&self) -> &'static str {
        if self.is_negative { "-" } else { "" }
    }

    /// All digits, and a fraction only if there is one.
    pub(super) fn plain(&self) -> String {
        let (sign, digits) = (self.sign(), &self.digits);
        let Ok(whole) = usize::try_from(self.exponent + 1) else {
            return format!("{sign}0.{}{digits}", "0".repeat(-(self.exponent + 1) as usize));
        };
        match digits.split_at_checked(whole) {
            Some(("", fraction)) => format!("{sign}0.{fraction}"),
            Some((whole, "")) => format!("{sign}{whole}"),
            Some((whole, fraction)) => format!("{sign}{whole}.{fraction}"),
            None => format!("{sign}{digits:0<whole$}"),
        }
    }

    /// One digit, the others as a fraction if there are any, and an exponent with its sign and so many digits at least.
    pub(super) fn scientific(&self, width: usize) -> String {
        let (sign, (first, rest)) = (self.sign(), self.digits.split_at(1));
        let point = if rest.is_empty() { "" } else { "." };
        let exponent_sign = if self.exponent < 0 { '-' } else { '+' };
        format!("{sign}{first}{point}{rest}e{exponent_sign}{:0width$}", self.exponent.unsigned_abs())
    }
}

/// `repr` of a finite float: the shortest digits that read back as the same number, always with `.0` or an exponent
/// of at least two digits.
pub(super) fn float_repr(x: f64) -> String {
    let shortest = Shortest::of(x);
    if !(-4..16).contains(&shortest.exponent) {
        return shortest.scientific(2);
    }
    let plain = shortest.plain();
    if plain.contains('.') { plain } else { plain + ".0" }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn both_notations_read_back_as_the_same_double(bits in any::<u64>()) {
            let x = f64::from_bits(bits);
            prop_assume!(x.is_finite());
            for text in [Shortest::of(x).plain(), Shortest::of(x).scientific(1), float_repr(x)] {
                prop_assert_eq!(text.parse::<f64>().unwrap().to_bits(), bits, "{}", text);
            }
        }
    }

    #[test]
    fn white_space_is_that_of_python() {
        assert_eq!(
            strip("\u{1c}\u{1f} \t\r\n\u{b}\u{c}\u{85}\u{a0}\u{2028}\u{3000}a b\u{3000}\u{1d}"),
            "a b"
        );
        // Neither language takes these for white space.
        for text in ["\u{feff}", "\u{200b}", "\u{180e}", "\0"] {
            assert_eq!(strip(text), text);
        }
    }

    #[test]
    fn a_float_is_written_as_python_writes_it() {
        for (x, text) in [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (0.5, "0.5"),
            (-120.25, "-120.25"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (1.5e-7, "1.5e-07"),
            (5e-324, "5e-324"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            // 1817065380809337.25 and .75.
            (7_268_261_523_237_349.0 / 4.0, "1817065380809337.2"),
            (-7_268_261_523_237_351.0 / 4.0, "-1817065380809337.8"),
            (f64::MAX, "1.7976931348623157e+308"),
        ] {
            assert_eq!(float_repr(x), text);
        }
    }
}
