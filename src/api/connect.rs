//! How connections are made: one TLS configuration and one proxy decision, for REST and sockets alike.
//!
//! REST hands both to reqwest; sockets are dialled here ([`Dialer::open`]) through the same connectors that
//! reqwest uses inside.

use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::TokioIo;
use reqwest::Url;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;
use tokio::io::{AsyncRead, AsyncWrite};
use tower_service::Service;

use super::error::ErrorKind;
use super::{BaseUrl, ProxyRules, Settings};

/// A byte stream to a server, whatever it runs over.
pub(crate) trait Io: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Io for T {}
/// See [`Io`].
pub(crate) type Stream = Box<dyn Io>;

type Fault = Box<dyn std::error::Error + Send + Sync>;

/// Opens sockets' connections. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Dialer {
    pub(crate) tls: Arc<ClientConfig>,
    pub(crate) proxy: Option<Intercept>,
    connect_timeout: Duration,
}

impl fmt::Debug for Dialer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dialer").field("proxy", &self.proxy_host()).finish_non_exhaustive()
    }
}

impl Dialer {
    pub(crate) fn new(settings: &Settings) -> Result<Self, String> {
        let base = &settings.base_url;
        let uri = base.as_str().parse::<Uri>().map_err(|error| error.to_string())?;
        // Traffic with this machine itself never leaves it.
        let proxy = if base.is_loopback() { None } else { matcher(&settings.proxy)?.intercept(&uri) };
        if let Some(proxy) = &proxy {
            check_proxy(proxy.uri())?;
        }
        Ok(Self { tls: Arc::new(tls(settings)?), proxy, connect_timeout: settings.connect_timeout })
    }

    /// Host and port of the proxy, without its password.
    pub(crate) fn proxy_host(&self) -> Option<String> {
        let uri = self.proxy.as_ref()?.uri();
        let host = uri.host().unwrap_or_default();
        Some(uri.port_u16().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
    }

    /// The proxy for reqwest, if there is one.
    pub(crate) fn reqwest_proxy(&self) -> Option<Result<reqwest::Proxy, String>> {
        let proxy = self.proxy.as_ref()?;
        Some(reqwest_proxy(proxy))
    }

    /// Opens a connection to the host of `base`, TLS included.
    pub(crate) async fn open(&self, base: &BaseUrl) -> Result<Stream, (ErrorKind, String)> {
        let host = base.host();
        match tokio::time::timeout(self.connect_timeout, self.dial(base)).await {
            Ok(Ok(stream)) => Ok(stream),
            Ok(Err(fault)) => Err(self.explain(&host, fault.as_ref())),
            Err(_) => Err((
                ErrorKind::Connect,
                format!("no connection to `{host}` within {} s", self.connect_timeout.as_secs_f32()),
            )),
        }
    }

    async fn dial(&self, base: &BaseUrl) -> Result<Stream, Fault> {
        let stream = self.reach(base).await?;
        if base.is_secure() {
            handshake(&self.tls, target(base)?.host().unwrap_or_default(), stream).await
        } else {
            Ok(stream)
        }
    }

    /// Opens the way to the host of `base`, through the proxy if there is one; without TLS and without a limit.
    pub(crate) async fn reach(&self, base: &BaseUrl) -> Result<Stream, Fault> {
        // A host without brackets, as a host name for DNS and TLS.
        let target = target(base)?;
        match &self.proxy {
            None => Ok(into_stream(self.connector().call(target).await?)),
            Some(proxy) => self.through(proxy, target).await,
        }
    }

    async fn through(&self, proxy: &Intercept, target: Uri) -> Result<Stream, Fault> {
        if proxy.uri().scheme_str().is_some_and(|scheme| scheme.starts_with("socks")) {
            let local_dns = proxy.uri().scheme_str() == Some("socks5");
            let mut socks = SocksV5::new(proxy.uri().clone(), self.connector()).local_dns(local_dns);
            if let Some((user, password)) = proxy.raw_auth() {
                socks = socks.with_auth(user.to_owned(), password.to_owned());
            }
            return Ok(into_stream(socks.call(target).await?));
        }
        let first = ToProxy { tcp: self.connector(), tls: self.tls.clone() };
        let mut tunnel = Tunnel::new(proxy.uri().clone(), first);
        if let Some(auth) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(auth.clone());
        }
        Ok(Box::new(tunnel.call(target).await?.into_inner()))
    }

