//! Asks the platform: the way to it step by step, whether sockets get through, and what the key is good for.
//!
//! The first two are asked by hand, over connections that the client would use too; the last one is an ordinary call.

use std::time::Duration;

use jiff::Timestamp;
use rustls::pki_types::ServerName;
use tokio::net::lookup_host;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::TlsConnector;

use crate::api::{self, ApiKey, Client, Settings};
use crate::config::{Config, check_key};

use super::super::certificate::{self, Certificate};
use super::super::facts::{Account, Answer, Host, Step, Stop};
use super::super::head::{self, Head};
use super::{LIMIT, tilde};

/// How long the client may take to connect, and then to get an answer.
const CLIENT_LIMITS: [Duration; 2] = [Duration::from_secs(3), Duration::from_secs(5)];
/// Answers to anybody: with what belongs to a key, or that there is none.
const PATH: &str = "/auth/balance";
/// A session that nobody has.
const SOCKET_PATH: &str = "/spectate/gert-doctor";
/// What makes a request an upgrade; the key is the sample of RFC 6455 §1.3.
const UPGRADE: &str = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                       Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

/// A client for its way of making connections. Its key is none, and no call is made with it.
pub(super) fn client(config: &Config) -> Result<Client, api::Error> {
    Client::new(impatient(config.settings(ApiKey::new("none").expect("a visible word"))))
}

fn impatient(settings: Settings) -> Settings {
    let [connect_timeout, timeout] = CLIENT_LIMITS;
    Settings { max_retries: 0, connect_timeout, timeout, ..settings }
}

/// Asks for the balance, if there is a key.
pub(super) async fn account(config: &Config) -> Result<Account, Option<api::Error>> {
    let settings = config.client_settings().map_err(|_| None)?;
    let asked = tokio::time::timeout(LIMIT, check_key(impatient(settings))).await;
    let (_, balance) =
        asked.unwrap_or_else(|_| Err(api::Error::local("get balance", &silence(Step::Answer))))?;
    Ok(Account { credits: balance.credits, tier: balance.tier })
}

/// Goes to the host step by step.
pub(super) async fn host(client: &Client) -> Host {
    let base = &client.settings().base_url;
    let mut walk = Walk { deadline: Instant::now() + LIMIT, took: Vec::new(), certificate: None };
    let end = walk.go(client).await;
    Host {
        name: base.host(),
        is_secure: base.is_secure(),
        took: walk.took,
        certificate: walk.certificate,
        end,
    }
}

struct Walk {
    deadline: Instant,
    took: Vec<(Step, Duration)>,
    certificate: Option<Certificate>,
}

impl Walk {
    async fn go(&mut self, client: &Client) -> Result<Answer, Stop> {
        let (base, dialer) = (&client.settings().base_url, client.dialer());
        let name = base.host();
        let host = base.url().host_str().unwrap_or_default().trim_matches(['[', ']']);
        let first = dialer.proxy.as_ref().and_then(|proxy| proxy.uri().host()).unwrap_or(host);
        let looked_up = async {
            let found = lookup_host((first.trim_matches(['[', ']']), 0)).await;
            found.map(drop).map_err(|why| format!("the name `{first}` is not known: {why}"))
        };
        self.step(Step::Name, looked_up).await?;
        let explain = |fault: &(dyn std::error::Error + 'static)| tilde(&dialer.explain(&name, fault).1);
        let reached = async { dialer.reach(base).await.map_err(|fault| explain(&*fault)) };
        let stream = self.step(Step::Connect, reached).await?;
        let request = head::request(&name, base.join(PATH).path(), "Connection: close\r\n");
        let head = if base.is_secure() {
            let secured = async {
                let server = ServerName::try_from(host.to_owned()).map_err(|why| explain(&why))?;
                let tls = TlsConnector::from(dialer.tls.clone());
                tls.connect(server, stream).await.map_err(|why| explain(&why))
            };
            let stream = self.step(Step::Tls, secured).await?;
            let certificates = stream.get_ref().1.peer_certificates().unwrap_or_default();
            self.certificate = certificates.first().and_then(|first| certificate::read(first));
            self.step(Step::Answer, head::ask(stream, &request)).await?
        } else {
            self.step(Step::Answer, head::ask(stream, &request)).await?
        };
        Ok(Answer { head, at: Timestamp::now() })
    }

    async fn step<T>(&mut self, at: Step, work: impl Future<Output = Result<T, String>>) -> Result<T, Stop> {
        let began = Instant::now();
        let done = timeout_at(self.deadline, work).await;
        self.took.push((at, began.elapsed()));
        done.unwrap_or_else(|_| Err(silence(at))).map_err(|why| Stop { at, why })
    }
}

fn silence(at: Step) -> String {
    let what = match at {
        Step::Name => "nobody knew the host's name",
        Step::Connect => "no connection was made",
        Step::Tls => "a connection was made, but there was no sign of TLS",
        Step::Answer => "a connection was made, but no answer came",
    };
    format!("{what} within {} s", LIMIT.as_secs())
}

/// Asks for a socket that nobody has; with a key, since many servers look at that first.
pub(super) async fn websocket(client: &Client, key: Option<&ApiKey>) -> Result<Head, String> {
    let base = &client.settings().base_url;
    let key = key.map_or_else(String::new, |key| format!("X-API-Key: {}\r\n", key.expose()));
    let request = head::request(&base.host(), base.join(SOCKET_PATH).path(), &format!("{UPGRADE}{key}"));
    let asked = async {
        let stream = client.dialer().open(base).await.map_err(|(_, why)| tilde(&why))?;
        head::ask(stream, &request).await
    };
    let done = tokio::time::timeout(LIMIT, asked).await;
    done.unwrap_or_else(|_| Err(silence(Step::Answer)))
}

#[cfg(test)]
mod tests;
