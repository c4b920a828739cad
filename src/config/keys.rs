//! Where keys are kept: the system's keyring, or a file of ours that only its owner can read.
//!
//! The keyring knows a key by profile and host, so that a profile whose address was changed finds no key there.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::api::{ApiKey, KeyError};
use crate::policy::PolicySpec;

use super::save;

/// How long the keyring may take: a person may have to unlock it, and a bus without a service may never answer.
const KEYRING_LIMIT: Duration = Duration::from_secs(15);
/// A file larger than this holds no key.
const MOST: u64 = 16 * 1024;

/// What `key = "…"` says of a profile.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum KeyPlace {
    /// The profile gives no key.
    #[default]
    None,
    /// The system's keyring.
    Keyring,
    /// The file `keys/PROFILE` beside the settings.
    File,
    /// Another variable.
    Variable(String),
}

impl FromStr for KeyPlace {
    type Err = &'static str;

    /// The error never repeats the text: somebody may have put the key itself there.
    fn from_str(text: &str) -> Result<Self, &'static str> {
        let is_name = |name: &str| {
            !name.is_empty()
                && !name.starts_with(|c: char| c.is_ascii_digit())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        match text {
            "none" => Ok(Self::None),
            "keyring" => Ok(Self::Keyring),
            "file" => Ok(Self::File),
            _ => match text.strip_prefix("env:") {
                Some(name) if is_name(name) && PolicySpec::new(Vec::new()).withholds(name) => {
                    Ok(Self::Variable(name.to_owned()))
                }
                Some(name) if is_name(name) => Err(
                    "the variable's name must hold `KEY`, `TOKEN` or `SECRET`: a policy is started without such \
                     variables, and with all others",
                ),
                _ => Err(
                    "it says where the key is kept (\"keyring\", \"file\", \"env:NAME\" or \"none\") and is not \
                          the key itself, which `gert auth login` stores",
                ),
            },
        }
    }
}

impl fmt::Display for KeyPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Keyring => f.write_str("keyring"),
            Self::File => f.write_str("file"),
            Self::Variable(name) => write!(f, "env:{name}"),
        }
    }
}

/// Where the key in force came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// Nothing gives one.
    Nowhere,
    /// A variable of the environment.
    Variable(String),
    /// The system's keyring.
    Keyring,
    /// This file of ours.
    File(PathBuf),
    /// The profile has one, for another host than the one that is asked: it is not sent there.
    Withheld {
        /// The origin that the key belongs to.
        belongs_to: String,
    },
}

impl fmt::Display for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nowhere => f.write_str("nowhere"),
            Self::Variable(name) => write!(f, "the variable `{name}`"),
            Self::Keyring => f.write_str("the system's keyring"),
            Self::File(path) => write!(f, "the file `{}`", crate::text::clean(&path.to_string_lossy())),
            Self::Withheld { belongs_to } => write!(f, "withheld: it belongs to `{belongs_to}`"),
        }
    }
}

/// Tells keys apart without telling them: the beginning of the SHA-256 of the key.
pub fn fingerprint(key: &ApiKey) -> String {
    let digest = Sha256::digest(key.expose());
    format!("sha256:{:02x}{:02x}{:02x}{:02x}", digest[0], digest[1], digest[2], digest[3])
}

/// A key could not be read, stored or removed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The keyring, in its own words.
    #[error(
        "the system's keyring cannot be used ({0}): set `GERT_API_KEY`, or `gert auth login --store file`"
    )]
    Keyring(String),
    /// A file.
    #[error("the key file `{path}` cannot be used")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// What is stored is no key.
    #[error("what is stored there is no key: `gert auth login` replaces it")]
    NoKey(#[from] KeyError),
}

/// A profile's entry in the keyring.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// `PROFILE at ORIGIN`.
    pub(super) name: String,
}

impl Entry {
    pub(super) fn new(profile: &str, origin: &str) -> Self {
        Self { name: format!("{profile} at {origin}") }
    }

    /// The key, if there is one. Waits for the keyring: not for async threads.
    pub(super) fn get(&self) -> Result<Option<ApiKey>, StoreError> {
        let text = self.ask(keyring::get)?;
        Ok(text.map(|text| ApiKey::new(&text)).transpose()?)
    }

    /// Stores a key. Waits as [`Entry::get`].
    pub(super) fn put(&self, key: &ApiKey) -> Result<(), StoreError> {
        let key = key.clone();
        self.ask(move |name| keyring::put(name, key.expose()))
    }

    /// Removes the key; true if there was one. Waits as [`Entry::get`].
    pub(super) fn remove(&self) -> Result<bool, StoreError> {
        self.ask(keyring::remove)
    }

    fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&str) -> Result<T, String> + Send + 'static,
    ) -> Result<T, StoreError> {
        let name = self.name.clone();
        within(KEYRING_LIMIT, move || question(&name))
            .unwrap_or_else(|| Err(format!("no answer within {} s, is it locked?", KEYRING_LIMIT.as_secs())))
            .map_err(|why| StoreError::Keyring(crate::text::clean(&why).into_owned()))
    }
}

