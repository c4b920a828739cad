//! A market: order `books` and price `history` by symbol, one's own `account`, the `rivals`.

use serde_json::Value;

use super::scene::{
    Body, Column, Fact, Gauge, Ladder, Level, Part, Rows, Scene, Series, SeriesLine, SeriesMark, Slot, Table,
    Words,
};
use super::values::{number, safe, word};
use super::{SceneInput, seat_words};
use crate::text;
use crate::ui::theme::{Role, seat_number};
use crate::ui::widgets::sparkline;

/// Symbols drawn.
const MAX_SYMBOLS: usize = 6;
/// Levels of a book read.
const MAX_LEVELS: usize = 10;
/// Open orders listed.
const MAX_ORDERS: usize = 50;
/// Holdings allowed to either side where the observation does not say (arena.md §3.1).
const POSITION_LIMIT: f64 = 200.0;
/// Columns of the sparkline in the table of seats.
const TREND: usize = 6;

/// Paints the game, if the observation has its shape.
pub(super) fn paint<'a>(input: &SceneInput<'a>) -> Option<Scene<'a>> {
    let data = input.data;
    let books = data.get("books")?.as_object()?;
    let history = data.get("history")?.as_object()?;
    let symbols: Vec<&'a str> = books.keys().map(String::as_str).take(MAX_SYMBOLS).collect();
    let mut scene = Scene::default();
    for (nth, symbol) in symbols.iter().enumerate() {
        let points = prices(input, history.get(*symbol), symbol);
        let title = price_title(symbol, &points);
        let line = SeriesLine { name: safe(symbol), role: Role::Accent, points };
        let body = Body::Series(Series { marks: fills(input, symbol), lines: vec![line] });
        scene.push(Slot::Main, 0, title, body);
        let Some(book) = books.get(*symbol) else { continue };
        let ladder = Body::Ladder(ladder(data, book, symbol));
        // Where it is narrow, further books wait until all else of note has been shown.
        let priority = if nth == 0 { 1 } else { 4 };
        let title = vec![Part::new(format!("book {}", text::excerpt(symbol, 12)), Role::Heading)];
        scene.push(Slot::Side, priority, title, ladder);
    }
    account(input, &symbols, &mut scene);
    orders(data, &mut scene);
    seats(input, &mut scene);
    positions(input, &symbols, &mut scene);
    equities(input, &mut scene);
    news(data, &mut scene);
    Some(scene)
}

/// Prices by tick: what the trail kept, or the observation's own history where that reaches further back.
fn prices(input: &SceneInput<'_>, history: Option<&Value>, symbol: &str) -> Vec<(f64, f64)> {
    let kept = input.trail.series(&format!("/history/{symbol}/-"));
    let told: Vec<f64> = history
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .take(1_000)
        .filter_map(Value::as_f64)
        .collect();
    if kept.len() > told.len() {
        return kept.iter().map(|(tick, price)| (*tick as f64, *price)).collect();
    }
    let first = input.tick() as f64 - told.len().saturating_sub(1) as f64;
    told.into_iter().enumerate().map(|(nth, price)| (first + nth as f64, price)).collect()
}

/// `ORE  101.23  +0.41 %`: the change over what the chart shows.
fn price_title<'a>(symbol: &'a str, points: &[(f64, f64)]) -> Words<'a> {
    let mut words = vec![Part::new(safe(symbol), Role::Heading)];
    let (Some((_, first)), Some((_, last))) = (points.first(), points.last()) else { return words };
    words.push(Part::new(format!("  {}", text::grouped(*last, 2)), Role::Strong));
    if *first != 0.0 {
        let change = (last / first - 1.0) * 100.0;
        let (arrow, role) = if change < 0.0 { ("▼", Role::Bad) } else { ("▲", Role::Good) };
        words.push(Part::new(format!("  {arrow} {} %", text::signed(change, 2)), role));
        words.push(Part::new(format!(" in {} ticks", points.len() - 1), Role::Dim));
    }
    words
}

/// Own fills, at their price and tick.
fn fills(input: &SceneInput<'_>, symbol: &str) -> Vec<SeriesMark> {
    let mark = |(tick, event): (u64, &Value)| {
        let fill = event.get("fill").filter(|fill| word(fill, "symbol") == Some(symbol))?;
        let (glyph, role) =
            if word(fill, "side")? == "buy" { ('▲', Role::Good) } else { ('▼', Role::Bad) };
        Some(SeriesMark { x: tick as f64, y: number(fill, "price")?, glyph, role })
    };
    input.events().into_iter().filter_map(mark).collect()
}

