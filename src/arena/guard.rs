//! Who may knock at all: requests to our own name and from our own origin; and the key that API routes want.
//!
//! A page in the user's browser can send requests to loopback ports. The `Host` check stops those that come by a
//! name bound to our address, the `Origin` check those that come straight.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::Arena;
use super::error::ArenaError;

/// Names that a loopback server may be called by.
const OWN_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The account that a request's key belongs to.
#[derive(Debug, Clone)]
pub struct Caller(pub String);

/// Refuses foreign hosts and origins, before anything is read or changed.
pub async fn own_host_and_origin(State(arena): State<Arena>, request: Request, next: Next) -> Response {
    match check(
        request.headers(),
        request.uri().authority().map(axum::http::uri::Authority::as_str),
        arena.port(),
    ) {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    }
}

/// Asks for an API key and notes whose it is.
pub async fn api_key(State(arena): State<Arena>, mut request: Request, next: Next) -> Response {
    let key = request.headers().get("x-api-key").and_then(|key| key.to_str().ok()).map(str::trim);
    let account = match key {
        None | Some("") => Err(ArenaError::unauthenticated("the header `X-API-Key` is missing")),
        Some(key) => {
            arena.keys().account_of(key).ok_or_else(|| ArenaError::unauthenticated("this API key is unknown"))
        }
    };
    match account {
        Ok(account) => {
            request.extensions_mut().insert(Caller(account));
            next.run(request).await
        }
        Err(error) => error.into_response(),
    }
}

fn check(headers: &HeaderMap, authority: Option<&str>, port: Option<u16>) -> Result<(), ArenaError> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = hosts.next().and_then(|host| host.to_str().ok()).or(authority);
    if hosts.next().is_some() || !host.is_some_and(|host| is_own(host, port)) {
        return Err(ArenaError::forbidden(
            "the arena answers to `localhost` and `127.0.0.1` with its own port only",
        ));
    }
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let own_origin = |origin: &axum::http::HeaderValue| {
        let origin = origin.to_str().ok().and_then(|origin| origin.strip_prefix("http://"));
        origin.is_some_and(|host| is_own(host, port))
    };
    if !origins.all(own_origin) {
        return Err(ArenaError::forbidden("requests from other origins are refused"));
    }
    Ok(())
}

/// `port` is nothing while the router is not served; then any port is its own.
fn is_own(host: &str, port: Option<u16>) -> bool {
    let own = |name: &&str| -> bool {
        let Some(rest) = host.get(..name.len()).filter(|start| start.eq_ignore_ascii_case(name)) else {
            return false;
        };
        match host[rest.len()..].strip_prefix(':') {
            Some(given) => {
                let given = given.parse::<u16>().ok();
                given.is_some() && port.is_none_or(|port| given == Some(port))
            }
            None => host.len() == rest.len() && port.is_none_or(|port| port == 80),
        }
    };
    OWN_NAMES.iter().any(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_names_with_the_right_port_are_own() {
        for host in ["localhost:8080", "127.0.0.1:8080", "[::1]:8080", "LOCALHOST:8080"] {
            assert!(is_own(host, Some(8080)), "{host}");
        }
        for host in [
            "",
            "localhost",
            "localhost:80",
            "localhost:8080x",
            "localhost:",
            "evil.example:8080",
            "localhost.evil:8080",
            "127.0.0.1.evil:8080",
            "evil@localhost:8080",
            "127.0.0.2:8080",
            "[::1]",
            "0.0.0.0:8080",
            "ŀocalhost:8080",
        ] {
            assert!(!is_own(host, Some(8080)), "{host}");
        }
        assert!(is_own("localhost", Some(80)));
    }

    #[test]
    fn foreign_origins_are_refused_and_none_is_fine() {
        let headers = |origin: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, "127.0.0.1:8080".parse().unwrap());
            if let Some(origin) = origin {
                headers.insert(header::ORIGIN, origin.parse().unwrap());
            }
            headers
        };
        let passes = |origin| check(&headers(origin), None, Some(8080)).is_ok();
        assert!(passes(None));
        assert!(passes(Some("http://127.0.0.1:8080")));
        assert!(passes(Some("http://localhost:8080")));
        for origin in
            ["null", "http://evil.example", "http://localhost:3000", "https://localhost:8080", "file://"]
        {
            assert!(!passes(Some(origin)), "{origin}");
        }
        assert!(check(&HeaderMap::new(), None, Some(8080)).is_err(), "no host at all");
    }
}
