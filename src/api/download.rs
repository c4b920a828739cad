//! Downloads of exports: from addresses that the platform gives, each good for a while, into a folder.
//!
//! The hosts of such addresses are not the API's, so neither key nor token is sent there (protocol.md §5.15). A file is
//! written under a temporary name and gets its own when it is whole; what was there before stays until then.

mod name;

use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use http::header::{
    ACCEPT_ENCODING, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE, ETAG, HeaderName, IF_RANGE,
    LOCATION, RANGE,
};
use http::{HeaderValue, Method, StatusCode};
use jiff::Timestamp;
use reqwest::{Response, Url};
use tempfile::NamedTempFile;

use self::name::Used;
use super::connect::Dialer;
use super::endpoints::GetExportDownload;
use super::error::{DOWNLOAD, Error, ErrorKind, Step};
use super::http::{Client, broken, http_client, silence, transport, within};
use super::model::{ExportFile, JobId};
use super::{Settings, retry};

/// The longest silence of a download host. A download as a whole may take any time.
const IDLE: Duration = Duration::from_mins(5);

/// How many redirects are followed.
const MAX_REDIRECTS: usize = 10;

/// How often a file is asked for when its connection is lost: it is a read, and the second try goes on where
/// the first ended if the host allows it.
const TRIES: u32 = 3;

/// A file that was downloaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Downloaded {
    /// Where it is.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// How many records it holds, if the platform says it.
    pub records: Option<u64>,
}

/// How far a download is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DownloadProgress {
    /// Which file, from 1.
    pub file: usize,
    /// Of how many.
    pub files: usize,
    /// How much of this file is there, in bytes. Less than before when it had to begin anew.
    pub bytes: u64,
    /// How large this file is, if that is known.
    pub total: Option<u64>,
}

impl Client {
    /// Downloads the files of an export into a folder, which is made if it is not there; an empty export has
    /// none.
    ///
    /// A file has the name that its host gives, made safe, else `export_<job>_<nnn>`; it replaces an older one
    /// of that name once it is whole. Free. A host may be silent for 300 s. Dropping the future ends the
    /// download and leaves no part of a file behind.
    ///
    /// # Errors See [`ErrorKind`]. Files before the one that failed are whole and stay. An address that is no
    /// longer good is [`ErrorKind::Api`]: ask for the download again.
    pub async fn download_export(
        &self,
        job_id: &JobId,
        dir: &Path,
        mut on_progress: impl FnMut(DownloadProgress),
    ) -> Result<Vec<Downloaded>, Error> {
        let manifest = self.send(&GetExportDownload::new(job_id)).await?;
        let here = self.step(DOWNLOAD, false, &[]);
        let files = manifest.files().map_err(|why| here.error(ErrorKind::Decode, why))?;
        if files.is_empty() {
            return Ok(Vec::new());
        }
        std::fs::create_dir_all(dir).map_err(|error| disk(here, dir, &error))?;
        let mut hosts = Hosts { settings: self.settings(), known: Vec::new() };
        let (mut used, mut done) = (Used::default(), Vec::new());
        for (index, file) in files.iter().enumerate() {
            let mut tell = |bytes, total| {
                on_progress(DownloadProgress { file: index + 1, files: files.len(), bytes, total });
            };
            let mut part = Part::new(dir).map_err(|error| disk(here, dir, &error))?;
            hosts.fetch(file, &mut part, &mut tell).await?;
            let name =
                name::choose(part.disposition.as_deref(), &format!("export_{job_id}_{:03}", index + 1));
            let path = dir.join(used.free(&name));
            let bytes = part.bytes;
            part.finish(&path).await.map_err(|error| disk(here, &path, &error))?;
            done.push(Downloaded { path, bytes, records: file.record_count });
        }
        Ok(done)
    }
}

fn disk(step: Step<'_>, path: &Path, error: &io::Error) -> Error {
    step.error(ErrorKind::File, format!("`{}` cannot be written: {error}", path.display()))
}

/// A file in the making; it is gone when it is dropped.
struct Part {
    file: NamedTempFile,
    bytes: u64,
    total: Option<u64>,
    /// What the host calls this version of the file.
    version: Option<HeaderValue>,
    disposition: Option<String>,
}

impl Part {
    fn new(dir: &Path) -> io::Result<Self> {
        let file = tempfile::Builder::new().prefix(".export-").suffix(".part").tempfile_in(dir)?;
        Ok(Self { file, bytes: 0, total: None, version: None, disposition: None })
    }