fn heading(title: &'static str) -> Words<'static> {
    vec![Part::new(title, Role::Heading)]
}

fn ladder(data: &Value, book: &Value, symbol: &str) -> Ladder {
    let own: Vec<(f64, f64)> = open_orders(data)
        .filter(|order| word(order, "symbol") == Some(symbol))
        .filter_map(|order| Some((number(order, "price")?, number(order, "qty")?)))
        .collect();
    let side = |key| {
        let levels = book.get(key).and_then(Value::as_array).into_iter().flatten().take(MAX_LEVELS);
        let level = |level: &Value| {
            let (price, quantity) = (level.get(0)?.as_f64()?, level.get(1)?.as_f64()?);
            let mine =
                own.iter().filter(|(at, _)| (at - price).abs() < 1e-9).map(|(_, quantity)| quantity).sum();
            Some(Level { price, quantity, own: mine })
        };
        levels.filter_map(level).collect()
    };
    Ladder { asks: side("asks"), bids: side("bids") }
}

fn open_orders(data: &Value) -> impl Iterator<Item = &Value> {
    data.get("open_orders").and_then(Value::as_array).into_iter().flatten().take(MAX_ORDERS)
}

/// Cash, equity and holdings within their limits.
fn account<'a>(input: &SceneInput<'a>, symbols: &[&'a str], scene: &mut Scene<'a>) {
    let Some(account) = input.data.get("account") else { return };
    let fact = |key: &'static str| {
        let value = number(account, key)?;
        let words = vec![Part::new(text::grouped(value, 2), Role::Strong)];
        Some(Fact { key: key.into(), value: words, trend: input.trail.trend(&format!("/account/{key}")) })
    };
    let facts: Vec<_> = ["equity", "cash"].into_iter().filter_map(fact).collect();
    if !facts.is_empty() {
        let title = vec![Part::new("account ", Role::Heading), seat_words(input.seat).remove(0)];
        scene.push(Slot::Side, 0, title, Body::Facts(facts));
    }
    let limit = number(input.data, "position_limit").filter(|limit| *limit > 0.0).unwrap_or(POSITION_LIMIT);
    let gauge = |symbol: &&'a str| {
        let value = number(account.get("positions")?, symbol)?;
        let full = value.abs() >= limit * 0.95;
        Some(Gauge {
            label: vec![Part::new(safe(symbol), Role::Dim)],
            value,
            limit,
            signed: true,
            text: format!("{}{}", if full { "!" } else { "" }, text::signed(value, 0)).into(),
            role: if full { Role::Warn } else { Role::Seat(input.seat_number()) },
        })
    };
    let gauges: Vec<_> = symbols.iter().filter_map(gauge).collect();
    if !gauges.is_empty() {
        let title = vec![Part::new(format!("position, limit {}", text::grouped(limit, 0)), Role::Heading)];
        scene.push(Slot::Side, 3, title, Body::Gauges(gauges));
    }
}

fn orders<'a>(data: &'a Value, scene: &mut Scene<'a>) {
    let row = |order: &'a Value| -> Words<'a> {
        let side = word(order, "side").unwrap_or_default();
        let role = if side == "buy" { Role::Good } else { Role::Bad };
        let amount =
            |key, places| number(order, key).map_or("–".to_owned(), |value| text::grouped(value, places));
        vec![
            Part::new(safe(side), role),
            Part::plain(safe(word(order, "symbol").unwrap_or_default())),
            Part::plain(amount("qty", 0)),
            Part::plain(amount("price", 2)),
            Part::new(order.get("id").map_or(String::new(), ToString::to_string), Role::Dim),
        ]
    };
    let rows: Vec<_> = open_orders(data).map(row).collect();
    if rows.is_empty() {
        return;
    }
    let columns = vec![
        Column::left(""),
        Column::left("symbol"),
        Column::right("qty"),
        Column::right("price"),
        Column::right("id"),
    ];
    scene.push(Slot::Side, 6, heading("orders"), Body::Table(Table { columns, rows: Rows::Ready(rows) }));
}

/// Everybody's names: one's own, the rivals', and of those whose view we have.
fn names(input: &SceneInput<'_>) -> Vec<String> {
    let rivals = input.data.get("rivals").and_then(Value::as_object);
    let mut names: Vec<String> = std::iter::once(input.seat)
        .chain(rivals.into_iter().flat_map(|rivals| rivals.keys().map(String::as_str)))
        .chain(input.others.iter().map(|(seat, _)| seat.as_str()))
        .take(32)
        .map(str::to_owned)
        .collect();
    names.sort_by_key(|name| (seat_number(name), name.clone()));
    names.dedup();
    names
}

