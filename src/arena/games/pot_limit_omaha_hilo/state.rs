//! A match: chips, cards and whose turn it is.
//!
//! A tick is one decision. Everything that needs none happens at once after it: the next street, the show-down, the
//! next hand with its blinds. Start at [`State::play`]; who is asked next is decided in [`State::next_to_decide`].

use arrayvec::ArrayVec;

use super::actions::Action;
use super::cards::Card;
use super::evaluate::{Board, Hole};
use super::events::Event;
use super::pots::{self, Half, Share, Shares, Shown};
use super::{BIG_BLIND, MAX_PLAYERS, SMALL_BLIND, START_STACK};
use crate::arena::engine::events::{Audience, EventSink, NoEvents};
use crate::arena::engine::rng::Pcg;
use crate::arena::engine::seats::{Seat, SeatSet};

/// A part of a hand, by how much of the board is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Street {
    /// No board card.
    Preflop,
    /// Three.
    Flop,
    /// Four.
    Turn,
    /// Five.
    River,
}

impl Street {
    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Preflop => "preflop",
            Self::Flop => "flop",
            Self::Turn => "turn",
            Self::River => "river",
        }
    }

    /// Board cards that lie open.
    pub const fn open(self) -> usize {
        match self {
            Self::Preflop => 0,
            Self::Flop => 3,
            Self::Turn => 4,
            Self::River => 5,
        }
    }

    const fn next(self) -> Option<Self> {
        match self {
            Self::Preflop => Some(Self::Flop),
            Self::Flop => Some(Self::Turn),
            Self::Turn => Some(Self::River),
            Self::River => None,
        }
    }
}

/// The last hand that was shown down.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Showdown {
    /// Its board.
    pub board: [Card; 5],
    /// How its pot was divided.
    pub shares: Shares,
    /// The hands that were shown.
    pub shown: ArrayVec<(Seat, Hole), MAX_PLAYERS>,
}

/// What a seat may do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Chips that a call costs, at most the stack; 0 when checking is free.
    pub to_call: u32,
    /// The street total of the least and of the greatest raise, if the seat may raise.
    pub raise: Option<(u32, u32)>,
}

/// A match.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    pub(super) rng: Pcg,
    pub(super) tick: u32,
    pub(super) max_ticks: u32,
    /// How many hands are played at most.
    pub(super) hands: u32,
    /// The hand that is played, from 1.
    pub(super) hand_number: u32,
    pub(super) seats: u8,
    pub(super) button: Seat,
    /// Seats that play the match.
    pub(super) live: SeatSet,
    pub(super) failed: SeatSet,
    pub(super) eliminated: SeatSet,
    /// Chips behind, not those in the pot.
    pub(super) stacks: [u32; MAX_PLAYERS],
    /// Chips put in during this street.
    pub(super) street_bets: [u32; MAX_PLAYERS],
    /// Chips put in during this hand.
    pub(super) paid: [u32; MAX_PLAYERS],
    /// Seats that were dealt cards in this hand.
    pub(super) dealt: SeatSet,
    /// Those of them that did not fold.
    pub(super) in_hand: SeatSet,
    /// Seats that decided since the last full bet or raise of the street.
    pub(super) acted: SeatSet,
    pub(super) holes: [Hole; MAX_PLAYERS],
    /// The whole board, open or not.
    pub(super) board: [Card; 5],
    pub(super) street: Street,
    /// What a seat's street total has to be; before the flop at least the big blind, whoever could not post it.
    high: u32,
    /// The size of the last full bet or raise.
    last_raise: u32,
    /// Who decides; nobody when the match is over.
    pub(super) to_act: Option<Seat>,
    pub(super) showdown: Option<Showdown>,
}

impl State {
    /// A match whose first hand is dealt.
    pub(super) fn new(seats: u8, max_ticks: u32, hands: u32, seed: u64) -> Self {
        let mut rng = Pcg::new(seed);
        let mut stacks = [0; MAX_PLAYERS];
        stacks[..usize::from(seats)].fill(START_STACK);
        let button = Seat::new(rng.below(u64::from(seats)) as u8);
        Self::begin(stacks, seats, button, (max_ticks, hands), rng)
    }

