use std::path::Path;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::*;
use crate::config::Given;

/// A client for an address, with what else the profile says.
fn client_at(folder: &Path, base_url: &str, more: &str) -> Client {
    let file = folder.join("config.toml");
    std::fs::write(&file, format!("[profiles.default]\nbase_url = \"{base_url}\"\n{more}")).unwrap();
    let given = Given { config: Some(file), ..Given::default() };
    client(&Config::load_without_key(&given, &|_| None).unwrap()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_host_that_never_answers_is_given_up_in_time() {
    let folder = tempfile::tempdir().unwrap();
    // Connections wait in its queue for ever.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = client_at(folder.path(), &format!("http://{}/api/v1", silent.local_addr().unwrap()), "");
    let began = Instant::now();
    let (host, socket) = tokio::join!(host(&client), websocket(&client, None));
    assert!(began.elapsed() <= LIMIT + Duration::from_millis(10), "{:?}", began.elapsed());
    assert!(host.end.is_err() && socket.is_err(), "{host:?} {socket:?}");
}

#[tokio::test]
async fn the_certificate_of_a_host_is_seen() {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ca.pem"), made.cert.pem()).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let serving = tokio::spawn(async move {
        let tls = TlsAcceptor::from(Arc::new(config));
        let (stream, _) = listener.accept().await.unwrap();
        // One that does not trust us breaks off.
        let mut stream = tls.accept(stream).await.unwrap();
        let mut request = vec![0; 4096];
        let length = stream.read(&mut request).await.unwrap();
        stream.write_all(b"HTTP/1.1 401 Unauthorized\r\nDate: x\r\n\r\n").await.unwrap();
        stream.shutdown().await.unwrap();
        String::from_utf8(request[..length].to_vec()).unwrap()
    });
    let base_url = format!("https://localhost:{port}/api/v1");
    let trusting = client_at(folder.path(), &base_url, "ca_files = [\"ca.pem\"]\n");
    let host = host(&trusting).await;
    assert_eq!(host.end.expect("an answer").head.status, 401);
    assert_eq!(host.certificate.expect("one").issuer, "rcgen self signed cert");
    let steps: Vec<Step> = host.took.iter().map(|(step, _)| *step).collect();
    assert_eq!(steps, [Step::Name, Step::Connect, Step::Tls, Step::Answer]);
    let request = serving.await.unwrap();
    assert!(request.starts_with("GET /api/v1/auth/balance HTTP/1.1\r\n"), "{request}");
    assert!(!request.to_lowercase().contains("api-key"), "{request}");
}
