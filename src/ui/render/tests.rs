//! Drawings of realistic observations, and of anything at all.

mod hostile;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use serde_json::json;

use super::*;
use crate::ui::theme::{ColorDepth, Theme};

const PLAIN: Theme = Theme::new(ColorDepth::None, false);
const COLOUR: Theme = Theme::new(ColorDepth::True, false);
const ASCII: Theme = Theme::new(ColorDepth::Ansi16, true);

/// Every size a pane or tile may have, and those it must survive.
const SIZES: [(u16, u16); 9] =
    [(0, 0), (1, 1), (3, 2), (24, 6), (38, 9), (78, 18), (118, 26), (160, 40), (200, 200)];

/// The newest observation of a fixture.
fn observation(name: &str) -> Value {
    let mut data = fixture(name);
    match data.get_mut("seen").and_then(Value::as_array_mut).and_then(Vec::pop) {
        Some(newest) => newest,
        None => data,
    }
}

fn fixture(name: &str) -> Value {
    let text = match name {
        "connect_four" => include_str!("../../../tests/data/observations/connect_four.json"),
        "connect_four_won" => include_str!("../../../tests/data/observations/connect_four_won.json"),
        "grid_serpents" => include_str!("../../../tests/data/observations/grid_serpents.json"),
        "market_simulator" => include_str!("../../../tests/data/observations/market_simulator.json"),
        "omaha" => include_str!("../../../tests/data/observations/omaha.json"),
        "reversi" => include_str!("../../../tests/data/observations/reversi.json"),
        "unknown" => include_str!("../../../tests/data/observations/unknown.json"),
        "blob" => include_str!("fixtures/blob.json"),
        "booleans" => include_str!("fixtures/booleans.json"),
        "cards" => include_str!("fixtures/cards.json"),
        "chat" => include_str!("fixtures/chat.json"),
        "chess" => include_str!("fixtures/chess.json"),
        "deep" => include_str!("fixtures/deep.json"),
        "graph" => include_str!("fixtures/graph.json"),
        "heat" => include_str!("fixtures/heat.json"),
        "hexes" => include_str!("fixtures/hexes.json"),
        "image" => include_str!("fixtures/image.json"),
        "minefield" => include_str!("fixtures/minefield.json"),
        "recall_asks" => include_str!("fixtures/recall_asks.json"),
        "recall_tells" => include_str!("fixtures/recall_tells.json"),
        "mixed" => include_str!("fixtures/mixed.json"),
        "points" => include_str!("fixtures/points.json"),
        "roguelike" => include_str!("fixtures/roguelike.json"),
        "dice_bids" => include_str!("fixtures/dice_bids.json"),
        "dice_shown" => include_str!("fixtures/dice_shown.json"),
        "omaha_table" => include_str!("fixtures/omaha_table.json"),
        "reversi_four" => include_str!("fixtures/reversi_four.json"),
        "kolmogorov_encode" => include_str!("fixtures/kolmogorov_encode.json"),
        "kolmogorov_decode" => include_str!("fixtures/kolmogorov_decode.json"),
        "transmit_send" => include_str!("fixtures/transmit_send.json"),
        "transmit_receive" => include_str!("fixtures/transmit_receive.json"),
        "series" => include_str!("fixtures/series.json"),
        "story" => include_str!("fixtures/story.json"),
        "tape" => include_str!("fixtures/tape.json"),
        other => panic!("no observation {other}"),
    };
    serde_json::from_str(text).unwrap()
}

const NAMES: [&str; 34] = [
    "connect_four",
    "connect_four_won",
    "grid_serpents",
    "market_simulator",
    "omaha",
    "reversi",
    "omaha_table",
    "reversi_four",
    "dice_bids",
    "dice_shown",
    "minefield",
    "recall_asks",
    "recall_tells",
    "kolmogorov_encode",
    "kolmogorov_decode",
    "transmit_send",
    "transmit_receive",
    "unknown",
    "blob",
    "booleans",
    "cards",
    "chat",
    "chess",
    "deep",
    "graph",
    "heat",
    "hexes",
    "image",
    "mixed",
    "points",
    "roguelike",
    "series",
    "story",
    "tape",
];

