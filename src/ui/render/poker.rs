//! A table of poker: the `board` of cards, one's own `hand`, the `pot`, the `seats` with their chips.

use serde_json::Value;

use super::scene::{
    Body, Column, Face, Fact, Gauge, Hand, Part, Rows, Scene, Series, SeriesLine, Slot, Table, Words,
};
use super::values::{number, safe, word};
use super::{SceneInput, seat_words};
use crate::text;
use crate::ui::theme::{Role, Suit, seat_number};

/// Seats drawn.
const MAX_SEATS: usize = 12;
/// Cards in the middle when all have come.
const BOARD: usize = 5;
/// Cards read of a list.
const MAX_CARDS: usize = 12;
/// Events of a hand read.
const MAX_TOLD: usize = 120;

/// Paints the game, if the observation has its shape.
pub(super) fn paint<'a>(input: &SceneInput<'a>) -> Option<Scene<'a>> {
    let data = input.data;
    let board = cards(data.get("board")?)?;
    let pot = number(data, "pot")?;
    let seats: Vec<&'a Value> = data
        .get("seats")?
        .as_array()?
        .iter()
        .take(MAX_SEATS)
        .filter(|seat| seat.get("stack").is_some())
        .collect();
    if seats.is_empty() {
        return None;
    }
    let told = told(input);

    let mut scene = Scene::default();
    scene.push(Slot::Main, 0, title(input), Body::Hands(open_cards(input, &board, &seats)));
    scene.push(Slot::Main, 1, Vec::new(), Body::Facts(stakes(input, pot)));
    scene.push(Slot::Main, 2, heading("table"), Body::Table(table(input, &seats, &told)));
    scene.push(Slot::Side, 1, heading("chips"), Body::Gauges(gauges(input, &seats, pot)));
    if let Some(hand) = history(&seats, &told) {
        scene.push(Slot::Side, 4, heading("hand"), Body::Table(hand));
    }
    if let Some((title, hands)) = data.get("last_showdown").and_then(showdown) {
        scene.push(Slot::Far, 5, title, Body::Hands(hands));
    }
    if let Some(chart) = chart(input, &seats) {
        scene.push(Slot::Far, 7, heading("stacks"), chart);
    }
    Some(scene)
}

fn heading(title: &'static str) -> Words<'static> {
    vec![Part::new(title, Role::Heading)]
}

/// `Ah`, `10h`, `A♥`.
fn card(value: &Value) -> Option<Face> {
    let name = value.as_str().filter(|name| name.len() <= 6)?;
    let sign = name.chars().next_back()?;
    let suit = Suit::read(sign)?;
    let rank = match name.strip_suffix(sign)? {
        "10" => 'T',
        rank => rank.parse::<char>().ok()?.to_ascii_uppercase(),
    };
    "23456789TJQKA".contains(rank).then_some(Face::Card { rank, suit })
}

fn cards(value: &Value) -> Option<Vec<Face>> {
    value.as_array()?.iter().take(MAX_CARDS).map(card).collect()
}

/// Cards side by side as text.
pub(super) fn card_parts<'a>(value: &Value) -> Option<Words<'a>> {
    let part = |face: Face| match face {
        Face::Card { rank, suit } => Part::new(format!(" {rank}{}", suit.glyph()), Role::Suit(suit)),
        _ => Part::plain(""),
    };
    Some(cards(value)?.into_iter().map(part).collect())
}

/// `flop  hand 7 of 40`.
fn title<'a>(input: &SceneInput<'_>) -> Words<'a> {
    let data = input.data;
    let street = word(data, "street").map_or("table".into(), |street| text::excerpt(street, 12).into_owned());
    let mut words = vec![Part::new(street, Role::Heading)];
    if let Some(hand) = number(data, "hand_number") {
        let all = number(data, "hands").map_or(String::new(), |all| format!(" of {}", text::grouped(all, 0)));
        words.push(Part::new(format!("  hand {}{all}", text::grouped(hand, 0)), Role::Dim));
    }
    words
}

/// The board, and the cards of everybody whose view is known.
fn open_cards<'a>(input: &SceneInput<'a>, board: &[Face], seats: &[&'a Value]) -> Vec<Hand<'a>> {
    let mut faces = board.to_vec();
    faces.resize(board.len().max(BOARD), Face::CardGap);
    let label = vec![Part::new("board", Role::Dim)];
    let mut hands = vec![Hand { label, faces, note: Vec::new(), is_main: true }];
    let mut row = |seat: &'a str| {
        let Some(hand) = input.view_of(seat).and_then(|view| view.get("hand")) else { return };
        let Some(faces) = hand.get("hole").and_then(cards).filter(|faces| !faces.is_empty()) else { return };
        let is_main = seat == input.seat && input.mine;
        let note = if is_main { Vec::new() } else { made_note(hand) };
        hands.push(Hand { label: name(input, seat), faces, note, is_main });
    };
    row(input.seat);
    for seat in seats.iter().filter_map(|seat| word(seat, "seat")).filter(|seat| *seat != input.seat) {
        row(seat);
    }
    hands
}

