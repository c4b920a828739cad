//! Proxies and private certificate authorities: REST and sockets behave the same (W-15, W-16).

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use futures_util::{SinkExt, StreamExt};
use gert::api::endpoints::GetBalance;
use gert::api::model::SessionId;
use gert::api::{Client, Error, ErrorKind, MessageKind, ProxyRules, Settings};
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_tungstenite::tungstenite::Message as Frame;

use super::canned::{raw_answer, read_request, serve_once};
use super::settings;

const HOST: &str = "arena.example";

/// A certificate authority in a file, and a server certificate it signed for `HOST` and `localhost`.
pub(super) struct Authority {
    pub(super) file: PathBuf,
    pub(super) acceptor: TlsAcceptor,
    _folder: TempDir,
}

pub(super) fn authority() -> Authority {
    let mut params = rcgen::CertificateParams::new(Vec::new()).expect("parameters");
    params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let key = rcgen::KeyPair::generate().expect("a key");
    let ca = params.self_signed(&key).expect("a certificate");
    let issuer = rcgen::Issuer::new(params, key);
    let names = vec![HOST.to_owned(), "localhost".to_owned()];
    let leaf_key = rcgen::KeyPair::generate().expect("a key");
    let leaf =
        rcgen::CertificateParams::new(names).expect("names").signed_by(&leaf_key, &issuer).expect("signed");
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(leaf_key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![leaf.der().clone()], key)
        .expect("a certificate");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, ca.pem()).expect("written");
    Authority { file, acceptor: TlsAcceptor::from(Arc::new(config)), _folder: folder }
}

/// What a proxy, or the server behind it, was asked.
type Log = Arc<Mutex<Vec<String>>>;

/// The API behind everything: one message to a spectator, a balance to everybody else.
async fn api(mut stream: impl AsyncRead + AsyncWrite + Unpin, socket: bool, log: &Log) {
    if socket {
        let mut ws = tokio_tungstenite::accept_async(stream).await.expect("a socket");
        ws.send(Frame::text(r#"{"type":"session"}"#)).await.expect("sent");
        while let Some(Ok(_)) = ws.next().await {}
    } else {
        let reply = raw_answer(200, "", br#"{"data":{"credits":7}}"#);
        let request = serve_once(&mut stream, &reply).await;
        log.lock().expect("no panic").push(request);
    }
}

/// Plays the API over TLS, first for REST, then for a socket.
async fn secure_api(tls: TlsAcceptor) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        let mut served = 0;
        loop {
            let (stream, _) = listener.accept().await.expect("a client");
            // A client that does not trust us ends the handshake.
            let Ok(stream) = tls.accept(stream).await else { continue };
            served += 1;
            tokio::spawn(async move { api(stream, served == 2, &Log::default()).await });
        }
    });
    port
}

/// Plays an HTTP proxy and the API behind it at once: first for REST, then for a socket.
async fn http_proxy(tls: Option<TlsAcceptor>) -> (String, Log) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let log = Log::default();
    let seen = log.clone();
    tokio::spawn(async move {
        for served in 1.. {
            let (mut stream, _) = listener.accept().await.expect("a client");
            if tls.is_none() && served == 1 {
                // Plain http is asked for in full, without a tunnel.
                api(stream, false, &seen).await;
                continue;
            }
            let request = read_request(&mut stream).await;
            let refused = request.contains("basic d3jvbmc6d3jvbmc=");
            seen.lock().expect("no panic").push(request);
            if refused {
                let _ = stream.write_all(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n").await;
                continue;
            }
            stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await.expect("open");
            let (tls, seen) = (tls.clone(), seen.clone());
            tokio::spawn(async move {
                match tls {
                    None => api(stream, served == 2, &seen).await,
                    Some(tls) => {
                        let Ok(stream) = tls.accept(stream).await else { return };
                        api(stream, served == 2, &seen).await;
                    }
                }
            });
        }
    });
    (address, log)
}

