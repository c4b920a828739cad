//! Playing.

use serde_json::value::RawValue;

use crate::api::model::{
    ActResult, CreateSession, CreatedSession, Ignored, Joined, PlayState, PlayerToken, SessionId,
};
use crate::api::{Call, Endpoint};

impl Endpoint for CreateSession {
    type Reply = CreatedSession;
    const NAME: &'static str = "create session";

    fn call(&self) -> Call {
        let tags = (!self.tags.is_empty()).then_some(&self.tags);
        let mut call = Call::post("/play")
            .object()
            .member("game", &self.game)
            .member("tags", &tags)
            .member("seats", &self.seats)
            .member("player_count", &self.player_count)
            .member("vs_ai", &self.vs_ai)
            .member("max_ticks", &self.max_ticks)
            .member("autostart", &self.autostart)
            .member("ai_mode", &self.ai_mode)
            .member("custom_provider_id", &self.custom_provider_id)
            .member("spectate_mode", &self.spectate_mode)
            .rule("play.create");
        for (name, value) in &self.extra {
            call = call.member(name, value);
        }
        match (&self.game, self.tags.is_empty(), self.extra.is_empty()) {
            (Some(game), true, _) if game.is_empty() => call.fail("the game is empty".into()),
            (None, true, true) => call.fail("a session needs a game or tags".into()),
            (Some(_), false, _) => call.fail("a session takes a game or tags, not both".into()),
            _ => {}
        }
        call
    }
}

/// Takes a seat in a lobby, or fetches a seat again that is already ours.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinPlay<'a> {
    /// Which session.
    pub session: &'a SessionId,
}

impl Endpoint for JoinPlay<'_> {
    type Reply = Joined;
    const NAME: &'static str = "join session";

    fn call(&self) -> Call {
        Call::post("/play").id("session", self.session.as_str()).then("/join").rule("play.join")
    }
}

/// Gets what a seat sees.
#[derive(Debug, Clone, PartialEq)]
pub struct GetPlay<'a> {
    /// Which session.
    pub session: &'a SessionId,
    /// Which seat.
    pub token: &'a PlayerToken,
}

impl Endpoint for GetPlay<'_> {
    type Reply = PlayState;
    const NAME: &'static str = "get play state";

    fn call(&self) -> Call {
        Call::get("/play").id("session", self.session.as_str()).player_token(self.token)
    }
}

/// Acts for a seat.
#[derive(Debug, Clone)]
pub struct Act<'a> {
    /// Which session.
    pub session: &'a SessionId,
    /// Which seat.
    pub token: &'a PlayerToken,
    /// Any JSON, usually a list of action objects; `[]` does nothing.
    pub payload: &'a RawValue,
    /// A name for the action.
    pub action_id: Option<&'a str>,
}

impl Endpoint for Act<'_> {
    type Reply = ActResult;
    const NAME: &'static str = "act";

    fn call(&self) -> Call {
        Call::post("/play")
            .id("session", self.session.as_str())
            .then("/act")
            .player_token(self.token)
            .raw_member("payload", self.payload.to_owned())
            .member("action_id", &self.action_id)
    }
}

/// Gives a seat up.
#[derive(Debug, Clone, PartialEq)]
pub struct LeavePlay<'a> {
    /// Which session.
    pub session: &'a SessionId,
    /// Which seat.
    pub token: &'a PlayerToken,
}

impl Endpoint for LeavePlay<'_> {
    type Reply = Ignored;
    const NAME: &'static str = "leave session";

    fn call(&self) -> Call {
        Call::post("/play").id("session", self.session.as_str()).then("/leave").player_token(self.token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{Resend, Timeout};

    #[test]
    fn a_session_is_created_with_what_was_set_and_nothing_else() {
        let mut create = CreateSession::of("market_simulator");
        create.player_count = Some(2);
        create.seats = Some(2);
        create.vs_ai = Some(false);
        create.max_ticks = Some(10);
        let call = create.call();
        // SDK 3.4.0 tests/integration/test_live.py test_local_play_ws_self_drive.
        assert_eq!(
            call.body_text().as_deref(),
            Some(r#"{"game":"market_simulator","seats":2,"player_count":2,"vs_ai":false,"max_ticks":10}"#)
        );
        assert_eq!(
            (call.target().as_str(), call.timeout, call.resend),
            ("/play", Timeout::Warmup, Resend::Generic)
        );
        create.extra.insert("seed".into(), 7.into());
        assert!(create.call().body_text().is_some_and(|body| body.ends_with(r#","seed":7}"#)));
    }

    #[test]
    fn a_session_needs_exactly_one_of_game_and_tags() {
        let tags = CreateSession { tags: vec!["strategy".into()], ..CreateSession::default() };
        assert_eq!(tags.call().body_text().as_deref(), Some(r#"{"tags":["strategy"]}"#));
        assert_eq!(tags.call().fault(), None);
        assert!(CreateSession::default().call().fault().is_some());
        assert!(CreateSession::of("").call().fault().is_some());
        let both = CreateSession { game: Some("g".into()), ..tags };
        assert!(both.call().fault().is_some());
    }

    #[test]
    fn seats_act_with_their_token() {
        let (session, token) = ("s1".into(), "pt_abc".into());
        let join = JoinPlay { session: &session }.call();
        assert_eq!((join.target().as_str(), join.body_text()), ("/play/s1/join", None));
        assert_eq!((join.timeout, join.resend), (Timeout::Warmup, Resend::OnceAfterLost));
        assert_eq!(GetPlay { session: &session, token: &token }.call().target(), "/play/s1");
        let leave = LeavePlay { session: &session, token: &token }.call();
        assert_eq!((leave.target().as_str(), leave.body_text()), ("/play/s1/leave", None));
        for call in [GetPlay { session: &session, token: &token }.call(), leave] {
            assert_eq!(call.headers[0].0, "x-player-token");
            assert_eq!(call.headers[0].1, "pt_abc");
        }
    }

    #[test]
    fn an_action_is_sent_as_it_was_written() {
        let (session, token) = ("s1".into(), "pt_abc".into());
        for (payload, id, body) in [
            ("[]", None, r#"{"payload":[]}"#),
            (r#"{"action":"fold"}"#, Some("a1"), r#"{"payload":{"action":"fold"},"action_id":"a1"}"#),
            ("123456789012345678901.50", None, r#"{"payload":123456789012345678901.50}"#),
        ] {
            let payload = RawValue::from_string(payload.to_owned()).expect("JSON");
            let act = Act { session: &session, token: &token, payload: &payload, action_id: id };
            assert_eq!(act.call().body_text().as_deref(), Some(body));
        }
    }
}
