//! Goes through a recording from its beginning with the session as it was known at each moment.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;
use std::time::Duration;

use crate::api::MessageKind;

use super::deck::file::apply;
use super::line::{Header, Line, LineKind};
use super::scan;
use super::view::View;

/// A recording and the session as it was known at one moment of it.
pub struct Walk {
    header: Header,
    lines: scan::Lines<BufReader<File>>,
    view: View,
    at: Duration,
    /// Whether something was heard since the last observation.
    more: bool,
}

impl Walk {
    /// Opens a recording and stands before its first moment.
    ///
    /// # Errors
    /// When it is none, or cannot be read.
    pub fn open(path: &Path) -> io::Result<Self> {
        let source = scan::open(path)?;
        let lines = scan::Lines::new(BufReader::new(source.file), scan::MOST_LINE);
        let view = View::new(source.header.session_id.clone(), None);
        Ok(Self { header: source.header, lines, view, at: Duration::ZERO, more: false })
    }

    /// The first line of the file.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Goes to the next moment and says when it was. What comes after the last observation is one more.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn step(&mut self) -> io::Result<Option<Duration>> {
        while let Some(found) = self.lines.next()? {
            let Some(line) = found.text.and_then(Line::read) else { continue };
            self.at = self.at.max(Duration::from_millis(line.at_ms));
            let is_moment = matches!(&line.what,
                LineKind::Heard(message) if message.kind == MessageKind::Observation);
            self.more |= matches!(line.what, LineKind::Heard(_));
            apply(&mut self.view, line);
            if is_moment {
                self.more = false;
                return Ok(Some(self.at));
            }
        }
        Ok(std::mem::take(&mut self.more).then_some(self.at))
    }

    /// The session as it was then.
    pub fn view(&mut self) -> &View {
        self.view.settle();
        &self.view
    }
}