/// Plays a SOCKS5 proxy that wants a user and a password, and the API behind it.
async fn socks_proxy() -> (String, Log) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let log = Log::default();
    let seen = log.clone();
    tokio::spawn(async move {
        for served in 1.. {
            let (mut stream, _) = listener.accept().await.expect("a client");
            let target = socks_handshake(&mut stream).await;
            seen.lock().expect("no panic").push(target);
            let seen = seen.clone();
            tokio::spawn(async move { api(stream, served == 2, &seen).await });
        }
    });
    (address, log)
}

async fn socks_handshake(stream: &mut TcpStream) -> String {
    let methods = counted(stream, 1).await;
    assert_eq!(methods, [2], "user and password are offered");
    stream.write_all(&[5, 2]).await.expect("open");
    let user = counted(stream, 1).await;
    let password = counted(stream, 0).await;
    stream.write_all(&[1, 0]).await.expect("open");
    let mut head = [0; 4];
    stream.read_exact(&mut head).await.expect("a request");
    assert_eq!(head, [5, 1, 0, 3], "connect to a host by name");
    let host = counted(stream, 0).await;
    let port = stream.read_u16().await.expect("a port");
    stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await.expect("open");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    format!("{}:{}@{}:{port}", text(user), text(password), text(host))
}

/// Reads `skip` bytes, a length, and as many bytes.
async fn counted(stream: &mut TcpStream, skip: usize) -> Vec<u8> {
    let mut head = vec![0; skip + 1];
    stream.read_exact(&mut head).await.expect("a length");
    let mut bytes = vec![0; usize::from(head[skip])];
    stream.read_exact(&mut bytes).await.expect("bytes");
    bytes
}

fn through(mut settings: Settings, proxy: &str) -> Settings {
    settings.proxy = ProxyRules::Through { url: proxy.into(), except: String::new() };
    settings
}

/// Does a REST call and a socket; says how each went.
async fn both(settings: Settings) -> [Result<(), Error>; 2] {
    let client = Client::new(settings).expect("a client");
    let rest = client.send(&GetBalance::new()).await.map(|balance| assert!(balance.credits > 6.0));
    let socket = match client.spectate(&SessionId::from("s1")).await {
        Err(error) => Err(error),
        Ok(mut socket) => {
            let first = socket.recv().await.expect("a message").expect("a message");
            assert_eq!(first.kind, MessageKind::Session);
            Ok(())
        }
    };
    [rest, socket]
}

#[tokio::test]
async fn a_private_authority_counts_for_rest_and_sockets_alike() {
    let authority = authority();
    let port = secure_api(authority.acceptor.clone()).await;
    let stranger = settings(&format!("https://localhost:{port}/api/v1"));
    for refused in both(stranger.clone()).await {
        let error = refused.expect_err("an unknown authority");
        assert_eq!(error.kind(), ErrorKind::Tls, "{}", error.why());
        assert!(
            error.why().contains(&format!("localhost:{port}")) && error.advice().is_some(),
            "{}",
            error.why()
        );
    }
    let mut known = stranger;
    known.ca_files = vec![authority.file.clone()];
    assert_eq!(both(known.clone()).await, [Ok(()), Ok(())]);
    // The certificate is for a name, not for an address.
    known.base_url = format!("https://127.0.0.1:{port}/api/v1").parse().expect("a base URL");
    for refused in both(known).await {
        assert_eq!(refused.expect_err("another name").kind(), ErrorKind::Tls);
    }
}