/// The observation a moment ago: some of its values otherwise.
fn earlier(name: &str) -> Value {
    let mut data = observation(name);
    if name == "unknown" {
        data["treasury"] = json!(1190.0);
        data["ships"][0]["tons"] = json!(140);
        data["tide"]["level"] = json!(1.5);
        data["weather"] = json!("fair");
        data["harbour"][1] = json!("~..####.A..~");
    }
    data
}

/// A trail that ends in the observation.
fn trail(name: &str) -> Trail {
    let known = fixture(name);
    if let Some(seen) = known.get("seen").and_then(Value::as_array) {
        let mut trail = Trail::default();
        for data in seen {
            trail.push(data["tick"].as_u64().unwrap(), data);
        }
        return trail;
    }
    let now = observation(name);
    let tick = now["tick"].as_u64().unwrap();
    let mut trail = Trail::default();
    for back in (1..12_u64).rev() {
        let mut then = now.clone();
        let wave = (back as f64 * 0.7).sin();
        then["events"] = json!([]);
        match name {
            "market_simulator" => {
                then["account"]["equity"] = json!(10_122.25 - back as f64 * 9.0);
                then["rivals"]["p1"] = json!(10_004.1 + wave * 30.0);
                then["rivals"]["p2"] = json!(9_871.9 + back as f64 * 12.0);
                if back % 5 == 0 {
                    let side = if back == 5 { "sell" } else { "buy" };
                    let price = &now["history"]["ORE"][39 - back as usize];
                    then["events"] =
                        json!([{"fill": {"price": price, "qty": 10, "side": side, "symbol": "ORE"}}]);
                }
            }
            "unknown" => {
                then["treasury"] = json!(1204.5 - back as f64 * 14.0);
                then["tide"]["level"] = json!(1.4 + wave);
            }
            _ => {}
        }
        trail.push(tick.saturating_sub(back), &then);
    }
    trail.push(tick, &now);
    trail
}

/// What a rival sees of the market.
fn rival() -> Value {
    let mut data = observation("market_simulator");
    data["account"] = json!({"cash": 1000.0, "equity": 10_004.1, "positions": {"ORE": 0, "ZAP": 120}});
    data["score"] = json!(0.041);
    data
}

fn draw(name: &str, (width, height): (u16, u16), theme: &Theme, scroll: u16) -> (Buffer, Drawn) {
    let (data, before, trail, folds) = (observation(name), earlier(name), trail(name), Folds::default());
    let rival = rival();
    let others = [("p1".to_owned(), &rival)];
    let drop = json!({"action": "drop", "column": 4});
    let chosen = data["_action_space"].as_array().and_then(|all| Some(all.last()?["action"].clone()));
    let chosen = chosen.unwrap_or_default();
    // What somebody is about to play who writes it out.
    let written = match name {
        "kolmogorov_encode" => json!({"action": "note", "text": "mostly ACB and FEGDH, Ä"}),
        "kolmogorov_decode" => json!({"action": "emit", "text": "ACBACBACBACBACBACBADHFE?"}),
        "transmit_send" => {
            json!({"action": "send", "scheme": "rep3", "word": "HHHAAABBBBBBEEEAAABBBEEEAAAA"})
        }
        _ => json!({"action": "guess", "text": "BACEG"}),
    };
    let mut input = SceneInput::new("p0", &data, &trail, &folds);
    match name {
        "unknown" => input.previous = Some(&before),
        "connect_four" => input.cursor = Some(&drop),
        "omaha_table" | "reversi_four" | "dice_bids" | "dice_shown" | "minefield" | "recall_asks"
        | "recall_tells" => input.cursor = Some(&chosen),
        "kolmogorov_encode" | "kolmogorov_decode" | "transmit_send" | "transmit_receive" => {
            input.cursor = Some(&written);
        }
        "market_simulator" => input.others = &others,
        _ => {}
    }
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    let drawn = draw_scene(&scene(&input), theme, scroll, &mut buffer, area);
    (buffer, drawn)
}

fn text_of(buffer: &Buffer) -> String {
    let rows = buffer.content.chunks(usize::from(buffer.area.width).max(1));
    let row = |cells: &[ratatui::buffer::Cell]| {
        let text: String = cells.iter().map(ratatui::buffer::Cell::symbol).collect();
        format!("{}\n", text.trim_end())
    };
    rows.map(row).collect()
}

