//! Playing: what a session is, and what its seats get to see.

use super::members::{Json, model};
use super::{PlayerId, PlayerToken, Session, SessionId, SessionStatus};

model! {
    /// A new session.
    pub struct CreatedSession {
        /// Its name.
        pub session_id: SessionId = or "id",
        /// What is known of it.
        pub session: Session,
        /// Our seats.
        pub seats: Vec<CreatedSeat>,
        /// Our first or only seat's name.
        pub player_id: Option<PlayerId>,
        /// Acts for our first or only seat.
        pub player_token: Option<PlayerToken>,
        /// The rules, with what is observed and how to act.
        pub prompt: Option<String>,
        /// What our first seat sees, if play has begun.
        pub observation: Option<Json>,
    }
}

model! {
    /// A seat of ours.
    pub struct CreatedSeat {
        /// Its name.
        pub player_id: PlayerId,
        /// Acts for it.
        pub player_token: PlayerToken,
    }
}

impl CreatedSession {
    /// The session's name, also where only the nested object gives it.
    pub fn id(&self) -> &SessionId {
        if self.session_id.is_empty() { &self.session.session_id } else { &self.session_id }
    }

    /// Our seats, also where only the flat members give one.
    pub fn own_seats(&self) -> Vec<CreatedSeat> {
        own_seats(&self.seats, self.player_id.as_ref(), self.player_token.as_ref())
    }
}

fn own_seats(seats: &[CreatedSeat], id: Option<&PlayerId>, token: Option<&PlayerToken>) -> Vec<CreatedSeat> {
    match token {
        Some(token) if seats.is_empty() => vec![CreatedSeat {
            player_id: id.cloned().unwrap_or_default(),
            player_token: token.clone(),
            ..CreatedSeat::default()
        }],
        _ => seats.to_vec(),
    }
}

model! {
    /// A seat that was joined, or fetched again.
    pub struct Joined {
        /// The session.
        pub session_id: SessionId,
        /// The seat.
        pub player_id: PlayerId,
        /// Acts for it. Older copies may have stopped working.
        pub player_token: PlayerToken,
        /// All seats that are ours, if there are several.
        pub seats: Vec<CreatedSeat>,
    }
}

impl Joined {
    /// All seats that are ours.
    pub fn own_seats(&self) -> Vec<CreatedSeat> {
        own_seats(&self.seats, Some(&self.player_id), Some(&self.player_token))
    }
}

model! {
    /// A seat's view of its session.
    pub struct PlayState {
        /// How far the session is.
        pub status: SessionStatus,
        /// What the seat sees; `None` if it is not asked.
        pub observation: Option<Json>,
        /// Ticks played.
        pub tick: Option<u64>,
        /// Whose view.
        pub player_id: Option<PlayerId>,
    }
}

model! {
    /// What became of an action.
    pub struct ActResult {
        /// It counts.
        pub accepted: bool,
        /// For which tick.
        pub tick: Option<u64>,
        /// Why not.
        pub reasons: Vec<String>,
        /// Which action, if it was named.
        pub action_id: Option<String>,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_created_session_is_read_flat_and_nested() {
        let text = r#"{"session_id":"s1","session":{"status":"waiting"},"player_token":"pt_a","player_id":"player_0"}"#;
        let created: CreatedSession = serde_json::from_str(text).expect("a session");
        assert_eq!(created.session.status, SessionStatus::Waiting);
        let seats = created.own_seats();
        assert_eq!((seats.len(), seats[0].player_token.expose()), (1, "pt_a"));
        assert!(!format!("{created:?}").contains("pt_a"));
        let odd: CreatedSession =
            serde_json::from_str(r#"{"seats":[{"player_token":"pt_b"},1]}"#).expect("a session");
        assert!(odd.extra.get("seats").is_some() && !format!("{odd:?}").contains("pt_b"));
        let nested: CreatedSession =
            serde_json::from_str(r#"{"session":{"session_id":"s2"}}"#).expect("a session");
        assert_eq!(nested.id().as_str(), "s2");
        assert!(nested.own_seats().is_empty());
    }

    #[test]
    fn an_observation_keeps_its_digits_and_null_is_none() {
        let state: PlayState = serde_json::from_str(
            r#"{"status":"active","observation":{"id":123456789012345678901,"p":1.50}}"#,
        )
        .expect("a state");
        assert_eq!(state.observation.expect("one").get(), r#"{"id":123456789012345678901,"p":1.50}"#);
        let state: PlayState = serde_json::from_str(r#"{"observation":null}"#).expect("a state");
        assert_eq!(state.observation, None);
    }
}