    /// The same with stacks and button given; `limits` are ticks and hands.
    pub(super) fn begin(
        stacks: [u32; MAX_PLAYERS],
        seats: u8,
        button: Seat,
        (max_ticks, hands): (u32, u32),
        rng: Pcg,
    ) -> Self {
        let nothing = Card::new(0, 0);
        let mut state = Self {
            rng,
            tick: 0,
            max_ticks,
            hands,
            hand_number: 0,
            seats,
            button,
            live: SeatSet::first(seats),
            failed: SeatSet::EMPTY,
            eliminated: SeatSet::EMPTY,
            stacks,
            street_bets: [0; MAX_PLAYERS],
            paid: [0; MAX_PLAYERS],
            dealt: SeatSet::EMPTY,
            in_hand: SeatSet::EMPTY,
            acted: SeatSet::EMPTY,
            holes: [[nothing; 4]; MAX_PLAYERS],
            board: [nothing; 5],
            street: Street::Preflop,
            high: 0,
            last_raise: BIG_BLIND,
            to_act: None,
            showdown: None,
        };
        // What the first hand begins with is all in the first observation.
        let first = state.deal(&mut NoEvents);
        state.go_on(first, &mut NoEvents);
        state
    }

    /// Chips in the middle.
    pub(super) fn pot(&self) -> u32 {
        self.paid.iter().sum()
    }

    /// Whether the rules ended the match.
    pub(super) fn is_complete(&self) -> bool {
        self.in_hand.is_empty() && (self.live.len() <= 1 || self.hand_number >= self.hands)
    }

    /// What the seat whose turn it is may do.
    pub(super) fn options(&self, seat: Seat) -> Options {
        let (mine, stack) = (self.street_bets[seat.index()], self.stacks[seat.index()]);
        let call = self.high.saturating_sub(mine);
        let can_raise = !self.acted.contains(seat)
            && mine + stack > self.high
            // A raise that nobody can call is none.
            && self.in_hand.without(SeatSet::one(seat)).iter().any(|other| self.stacks[other.index()] > 0);
        let most = (self.high + self.pot() + call).min(mine + stack);
        let least = (self.high + self.last_raise.max(BIG_BLIND)).min(most);
        Options { to_call: call.min(stack), raise: can_raise.then_some((least, most)) }
    }

    /// The street total of a raise of half the pot.
    pub(super) fn half_pot(&self, seat: Seat) -> u32 {
        let call = self.high.saturating_sub(self.street_bets[seat.index()]);
        self.high + u32::midpoint(self.pot(), call)
    }

    /// Plays the decision of the seat on turn: one tick.
    pub(super) fn play(&mut self, action: Action, events: &mut impl EventSink) {
        let Some(seat) = self.to_act else { return };
        self.tick += 1;
        match action {
            Action::Fold => {
                self.in_hand.remove(seat);
                events.emit(Audience::All, || Event::Fold { seat });
            }
            Action::Check | Action::Call => self.call(seat, events),
            Action::Raise { to } => self.raise(seat, to, events),
        }
        self.acted.insert(seat);
        self.go_on(self.after(seat), events);
        self.cut(events);
    }

    /// Takes a seat out of the match: its hand is folded, and what it has behind goes out of play.
    pub(super) fn remove_failed(&mut self, seat: Seat, events: &mut impl EventSink) {
        if !self.live.contains(seat) {
            return;
        }
        self.failed.insert(seat);
        self.live.remove(seat);
        self.in_hand.remove(seat);
        self.stacks[seat.index()] = 0;
        events.emit(Audience::All, || Event::Failed { seat });
        if let Some(on_turn) = self.to_act {
            self.go_on(if on_turn == seat { self.after(seat) } else { on_turn }, events);
        }
    }

    fn call(&mut self, seat: Seat, events: &mut impl EventSink) {
        let Options { to_call, .. } = self.options(seat);
        self.put_in(seat, to_call);
        events.emit(Audience::All, || match to_call {
            0 => Event::Check { seat },
            amount => Event::Call { amount, seat },
        });
    }

    fn raise(&mut self, seat: Seat, to: u32, events: &mut impl EventSink) {
        self.put_in(seat, to - self.street_bets[seat.index()]);
        let by = to - self.high;
        self.high = to;
        // A raise of less than the minimum is all-in; those who decided before it may not raise again.
        if by >= self.last_raise {
            self.last_raise = by;
            self.acted = SeatSet::EMPTY;
        }
        let all_in = self.stacks[seat.index()] == 0;
        events.emit(Audience::All, || Event::Raise { all_in, seat, to });
    }

