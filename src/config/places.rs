//! Where the settings are, and whether anything can be kept there.

use std::path::{Path, PathBuf};

use super::keys::is_absence;
use super::problem::{At, ConfigError, Problem};
use super::save;

/// What the flags of the command line say.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// `--config`
    pub config: Option<PathBuf>,
    /// `--profile`
    pub profile: Option<String>,
    /// `--base-url`
    pub base_url: Option<String>,
    /// `--ascii`
    pub ascii: bool,
    /// `--mouse`
    pub mouse: bool,
    /// The profile need not be there yet: it is about to be made.
    pub new_profile: bool,
}

/// Reads a variable of the environment.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A variable's value; an empty one counts as absent (protocol.md §1.3).
pub(super) fn present(env: Env<'_>, name: &str) -> Option<String> {
    env(name).filter(|value| !value.trim().is_empty())
}

/// Where the settings are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The settings; nothing where there is no home folder.
    pub file: Option<PathBuf>,
    /// What chose that file, if it was not the system's rule. Such a file has to be there.
    pub chosen_by: Option<&'static str>,
}

impl Places {
    /// The flag, else `GERT_CONFIG`, else the system's folder for settings.
    pub fn find(given: &Given, env: Env<'_>) -> Self {
        if let Some(file) = &given.config {
            return Self { file: Some(file.clone()), chosen_by: Some("--config") };
        }
        if let Some(file) = present(env, "GERT_CONFIG") {
            return Self { file: Some(file.into()), chosen_by: Some("GERT_CONFIG") };
        }
        let folders = directories::ProjectDirs::from("", "", "gert");
        Self { file: folders.map(|folders| folders.config_dir().join("config.toml")), chosen_by: None }
    }

    /// Where the settings are.
    ///
    /// # Errors
    /// When there is no home folder.
    pub fn file(&self) -> Result<&Path, ConfigError> {
        self.file.as_deref().ok_or_else(|| {
            Problem::named("HOME", "there is no home folder, so there are no settings")
                .advise("name a file with `--config`")
                .into()
        })
    }

    /// The file of a profile's key.
    pub(super) fn key_file(&self, profile: &str) -> Option<PathBuf> {
        Some(self.file.as_deref()?.with_file_name("keys").join(profile))
    }

    /// What the file says; nothing if there is none.
    ///
    /// # Errors
    /// When it cannot be read, or was chosen and is not there.
    pub fn read(&self) -> Result<Option<Vec<u8>>, ConfigError> {
        let Some(path) = &self.file else { return Ok(None) };
        let bytes = save::read(path)
            .map_err(|error| Problem::file(path.clone(), None, format_args!("cannot be read: {error}")))?;
        match (bytes, self.chosen_by) {
            (None, Some(by)) => {
                Err(Problem::file(path.clone(), None, format_args!("`{by}` names a file that is not there"))
                    .advise("`gert config edit` makes it")
                    .into())
            }
            (bytes, _) => Ok(bytes),
        }
    }

    /// What to say once where there are no settings and none can be made.
    pub(super) fn warning(&self) -> Option<String> {
        let Some(path) = &self.file else {
            return Some("there is no home folder: the defaults are used and nothing is kept".to_owned());
        };
        let folder = path
            .ancestors()
            .skip(1)
            .find(|folder| !matches!(folder.metadata(), Err(error) if is_absence(&error)))?;
        let usable = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        (!can_write(usable)).then(|| {
            let at = At::File(path.clone(), None);
            format!("`{at}` is not there and cannot be made: the defaults are used and nothing is kept")
        })
    }
}

#[cfg(unix)]
fn can_write(folder: &Path) -> bool {
    use rustix::fs::Access;
    folder.is_dir() && rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn can_write(folder: &Path) -> bool {
    folder.is_dir()
}
