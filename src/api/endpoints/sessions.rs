//! Sessions as the account sees them.

use crate::api::model::{Logs, Session, SessionId};
use crate::api::request::request;
use crate::api::{Call, Endpoint, List};

request! {
    /// Lists sessions. Filters such as `status` are sent as they are.
    pub struct ListSessions {}
}

impl List for ListSessions {
    type Item = Session;
    const NAME: &'static str = "list sessions";
    const OPERATION: &'static str = "sessions.list";
    const COLLECTION: &'static str = "sessions";

    fn call(&self) -> Call {
        Call::get("/sessions").fields(self)
    }
}

request! {
    /// Gets a session.
    pub struct GetSession {
        path {
            /// Which session.
            session_id: SessionId,
        }
    }
}

impl Endpoint for GetSession {
    type Reply = Session;
    const NAME: &'static str = "get session";
    const OPERATION: &'static str = "sessions.get";

    fn call(&self) -> Call {
        Call::get("/sessions").id("session", self.session_id.as_str()).fields(self)
    }
}

request! {
    /// Gets a session's log.
    pub struct GetSessionLogs {
        path {
            /// Which session.
            session_id: SessionId,
        }
    }
}

impl Endpoint for GetSessionLogs {
    type Reply = Logs;
    const NAME: &'static str = "get session log";
    const OPERATION: &'static str = "sessions.logs";

    fn call(&self) -> Call {
        Call::get("/sessions").id("session", self.session_id.as_str()).then("/logs").fields(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::model::Json;

    #[test]
    fn requests_have_the_sdks_shape() {
        // SDK 3.4.0 resources.py `Sessions`.
        assert_eq!(ListSessions::new().call().target(), "/sessions");
        assert_eq!(GetSession::new("s1").call().target(), "/sessions/s1");
        assert_eq!(GetSessionLogs::new("s1").call().target(), "/sessions/s1/logs");
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
