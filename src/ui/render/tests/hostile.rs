//! Observations that no game has: whatever a server sends, something is drawn and nothing breaks.

use proptest::prelude::*;
use serde_json::Map;

use super::*;

#[test]
fn remote_text_cannot_reach_the_terminal() {
    let data = json!({"a\u{1b}[2J": "x\u{1b}]52;c;aGk=\u{7}y", "rows": [{"k\u{9b}": "\u{202e}abc", "n": 1}, {"k\u{9b}": "\u{1b}", "n": 2}],
        "text": "line\u{1b}[31m\n".repeat(20), "events": [{"\u{1b}c": "\r\u{8}"}], "map": ["a\u{1b}b", "cde", "fg."]});
    for size in SIZES {
        let text = draw_any(&data, size, &PLAIN);
        assert!(!text.replace('\n', "").contains(char::is_control), "{text:?}");
        assert!(!text.contains('\u{202e}'));
    }
}

#[test]
fn huge_and_deep_values_are_drawn_by_what_is_seen() {
    let mut deep = json!(1);
    for _ in 0..200 {
        deep = json!({"in": [deep]});
    }
    let record = json!({"id": "x", "n": 1, "text": "y".repeat(50)});
    let wide: Map<String, Value> = (0..20_000).map(|nth| (format!("k{nth}"), json!(nth))).collect();
    let data = json!({
        "deep": deep, "wide": wide, "list": vec![json!([1, {}]); 100_000], "numbers": vec![1.5; 100_000],
        "records": vec![record; 50_000], "matrix": vec![vec![0; 300]; 300], "text": "word ".repeat(200_000),
        "long": "x".repeat(1_000_000), "odd": ["NaN", "Infinity", "-0", "1e999"], "big": 1e308, "small": -1e308,
    });
    for size in [(78, 18), (200, 200)] {
        let text = draw_any(&data, size, &PLAIN);
        assert!(text.contains("odd"), "{text}");
    }
}