    fn connector(&self) -> HttpConnector {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(self.connect_timeout));
        tcp.set_keepalive(Some(Duration::from_mins(1)));
        tcp
    }

    /// Sorts a failure to connect and words it, from its innermost cause.
    pub(crate) fn explain(
        &self,
        host: &str,
        fault: &(dyn std::error::Error + 'static),
    ) -> (ErrorKind, String) {
        let why = innermost(fault);
        if find_tls(fault).is_some() {
            return (ErrorKind::Tls, format!("no trusted connection to `{host}`: {why}"));
        }
        match self.proxy_host() {
            Some(proxy) => {
                (ErrorKind::Proxy, format!("no way to `{host}` through the proxy `{proxy}`: {why}"))
            }
            None => (ErrorKind::Connect, format!("no connection to `{host}`: {why}")),
        }
    }
}

/// The text of the innermost cause: the outer ones only repeat that something failed.
pub(crate) fn innermost(fault: &(dyn std::error::Error + 'static)) -> String {
    let mut last = fault;
    while let Some(next) = last.source() {
        last = next;
    }
    last.to_string()
}

/// The TLS error in a chain of causes, also inside an IO error, which does not name it as its source.
pub(crate) fn find_tls<'a>(fault: &'a (dyn std::error::Error + 'static)) -> Option<&'a rustls::Error> {
    if let Some(tls) = fault.downcast_ref::<rustls::Error>() {
        return Some(tls);
    }
    match fault.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inner) => find_tls(inner),
        None => find_tls(fault.source()?),
    }
}

/// The platform's verifier with the extra authorities; on Linux it reads `SSL_CERT_FILE` and `SSL_CERT_DIR`
/// instead of the system's list.
fn tls(settings: &Settings) -> Result<ClientConfig, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    // Reading the system's authorities takes a few milliseconds, and can fail where none are installed. A
    // server on this machine without TLS needs neither.
    if !settings.base_url.is_secure() && settings.base_url.is_loopback() {
        return Ok(builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth());
    }
    let verifier = Verifier::new_with_extra_roots(extra_roots(settings)?, provider)
        .map_err(|error| format!("the certificate authorities cannot be read: {error}"))?;
    Ok(builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth())
}

fn extra_roots(settings: &Settings) -> Result<Vec<CertificateDer<'static>>, String> {
    let mut files = settings.ca_files.clone();
    // Elsewhere than on Linux the platform's verifier does not read the variable.
    if cfg!(any(target_vendor = "apple", windows)) {
        files.extend(std::env::var_os("SSL_CERT_FILE").filter(|file| !file.is_empty()).map(Into::into));
    }
    let mut roots = Vec::new();
    for file in files {
        let read = CertificateDer::pem_file_iter(&file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let certificates =
            read.map_err(|error| format!("the CA file `{}` cannot be read: {error}", file.display()))?;
        if certificates.is_empty() {
            return Err(format!("the CA file `{}` holds no certificate", file.display()));
        }
        roots.extend(certificates);
    }
    Ok(roots)
}

fn matcher(rules: &ProxyRules) -> Result<Matcher, String> {
    Ok(match rules {
        ProxyRules::Environment => Matcher::from_env(),
        ProxyRules::Direct => Matcher::builder().build(),
        ProxyRules::Through { url, except } => {
            // The matcher takes what it cannot read for no proxy at all.
            url.parse::<Uri>().map_err(|_| "the proxy's address is not a URL".to_owned())?;
            Matcher::builder().all(url.clone()).no(except.clone()).build()
        }
    })
}

fn check_proxy(uri: &Uri) -> Result<(), String> {
    match uri.scheme_str() {
        Some("http" | "https" | "socks5" | "socks5h") => Ok(()),
        scheme => Err(format!(
            "a proxy of the kind `{}` is not supported: use http, https, socks5 or socks5h",
            scheme.unwrap_or_default()
        )),
    }
}

