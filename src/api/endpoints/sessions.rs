//! Sessions as the account sees them.

use crate::api::model::{Logs, Session, SessionId};
use crate::api::{Call, Endpoint, List};

/// Lists sessions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ListSessions {
    /// Filters such as `status`, sent as they are.
    pub filters: Vec<(String, String)>,
}

impl List for ListSessions {
    type Item = Session;
    const NAME: &'static str = "list sessions";
    const COLLECTION: &'static str = "sessions";

    fn call(&self) -> Call {
        Call::get("/sessions").filters(&self.filters)
    }
}

/// Gets a session.
#[derive(Debug, Clone, PartialEq)]
pub struct GetSession<'a> {
    /// Which.
    pub session: &'a SessionId,
}

impl Endpoint for GetSession<'_> {
    type Reply = Session;
    const NAME: &'static str = "get session";

    fn call(&self) -> Call {
        Call::get("/sessions").id("session", self.session.as_str())
    }
}

/// Gets a session's log.
#[derive(Debug, Clone, PartialEq)]
pub struct GetSessionLogs<'a> {
    /// Which.
    pub session: &'a SessionId,
}

impl Endpoint for GetSessionLogs<'_> {
    type Reply = Logs;
    const NAME: &'static str = "get session log";

    fn call(&self) -> Call {
        Call::get("/sessions").id("session", self.session.as_str()).then("/logs")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::model::Json;

    #[test]
    fn requests_have_the_sdks_shape() {
        // SDK 3.4.0 resources.py `Sessions`.
        assert_eq!(ListSessions::default().call().target(), "/sessions");
        assert_eq!(GetSession { session: &"s1".into() }.call().target(), "/sessions/s1");
        assert_eq!(GetSessionLogs { session: &"s1".into() }.call().target(), "/sessions/s1/logs");
    }

    #[test]
    fn a_recorded_session_is_read() {
        // The shape of ARCHITECTURE.md, with a member and a status of a later version.
        let text = include_str!("../../../tests/data/session.json");
        let session: Session = serde_json::from_str(text).expect("a session");
        assert_eq!(session.seats.len(), 2);
        assert_eq!(session.seats[1].kind.as_deref(), Some("ai"));
        assert_eq!(session.scores.as_ref().and_then(|scores| scores.get("p0")), Some(50.0));
        assert_eq!(session.seed.as_ref().map(Json::get), Some("18446744073709551616"));
        assert!(session.extra.get("branched_from").is_some());
    }
}
