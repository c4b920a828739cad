//! Playing.

use crate::api::model::{
    ActResult, BranchedPlay, CreatedSession, GameSlug, Ignored, Joined, Json, PlayState, PlayerToken,
    ProviderId, SessionId,
};
use crate::api::request::request;
use crate::api::{Call, Endpoint, Micro, Quote};

request! {
    /// Starts a session of a game. Exactly one of `game` and `tags` is needed; everything else may be left to
    /// the server.
    ///
    /// Costs 0.0004 credits a tick; `max_ticks` bounds it. The server may be silent for 105 s, since a game has
    /// to start; never sent again after a lost answer, since a session may be running.
    pub struct CreateSession {
        optional {
            /// Which game, by its slug.
            game: GameSlug,
            /// What the game should be like; the platform picks one that has all of these tags.
            tags: Vec<String>,
            /// How many seats are yours; as many as there are players for self-play.
            seats: u32,
            /// How many seats there are.
            player_count: u32,
            /// The platform's players fill the other seats.
            vs_ai: bool,
            /// The horizon in ticks, and so the highest price.
            max_ticks: u64,
            /// Start without any seat of yours.
            autostart: bool,
            /// How the platform's players decide, such as `agentic_player`.
            ai_mode: String,
            /// A registered provider that drives them.
            custom_provider_id: ProviderId,
            /// Who may watch, such as `private`.
            spectate_mode: String,
        }
    }
}

impl CreateSession {
    /// A session of a game.
    pub fn of(game: impl Into<GameSlug>) -> Self {
        Self { game: Some(game.into()), ..Self::default() }
    }
}

impl Endpoint for CreateSession {
    type Reply = CreatedSession;
    const NAME: &'static str = "create session";
    const OPERATION: &'static str = "play.create";

    fn call(&self) -> Call {
        let quote = self.max_ticks.map_or(Quote::Unknown, |ticks| Quote::UpTo(Micro::ticks(ticks)));
        let mut call = Call::post("/play").fields(self).quote(quote);
        let tags = self.tags.as_ref().is_some_and(|tags| !tags.is_empty());
        match (&self.game, tags, self.extra.is_empty()) {
            (Some(game), false, _) if game.is_empty() => call.fail("the game is empty".into()),
            (None, false, true) => call.fail("a session needs a game or tags".into()),
            (Some(_), true, _) => call.fail("a session takes a game or tags, not both".into()),
            _ => {}
        }
        call
    }
}

request! {
    /// Takes a seat in a lobby, or fetches a seat again that is already yours.
    ///
    /// Free. The server may be silent for 105 s, since a game may have to start; sent again once after a lost
    /// answer, since joining twice is joining once.
    pub struct JoinPlay {
        path {
            /// Which session.
            session_id: SessionId,
        }
    }
}

impl Endpoint for JoinPlay {
    type Reply = Joined;
    const NAME: &'static str = "join session";
    const OPERATION: &'static str = "play.join";

    fn call(&self) -> Call {
        Call::post("/play").id("session", self.session_id.as_str()).then("/join").fields_if_any(self)
    }
}

request! {
    /// Branches a session: starts new ones where it is.
    ///
    /// Costs 0.0004 credits a tick, for each branch. The server may be silent for 105 s, since a game has to
    /// start; for ever with a `count` over 1 or with `explore`, since the names of the branches come in this
    /// answer only. Never sent again after a lost answer, since the branches may be running.
    pub struct BranchPlay {
        path {
            /// Which session.
            session_id: SessionId,
        }
        optional {
            /// How many branches, from 1; 1 unless given.
            count: u64,
            /// Branch into different actions: a JSON object such as `{"max_actions":4}`.
            explore: Json,
        }
    }
}

impl Endpoint for BranchPlay {
    type Reply = BranchedPlay;
    const NAME: &'static str = "branch session";
    const OPERATION: &'static str = "play.branch";

