//! Random names and secrets: ids, API keys, player tokens, login tokens; and the digests they are kept as.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// What is kept of a secret.
pub type SecretHash = [u8; 32];

/// The digest of a secret. The secrets are long and random, so a plain hash is enough.
pub fn hash(secret: &str) -> SecretHash {
    Sha256::digest(secret.as_bytes()).into()
}

/// A new secret of 192 bits behind a prefix, such as `pt_…`.
pub fn secret(prefix: &str) -> String {
    format!("{prefix}{}", URL_SAFE_NO_PAD.encode(rand::random::<[u8; 24]>()))
}

/// A new short id behind a prefix, such as `s_8f2c41d09b`. Not a secret.
pub fn id(prefix: &str) -> String {
    format!("{prefix}{:010x}", rand::random::<u64>() >> 24)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_long_and_differ_and_hash_like_sha256() {
        let (one, two) = (secret("pt_"), secret("pt_"));
        assert_ne!(one, two);
        assert_eq!(one.len(), 3 + 32);
        // Reference: FIPS 180-4 example, SHA-256 of "abc".
        assert_eq!(hash("abc")[..4], [0xba, 0x78, 0x16, 0xbf]);
        assert_eq!(id("s_").len(), 12);
    }
}
