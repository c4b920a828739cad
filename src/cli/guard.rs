//! The guard of the profile in force, for every client that the program makes.

use crate::api::Guarded;
use crate::config::Config;
use crate::journal::Journal;
use crate::spend::Spending;

/// Its caps and its read-only mode, with the ledger in the state folder.
pub(super) fn of(config: &Config) -> Guarded {
    Guarded::by(Spending {
        profile: config.profile.clone(),
        host: config.base_url.host(),
        read_only: config.read_only,
        caps: config.spend,
        ledger: super::log::state_folder().map(|folder| Journal::new(folder.join("spend.jsonl"))),
    })
}