    fn call(&self) -> Call {
        let explore = self.explore.as_ref().is_some_and(|explore| explore.get() != "null");
        let many = self.count.is_some_and(|count| count > 1) || explore;
        Call::post("/play")
            .id("session", self.session_id.as_str())
            .then("/branch")
            .fields(self)
            .rule(if many { "play.branch many" } else { Self::OPERATION })
            .quote(Quote::Unknown)
    }
}

/// A branch of which it may be known how long it can last, and so what it costs at most.
#[derive(Debug, Clone, PartialEq)]
pub struct PricedBranch {
    /// The branch, or several.
    pub branch: BranchPlay,
    /// Ticks that each may still play, if that is known.
    pub ticks_left: Option<u64>,
}

impl Endpoint for PricedBranch {
    type Reply = BranchedPlay;
    const NAME: &'static str = BranchPlay::NAME;
    const OPERATION: &'static str = BranchPlay::OPERATION;

    fn call(&self) -> Call {
        let call = self.branch.call();
        match self.ticks_left {
            // How many branches an exploration makes is the server's to say.
            Some(ticks) if self.branch.explore.is_none() => {
                let ticks = ticks.saturating_mul(self.branch.count.unwrap_or(1));
                call.quote(Quote::UpTo(Micro::ticks(ticks)))
            }
            _ => call,
        }
    }
}

request! {
    /// Gets what a seat sees.
    ///
    /// Free. The server may be silent for 30 s.
    pub struct GetPlay {
        path {
            /// Which session.
            session_id: SessionId,
            /// Acts for the seat; from the answer that gave the seat.
            player_token: PlayerToken,
        }
    }
}

impl Endpoint for GetPlay {
    type Reply = PlayState;
    const NAME: &'static str = "get play state";
    const OPERATION: &'static str = "play.get";

    fn call(&self) -> Call {
        Call::get("/play")
            .id("session", self.session_id.as_str())
            .player_token(&self.player_token)
            .fields(self)
    }
}

request! {
    /// Acts for a seat.
    ///
    /// Free; the session is billed by its ticks. The server may be silent for 30 s; never sent again after a
    /// lost answer: the turn may be over.
    pub struct Act {
        path {
            /// Which session.
            session_id: SessionId,
            /// Acts for the seat; from the answer that gave the seat.
            player_token: PlayerToken,
        }
        required {
            /// The action: any JSON, usually a list of action objects; `[]` does nothing.
            payload: Json,
        }
        optional {
            /// A name for the action.
            action_id: String,
        }
    }
}

impl Endpoint for Act {
    type Reply = ActResult;
    const NAME: &'static str = "act";
    const OPERATION: &'static str = "play.act";

    fn call(&self) -> Call {
        Call::post("/play")
            .id("session", self.session_id.as_str())
            .then("/act")
            .player_token(&self.player_token)
            .fields(self)
    }
}

request! {
    /// Gives a seat up.
    ///
    /// Free. The server may be silent for 30 s; never sent again after a lost answer: look at the session
    /// instead.
    pub struct LeavePlay {
        path {
            /// Which session.
            session_id: SessionId,
            /// Acts for the seat; from the answer that gave the seat.
            player_token: PlayerToken,
        }
    }
}

impl Endpoint for LeavePlay {
    type Reply = Ignored;
    const NAME: &'static str = "leave session";
    const OPERATION: &'static str = "play.leave";

