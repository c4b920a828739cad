//! Typed requests, one file a resource. Building one sends nothing; [`Client::send`](super::Client::send) does.
//!
//! What an operation costs, how long it may take and whether it is sent again is said in each request's documentation
//! and is data in [`RULES`](super::RULES).

mod billing;
mod builds;
mod exports;
mod games;
mod jobs;
mod play;
mod providers;
mod rollout_runs;
mod sessions;
mod submissions;
mod tasks;

use std::ops::RangeInclusive;

use super::Call;

pub use self::billing::{GetBalance, ListUsage};
pub use self::builds::{EvaluateCode, Explore};
pub use self::exports::{CreateExport, GetExport, GetExportDownload, ListExports, ResetExportTracking};
pub use self::games::{GetGame, GetTags, ListGames};
pub use self::jobs::{GetJob, GetJobBranchScores};
pub use self::play::{Act, BranchPlay, CreateSession, GetPlay, JoinPlay, LeavePlay, PricedBranch};
pub use self::providers::ListProviders;
pub(crate) use self::rollout_runs::TRIES;
pub use self::rollout_runs::{
    CloseEpisode, CloseRun, CompleteEpisode, ExtendRun, ForkBatch, ForkEpisode, GetEpisode, ListRuns,
    MAX_BATCH, OpenRun, ResetEpisode, ScoreActions, ScoreActionsOnPolicy, StepBatch, StepEpisode,
};
pub use self::sessions::{
    DeleteSession, GetSession, GetSessionBranchScores, GetSessionBranches, GetSessionLogs, ListSessions,
};
pub use self::submissions::{
    BatchEvaluateSubmissions, BulkDeleteSubmissions, CreateSubmission, DeleteSubmission, EvaluateSubmission,
    GetEvaluations, GetSubmission, ListSubmissions,
};
pub use self::tasks::{CreateTasks, GetTaskInfo, ScoreTask};

/// Refuses a value outside its range before anything is sent.
fn check_range<T: PartialOrd + std::fmt::Display>(
    call: &mut Call,
    name: &str,
    value: Option<T>,
    range: RangeInclusive<T>,
) {
    if let Some(value) = value
        && !range.contains(&value)
    {
        call.fail(format!("`{name}` is from {} to {}, not {value}", range.start(), range.end()));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use crate::api::RULES;

    /// The operations that the files of this module name, read as text so that none can be left out.
    fn operations() -> BTreeSet<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/api/endpoints");
        let mut found = BTreeSet::new();
        for entry in fs::read_dir(folder).expect("the sources") {
            let path = entry.expect("an entry").path();
            let text = if path.is_file() { fs::read_to_string(path).expect("a source") } else { continue };
            for line in text.lines() {
                let name = line.trim().strip_prefix("const OPERATION: &'static str = \"");
                found.extend(name.and_then(|name| name.strip_suffix("\";")).map(str::to_owned));
            }
        }
        found
    }

    #[test]
    fn every_operation_has_a_rule_and_every_rule_an_operation() {
        let found = operations();
        let known: BTreeSet<String> = RULES.iter().map(|rule| rule.operation.to_owned()).collect();
        let without_rule: Vec<_> = found.difference(&known).collect();
        assert!(without_rule.is_empty(), "{without_rule:?}");
        // Another way to send `play.branch`, and the sockets.
        let others = ["play.branch many", "play.connect", "play.spectate"];
        let missing: Vec<_> =
            known.difference(&found).filter(|name| !others.contains(&name.as_str())).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
