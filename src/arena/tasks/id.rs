//! Names of tasks: `t1.` and 16 random bytes, then a seal that only this arena can make for this account.
//!
//! The seal tells names that were issued from invented ones after the task itself is long forgotten: the first have
//! expired, the second never were.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// What seals are made with; kept in the database. Not `Debug`: it is a secret.
#[derive(Clone)]
pub struct SealKey(pub [u8; 32]);

impl SealKey {
    /// A new name for a task of this account.
    pub fn issue(&self, account_id: &str, random: [u8; 16]) -> String {
        let body = URL_SAFE_NO_PAD.encode(random);
        let seal = self.seal(account_id, &body);
        format!("t1.{body}.{seal}")
    }

    /// Whether this arena issued the name to this account.
    pub fn has_issued(&self, account_id: &str, task_id: &str) -> bool {
        let parts = task_id.strip_prefix("t1.").and_then(|rest| rest.split_once('.'));
        // What is compared are digests of a secret key, so the time it takes tells nothing of use.
        parts.is_some_and(|(body, seal)| self.seal(account_id, body) == seal)
    }

    fn seal(&self, account_id: &str, body: &str) -> String {
        let mac = hmac(&self.0, format!("{body}.{account_id}").as_bytes());
        URL_SAFE_NO_PAD.encode(&mac[..16])
    }
}

/// HMAC-SHA-256 (RFC 2104).
fn hmac(key: &[u8; 32], message: &[u8]) -> [u8; 32] {
    let pad = |with: u8| {
        let mut block = [with; 64];
        block.iter_mut().zip(key).for_each(|(block, key)| *block ^= key);
        block
    };
    let inner = Sha256::new().chain_update(pad(0x36)).chain_update(message).finalize();
    Sha256::new().chain_update(pad(0x5c)).chain_update(inner).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_is_that_of_the_standard() {
        // RFC 4231, test case 1: its key of 20 bytes is padded with zeros like any short key.
        let mut key = [0; 32];
        key[..20].fill(0x0b);
        assert_eq!(hmac(&key, b"Hi There")[..8], [0xb0, 0x34, 0x4c, 0x61, 0xd8, 0xdb, 0x38, 0x53]);
    }

    #[test]
    fn a_name_belongs_to_one_account_and_cannot_be_invented() {
        let key = SealKey([7; 32]);
        let id = key.issue("a_1", [1; 16]);
        assert_eq!((id.matches('.').count(), id.len()), (2, 3 + 22 + 1 + 22));
        assert!(key.has_issued("a_1", &id));
        assert!(!key.has_issued("a_2", &id));
        assert!(!SealKey([8; 32]).has_issued("a_1", &id));
        for other in ["", "t1", "t1.", "t1..", "t1.a.b", &id[..id.len() - 1], &id.replacen("t1", "t2", 1)] {
            assert!(!key.has_issued("a_1", other), "{other}");
        }
    }
}
