//! What happens, as observations show it.

use serde::Serialize;

use super::cards::Card;
use crate::arena::engine::seats::{Seat, SeatSet};

/// One thing that everybody sees.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Event<'a> {
    /// A new hand is dealt.
    Hand {
        button: Seat,
        number: u32,
    },
    Blind {
        amount: u32,
        seat: Seat,
    },
    Fold {
        seat: Seat,
    },
    Check {
        seat: Seat,
    },
    Call {
        amount: u32,
        seat: Seat,
    },
    Raise {
        all_in: bool,
        seat: Seat,
        to: u32,
    },
    /// Board cards are opened.
    Street {
        cards: &'a [Card],
        street: &'static str,
    },
    /// Chips that nobody else could win.
    Returned {
        amount: u32,
        seats: SeatSet,
    },
    Won {
        amount: u32,
        /// Which half of the pot; nothing when all others folded.
        #[serde(skip_serializing_if = "Option::is_none")]
        half: Option<&'static str>,
        seats: SeatSet,
    },
    Eliminated {
        seat: Seat,
    },
    Failed {
        seat: Seat,
    },
    /// A hand that the horizon cut.
    Void {
        hand: u32,
    },
}
