//! Stores a key and notes in the settings where it is; removes it again.

use std::path::PathBuf;

use toml_edit::{Key, Value};

use crate::api::{ApiKey, BaseUrl};

use super::keys::{self, Entry, KeyPlace, KeySource, StoreError};
use super::places::Places;
use super::save::{self, SaveError};
use super::{Config, edit};

/// Where to store a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Store {
    /// The keyring, else a file.
    #[default]
    Auto,
    /// The system's keyring.
    Keyring,
    /// A file that only its owner can read.
    File,
}

/// A key was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Where.
    pub source: KeySource,
    /// Why it is not in the keyring, if that was tried.
    pub no_keyring: Option<String>,
    /// The settings file that says so.
    pub noted_in: PathBuf,
}

/// A key was removed, or there was none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forgotten {
    /// Where there was one.
    pub from: Vec<KeySource>,
}

/// A key could not be stored or removed.
#[derive(Debug, thiserror::Error)]
pub enum KeepError {
    /// There is nowhere to keep anything.
    #[error(
        "there is no home folder to keep it in: set `GERT_API_KEY`, or name a settings file with `--config`"
    )]
    NoHome,
    /// The profile is another host's.
    #[error(
        "the profile `{profile}` is for `{origin}` and its key is kept for that host: name a new profile for `{asked}` \
         with `--profile NAME`"
    )]
    OtherHost {
        /// The profile.
        profile: String,
        /// Its host.
        origin: String,
        /// The host that was asked.
        asked: String,
    },
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The settings.
    #[error("where the key is kept cannot be noted")]
    Save(#[from] SaveError),
}

/// What is known about the profile in force.
#[derive(Debug, Clone)]
pub(super) struct Keeper {
    pub(super) places: Places,
    pub(super) profile: String,
    /// The origin that its stored key belongs to.
    pub(super) origin: String,
    /// The address in force, if it is another one.
    pub(super) elsewhere: Option<BaseUrl>,
    /// Named by the user, and without an address and a key so far: it may be given both.
    pub(super) is_free: bool,
    /// Where the settings say that its key is.
    pub(super) place: KeyPlace,
}

impl Keeper {
    pub(super) fn entry(&self) -> Entry {
        let origin =
            self.elsewhere.as_ref().filter(|_| self.is_free).map_or(self.origin.clone(), BaseUrl::origin);
        Entry::new(&self.profile, &origin)
    }

    /// Says early whether a key could be kept for the host in force.
    fn check(&self) -> Result<(), KeepError> {
        match &self.elsewhere {
            Some(asked) if !self.is_free => Err(KeepError::OtherHost {
                profile: self.profile.clone(),
                origin: self.origin.clone(),
                asked: asked.origin(),
            }),
            _ if self.places.file.is_none() => Err(KeepError::NoHome),
            _ => Ok(()),
        }
    }

    fn key_file(&self) -> Result<PathBuf, KeepError> {
        self.places.key_file(&self.profile).ok_or(KeepError::NoHome)
    }

    fn put(&self, key: &ApiKey, store: Store) -> Result<(KeyPlace, Option<String>), KeepError> {
        let no_keyring = match store {
            Store::File => None,
            Store::Keyring | Store::Auto => match self.entry().put(key) {
                Ok(()) => return Ok((KeyPlace::Keyring, None)),
                Err(why) if store == Store::Keyring => return Err(why.into()),
                Err(StoreError::Keyring(why)) => Some(why),
                Err(why) => Some(super::words(&why)),
            },
        };
        keys::write_file(&self.key_file()?, key)?;
        Ok((KeyPlace::File, no_keyring))
    }

    fn remove_from(&self, place: &KeyPlace) -> Result<bool, KeepError> {
        Ok(match place {
            KeyPlace::Keyring => self.entry().remove()?,
            KeyPlace::File => keys::remove_file(&self.key_file()?)?,
            KeyPlace::None | KeyPlace::Variable(_) => false,
        })
    }

    fn source(&self, place: &KeyPlace) -> Result<KeySource, KeepError> {
        Ok(match place {
            KeyPlace::Keyring => KeySource::Keyring,
            KeyPlace::File => KeySource::File(self.key_file()?),
            KeyPlace::Variable(name) => KeySource::Variable(name.clone()),
            KeyPlace::None => KeySource::Nowhere,
        })
    }

    fn member(&self, name: &str) -> [Key; 3] {
        ["profiles", &self.profile, name].map(Key::new)
    }

    fn note(&self, place: &KeyPlace) -> Result<PathBuf, KeepError> {
        let file = self.places.file.clone().ok_or(KeepError::NoHome)?;
        save::update(&file, |document| {
            if let Some(base_url) = &self.elsewhere {
                edit::assign(document, &self.member("base_url"), base_url.as_str().into())?;
            }
            edit::assign(document, &self.member("key"), Value::from(place.to_string()))
        })?;
        Ok(file)
    }
}

impl Config {
    /// Whether a key for the host in force can be kept in the profile in force, as far as can be told beforehand.
    ///
    /// # Errors
    /// When the profile belongs to another host, or there is no home folder.
    pub fn can_keep_key(&self) -> Result<(), KeepError> {
        self.keeper.check()
    }

    /// Stores a key for the profile in force and notes in the settings where it is. May wait for the keyring: not for
    /// async threads.
    ///
    /// # Errors
    /// When it cannot be stored or noted; nothing is left behind then.
    pub fn keep_key(&self, key: &ApiKey, store: Store) -> Result<Kept, KeepError> {
        let keeper = &self.keeper;
        keeper.check()?;
        let (place, no_keyring) = keeper.put(key, store)?;
        let noted_in = match keeper.note(&place) {
            Ok(file) => file,
            Err(why) => {
                // A key that nothing points to is a key that nobody removes.
                if place != keeper.place {
                    let _ = keeper.remove_from(&place);
                }
                return Err(why);
            }
        };
        if place != keeper.place && no_keyring.is_none() {
            // The new one is stored and noted; an old one that stays behind does no harm. A keyring that just failed is
            // not waited for again.
            let _ = keeper.remove_from(&keeper.place);
        }
        Ok(Kept { source: keeper.source(&place)?, no_keyring, noted_in })
    }

    /// Removes the key that is stored for the profile in force. Waits as [`Config::keep_key`].
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn forget_key(&self) -> Result<Forgotten, KeepError> {
        let keeper = &self.keeper;
        let mut from = Vec::new();
        // One that was left behind goes too.
        for place in [&keeper.place, &KeyPlace::File] {
            if keeper.places.file.is_some() && keeper.remove_from(place)? {
                from.push(keeper.source(place)?);
            }
        }
        if let (KeyPlace::Keyring | KeyPlace::File, Some(file)) = (&keeper.place, &keeper.places.file) {
            save::update(file, |document| {
                edit::remove(document, &keeper.member("key"));
                Ok(())
            })?;
        }
        Ok(Forgotten { from })
    }
}
