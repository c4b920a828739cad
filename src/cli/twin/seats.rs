//! The seats that this machine took, so that a second command can act for them without a token being typed, which
//! others could read. A file for its owner alone in the state folder; old rows go.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::output;
use crate::api::model::{CreatedSession, Json, PlayerId, PlayerToken, SessionId};
use crate::journal::Journal;

/// A file longer than this is cut down to the newest rows when a seat is added.
const LONG: u64 = 256 << 10;

/// How many rows stay then.
const KEPT: usize = 200;

/// The file.
#[derive(Debug, Clone)]
pub(super) struct Seats {
    journal: Option<Journal>,
    /// Tokens of one host are never tried on another.
    host: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Row {
    host: String,
    session_id: SessionId,
    player_id: PlayerId,
    player_token: PlayerToken,
}

impl Seats {
    /// The seats on a host, kept in a folder if there is one.
    pub(super) fn new(folder: Option<PathBuf>, host: String) -> Self {
        Self { journal: folder.map(|folder| Journal::new(folder.join("seats.jsonl"))), host }
    }

    /// Keeps the seats that an answer gives.
    pub(super) fn remember(&self, answer: &Json) {
        let (Some(journal), Ok(created)) = (&self.journal, answer.decode::<CreatedSession>()) else { return };
        let rows: Vec<Row> = created
            .own_seats()
            .into_iter()
            .filter(|seat| !seat.player_token.is_empty())
            .map(|seat| Row {
                host: self.host.clone(),
                session_id: created.id().clone(),
                player_id: seat.player_id,
                player_token: seat.player_token,
            })
            .collect();
        if let Err(error) = add(journal, &rows) {
            output::say(&format!("the seat could not be kept, so note its token: {error}"));
        }
    }

    /// The token of a seat: the last one that was taken, the first of several, or the one that is named.
    pub(super) fn token(&self, session: &str, seat: Option<&str>) -> Option<PlayerToken> {
        let rows = self.journal.as_ref()?.read::<Row>().ok()?.rows;
        let mut ours: Vec<Row> = Vec::new();
        for row in rows {
            if row.host == self.host && row.session_id.as_str() == session {
                ours.retain(|known| known.player_id != row.player_id);
                ours.push(row);
            }
        }
        let wanted = |row: &Row| seat.is_none_or(|seat| row.player_id.as_str() == seat);
        ours.into_iter().find(wanted).map(|row| row.player_token)
    }
}

fn add(journal: &Journal, rows: &[Row]) -> std::io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut locked = journal.lock()?;
    if locked.size()? > LONG {
        let mut known = locked.read::<Row>()?.rows;
        let newest = known.split_off(known.len().saturating_sub(KEPT));
        locked.replace(&newest)?;
    }
    rows.iter().try_for_each(|row| locked.append(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_token_of_a_seat_is_found_on_its_host_alone() {
        let folder = tempfile::tempdir().unwrap();
        let seats = Seats::new(Some(folder.path().into()), "a".into());
        let answer = |text: &str| seats.remember(&Json::parse(text).unwrap());
        answer(
            r#"{"session_id":"s1","seats":[{"player_id":"p0","player_token":"pt_0"},{"player_id":"p1","player_token":"pt_1"}]}"#,
        );
        answer(r#"{"session_id":"s2","player_id":"p0","player_token":"pt_2"}"#);
        let token = |session, seat| seats.token(session, seat).map(|token| token.expose().to_owned());
        assert_eq!(token("s1", None).as_deref(), Some("pt_0"));
        assert_eq!(token("s1", Some("p1")).as_deref(), Some("pt_1"));
        assert_eq!(token("s2", None).as_deref(), Some("pt_2"));
        answer(r#"{"session_id":"s2","player_id":"p0","player_token":"pt_new"}"#);
        assert_eq!(token("s2", None).as_deref(), Some("pt_new"));
        assert_eq!((token("s3", None), token("s1", Some("p9"))), (None, None));
        assert!(Seats::new(Some(folder.path().into()), "b".into()).token("s1", None).is_none());
    }
}
