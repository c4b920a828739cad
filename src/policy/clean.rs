//! Makes a policy's text fit to be carried in an event: no control characters, no escape sequences, not too long.

/// Decodes `bytes`, removes what could act on a terminal, and cuts to `max` characters.
///
/// Escape sequences vanish whole, other control and bidirectional formatting characters one by one; a tab becomes a
/// space, bytes that are not UTF-8 become `U+FFFD`. A cut is marked with `…`.
pub(super) fn clean(bytes: &[u8], max: usize) -> String {
    // No character is longer than four bytes; a few more leave room for what is removed.
    let cut = bytes.len() > max.saturating_mul(4) + 64;
    let bytes = if cut { &bytes[..max * 4 + 64] } else { bytes };
    let text = String::from_utf8_lossy(bytes);
    let mut kept = String::new();
    let mut chars = text.chars().peekable();
    let mut n_kept = 0;
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\t' => push(&mut kept, &mut n_kept, ' '),
            c if c.is_control() || is_formatting(c) => {}
            c => push(&mut kept, &mut n_kept, c),
        }
        if n_kept > max {
            break;
        }
    }
    if n_kept > max || cut {
        kept = kept.chars().take(max.saturating_sub(1)).collect();
        kept.push('…');
    }
    kept
}

/// The same for a text of several lines, whose ends it keeps.
pub(super) fn clean_lines(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| clean(line.as_bytes(), usize::MAX / 8)).collect();
    lines.join("\n")
}

fn push(kept: &mut String, n_kept: &mut usize, c: char) {
    kept.push(c);
    *n_kept += 1;
}

/// Characters that reorder or hide what stands next to them.
fn is_formatting(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Skips what follows an ESC: a CSI sequence up to its final byte, a string (OSC, DCS, …) up to its terminator, or
/// one character.
fn skip_escape(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match chars.next() {
        Some('[') => while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
        Some(']' | 'P' | 'X' | '^' | '_') => {
            while let Some(c) = chars.next() {
                if c == '\u{7}' || (c == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
                    break;
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_stripped_of_everything_a_terminal_would_act_on() {
        for (raw, clean_text) in [
            (&b"plain"[..], "plain"),
            (b"\x1b[31mred\x1b[0m", "red"),
            (b"\x1b]0;title\x07after", "after"),
            (b"\x1b]52;c;aGk=\x1b\\after", "after"),
            (b"a\tb\rc\x00\x08", "a bc"),
            (b"\xff\xfe", "\u{fffd}\u{fffd}"),
            ("x\u{202e}y\u{9b}z".as_bytes(), "xyz"),
            (b"cut off \x1b[", "cut off "),
        ] {
            assert_eq!(clean(raw, 100), clean_text, "{raw:?}");
        }
    }

    #[test]
    fn long_text_is_cut_and_marked() {
        assert_eq!(clean("äöü".as_bytes(), 3), "äöü");
        assert_eq!(clean("äöüß".as_bytes(), 3), "äö…");
        assert_eq!(clean(&vec![b'x'; 1_000_000], 5), "xxxx…");
    }
}
