//! Sessions as the account sees them.

use crate::api::model::{Ignored, Json, Logs, Session, SessionId};
use crate::api::request::request;
use crate::api::{Call, Endpoint, List};

request! {
    /// Lists sessions, newest first. The platform documents no filters; what is given is sent as it is.
    ///
    /// Free. The server may be silent for 30 s.
    pub struct ListSessions {
        optional {
            /// Only those that are so far: `waiting`, `active`, `completed` or `failed`.
            status: String,
        }
    }
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
    /// Gets a session: how far it is, and its seats and scores.
    ///
    /// Free. The server may be silent for 30 s.
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
    ///
    /// Free. The server may be silent for 30 s.
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

request! {
    /// Gets a session's branches, as the server writes them.
    ///
    /// Free. The server may be silent for 30 s.
    pub struct GetSessionBranches {
        path {
            /// Which session.
            session_id: SessionId,
        }
    }
}

impl Endpoint for GetSessionBranches {
    type Reply = Json;
    const NAME: &'static str = "get session branches";
    const OPERATION: &'static str = "sessions.branches";

    fn call(&self) -> Call {
        Call::get("/sessions").id("session", self.session_id.as_str()).then("/branches").fields(self)
    }
}

request! {
    /// Gets how a session's branches scored, as the server writes it. The platform documents no filters; what
    /// is given is sent as it is.
    ///
    /// Free. The server may be silent for 30 s.
    pub struct GetSessionBranchScores {
        path {
            /// Which session.
            session_id: SessionId,
        }
    }
}

impl Endpoint for GetSessionBranchScores {
    type Reply = Json;
    const NAME: &'static str = "get session branch scores";
    const OPERATION: &'static str = "sessions.branch_scores";

    fn call(&self) -> Call {
        Call::get("/sessions").id("session", self.session_id.as_str()).then("/branch-scores").fields(self)
    }
}

request! {
    /// Deletes a session; a live one is ended.
    ///
    /// Free. The server may be silent for 30 s; never sent again after a lost answer: a second try may say that
    /// it is gone.
    pub struct DeleteSession {
        path {
            /// Which session.
            session_id: SessionId,
        }
    }
}

impl Endpoint for DeleteSession {
    type Reply = Ignored;
    const NAME: &'static str = "delete session";
    const OPERATION: &'static str = "sessions.delete";

    fn call(&self) -> Call {
        Call::delete("/sessions").id("session", self.session_id.as_str()).fields(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_have_the_sdks_shape() {
        // SDK 3.4.0 resources.py `Sessions`.
        assert_eq!(ListSessions::new().call().target(), "/sessions");
        assert_eq!(GetSession::new("s1").call().target(), "/sessions/s1");
        assert_eq!(ListSessions::new().status("active").call().target(), "/sessions?status=active");
        assert_eq!(GetSessionLogs::new("s1").call().target(), "/sessions/s1/logs");
        assert_eq!(GetSessionBranches::new("s1").call().target(), "/sessions/s1/branches");
        let scores = GetSessionBranchScores::new("s1").param("tick", Json::parse("4").expect("JSON"));
        assert_eq!(scores.call().target(), "/sessions/s1/branch-scores?tick=4");
        assert_eq!(DeleteSession::new("s1").call().target(), "/sessions/s1");
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
