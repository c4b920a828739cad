//! Cuts the bytes of a pipe into lines, within a limit.

use bytes::{Buf, Bytes, BytesMut};

/// Room made before each read; a pipe holds 64 KiB on most systems.
const READ: usize = 16 * 1024;

/// Bytes read but not yet handed out as lines.
#[derive(Debug)]
pub(super) struct LineBuffer {
    bytes: BytesMut,
    /// How many of them are known to hold no newline.
    scanned: usize,
    limit: usize,
}

/// A line grew beyond the limit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl LineBuffer {
    pub(super) fn new(limit: usize) -> Self {
        Self { bytes: BytesMut::new(), scanned: 0, limit }
    }

    /// Where the next read goes.
    pub(super) fn space(&mut self) -> &mut BytesMut {
        self.bytes.reserve(READ);
        &mut self.bytes
    }

    /// The next whole line, without its newline.
    pub(super) fn next(&mut self) -> Option<Result<Bytes, TooLong>> {
        let newline = self.bytes[self.scanned..].iter().position(|byte| *byte == b'\n');
        let length = newline.map_or(self.bytes.len(), |idx| self.scanned + idx);
        if length > self.limit {
            return Some(Err(TooLong));
        }
        if newline.is_none() {
            self.scanned = length;
            return None;
        }
        let line = self.bytes.split_to(length).freeze();
        self.bytes.advance(1);
        self.scanned = 0;
        Some(Ok(line))
    }

    /// How many bytes wait for their newline.
    pub(super) fn unfinished(&self) -> usize {
        self.bytes.len()
    }

    /// What is left at the end of the output.
    pub(super) fn rest(&mut self) -> Bytes {
        self.scanned = 0;
        self.bytes.split().freeze()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(buffer: &mut LineBuffer, bytes: &[u8]) -> Vec<Result<Bytes, TooLong>> {
        buffer.space().extend_from_slice(bytes);
        std::iter::from_fn(|| buffer.next()).take(10).collect()
    }

    #[test]
    fn a_line_split_over_many_writes_comes_out_whole() {
        let mut buffer = LineBuffer::new(100);
        assert_eq!(lines_of(&mut buffer, b"[{\"act"), []);
        assert_eq!(buffer.unfinished(), 6);
        assert_eq!(
            lines_of(&mut buffer, b"ion\":1}]\n\nnext"),
            [Ok(Bytes::from("[{\"action\":1}]")), Ok(Bytes::new())]
        );
        assert_eq!(buffer.rest(), "next");
        assert_eq!(buffer.unfinished(), 0);
    }

    #[test]
    fn a_line_at_the_limit_passes_and_one_byte_more_does_not() {
        assert_eq!(lines_of(&mut LineBuffer::new(4), b"1234\n"), [Ok(Bytes::from("1234"))]);
        assert_eq!(lines_of(&mut LineBuffer::new(4), b"12345\n")[0], Err(TooLong));
        assert_eq!(lines_of(&mut LineBuffer::new(4), b"12345")[0], Err(TooLong));
    }
}