fn seats<'a>(input: &SceneInput<'a>, scene: &mut Scene<'a>) {
    let row = |name: &String| -> Words<'a> {
        let own = input.view_of(name);
        let equity = own
            .and_then(|view| number(view.get("account")?, "equity"))
            .or_else(|| number(input.data.get("rivals")?, name));
        let score = own.and_then(|view| number(view, "score"));
        let path = if name == input.seat { "/account/equity".to_owned() } else { format!("/rivals/{name}") };
        let gone = gone(input, name);
        let role = match score {
            Some(score) if score < 0.0 => Role::Bad,
            Some(score) if score > 0.0 => Role::Good,
            _ => Role::Dim,
        };
        let trend = gone.map_or_else(|| sparkline(input.trail.values(&path), TREND), str::to_owned);
        let seat_role = seat_number(name).map_or(Role::Text, Role::Seat);
        vec![
            seat_words(name).remove(0),
            Part::plain(equity.map_or("–".to_owned(), |equity| text::grouped(equity, 1))),
            Part::new(score.map_or("–".to_owned(), |score| text::signed(score, 2)), role),
            Part::new(trend, if gone.is_some() { Role::Bad } else { seat_role }),
        ]
    };
    let rows: Vec<_> = names(input).iter().map(row).collect();
    let columns =
        vec![Column::left(""), Column::right("equity"), Column::right("score"), Column::left("trend")];
    scene.push(Slot::Far, 2, heading("seats"), Body::Table(Table { columns, rows: Rows::Ready(rows) }));
}

/// How a seat left the market, if an event says that it did.
fn gone(input: &SceneInput<'_>, name: &str) -> Option<&'static str> {
    let about = |event: &Value, kind: &str| {
        event.get(kind).is_some_and(|out| word(out, "seat").or(out.as_str()) == Some(name))
    };
    input.events().into_iter().find_map(|(_, event)| match event {
        event if about(event, "failed") => Some("✗ failed"),
        event if about(event, "eliminated") => Some("† out"),
        _ => None,
    })
}

/// What everybody's account was worth over time, as far as it is known.
fn equities<'a>(input: &SceneInput<'a>, scene: &mut Scene<'a>) {
    let line = |name: &String| {
        let path = if name == input.seat { "/account/equity".to_owned() } else { format!("/rivals/{name}") };
        let points: Vec<_> =
            input.trail.series(&path).iter().map(|(tick, equity)| (*tick as f64, *equity)).collect();
        let role = seat_number(name).map_or(Role::Text, Role::Seat);
        (points.len() > 1).then(|| SeriesLine {
            name: text::excerpt(name, 8).into_owned().into(),
            role,
            points,
        })
    };
    let lines: Vec<_> = names(input).iter().filter_map(line).collect();
    if lines.len() > 1 {
        let body = Body::Series(Series { lines, marks: Vec::new() });
        scene.push(Slot::Far, 6, heading("equity"), body);
    }
}

/// Holdings of all seats whose view we have; one's own alone has its gauges.
fn positions<'a>(input: &SceneInput<'a>, symbols: &[&'a str], scene: &mut Scene<'a>) {
    if input.others.is_empty() {
        return;
    }
    let row = |name: &String| -> Words<'a> {
        let held = input.view_of(name).and_then(|view| view.get("account")?.get("positions"));
        let cell = |symbol: &&str| match held.and_then(|held| number(held, symbol)) {
            Some(held) if held > 0.0 => Part::new(text::signed(held, 0), Role::Good),
            Some(held) if held < 0.0 => Part::new(text::signed(held, 0), Role::Bad),
            Some(_) => Part::new("0", Role::Dim),
            None => Part::new("–", Role::Dim),
        };
        std::iter::once(seat_words(name).remove(0)).chain(symbols.iter().map(cell)).collect()
    };
    let rows: Vec<_> = names(input).iter().map(row).collect();
    let columns =
        std::iter::once(Column::left("")).chain(symbols.iter().map(|symbol| Column::right(safe(symbol))));
    let table = Table { columns: columns.collect(), rows: Rows::Ready(rows) };
    scene.push(Slot::Far, 5, heading("positions"), Body::Table(table));
}

fn news<'a>(data: &'a Value, scene: &mut Scene<'a>) {
    let entries = data.get("news").and_then(Value::as_array).into_iter().flatten().rev().take(5);
    let entry = |entry: &'a Value| {
        let symbol = word(entry, "symbol")?;
        let estimate = number(entry, "estimate")?;
        Some(vec![
            Part::new("● ", Role::Info),
            Part::plain(format!("{} about {}", text::excerpt(symbol, 12), text::grouped(estimate, 2))),
        ])
    };
    let lines: Vec<Words<'a>> = entries.filter_map(entry).collect();
    if !lines.is_empty() {
        scene.push(Slot::Far, 7, heading("news"), Body::Log(lines));
    }
}
