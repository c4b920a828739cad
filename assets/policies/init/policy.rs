//! A policy for GAME, in one file without crates. Write your own `act`; the rest speaks the protocol.
//!
//! Build it with `rustc -O policy.rs`, run it as `./policy`.
//!
//! The standard library reads no JSON, so this file finds the listed actions in the text of the message and
//! answers with one of them as it stands. For more, make a Cargo project with `serde_json` and keep `main`.

use std::io::{BufRead, Write};

/// Returns the JSON of a list of actions. Here: one of those that the game lists, or `[]`.
fn act(message: &str, random: &mut u64) -> String {
    let actions = listed(message);
    if actions.is_empty() {
        return "[]".into();
    }
    // An xorshift generator.
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    let action = actions[(*random % actions.len() as u64) as usize];
    if action.starts_with('[') { action.into() } else { format!("[{action}]") }
}

/// The actions in `"_action_space":[{"action":…,"weight":1},…]`, as text.
fn listed(message: &str) -> Vec<&str> {
    let Some((_, mut rest)) = message.split_once("\"_action_space\":[") else { return Vec::new() };
    let mut actions = Vec::new();
    while let Some(entry) = rest.strip_prefix("{\"action\":") {
        let Some(action) = value(entry) else { break };
        actions.push(action);
        let Some(whole) = value(rest) else { break };
        rest = rest[whole.len()..].trim_start_matches(',');
    }
    actions
}

/// The object or list that `text` begins with.
fn value(text: &str) -> Option<&str> {
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => depth += 1,
            b'}' | b']' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return Some(&text[..=at]);
                }
            }
            _ => {}
        }
    }
    None
}

/// The whole number of a member, which stands before the observation in every message.
fn number(message: &str, member: &str) -> u64 {
    let (_, rest) = message.split_once(&format!("\"{member}\":")).unwrap_or_default();
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().unwrap_or(0)
}

fn main() -> std::io::Result<()> {
    let mut random = 1;
    let mut out = std::io::stdout();
    // Ends when the input does: then it is time to go.
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if line.starts_with("{\"type\":\"hello\"") {
            random = number(&line, "seed").wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
            writeln!(out, "{{\"type\":\"ready\",\"name\":\"my policy\"}}")?;
        } else if line.starts_with("{\"type\":\"observe\"") {
            let (id, action) = (number(&line, "id"), act(&line, &mut random));
            writeln!(out, "{{\"id\":{id},\"action\":{action}}}")?;
        }
        out.flush()?;
    }
    Ok(())
}