fn name<'a>(input: &SceneInput<'_>, seat: &str) -> Words<'a> {
    let mut words = seat_words(&text::excerpt(seat, 8));
    if seat == input.seat && input.mine {
        words.push(Part::plain(" you"));
    }
    words
}

/// What cards make, in few words.
fn made_note(hand: &Value) -> Words<'_> {
    let high = word(hand, "high").map(|high| Part::new(safe(high), Role::Dim));
    let low = word(hand, "low").filter(|low| !low.starts_with("no low") && !low.ends_with("possible"));
    let low = low.map(|low| Part::new(format!(" / {}", text::excerpt(low, 16)), Role::Dim));
    high.into_iter().chain(low).collect()
}

/// What is in the middle, what a call costs, and what the own cards make, as the observation says.
fn stakes<'a>(input: &SceneInput<'a>, pot: f64) -> Vec<Fact<'a>> {
    let fact = |key: &'static str, value: Words<'a>| Fact { key: key.into(), value, trend: Vec::new() };
    let mut stake = vec![Part::new(text::grouped(pot, 0), Role::Strong)];
    if let Some(call) = number(input.data, "to_call").filter(|call| *call > 0.0) {
        stake.push(Part::new(format!("  {} to call", text::grouped(call, 0)), Role::Warn));
    }
    let hand = input.data.get("hand").filter(|_| input.mine);
    let made = |key: &'static str| Some(fact(key, vec![Part::plain(safe(word(hand?, key)?))]));
    std::iter::once(fact("pot", stake)).chain(["high", "low"].into_iter().filter_map(made)).collect()
}

/// Events of this hand, oldest first: those since it was dealt.
fn told<'a>(input: &SceneInput<'a>) -> Vec<&'a Value> {
    let mut told: Vec<&'a Value> = Vec::new();
    for (_, event) in input.events().into_iter().take(MAX_TOLD) {
        told.push(event);
        if event.get("hand").is_some() {
            break;
        }
    }
    told.reverse();
    told
}

/// Who posted the small and the big blind.
fn blinds<'a>(told: &[&'a Value]) -> Vec<(&'a str, &'static str)> {
    let posted = told.iter().filter_map(|event| word(event.get("blind")?, "seat"));
    posted.zip(["SB", "BB"]).collect()
}

fn table<'a>(input: &SceneInput<'_>, seats: &[&'a Value], told: &[&'a Value]) -> Table<'a> {
    let blinds = blinds(told);
    let (button, turn) = (word(input.data, "button"), input.on_turn());
    let row = |seat: &&'a Value| -> Words<'a> {
        let id = word(seat, "seat").unwrap_or("–");
        let mut marks = Vec::new();
        if button == Some(id) {
            marks.push("D");
        }
        marks.extend(blinds.iter().filter(|(seat, _)| *seat == id).map(|(_, blind)| *blind));
        let stack = number(seat, "stack").unwrap_or(0.0);
        let plays = seat.get("in_hand").and_then(Value::as_bool).unwrap_or(true);
        let (state, role) = match (plays, stack <= 0.0) {
            (true, _) if turn == Some(id) => ("◂ to act", Role::Key),
            (true, true) => ("! all in", Role::Warn),
            (true, false) => ("in", Role::Good),
            (false, true) => ("† out", Role::Warn),
            (false, false) => ("folded", Role::Dim),
        };
        let chips = |amount: f64| if amount > 0.0 { text::grouped(amount, 0) } else { "–".to_owned() };
        let seat_role = seat_number(id).map_or(Role::Strong, Role::Seat);
        let name: String = name(input, id).iter().map(|part| part.text.as_ref()).collect();
        vec![
            Part::new(name, if plays { seat_role } else { Role::Dim }),
            Part::new(marks.join(" "), Role::Strong),
            Part::plain(chips(stack)),
            Part::plain(number(seat, "street_bet").map_or("–".to_owned(), chips)),
            Part::new(state, role),
        ]
    };
    let columns = vec![
        Column::left(""),
        Column::left("pos"),
        Column::right("stack"),
        Column::right("bet"),
        Column::left("state"),
    ];
    Table { columns, rows: Rows::Ready(seats.iter().map(row).collect()) }
}

