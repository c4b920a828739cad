//! Takes out of a text what nobody else should read: what is known to be secret, what looks like it, and who the user
//! is. Rather too much than too little.

use std::path::Path;

/// In the place of what was taken out.
const MASK: &str = "***";
/// How keys and player tokens begin.
const PREFIXES: [&str; 3] = ["sk_", "pt_", "eyJ"];
/// What stands before a secret, at the end of a name: `"player_token": "…"`, `api_key=…`.
const NAMES: [&str; 8] =
    ["key", "token", "secret", "password", "passwd", "authorization", "cookie", "credential"];
/// What stands before a secret in an HTTP header.
const SCHEMES: [&str; 2] = ["bearer", "basic"];
/// A shorter text is no secret that could be told from other words.
const SHORTEST: usize = 6;

/// What is known.
#[derive(Default)]
pub(super) struct Redactor {
    /// The longest first, so that none is left half.
    secrets: Vec<String>,
    home: Option<String>,
    users: Vec<String>,
}

impl Redactor {
    pub(super) fn new(
        secrets: impl IntoIterator<Item = String>,
        home: Option<&Path>,
        user: Option<String>,
    ) -> Self {
        let mut secrets: Vec<String> = secrets.into_iter().map(|secret| secret.trim().to_owned()).collect();
        secrets.retain(|secret| secret.len() >= SHORTEST);
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        let owner = home.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        // Everybody has that one, and it is a word.
        let users = user.into_iter().chain(owner).filter(|name| name.len() > 1 && name != "root").collect();
        let home =
            home.filter(|home| home.components().count() > 1).map(|home| home.to_string_lossy().into_owned());
        Self { secrets, home, users }
    }

    /// The text without them.
    pub(super) fn redact(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in &self.secrets {
            text = text.replace(secret, MASK);
        }
        text = text.split_inclusive('\n').map(line).collect();
        if let Some(home) = &self.home {
            text = text.replace(home, "~");
        }
        for user in &self.users {
            text = without_word(&text, user);
        }
        text
    }
}

/// An address without user name and password.
pub(super) fn url(text: &str) -> String {
    let (scheme, rest) = text.split_at(text.find("://").map_or(0, |at| at + 3));
    match rest.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}{MASK}@{host}"),
        None => text.to_owned(),
    }
}

/// What the user name and the password in an address are, as they stand there and as they are meant.
pub(super) fn passwords(text: &str) -> Vec<String> {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let Some((user, _)) = rest.rsplit_once('@') else { return Vec::new() };
    let password = user.split_once(':').map_or("", |(_, password)| password);
    vec![password.to_owned(), unescaped(password)]
}

fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| byte == b'%').and_then(|code| std::str::from_utf8(code).ok());
        let meant = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(meant.unwrap_or(byte));
        rest = if meant.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What ends a word: everything that quotes or separates values.
fn ends_word(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, '"' | '\'' | '`' | '\\' | '<' | '>' | ',' | ';' | '(' | ')' | '[' | ']' | '{' | '}')
}

/// One line, without what looks like a secret.
fn line(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    let mut before = Before::Nothing;
    while let Some(first) = rest.chars().next() {
        if ends_word(first) {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (word, after) = rest.split_at(rest.find(ends_word).unwrap_or(rest.len()));
        rest = after;
        before = push_word(&mut out, word, before, after);
    }
    out
}

/// What the word before means for this one.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    Nothing,
    /// It is a secret.
    Names,
    /// A secret or the name of a scheme that comes before it.
    Header,
}

/// Writes a word as far as it may be read; says what that means for the next one.
fn push_word(out: &mut String, word: &str, before: Before, after: &str) -> Before {
    let lower = word.to_lowercase();
    if SCHEMES.contains(&lower.as_str()) {
        out.push_str(word);
        return Before::Names;
    }
    if before != Before::Nothing && !matches!(word, ":" | "=") {
        out.push_str(MASK);
        return Before::Nothing;
    }
    // `token=abc`, `x-api-key:abc`, and `"token":"abc"` whose colon is a word of its own.
    if let Some(at) = word.find(['=', ':']).filter(|at| is_name(&lower[..(*at).min(lower.len())])) {
        let (name, value) = word.split_at(at + 1);
        out.push_str(name);
        if value.is_empty() {
            return Before::Header;
        }
        out.push_str(MASK);
        // More of a query may follow in the same word.
        if let Some((_, more)) = value.split_once('&') {
            out.push('&');
            return push_word(out, more, Before::Nothing, after);
        }
        return Before::Nothing;
    }
    if let Some((head, query)) = word.split_once(['?', '&']) {
        let mark = &word[head.len()..=head.len()];
        push_plain(out, head);
        out.push_str(mark);
        return push_word(out, query, Before::Nothing, after);
    }
    push_plain(out, word);
    let next = after.trim_start_matches(['"', '\'', '\\', ' ']);
    let is_member = next.starts_with([':', '=']);
    if before != Before::Nothing || (is_name(&lower) && is_member) { Before::Header } else { Before::Nothing }
}

