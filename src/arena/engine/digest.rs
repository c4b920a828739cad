//! A hash of a state that is the same in every process, in every build and on every machine, unlike the standard
//! library's default: golden logs pin it.

use std::hash::Hasher;

/// FNV-1a, 64 bits (G. Fowler, L. C. Noll, K.-P. Vo; RFC 9923), over a defined encoding. Not for hostile input.
///
/// `derive(Hash)` feeds fields in their order; a variant's number and a list's length as a machine word; whole numbers
/// in the machine's byte order. Here every number is written little-endian and every machine word as 64 bits, so the
/// width of a word does not matter. Of lists of numbers `Hash` feeds the memory as it lies, which nothing here can
/// see: on a big-endian machine, of which we support none, digests would differ.
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

    fn write_u16(&mut self, number: u16) {
        self.write(&number.to_le_bytes());
    }

    fn write_u32(&mut self, number: u32) {
        self.write(&number.to_le_bytes());
    }

    fn write_u64(&mut self, number: u64) {
        self.write(&number.to_le_bytes());
    }

    fn write_u128(&mut self, number: u128) {
        self.write(&number.to_le_bytes());
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_i16(&mut self, number: i16) {
        self.write(&number.to_le_bytes());
    }

    fn write_i32(&mut self, number: i32) {
        self.write(&number.to_le_bytes());
    }

    fn write_i64(&mut self, number: i64) {
        self.write(&number.to_le_bytes());
    }

    fn write_i128(&mut self, number: i128) {
        self.write(&number.to_le_bytes());
    }

    fn write_isize(&mut self, number: isize) {
        self.write_i64(number as i64);
    }
}

#[cfg(test)]
mod tests {
    use std::hash::Hash;

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

    fn of_value(value: &impl Hash) -> u64 {
        let mut hasher = Fnv::default();
        value.hash(&mut hasher);
        hasher.finish()
    }

    fn of_bytes(bytes: &[u8]) -> u64 {
        let mut hasher = Fnv::default();
        hasher.write(bytes);
        hasher.finish()
    }

    #[test]
    fn what_states_are_made_of_is_fed_as_defined() {
        #[derive(Hash)]
        enum Kind {
            _First,
            Second,
            Third(u16),
        }
        #[derive(Hash)]
        struct Parts {
            kind: Kind,
            other: Kind,
            nothing: Option<i32>,
            list: Vec<u8>,
            array: [i64; 2],
            wide: u128,
            word: usize,
        }
        let parts = Parts {
            kind: Kind::Second,
            other: Kind::Third(0x0102),
            nothing: None,
            list: vec![7, 8],
            array: [1, -1],
            wide: 5,
            word: 9,
        };
        let word = |number: u64| number.to_le_bytes().to_vec();
        let mut wide = word(5);
        wide.extend([0; 8]);
        let expected = [
            word(1),                            // the variant's number
            word(2),                            // the other's
            vec![0x02, 0x01],                   // and what it holds
            word(0),                            // nothing
            word(2),                            // two bytes
            vec![7, 8],                         //
            word(2),                            // two numbers
            [word(1), word(u64::MAX)].concat(), //
            wide,
            word(9),
        ];
        assert_eq!(of_value(&parts), of_bytes(&expected.concat()));
    }
}