    fn put_in(&mut self, seat: Seat, chips: u32) {
        let n = seat.index();
        self.stacks[n] -= chips;
        self.street_bets[n] += chips;
        self.paid[n] += chips;
    }

    /// All seats of the match in order, from this one on.
    fn round_from(&self, first: Seat) -> impl Iterator<Item = Seat> + use<> {
        let (first, seats) = (first.index() as u8, self.seats);
        (0..seats).map(move |n| Seat::new((first + n) % seats))
    }

    /// The seat to the left.
    fn after(&self, seat: Seat) -> Seat {
        Seat::new((seat.index() as u8 + 1) % self.seats)
    }

    /// The next seat to the left that plays the match.
    fn next_live(&self, seat: Seat) -> Seat {
        self.round_from(self.after(seat)).find(|&seat| self.live.contains(seat)).unwrap_or(seat)
    }

    /// Does all that needs no decision, until a seat has to decide or the match is over. The first seat to be asked
    /// on this street is `from`.
    fn go_on(&mut self, mut from: Seat, events: &mut impl EventSink) {
        self.to_act = None;
        loop {
            if self.in_hand.len() > 1 {
                self.to_act = self.next_to_decide(from);
                if self.to_act.is_some() {
                    return;
                }
                if let Some(street) = self.street.next() {
                    self.open_street(street, events);
                    from = self.after(self.button);
                    continue;
                }
            }
            self.end_hand(events);
            if self.is_complete() || self.tick >= self.max_ticks {
                return;
            }
            self.button = self.next_live(self.button);
            from = self.deal(events);
        }
    }

    /// Who has to decide on this street, in turn from `from`.
    fn next_to_decide(&self, from: Seat) -> Option<Seat> {
        let mut able = SeatSet::EMPTY;
        let mut most_paid = 0;
        for seat in self.in_hand.iter() {
            if self.stacks[seat.index()] > 0 {
                able.insert(seat);
            } else {
                most_paid = most_paid.max(self.street_bets[seat.index()]);
            }
        }
        // With one seat left that has chips there is no betting; it only has to decide on what others put in.
        let alone = able.len() == 1;
        self.round_from(from).find(|&seat| {
            let mine = self.street_bets[seat.index()];
            able.contains(seat)
                && if alone { mine < most_paid } else { mine < self.high || !self.acted.contains(seat) }
        })
    }

    fn open_street(&mut self, street: Street, events: &mut impl EventSink) {
        let before = self.street.open();
        self.street = street;
        self.street_bets = [0; MAX_PLAYERS];
        self.acted = SeatSet::EMPTY;
        (self.high, self.last_raise) = (0, BIG_BLIND);
        let cards = &self.board[before..street.open()];
        events.emit(Audience::All, || Event::Street { cards, street: street.as_str() });
    }

    /// Deals a hand and posts the blinds. Gives the first seat to be asked.
    fn deal(&mut self, events: &mut impl EventSink) -> Seat {
        self.hand_number += 1;
        (self.dealt, self.in_hand) = (self.live, self.live);
        self.acted = SeatSet::EMPTY;
        self.street = Street::Preflop;
        self.deal_cards();
        let (number, button) = (self.hand_number, self.button);
        events.emit(Audience::All, || Event::Hand { button, number });
        let small = if self.live.len() == 2 { self.button } else { self.next_live(self.button) };
        let big = self.next_live(small);
        self.post(small, SMALL_BLIND, events);
        self.post(big, BIG_BLIND, events);
        (self.high, self.last_raise) = (BIG_BLIND, BIG_BLIND);
        self.after(big)
    }

    fn deal_cards(&mut self) {
        let mut deck = Card::deck();
        self.rng.shuffle(&mut deck);
        let n_live = self.live.len();
        let players = self.round_from(self.after(self.button)).filter(|&seat| self.live.contains(seat));
        let players: ArrayVec<Seat, MAX_PLAYERS> = players.collect();
        for (nth, seat) in players.into_iter().enumerate() {
            self.holes[seat.index()] = std::array::from_fn(|round| deck[round * n_live + nth]);
        }
        self.board = std::array::from_fn(|n| deck[4 * n_live + n]);
    }

