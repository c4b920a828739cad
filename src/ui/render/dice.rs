//! Dice under cups and bids on them: `your_dice`, everybody's `dice_counts`, the `bids` of the round.

use serde_json::{Map, Value};

use super::scene::{
    Body, Column, DieLook, DiscLook, Face, Fact, Gauge, Grid, GridCell, GridKind, Hand, Part, Rows, Scene,
    Slot, Table, Words,
};
use super::values::{count, word};
use super::{SceneInput, seat_words};
use crate::text;
use crate::ui::theme::{Role, seat_number};

/// Seats drawn.
const MAX_SEATS: usize = 16;
/// Dice of a seat drawn.
const MAX_DICE: usize = 12;
/// Bids of a round read.
const MAX_BIDS: usize = 200;
/// Numbers of dice beside each other on the ladder.
const LADDER: usize = 12;
/// The faces of a die.
const FACES: usize = 6;
/// More dice than this are on no table.
const MAX_TOTAL: usize = 1_000;
/// Dice that a seat starts with, where nobody has more.
const USUAL_DICE: usize = 5;

/// What somebody says of all dice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bid<'a> {
    quantity: usize,
    face: usize,
    seat: Option<&'a str>,
}

impl<'a> Bid<'a> {
    /// A bid, or an action that makes one.
    fn read(value: &'a Value) -> Option<Self> {
        let face = count(value, "face").filter(|face| (1..=FACES).contains(face))?;
        let quantity = count(value, "quantity").filter(|quantity| *quantity <= MAX_TOTAL)?;
        Some(Self { quantity, face, seat: word(value, "seat") })
    }

    /// `4 × 5`.
    fn words(self) -> String {
        format!("{} × {}", self.quantity, self.face)
    }
}

/// What there is to know of a round.
struct Round<'a> {
    counts: &'a Map<String, Value>,
    /// Oldest first.
    bids: Vec<Bid<'a>>,
    total: usize,
}

impl<'a> Round<'a> {
    fn read(data: &'a Value) -> Option<Self> {
        data.get("your_dice")?.as_array()?;
        let counts = data.get("dice_counts")?.as_object()?;
        let all = data.get("bids").and_then(Value::as_array);
        let mut bids: Vec<Bid<'a>> = all.into_iter().flatten().take(MAX_BIDS).filter_map(Bid::read).collect();
        let current = data.get("current_bid").and_then(Bid::read);
        if let Some(current) = current.filter(|current| bids.last() != Some(current)) {
            bids.push(current);
        }
        let sum = || counts.values().filter_map(Value::as_u64).fold(0, u64::saturating_add) as usize;
        Some(Self { counts, bids, total: count(data, "total_dice").unwrap_or_else(sum).min(MAX_TOTAL) })
    }

    fn current(&self) -> Option<Bid<'a>> {
        self.bids.last().copied()
    }

    fn seats(&self) -> impl Iterator<Item = (&'a str, usize)> {
        let dice = |value: &Value| value.as_u64().map_or(0, |dice| dice.min(100) as usize);
        self.counts.iter().take(MAX_SEATS).map(move |(seat, value)| (seat.as_str(), dice(value)))
    }
}

/// Paints the game, if the observation has its shape.
pub(super) fn paint<'a>(input: &SceneInput<'a>) -> Option<Scene<'a>> {
    let data = input.data;
    let round = Round::read(data)?;
    let mut scene = Scene::default();
    let cups = round.seats().map(|(seat, dice)| cup(input, &round, seat, dice)).collect();
    let mut title = heading("cups");
    title.push(Part::new(format!("  {} dice", round.total), Role::Dim));
    scene.push(Slot::Main, 0, title, Body::Hands(cups));
    scene.push(Slot::Main, 0, Vec::new(), Body::Facts(status(input, &round)));
    // What was shown is news until somebody bids again.
    if let Some((title, hands)) = data.get("last_reveal").and_then(reveal) {
        let (slot, priority) = if round.bids.is_empty() { (Slot::Main, 1) } else { (Slot::Far, 5) };
        scene.push(slot, priority, title, Body::Hands(hands));
    }
    scene.push(Slot::Main, 2, heading("ladder, by number of dice"), Body::Grid(ladder(input, &round)));
    if !round.bids.is_empty() {
        scene.push(Slot::Side, 3, heading("bids"), Body::Table(bids(&round)));
    }
    let most = round.seats().map(|(_, dice)| dice).max().unwrap_or(0).max(USUAL_DICE);
    let gauges = round.seats().map(|(seat, dice)| gauge(input, seat, dice, most)).collect();
    scene.push(Slot::Side, 6, heading("dice left"), Body::Gauges(gauges));
    Some(scene)
}

