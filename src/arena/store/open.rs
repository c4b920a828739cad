//! Opening the file: what is ours, what is too new, what is damaged; and the numbered migrations.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::StoreError;

/// How long `SQLite` itself waits for a locked file.
pub(super) const BUSY_WAIT: Duration = Duration::from_millis(if cfg!(test) { 1_000 } else { 5_000 });

/// The schema, step by step. Add files, never edit one.
pub(super) const MIGRATIONS: &[&str] = &[
    include_str!("../../../assets/migrations/0001_first.sql"),
    include_str!("../../../assets/migrations/0002_rollouts.sql"),
    include_str!("../../../assets/migrations/0003_branches.sql"),
    include_str!("../../../assets/migrations/0004_jobs.sql"),
    include_str!("../../../assets/migrations/0005_generation.sql"),
    include_str!("../../../assets/migrations/0006_tasks.sql"),
    include_str!("../../../assets/migrations/0007_exports.sql"),
];

/// `gert` in ASCII: marks our files.
const APPLICATION_ID: i64 = 0x6765_7274;

/// Why a database cannot be used. The file is left as it is.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No temporary folder.
    #[error("cannot make a temporary folder for the arena's data")]
    NoFolder(#[source] io::Error),
    /// The file or its folder cannot be made or read.
    #[error(
        "cannot open the arena's database `{path}`: choose another file with `--db`, or use `--ephemeral`"
    )]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another arena runs on it.
    #[error(
        "`{path}` is in use by another arena: stop that one, choose another file with `--db`, or use `--ephemeral`"
    )]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// Not a database, or a broken one.
    #[error(
        "`{path}` is damaged or no database. It was left as it is: put back a copy, move it away to start afresh, \
         choose another file with `--db`, or use `--ephemeral`"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What `SQLite` says.
        source: rusqlite::Error,
    },
    /// A sound database of some other program.
    #[error("`{path}` is a database of another program: choose another file with `--db`")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// From the past, and somebody may be using it.
    #[error(
        "`{path}` was made by an older version of gert: start `gert arena` on it once, which brings it up to date"
    )]
    Older {
        /// The file.
        path: PathBuf,
    },
    /// From the future.
    #[error(
        "`{path}` was made by a newer version of gert (schema {found}, this one knows {known}). It was left as it \
         is: update gert, or choose another file with `--db`"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The newest schema that we know.
        known: i64,
    },
}

impl OpenError {
    pub(super) fn damaged(path: &Path, source: rusqlite::Error) -> Self {
        Self::Damaged { path: path.to_owned(), source }
    }
}

/// Opens the file for writing, its schema up to date, and locks it against a second arena.
pub(super) fn open(path: &Path, migrations: &[&str]) -> Result<(Connection, File), OpenError> {
    let io = |source| OpenError::Io { path: path.to_owned(), source };
    let lock = lock(path)?;
    make_private(path).map_err(io)?;
    let version = inspect(path, migrations)?;
    let connection = (|| {
        let connection = Connection::open(path)?;
        connection.busy_timeout(BUSY_WAIT)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        migrate(&connection, path, version, migrations)?;
        Ok(connection)
    })()
    .map_err(|error| OpenError::damaged(path, error))?;
    Ok((connection, lock))
}

/// Opens the database for one small write, beside an arena that may be running on it: `SQLite` keeps the two apart.
///
/// # Errors
/// It is not there, not an arena's, or of another schema.
pub fn beside(path: &Path) -> Result<Connection, OpenError> {
    if !path.exists() {
        return Err(OpenError::Io { path: path.to_owned(), source: io::ErrorKind::NotFound.into() });
    }
    if inspect(path, MIGRATIONS)? < MIGRATIONS.len() as i64 {
        return Err(OpenError::Older { path: path.to_owned() });
    }
    let open = || {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.busy_timeout(BUSY_WAIT)?;
        connection.pragma_update(None, "foreign_keys", true)?;
        Ok(connection)
    };
    open().map_err(|error| OpenError::damaged(path, error))
}

/// Opens one more connection that only reads.
pub(super) fn reader(path: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.busy_timeout(BUSY_WAIT)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// Locks a file beside the database; `SQLite`'s own locks live on the database itself.
fn lock(path: &Path) -> Result<File, OpenError> {
    let io = |source| OpenError::Io { path: path.to_owned(), source };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        make_folder(folder).map_err(io)?;
    }
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let file = private().create(true).truncate(false).write(true).open(name).map_err(io)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(OpenError::InUse { path: path.to_owned() }),
        Err(TryLockError::Error(source)) => Err(io(source)),
    }
}