    fn post(&mut self, seat: Seat, blind: u32, events: &mut impl EventSink) {
        let amount = blind.min(self.stacks[seat.index()]);
        self.put_in(seat, amount);
        events.emit(Audience::All, || Event::Blind { amount, seat });
    }

    /// Pays out the pot and takes seats without chips out of the match.
    fn end_hand(&mut self, events: &mut impl EventSink) {
        if self.in_hand.len() > 1 {
            self.show_down(events);
        } else if let Some(winner) = self.in_hand.iter().next() {
            let amount = self.pot();
            self.stacks[winner.index()] += amount;
            let won = Event::Won { amount, half: None, seats: SeatSet::one(winner) };
            events.emit(Audience::All, || won);
        }
        self.sweep();
        for seat in self.live.iter().filter(|seat| self.stacks[seat.index()] == 0) {
            self.eliminated.insert(seat);
            events.emit(Audience::All, || Event::Eliminated { seat });
        }
        self.live = self.live.without(self.eliminated);
    }

    fn show_down(&mut self, events: &mut impl EventSink) {
        let board = Board::new(&self.board);
        let shows = |seat: Seat| {
            let hole = self.holes[seat.index()];
            Shown { high: board.high(hole), low: board.low(hole) }
        };
        let mut hands = [None; MAX_PLAYERS];
        for seat in self.in_hand.iter() {
            hands[seat.index()] = Some(shows(seat));
        }
        let shares =
            pots::divide(&self.paid, self.in_hand, |seat| hands[seat.index()].unwrap_or_else(|| shows(seat)));
        let order = self.after(self.button);
        for share in &shares {
            let stacks = &mut self.stacks;
            let order = (0..self.seats).map(|n| Seat::new((order.index() as u8 + n) % self.seats));
            pots::pay(share, order, |seat, chips| stacks[seat.index()] += chips);
            let Share { amount, half, winners: seats } = *share;
            events.emit(Audience::All, || match half {
                Half::Returned => Event::Returned { amount, seats },
                half => Event::Won { amount, half: Some(half.as_str()), seats },
            });
        }
        let shown = self.in_hand.iter().map(|seat| (seat, self.holes[seat.index()])).collect();
        self.showdown = Some(Showdown { board: self.board, shares, shown });
    }

    /// Clears the table.
    fn sweep(&mut self) {
        self.in_hand = SeatSet::EMPTY;
        self.paid = [0; MAX_PLAYERS];
        self.street_bets = [0; MAX_PLAYERS];
    }

    /// At the horizon an unfinished hand is void: everybody gets back what they put in.
    fn cut(&mut self, events: &mut impl EventSink) {
        if self.tick < self.max_ticks || self.in_hand.is_empty() {
            return;
        }
        for seat in self.live.iter() {
            self.stacks[seat.index()] += self.paid[seat.index()];
        }
        events.emit(Audience::All, || Event::Void { hand: self.hand_number });
        self.to_act = None;
        self.sweep();
    }

    /// Deals again what `viewer` cannot see: the cards of the others, and those of the board that are not open.
    pub(super) fn redeal(&mut self, viewer: Seat, rng: &mut Pcg) {
        let open = self.street.open();
        let seen = self.holes[viewer.index()].iter().chain(&self.board[..open]);
        let seen = seen.fold(0, |seen, card| seen | card.bit());
        let mut deck: ArrayVec<Card, 52> =
            Card::deck().into_iter().filter(|card| seen & card.bit() == 0).collect();
        rng.shuffle(&mut deck);
        let mut next = deck.into_iter();
        let others = Seat::first(self.seats).filter(|&seat| seat != viewer);
        let places = others.map(Seat::index).collect::<ArrayVec<usize, MAX_PLAYERS>>();
        let holes = places.into_iter().flat_map(|n| (0..4).map(move |card| (n, card)));
        for ((n, card), dealt) in holes.zip(&mut next) {
            self.holes[n][card] = dealt;
        }
        for (place, dealt) in self.board[open..].iter_mut().zip(next) {
            *place = dealt;
        }
    }
}