fn check(name: &str, size: (u16, u16)) {
    let (buffer, _) = draw(name, size, &COLOUR, 0);
    insta::assert_snapshot!(format!("{name}_{}x{}", size.0, size.1), text_of(&buffer));
}

#[test]
fn connect_four_is_drawn() {
    check("connect_four", (24, 6));
    check("connect_four", (78, 18));
    check("connect_four_won", (118, 26));
}

#[test]
fn serpents_are_drawn() {
    check("grid_serpents", (24, 6));
    check("grid_serpents", (78, 18));
    check("grid_serpents", (160, 40));
}

#[test]
fn a_market_is_drawn() {
    check("market_simulator", (24, 6));
    check("market_simulator", (38, 9));
    check("market_simulator", (78, 22));
    check("market_simulator", (118, 26));
    check("market_simulator", (160, 40));
}

#[test]
fn games_without_a_painter_are_drawn() {
    check("unknown", (24, 6));
    check("unknown", (38, 9));
    check("unknown", (78, 22));
    check("unknown", (118, 26));
}

#[test]
fn poker_is_drawn() {
    check("omaha", (78, 22));
    check("omaha_table", (24, 6));
    check("omaha_table", (38, 9));
    check("omaha_table", (78, 20));
    check("omaha_table", (160, 40));
    insta::assert_snapshot!("omaha_watched", watched("omaha_table", (118, 30)));
    insta::assert_snapshot!("omaha_ascii", text_of(&draw("omaha_table", (78, 20), &ASCII, 0).0));
}

#[test]
fn reversi_is_drawn() {
    check("reversi", (78, 18));
    check("reversi_four", (24, 6));
    check("reversi_four", (38, 14));
    check("reversi_four", (78, 18));
    check("reversi_four", (160, 40));
    insta::assert_snapshot!("reversi_watched", watched("reversi_four", (118, 30)));
    insta::assert_snapshot!("reversi_ascii", text_of(&draw("reversi_four", (78, 24), &ASCII, 0).0));
}

#[test]
fn dice_are_drawn() {
    check("dice_bids", (24, 6));
    check("dice_bids", (38, 14));
    check("dice_bids", (78, 20));
    check("dice_bids", (160, 40));
    check("dice_shown", (78, 20));
    insta::assert_snapshot!("dice_watched", watched("dice_bids", (118, 30)));
    insta::assert_snapshot!("dice_ascii", text_of(&draw("dice_shown", (78, 20), &ASCII, 0).0));
}

#[test]
fn a_minefield_is_drawn() {
    check("minefield", (24, 6));
    check("minefield", (38, 14));
    check("minefield", (78, 20));
    check("minefield", (160, 40));
    let ascii = text_of(&draw("minefield", (78, 20), &ASCII, 0).0);
    insta::assert_snapshot!("minefield_ascii", ascii);
    // What is there is told by its sign alone.
    for sign in ["F", "x", "1", "2", "."] {
        assert!(ascii.contains(sign), "{sign}");
    }
}

#[test]
fn a_recall_is_drawn() {
    check("recall_tells", (24, 6));
    check("recall_tells", (78, 20));
    check("recall_tells", (160, 40));
    check("recall_asks", (38, 14));
    check("recall_asks", (78, 20));
    insta::assert_snapshot!("recall_ascii", text_of(&draw("recall_asks", (78, 20), &ASCII, 0).0));
}

#[test]
fn sequences_and_notes_are_drawn() {
    for name in ["kolmogorov_encode", "kolmogorov_decode"] {
        check(name, (38, 14));
        check(name, (78, 20));
    }
    check("kolmogorov_encode", (160, 40));
    insta::assert_snapshot!("kolmogorov_ascii", text_of(&draw("kolmogorov_encode", (78, 20), &ASCII, 0).0));
}

#[test]
fn words_and_what_arrives_of_them_are_drawn() {
    for name in ["transmit_send", "transmit_receive"] {
        check(name, (38, 14));
        check(name, (78, 20));
    }
    check("transmit_receive", (160, 40));
    insta::assert_snapshot!("transmit_watched", watched("transmit_receive", (118, 30)));
    insta::assert_snapshot!("transmit_ascii", text_of(&draw("transmit_receive", (78, 20), &ASCII, 0).0));
}