/// The pot, the stacks, and between which totals one may raise.
fn gauges<'a>(input: &SceneInput<'_>, seats: &[&'a Value], pot: f64) -> Vec<Gauge<'a>> {
    let data = input.data;
    let chips = |seat: &Value| number(seat, "stack").unwrap_or(0.0).max(0.0);
    let all = seats.iter().map(|seat| chips(seat)).sum::<f64>() + pot.max(0.0);
    let gauge = |label: Words<'a>, value: f64, limit: f64, text: String, role: Role| Gauge {
        label,
        value,
        limit,
        signed: false,
        text: text.into(),
        role,
    };
    let plain = |label: &'static str| vec![Part::new(label, Role::Dim)];
    let mut gauges = vec![gauge(plain("pot"), pot, all, text::grouped(pot, 0), Role::Accent)];
    for seat in seats {
        let id = word(seat, "seat").unwrap_or("–");
        let role = seat_number(id).map_or(Role::Text, Role::Seat);
        gauges.push(gauge(name(input, id), chips(seat), all, text::grouped(chips(seat), 0), role));
    }
    let raise = number(data, "raise_min").zip(number(data, "raise_max")).filter(|(_, most)| *most > 0.0);
    if let Some((least, most)) = raise {
        let wished = input.cursor.and_then(|action| number(action, "to"));
        let range = format!("{}–{}", text::grouped(least, 0), text::grouped(most, 0));
        let words = wished.map_or_else(|| range.clone(), |to| format!("{} of {range}", text::grouped(to, 0)));
        gauges.push(gauge(plain("raise to"), wished.unwrap_or(0.0), most, words, Role::Key));
    }
    gauges
}

/// What everybody did in this hand, the street of the moment first.
fn history<'a>(seats: &[&'a Value], told: &[&'a Value]) -> Option<Table<'a>> {
    let mut streets: Vec<(&str, Vec<(&str, String)>)> = vec![("preflop", Vec::new())];
    for event in told {
        let Some((kind, details)) = event.as_object().and_then(|event| event.iter().next()) else { continue };
        if kind == "street" {
            streets.push((word(details, "street").unwrap_or("street"), Vec::new()));
        } else if let (Some(seat), Some((_, done))) = (word(details, "seat"), streets.last_mut()) {
            let amount = number(details, "to").or_else(|| number(details, "amount"));
            let amount = amount.map_or(String::new(), |amount| format!(" {}", text::grouped(amount, 0)));
            done.push((seat, format!("{}{amount}", text::excerpt(kind, 12))));
        }
    }
    streets.reverse();
    let did = |seat: &str, done: &[(&str, String)]| {
        let done: Vec<&str> =
            done.iter().filter(|(by, _)| *by == seat).map(|(_, what)| what.as_str()).collect();
        if done.is_empty() { Part::new("–", Role::Dim) } else { Part::plain(done.join(", ")) }
    };
    let row = |seat: &&'a Value| {
        let id = word(seat, "seat").unwrap_or("–");
        let name = seat_words(&text::excerpt(id, 8)).into_iter().take(1);
        name.chain(streets.iter().map(|(_, done)| did(id, done))).collect::<Words<'a>>()
    };
    let titles = streets.iter().map(|(street, _)| Column::left(text::excerpt(street, 12).into_owned()));
    let columns = std::iter::once(Column::left("")).chain(titles).collect();
    let is_told = streets.iter().any(|(_, done)| !done.is_empty());
    is_told.then(|| Table { columns, rows: Rows::Ready(seats.iter().map(row).collect()) })
}

