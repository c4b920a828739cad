//! The messages that sockets send, ready as text: an observation is written once a seat and tick, and every socket
//! sends the same bytes.

use std::fmt::Write as _;
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use serde_json::{Value, json};

use crate::arena::engine::seats::{Seat, SeatSet};

/// One text frame; cheap to copy.
pub type Frame = Utf8Bytes;

/// Any message made of a JSON value.
pub fn frame(message: &Value) -> Frame {
    message.to_string().into()
}

/// A seat's observation. `data` is JSON.
pub fn observation(seat: Seat, data: &str, tick: u32, on_turn: bool, left: Option<Duration>) -> Frame {
    let mut text = String::with_capacity(data.len() + 128);
    push_observation(&mut text, seat, data, tick, on_turn, left);
    text.push('}');
    text.into()
}

/// What a spectator sees: the observation of `p0`, the others' beside it, scores and what led here.
pub fn spectacle(
    observations: &[(Seat, String)],
    tick: u32,
    on_turn: SeatSet,
    left: Option<Duration>,
    scores: &Value,
    actions: &str,
) -> Frame {
    let mut text =
        String::with_capacity(observations.iter().map(|(_, data)| data.len() + 8).sum::<usize>() + 512);
    let Some(((first, data), others)) = observations.split_first() else { return Frame::default() };
    push_observation(&mut text, *first, data, tick, on_turn.contains(*first), left);
    text.push_str(r#","others":{"#);
    for (nth, (seat, data)) in others.iter().enumerate() {
        let comma = if nth > 0 { "," } else { "" };
        // Writing to a string cannot fail.
        _ = write!(text, r#"{comma}"{seat}":{data}"#);
    }
    _ = write!(text, r#"}},"scores":{scores},"actions":{actions}}}"#);
    text.into()
}

fn push_observation(
    text: &mut String,
    seat: Seat,
    data: &str,
    tick: u32,
    on_turn: bool,
    left: Option<Duration>,
) {
    _ = write!(
        text,
        r#"{{"type":"observation","data":{data},"tick":{tick},"player_id":"{seat}","on_turn":{on_turn}"#
    );
    if let Some(left) = left {
        _ = write!(text, r#","deadline_ms":{}"#, left.as_millis());
    }
}

/// The game began.
pub fn started(players: &[Seat]) -> Frame {
    frame(&json!({ "type": "game_started", "players": players }))
}

/// Nothing new; these seats are waited for.
pub fn waiting(tick: u32, waiting_for: &[Seat]) -> Frame {
    frame(&json!({ "type": "waiting", "tick": tick, "waiting_for": waiting_for }))
}

/// A seat is out by the rules.
pub fn eliminated(seat: Seat, tick: u32, score: f64) -> Frame {
    let score = crate::arena::engine::observation::Number(score);
    frame(&json!({ "type": "player_eliminated", "player_id": seat, "tick": tick, "score": score }))
}

/// A seat is out otherwise.
pub fn failed(seat: Seat, tick: u32, reason: &str) -> Frame {
    frame(&json!({ "type": "player_failed", "player_id": seat, "tick": tick, "reason": reason }))
}

/// Something that the client did wrong; the socket goes on.
pub fn error(code: &str, message: &str) -> Frame {
    frame(&json!({ "type": "error", "code": code, "message": message }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_put_together_by_hand_are_json() {
        let left = Some(Duration::from_millis(1500));
        let one = observation(Seat::new(1), r#"{"tick":3}"#, 3, true, left);
        let one: Value = serde_json::from_str(one.as_str()).unwrap();
        assert_eq!(
            one,
            json!({ "type": "observation", "data": { "tick": 3 }, "tick": 3, "player_id": "p1", "on_turn": true,
                    "deadline_ms": 1500 })
        );
        let seats = [
            (Seat::new(0), "{}".to_owned()),
            (Seat::new(1), "[1]".to_owned()),
            (Seat::new(2), "2".to_owned()),
        ];
        let all = spectacle(&seats, 9, SeatSet::first(2), None, &json!({ "p0": 1 }), "{}");
        let all: Value = serde_json::from_str(all.as_str()).unwrap();
        assert_eq!(all["others"], json!({ "p1": [1], "p2": 2 }));
        assert_eq!(all["scores"], json!({ "p0": 1 }));
        assert!(all.get("deadline_ms").is_none());
    }
}
