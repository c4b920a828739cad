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
/// A shorter text is no secret that could be told from other words.
const SHORTEST: usize = 6;

/// What is known.
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
    let quotes_or_separates = "\"'`\\<>,;()[]{}";
    c.is_whitespace() || quotes_or_separates.contains(c)
}

/// One line, without what looks like a secret.
fn line(text: &str) -> String {
    let mut is_secret = false;
    let text = map_words(text, ends_word, |word, _| url(word));
    // Only now, since a password may hold such a character.
    let ends_part = |c| ends_word(c) || matches!(c, '?' | '&');
    map_words(&text, ends_part, |word, after| {
        let (shown, next_is_secret) = readable(word, is_secret, after);
        is_secret = next_is_secret;
        shown
    })
}

/// The text with each word replaced; `map` also gets what comes after the word.
fn map_words(text: &str, is_end: impl Fn(char) -> bool, mut map: impl FnMut(&str, &str) -> String) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if is_end(first) {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            let (word, after) = rest.split_at(rest.find(&is_end).unwrap_or(rest.len()));
            out.push_str(&map(word, after));
            rest = after;
        }
    }
    out
}

/// What may be read of a word, and whether the next one is a secret.
fn readable(word: &str, is_secret: bool, after: &str) -> (String, bool) {
    let is_scheme = word.eq_ignore_ascii_case("bearer") || (is_secret && word.eq_ignore_ascii_case("basic"));
    if is_scheme {
        return (word.to_owned(), true);
    }
    // `token = abc` and `"token":"abc"`: the sign between them is a word of its own.
    let is_sign = matches!(word, ":" | "=");
    if is_secret && !is_sign {
        return (MASK.to_owned(), false);
    }
    // `token=abc`, `x-api-key:abc`.
    let sign = word.match_indices([':', '=']).map(|(at, _)| at).find(|at| is_name(&word[..*at]));
    if let Some(at) = sign {
        let (name, value) = word.split_at(at + 1);
        let mask = if value.is_empty() { "" } else { MASK };
        return (without_keys(name) + mask, value.is_empty());
    }
    let next = after.trim_start_matches(['"', '\'', '\\', ' ']);
    let is_named = is_name(word) && next.starts_with([':', '=']);
    (without_keys(word), is_secret || is_named)
}

fn is_name(word: &str) -> bool {
    let lower = word.to_lowercase();
    NAMES.iter().any(|name| lower.ends_with(name))
}

/// A word without what begins like a key.
fn without_keys(word: &str) -> String {
    let mut out = String::new();
    let mut rest = word;
    while let Some((at, prefix)) =
        PREFIXES.iter().filter_map(|prefix| Some((find_at_start(rest, prefix)?, prefix))).min()
    {
        let end = at + prefix.len();
        let tail = rest[end..].find(|c: char| !is_part(c)).map_or(rest.len(), |length| end + length);
        out.push_str(&rest[..end]);
        out.push_str(MASK);
        rest = &rest[tail..];
    }
    out + rest
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
            ("https://me:p&w@h/?a=1&level:token=abc", "https://***@h/?a=1&level:token=***"),
            ("http://h/?token=a&İkey=b İtoken : b", "http://h/?token=***&İkey=*** İtoken : ***"),
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
            "a basic setup at https://h.example/api/v1?a=1&b=2",
            "sha256:f195c079, from the variable `GERT_API_KEY`",
            "",
            "\n\n",
            "é: ü=ö",
        ] {
            assert_eq!(redacted(text), text);
        }
    }

    #[test]
    fn a_long_line_of_signs_is_no_burden() {
        let line = "&?:=@\"".repeat(20_000);
        assert!(redacted(&line).len() <= 2 * line.len());
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
