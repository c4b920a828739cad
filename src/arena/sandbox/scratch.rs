//! Folders for programs: one for the arena, in it one for each program and one for each process. All are gone when they are
//! dropped; what a killed arena left is removed by the next one.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};
use rustix::process::getuid;
use tempfile::TempDir;

/// How the names of all arenas' folders begin.
const PREFIX: &str = "gert-sandbox-";
/// Held locked while the arena runs; the system lets go of it however that ends.
const LOCK: &str = "lock";

/// The folder of this arena.
#[derive(Debug)]
pub(super) struct Root {
    // Dropped in this order: the lock goes after what it guards.
    folder: TempDir,
    _lock: File,
}

impl Root {
    /// Makes it, and removes those whose arena has ended.
    pub(super) fn new() -> io::Result<Self> {
        let parent = std::env::temp_dir();
        sweep(&parent);
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        // Locked before it has its name, so that nobody who sweeps finds it loose.
        let unnamed = folder.path().join("new");
        let lock = File::create(&unnamed)?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        fs::rename(unnamed, folder.path().join(LOCK))?;
        Ok(Self { folder, _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// An empty folder in it, readable by us alone.
    pub(super) fn folder(&self) -> io::Result<TempDir> {
        tempfile::Builder::new().prefix("").rand_bytes(12).tempdir_in(self.folder.path())
    }
}

/// Removes what nobody holds. One that is being made has no lock yet, and what belongs to others is not touched.
fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_named = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let is_ours = |about: Metadata| about.is_dir() && about.uid() == getuid().as_raw();
        if is_named && entry.metadata().is_ok_and(is_ours) && is_stale(&entry.path()) {
            // Best effort: what stays is tried again by the next arena.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_stale(folder: &Path) -> bool {
    File::open(folder.join(LOCK))
        .is_ok_and(|lock| flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_nobody_holds_is_swept_and_one_in_use_is_not() {
        let parent = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let folder = parent.path().join(name);
            fs::create_dir_all(folder.join("program")).unwrap();
            (folder.clone(), File::create(folder.join(LOCK)).unwrap())
        };
        let (stale, _) = make("gert-sandbox-stale");
        let (used, lock) = make("gert-sandbox-used");
        let (other, _) = make("other");
        flock(&lock, FlockOperation::LockExclusive).unwrap();
        sweep(parent.path());
        assert_eq!([stale.exists(), used.exists(), other.exists()], [false, true, true]);
        // Not by dropping it: a process that another test is about to start may hold the file for a moment.
        flock(&lock, FlockOperation::Unlock).unwrap();
        sweep(parent.path());
        assert!(!used.exists());
    }
}