    /// Where to go on, if there is something to go on from and its size is known to check the rest by.
    fn resume(&self) -> Option<u64> {
        self.total.map(|_| self.bytes).filter(|bytes| *bytes > 0)
    }

    /// True when an answer is the rest of what is here.
    fn continues(&self, response: &Response) -> bool {
        let range = response.headers().get(CONTENT_RANGE).and_then(|range| range.to_str().ok());
        let expected = self
            .resume()
            .zip(self.total)
            .map(|(bytes, total)| format!("bytes {bytes}-{}/{total}", total.saturating_sub(1)));
        response.status() == StatusCode::PARTIAL_CONTENT && expected.is_some() && range == expected.as_deref()
    }

    fn restart(&mut self) -> io::Result<()> {
        self.bytes = 0;
        self.total = None;
        self.file.as_file().set_len(0)?;
        self.file.rewind()
    }

    /// Takes what the head of a whole answer says.
    fn begin(&mut self, response: &Response) {
        let header = |name: HeaderName| response.headers().get(name);
        // A compressed answer has lost its length here, since its bytes are counted after decompression.
        let length = header(CONTENT_LENGTH).and_then(|length| length.to_str().ok());
        self.total = length.and_then(|length| length.parse().ok());
        self.version = header(ETAG).filter(|tag| !tag.as_bytes().starts_with(b"W/")).cloned();
        self.disposition = header(CONTENT_DISPOSITION)
            .map(|disposition| String::from_utf8_lossy(disposition.as_bytes()).into_owned());
    }

    /// Writes a chunk, which is small and goes to the system's cache; waiting for the disk is left to [`Part::finish`].
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Gives the file its name, once all of it is on the disk.
    async fn finish(self, path: &Path) -> io::Result<()> {
        let path = path.to_owned();
        let finish = move || {
            self.file.as_file().sync_all()?;
            self.file.persist(path).map(drop).map_err(|error| error.error)
        };
        tokio::task::spawn_blocking(finish).await.map_err(io::Error::other)?
    }
}

/// The hosts that files come from, each with a client of its own that has no key.
struct Hosts<'a> {
    settings: &'a Settings,
    known: Vec<Host>,
}

struct Host {
    origin: String,
    settings: Settings,
    dialer: Dialer,
    http: reqwest::Client,
}

