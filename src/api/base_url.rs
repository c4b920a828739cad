//! Where the API is: one address from which REST and socket addresses are made.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use reqwest::Url;

/// The address that every path is appended to. Its own path is kept, trailing slashes are not.
#[derive(Clone, PartialEq, Eq)]
pub struct BaseUrl {
    text: String,
    url: Url,
}

/// A base URL cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BaseUrlError {
    /// It does not parse.
    #[error("the base URL is not a URL ({0}): it should look like `{default}`", default = BaseUrl::DEFAULT)]
    Syntax(String),
    /// Neither http nor https.
    #[error("the base URL must start with `https://` or `http://`, not with `{0}:`")]
    Scheme(String),
    /// A user name, password, query or fragment, none of which belongs there.
    #[error("the base URL must not hold a {0}")]
    Part(&'static str),
    /// The key would travel in clear.
    #[error(
        "plain http to `{host}` would send the key in clear: use https, or allow plain http in the settings"
    )]
    Plain {
        /// Where it would go.
        host: String,
    },
}

impl BaseUrl {
    /// The platform.
    pub const DEFAULT: &str = "https://gertlabs.com/api/v1";

    /// The address as it is shown and configured.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Host and, unless it is the scheme's own, port.
    pub fn host(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        self.url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// True for https.
    pub fn is_secure(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// True when nothing leaves this machine.
    pub fn is_loopback(&self) -> bool {
        is_loopback(&self.url)
    }

    /// Refuses an address that would send the key in clear over a network.
    ///
    /// # Errors
    /// Plain http to anything but loopback, unless `allow_plain_http`.
    pub fn check(&self, allow_plain_http: bool) -> Result<(), BaseUrlError> {
        if self.is_secure() || self.is_loopback() || allow_plain_http {
            return Ok(());
        }
        Err(BaseUrlError::Plain { host: self.host() })
    }

    /// The address of a path, which starts with a slash and is already percent-encoded.
    pub(crate) fn join(&self, path: &str) -> Url {
        let mut url = self.url.clone();
        url.set_path(&format!("{}{path}", self.url.path().trim_end_matches('/')));
        url
    }

    /// The socket address of a path: the scheme becomes `wss` or `ws`, the rest stays.
    pub(crate) fn socket(&self, path: &str) -> String {
        let (_, rest) = self.text.split_once("://").unwrap_or_default();
        format!("{}://{rest}{path}", if self.is_secure() { "wss" } else { "ws" })
    }

    /// What a browser would call the origin.
    pub(crate) fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    pub(crate) fn url(&self) -> &Url {
        &self.url
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

impl Default for BaseUrl {
    fn default() -> Self {
        Self::DEFAULT.parse().expect("the default address is well formed")
    }
}

impl FromStr for BaseUrl {
    type Err = BaseUrlError;

    fn from_str(text: &str) -> Result<Self, BaseUrlError> {
        let url = Url::parse(text.trim()).map_err(|error| BaseUrlError::Syntax(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(BaseUrlError::Scheme(url.scheme().to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(BaseUrlError::Part("user name or password"));
        }
        if url.query().is_some() {
            return Err(BaseUrlError::Part("query"));
        }
        if url.fragment().is_some() {
            return Err(BaseUrlError::Part("fragment"));
        }
        Ok(Self { text: url.as_str().trim_end_matches('/').to_owned(), url })
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BaseUrl({})", self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(text: &str) -> BaseUrl {
        text.parse().expect("a good address")
    }

    #[test]
    fn trailing_slashes_go_and_the_path_stays() {
        // SDK 3.4.0 tests/test_client.py test_base_url_trailing_slash_stripped.
        assert_eq!(base("http://test/api/v1/").as_str(), "http://test/api/v1");
        assert_eq!(base("http://test/api/v1//").join("/games").as_str(), "http://test/api/v1/games");
        assert_eq!(base("http://test/").join("/games").as_str(), "http://test/games");
        assert_eq!(BaseUrl::default().as_str(), "https://gertlabs.com/api/v1");
    }

    #[test]
    fn a_socket_address_differs_in_the_scheme_only() {
        let path = "/play/s1/ws";
        assert_eq!(base("https://h/api/v1").socket(path), "wss://h/api/v1/play/s1/ws");
        assert_eq!(
            base("http://localhost:8080/api/v1").socket(path),
            "ws://localhost:8080/api/v1/play/s1/ws"
        );
    }

    #[test]
    fn plain_http_needs_loopback_or_leave() {
        for host in ["localhost:8080", "127.0.0.1:1", "127.9.9.9", "[::1]:8080"] {
            assert_eq!(base(&format!("http://{host}/api/v1")).check(false), Ok(()), "{host}");
        }
        for host in ["gertlabs.com", "localhost.example.com", "10.0.0.1", "127.0.0.1.example.com"] {
            let base = base(&format!("http://{host}/api/v1"));
            assert_eq!(base.check(false), Err(BaseUrlError::Plain { host: host.to_owned() }));
            assert_eq!(base.check(true), Ok(()));
        }
    }

    #[test]
    fn parts_that_do_not_belong_are_refused() {
        for text in [
            "ftp://h/",
            "h:8080/api",
            "",
            "http://u:p@h/",
            "https://h/?a=1",
            "https://h/#x",
            "/api",
            "http://",
        ] {
            let error = text.parse::<BaseUrl>().expect_err(text);
            assert!(!error.to_string().contains("u:p"), "{error}");
        }
    }
}