fn heading(title: &'static str) -> Words<'static> {
    vec![Part::new(title, Role::Heading)]
}

fn name<'a>(input: &SceneInput<'_>, seat: &str) -> Words<'a> {
    let mut words = seat_words(&text::excerpt(seat, 8));
    if seat == input.seat && input.mine {
        words.push(Part::plain(" you"));
    }
    words
}

/// The bid there is, and who has to answer it.
fn status<'a>(input: &SceneInput<'_>, round: &Round<'_>) -> Vec<Fact<'a>> {
    let fact = |key: &'static str, value: Words<'a>| Fact { key: key.into(), value, trend: Vec::new() };
    let mut bid = vec![Part::new(round.current().map_or("none yet".to_owned(), Bid::words), Role::Strong)];
    if let Some(seat) = round.current().and_then(|bid| bid.seat) {
        bid.push(Part::new(" by ", Role::Dim));
        bid.extend(seat_words(&text::excerpt(seat, 8)));
    }
    let mut facts = vec![fact("bid", bid)];
    if let Some(seat) = input.on_turn() {
        facts.push(fact("to move", name(input, seat)));
    }
    facts
}

/// A seat's dice: open where they may be seen, else under the cup. Behind them what it bid last.
fn cup<'a>(input: &SceneInput<'a>, round: &Round<'a>, seat: &'a str, dice: usize) -> Hand<'a> {
    let own = input.view_of(seat).and_then(|view| faces(view.get("your_dice")?));
    let faces = match own {
        Some(own) if dice > 0 => own.into_iter().map(|pips| Face::Die(pips, DieLook::Plain)).collect(),
        _ => vec![Face::Cup; dice.min(MAX_DICE)],
    };
    let bid = round.bids.iter().rev().find(|bid| bid.seat == Some(seat));
    let note = match bid {
        _ if dice == 0 => vec![Part::new("† out", Role::Warn)],
        Some(bid) if Some(*bid) == round.current() => {
            vec![Part::new(format!("◂ {}", bid.words()), Role::Changed)]
        }
        Some(bid) => vec![Part::new(format!("  {}", bid.words()), Role::Dim)],
        None => Vec::new(),
    };
    Hand { label: name(input, seat), faces, note, is_main: seat == input.seat && input.mine }
}

fn faces(value: &Value) -> Option<Vec<u8>> {
    let pips = |die: &Value| die.as_u64().and_then(|pips| u8::try_from(pips).ok());
    value.as_array()?.iter().take(MAX_DICE).map(pips).collect()
}

/// All dice of the round before, those that counted apart.
fn reveal(value: &Value) -> Option<(Words<'_>, Vec<Hand<'_>>)> {
    let dice = value.get("dice")?.as_object()?;
    let bid = Bid::read(value.get("bid")?)?;
    let matched = count(value, "count")?;
    let exact = |hand: &Vec<u8>| hand.iter().filter(|pips| usize::from(**pips) == bid.face).count();
    let hands: Vec<(&String, Vec<u8>)> =
        dice.iter().take(MAX_SEATS).filter_map(|(seat, dice)| Some((seat, faces(dice)?))).collect();
    // The number that counted tells whether ones did.
    let wild = hands.iter().map(|(_, hand)| exact(hand)).sum::<usize>() < matched;
    let look = |pips: u8| {
        let counts = usize::from(pips) == bid.face || wild && pips == 1;
        Face::Die(pips, if counts { DieLook::Counted } else { DieLook::Quiet })
    };
    let (caller, loser) = (word(value, "caller"), word(value, "loser"));
    let note = |seat: &str| {
        let mut words = Vec::new();
        if bid.seat == Some(seat) {
            words.push(Part::new(format!("bid {} ", bid.words()), Role::Dim));
        }
        if caller == Some(seat) {
            words.push(Part::new("doubted ", Role::Dim));
        }
        if loser == Some(seat) {
            words.push(Part::new("▼ loses a die", Role::Bad));
        }
        words
    };
    let rows = hands
        .iter()
        .filter(|(_, hand)| !hand.is_empty())
        .map(|(seat, hand)| Hand {
            label: seat_words(&text::excerpt(seat, 8)),
            faces: hand.iter().map(|pips| look(*pips)).collect(),
            note: note(seat),
            is_main: false,
        })
        .collect();
    let verdict = if matched >= bid.quantity { "true" } else { "false" };
    let title = vec![
        Part::new("shown ", Role::Heading),
        Part::plain(format!("{} was {verdict}", bid.words())),
        Part::new(format!(", {matched} counted"), Role::Dim),
    ];
    Some((title, rows))
}

