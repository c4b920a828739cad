//! A hash that is the same in every process, unlike the standard library's default.

use std::hash::Hasher;

/// FNV-1a, 64 bits (G. Fowler, L. C. Noll, K.-P. Vo; RFC 9923). Not for hostile input.
#[derive(Debug, Clone)]
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_gives_the_published_values() {
        // Test vectors of the FNV authors (isthe.com/chongo/src/fnv/test_fnv.c, 64-bit FNV-1a).
        for (text, hash) in
            [("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8)]
        {
            let mut hasher = Fnv::default();
            hasher.write(text.as_bytes());
            assert_eq!(hasher.finish(), hash, "{text}");
        }
    }
}