#[tokio::test]
async fn a_proxy_is_used_for_rest_and_sockets_alike() {
    let (proxy, log) = http_proxy(None).await;
    let mut settings = through(settings(&format!("http://{HOST}/api/v1")), &format!("http://u:p@{proxy}"));
    settings.allow_plain_http = true;
    assert_eq!(both(settings).await, [Ok(()), Ok(())]);
    let log = log.lock().expect("no panic");
    assert!(log[0].starts_with(&format!("GET http://{HOST}/api/v1/auth/balance ")), "{}", log[0]);
    assert!(log[1].starts_with(&format!("CONNECT {HOST}:80 ")), "{}", log[1]);
    for request in log.iter() {
        assert!(request.contains("proxy-authorization: basic dtpw"), "{request}");
    }
}

#[tokio::test]
async fn a_tunnel_and_a_private_authority_work_together() {
    let authority = authority();
    let (proxy, log) = http_proxy(Some(authority.acceptor.clone())).await;
    let mut settings = through(settings(&format!("https://{HOST}/api/v1")), &format!("http://{proxy}"));
    settings.ca_files = vec![authority.file.clone()];
    assert_eq!(both(settings).await, [Ok(()), Ok(())]);
    let log = log.lock().expect("no panic");
    let tunnels: Vec<_> =
        log.iter().filter(|request| request.starts_with("CONNECT arena.example:443 ")).collect();
    assert_eq!(tunnels.len(), 2, "{log:?}");
    // The proxy sees no key.
    assert!(tunnels.iter().all(|request| !request.contains("x-api-key")));
}

#[tokio::test]
async fn a_proxy_that_refuses_or_is_not_there_is_named_without_its_password() {
    let (proxy, _log) = http_proxy(Some(authority().acceptor)).await;
    for proxy in [proxy.as_str(), "127.0.0.1:1"] {
        let settings =
            through(settings(&format!("https://{HOST}/api/v1")), &format!("http://wrong:wrong@{proxy}"));
        for refused in both(settings).await {
            let error = refused.expect_err("no way through");
            assert_eq!(error.kind(), ErrorKind::Proxy, "{}", error.why());
            assert!(error.why().contains(proxy) && !error.why().contains("wrong"), "{}", error.why());
        }
    }
}

#[tokio::test]
async fn a_socks_proxy_resolves_names_and_takes_a_password() {
    let (proxy, log) = socks_proxy().await;
    let mut settings =
        through(settings(&format!("http://{HOST}/api/v1")), &format!("socks5h://u:p%40ss@{proxy}"));
    settings.allow_plain_http = true;
    assert_eq!(both(settings).await, [Ok(()), Ok(())]);
    let log = log.lock().expect("no panic");
    assert_eq!(log.iter().filter(|target| *target == "u:p@ss@arena.example:80").count(), 2, "{log:?}");
}

const BASE_VARIABLE: &str = "GERT_TEST_SECURE_BASE";

/// Runs this binary again with the environment of a company's network: a proxy and a private authority.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_environments_proxy_and_authority_count_for_both() {
    let authority = authority();
    let (proxy, log) = http_proxy(Some(authority.acceptor.clone())).await;
    let child = tokio::process::Command::new(std::env::current_exe().expect("this binary"))
        .args(["--exact", "api::secure::inside_that_environment", "--nocapture"])
        .env(BASE_VARIABLE, format!("https://{HOST}/api/v1"))
        .env("SSL_CERT_FILE", &authority.file)
        .env("HTTPS_PROXY", format!("http://{proxy}"))
        .env_remove("SSL_CERT_DIR")
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .kill_on_drop(true)
        .output();
    let limit = std::time::Duration::from_secs(30);
    let output = tokio::time::timeout(limit, child).await.expect("in time").expect("it ran");
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && shown.contains("both went through"), "{shown}");
    assert_eq!(
        log.lock().expect("no panic").iter().filter(|request| request.starts_with("CONNECT ")).count(),
        2
    );
}

/// The other half of the test above; without its environment there is nothing to see.
#[tokio::test]
async fn inside_that_environment() {
    if let Ok(base) = std::env::var(BASE_VARIABLE) {
        assert_eq!(both(settings(&base)).await, [Ok(()), Ok(())]);
        println!("both went through");
    }
}