#[test]
fn painters_survive_numbers_that_no_game_has() {
    let huge = u64::MAX;
    let dice = json!({"your_dice": [huge, 6], "dice_counts": {"p0": huge, "p1": huge}, "total_dice": huge,
        "bids": [{"quantity": huge, "face": 6, "seat": "p1"}, {"quantity": 999, "face": 6, "seat": "p1"}],
        "min_next_bids": {"6": huge, "1": 0}, "last_reveal": {"bid": {"quantity": 0, "face": 6}, "count": huge, "dice": {"p0": [huge]}}});
    let poker = json!({"board": ["Ah"], "pot": 1e308, "seats": [{"seat": "p0", "stack": 1e308, "street_bet": -1e308}, {"stack": -1}],
        "raise_min": -1e308, "raise_max": 1e308, "to_call": 1e308, "hand_number": huge});
    let reversi = json!({"board": [[0, -1], [1, 7]], "legal": [[huge, huge], [0, 1]], "discs": {"p99": huge}, "last_move": [huge, 0],
        "events": [{"place": {"row": huge, "col": 0, "flips": [[huge, huge]], "seat": "p9"}}], "turn": "p77"});
    let field = json!({"grid": ["F."], "mines": huge, "lives": huge, "hidden_safe": huge,
        "events": [{"hit": {"row": huge, "col": huge}}, 3, {"x": null}]});
    let recall = json!({"notepad": "\u{1b}", "capacity": huge, "facts": [3, {"key": huge}], "query": "\u{1b}[2J",
        "keys": [1, "x"], "values": {}});
    for data in [dice, poker, reversi, field, recall] {
        for size in SIZES {
            draw_any(&data, size, &COLOUR);
        }
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (-3_i64..9).prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[.#A0 ]{3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 80, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::vec((key(), inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Mostly names that the painters look for.
fn key() -> impl Strategy<Value = String> {
    let known = [
        "board",
        "legal_columns",
        "last_move",
        "you_are",
        "serpents",
        "food",
        "width",
        "height",
        "body",
        "seat",
        "alive",
        "health",
        "books",
        "history",
        "account",
        "positions",
        "ORE",
        "asks",
        "bids",
        "rivals",
        "events",
        "fill",
        "news",
        "open_orders",
        "tick",
        "legal",
        "connect",
        "id",
        "hand",
        "hole",
        "pot",
        "seats",
        "stack",
        "last_showdown",
        "shown",
        "discs",
        "bids",
        "current_bid",
        "quantity",
        "face",
        "last_reveal",
        "dice",
        "count",
        "grid",
        "lives",
        "hidden_safe",
        "mines",
        "notepad",
        "capacity",
        "facts",
        "query",
    ];
    prop_oneof![4 => prop::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => any::<String>()]
}

/// Observations of a known shape with anything in it.
fn any_observation() -> impl Strategy<Value = Value> {
    let small = prop::collection::vec(prop::collection::vec(0_u8..4, 4), 0..5).prop_map(|rows| json!(rows));
    let part = || prop_oneof![any_json(), small.clone()];
    prop_oneof![
        any_json(),
        (part(), any_json()).prop_map(|(board, last)| json!({"board": board, "legal_columns": [0], "last_move": last})),
        (0_u16..300, 0_u16..300, any_json(), part()).prop_map(
            |(width, height, body, food)| json!({"width": width, "height": height, "food": food, "serpents": [{"body": body}, body]})
        ),
        (any_json(), any_json(), any_json()).prop_map(|(seats, hand, shown)| {
            json!({"board": ["Ah", "Td"], "pot": 3, "seats": [{"stack": 3, "seat": hand}, seats], "hand": hand,
                "last_showdown": {"shown": shown, "pots": [seats, {"winners": hand, "amount": 3}]}})
        }),
        (small.clone(), part(), any_json()).prop_map(
            |(board, legal, discs)| json!({"board": board, "legal": [[1, 2]], "discs": discs, "last_move": legal})
        ),
        (any_json(), any_json(), any_json()).prop_map(|(bids, counts, reveal)| {
            json!({"your_dice": [1, 7, 2], "dice_counts": {"p0": 3, "p1": counts}, "min_next_bids": {"2": 3},
                "bids": [{"quantity": 3, "face": 2, "seat": "p1"}, bids], "total_dice": counts,
                "last_reveal": {"bid": {"quantity": 3, "face": 2}, "count": 3, "dice": reveal}})
        }),
        (any_json(), any_json()).prop_map(|(lives, events)| {
            json!({"grid": ["F.01", "8*.F"], "lives": lives, "hidden_safe": 3, "mines": 4, "events": [events]})
        }),
        (any_json(), any_json(), any::<String>()).prop_map(|(facts, keys, notepad)| {
            json!({"notepad": notepad, "capacity": 9, "facts": [facts], "query": null, "keys": keys, "values": [keys]})
        }),
        (any_json(), any_json(), any_json()).prop_map(|(books, history, account)| {
            json!({"books": {"ORE": books, "x": {"asks": [[1, 2], [account]], "bids": []}}, "history": {"ORE": history},
                "account": account, "rivals": {"p1": 1, "q": account}, "open_orders": [books]})
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn anything_can_be_drawn_at_any_size(data in any_observation(), width in 0_u16..200, height in 0_u16..200, ascii: bool) {
        let text = draw_any(&data, (width, height), &Theme::new(ColorDepth::True, ascii));
        prop_assert!(!text.replace('\n', "").contains(char::is_control));
        prop_assert!(!ascii || text.is_ascii());
    }

    #[test]
    fn any_choice_of_forms_can_be_drawn(data in any_observation(), forms in prop::collection::vec(0_usize..9, 1..12), pinned: bool, width in 0_u16..170) {
        let mut view = GameView::default();
        for (nth, key) in data.as_object().into_iter().flatten().map(|(key, _)| key).enumerate() {
            let form = crate::app::fields::Form::ALL[forms[nth % forms.len()]];
            view.choose(&format!("/{key}"), crate::app::fields::Choice { form, pinned });
        }
        view.order = vec!["/gone".into(), "/board".into()];
        let (mut trail, folds) = (Trail::default(), Folds::default());
        trail.push(1, &data);
        let mut input = SceneInput::new("p0", &data, &trail, &folds);
        input.view = &view;
        let area = Rect::new(0, 0, width, 40);
        let mut scene = scene(&input);
        list_changes(&mut scene, "the tick before", &Value::Null, &data);
        draw_scene(&scene, &COLOUR, 0, &mut Buffer::empty(area), area);
    }

    #[test]
    fn anything_can_be_drawn_in_a_tile(data in any_observation(), width in 0_u16..40, height in 0_u16..12) {
        draw_any(&data, (width, height), &COLOUR);
    }
}
