//! The files of exports, fetched by their addresses alone: no key is asked for, and none is needed.

use std::fs::File;
use std::io::{self, Read as _};

use axum::body::{Body, Bytes};
use axum::extract::{MatchedPath, Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::gone;
use crate::arena::Arena;
use crate::arena::error::ArenaError;
use crate::arena::exports::{folder, signature};
use crate::arena::record::rfc3339;
use crate::arena::request::Fields;
use crate::arena::store::exports::{self as rows, ExportFile};

/// What is read at once.
const BLOCK: usize = 128 * 1024;

/// Blocks that wait to be sent: when the client is slow, the reading waits.
const BLOCKS: usize = 4;

/// The addresses of an export's files: at the host and under the base path of the request that asks for them.
pub(super) struct Addresses {
    base: String,
    job_id: String,
    key: Vec<u8>,
    expires: Timestamp,
}

impl Addresses {
    /// `route` is that of the request, `…/exports/{job_id}/download`.
    pub(super) fn new(
        arena: &Arena,
        headers: &HeaderMap,
        route: &MatchedPath,
        job_id: &str,
        key: Vec<u8>,
    ) -> Result<Self, ArenaError> {
        // `guard` has seen that it is our own.
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let host = host.ok_or_else(|| ArenaError::malformed("the header `Host` is missing"))?;
        let path = route.as_str().split("/exports/").next().unwrap_or_default();
        let life =
            SignedDuration::try_from(arena.limits().exports.address_life).unwrap_or(SignedDuration::MAX);
        let expires = Timestamp::now().checked_add(life).unwrap_or(Timestamp::MAX);
        let base = format!("http://{host}{path}/exports/files");
        Ok(Self { base, job_id: job_id.to_owned(), key, expires })
    }

    /// A file as it goes out.
    pub(super) fn json(&self, file: &ExportFile) -> Value {
        let Self { base, job_id, key, expires } = self;
        let query = signature::query(key, job_id, &file.name, expires.as_second());
        json!({
            "download_url": format!("{base}/{job_id}/{}?{query}", file.name),
            "size_bytes": file.bytes,
            "record_count": file.records,
            "expires_at": rfc3339(*expires),
        })
    }
}

/// `GET /exports/files/{id}/{name}?expires=…&signature=…`.
pub(in crate::arena::routes) async fn fetch(
    State(arena): State<Arena>,
    Path((job_id, name)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Result<Response, ArenaError> {
    let mut query = Fields::from_query(query.as_deref())?;
    let expires = query.query_whole("expires", 0..=i64::MAX as u64)?.unwrap_or_default() as i64;
    let signature = query.text("signature")?.unwrap_or_default();
    query.finish()?;
    let key = arena.store().read(rows::signing_key).await?;
    let checked = signature::check(&key, (&job_id, &name), (expires, &signature), Timestamp::now());
    checked.map_err(|refusal| {
        ArenaError::forbidden(match refusal {
            signature::Refusal::Forged => {
                "the signature of this address is not the arena's: ask for the download again"
            }
            signature::Refusal::Expired => "this address has expired: ask for the download again",
        })
    })?;
    let id = job_id.clone();
    let files = arena.store().read(move |connection| rows::files(connection, &id)).await?;
    let file = files.into_iter().find(|file| file.name == name).ok_or_else(gone)?;
    let path = folder::file(&folder::of(arena.store().path()), &job_id, &file.name).ok_or_else(gone)?;
    let opened = tokio::task::spawn_blocking(move || File::open(path)).await.map_err(ArenaError::internal)?;
    match opened {
        Ok(content) => Ok(answer(&file, content)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(gone()),
        Err(error) => Err(ArenaError::internal(error)),
    }
}

fn answer(file: &ExportFile, content: File) -> Response {
    let kind =
        if file.name.ends_with(".parquet") { "application/vnd.apache.parquet" } else { "application/json" };
    let headers = [
        (header::CONTENT_TYPE, kind.to_owned()),
        (header::CONTENT_LENGTH, file.bytes.to_string()),
        // Our names hold letters, digits, `_`, `-` and dots only.
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{}\"", file.name)),
        (header::CACHE_CONTROL, "private, no-store".to_owned()),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
    ];
    (StatusCode::OK, headers, body(content)).into_response()
}

/// A file as a body, read on a thread for blocking work as fast as it is sent.
fn body(mut file: File) -> Body {
    let (sender, receiver) = mpsc::channel::<io::Result<Bytes>>(BLOCKS);
    tokio::task::spawn_blocking(move || {
        loop {
            let mut block = vec![0; BLOCK];
            let read = file.read(&mut block);
            let is_last = !matches!(read, Ok(1..));
            let block = read.map(|length| {
                block.truncate(length);
                Bytes::from(block)
            });
            // A receiver that is gone is a client that hung up.
            if matches!(&block, Ok(block) if block.is_empty())
                || sender.blocking_send(block).is_err()
                || is_last
            {
                return;
            }
        }
    });
    Body::from_stream(stream::unfold(receiver, |mut receiver| async {
        let block = receiver.recv().await?;
        Some((block, receiver))
    }))
}
