use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::json;

use super::*;
use crate::tape::Trail;
use crate::ui::render::{Folds, draw_scene, scene};
use crate::ui::theme::{ColorDepth, Theme};

fn read(text: &str) -> (Arc<Renderers>, Vec<Problem>) {
    Renderers::read(&[("mine.toml".to_owned(), text.to_owned())])
}

fn drawn(renderers: &Renderers, game: &str, data: &Value, ascii: bool) -> String {
    let (trail, folds) = (Trail::default(), Folds::default());
    let mut input = SceneInput::new("p0", data, &trail, &folds);
    input.game = Some(game);
    input.renderers = Some(renderers);
    input.ascii = ascii;
    let area = Rect::new(0, 0, 78, 18);
    let mut buffer = Buffer::empty(area);
    draw_scene(&scene(&input), &Theme::new(ColorDepth::True, ascii), 0, &mut buffer, area);
    let rows = buffer.content.chunks(78);
    let row = |cells: &[ratatui::buffer::Cell]| {
        let text: String = cells.iter().map(ratatui::buffer::Cell::symbol).collect();
        format!("{}\n", text.trim_end())
    };
    rows.map(row).collect()
}

fn fixture(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn the_files_that_come_with_the_program_can_be_read() {
    let (_, problems) = Renderers::read(&[]);
    assert_eq!(problems, []);
}

#[test]
fn the_samples_draw_the_shapes_they_are_for() {
    let (renderers, _) = Renderers::read(&[]);
    let rogue = fixture(include_str!("../fixtures/roguelike.json"));
    insta::assert_snapshot!("sample_roguelike", drawn(&renderers, "odd_game", &rogue, false));
    let chess = fixture(include_str!("../fixtures/chess.json"));
    insta::assert_snapshot!("sample_chess", drawn(&renderers, "odd_game", &chess, false));
    let desk = json!({"prices": {"ORE": [1, 2, 3], "ZAP": [3, 2, 1]}, "portfolio": {"cash": 1204.5, "value": 2000,
        "holdings": {"ORE": 5, "ZAP": -2.5}}, "orders": [{"side": "buy", "symbol": "ORE", "qty": 5, "price": 2.5}]});
    insta::assert_snapshot!("sample_trading", drawn(&renderers, "odd_game", &desk, false));
    for data in [&rogue, &chess, &desk] {
        assert!(drawn(&renderers, "odd_game", data, true).is_ascii());
    }
}

#[test]
fn a_user_file_goes_before_everything_for_its_game_and_no_other() {
    let (renderers, problems) = read(
        "[when]\ngame = \"rogue*\"\n[[panel]]\nkind = \"facts\"\ntitle = \"mine\"\npaths = [\"/hero/hp\"]\n",
    );
    assert_eq!(problems, []);
    let rogue = fixture(include_str!("../fixtures/roguelike.json"));
    assert!(drawn(&renderers, "rogue_one", &rogue, false).starts_with("mine\nhp 17"));
    assert!(!drawn(&renderers, "other", &rogue, false).contains("mine"));
    // Nothing to show: the automatic drawing is better than an empty screen.
    assert!(drawn(&renderers, "rogue_one", &json!({"depth": 3}), false).contains("depth"));
}

#[test]
fn a_layer_stands_on_an_empty_board() {
    let (renderers, problems) = read(
        "[when]\ngame = \"g\"\n[[panel]]\nkind = \"grid\"\nwidth = \"/w\"\nheight = 2\nupwards = true\n\
         [[panel.layer]]\npath = \"/units/*\"\nglyph = \"U\"\nlegend = \"unit\"\n",
    );
    assert_eq!(problems, []);
    let shown = drawn(&renderers, "g", &json!({"w": 3, "units": [[0, 0], {"x": 2, "y": 1}, [9, 9]]}), false);
    assert!(shown.starts_with("· · U\nU · ·\n"), "{shown}");
    assert!(shown.contains("U unit"));
}

#[test]
fn signs_have_an_ascii_form_of_their_own() {
    let (renderers, problems) = read(
        "[when]\ngame = \"g\"\n[[panel]]\nkind = \"grid\"\npath = \"/map\"\n\
         cells = { w = { glyph = \"≈\", ascii = \"~\", legend = \"water\" }, x = { glyph = \"▲\" } }\n\
         [[panel.layer]]\npath = \"/me\"\nglyph = \"☻\"\nascii = \"@\"\nlegend = \"you\"\n",
    );
    assert_eq!(problems, []);
    let data = json!({"map": ["ww.", "x.w"], "me": [2, 0]});
    assert!(drawn(&renderers, "g", &data, false).starts_with("≈ ≈ ☻\n▲ . ≈\n"));
    let plain = drawn(&renderers, "g", &data, true);
    assert!(plain.starts_with("~ ~ @\n^ . ~\n"), "{plain}");
    assert!(plain.contains("~ water") && plain.contains("@ you"), "{plain}");
}

#[test]
fn a_mistake_is_told_with_its_line_and_the_other_files_still_work() {
    let cases = [
        ("[when]\ngame = 3\n", 2, "string"),
        ("[when]\ngame = \"x\"\n\n[[panel]]\nkind = \"hologram\"\n", 5, "hologram"),
        ("[when]\ngame = \"x\"\n[[panel]]\nkind = \"text\"\npath = \"hero\"\n", 3, "starts with `/`"),
        ("[when]\ngame = \"x\"\n[[panel]]\nkind = \"gauge\"\npath = \"/hp\"\n", 3, "`max`"),
        ("[when]\ngame = \"x\"\n[[panel]]\nkind = \"text\"\npath = \"/a\"\ncolour = \"red\"\n", 6, "colour"),
        ("this is no TOML", 1, ""),
    ];
    for (text, line, words) in cases {
        let good =
            ("good.toml".to_owned(), "[when]\ngame=\"y\"\n[[panel]]\nkind=\"text\"\npath=\"/a\"".to_owned());
        let (renderers, problems) = Renderers::read(&[("mine.toml".to_owned(), text.to_owned()), good]);
        assert_eq!(problems.len(), 1, "{text}");
        let told = problems[0].to_string();
        assert!(told.starts_with(&format!("mine.toml:{line}: ")) && told.contains(words), "{told}");
        assert!(drawn(&renderers, "y", &json!({"a": "hello"}), false).starts_with("hello"));
    }
    let (_, problems) = read("[[panel]]\nkind = \"text\"\npath = \"/a\"\n[when]\n");
    assert!(problems[0].to_string().contains("would draw every game"));
}

#[test]
fn stars_stand_for_all_members() {
    let data = json!({"a": {"x": {"n": 1}, "y": {"n": 2}, "z": 3}, "l": [[1, 2], [3, 4]]});
    let found: Vec<_> =
        values(&data, "/a/*/n").into_iter().map(|(name, value)| format!("{name} {value}")).collect();
    assert_eq!(found, ["x 1", "y 2"]);
    assert_eq!(values(&data, "/l/*/1").len(), 2);
    assert_eq!(values(&data, "/nothing/*").len(), 0);
    assert_eq!(values(&data, "").len(), 1);
}