/// Does something that may never end; nothing if it does not end in time. The thread is then left to itself: there is
/// no way to end it, and it holds nothing of ours.
fn within<T: Send + 'static>(limit: Duration, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (done, result) = std::sync::mpsc::sync_channel(1);
    let work = move || {
        // Nobody listens any more once the time is over.
        let _ = done.send(work());
    };
    std::thread::Builder::new().name("keyring".to_owned()).spawn(work).ok()?;
    result.recv_timeout(limit).ok()
}

/// The keyring itself; every error is its own words.
#[cfg(feature = "keyring")]
mod keyring {
    use keyring::{Entry, Error, Result};

    const SERVICE: &str = "gert";

    pub(super) fn get(name: &str) -> std::result::Result<Option<String>, String> {
        found(entry(name)?.get_password())
    }

    pub(super) fn put(name: &str, key: &str) -> std::result::Result<(), String> {
        entry(name)?.set_password(key).map_err(|why| words(&why))
    }

    pub(super) fn remove(name: &str) -> std::result::Result<bool, String> {
        found(entry(name)?.delete_credential()).map(|removed| removed.is_some())
    }

    fn entry(name: &str) -> std::result::Result<Entry, String> {
        if let Err(why) = Entry::store_status() {
            return Err(words(why));
        }
        Entry::new(SERVICE, name).map_err(|why| words(&why))
    }

    fn found<T>(result: Result<T>) -> std::result::Result<Option<T>, String> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(Error::NoEntry) => Ok(None),
            Err(why) => Err(words(&why)),
        }
    }

    /// Not those of an error that holds what was read.
    fn words(why: &Error) -> String {
        match why {
            Error::BadEncoding(_) | Error::BadDataFormat(..) => "what it holds is no text".to_owned(),
            other => other.to_string(),
        }
    }
}

#[cfg(not(feature = "keyring"))]
mod keyring {
    const NONE: &str = "this build has none";

    pub(super) fn get(_: &str) -> Result<Option<String>, String> {
        Err(NONE.to_owned())
    }

    pub(super) fn put(_: &str, _: &str) -> Result<(), String> {
        Err(NONE.to_owned())
    }

    pub(super) fn remove(_: &str) -> Result<bool, String> {
        Err(NONE.to_owned())
    }
}

/// Reads the key in a file, if there is one. A file that others can read is made private, and that is said.
pub(super) fn read_file(path: &Path) -> Result<Option<(ApiKey, Option<String>)>, StoreError> {
    let fault = |source| StoreError::File { path: path.to_owned(), source };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if is_absence(&error) => return Ok(None),
        Err(error) => return Err(fault(error)),
    };
    let note = save::tighten(path);
    let mut text = String::new();
    file.take(MOST).read_to_string(&mut text).map_err(fault)?;
    Ok(Some((ApiKey::new(&text)?, note)))
}

/// Stores a key in a file for its owner only.
pub(super) fn write_file(path: &Path, key: &ApiKey) -> Result<(), StoreError> {
    let fault = |source| StoreError::File { path: path.to_owned(), source };
    save::write(path, format!("{}\n", key.expose()).as_bytes(), save::Mode::Private).map_err(fault)
}

/// Removes the key in a file; true if there was one.
pub(super) fn remove_file(path: &Path) -> Result<bool, StoreError> {
    match std::fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if is_absence(&error) => Ok(false),
        Err(source) => Err(StoreError::File { path: path.to_owned(), source }),
    }
}

/// Whether there is no such file, also where its folder is none.
pub(super) fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_policies_would_inherit_is_refused() {
        // B-19
        let why = "env:WORK".parse::<KeyPlace>().unwrap_err();
        assert!(why.contains("`KEY`"), "{why}");
        assert_eq!("env:WORK_TOKEN".parse(), Ok(KeyPlace::Variable("WORK_TOKEN".into())));
    }

    #[test]
    fn a_place_is_read_and_a_key_in_its_stead_is_not_repeated() {
        for text in ["none", "keyring", "file", "env:WORK_KEY"] {
            assert_eq!(text.parse::<KeyPlace>().map(|place| place.to_string()), Ok(text.to_owned()));
        }
        for text in ["sk_gert_secret", "env:", "env:A B", "env:1", "Keyring", ""] {
            let why = text.parse::<KeyPlace>().expect_err(text);
            assert!(!why.contains("secret") && why.contains("gert auth login"));
        }
    }

    #[test]
    fn a_fingerprint_tells_keys_apart_and_nothing_else() {
        // `printf %s sk_gert_secret | sha256sum`
        let key = ApiKey::new("sk_gert_secret").expect("a key");
        assert_eq!(fingerprint(&key), "sha256:f195c079");
    }

    #[test]
    fn what_never_ends_is_given_up() {
        let (_keep, never) = std::sync::mpsc::sync_channel::<()>(1);
        assert_eq!(within(Duration::from_millis(20), move || never.recv().is_ok()), None);
        assert_eq!(within(Duration::from_secs(20), || 7), Some(7));
    }
}
