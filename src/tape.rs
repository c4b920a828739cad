//! Recordings: what was heard and done in a session, kept in a file, and any moment of it brought back.
//!
//! One thread owns one recording ([`deck`]). It appends what a socket hears, keeps an index of the moments in it, and
//! builds the [`View`] of any moment when asked, for a session that is still live as for one that was opened from a
//! file. Whoever watches sends [`Order`]s and gets [`TapeEvent`]s; nothing here knows the network or the screen.
//!
//! A file is JSON lines ([`mod@line`]): a [`Header`], then a [`Line`] for each thing that happened. It is only ever
//! appended to, so that after a crash all of it up to the last whole line is there.

pub mod compare;
mod curves;
pub mod deck;
pub mod export;
pub mod library;
pub mod line;
pub mod moments;
mod notes;
mod numbers;
mod scan;
mod secret;
mod trail;
mod view;
mod walk;

use std::path::PathBuf;

pub use self::compare::{Comparison, Difference, Side};
pub use self::curves::{Chart, Curve, Span};
pub use self::deck::{Frame, Marker, MarkerKind, Order, Place, Plan, Skipped, Summary, TapeEvent};
pub use self::library::{Keep, Recording, State};
pub use self::line::{About, Act, Header, Line, LineKind, Totals};
pub use self::trail::{Trail, item_name};
pub use self::view::{LogLine, Outcome, Seen, Tone, View, words};
pub use self::walk::Walk;

/// Where recordings are kept; `None` where there is no home folder.
pub fn folder() -> Option<PathBuf> {
    Some(directories::ProjectDirs::from("", "", "gert")?.data_dir().join("recordings"))
}
