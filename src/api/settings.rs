//! What a client is made from. Where the values come from (flags, environment, files) is not decided here.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::{ApiKey, BaseUrl, BaseUrlError, Error, Guarded};

/// Everything a [`Client`](super::Client) needs to know.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where the API is.
    pub base_url: BaseUrl,
    /// Who is asking.
    pub key: ApiKey,
    /// How often a request is sent again when the server says that it did nothing yet.
    pub max_retries: u32,
    /// The longest silence of the server during an ordinary call.
    pub timeout: Duration,
    /// The longest wait for a connection, TLS and proxy included.
    pub connect_timeout: Duration,
    /// The longest silence of a socket before a `ping` is sent, and then before it counts as lost.
    pub keepalive: Duration,
    /// The largest answer, after decompression, in bytes.
    pub max_body: usize,
    /// The largest socket message in bytes.
    pub max_message: usize,
    /// Lets the key travel in clear to a host that is not this machine.
    pub allow_plain_http: bool,
    /// Which proxy, if any.
    pub proxy: ProxyRules,
    /// PEM files of certificate authorities to trust beside the platform's.
    pub ca_files: Vec<PathBuf>,
    /// Told what goes on inside a call.
    pub observer: Observer,
    /// Asked before anything is sent that may change something or cost credits.
    pub guard: Guarded,
}

impl Settings {
    /// The SDK's defaults.
    pub fn new(base_url: BaseUrl, key: ApiKey) -> Self {
        Self {
            base_url,
            key,
            max_retries: 5,
            timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(10),
            keepalive: Duration::from_mins(1),
            max_body: 64 << 20,
            max_message: 16 << 20,
            allow_plain_http: false,
            proxy: ProxyRules::Environment,
            ca_files: Vec::new(),
            observer: Observer::default(),
            guard: Guarded::default(),
        }
    }

    /// As the SDK's constructor (protocol.md §1.3): what is given here, else `GERT_API_KEY` and `GERT_BASE_URL`, else the
    /// platform's address. An empty text counts as absent. No file is read.
    ///
    /// # Errors
    /// An [`ErrorKind::Argument`](super::ErrorKind::Argument) when there is no key, or one of the two cannot be used.
    pub fn from_env(key: Option<&str>, base_url: Option<&str>) -> Result<Self, Error> {
        Self::layered(key, base_url, |name| {
            // What is no text keeps a character that no key and no address holds.
            Some(std::env::var_os(name)?.to_string_lossy().into_owned())
        })
    }

    fn layered(
        key: Option<&str>,
        base_url: Option<&str>,
        env: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, Error> {
        const STEP: &str = "make a client";
        let first = |given: Option<&str>, name| {
            [given.map(str::to_owned), env(name)].into_iter().flatten().find(|text| !text.trim().is_empty())
        };
        let base_url = match first(base_url, "GERT_BASE_URL") {
            Some(text) => text.parse().map_err(|why: BaseUrlError| Error::local(STEP, &why.to_string()))?,
            None => BaseUrl::default(),
        };
        let key = ApiKey::new(&first(key, "GERT_API_KEY").unwrap_or_default());
        Ok(Self::new(base_url, key.map_err(|why| Error::local(STEP, &why.to_string()))?))
    }
}

/// Where proxies come from. Loopback always goes direct.
#[derive(Clone, Default)]
pub enum ProxyRules {
    /// `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, as curl reads them.
    #[default]
    Environment,
    /// No proxy.
    Direct,
    /// This proxy (`http`, `https`, `socks5` or `socks5h`) for all but the hosts in `except`.
    Through {
        /// May hold a user name and a password.
        url: String,
        /// A list as in `NO_PROXY`.
        except: String,
    },
}

impl fmt::Debug for ProxyRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Environment => "Environment",
            Self::Direct => "Direct",
            // The URL may hold a password.
            Self::Through { .. } => "Through(***)",
        })
    }
}

/// What happens inside a call while its caller waits.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Notice {
    /// The server did nothing yet and the request is sent again after a wait.
    Waiting {
        /// Which call.
        endpoint: &'static str,
        /// How often it was sent so far.
        sent: u32,
        /// How long until the next time.
        wait: Duration,
        /// The server's answer in one line.
        why: String,
    },
}

/// A function that is told each [`Notice`]; by default nobody listens.
#[derive(Clone, Default)]
pub struct Observer(Option<Arc<dyn Fn(Notice) + Send + Sync>>);

impl Observer {
    /// Calls `listen` for each notice. It must not wait.
    pub fn new(listen: impl Fn(Notice) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(listen)))
    }

    pub(crate) fn tell(&self, notice: impl FnOnce() -> Notice) {
        if let Some(listen) = &self.0 {
            listen(notice());
        }
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Observer(on)" } else { "Observer(off)" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::ErrorKind;

    /// Address and key.
    fn layered(
        key: Option<&str>,
        base: Option<&str>,
        env: &[(&str, &str)],
    ) -> Result<(String, String), Error> {
        let find =
            |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        let settings = Settings::layered(key, base, find)?;
        Ok((settings.base_url.as_str().to_owned(), settings.key.expose().to_owned()))
    }

    #[test]
    fn what_is_given_goes_before_the_environment_and_that_before_the_default() {
        // SDK 3.4.0 client.py `Gert.__init__`.
        let env = [("GERT_API_KEY", "sk_env"), ("GERT_BASE_URL", "http://localhost:8080/api/v1/")];
        let pair = |base: &str, key: &str| Ok((base.to_owned(), key.to_owned()));
        assert_eq!(layered(Some("sk_a"), Some("https://x.test"), &env), pair("https://x.test", "sk_a"));
        assert_eq!(layered(None, None, &env), pair("http://localhost:8080/api/v1", "sk_env"));
        assert_eq!(layered(Some("sk_a"), None, &[]), pair(BaseUrl::DEFAULT, "sk_a"));
        assert_eq!(layered(Some(""), Some(" "), &env), layered(None, None, &env), "empty counts as absent");
    }

    #[test]
    fn a_missing_key_is_an_error_before_anything_is_sent() {
        for env in [&[][..], &[("GERT_API_KEY", "")], &[("GERT_API_KEY", "sk a")]] {
            assert_eq!(layered(None, None, env).expect_err("no key").kind(), ErrorKind::Argument);
        }
        assert_eq!(
            layered(Some("sk"), Some("ftp://x"), &[]).expect_err("no URL").kind(),
            ErrorKind::Argument
        );
    }
}
