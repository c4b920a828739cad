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

/// `repr` of a finite float: the shortest digits that read back as the same number, always with `.0` or an exponent
/// of at least two digits.
pub(super) fn float_repr(x: f64) -> String {
    // Rust changes to the exponent form at the same sizes, 1e-4 and 1e16.
    let text = format!("{x:?}");
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
    format!("{mantissa}e{sign}{digits:0>2}")
}

#[cfg(test)]
mod tests {
    use super::*;

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
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (1.5e-7, "1.5e-07"),
            (5e-324, "5e-324"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.7976931348623157e308, "1.7976931348623157e+308"),
        ] {
            assert_eq!(float_repr(x), text);
        }
    }
}