    fn call(&self) -> Call {
        Call::post("/play")
            .id("session", self.session_id.as_str())
            .then("/leave")
            .player_token(&self.player_token)
            .fields_if_any(self)
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
        let call = create.request();
        // SDK 3.4.0 tests/integration/test_live.py test_local_play_ws_self_drive.
        assert_eq!(
            call.body_text().as_deref(),
            Some(r#"{"game":"market_simulator","seats":2,"player_count":2,"vs_ai":false,"max_ticks":10}"#)
        );
        assert_eq!(
            (call.target().as_str(), call.timeout, call.resend),
            ("/play", Timeout::Warmup, Resend::Generic)
        );
        create.extra.insert("seed", Json::parse("7").expect("JSON"));
        assert!(create.call().body_text().is_some_and(|body| body.ends_with(r#","seed":7}"#)));
    }

    #[test]
    fn a_session_needs_exactly_one_of_game_and_tags() {
        let tags = CreateSession::new().tags(["strategy"]);
        assert_eq!(tags.call().body_text().as_deref(), Some(r#"{"tags":["strategy"]}"#));
        assert_eq!(tags.call().fault(), None);
        assert!(CreateSession::new().call().fault().is_some());
        assert!(CreateSession::of("").call().fault().is_some());
        assert!(tags.game("g").call().fault().is_some());
    }

    #[test]
    fn a_fan_out_of_branches_waits_for_ever() {
        // SDK 3.4.0 tests/test_client.py test_play_calls_ride_warmup_and_fanout_timeouts.
        let explore = |text| BranchPlay::new("s1").explore(Json::parse(text).expect("JSON"));
        for (branch, timeout, body) in [
            (BranchPlay::new("s1"), Timeout::Warmup, "{}"),
            (BranchPlay::new("s1").count(1u64), Timeout::Warmup, r#"{"count":1}"#),
            (BranchPlay::new("s1").count(8u64), Timeout::Fanout, r#"{"count":8}"#),
            (explore(r#"{"max_actions":4}"#), Timeout::Fanout, r#"{"explore":{"max_actions":4}}"#),
            (explore("null"), Timeout::Warmup, "{}"),
        ] {
            let call = branch.request();
            assert_eq!((call.target().as_str(), call.timeout), ("/play/s1/branch", timeout), "{branch:?}");
            assert_eq!(call.body_text().as_deref(), Some(body));
            assert_eq!((call.resend, call.quoted()), (Resend::Generic, Quote::Unknown));
        }
    }

    #[test]
    fn a_branch_costs_at_most_the_ticks_that_are_left() {
        let branch = BranchPlay::new("s1").count(8u64);
        let priced = PricedBranch { branch: branch.clone(), ticks_left: Some(100) };
        assert_eq!(priced.request().quoted(), Quote::UpTo(Micro(8 * 100 * 400)));
        assert_eq!(priced.request().timeout, Timeout::Fanout);
        let explore = branch.explore(Json::parse("{}").expect("JSON"));
        assert_eq!(PricedBranch { branch: explore, ticks_left: Some(1) }.request().quoted(), Quote::Unknown);
    }

    #[test]
    fn seats_act_with_their_token() {
        let join = JoinPlay::new("s1").request();
        assert_eq!((join.target().as_str(), join.body_text()), ("/play/s1/join", None));
        assert_eq!((join.timeout, join.resend), (Timeout::Warmup, Resend::OnceAfterLost));
        assert_eq!(GetPlay::new("s1", "pt_abc").call().target(), "/play/s1");
        let leave = LeavePlay::new("s1", "pt_abc").call();
        assert_eq!((leave.target().as_str(), leave.body_text()), ("/play/s1/leave", None));
        for call in [GetPlay::new("s1", "pt_abc").call(), leave] {
            assert_eq!(call.headers[0].0, "x-player-token");
            assert_eq!(call.headers[0].1, "pt_abc");
        }
    }

    #[test]
    fn an_action_is_sent_as_it_was_written() {
        for (payload, id, body) in [
            ("[]", None, r#"{"payload":[]}"#),
            (r#"{"action":"fold"}"#, Some("a1"), r#"{"payload":{"action":"fold"},"action_id":"a1"}"#),
            ("123456789012345678901.50", None, r#"{"payload":123456789012345678901.50}"#),
        ] {
            let mut act = Act::new("s1", "pt_abc", Json::parse(payload).expect("JSON"));
            act.action_id = id.map(str::to_owned);
            assert_eq!(act.call().body_text().as_deref(), Some(body));
        }
    }
}
