//! Keeps keys and player tokens out of recordings.
//!
//! Twice: a member of a message whose name says that it holds a secret is blanked whatever it holds ([`members`]), and
//! the secrets that the program itself uses are blanked wherever they turn up ([`values`]).

use std::borrow::Cow;

/// What stands in the place of a secret.
const BLANK: &str = "***";
/// Anything shorter would be found in ordinary text.
const SHORTEST: usize = 6;
/// What the name of a secret has in it.
const NAMES: [&str; 5] = ["token", "key", "secret", "password", "authorization"];
/// Inside of what a game shows, where keys open doors and tokens lie on boards, only these are secrets.
const CONTENT_NAMES: [&str; 9] = [
    "player_token",
    "playertoken",
    "access_token",
    "auth_token",
    "api_key",
    "apikey",
    "client_secret",
    "password",
    "authorization",
];
/// Members of a message that are the game's.
const CONTENT: [&str; 4] = ["data", "others", "actions", "action"];

/// What is known of the value that comes next.
#[derive(Clone, Copy, Default)]
struct Place {
    hidden: bool,
    content: bool,
}

/// A message without its secrets: every text in a member whose name says so is blanked. `json` must be valid.
pub(super) fn members(json: &str) -> Cow<'_, str> {
    if !mentions(json) {
        return Cow::Borrowed(json);
    }
    let (mut out, mut copied) = (String::new(), 0);
    let mut inside: Vec<Place> = Vec::new();
    let mut next: Option<Place> = None;
    let bytes = json.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let end = string_end(bytes, at);
                let around = inside.last().copied().unwrap_or_default();
                if let Some(colon) = colon_after(bytes, end) {
                    next = Some(of_member(&json[at..end], around, inside.len()));
                    at = colon + 1;
                    continue;
                }
                if next.take().unwrap_or(around).hidden && end - at > 2 {
                    out.push_str(&json[copied..at]);
                    out.extend(["\"", BLANK, "\""]);
                    copied = end;
                }
                at = end;
                continue;
            }
            b'{' | b'[' => {
                let around = inside.last().copied().unwrap_or_default();
                inside.push(next.take().unwrap_or(around));
            }
            b'}' | b']' => {
                inside.pop();
                next = None;
            }
            b',' => next = None,
            _ => {}
        }
        at += 1;
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(&json[copied..]);
    Cow::Owned(out)
}

/// Blanks these secrets in what was written from a place on.
pub(super) fn values(out: &mut Vec<u8>, from: usize, secrets: &[String]) {
    for secret in secrets.iter().filter(|secret| secret.len() >= SHORTEST) {
        let Ok(text) = std::str::from_utf8(&out[from..]) else { return };
        if text.contains(secret.as_str()) {
            let text = text.replace(secret.as_str(), BLANK);
            out.truncate(from);
            out.extend(text.into_bytes());
        }
    }
}

/// Whether any of the names could be in it; an escaped letter could be part of one.
fn mentions(json: &str) -> bool {
    let starts = |rest: &[u8], name: &str| {
        rest.len() >= name.len() && rest[..name.len()].eq_ignore_ascii_case(name.as_bytes())
    };
    let bytes = json.as_bytes();
    bytes.iter().enumerate().any(|(at, byte)| match byte {
        b't' | b'T' | b'k' | b'K' | b's' | b'S' | b'p' | b'P' | b'a' | b'A' => {
            NAMES.iter().any(|name| starts(&bytes[at..], name))
        }
        b'\\' => bytes.get(at + 1) == Some(&b'u'),
        _ => false,
    })
}

/// What a member's name says of its value. `quoted` is the name in its quotes.
fn of_member(quoted: &str, around: Place, depth: usize) -> Place {
    let name: Cow<'_, str> = if quoted.contains('\\') {
        serde_json::from_str::<String>(quoted).unwrap_or_default().into()
    } else {
        quoted.trim_matches('"').into()
    };
    let name = name.to_ascii_lowercase();
    let names = if around.content { &CONTENT_NAMES[..] } else { &NAMES[..] };
    let hidden = around.hidden || names.iter().any(|word| name.contains(word));
    let content = around.content || (depth == 1 && CONTENT.contains(&name.as_str()));
    Place { hidden, content }
}

/// Where a string ends that begins here: after its closing quote.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The colon after a member's name.
fn colon_after(bytes: &[u8], end: usize) -> Option<usize> {
    let blanks = bytes.get(end..)?.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    (bytes.get(end + blanks) == Some(&b':')).then_some(end + blanks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_named_like_a_secret_is_blanked_at_any_depth() {
        for (json, blanked) in [
            (r#"{"type":"connected","player_token":"pt_1"}"#, r#"{"type":"connected","player_token":"***"}"#),
            (r#"{"session":{"seats":[{"Token" : "a\"b"}]}}"#, r#"{"session":{"seats":[{"Token" : "***"}]}}"#),
            (r#"{"API_KEYS":["a",{"x":"b"},3],"y":"c"}"#, r#"{"API_KEYS":["***",{"x":"***"},3],"y":"c"}"#),
            (r#"{"to\u006ben":"a"}"#, r#"{"to\u006ben":"***"}"#),
            (r#"{"data":{"api_key":"a","key":"red"}}"#, r#"{"data":{"api_key":"***","key":"red"}}"#),
        ] {
            assert_eq!(members(json), blanked);
        }
    }

    #[test]
    fn a_game_keeps_its_keys_and_counts_stay() {
        for json in [
            r#"{"data":{"keys":["red"],"token":"meeple"},"prompt_tokens":512}"#,
            r#"{"others":{"p1":{"key":"x"}},"actions":{"p0":{"action":{"key":"up"}}}}"#,
            r#"["token","key"]"#,
            r#"{"word":"token","b":{"secret":null,"key":""}}"#,
        ] {
            assert_eq!(members(json), json);
        }
    }

    #[test]
    fn a_known_secret_is_blanked_wherever_it_turns_up() {
        let mut out = b"before pt_secret_1 pt_secret_1 is pt_secret_1".to_vec();
        values(&mut out, 18, &["pt_secret_1".into(), "is".into()]);
        assert_eq!(String::from_utf8(out).unwrap(), "before pt_secret_1 *** is ***");
    }
}