fn is_name(lower: &str) -> bool {
    NAMES.iter().any(|name| lower.ends_with(name))
}

/// A word without a key in it, and without what stands before an `@`.
fn push_plain(out: &mut String, word: &str) {
    let word = url(word);
    let mut rest = word.as_str();
    while let Some((at, prefix)) =
        PREFIXES.iter().filter_map(|prefix| Some((find_at_start(rest, prefix)?, prefix))).min()
    {
        let end = at + prefix.len();
        let tail = rest[end..].find(|c: char| !is_part(c)).map_or(rest.len(), |length| end + length);
        out.push_str(&rest[..end]);
        out.push_str(MASK);
        rest = &rest[tail..];
    }
    out.push_str(rest);
}

/// What keys and tokens are made of.
fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// Where a key with this prefix starts.
fn find_at_start(text: &str, prefix: &str) -> Option<usize> {
    text.match_indices(prefix).map(|(at, _)| at).find(|at| {
        let is_inside = text[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let length = text[at + prefix.len()..].chars().take_while(|c| is_part(*c)).count();
        !is_inside && length >= SHORTEST
    })
}

/// The text with a name that stands for itself replaced.
fn without_word(text: &str, name: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        let is_part = before.ends_with(char::is_alphanumeric) || after.starts_with(char::is_alphanumeric);
        out.push_str(before);
        out.push_str(if is_part { name } else { "USER" });
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redacted(text: &str) -> String {
        let secrets = ["hunter22 with spaces".to_owned(), "hunter22".to_owned(), "no".to_owned()];
        Redactor::new(secrets, Some(Path::new("/home/mallory")), Some("mal".to_owned())).redact(text)
    }

    #[test]
    fn what_is_secret_is_taken_out() {
        // H-14
        for (text, left) in [
            ("the key sk_gert_0123456789 is", "the key sk_*** is"),
            ("a pt_AbC-_123456, eyJhbGciOi.eyJzdWIiOi.c2ln", "a pt_***, eyJ***.eyJ***.c2ln"),
            ("https://me:pa/ss@proxy.example:3128/x", "https://***@proxy.example:3128/x"),
            ("HTTPS_PROXY=me:pass@proxy:1", "***@proxy:1"),
            ("x-api-key: abc", "x-api-key: ***"),
            ("X-Api-Key:abc def", "X-Api-Key:*** def"),
            ("Authorization: Bearer abc.def", "Authorization: Bearer ***"),
            (r#"{"player_token": "abc", "tick":3}"#, r#"{"player_token": "***", "tick":3}"#),
            (r#"{\"token\":\"abc\",\"a\":1}"#, r#"{\"token\":\"***\",\"a\":1}"#),
            ("GET /x?a=1&token=abc&b=2 failed", "GET /x?a=1&token=***&b=2 failed"),
            ("password='abc' secret = abc", "password='***' secret = ***"),
            ("said hunter22 with spaces, hunter22", "said ***, ***"),
            ("/home/mallory/x and /mnt/mal/mallory", "~/x and /mnt/USER/USER"),
            ("mail to a.b@example.com", "mail to ***@example.com"),
        ] {
            assert_eq!(redacted(text), left, "{text}");
        }
    }

    #[test]
    fn what_is_harmless_stays() {
        for text in [
            "2026-01-01T00:00:00Z  WARN gert::client: a question failed why=no connection to `h:1`: refused\n",
            "profiles.default.key  keyring  config.toml:3\n",
            "the task_id is sk_1, normal malt, key events and tokens",
            "sha256:f195c079, from the variable `GERT_API_KEY`",
            "",
            "\n\n",
            "é: ü=ö",
        ] {
            assert_eq!(redacted(text), text);
        }
    }

    #[test]
    fn the_password_of_a_proxy_is_known_in_both_spellings() {
        assert_eq!(passwords("http://me:p%40ss%@h:1"), ["p%40ss%", "p@ss%"]);
        assert_eq!(passwords("me:pass@h"), ["pass", "pass"]);
        assert!(passwords("http://h:1").is_empty());
        assert_eq!(url("http://me:p@ss@h:1"), "http://***@h:1");
        assert_eq!(url("h:1"), "h:1");
    }
}
