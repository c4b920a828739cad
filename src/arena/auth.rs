//! Accounts, passwords, API keys and dashboard logins.
//!
//! API keys are looked up in memory: every request needs one and none may wait for the database. Only digests are
//! kept, here and there.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use jiff::{SignedDuration, Timestamp};

use super::error::ArenaError;
use super::secret::{self, SecretHash};
use super::store::accounts::{self, Login};
use super::store::{Store, StoreError};

/// How long a dashboard login lasts.
const LOGIN_LASTS: SignedDuration = SignedDuration::from_hours(12);

/// The keys that are valid, and whose they are.
#[derive(Debug, Default)]
pub struct Keys(RwLock<HashMap<SecretHash, String>>);

impl Keys {
    /// Reads them all.
    pub async fn load(store: &Store) -> Result<Self, StoreError> {
        let keys = store.read(accounts::keys).await?;
        Ok(Self(RwLock::new(keys.into_iter().collect())))
    }

    /// The account of a key.
    pub fn account_of(&self, key: &str) -> Option<String> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(&secret::hash(key)).cloned()
    }

    /// Makes a key for an account.
    pub async fn mint(&self, store: &Store, account_id: &str, name: &str) -> Result<String, StoreError> {
        let key = secret::secret("sk_gert_");
        let hash = secret::hash(&key);
        let (account, name) = (account_id.to_owned(), name.to_owned());
        store
            .write(move |connection| accounts::add_key(connection, &hash, &account, &name, Timestamp::now()))
            .await?;
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(hash, account_id.to_owned());
        Ok(key)
    }
}

/// A dashboard login that was just made. Not `Debug`: both are secrets.
pub struct NewLogin {
    /// For the cookie.
    pub token: String,
    /// For the header.
    pub csrf_token: String,
}

/// Makes an account with a password.
///
/// # Errors
/// The address or the password will not do, or the address is in use.
pub async fn register(store: &Store, email: &str, password: String) -> Result<String, ArenaError> {
    let email = normal(email)?;
    if !(8..=256).contains(&password.len()) {
        return Err(ArenaError::invalid("password", "must have 8 to 256 bytes"));
    }
    let hash = blocking(move || {
        Argon2::default()
            .hash_password(password.as_bytes())
            .map(|hash| hash.to_string())
            .map_err(|error| error.to_string())
    })
    .await?
    .map_err(ArenaError::internal)?;
    let account_id = secret::id("a_");
    let id = account_id.clone();
    store
        .write(move |connection| accounts::add(connection, &id, &email, Some(&hash), Timestamp::now()))
        .await?;
    Ok(account_id)
}

/// Makes a login.
///
/// # Errors
/// No such account, or another password.
pub async fn log_in(store: &Store, email: &str, password: String) -> Result<NewLogin, ArenaError> {
    let wrong = || ArenaError::unauthenticated("unknown address or wrong password");
    let email = normal(email)?;
    let account = store.read(move |connection| accounts::by_email(connection, &email)).await?;
    let account = account.ok_or_else(wrong)?;
    let hash = account.password_hash.ok_or_else(wrong)?;
    let right = blocking(move || {
        PasswordHash::new(&hash)
            .is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
    })
    .await?;
    if !right {
        return Err(wrong());
    }
    let new = NewLogin { token: secret::secret("gl_"), csrf_token: secret::secret("cs_") };
    let login = Login { account_id: account.account_id, csrf_hash: secret::hash(&new.csrf_token) };
    let token = secret::hash(&new.token);
    store
        .write(move |connection| {
            let at = Timestamp::now();
            accounts::add_login(connection, &token, &login, at, at.saturating_add(LOGIN_LASTS).unwrap_or(at))
        })
        .await?;
    Ok(new)
}

/// The account of a login that may change things: its cookie and its CSRF token.
///
/// # Errors
/// Either is missing or wrong.
pub async fn check_login(store: &Store, token: &str, csrf_token: &str) -> Result<String, ArenaError> {
    let token = secret::hash(token);
    let login = store.read(move |connection| accounts::login(connection, &token, Timestamp::now())).await?;
    let login = login.ok_or_else(|| ArenaError::unauthenticated("the login is unknown or has run out"))?;
    // Digests are compared, so the time it takes tells nothing of the token.
    if login.csrf_hash != secret::hash(csrf_token) {
        return Err(ArenaError::forbidden("the header `X-CSRF-Token` is missing or wrong"));
    }
    Ok(login.account_id)
}

/// The account of an address; made without a password when it is not there.
pub async fn ensure(store: &Store, email: &str) -> Result<String, StoreError> {
    let email = email.to_owned();
    store
        .write(move |connection| {
            if let Some(account) = accounts::by_email(connection, &email)? {
                return Ok(account.account_id);
            }
            let account_id = secret::id("a_");
            accounts::add(connection, &account_id, &email, None, Timestamp::now())?;
            Ok(account_id)
        })
        .await
}

fn normal(email: &str) -> Result<String, ArenaError> {
    let email = email.trim().to_lowercase();
    let (name, host) = email.split_once('@').unwrap_or_default();
    if name.is_empty() || host.is_empty() || email.len() > 254 || email.chars().any(char::is_control) {
        return Err(ArenaError::invalid("email", "must be an address such as `me@example.org`"));
    }
    Ok(email)
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ArenaError> {
    tokio::task::spawn_blocking(work).await.map_err(ArenaError::internal)
}
