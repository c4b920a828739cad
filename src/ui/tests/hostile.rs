//! Text from outside that wants to break the screen (failure cases T-23, T-25, T-26).

use ratatui::buffer::Buffer;
use serde_json::{Value, json};
use unicode_segmentation::UnicodeSegmentation;

use super::{ASCII, PLAIN, draw, text};
use crate::app::tests::harness::*;
use crate::client::FeedEvent;
use crate::policy::PolicyEventKind;

/// What names, words and messages are replaced by.
fn nasty() -> Vec<String> {
    vec![
        "\u{1b}[2J\u{1b}]52;c;ZXZpbA==\u{7}\u{9b}31mred".into(),
        "a\nb\r\nc\td\u{0}e\u{2028}f".into(),
        "\u{202E}live\u{2066}\u{200B}\u{FEFF}\u{61C}x".into(),
        "東京都の試合で遊ぶ人たち".into(),
        "x東京都の試合で遊ぶ人たち".into(),
        "👩\u{200D}🚀🏳\u{FE0F}\u{200D}🌈❤\u{FE0F}🇩🇪👍🏽".into(),
        format!("e{}", "\u{301}".repeat(40)).repeat(20),
        "ﾊﾟﾋﾞ 한글 ก็ ي".into(),
        "x".repeat(10_000),
        "漢字".repeat(1_000),
        "é\u{1b}".repeat(500),
        String::new(),
        "   ".into(),
    ]
}

/// Replaces all text in a value, except where it decides what the value is.
fn poison(value: &mut Value, nasty: &str) {
    const KEPT: [&str; 9] = [
        "status",
        "created_at",
        "started_at",
        "type",
        "player_id",
        "action",
        "direction",
        "player_token",
        "slug",
    ];
    match value {
        Value::String(text) => nasty.clone_into(text),
        Value::Array(items) => items.iter_mut().for_each(|item| poison(item, nasty)),
        Value::Object(members) => {
            members
                .iter_mut()
                .filter(|(name, _)| !KEPT.contains(&name.as_str()))
                .for_each(|(_, item)| poison(item, nasty));
            members.insert(nasty.to_owned(), json!(nasty));
        }
        _ => {}
    }
}

fn poisoned(mut value: Value, nasty: &str) -> Value {
    poison(&mut value, nasty);
    value
}

