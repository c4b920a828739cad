//! Who may fetch a file: whoever has its address, while it is good. The address carries a time and a signature.

use std::fmt::Write as _;

use jiff::Timestamp;
use sha2::{Digest, Sha256};

/// SHA-256 works on blocks of so many bytes.
const BLOCK: usize = 64;

/// Why an address opens nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Its signature is not ours.
    Forged,
    /// It was good until some time ago.
    Expired,
}

/// The part of an address that opens a file until then, in seconds since 1970.
pub fn query(key: &[u8], job_id: &str, name: &str, expires: i64) -> String {
    format!("expires={expires}&signature={}", sign(key, job_id, name, expires))
}

/// Looks whether an address opens a file now.
///
/// # Errors
/// It does not.
pub fn check(
    key: &[u8],
    (job_id, name): (&str, &str),
    (expires, signature): (i64, &str),
    now: Timestamp,
) -> Result<(), Refusal> {
    let wanted = sign(key, job_id, name, expires);
    // All of it is compared, so that the time it takes tells nothing.
    let differs = wanted.bytes().zip(signature.bytes()).fold(0, |all, (one, other)| all | (one ^ other));
    if differs != 0 || wanted.len() != signature.len() {
        return Err(Refusal::Forged);
    }
    if now.as_second() >= expires { Err(Refusal::Expired) } else { Ok(()) }
}

fn sign(key: &[u8], job_id: &str, name: &str, expires: i64) -> String {
    // No name holds a line break, so no two addresses have the same text.
    let digest = hmac(key, format!("{job_id}\n{name}\n{expires}").as_bytes());
    digest.iter().fold(String::with_capacity(64), |mut text, byte| {
        _ = write!(text, "{byte:02x}");
        text
    })
}

/// HMAC-SHA-256 (RFC 2104) with a key of at most one block.
fn hmac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let padded = |pad: u8| {
        let mut block = [pad; BLOCK];
        for (byte, key) in block.iter_mut().zip(key) {
            *byte ^= key;
        }
        block
    };
    let inner = Sha256::new().chain_update(padded(0x36)).chain_update(message).finalize();
    Sha256::new().chain_update(padded(0x5c)).chain_update(inner).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_that_of_the_rfc() {
        // RFC 4231, test cases 1 and 2.
        let first = hmac(&[0x0b; 20], b"Hi There");
        assert_eq!(first[..4], [0xb0, 0x34, 0x4c, 0x61]);
        assert_eq!(first[28..], [0x2e, 0x32, 0xcf, 0xf7]);
        let second = hmac(b"Jefe", b"what do ya want for nothing?");
        assert_eq!(second[..4], [0x5b, 0xdc, 0xc1, 0x46]);
    }

    #[test]
    fn an_address_opens_its_own_file_until_its_time() {
        let key = [7; 32];
        let at = |second| Timestamp::from_second(second).unwrap();
        let query = query(&key, "j_1", "a.json", 1_000);
        let signature = query.split("signature=").nth(1).unwrap();
        let check = |key: &[u8], file, expires, signature: &str, now| {
            super::check(key, file, (expires, signature), at(now))
        };
        assert_eq!(check(&key, ("j_1", "a.json"), 1_000, signature, 999), Ok(()));
        assert_eq!(check(&key, ("j_1", "a.json"), 1_000, signature, 1_000), Err(Refusal::Expired));
        for (key, file, expires, signature) in [
            (&[8; 32], ("j_1", "a.json"), 1_000, signature),
            (&key, ("j_2", "a.json"), 1_000, signature),
            (&key, ("j_1", "b.json"), 1_000, signature),
            (&key, ("j_1", "a.json"), 1_001, signature),
            (&key, ("j_1", "a.json"), 1_000, &signature[..63]),
            (&key, ("j_1", "a.json"), 1_000, ""),
        ] {
            assert_eq!(check(key, file, expires, signature, 999), Err(Refusal::Forged), "{file:?} {expires}");
        }
    }
}
