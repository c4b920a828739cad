//! Exports and where their files are.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::members::model;
use super::{GameSlug, JobId, JobStatus};

model! {
    /// An export.
    pub struct Export {
        /// Its name; it is also a job.
        pub job_id: Option<JobId> = or "id",
        /// How far it is.
        pub status: JobStatus,
        /// What is exported: `submissions`, `replays`, `agentic_branches`, or another word.
        pub export_type: Option<String>,
        /// `json` or `parquet`.
        pub format: Option<String>,
        /// Of which game, if of one.
        pub game_slug: Option<GameSlug>,
        /// How many records there are.
        pub record_count: Option<u64>,
        /// Why it failed.
        pub error: Option<String>,
        /// When it was asked for.
        pub created_at: Option<String>,
        /// When it ended.
        pub finished_at: Option<String> = or "completed_at",
    }
}

model! {
    /// Where the files of an export are: see [`ExportDownload::files`].
    pub struct ExportDownload {
        /// There are several files.
        pub chunked: Option<bool>,
        /// How many.
        pub chunk_count: Option<u64>,
        /// The files, if there are several.
        pub chunks: Option<Vec<ExportFile>>,
        /// Where the only file is.
        pub download_url: Option<DownloadUrl>,
        /// The size of the only file.
        pub size_bytes: Option<u64>,
        /// How many records there are.
        pub record_count: Option<u64>,
        /// For people, when there is nothing to download.
        pub message: Option<String>,
    }
}

model! {
    /// A file of an export.
    pub struct ExportFile {
        /// Where it is.
        pub download_url: DownloadUrl,
        /// How large it is.
        pub size_bytes: Option<u64>,
        /// How many records it holds.
        pub record_count: Option<u64>,
    }
}

impl ExportDownload {
    /// The files in their order: those of `chunks` if it is `chunked`, else the one of `download_url`, else
    /// none: the export is empty (SDK 3.4.0 resources.py `Exports.download_files`).
    ///
    /// # Errors
    /// When the list of files cannot be read, which must not be taken for an empty export.
    pub fn files(&self) -> Result<Vec<ExportFile>, String> {
        if self.chunked == Some(true) {
            let unreadable = self.extra.get("chunks").is_some();
            let chunks = self.chunks.clone().unwrap_or_default();
            if unreadable || chunks.iter().any(|file| file.download_url.is_empty()) {
                return Err("the list of files in `chunks` cannot be read".to_owned());
            }
            return Ok(chunks);
        }
        match &self.download_url {
            Some(url) if !url.is_empty() => Ok(vec![ExportFile {
                download_url: url.clone(),
                size_bytes: self.size_bytes,
                record_count: self.record_count,
                ..ExportFile::default()
            }]),
            _ if self.extra.get("download_url").is_some() => Err("`download_url` is not a text".to_owned()),
            _ => Ok(Vec::new()),
        }
    }
}

/// Where a file is. Whoever has the address may fetch the file, so `Debug` prints `***`.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct DownloadUrl(String);

impl DownloadUrl {
    /// The address: to fetch the file from, never for a text that is shown.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// True when the server gave none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&str> for DownloadUrl {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Debug for DownloadUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl<'de> Deserialize<'de> for DownloadUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self)
    }
}

impl Serialize for DownloadUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::model::check::keeps;

    fn files(text: &str) -> Result<Vec<String>, String> {
        let download: ExportDownload = serde_json::from_str(text).expect("an object");
        Ok(download.files()?.iter().map(|file| file.download_url.expose().to_owned()).collect())
    }

    #[test]
    fn the_shapes_of_the_sdks_tests_are_kept() {
        // SDK 3.4.0 tests/test_client.py test_exports_get_uses_export_endpoint, test_exports_download_files_*.
        keeps::<Export>(r#"{"job_id":"e7","status":"completed","export_type":"submissions"}"#);
        keeps::<ExportDownload>(
            r#"{"chunked":true,"chunk_count":2,"chunks":[
                {"download_url":"https://files.example/a","size_bytes":17,"record_count":2},
                {"download_url":"https://files.example/b","size_bytes":9007199254740993,"record_count":1}]}"#,
        );
        keeps::<ExportDownload>(r#"{"download_url":"https://files.example/one"}"#);
        keeps::<ExportDownload>(r#"{"record_count":0,"message":"nothing matched"}"#);
    }

    #[test]
    fn files_are_found_in_the_sdks_order() {
        let both =
            r#"{"chunked":true,"download_url":"u","chunks":[{"download_url":"c1"},{"download_url":"c2"}]}"#;
        assert_eq!(files(both), Ok(vec!["c1".into(), "c2".into()]));
        assert_eq!(files(r#"{"chunked":false,"download_url":"u","chunks":[]}"#), Ok(vec!["u".into()]));
        for empty in ["{}", r#"{"chunked":true}"#, r#"{"download_url":"","record_count":0}"#] {
            assert_eq!(files(empty), Ok(vec![]), "{empty}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_not_an_empty_export() {
        // H-09.
        for odd in [
            r#"{"chunked":true,"chunks":[{"download_url":"c1"},3]}"#,
            r#"{"chunked":true,"chunks":[{"url":"c1"}]}"#,
            r#"{"download_url":{"href":"u"}}"#,
        ] {
            assert!(files(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn an_address_is_not_printed() {
        // H-14.
        let text = r#"{"download_url":"https://files.example/one?signature=s3cret"}"#;
        let download: ExportDownload = serde_json::from_str(text).expect("an object");
        assert!(!format!("{download:?}").contains("s3cret"));
    }
}
