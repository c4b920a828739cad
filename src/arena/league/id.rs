//! Names that follow from what they name: UUIDs of version 5.

use sha1::{Digest, Sha1};

/// Ours, drawn once; a change renames every player.
const LEAGUE: u128 = 0x5d0c_17a6_9a53_4e0e_8e7d_6a1b_93f2_c4d8;

/// The id of a game's built-in player as a submission.
pub(super) fn submission(slug: &str, player: &str) -> u128 {
    uuid5(LEAGUE, &format!("{slug}/{player}"))
}

/// A UUID as it is written.
pub(super) fn hyphenated(uuid: u128) -> String {
    let hex = format!("{uuid:032x}");
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// RFC 9562, section 5.5: the first 128 bits of a SHA-1 over namespace and name, with version and variant set.
fn uuid5(namespace: u128, name: &str) -> u128 {
    const VERSION: u128 = 0xF << 76;
    const VARIANT: u128 = 0b11 << 62;
    let digest = Sha1::new().chain_update(namespace.to_be_bytes()).chain_update(name).finalize();
    let first = digest.iter().take(16).fold(0, |uuid, &byte| uuid << 8 | u128::from(byte));
    first & !VERSION & !VARIANT | 5 << 76 | 0b10 << 62
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_is_that_of_the_rfc() {
        // RFC 9562, appendix A.4: the DNS namespace and "www.example.com".
        let uuid = uuid5(0x6ba7_b810_9dad_11d1_80b4_00c0_4fd4_30c8, "www.example.com");
        assert_eq!(hyphenated(uuid), "2ed6657d-e927-568b-95e1-2665a8aea6a2");
    }

    #[test]
    fn ids_never_change() {
        assert_eq!(
            hyphenated(submission("connect_four", "ab4+eps0.25")),
            "85fe7b6e-a4c9-5496-b337-051df486a4cf"
        );
    }
}
