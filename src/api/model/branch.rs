//! Branches of a session: sessions that begin where another one was.

use super::members::model;
use super::{CreatedSeat, PlayerId, PlayerToken, Session, SessionId};

model! {
    /// The branches that were made. Their names come in this answer only; the platform does not say in which
    /// member, so [`BranchedPlay::ids`] looks at all that are likely.
    pub struct BranchedPlay {
        /// The branch, if it is one.
        pub session_id: Option<SessionId>,
        /// The branches' names.
        pub session_ids: Option<Vec<SessionId>> = or "branch_ids", "branch_session_ids",
        /// The branches.
        pub branches: Option<Vec<Branch>> = or "sessions", "children",
        /// What is known of the branch, if it is one.
        pub session: Option<Session>,
        /// Our seats in the branch, if it is one.
        pub seats: Option<Vec<CreatedSeat>>,
        /// Our first or only seat's name.
        pub player_id: Option<PlayerId>,
        /// Acts for our first or only seat.
        pub player_token: Option<PlayerToken>,
    }
}

model! {
    /// A branch.
    pub struct Branch {
        /// Its name.
        pub session_id: Option<SessionId> = or "id",
        /// Our seats in it.
        pub seats: Option<Vec<CreatedSeat>>,
        /// Our first or only seat's name.
        pub player_id: Option<PlayerId>,
        /// Acts for our first or only seat.
        pub player_token: Option<PlayerToken>,
    }
}

impl BranchedPlay {
    /// The names of all branches, each once.
    pub fn ids(&self) -> Vec<SessionId> {
        let branches = self.branches.iter().flatten().filter_map(|branch| branch.session_id.as_ref());
        let all = self.session_ids.iter().flatten().chain(branches).chain(&self.session_id);
        let mut ids: Vec<SessionId> = Vec::new();
        for id in all {
            if !id.is_empty() && !ids.contains(id) {
                ids.push(id.clone());
            }
        }
        ids
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::model::check::keeps;

    fn ids(text: &str) -> Vec<String> {
        let branched: BranchedPlay = serde_json::from_str(text).expect("an object");
        branched.ids().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_shape_of_the_sdks_tests_is_kept() {
        // SDK 3.4.0 tests/test_client.py test_play_calls_ride_warmup_and_fanout_timeouts.
        keeps::<BranchedPlay>(r#"{"session_id":"s7"}"#);
    }

    #[test]
    fn names_are_found_wherever_they_are() {
        assert_eq!(ids(r#"{"session_id":"s1"}"#), ["s1"]);
        assert_eq!(ids(r#"{"session_ids":["s1","s2"]}"#), ["s1", "s2"]);
        assert_eq!(ids(r#"{"branches":[{"session_id":"s1"},{"id":"s2"}],"session_id":"s1"}"#), ["s1", "s2"]);
        assert_eq!(ids("{}"), [""; 0]);
    }

    #[test]
    fn a_seats_token_is_not_printed() {
        // H-14.
        let text = r#"{"branches":[{"id":"s1","player_token":"pt_a","seats":[{"player_token":"pt_a"}]}]}"#;
        let branched: BranchedPlay = serde_json::from_str(text).expect("an object");
        assert!(branched.branches.is_some() && !format!("{branched:?}").contains("pt_a"));
    }
}