/// The file must be ours alone before anything is in it. `SQLite` gives its side files the same mode.
fn make_private(path: &Path) -> io::Result<()> {
    match private().create_new(true).write(true).open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn private() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only unix has modes"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Looks without writing; gives the schema's number, 0 for an empty file.
fn inspect(path: &Path, migrations: &[&str]) -> Result<i64, OpenError> {
    let damaged = |error| OpenError::damaged(path, error);
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(damaged)?;
    let number = |sql| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).map_err(damaged);
    let version = number("PRAGMA user_version")?;
    let application = number("PRAGMA application_id")?;
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    let known = migrations.len() as i64;
    if application != APPLICATION_ID && (tables > 0 || version != 0) {
        return Err(OpenError::Foreign { path: path.to_owned() });
    }
    if version > known {
        return Err(OpenError::Newer { path: path.to_owned(), found: version, known });
    }
    let verdict: String =
        connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(damaged)?;
    if verdict != "ok" {
        let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
        return Err(damaged(rusqlite::Error::SqliteFailure(code, Some(verdict))));
    }
    Ok(version)
}

/// Applies what is missing, each step in a transaction; an older schema is copied beside the file first.
fn migrate(connection: &Connection, path: &Path, version: i64, migrations: &[&str]) -> rusqlite::Result<()> {
    let missing = migrations.iter().zip(1..).skip(version as usize);
    if version > 0 && (version as usize) < migrations.len() {
        let mut backup = path.as_os_str().to_owned();
        backup.push(format!(".schema-{version}.bak"));
        if !Path::new(&backup).exists() {
            connection.execute("VACUUM INTO ?1", [backup.to_string_lossy()])?;
        }
    }
    for (sql, number) in missing {
        let step = format!(
            "BEGIN IMMEDIATE; {sql}; PRAGMA application_id = {APPLICATION_ID}; \
             PRAGMA user_version = {number}; COMMIT;"
        );
        connection.execute_batch(&step)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/er/arena.db");
        (folder, path)
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_read_the_file_or_its_folder() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, path) = scratch();
        let _open = open(&path, MIGRATIONS).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(&path.with_extension("db-wal")), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
    }

    #[test]
    fn a_newer_file_is_refused_and_left_unchanged() {
        // S-11.
        let (_folder, path) = scratch();
        drop(open(&path, MIGRATIONS).unwrap());
        Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
        let before = fs::read(&path).unwrap();
        let error = open(&path, MIGRATIONS).unwrap_err();
        assert!(matches!(error, OpenError::Newer { found: 99, .. }), "{error}");
        assert!(error.to_string().contains("newer version of gert (schema 99"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }

    #[test]
    fn a_damaged_file_is_named_and_kept() {
        // S-07.
        let (_folder, path) = scratch();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "this is not a database, whatever its name says".repeat(30)).unwrap();
        let before = fs::read(&path).unwrap();
        let error = open(&path, MIGRATIONS).unwrap_err();
        assert!(matches!(error, OpenError::Damaged { .. }), "{error}");
        assert!(error.to_string().contains("arena.db"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }

    #[test]
    fn a_file_with_broken_pages_is_damaged_too() {
        let (_folder, path) = scratch();
        drop(open(&path, MIGRATIONS).unwrap());
        let mut bytes = fs::read(&path).unwrap();
        let second_page = 4096..bytes.len();
        bytes[second_page].fill(0xA5);
        fs::write(&path, &bytes).unwrap();
        assert!(matches!(open(&path, MIGRATIONS), Err(OpenError::Damaged { .. })));
    }

    #[test]
    fn a_database_of_another_program_is_refused() {
        let (_folder, path) = scratch();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        Connection::open(&path).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
        assert!(matches!(open(&path, MIGRATIONS), Err(OpenError::Foreign { .. })));
    }

    #[test]
    fn a_second_arena_on_the_same_file_is_refused() {
        let (_folder, path) = scratch();
        let first = open(&path, MIGRATIONS).unwrap();
        assert!(matches!(open(&path, MIGRATIONS), Err(OpenError::InUse { .. })));
        drop(first);
        open(&path, MIGRATIONS).unwrap();
    }

    #[test]
    fn an_older_schema_is_brought_up_to_date_with_its_data_and_leaves_a_backup() {
        let (_folder, path) = scratch();
        let (old, lock) = open(&path, MIGRATIONS).unwrap();
        old.execute("INSERT INTO accounts (account_id, email, created_at) VALUES ('a', 'a@b', 0)", [])
            .unwrap();
        drop((old, lock));
        let next = [MIGRATIONS, &["ALTER TABLE accounts ADD COLUMN tier TEXT"]].concat();
        let (new, _lock) = open(&path, &next).unwrap();
        let email: String =
            new.query_row("SELECT email FROM accounts WHERE tier IS NULL", [], |row| row.get(0)).unwrap();
        assert_eq!(email, "a@b");
        let mut backup = path.into_os_string();
        backup.push(format!(".schema-{}.bak", MIGRATIONS.len()));
        let kept = Connection::open(backup).unwrap();
        assert_eq!(kept.query_row("SELECT count(*) FROM accounts", [], |row| row.get::<_, i64>(0)), Ok(1));
    }
}
