//! Compresses what was closed, and removes the oldest when all together is too large.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use flate2::{Compression, GzBuilder};

use crate::tape::deck::file::Tape;
use crate::tape::line::Totals;
use crate::tape::notes;

use super::{Keep, Recording, State, list};

/// Marks our member of the head of a compressed file.
const MARK: [u8; 2] = *b"ge";
/// Bytes copied between two looks at whether to stop.
const BLOCK: usize = 64 << 10;
/// Half-made files older than this were left by a crash.
const STALE: Duration = Duration::from_hours(24);

/// A recording that was removed, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pruned {
    /// Its name.
    pub id: String,
    /// What it took.
    pub bytes: u64,
}

/// Compresses what was closed and removes what is too much. Ends soon after `stopped` says so; what was begun then is
/// as it was before.
pub fn maintain(keep: &Keep, stopped: &dyn Fn() -> bool) {
    remove_stale(&keep.folder);
    let all = match list(&keep.folder) {
        Ok(all) => all,
        Err(why) => return tracing::warn!(%why, "the recordings cannot be listed"),
    };
    for recording in all.iter().filter(|recording| keep.compress && recording.state != State::Live) {
        if stopped() {
            return;
        }
        let is_plain = recording.file.extension().is_some_and(|extension| extension == "jsonl");
        if is_plain && let Err(why) = compress(&recording.file, stopped) {
            tracing::warn!(%why, file = %recording.file.display(), "a recording was not compressed");
        }
    }
    match prune(&keep.folder, keep.total_bytes, false) {
        Ok(pruned) if pruned.is_empty() => {}
        Ok(pruned) => tracing::info!(count = pruned.len(), "old recordings were removed"),
        Err(why) => tracing::warn!(%why, "old recordings were not removed"),
    }
}

/// Removes the oldest recordings until all take no more than so many bytes; those with notes last, and never one that
/// is being written. A dry run removes nothing.
///
/// # Errors
/// When the folder cannot be read.
pub fn prune(folder: &Path, total: u64, dry_run: bool) -> io::Result<Vec<Pruned>> {
    let mut all = list(folder)?;
    let mut sum: u64 = all.iter().map(|recording| recording.bytes).sum();
    all.retain(|recording| recording.state != State::Live);
    all.sort_by_key(|recording| (recording.notes > 0, recording.header.started_at));
    let mut pruned = Vec::new();
    for recording in all {
        if sum <= total {
            break;
        }
        if dry_run || remove(&recording) {
            sum -= recording.bytes;
            pruned.push(Pruned { id: recording.id, bytes: recording.bytes });
        }
    }
    Ok(pruned)
}

/// Removes a recording with what belongs to it, unless somebody has it locked.
fn remove(recording: &Recording) -> bool {
    let Ok(file) = File::open(&recording.file) else { return false };
    if file.try_lock().is_err() || fs::remove_file(&recording.file).is_err() {
        return false;
    }
    let plain = recording.file.with_file_name(format!("{}.jsonl", recording.id));
    let beside = notes::file(&recording.file);
    for path in [
        recording.file.with_file_name(format!("{}.jsonl.gz", recording.id)),
        plain,
        beside.with_extension("lock"),
        beside,
    ] {
        // Most of them are not there.
        let _ = fs::remove_file(path);
    }
    true
}

/// Puts a compressed file in the place of a plain one. A reader finds one of them, whole, at any time. False if it is
/// being written, or was stopped.
///
/// # Errors
/// When it cannot be read or written; it stays as it was then.
pub(super) fn compress(path: &Path, stopped: &dyn Fn() -> bool) -> io::Result<bool> {
    let mut plain = File::open(path)?;
    if plain.try_lock().is_err() {
        return Ok(false);
    }
    let totals = Tape::open(path)?.index.totals();
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut packed = tempfile::Builder::new().prefix(".pack-").suffix(".part").tempfile_in(folder)?;
    let mut out = GzBuilder::new()
        .extra(member_of(&totals))
        .write(BufWriter::new(packed.as_file_mut()), Compression::default());
    plain.seek(SeekFrom::Start(0))?;
    let mut block = vec![0; BLOCK];
    let mut last = b'\n';
    loop {
        if stopped() {
            return Ok(false);
        }
        let read = plain.read(&mut block)?;
        let Some(end) = block[..read].last() else { break };
        last = *end;
        out.write_all(&block[..read])?;
    }
    if last != b'\n' {
        // What a crash left unfinished is a line of its own.
        out.write_all(b"\n")?;
    }
    out.finish()?.flush()?;
    packed.as_file().sync_all()?;
    packed.persist(compressed_name(path)).map_err(|why| why.error)?;
    fs::remove_file(path)?;
    Ok(true)
}

fn compressed_name(path: &Path) -> PathBuf {
    path.with_file_name(format!("{}.jsonl.gz", notes::stem(path)))
}

/// What a recording came to, as a member of a compressed file's head (RFC 1952, 2.3.1.1); nothing if it is too long.
fn member_of(totals: &Totals) -> Vec<u8> {
    let text = serde_json::to_vec(totals).unwrap_or_default();
    match u16::try_from(text.len() + MARK.len() + 2) {
        Ok(_) => [&MARK[..], &(text.len() as u16).to_le_bytes(), &text].concat(),
        Err(_) => Vec::new(),
    }
}

/// Reads what [`member_of`] made.
pub(super) fn totals_in(extra: &[u8]) -> Option<Totals> {
    let text = extra.strip_prefix(&MARK)?;
    let (length, text) = text.split_first_chunk()?;
    serde_json::from_slice(text.get(..usize::from(u16::from_le_bytes(*length)))?).ok()
}

/// Removes what a crash left half made.
fn remove_stale(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_ours = name.ends_with(".part") && (name.starts_with(".new-") || name.starts_with(".pack-"));
        let age =
            entry.metadata().and_then(|about| about.modified()).ok().and_then(|time| time.elapsed().ok());
        if is_ours && age.is_some_and(|age| age > STALE) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
