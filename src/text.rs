//! Text from outside made safe to show, and cut to a width; numbers and times in words.
//!
//! Knows nothing of terminals beyond their columns: the dashboard, the state and the command line all use it.
//! Anything that a server, another player or a file wrote goes through [`clean`] (one line) or [`clean_lines`]
//! before it is shown. Widths agree with what ratatui's buffer does with the same text.

pub mod number;

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

pub use self::number::{ago, credits, decimal, duration, grouped, signed};

/// What stands at the end of text that was cut.
pub const ELLIPSIS: &str = "…";

/// Marks stacked on one letter beyond this many are dropped: no language needs more, and towers of them spill
/// over the lines above.
const MAX_STACKED: u32 = 4;

/// Makes text safe to show on one line: control characters become visible (`␛`), line breaks become `⏎`, tabs
/// become spaces; what reorders or joins text unseen (bidi controls, zero-width characters) is removed.
pub fn clean(text: &str) -> Cow<'_, str> {
    scrub(text, false)
}

/// As [`clean`], but line breaks stay, as `\n`.
pub fn clean_lines(text: &str) -> Cow<'_, str> {
    scrub(text, true)
}

/// Cleans and cuts in one go, reading no more of the text than may be shown: for text of any length.
pub fn excerpt(text: &str, columns: usize) -> Cow<'_, str> {
    // Four bytes a column cover every script; the rest is for marks and removed characters.
    let reach = columns.saturating_mul(8).saturating_add(64);
    if text.len() <= reach {
        return match clean(text) {
            Cow::Borrowed(text) => fit(text, columns),
            Cow::Owned(text) => Cow::Owned(fit(&text, columns).into_owned()),
        };
    }
    let mut head = clean(&text[..text.floor_char_boundary(reach)]).into_owned();
    head.push_str(ELLIPSIS);
    Cow::Owned(fit(&head, columns).into_owned())
}

/// Columns the text takes on a terminal.
pub fn width(text: &str) -> usize {
    if is_plain(text) {
        return text.len();
    }
    text.graphemes(true).map(grapheme_width).sum()
}

/// Cuts the text to at most `columns`, on a whole grapheme, with an ellipsis where something is missing.
pub fn fit(text: &str, columns: usize) -> Cow<'_, str> {
    if is_plain(text) {
        return match columns {
            _ if text.len() <= columns => Cow::Borrowed(text),
            0 => Cow::Borrowed(""),
            _ => Cow::Owned(format!("{}{ELLIPSIS}", &text[..columns - 1])),
        };
    }
    let mut used = 0;
    let mut cut = 0; // Where the text ends if an ellipsis must follow.
    for (start, grapheme) in text.grapheme_indices(true) {
        used += grapheme_width(grapheme);
        if used > columns {
            let tail = if columns == 0 { "" } else { ELLIPSIS };
            return Cow::Owned(format!("{}{tail}", &text[..cut]));
        }
        if used < columns {
            cut = start + grapheme.len();
        }
    }
    Cow::Borrowed(text)
}

/// Whether each byte is a column: most text is, and need not be taken apart into graphemes.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| (0x20..0x7F).contains(&byte))
}

/// Cuts or fills the text to exactly `columns`, text at the left.
pub fn pad(text: &str, columns: usize) -> String {
    let text = fit(text, columns);
    let gap = columns.saturating_sub(width(&text));
    format!("{text}{:gap$}", "")
}

/// Cuts or fills the text to exactly `columns`, text at the right.
pub fn pad_left(text: &str, columns: usize) -> String {
    let text = fit(text, columns);
    let gap = columns.saturating_sub(width(&text));
    format!("{:gap$}{text}", "")
}

/// Breaks text into lines of at most `columns`, between words where it can. Line breaks in the text stay, and so
/// does the indent of each of its lines. Gives no lines for zero columns.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    if columns == 0 {
        return Vec::new();
    }
    let mut lines = Vec::new();
    for line in text.split('\n') {
        wrap_line(line, columns, &mut lines);
    }
    lines
}

fn wrap_line(line: &str, columns: usize, lines: &mut Vec<String>) {
    let body = line.trim_start_matches(' ');
    let indent = (line.len() - body.len()).min(columns / 2);
    let mut current = " ".repeat(indent);
    let mut used = indent;
    for word in body.split(' ').filter(|word| !word.is_empty()) {
        let gap = usize::from(used > indent);
        let wide = width(word);
        if used + gap + wide <= columns {
            current.push_str(&" "[..gap]);
            current.push_str(word);
            used += gap + wide;
            continue;
        }
        if used > indent {
            lines.push(std::mem::replace(&mut current, " ".repeat(indent)));
            used = indent;
        }
        for grapheme in word.graphemes(true) {
            let wide = grapheme_width(grapheme);
            if wide > columns - indent {
                continue; // A two-column letter has no place in one column.
            }
            if used + wide > columns {
                lines.push(std::mem::replace(&mut current, " ".repeat(indent)));
                used = indent;
            }
            current.push_str(grapheme);
            used += wide;
        }
    }
    lines.push(if used > indent { current } else { String::new() });
}