fn reqwest_proxy(proxy: &Intercept) -> Result<reqwest::Proxy, String> {
    let bad = |_| "the proxy's address is not a URL".to_owned();
    let mut url = Url::parse(&proxy.uri().to_string()).map_err(|error| bad(error.to_string()))?;
    if let Some((user, password)) = proxy.raw_auth() {
        // A SOCKS proxy takes its user from the address.
        url.set_username(user)
            .and_then(|()| url.set_password(Some(password)))
            .map_err(|()| bad(String::new()))?;
    }
    let mut made = reqwest::Proxy::all(url).map_err(|error| bad(error.to_string()))?;
    if let Some(auth) = proxy.basic_auth() {
        let mut auth = auth.clone();
        auth.set_sensitive(true);
        made = made.custom_http_auth(auth);
    }
    Ok(made)
}

/// Host and port of a base URL, port always given.
fn target(base: &BaseUrl) -> Result<Uri, Fault> {
    let url = base.url();
    let host = url.host_str().unwrap_or_default();
    let port = url.port_or_known_default().unwrap_or(443);
    Ok(Uri::builder().scheme(url.scheme()).authority(format!("{host}:{port}")).path_and_query("/").build()?)
}

async fn handshake(tls: &Arc<ClientConfig>, host: &str, stream: Stream) -> Result<Stream, Fault> {
    let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned())?;
    let stream = tokio_rustls::TlsConnector::from(tls.clone()).connect(name, stream).await?;
    Ok(Box::new(stream))
}

fn into_stream<T: AsyncRead + AsyncWrite + Unpin + Send + 'static>(io: TokioIo<T>) -> Stream {
    Box::new(io.into_inner())
}

/// Connects to an HTTP proxy, with TLS if its address says so.
#[derive(Clone)]
struct ToProxy {
    tcp: HttpConnector,
    tls: Arc<ClientConfig>,
}

impl Service<Uri> for ToProxy {
    type Response = TokioIo<Stream>;
    type Error = Fault;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Fault>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, proxy: Uri) -> Self::Future {
        let (mut tcp, tls) = (self.tcp.clone(), self.tls.clone());
        Box::pin(async move {
            let secure = proxy.scheme_str() == Some("https");
            let host = proxy.host().unwrap_or_default().to_owned();
            let stream = into_stream(tcp.call(proxy).await?);
            Ok(TokioIo::new(if secure { handshake(&tls, &host, stream).await? } else { stream }))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::ApiKey;

    fn dialer(base: &str, proxy: ProxyRules) -> Result<Dialer, String> {
        let key = ApiKey::new("k").expect("a key");
        let mut settings = Settings::new(base.parse().expect("a base"), key);
        settings.proxy = proxy;
        Dialer::new(&settings)
    }

    fn through(url: &str, except: &str) -> ProxyRules {
        ProxyRules::Through { url: url.into(), except: except.into() }
    }

    #[test]
    fn loopback_and_excepted_hosts_go_direct() {
        // W-15.
        let proxy = || through("http://u:p%40ss@proxy.example:3128", "internal.example,10.0.0.0/8");
        for (base, host) in [
            ("http://127.0.0.1:8080/api", None),
            ("http://localhost/api", None),
            ("http://[::1]:1/api", None),
            ("http://a.internal.example/api", None),
            ("http://10.1.2.3/api", None),
            ("http://other.example/api", Some("proxy.example:3128")),
        ] {
            assert_eq!(dialer(base, proxy()).expect("a dialer").proxy_host().as_deref(), host, "{base}");
        }
    }

    #[test]
    fn a_proxy_password_is_never_shown() {
        let dialer =
            dialer("http://h.example/", through("http://u:secret@proxy.example:1", "")).expect("a dialer");
        let (kind, why) = dialer.explain("h.example", &io::Error::other("refused"));
        assert_eq!(kind, ErrorKind::Proxy);
        assert!(why.contains("proxy.example:1"), "{why}");
        let shown =
            format!("{why} {dialer:?} {:?} {:?}", dialer.reqwest_proxy(), through("http://u:secret@p", ""));
        assert!(!shown.contains("secret"), "{shown}");
    }

    #[test]
    fn unknown_kinds_of_proxy_and_bad_ca_files_are_named() {
        assert!(dialer("http://h.example/", through("http://\u{7f}", "")).is_err());
        let mut settings =
            Settings::new("https://h.example".parse().expect("a base"), ApiKey::new("k").expect("a key"));
        settings.ca_files = vec!["/nowhere/ca.pem".into()];
        let error = Dialer::new(&settings).expect_err("no such file");
        assert!(error.contains("/nowhere/ca.pem"), "{error}");
    }
}
