//! Tells a program on this machine that a job has ended.
//!
//! Only loopback addresses are called, redirects are not followed and proxies not used: nobody can make the arena ask
//! other machines.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use rustls::{ClientConfig, RootCertStore};
use serde_json::{Value, json};

use super::Status;

/// How often it is tried.
const TRIES: u32 = 3;

/// How long one try, and the pause before the next, may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether this may be called.
///
/// # Errors
/// Says what is wrong with it.
pub fn check(url: &str) -> Result<(), String> {
    let parsed = Url::parse(url).map_err(|error| format!("is no URL: {error}"))?;
    if parsed.scheme() != "http" {
        return Err("must begin with `http://`".to_owned());
    }
    let host = parsed.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let is_local = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    if is_local {
        Ok(())
    } else {
        Err(format!("names `{host}`: the arena calls this machine only (`127.0.0.1`, `::1` or `localhost`)"))
    }
}

/// Posts the end of a job. What the other side answers, or whether it does, changes nothing.
pub(super) async fn tell(url: &str, job_id: &str, status: Status, outcome: &(Option<Value>, Option<String>)) {
    let (result, error) = outcome;
    let mut body = json!({ "job_id": job_id, "status": status.as_str() });
    if let Some(result) = result {
        body["result"] = result.clone();
    }
    if let Some(error) = error {
        body["error"] = Value::from(error.as_str());
    }
    let client = match client() {
        Ok(client) => client,
        Err(error) => {
            tracing::error!(job_id, %error, "a call-back could not be prepared");
            return;
        }
    };
    for _ in 0..TRIES {
        match client.post(url).json(&body).send().await {
            Ok(answer) if answer.status().is_success() => return,
            Ok(answer) => tracing::warn!(job_id, status = %answer.status(), "a call-back was refused"),
            Err(error) => tracing::warn!(job_id, error = %error.without_url(), "a call-back failed"),
        }
        tokio::time::sleep(PATIENCE).await;
    }
}

/// A client that trusts nobody: on loopback there is no TLS.
fn client() -> Result<reqwest::Client, Box<dyn std::error::Error + Send + Sync>> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    let client = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(PATIENCE);
    Ok(client.build()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_called() {
        for url in ["http://127.0.0.1:9/done", "http://localhost/x?y=1", "http://[::1]:8443/"] {
            assert_eq!(check(url), Ok(()), "{url}");
        }
        for url in [
            "http://192.0.2.1/",
            "http://example.org/",
            "https://127.0.0.1/",
            "ftp://127.0.0.1/",
            "127.0.0.1:80",
            "http://127.0.0.1.example.org/",
            "http://localhost@example.org/",
            "file:///etc/passwd",
        ] {
            assert!(check(url).is_err(), "{url}");
        }
    }
}
