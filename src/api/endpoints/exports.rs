//! Exports: records of submissions, replays and branches as files.

use super::check_range;
use crate::api::model::{Export, ExportDownload, GameSlug, Ignored, JobId, Started};
use crate::api::request::request;
use crate::api::{Call, Endpoint, List, Quote};

request! {
    /// Lists exports, newest first.
    ///
    /// Free. The server may be silent for 30 s.
    pub struct ListExports {}
}

impl List for ListExports {
    type Item = Export;
    const NAME: &'static str = "list exports";
    const OPERATION: &'static str = "exports.list";
    const COLLECTION: &'static str = "exports";

    fn call(&self) -> Call {
        Call::get("/exports").fields(self)
    }
}

request! {
    /// Starts an export; wait for its job, then download its files.
    ///
    /// Costs what `dry_run` estimates; the estimate is free, and so is exporting your own agentic branches. The
    /// server may be silent for 30 s; never sent again after a lost answer, since the export may be running.
    pub struct CreateExport {
        optional {
            /// What is exported: `submissions`, `replays` or `agentic_branches`.
            export_type: String,
            /// The format of the files: `json` or `parquet`.
            format: String,
            /// Only of this game, by its slug.
            game_slug: GameSlug,
            /// Only of games that have these tags.
            tags: Vec<String>,
            /// Only the best: those that scored at least as well as this share of all, 0 to 1.
            min_percentile: f64,
            /// How many records at most.
            max_records: u64,
            /// Only submissions that were branched like this: `none`, `measure`, `best_of_n`.
            branch_modes: Vec<String>,
            /// Only estimate what it would cost: starts nothing, costs nothing.
            dry_run: bool,
        }
    }
}

impl Endpoint for CreateExport {
    type Reply = Started;
    const NAME: &'static str = "create export";
    const OPERATION: &'static str = "exports.create";

    fn call(&self) -> Call {
        let free = self.dry_run == Some(true) || self.export_type.as_deref() == Some("agentic_branches");
        let quote = if free { Quote::Free } else { Quote::DryRun };
        let mut call = Call::post("/exports").fields(self).quote(quote);
        check_range(&mut call, "min_percentile", self.min_percentile, 0.0..=1.0);
        call
    }
}

request! {
    /// Gets an export: how far it is and what it holds.
    ///
    /// Free. The server may be silent for 30 s.
    pub struct GetExport {
        path {
            /// Which export, by its job.
            job_id: JobId,
        }
    }
}

impl Endpoint for GetExport {
    type Reply = Export;
    const NAME: &'static str = "get export";
    const OPERATION: &'static str = "exports.get";
    const MEMBER: Option<&'static str> = Some("export");

    fn call(&self) -> Call {
        Call::get("/exports").id("job", self.job_id.as_str()).fields(self)
    }
}

request! {
    /// Gets the addresses of an export's files. Whoever has an address may fetch the file, for a while.
    ///
    /// Free. The server may be silent for 30 s.
    pub struct GetExportDownload {
        path {
            /// Which export, by its job.
            job_id: JobId,
        }
    }
}

impl Endpoint for GetExportDownload {
    type Reply = ExportDownload;
    const NAME: &'static str = "get export download";
    const OPERATION: &'static str = "exports.download";

    fn call(&self) -> Call {
        Call::get("/exports").id("job", self.job_id.as_str()).then("/download").fields(self)
    }
}

request! {
    /// Forgets what was exported before, so that it is exported again.
    ///
    /// The platform documents no filters; what is given is sent as it is, in the query. Free. The server may be
    /// silent for 30 s; never sent again after a lost answer.
    pub struct ResetExportTracking {}
}

impl Endpoint for ResetExportTracking {
    type Reply = Ignored;
    const NAME: &'static str = "reset export tracking";
    const OPERATION: &'static str = "exports.reset_tracking";

    fn call(&self) -> Call {
        Call::post("/exports/reset-tracking").query_fields(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::model::Json;

    #[test]
    fn requests_have_the_sdks_shape() {
        // SDK 3.4.0 resources.py `Exports`; tests/test_client.py test_exports_create_accepts_agentic_branches.
        assert_eq!(ListExports::new().call().target(), "/exports");
        assert_eq!(GetExport::new("e7").call().target(), "/exports/e7");
        assert_eq!(GetExportDownload::new("e7").call().target(), "/exports/e7/download");
        let create = CreateExport::new().export_type("agentic_branches").format("parquet").call();
        assert_eq!(
            (create.target().as_str(), create.body_text().as_deref()),
            ("/exports", Some(r#"{"export_type":"agentic_branches","format":"parquet"}"#))
        );
    }

    #[test]
    fn tracking_is_reset_with_a_query_and_no_body() {
        // protocol.md §1.4.
        let json = |text| Json::parse(text).expect("JSON");
        let reset = ResetExportTracking::new().param("game_slug", json(r#""a b""#)).param("n", json("3"));
        let call = reset.call();
        assert_eq!(
            (call.target().as_str(), call.body_text()),
            ("/exports/reset-tracking?game_slug=a%20b&n=3", None)
        );
        assert_eq!(ResetExportTracking::new().call().target(), "/exports/reset-tracking");
    }

    #[test]
    fn the_price_is_known_after_a_dry_run_or_nothing() {
        let quoted = |create: CreateExport| create.call().quoted();
        assert_eq!(quoted(CreateExport::new().export_type("submissions")), Quote::DryRun);
        assert_eq!(quoted(CreateExport::new().export_type("submissions").dry_run(true)), Quote::Free);
        assert_eq!(quoted(CreateExport::new().export_type("agentic_branches")), Quote::Free);
    }

    #[test]
    fn a_share_is_from_0_to_1() {
        for (share, good) in [(0.0, true), (1.0, true), (-0.1, false), (1.5, false), (f64::NAN, false)] {
            assert_eq!(CreateExport::new().min_percentile(share).call().fault().is_none(), good, "{share}");
        }
    }
}
