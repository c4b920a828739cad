//! What recordings there are: their first lines, without reading them whole.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::api::MessageKind;
use crate::api::model::Session;

use super::line::{Header, Line, LineKind};

/// Recordings that are listed; of more, the newest.
const MOST: usize = 500;
/// Lines read for the name of the game.
const LINES: usize = 8;
/// Bytes read for it.
const BYTES: u64 = 256 * 1024;

/// A recording on disk.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Where.
    pub file: PathBuf,
    /// The session.
    pub session_id: String,
    /// The game, where the first lines name it.
    pub game: Option<String>,
    /// `spectator` or `player`.
    pub kind: String,
    /// The server.
    pub host: String,
    /// When it began.
    pub started_at: jiff::Timestamp,
    /// Bytes in the file.
    pub bytes: u64,
}

/// The recordings in a folder, newest first. What is no recording is left out; a folder that is not there is empty.
pub fn list(folder: &Path) -> Vec<Recorded> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    // Their names begin with the time.
    files.sort_unstable_by(|a, b| b.file_name().cmp(&a.file_name()));
    files.truncate(MOST);
    files.into_iter().filter_map(read).collect()
}

fn read(file: PathBuf) -> Option<Recorded> {
    let opened = File::open(&file).ok()?;
    let bytes = opened.metadata().ok()?.len();
    let mut lines = BufReader::new(opened.take(BYTES)).split(b'\n').map_while(Result::ok);
    let header: Header = serde_json::from_slice(&lines.next()?).ok()?;
    let game = lines.take(LINES).find_map(|line| game(Line::read(&line)?.what));
    Some(Recorded {
        file,
        session_id: crate::text::clean(&header.session_id).into_owned(),
        game: game.map(|game| crate::text::clean(&game).into_owned()),
        kind: crate::text::clean(&header.kind).into_owned(),
        host: crate::text::clean(&header.host).into_owned(),
        started_at: header.started_at,
        bytes,
    })
}

fn game(what: LineKind) -> Option<String> {
    match what {
        LineKind::About(about) => about.game,
        LineKind::Heard(message) if message.kind == MessageKind::Session => {
            let session: Session = message.member("session")?;
            Some(session.game.as_str().to_owned()).filter(|game| !game.is_empty())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recordings_are_listed_newest_first_and_other_files_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let header = |id: &str| {
            format!(
                r#"{{"gert_recording":1,"kind":"spectator","session_id":"{id}","started_at":"2026-01-01T00:00:00Z"}}"#
            )
        };
        let session = r#"{"t":1,"m":{"type":"session","session":{"session_id":"s_2","game":"connect_four","status":"active"}}}"#;
        std::fs::write(folder.path().join("20260101-1.jsonl"), format!("{}\n", header("s_1"))).unwrap();
        std::fs::write(folder.path().join("20260102-2.jsonl"), format!("{}\n{session}\n", header("s_2")))
            .unwrap();
        std::fs::write(folder.path().join("20260103-3.jsonl"), "no recording").unwrap();
        std::fs::write(folder.path().join("notes.txt"), header("s_4")).unwrap();
        let found: Vec<(String, Option<String>)> =
            list(folder.path()).into_iter().map(|tape| (tape.session_id, tape.game)).collect();
        assert_eq!(found, [("s_2".into(), Some("connect_four".into())), ("s_1".into(), None)]);
        assert_eq!(list(&folder.path().join("nowhere")), []);
    }
}