/// Every pane and overlay with that text in it.
fn states(nasty: &str) -> Vec<(&'static str, Rig)> {
    let lists = || {
        let (mut rig, _) = Rig::start(true);
        let named = |mut value: Value, member: &str| {
            value[member] = json!(nasty);
            poisoned(value, nasty)
        };
        let games: Vec<Value> =
            games()["games"].as_array().unwrap().iter().map(|game| named(game.clone(), "slug")).collect();
        let sessions: Vec<Value> = sessions()["sessions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|session| named(session.clone(), "session_id"))
            .collect();
        rig.give("games", json!({"games": games}));
        rig.give("tags", json!({"tags": [nasty]}));
        rig.give("sessions", json!({"sessions": sessions}));
        rig.give("balance", balance());
        rig.give("usage", json!({"entries": poisoned(usage()["entries"].clone(), nasty)}));
        rig.draw();
        rig.give("game", poisoned(detail("connect_four"), nasty));
        rig
    };
    let after = |mut rig: Rig, keys: &str| {
        rig.press(keys);
        rig
    };
    let played = |game: &str| {
        let (mut rig, feed) = Rig::seated(game);
        rig.observe(feed, 1, &poisoned(observation(game), nasty));
        rig.press("enter");
        rig.say(feed, &json!({"type": "action_result", "accepted": false, "reasons": [nasty, nasty]}));
        (rig, feed)
    };
    let mut watched = Rig::watching("connect_four");
    for message in [
        json!({"type": "session", "session": poisoned(session("s_live", "connect_four", "active"), nasty)}),
        json!({"type": "observation", "tick": 14, "data": poisoned(observation("x"), nasty), "others": {nasty: {nasty: nasty}},
            "actions": {nasty: {"action": nasty, "latency_ms": 3}}, "scores": {nasty: 3}}),
        json!({"type": "error", "message": nasty}),
        json!({"type": "player_failed", "player_id": nasty, "reason": nasty}),
        json!({"type": nasty, "x": nasty}),
    ] {
        watched.0.say(watched.1, &message);
    }
    let mut lost = Rig::watching("connect_four");
    lost.0.fed(lost.1, FeedEvent::Lost { why: nasty.into(), retry: secs(3) });
    let mut ended = played("connect_four");
    ended.0.say(
        ended.1,
        &json!({"type": "game_completed", "scores": {nasty: 1, "p0": 2}, "outcomes": {"p0": nasty}, "completion_reason": nasty}),
    );
    let mut driven = Rig::on_turn("connect_four").0;
    driven.press("c");
    driven.paste(nasty);
    driven.press("enter");
    if let Some(run) = driven.seat().policy.as_ref().map(|policy| policy.run) {
        driven.policy(run, PolicyEventKind::Ready { name: Some(nasty.into()) });
        driven.policy(run, PolicyEventKind::Stderr { lines: vec![nasty.into()], dropped: 0 });
    }
    let mut command = Rig::on_turn("connect_four").0;
    command.press("c");
    command.paste(nasty);
    let mut written = Rig::on_turn("connect_four").0;
    written.press("e");
    written.paste(nasty);
    let mut filtered = lists();
    filtered.press("/");
    filtered.paste(nasty);
    let mut palette = lists();
    palette.press(":");
    palette.paste(nasty);
    let mut past = after(lists(), "2 down down enter");
    past.give("logs", poisoned(logs(), nasty));
    vec![
        ("games", lists()),
        ("reading", after(lists(), "enter")),
        ("tag", after(lists(), "t")),
        ("filtered", filtered),
        ("no live session", after(lists(), "down down w")),
        ("form", after(lists(), "p")),
        ("palette", palette),
        ("help", after(lists(), "?")),
        ("sessions", after(lists(), "2")),
        ("past", past),
        ("credits", after(lists(), "9")),
        ("watched", watched.0),
        ("lost", lost.0),
        ("played", played("connect_four").0),
        ("serpents", played("grid_serpents").0),
        ("market", played("market_simulator").0),
        ("unknown", played("tidal_trade").0),
        ("raw", after(played("connect_four").0, "r")),
        // Not a board whose ghost disc is a frame, too, that the question may cover.
        ("leaving", after(played("grid_serpents").0, "x")),
        ("ended", ended.0),
        ("driven", driven),
        ("command", command),
        ("written", written),
    ]
}

#[test]
fn text_from_outside_is_shown_as_text_and_moves_nothing() {
    let mut faults = Vec::new();
    for nasty in nasty() {
        for (name, mut rig) in states(&nasty) {
            rig.app.toasts.clear(); // They lie over borders.
            for (size, theme) in
                [((120, 40), PLAIN), ((80, 24), PLAIN), ((40, 12), PLAIN), ((100, 30), ASCII)]
            {
                let buffer = draw(&mut rig, size, &theme);
                let has_rule = matches!(name, "games" | "sessions" | "past" | "tag" | "filtered");
                let fault = if theme.ascii {
                    foreign_cell(&buffer)
                } else {
                    let rule = has_rule && size.0 >= 100 && !has_whole_rule(&buffer);
                    bad_cell(&buffer)
                        .or_else(|| open_frame(&buffer))
                        .or_else(|| rule.then(|| "the rule is broken".into()))
                };
                if let Some(fault) = fault {
                    let with = crate::text::excerpt(&nasty, 20).into_owned();
                    faults.push(format!("{name} at {size:?} with {with:?}: {fault}\n{}", text(&buffer)));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} faults, the first: {}", faults.len(), faults[0]);
}

/// The first cell that is not printable ASCII.
fn foreign_cell(buffer: &Buffer) -> Option<String> {
    let odd =
        buffer.content.iter().find(|cell| !cell.symbol().bytes().all(|byte| (0x20..0x7F).contains(&byte)));
    odd.map(|cell| format!("{:?}", cell.symbol()))
}

/// Each cell holds one visible letter, and a wide one has its two cells for itself. Says which does not.
fn bad_cell(buffer: &Buffer) -> Option<String> {
    let width = usize::from(buffer.area.width);
    let rows = buffer.content.chunks(width).enumerate();
    let mut cells =
        rows.flat_map(|(y, row)| row.iter().enumerate().map(move |(x, cell)| (x, y, row, cell.symbol())));
    let bad = cells.find(|(x, _, row, symbol)| {
        let plain = !symbol.contains(char::is_control) && crate::text::clean(symbol) == *symbol;
        let wide = crate::text::width(symbol);
        let behind = row.get(x + 1..x + wide);
        let fits = wide > 0 && behind.is_some_and(|cells| cells.iter().all(|cell| cell.symbol() == " "));
        !(plain && fits && symbol.graphemes(true).count() == 1)
    });
    bad.map(|(x, y, _, symbol)| format!("{symbol:?} at {x},{y}"))
}

/// Every frame that is opened is closed in the same columns. Says which is not.
fn open_frame(buffer: &Buffer) -> Option<String> {
    let area = buffer.area;
    for y in area.top()..area.bottom() {
        for x in area.left()..area.right() {
            let end = match buffer[(x, y)].symbol() {
                "╭" => "╰",
                "╮" => "╯",
                _ => continue,
            };
            let below = (y + 1..area.bottom()).map(|y| buffer[(x, y)].symbol()).find(|symbol| *symbol != "│");
            if below != Some(end) {
                return Some(format!("the frame at {x},{y} is broken"));
            }
        }
    }
    None
}

/// Whether the rule between a list and its detail is whole: in one column, from the line under the tabs to the one
/// above the footer.
fn has_whole_rule(buffer: &Buffer) -> bool {
    let area = buffer.area;
    let mut columns = area.left()..area.right();
    columns.any(|x| (area.top() + 3..area.bottom() - 2).all(|y| buffer[(x, y)].symbol() == "│"))
}
