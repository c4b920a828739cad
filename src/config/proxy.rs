//! The proxy of a profile.

use std::fmt;
use std::str::FromStr;

use crate::api::ProxyRules;

/// Which proxy; `Debug` and `Display` leave a user name and a password out.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Proxy {
    /// None, whatever the environment says.
    Direct,
    /// This one, for every host but the loopback.
    Through(reqwest::Url),
}

impl Proxy {
    pub(super) fn rules(&self) -> ProxyRules {
        match self {
            Self::Direct => ProxyRules::Direct,
            Self::Through(url) => ProxyRules::Through { url: url.as_str().to_owned(), except: String::new() },
        }
    }

    /// Whether the settings are a secret because of it.
    pub(super) fn has_password(&self) -> bool {
        matches!(self, Self::Through(url) if url.password().is_some())
    }
}

impl FromStr for Proxy {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        /// Never repeats the text: it may hold a password.
        const WRONG: &str = "it should look like \"http://proxy.example:3128\" (`http`, `https`, `socks5` or `socks5h`), or be \"direct\"";
        if text == "direct" {
            return Ok(Self::Direct);
        }
        let url = reqwest::Url::parse(text).map_err(|_| WRONG)?;
        let known = matches!(url.scheme(), "http" | "https" | "socks5" | "socks5h");
        if known && url.host_str().is_some_and(|host| !host.is_empty()) {
            Ok(Self::Through(url))
        } else {
            Err(WRONG)
        }
    }
}

impl fmt::Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Direct => f.write_str("direct"),
            Self::Through(url) => {
                let user = if url.username().is_empty() && url.password().is_none() { "" } else { "***@" };
                write!(f, "{}://{user}{}", url.scheme(), url.host_str().unwrap_or_default())?;
                url.port().map_or(Ok(()), |port| write!(f, ":{port}"))
            }
        }
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Proxy({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_shown_without_its_password() {
        let proxy: Proxy = "http://me:secret@proxy.example:3128".parse().expect("a proxy");
        assert_eq!(
            format!("{proxy} {proxy:?}"),
            "http://***@proxy.example:3128 Proxy(http://***@proxy.example:3128)"
        );
        assert!(proxy.has_password());
        assert_eq!("direct".parse(), Ok(Proxy::Direct));
        for text in ["", "proxy:3128", "ftp://secret@x", "http://"] {
            assert!(!text.parse::<Proxy>().expect_err(text).contains("secret"));
        }
    }
}
