//! A list that grows without taking memory: what is old lies in a nameless file, which goes away with the list.
//!
//! Short lists never touch the disk. Where no file can be had, all stays in memory.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// Records that go to the file together, and come back together.
const BLOCK: usize = 4096;
/// Records kept in memory: twice a block, so that what is read while it grows is seldom in the file.
const KEPT: usize = 2 * BLOCK;

/// A list of records of N numbers.
#[derive(Debug)]
pub(super) struct Spill<const N: usize> {
    file: Option<File>,
    /// Nothing more goes to the file: there is none to be had, or no room. What is in it can still be read.
    refused: bool,
    /// Records in the file, whole blocks.
    stored: usize,
    /// The rest.
    recent: Vec<[u32; N]>,
    /// The block that was read last: readers walk.
    read: RefCell<Option<(usize, Vec<[u32; N]>)>>,
}

impl<const N: usize> Default for Spill<N> {
    fn default() -> Self {
        Self { file: None, refused: false, stored: 0, recent: Vec::new(), read: RefCell::default() }
    }
}

impl<const N: usize> Spill<N> {
    pub(super) fn len(&self) -> usize {
        self.stored + self.recent.len()
    }

    pub(super) fn push(&mut self, record: [u32; N]) {
        if self.recent.len() >= KEPT && !self.refused {
            self.refused = self.put_away().is_err();
        }
        self.recent.push(record);
    }

    /// The record of this number; none beyond the end, or when the file cannot be read.
    pub(super) fn get(&self, nth: usize) -> Option<[u32; N]> {
        if let Some(recent) = nth.checked_sub(self.stored) {
            return self.recent.get(recent).copied();
        }
        let (block, place) = (nth / BLOCK, nth % BLOCK);
        let mut read = self.read.borrow_mut();
        if read.as_ref().is_none_or(|(number, _)| *number != block) {
            *read = Some((block, self.block(block).ok()?));
        }
        read.as_ref().and_then(|(_, records)| records.get(place).copied())
    }

    /// How many records at the beginning are so; the list must be ordered by that.
    pub(super) fn partition_point(&self, is_so: impl Fn([u32; N]) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.get(middle).is_some_and(&is_so) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    fn put_away(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            unused => unused.insert(tempfile::tempfile()?),
        };
        let bytes: Vec<u8> = self.recent[..BLOCK].iter().flatten().flat_map(|n| n.to_le_bytes()).collect();
        file.seek(SeekFrom::Start(Self::offset(self.stored)))?;
        file.write_all(&bytes)?;
        self.recent.drain(..BLOCK);
        self.stored += BLOCK;
        Ok(())
    }

    fn block(&self, number: usize) -> io::Result<Vec<[u32; N]>> {
        let mut file = self.file.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let mut bytes = vec![0; BLOCK * N * size_of::<u32>()];
        file.seek(SeekFrom::Start(Self::offset(number * BLOCK)))?;
        file.read_exact(&mut bytes)?;
        let numbers: Vec<u32> =
            bytes.as_chunks().0.iter().map(|number| u32::from_le_bytes(*number)).collect();
        Ok(numbers.as_chunks().0.to_vec())
    }

    fn offset(records: usize) -> u64 {
        (records * N * size_of::<u32>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANY: usize = 5 * BLOCK + 7;

    fn long() -> Spill<2> {
        let mut list = Spill::default();
        (0..MANY as u32).for_each(|n| list.push([n, 3 * n]));
        list
    }

    #[test]
    fn a_long_list_is_read_back_from_the_file_and_little_of_it_is_in_memory() {
        let list = long();
        assert_eq!(list.len(), MANY);
        assert!(list.recent.len() <= KEPT && list.stored > 0);
        assert!((0..MANY).all(|n| list.get(n) == Some([n as u32, 3 * n as u32])));
        assert!((0..MANY).rev().step_by(997).all(|n| list.get(n) == Some([n as u32, 3 * n as u32])));
        assert_eq!(list.get(MANY), None);
        for n in [0, 1, BLOCK - 1, BLOCK, 2 * BLOCK + 1, MANY] {
            assert_eq!(list.partition_point(|[first, _]| (first as usize) < n), n);
        }
    }

    #[test]
    fn without_a_file_all_stays_in_memory() {
        let mut list = Spill::<1> { refused: true, ..Spill::default() };
        (0..MANY as u32).for_each(|n| list.push([n]));
        assert_eq!((list.stored, list.recent.len()), (0, MANY));
        assert_eq!(list.get(MANY - 1), Some([MANY as u32 - 1]));
    }
}