/// A fixture as a spectator sees it, who knows what everybody sees.
fn watched(name: &str, (width, height): (u16, u16)) -> String {
    let (known, data, trail, folds) = (fixture(name), observation(name), trail(name), Folds::default());
    let others: Vec<(String, &Value)> =
        known["others"].as_object().unwrap().iter().map(|(seat, view)| (seat.clone(), view)).collect();
    let mut input = SceneInput::new("p0", &data, &trail, &folds);
    (input.others, input.mine) = (&others, false);
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    draw_scene(&scene(&input), &COLOUR, 0, &mut buffer, area);
    text_of(&buffer)
}

#[test]
fn odd_observations_are_drawn_by_their_shape() {
    for name in [
        "booleans",
        "chat",
        "chess",
        "deep",
        "graph",
        "heat",
        "hexes",
        "image",
        "mixed",
        "points",
        "roguelike",
        "series",
        "story",
        "tape",
    ] {
        check(name, (78, 18));
    }
    check("points", (150, 40));
    check("roguelike", (150, 40));
    check("heat", (150, 44));
}

#[test]
fn ascii_drawings_hold_nothing_else() {
    for name in NAMES {
        for size in SIZES {
            let text = text_of(&draw(name, size, &ASCII, 0).0);
            assert!(text.bytes().all(|byte| byte <= 0x7E), "{name} at {size:?}:\n{text}");
        }
    }
    insta::assert_snapshot!("connect_four_ascii", text_of(&draw("connect_four", (78, 18), &ASCII, 0).0));
    insta::assert_snapshot!("market_ascii", text_of(&draw("market_simulator", (78, 22), &ASCII, 0).0));
}

#[test]
fn without_colours_no_cell_has_one() {
    for name in NAMES {
        let (buffer, _) = draw(name, (118, 26), &PLAIN, 0);
        let reset = ratatui::style::Color::Reset;
        assert!(buffer.content.iter().all(|cell| cell.fg == reset && cell.bg == reset), "{name}");
    }
}

#[test]
fn a_background_never_comes_without_a_foreground() {
    for name in NAMES {
        for size in SIZES {
            for depth in [ColorDepth::Ansi16, ColorDepth::Ansi256, ColorDepth::True] {
                let (buffer, _) = draw(name, size, &Theme::new(depth, false), 0);
                let reset = ratatui::style::Color::Reset;
                assert!(
                    buffer.content.iter().all(|cell| cell.bg == reset || cell.fg != reset),
                    "{name} {size:?}"
                );
            }
        }
    }
}

