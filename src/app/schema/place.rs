//! Where in a text a value stands. The text is JSON that was read before, so nothing here checks it.

use super::Step;

/// Where the value at the end of a path begins.
pub(super) fn find(text: &str, path: &[Step]) -> Option<usize> {
    let mut at = skip_space(text, 0);
    for step in path {
        at = enter(text, at, step)?;
    }
    Some(at)
}

fn enter(text: &str, at: usize, step: &Step) -> Option<usize> {
    let is_object = text[at..].starts_with('{');
    let mut at = skip_space(text, at + 1);
    let mut nth = 0;
    while !text[at..].starts_with(['}', ']']) {
        let mut here = *step == Step::Nth(nth);
        if is_object {
            let end = skip_value(text, at)?;
            let name: String = serde_json::from_str(&text[at..end]).ok()?;
            here = matches!(step, Step::Name(wanted) if *wanted == name);
            at = skip_space(text, skip_space(text, end) + 1);
        }
        if here {
            return Some(at);
        }
        at = skip_space(text, skip_value(text, at)?);
        if text[at..].starts_with(',') {
            at = skip_space(text, at + 1);
        }
        nth += 1;
    }
    None
}

fn skip_space(text: &str, at: usize) -> usize {
    at + text[at..].len() - text[at..].trim_start().len()
}

/// Where a value ends that begins here.
fn skip_value(text: &str, start: usize) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    for (at, c) in text[start..].char_indices() {
        let at = start + at;
        if quoted {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => {
                    quoted = false;
                    if depth == 0 {
                        return Some(at + 1);
                    }
                }
                _ => {}
            }
            continue;
        }
        match c {
            '"' => quoted = true,
            '{' | '[' => depth += 1,
            '}' | ']' | ',' | ':' if depth == 0 => return Some(at),
            '}' | ']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            c if c.is_whitespace() && depth == 0 => return Some(at),
            _ => {}
        }
    }
    (depth == 0 && !quoted).then_some(text.len())
}
