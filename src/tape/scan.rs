//! Reads lines out of a file of any size with bounded memory, and brings text out of a compressed one.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::line::Header;

/// The longest line that is read. No message on a socket is that long.
pub(super) const MOST_LINE: usize = 64 << 20;
/// The longest header.
const MOST_HEADER: usize = 64 << 10;
/// What a compressed recording may unpack to; more is somebody's joke.
const MOST_UNPACKED: u64 = 4 << 30;
/// The first bytes of a compressed file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The lines of a file, one after the other.
pub(super) struct Lines<R> {
    reader: R,
    line: Vec<u8>,
    most: usize,
}

/// A line, and whether its line break is there.
pub(super) struct Found<'a> {
    pub(super) length: u64,
    /// Nothing for a line that is too long.
    pub(super) text: Option<&'a [u8]>,
    pub(super) is_whole: bool,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R, most: usize) -> Self {
        Self { reader, line: Vec::new(), most }
    }

    /// The next line; nothing at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Found<'_>>> {
        self.line.clear();
        let (mut length, mut is_whole) = (0_u64, false);
        while !is_whole {
            let part = match self.reader.fill_buf() {
                Ok(part) => part,
                Err(why) if why.kind() == io::ErrorKind::Interrupted => continue,
                Err(why) => return Err(why),
            };
            if part.is_empty() {
                break;
            }
            let end = part.iter().position(|byte| *byte == b'\n');
            is_whole = end.is_some();
            let used = end.map_or(part.len(), |end| end + 1);
            if self.line.len() + used <= self.most {
                self.line.extend_from_slice(&part[..used]);
            }
            length += used as u64;
            self.reader.consume(used);
        }
        if length == 0 {
            return Ok(None);
        }
        let text = (self.line.len() as u64 == length).then_some(self.line.as_slice());
        Ok(Some(Found { length, text, is_whole }))
    }
}

/// A recording that was opened for reading.
pub(super) struct Source {
    /// The text, at its first line after the header.
    pub(super) file: File,
    pub(super) header: Header,
    /// Bytes of the header's line.
    pub(super) start: u64,
    /// What a reader should be told of it.
    pub(super) notice: Option<String>,
}

/// Opens a recording, compressed or not.
pub(super) fn open(path: &Path) -> io::Result<Source> {
    let mut file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("is not a file"));
    }
    let mut notice = None;
    if is_gzip(&mut file)? {
        (file, notice) = unpack(&file, path)?;
    }
    let (header, start) = head(&mut file)?;
    Ok(Source { file, header, start, notice })
}

/// Reads the header and leaves the file behind it.
fn head(file: &mut File) -> io::Result<(Header, u64)> {
    file.rewind()?;
    let mut lines = Lines::new(BufReader::new(&*file), MOST_HEADER);
    let (header, start) = match lines.next()? {
        Some(found) => (Header::read(found.text.unwrap_or_default())?, found.length),
        None => return Err(io::Error::other("is not a recording of gert: it is empty")),
    };
    file.seek(SeekFrom::Start(start))?;
    Ok((header, start))
}

/// Whether a file is compressed, by what it begins with.
pub(super) fn is_gzip(file: &mut File) -> io::Result<bool> {
    let mut first = [0; 2];
    file.rewind()?;
    let is_gzip = match file.read_exact(&mut first) {
        Ok(()) => first == GZIP,
        Err(why) if why.kind() == io::ErrorKind::UnexpectedEof => false,
        Err(why) => return Err(why),
    };
    file.rewind()?;
    Ok(is_gzip)
}

/// Unpacks into a file without a name, beside the recording where that can be: the system's own folder for such files
/// is often in memory. What comes before a fault is kept.
fn unpack(file: &File, path: &Path) -> io::Result<(File, Option<String>)> {
    let beside = path.parent().and_then(|folder| tempfile::tempfile_in(folder).ok());
    let mut unpacked = beside.map_or_else(tempfile::tempfile, Ok)?;
    let mut text = MultiGzDecoder::new(BufReader::new(file)).take(MOST_UNPACKED);
    let mut block = vec![0; 64 << 10];
    loop {
        match text.read(&mut block) {
            Ok(0) => break,
            Ok(read) => io::Write::write_all(&mut unpacked, &block[..read])?,
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(why) => {
                let notice =
                    format!("the compressed recording is damaged ({why}): what comes before that is shown");
                return Ok((unpacked, Some(notice)));
            }
        }
    }
    let notice =
        (text.limit() == 0).then(|| "the recording is too large to unpack: its beginning is shown".into());
    Ok((unpacked, notice))
}