/// The style of the first cell that shows the text.
fn style_at(buffer: &Buffer, text: &str) -> ratatui::style::Style {
    for y in 0..buffer.area.height {
        let row: Vec<&str> = (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect();
        if let Some(at) = row.concat().find(text) {
            let column = row
                .iter()
                .scan(0, |sum, cell| Some(std::mem::replace(sum, *sum + cell.len())))
                .position(|byte| byte == at);
            return buffer[(column.unwrap() as u16, y)].style();
        }
    }
    panic!("{text} is not shown:\n{}", text_of(buffer));
}

#[test]
fn seats_keep_their_colours() {
    let (buffer, _) = draw("grid_serpents", (118, 26), &COLOUR, 0);
    assert_eq!(style_at(&buffer, "○ p1").fg, COLOUR.seat(1).fg);
    assert_eq!(style_at(&buffer, "▶1").bg, COLOUR.seat(1).fg);
    let (buffer, _) = draw("connect_four", (78, 18), &COLOUR, 0);
    assert_eq!(style_at(&buffer, "▟▀▀▙").fg, COLOUR.seat(1).fg);
    assert_eq!(style_at(&buffer, "▼4").fg, COLOUR.style(Role::Key).fg);
    let (buffer, _) = draw("market_simulator", (118, 26), &COLOUR, 0);
    assert_eq!(style_at(&buffer, "◆ p2").fg, COLOUR.seat(2).fg);
}

#[test]
fn what_changed_is_marked_and_bold() {
    let (buffer, _) = draw("unknown", (118, 26), &COLOUR, 0);
    for changed in ["1204.5▲", "squall•", "1.4▼", "120▼"] {
        let style = style_at(&buffer, changed);
        assert_eq!(style.fg, COLOUR.style(Role::Changed).fg, "{changed}");
        assert!(style.add_modifier.contains(Modifier::BOLD));
    }
    assert_ne!(style_at(&buffer, "77.25").fg, COLOUR.style(Role::Changed).fg);
}

#[test]
fn what_does_not_fit_can_be_scrolled_to() {
    let (top, drawn) = draw("unknown", (38, 9), &PLAIN, 0);
    assert!(drawn.max_scroll > 9);
    assert!(!text_of(&top).contains("pilots"));
    let all: String = (0..=drawn.max_scroll)
        .step_by(4)
        .map(|scroll| text_of(&draw("unknown", (38, 9), &PLAIN, scroll).0))
        .collect();
    for shown in ["pilots", "s3", "turns_in", "storm", "berths are"] {
        assert!(all.contains(shown), "{shown}");
    }
    assert_eq!(
        draw("unknown", (38, 9), &PLAIN, u16::MAX).0,
        draw("unknown", (38, 9), &PLAIN, drawn.max_scroll).0
    );
}

#[test]
fn a_long_text_is_scrolled_by_itself_before_the_rest_is() {
    let lines: Vec<String> = (0..60).map(|nth| format!("line {nth} of the story")).collect();
    let data = json!({"board": [[0, 1, 2], [2, 0, 1], [1, 1, 0]], "story": lines.join("\n")});
    let (trail, folds) = (Trail::default(), Folds::default());
    let scene = scene(&SceneInput::new("p0", &data, &trail, &folds));
    let area = Rect::new(0, 0, 60, 18);
    let draw = |scroll: u16| {
        let mut buffer = Buffer::empty(area);
        (draw_scene(&scene, &PLAIN, scroll, &mut buffer, area), text_of(&buffer))
    };
    let (drawn, top) = draw(0);
    assert!(top.contains("board") && top.contains("line 0 of") && top.contains(" ↓ "), "{top}");
    let (_, middle) = draw(20);
    assert!(
        middle.contains("board") && middle.contains("line 20 of") && !middle.contains("line 19 of"),
        "{middle}"
    );
    let (_, end) = draw(drawn.max_scroll);
    assert!(end.contains("board") && end.contains("line 59 of") && !end.contains(" ↓ "), "{end}");
}

#[test]
fn members_of_every_observation_are_not_repeated() {
    let mut data = observation("omaha");
    data["board"] = json!("of an unknown game");
    let text = draw_any(&data, (160, 40), &PLAIN);
    for noise in ["max_ticks", "player_count", "_action_space", "is_your_turn", "score"] {
        assert!(!text.contains(noise), "{noise}");
    }
    assert!(text.contains("to_call"));
}

#[test]
fn an_empty_observation_says_so() {
    for data in [json!({}), json!(null), json!({"tick": 3, "seat": "p0"})] {
        assert!(draw_any(&data, (60, 10), &PLAIN).contains("Nothing to show yet"), "{data}");
    }
}

fn draw_any(data: &Value, (width, height): (u16, u16), theme: &Theme) -> String {
    let mut trail = Trail::default();
    trail.push(1, data);
    let folds = Folds::default();
    let mut input = SceneInput::new("p0", data, &trail, &folds);
    input.previous = Some(&Value::Null);
    let action = json!({"action": "x", "column": 3, "row": 2, "col": 3, "to": 40, "quantity": 3, "face": 4});
    input.cursor = Some(&action);
    let scene = scene(&input);
    // Panels larger than the screen must not leave their area.
    let mut buffer = Buffer::empty(Rect::new(0, 0, width.saturating_add(4), height.saturating_add(2)));
    let area = Rect::new(2, 1, width, height);
    for scroll in [u16::MAX, 3, 0] {
        buffer.reset();
        draw_scene(&scene, theme, scroll, &mut buffer, area);
        let outside = |x: u16, y: u16| !area.contains((x, y).into());
        for y in 0..buffer.area.height {
            for x in (0..buffer.area.width).filter(|x| outside(*x, y)) {
                assert_eq!(buffer[(x, y)].symbol(), " ", "drawn outside at {x},{y}");
            }
        }
    }
    text_of(&buffer)
}
