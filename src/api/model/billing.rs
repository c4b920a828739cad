//! Credits: what there is and what was spent.

use super::members::model;
use super::{GameSlug, SessionId};

model! {
    /// The balance.
    pub struct Balance {
        /// What may be spent.
        pub credits: f64,
        /// The plan.
        pub tier: Option<String>,
        /// What is reserved and not spent yet.
        pub held: Option<f64>,
    }
}

model! {
    /// One entry of the ledger, newest first in a list.
    pub struct UsageEntry {
        /// Its name.
        pub entry_id: Option<String> = or "id",
        /// What it was for.
        pub kind: Option<String> = or "type",
        /// What was spent; negative for what was granted.
        pub credits: Option<f64> = or "credits_used", "amount",
        /// How many ticks were played.
        pub ticks: Option<u64>,
        /// Which game.
        pub game: Option<GameSlug> = or "game_slug",
        /// Which session.
        pub session_id: Option<SessionId>,
        /// For people.
        pub description: Option<String>,
        /// When, usually RFC 3339.
        pub created_at: Option<String>,
    }
}
