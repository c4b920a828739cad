//! Accounts, API keys and dashboard logins.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use super::{StoreError, ledger};
use crate::arena::credits::FIRST_GRANT;
use crate::arena::secret::SecretHash;

/// API keys minted for the same name that are kept; older ones stop working.
const KEYS_PER_NAME: i64 = 32;

/// An account with what is needed to check a password.
#[derive(Debug, Clone)]
pub struct Account {
    /// Its id.
    pub account_id: String,
    /// The hash of its password; none for the local account.
    pub password_hash: Option<String>,
}

/// A dashboard login.
#[derive(Debug, Clone)]
pub struct Login {
    /// Whose.
    pub account_id: String,
    /// The digest of its CSRF token.
    pub csrf_hash: SecretHash,
}

/// Adds an account and its first credits.
///
/// # Errors
/// [`StoreError::Taken`] when the address is in use.
pub fn add(
    connection: &Connection,
    account_id: &str,
    email: &str,
    password_hash: Option<&str>,
    at: Timestamp,
) -> Result<(), StoreError> {
    let added = connection.execute(
        "INSERT OR IGNORE INTO accounts (account_id, email, password_hash, created_at) VALUES (?1, ?2, ?3, ?4)",
        params![account_id, email, password_hash, at.as_millisecond()],
    )?;
    if added == 0 {
        return Err(StoreError::Taken("this address"));
    }
    ledger::grant(connection, account_id, FIRST_GRANT, at, "first credits")
}

/// The account of an address.
pub fn by_email(connection: &Connection, email: &str) -> Result<Option<Account>, StoreError> {
    let sql = "SELECT account_id, password_hash FROM accounts WHERE email = ?1";
    let account = connection
        .query_row(sql, [email], |row| Ok(Account { account_id: row.get(0)?, password_hash: row.get(1)? }))
        .optional()?;
    Ok(account)
}

/// The address of an account.
pub fn email(connection: &Connection, account_id: &str) -> Result<Option<String>, StoreError> {
    let sql = "SELECT email FROM accounts WHERE account_id = ?1";
    Ok(connection.query_row(sql, [account_id], |row| row.get(0)).optional()?)
}

/// Adds an API key; names may repeat, but only the newest keys of a name live on.
pub fn add_key(
    connection: &Connection,
    key: &SecretHash,
    account_id: &str,
    name: &str,
    at: Timestamp,
) -> Result<(), StoreError> {
    connection.execute(
        "INSERT INTO api_keys (key_hash, account_id, name, created_at) VALUES (?1, ?2, ?3, ?4)",
        params![key, account_id, name, at.as_millisecond()],
    )?;
    connection.execute(
        "DELETE FROM api_keys WHERE rowid IN (SELECT rowid FROM api_keys WHERE account_id = ?1 AND name = ?2
         ORDER BY created_at DESC, rowid DESC LIMIT -1 OFFSET ?3)",
        params![account_id, name, KEYS_PER_NAME],
    )?;
    Ok(())
}

/// All keys and whose they are: they are looked up in memory.
pub fn keys(connection: &Connection) -> Result<Vec<(SecretHash, String)>, StoreError> {
    let mut statement = connection.prepare("SELECT key_hash, account_id FROM api_keys")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Adds a login and drops those that have run out.
pub fn add_login(
    connection: &Connection,
    token: &SecretHash,
    login: &Login,
    at: Timestamp,
    expires_at: Timestamp,
) -> Result<(), StoreError> {
    connection.execute("DELETE FROM logins WHERE expires_at <= ?1", [at.as_millisecond()])?;
    connection.execute(
        "INSERT INTO logins (token_hash, csrf_hash, account_id, expires_at) VALUES (?1, ?2, ?3, ?4)",
        params![token, login.csrf_hash, login.account_id, expires_at.as_millisecond()],
    )?;
    Ok(())
}

/// The login of a token that has not run out.
pub fn login(
    connection: &Connection,
    token: &SecretHash,
    at: Timestamp,
) -> Result<Option<Login>, StoreError> {
    let sql = "SELECT account_id, csrf_hash FROM logins WHERE token_hash = ?1 AND expires_at > ?2";
    let login = connection
        .query_row(sql, params![token, at.as_millisecond()], |row| {
            Ok(Login { account_id: row.get(0)?, csrf_hash: row.get(1)? })
        })
        .optional()?;
    Ok(login)
}
