//! Endpoints that write submissions. Their keys stay in the environment.

use std::path::Path;

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};

use super::open::{self, OpenError};
use super::{Place, Store, StoreError};

/// An endpoint like `OpenAI`'s.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderRow {
    /// Its id.
    pub provider_id: String,
    /// What it is called; unique.
    pub name: String,
    /// The address that `/chat/completions` is added to.
    pub base_url: String,
    /// The models that may be asked, at least one; the first when nobody says.
    pub models: Vec<String>,
    /// The environment variable that holds the key.
    pub key_env: Option<String>,
}

/// Keeps an endpoint.
///
/// # Errors
/// [`StoreError::Taken`] when there is one of this name.
pub fn add(connection: &Connection, row: &ProviderRow, at: Timestamp) -> Result<(), StoreError> {
    let models = serde_json::to_string(&row.models).unwrap_or_default();
    let sql = "INSERT INTO providers (provider_id, name, base_url, models, key_env, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (name) DO NOTHING";
    let values = params![row.provider_id, row.name, row.base_url, models, row.key_env, at.as_millisecond()];
    match connection.execute(sql, values)? {
        0 => Err(StoreError::Taken("the provider's name")),
        _ => Ok(()),
    }
}

/// Forgets an endpoint by name or id; false when there is none. What it has written stays.
pub fn remove(connection: &Connection, name: &str) -> Result<bool, StoreError> {
    let sql = "DELETE FROM providers WHERE name = ?1 OR provider_id = ?1";
    Ok(connection.execute(sql, [name])? > 0)
}

/// All endpoints, by name.
pub fn list(connection: &Connection) -> Result<Vec<ProviderRow>, StoreError> {
    let mut statement = connection.prepare_cached(&format!("{SELECT} ORDER BY name"))?;
    let rows = statement.query_map([], read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// One endpoint.
pub fn get(connection: &Connection, provider_id: &str) -> Result<Option<ProviderRow>, StoreError> {
    let sql = format!("{SELECT} WHERE provider_id = ?1");
    Ok(connection.prepare_cached(&sql)?.query_row([provider_id], read).optional()?)
}

const SELECT: &str = "SELECT provider_id, name, base_url, models, key_env FROM providers";

fn read(row: &Row<'_>) -> rusqlite::Result<ProviderRow> {
    let models: String = row.get(3)?;
    Ok(ProviderRow {
        provider_id: row.get(0)?,
        name: row.get(1)?,
        base_url: row.get(2)?,
        models: serde_json::from_str(&models).unwrap_or_default(),
        key_env: row.get(4)?,
    })
}

/// Works on the file of an arena, which may be running: it looks its providers up whenever it is asked for them.
///
/// # Errors
/// The file cannot be used, or what `work` answers.
pub fn in_file<T>(
    path: &Path,
    work: impl FnOnce(&Connection) -> Result<T, StoreError>,
) -> Result<T, InFileError> {
    // Makes the file and its schema where they are missing; a running arena has done so.
    match Store::open(&Place::File(path.to_owned())) {
        Ok(_) | Err(OpenError::InUse { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(StoreError::from)?;
    connection.busy_timeout(open::BUSY_WAIT).map_err(StoreError::from)?;
    Ok(work(&connection)?)
}

/// Providers could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum InFileError {
    /// The file cannot be used.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// It can, but this failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str) -> ProviderRow {
        ProviderRow {
            provider_id: format!("pr_{name}"),
            name: name.to_owned(),
            base_url: "http://127.0.0.1:1/v1".to_owned(),
            models: vec!["m".to_owned(), "n".to_owned()],
            key_env: Some("K".to_owned()),
        }
    }

    #[tokio::test]
    async fn providers_are_changed_in_the_file_of_an_arena_that_runs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("arena.db");
        in_file(&path, |connection| add(connection, &row("a"), Timestamp::UNIX_EPOCH)).unwrap();
        let running = Store::open(&Place::File(path.clone())).unwrap();
        in_file(&path, |connection| add(connection, &row("b"), Timestamp::UNIX_EPOCH)).unwrap();
        assert_eq!(running.read(list).await.unwrap(), [row("a"), row("b")]);
        let again = in_file(&path, |connection| add(connection, &row("b"), Timestamp::UNIX_EPOCH));
        assert!(matches!(again, Err(InFileError::Store(StoreError::Taken(_)))), "{again:?}");
        assert!(in_file(&path, |connection| remove(connection, "a")).unwrap());
        assert!(!in_file(&path, |connection| remove(connection, "a")).unwrap());
        assert!(in_file(&path, |connection| remove(connection, "pr_b")).unwrap());
        assert_eq!(running.read(list).await.unwrap(), []);
    }
}
