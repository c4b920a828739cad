//! Settings: flags over environment over defaults, resolved and checked once.
//!
//! The environment is the SDK's (`GERT_API_KEY`, `GERT_BASE_URL`; protocol.md §1.3); an empty variable counts as
//! absent.

use crate::api::{ApiKey, BaseUrl, BaseUrlError, KeyError, Settings};

/// Why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The base URL is no URL, or not a safe one.
    #[error("the base URL (`--base-url`, else `GERT_BASE_URL`) cannot be used")]
    BaseUrl(#[from] BaseUrlError),
    /// The key holds something that no key holds.
    #[error("the key in `GERT_API_KEY` cannot be used")]
    Key(#[from] KeyError),
}

/// What the settings come to.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where the platform is.
    pub base_url: BaseUrl,
    /// Who is asking; none if there is no key anywhere.
    pub key: Option<ApiKey>,
}

impl Config {
    /// Resolves flags and environment.
    ///
    /// # Errors
    /// When a value cannot be used; says where it came from.
    pub fn resolve(
        base_url: Option<&str>,
        env: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let present = |name: &str| env(name).filter(|value| !value.trim().is_empty());
        let base_url = match base_url.map(str::to_owned).or_else(|| present("GERT_BASE_URL")) {
            Some(text) => text.parse()?,
            None => BaseUrl::default(),
        };
        base_url.check(false)?;
        let key = present("GERT_API_KEY").map(|text| ApiKey::new(&text)).transpose()?;
        Ok(Self { base_url, key })
    }

    /// What a client is made from with a key.
    pub fn settings(&self, key: ApiKey) -> Settings {
        Settings::new(self.base_url.clone(), key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(flag: Option<&str>, env: &[(&str, &str)]) -> Result<Config, ConfigError> {
        Config::resolve(flag, |name| {
            env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_flag_wins_over_the_environment_and_that_over_the_default() {
        let env = [("GERT_BASE_URL", "http://localhost:8080/api/v1/")];
        assert_eq!(resolve(None, &[]).unwrap().base_url.as_str(), BaseUrl::DEFAULT);
        assert_eq!(resolve(None, &env).unwrap().base_url.as_str(), "http://localhost:8080/api/v1");
        assert_eq!(resolve(Some("https://x.test/v1"), &env).unwrap().base_url.as_str(), "https://x.test/v1");
    }

    #[test]
    fn an_empty_variable_counts_as_absent() {
        let config = resolve(None, &[("GERT_BASE_URL", ""), ("GERT_API_KEY", " ")]).unwrap();
        assert!(config.key.is_none());
        assert_eq!(config.base_url.as_str(), BaseUrl::DEFAULT);
    }

    #[test]
    fn a_bad_value_is_named_and_a_key_is_never_shown() {
        let error = resolve(None, &[("GERT_API_KEY", "sk_gert_a b")]).unwrap_err();
        assert!(error.to_string().contains("GERT_API_KEY") && !format!("{error:?}").contains("sk_gert_a"));
        assert!(resolve(Some("ftp://x"), &[]).is_err());
        assert!(resolve(Some("http://example.test/api"), &[]).is_err(), "plain http leaves this machine");
    }
}