/// ratatui's rule: what holds a control character is not drawn, and the half-width sound marks take a cell.
fn grapheme_width(grapheme: &str) -> usize {
    if grapheme.contains(char::is_control) {
        return 0;
    }
    let marks = grapheme.chars().filter(|letter| matches!(letter, '\u{FF9E}' | '\u{FF9F}')).count();
    grapheme.width() + marks
}

fn scrub(text: &str, keep_lines: bool) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut stacked = 0;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let shown = match letter {
            '\r' if letters.peek() == Some(&'\n') => continue,
            '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some(if keep_lines { '\n' } else { '⏎' }),
            '\t' => Some(' '),
            '\0'..='\u{1F}' => char::from_u32(0x2400 + u32::from(letter)),
            '\u{7F}' => Some('␡'),
            '\u{80}'..='\u{9F}' => Some(char::REPLACEMENT_CHARACTER),
            _ if is_unseen(letter) => None,
            _ => Some(letter),
        };
        let Some(shown) = shown else { continue };
        stacked = if shown.width() == Some(0) { stacked + 1 } else { 0 };
        if stacked <= MAX_STACKED {
            out.push(shown);
        }
    }
    if out == text { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

/// Characters that show nothing but change what is around them. Joiners and variation selectors are among them:
/// terminals disagree on the width of what they make, and then every column after it is out of line.
fn is_unseen(letter: char) -> bool {
    matches!(letter,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_text_is_not_copied() {
        assert!(matches!(clean("plain, one line"), Cow::Borrowed(_)));
        assert!(matches!(clean("Grüße, 東京"), Cow::Borrowed(_)));
        assert!(matches!(fit("plain", 5), Cow::Borrowed(_)));
    }

    #[test]
    fn escape_sequences_lose_their_power_and_stay_visible() {
        assert_eq!(clean("a\x1b[31mb\x07"), "a␛[31mb␇");
        assert_eq!(clean("\u{9b}2J\x7f"), "\u{FFFD}2J␡");
        assert_eq!(clean("one\r\ntwo\tthree\rfour"), "one⏎two three⏎four");
        assert_eq!(clean_lines("one\r\ntwo\tthree\u{2028}four"), "one\ntwo three\nfour");
    }

    #[test]
    fn unseen_characters_are_removed() {
        assert_eq!(clean("ab\u{202E}cd\u{2066}e\u{200D}f\u{FEFF}g"), "abcdefg");
        assert_eq!(width(&clean("👩\u{200D}🚀❤\u{FE0F}")), 5);
        let tower: String = std::iter::once('a').chain(std::iter::repeat_n('\u{301}', 50)).collect();
        assert_eq!(clean(&tower).chars().count(), 5);
    }

    #[test]
    fn cut_text_ends_on_a_whole_letter() {
        assert_eq!(fit("connect_four", 8), "connect…");
        assert_eq!(fit("東京都", 5), "東京…");
        assert_eq!(fit("東京都", 4), "東…");
        assert_eq!(fit("e\u{301}e\u{301}e\u{301}", 2), "e\u{301}…");
        assert_eq!(fit("ab", 0), "");
        assert_eq!(pad("東京", 6), "東京  ");
        assert_eq!(pad_left("7", 3), "  7");
    }

    #[test]
    fn wrapping_keeps_words_breaks_and_indents() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("a\n\n  bb cc dd", 7), ["a", "", "  bb cc", "  dd"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("anything", 0), Vec::<String>::new());
    }

    #[test]
    fn an_excerpt_of_a_very_long_text_is_cut_early() {
        let long = "\u{202E}x".repeat(1_000_000);
        assert_eq!(width(&excerpt(&long, 10)), 10);
    }

    proptest! {
        #[test]
        fn results_never_exceed_their_width(text in any::<String>(), columns in 0_usize..40) {
            prop_assert!(width(&fit(&text, columns)) <= columns);
            prop_assert!(width(&excerpt(&text, columns)) <= columns);
            prop_assert_eq!(width(&pad(&text, columns)), columns);
            prop_assert_eq!(width(&pad_left(&text, columns)), columns);
            for line in wrap(&text, columns) {
                prop_assert!(width(&line) <= columns);
            }
        }

        #[test]
        fn cleaned_text_holds_no_control_characters(text in any::<String>()) {
            let cleaned = clean(&text);
            prop_assert!(!cleaned.contains(char::is_control));
            prop_assert_eq!(clean(&cleaned), cleaned.as_ref());
        }
    }

    #[cfg(feature = "tui")]
    proptest! {
        #[test]
        fn widths_agree_with_what_the_buffer_draws(text in any::<String>()) {
            use ratatui::{buffer::Buffer, layout::Rect, style::Style};
            let text = clean(&text);
            let mut buffer = Buffer::empty(Rect::new(0, 0, 1000, 1));
            let (end, _) = buffer.set_stringn(0, 0, &text, 1000, Style::new());
            prop_assert_eq!(usize::from(end), width(&text));
        }
    }
}