/// The last hands that were shown, and what each took of which half.
fn showdown(value: &Value) -> Option<(Words<'_>, Vec<Hand<'_>>)> {
    let shown = value.get("shown")?.as_object()?;
    let shares: Vec<(&Value, f64, &str)> = value
        .get("pots")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .take(MAX_SEATS * 2)
        .filter_map(|pot| {
            Some((pot.get("winners")?, number(pot, "amount")?, word(pot, "half").unwrap_or("pot")))
        })
        .collect();
    let won = |seat: &str| {
        let is_winner = |winners: &Value| {
            winners.as_array().is_some_and(|all| all.iter().any(|winner| winner.as_str() == Some(seat)))
        };
        let part = |(winners, amount, half): &(&Value, f64, &str)| {
            let sharing = winners.as_array().map_or(1, |all| all.len().max(1));
            let shared = if sharing > 1 { format!(" ÷{sharing}") } else { String::new() };
            let words = format!("{} {}{shared}  ", text::excerpt(half, 8), text::grouped(*amount, 0));
            Part::new(words, if *half == "returned" { Role::Dim } else { Role::Good })
        };
        shares.iter().filter(|(winners, ..)| is_winner(winners)).map(part).collect::<Words<'_>>()
    };
    let board = value.get("board").and_then(cards).unwrap_or_default();
    let label = vec![Part::new("board", Role::Dim)];
    let mut hands = vec![Hand { label, faces: board, note: Vec::new(), is_main: false }];
    hands.extend(shown.iter().take(MAX_SEATS).filter_map(|(seat, hole)| {
        Some(Hand {
            label: seat_words(&text::excerpt(seat, 8)),
            faces: cards(hole)?,
            note: won(seat),
            is_main: false,
        })
    }));
    let title = vec![Part::new("last show-down", Role::Heading)];
    (hands.len() > 1).then_some((title, hands))
}

/// Everybody's chips, as far as they are known.
fn chart<'a>(input: &SceneInput<'_>, seats: &[&'a Value]) -> Option<Body<'a>> {
    let line = |seat: &&'a Value| {
        let id = word(seat, "seat")?;
        let kept = input.trail.series(&format!("/seats/{id}/stack"));
        let points: Vec<_> = kept.iter().map(|(tick, stack)| (*tick as f64, *stack)).collect();
        let role = seat_number(id).map_or(Role::Text, Role::Seat);
        (points.len() > 1).then(|| SeriesLine { name: text::excerpt(id, 8), role, points })
    };
    let lines: Vec<_> = seats.iter().filter_map(line).collect();
    (!lines.is_empty()).then(|| Body::Series(Series { lines, marks: Vec::new() }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cards_are_read_in_the_usual_ways_and_nothing_else_is_a_card() {
        for name in ["Th", "10h", "th", "T♥", "10♥"] {
            assert_eq!(card(&json!(name)), Some(Face::Card { rank: 'T', suit: Suit::Hearts }), "{name}");
        }
        for name in ["", "h", "1h", "Tx", "TTh", "♥", "Z♥", "\u{1b}h"] {
            assert_eq!(card(&json!(name)), None, "{name}");
        }
    }

    #[test]
    fn the_history_of_a_hand_has_a_column_for_each_street() {
        let told = [
            json!({"hand": {"button": "p1", "number": 7}}),
            json!({"blind": {"amount": 5, "seat": "p1"}}),
            json!({"blind": {"amount": 10, "seat": "p0"}}),
            json!({"raise": {"all_in": false, "seat": "p1", "to": 30}}),
            json!({"call": {"amount": 20, "seat": "p0"}}),
            json!({"street": {"cards": ["Ah", "7d", "2c"], "street": "flop"}}),
            json!({"check": {"seat": "p0"}}),
        ];
        let (told, seats) = (told.iter().collect::<Vec<_>>(), [json!({"seat": "p0"}), json!({"seat": "p1"})]);
        let table = history(&seats.iter().collect::<Vec<_>>(), &told).unwrap();
        let titles: Vec<&str> = table.columns.iter().map(|column| column.title.as_ref()).collect();
        assert_eq!(titles, ["", "flop", "preflop"]);
        let Rows::Ready(rows) = table.rows else { panic!() };
        let text = |row: &Words<'_>| row.iter().map(|part| part.text.to_string()).collect::<Vec<_>>();
        assert_eq!(text(&rows[0]), ["● p0", "check", "blind 10, call 20"]);
        assert_eq!(text(&rows[1]), ["○ p1", "–", "blind 5, raise 30"]);
        assert_eq!(blinds(&told), [("p1", "SB"), ("p0", "BB")]);
    }

    #[test]
    fn a_show_down_says_who_took_which_half() {
        let value = json!({"board": ["5c", "Js", "6c", "9c", "Ah"],
            "pots": [{"amount": 60, "half": "high", "winners": ["p2"]}, {"amount": 60, "half": "low", "winners": ["p1", "p2"]}],
            "shown": {"p1": ["4h", "8h", "Qd", "Th"], "p2": ["Kh", "3c", "Jc", "2d"]}});
        let (_, hands) = showdown(&value).unwrap();
        let note = |nth: usize| hands[nth].note.iter().map(|part| part.text.as_ref()).collect::<String>();
        assert_eq!((note(1).trim(), note(2).trim()), ("low 60 ÷2", "high 60  low 60 ÷2"));
    }
}
