//! Text from a server made fit for a one-line message: no control characters, no markup, no secrets, bounded.

use std::borrow::Cow;

/// The longest message or excerpt kept, in characters.
pub(crate) const EXCERPT: usize = 200;

/// One line of visible text: runs of white space and control characters become one space, invisible
/// formatting characters go, and what is over `limit` characters is cut with an ellipsis.
pub(crate) fn line(text: &str, limit: usize) -> String {
    let mut out = String::new();
    let mut gap = false;
    let mut len = 0;
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() {
            gap = true;
            continue;
        }
        if is_formatting(c) {
            continue;
        }
        if len >= limit {
            out.push('…');
            return out;
        }
        if gap && !out.is_empty() {
            out.push(' ');
            len += 1;
        }
        gap = false;
        out.push(c);
        len += 1;
    }
    out
}

/// [`line`] of a page that is not JSON: tags and what stands between `<style>` or `<script>` are left out.
pub(crate) fn excerpt(body: &str) -> String {
    // Far more than an excerpt needs; keeps a huge page from being walked through.
    let head: String = body.chars().take(8 * 1024).collect();
    line(&without_markup(&head), EXCERPT)
}

/// Replaces every secret that a server may have echoed.
pub(crate) fn redact<'a>(text: &'a str, secrets: &[&str]) -> Cow<'a, str> {
    let mut text = Cow::Borrowed(text);
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        if text.contains(secret) {
            text = Cow::Owned(text.replace(secret, "***"));
        }
    }
    text
}

fn without_markup(page: &str) -> String {
    let mut out = String::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        out.push_str(&rest[..start]);
        out.push(' ');
        rest = &rest[start..];
        for hidden in ["style", "script"] {
            let opens = rest.get(1..=hidden.len()).is_some_and(|name| name.eq_ignore_ascii_case(hidden));
            if opens && let Some(end) = rest.to_ascii_lowercase().find(&format!("</{hidden}")) {
                rest = &rest[end..];
            }
        }
        rest = rest.find('>').map_or("", |end| &rest[end + 1..]);
    }
    out.push_str(rest);
    out
}

/// Zero-width and direction marks: they show nothing and can turn a line around.
fn is_formatting(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_direction_characters_never_come_through() {
        assert_eq!(line("a\x1b]0;t\x07b\u{9b}31m\r\n\tc\u{202e}d", 99), "a ]0;t b 31m cd");
        assert_eq!(line("äöü", 2), "äö…");
        assert_eq!(line("  ab  ", 2), "ab");
    }

    #[test]
    fn a_page_becomes_its_words() {
        let page = "<!DOCTYPE html>\n<html><head><STYLE>b{color:red}</STYLE><title>502 Bad Gateway</title></head>\
                    <body><h1>502</h1>nginx</body></html>";
        assert_eq!(excerpt(page), "502 Bad Gateway 502 nginx");
        assert_eq!(excerpt("plain < text"), "plain");
        assert_eq!(excerpt("<é"), "");
        assert!(excerpt(&"x".repeat(100_000)).chars().count() <= EXCERPT + 1);
    }

    #[test]
    fn an_echoed_secret_is_masked() {
        assert_eq!(redact("bad key sk_1, sk_1", &["sk_1", ""]), "bad key ***, ***");
    }
}