impl Hosts<'_> {
    /// Fetches a file into `part`, more than once if the connection is lost.
    async fn fetch(
        &mut self,
        file: &ExportFile,
        part: &mut Part,
        tell: &mut impl FnMut(u64, Option<u64>),
    ) -> Result<(), Error> {
        let mut tries = 0;
        loop {
            let error = match self.attempt(file, part, tell).await {
                Ok(()) => return Ok(()),
                Err(error) => error,
            };
            tries += 1;
            let lost = matches!(
                error.kind(),
                ErrorKind::Lost | ErrorKind::Timeout | ErrorKind::Connect | ErrorKind::Proxy
            );
            if !lost || tries >= TRIES {
                return Err(error.after(tries));
            }
            tokio::time::sleep(retry::wait(None, tries, Timestamp::now(), rand::random())).await;
        }
    }

    async fn attempt(
        &mut self,
        file: &ExportFile,
        part: &mut Part,
        tell: &mut impl FnMut(u64, Option<u64>),
    ) -> Result<(), Error> {
        let (mut response, host) = self.open(file.download_url.expose(), part).await?;
        let step = Step { endpoint: DOWNLOAD, host: &host, mutating: false, secrets: &[] };
        let path = part.file.path().to_owned();
        let disk = |error: io::Error| disk(step, path.parent().unwrap_or(&path), &error);
        let status = response.status();
        if !part.continues(&response) {
            part.restart().map_err(disk)?;
            if status == StatusCode::PARTIAL_CONTENT || status == StatusCode::RANGE_NOT_SATISFIABLE {
                let why = format!("`{host}` does not go on with a file where it broke off");
                return Err(step.error(ErrorKind::Lost, why));
            }
            if !status.is_success() {
                let why = format!("HTTP {} from `{host}`: the file is not to be had there", status.as_u16());
                return Err(step.error(ErrorKind::Api, why).with_status(status));
            }
            part.begin(&response);
        }
        check_size(file, part.total, step)?;
        tell(part.bytes, part.total);
        while let Some(chunk) = next_chunk(&mut response, step).await? {
            part.write(&chunk).map_err(disk)?;
            tell(part.bytes, part.total.or(file.size_bytes));
        }
        // Without a length nobody else notices an early end.
        let expected = part.total.or(file.size_bytes).unwrap_or_default();
        if part.bytes < expected {
            let why = format!("the file from `{host}` ended after {} of {expected} bytes", part.bytes);
            return Err(step.error(ErrorKind::Lost, why));
        }
        Ok(())
    }

    /// Asks for a file, following redirects; also names the host that answered.
    async fn open(&mut self, url: &str, part: &Part) -> Result<(Response, String), Error> {
        let base = self.settings.base_url.host();
        let here = Step { endpoint: DOWNLOAD, host: &base, mutating: false, secrets: &[url] };
        let bad = || here.error(ErrorKind::Decode, "the download's address is not a URL");
        let mut url = Url::parse(url).map_err(|_| bad())?;
        let mut secure = self.settings.base_url.is_secure();
        for _ in 0..=MAX_REDIRECTS {
            let name = host_name(&url);
            let step = Step { host: &name, secrets: &[url.query().unwrap_or_default()], ..here };
            if secure && url.scheme() != "https" {
                let why = format!("`{name}` would send the file in clear, without https");
                return Err(step.error(ErrorKind::Redirect, why));
            }
            let host = self.host(&url, step)?;
            let sent = within(Some(IDLE), host.http.execute(request(&url, part))).await;
            let response = match sent {
                None => return Err(silence(Some(IDLE), step)),
                Some(Err(error)) => return Err(transport(&error, &host.settings, &host.dialer, step)),
                Some(Ok(response)) => response,
            };
            if !response.status().is_redirection() {
                return Ok((response, name));
            }
            let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
            let Some(next) = to.and_then(|to| url.join(to).ok()) else {
                let why = format!("HTTP {} from `{name}` points nowhere", response.status().as_u16());
                return Err(step.error(ErrorKind::Redirect, why));
            };
            secure = url.scheme() == "https";
            url = next;
        }
        Err(here.error(ErrorKind::Redirect, format!("the file is more than {MAX_REDIRECTS} redirects away")))
    }

    /// The client for the host of a URL: connected as the API's client is, by the rules for that host.
    fn host(&mut self, url: &Url, step: Step<'_>) -> Result<&Host, Error> {
        let origin = url.origin().ascii_serialization();
        let known = self.known.iter().position(|host| host.origin == origin);
        let index = known.unwrap_or(self.known.len());
        if known.is_none() {
            let host = Host::new(origin, self.settings);
            self.known.push(host.map_err(|why| step.error(ErrorKind::Redirect, why))?);
        }
        Ok(&self.known[index])
    }
}

impl Host {
    fn new(origin: String, settings: &Settings) -> Result<Self, String> {
        let base_url = origin.parse().map_err(|_| "the download's address is not one of a web server")?;
        let settings = Settings { base_url, ..settings.clone() };
        if settings.base_url.check(settings.allow_plain_http).is_err() {
            return Err(format!(
                "`{}` would send the file in clear, without https",
                settings.base_url.host()
            ));
        }
        let dialer = Dialer::new(&settings)?;
        let http = http_client(&settings, &dialer)?;
        Ok(Self { origin, settings, dialer, http })
    }
}

fn request(url: &Url, part: &Part) -> reqwest::Request {
    let mut request = reqwest::Request::new(Method::GET, url.clone());
    let headers = request.headers_mut();
    // The file as it is: its size can be checked, and a rest can be asked for.
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    if let Some(bytes) = part.resume() {
        let range = HeaderValue::from_str(&format!("bytes={bytes}-"));
        headers.insert(RANGE, range.expect("digits are legal in a header"));
        if let Some(version) = &part.version {
            headers.insert(IF_RANGE, version.clone());
        }
    }
    request
}

/// Host and port, without what else an address holds.
fn host_name(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

async fn next_chunk(response: &mut Response, step: Step<'_>) -> Result<Option<bytes::Bytes>, Error> {
    match within(Some(IDLE), response.chunk()).await {
        None => Err(silence(Some(IDLE), step)),
        Some(chunk) => chunk.map_err(|error| broken(&error, step)),
    }
}

/// Refuses a file of another size than the platform says.
fn check_size(file: &ExportFile, total: Option<u64>, step: Step<'_>) -> Result<(), Error> {
    match (file.size_bytes, total) {
        (Some(said), Some(total)) if said != total => {
            let why =
                format!("the file on `{}` has {total} bytes, not {said} as the platform says", step.host);
            Err(step.error(ErrorKind::Decode, why))
        }
        _ => Ok(()),
    }
}