/// Faces from top to bottom, numbers of dice from left to right: what was bid, by whom, and what may be bid.
fn ladder<'a>(input: &SceneInput<'_>, round: &Round<'_>) -> Grid<'a> {
    let least = input.data.get("min_next_bids").and_then(Value::as_object);
    let least = |face: usize| count_of(least?.get(&face.to_string())?);
    let wished = input.cursor.and_then(Bid::read);
    let lowest = round.bids.iter().map(|bid| bid.quantity).min().unwrap_or(1);
    let now = round.current().map_or(1, |bid| bid.quantity);
    let last = |first: usize| round.total.clamp(1, first + LADDER - 1);
    // Bids of long ago go, so that there is room for higher ones.
    let mut first = lowest.max(now.saturating_sub(LADDER / 2)).clamp(1, round.total.max(1));
    if let Some(wished) = wished.filter(|wished| wished.quantity > last(first)) {
        first = (wished.quantity + 1).min(round.total.max(1)).saturating_sub(LADDER - 1).max(1);
    }
    let quantities: Vec<usize> = (first..=last(first)).collect();
    // Ones are bid only where they are not wild.
    let has_ones = least(1).is_some() || round.bids.iter().any(|bid| bid.face == 1);
    let from = if has_ones { 1 } else { 2 };
    let cell = |face: usize, quantity: usize| {
        let made = round.bids.iter().rev().find(|bid| (bid.quantity, bid.face) == (quantity, face));
        match made {
            Some(bid) => {
                let look = if Some(*bid) == round.current() { DiscLook::Last } else { DiscLook::Plain };
                let seat = bid.seat.and_then(seat_number);
                seat.map_or(GridCell::Thing('×', Role::Text), |seat| GridCell::Disc { seat, look })
            }
            None if wished.is_some_and(|bid| (bid.quantity, bid.face) == (quantity, face)) => {
                GridCell::Disc { seat: input.seat_number(), look: DiscLook::Ghost }
            }
            None if least(face).is_some_and(|least| quantity >= least) => GridCell::Empty,
            None => GridCell::Outside,
        }
    };
    let row = |face: usize| {
        let mut cells = vec![GridCell::Text(format!("{face}:").into(), Role::Strong)];
        cells.extend(quantities.iter().map(|quantity| cell(face, *quantity)));
        cells
    };
    let head = quantities.iter().map(|quantity| vec![Part::new(quantity.to_string(), Role::Dim)]);
    Grid {
        kind: GridKind::Text(2),
        columns: quantities.len() + 1,
        cells: (from..=FACES).flat_map(row).collect(),
        head: std::iter::once(vec![Part::new("", Role::Dim)]).chain(head).collect(),
        foot: Vec::new(),
        number_rows: false,
        focus: None,
    }
}

fn count_of(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|number| usize::try_from(number).ok())
}

/// The bids of the round, newest first.
fn bids<'a>(round: &Round<'_>) -> Table<'a> {
    let row = |(nth, bid): (usize, &Bid<'_>)| -> Words<'a> {
        let role = if nth + 1 == round.bids.len() { Role::Changed } else { Role::Text };
        let seat =
            bid.seat.map_or_else(|| vec![Part::plain("–")], |seat| seat_words(&text::excerpt(seat, 8)));
        let part = |number: usize| Part::new(number.to_string(), role);
        let mut words = vec![Part::new(format!("{:>4}", nth + 1), Role::Dim)];
        words.extend(seat.into_iter().take(1));
        words.extend([part(bid.quantity), part(bid.face)]);
        words
    };
    let columns = vec![Column::left(""), Column::left("seat"), Column::right("dice"), Column::right("face")];
    Table { columns, rows: Rows::Ready(round.bids.iter().enumerate().rev().map(row).collect()) }
}

fn gauge<'a>(input: &SceneInput<'_>, seat: &str, dice: usize, most: usize) -> Gauge<'a> {
    Gauge {
        label: name(input, seat),
        value: dice as f64,
        limit: most as f64,
        signed: false,
        text: if dice == 0 { "† 0".into() } else { dice.to_string().into() },
        role: seat_number(seat).map_or(Role::Accent, Role::Seat),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn looks(value: &Value) -> Vec<(u8, DieLook)> {
        let (_, hands) = reveal(value).unwrap();
        let face = |face: &Face| match face {
            Face::Die(pips, look) => (*pips, *look),
            other => panic!("{other:?}"),
        };
        hands.iter().flat_map(|hand| &hand.faces).map(face).collect()
    }

    #[test]
    fn ones_count_in_a_reveal_only_if_the_number_says_so() {
        use DieLook::{Counted, Quiet};
        let mut shown = json!({"bid": {"quantity": 3, "face": 4, "seat": "p0"}, "caller": "p1", "count": 2,
            "dice": {"p0": [1, 4], "p1": [4, 6]}, "loser": "p0"});
        assert_eq!(looks(&shown), [(1, Quiet), (4, Counted), (4, Counted), (6, Quiet)]);
        shown["count"] = json!(3);
        assert_eq!(looks(&shown)[0], (1, Counted));
        let (title, hands) = reveal(&shown).unwrap();
        assert_eq!(title[1].text, "3 × 4 was true");
        assert_eq!(hands[0].note.last().unwrap().text, "▼ loses a die");
    }
}
