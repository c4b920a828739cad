//! Which seat is scored.

use axum::http::StatusCode;

use crate::arena::engine::seats::{Seat, SeatSet};
use crate::arena::engine::{Probe, Timing};
use crate::arena::error::ArenaError;

/// What a seat is scored for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Its next action: it must be on turn.
    Action,
    /// Where it stands: it may have been eliminated.
    Position,
}

/// The seat that is named, or else the first policy seat on turn, in games without turns the primary one.
///
/// # Errors
/// `EPISODE_COMPLETE`; a seat that is not the policy's; `SEAT_FAILED`; `SEAT_OFF_TURN`.
pub fn choose(
    probe: &Probe,
    timing: Timing,
    policy: SeatSet,
    primary: Seat,
    named: Option<&str>,
    purpose: Purpose,
) -> Result<Seat, ArenaError> {
    if probe.over.is_some() {
        return Err(conflict("EPISODE_COMPLETE", "the episode is over: there is nothing to score".into()));
    }
    let on_turn = probe.turn.seats();
    let mut asked = on_turn.iter().filter(|seat| policy.contains(*seat));
    let usual = if timing == Timing::TurnBased { asked.next() } else { None }.unwrap_or(primary);
    let seat = match named {
        None => usual,
        Some(name) => name.parse().ok().filter(|seat| policy.contains(*seat)).ok_or_else(|| {
            ArenaError::invalid("seat", format_args!("must be one of the policy's seats: {}", list(policy)))
        })?,
    };
    let is_out = match purpose {
        Purpose::Action => probe.failed.contains(seat),
        Purpose::Position => probe.failed.without(probe.eliminated).contains(seat),
    };
    if is_out {
        return Err(conflict("SEAT_FAILED", format!("`{seat}` is out of the game: name another seat")));
    }
    if purpose == Purpose::Action && !on_turn.contains(seat) {
        let problem =
            format!("`{seat}` is not on turn, so its action would be skipped (on turn: {})", list(on_turn));
        return Err(conflict("SEAT_OFF_TURN", problem));
    }
    Ok(seat)
}

fn list(seats: SeatSet) -> String {
    let names: Vec<String> = seats.iter().map(|seat| format!("`{seat}`")).collect();
    if names.is_empty() { "nobody".to_owned() } else { names.join(", ") }
}

fn conflict(code: &'static str, problem: String) -> ArenaError {
    ArenaError::new(StatusCode::CONFLICT, code, problem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::engine::seats::SeatMap;
    use crate::arena::engine::{EndReason, Turn};

    const P: [Seat; 4] = [Seat::new(0), Seat::new(1), Seat::new(2), Seat::new(3)];

    fn seats(seats: &[Seat]) -> SeatSet {
        seats.iter().copied().collect()
    }

    fn probe(turn: Turn, failed: &[Seat], eliminated: &[Seat]) -> Probe {
        Probe {
            tick: 3,
            max_ticks: 100,
            player_count: 4,
            turn,
            failed: seats(failed),
            eliminated: seats(eliminated),
            scores: SeatMap::default(),
            over: None,
        }
    }

    /// `Ok` with the seat's number or `Err` with the code.
    fn chosen(
        probe: &Probe,
        timing: Timing,
        named: Option<&str>,
        purpose: Purpose,
    ) -> Result<usize, &'static str> {
        let policy = seats(&P[1..]);
        choose(probe, timing, policy, P[1], named, purpose).map(Seat::index).map_err(|error| error.code())
    }

    #[test]
    fn the_seat_on_turn_is_scored_and_without_turns_the_primary_one() {
        use Purpose::{Action, Position};
        use Timing::{Simultaneous, TurnBased};
        let turn = probe(Turn::One(P[2]), &[], &[]);
        let all = probe(Turn::All(seats(&P)), &[], &[]);
        for purpose in [Action, Position] {
            assert_eq!(chosen(&turn, TurnBased, None, purpose), Ok(2));
            assert_eq!(chosen(&all, Simultaneous, None, purpose), Ok(1));
            assert_eq!(chosen(&all, Simultaneous, Some("p3"), purpose), Ok(3));
        }
    }

    #[test]
    fn a_seat_that_cannot_act_has_no_action_to_score() {
        use Purpose::{Action, Position};
        let turn = probe(Turn::One(P[2]), &[P[1], P[3]], &[P[3]]);
        let chosen = |named, purpose| chosen(&turn, Timing::TurnBased, Some(named), purpose);
        assert_eq!(chosen("p1", Action), Err("SEAT_FAILED"));
        assert_eq!(chosen("p1", Position), Err("SEAT_FAILED"));
        // Eliminated by the rules: its actions count for nothing, its position does.
        assert_eq!(chosen("p3", Action), Err("SEAT_FAILED"));
        assert_eq!(chosen("p3", Position), Ok(3));
        for stranger in ["p0", "p4", "player_1", ""] {
            assert_eq!(chosen(stranger, Action), Err("VALIDATION_ERROR"), "{stranger}");
        }
        // Never silently another one.
        let primary_out = probe(Turn::All(seats(&P[2..])), &[P[1]], &[]);
        assert_eq!(
            super::tests::chosen(&primary_out, Timing::Simultaneous, None, Action),
            Err("SEAT_FAILED")
        );
    }

    #[test]
    fn off_turn_is_refused_for_actions_only_and_nothing_is_scored_after_the_end() {
        let turn = probe(Turn::One(P[2]), &[], &[]);
        assert_eq!(chosen(&turn, Timing::TurnBased, Some("p1"), Purpose::Action), Err("SEAT_OFF_TURN"));
        assert_eq!(chosen(&turn, Timing::TurnBased, Some("p1"), Purpose::Position), Ok(1));
        let over = Probe { over: Some(EndReason::GameComplete), ..probe(Turn::Over, &[], &[]) };
        assert_eq!(chosen(&over, Timing::TurnBased, None, Purpose::Position), Err("EPISODE_COMPLETE"));
    }
}
