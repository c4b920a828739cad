//! Whole matches of the arena's games, drawn as a spectator and as each seat sees them.

use gert::arena::engine::rng::Pcg;
use gert::arena::engine::seats::{Seat, SeatMap};
use gert::arena::engine::{Input, MatchSetup, Play};
use gert::arena::games::GAMES;
use gert::ui::render::{Body, Folds, SceneInput, Slot, Trail, draw_scene, scene};
use gert::ui::theme::{ColorDepth, Theme};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::{Value, json};

/// Ticks of a match that are drawn.
const HORIZON: u32 = 48;
/// A tile, a narrow pane, the usual screens.
const SIZES: [(u16, u16); 4] = [(24, 6), (38, 14), (78, 20), (158, 44)];

fn seen(play: &dyn Play, seat: Seat) -> Value {
    let mut bytes = Vec::new();
    play.observe(seat, &[], &mut bytes);
    serde_json::from_slice(&bytes).unwrap()
}

fn draw(input: &SceneInput<'_>, theme: &Theme, (width, height): (u16, u16)) -> String {
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    draw_scene(&scene(input), theme, 0, &mut buffer, area);
    buffer.content.iter().map(ratatui::buffer::Cell::symbol).collect()
}

#[test]
fn every_position_of_the_arenas_games_has_a_painter_of_its_own_and_an_ascii_form() {
    let (ascii, colour) = (Theme::new(ColorDepth::Ansi16, true), Theme::new(ColorDepth::True, false));
    for game in GAMES {
        let slug = game.spec().slug;
        let seats = *game.spec().seats.last().unwrap();
        let setup = MatchSetup { config: &json!({}), seats, max_ticks: HORIZON, seed: 11 };
        let mut play = game.start(&setup).unwrap();
        let mut rng = Pcg::new(5);
        let (mut trail, folds) = (Trail::default(), Folds::default());
        loop {
            let all: Vec<(String, Value)> =
                Seat::first(seats).map(|seat| (seat.to_string(), seen(&*play, seat))).collect();
            let (_, first) = &all[0];
            let tick = play.probe().tick;
            trail.push(u64::from(tick), first);
            let others: Vec<(String, &Value)> =
                all[1..].iter().map(|(seat, view)| (seat.clone(), view)).collect();
            let mut input = SceneInput::new("p0", first, &trail, &folds);
            (input.others, input.mine) = (&others, false);
            let painted = scene(&input);
            let has = |found: fn(&Body<'_>) -> bool| {
                painted.panels.iter().any(|panel| panel.slot == Slot::Main && found(&panel.body))
            };
            assert!(
                has(|body| matches!(body, Body::Grid(_) | Body::Series(_) | Body::Hands(_))),
                "{slug} at {tick} is not drawn by a painter of its own"
            );
            assert!(
                !painted.panels.iter().any(|panel| matches!(panel.body, Body::Tree(_))),
                "{slug} at {tick}"
            );
            let size = SIZES[tick as usize % SIZES.len()];
            let text = draw(&input, &ascii, size);
            assert!(text.bytes().all(|byte| (0x20..=0x7E).contains(&byte)), "{slug} at {tick}: {text}");
            // A seat's own view, with an action about to be played.
            let action = first["_action_space"].get(0).map(|entry| entry["action"].clone());
            let mut own = SceneInput::new("p0", first, &trail, &folds);
            own.cursor = action.as_ref();
            assert!(draw(&own, &colour, size).contains("p0") || size.0 < 40, "{slug} at {tick}");
            if play.probe().over.is_some() {
                break;
            }
            let mut inputs = SeatMap::default();
            for seat in play.probe().turn.seats().iter() {
                let choices: Vec<(Value, f32)> = all[seat.index()].1["_action_space"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(|entry| (entry["action"].clone(), 1.0))
                    .collect();
                let input = rng.weighted(&choices).map_or(Input::Pass, |action| Input::Act(action.clone()));
                inputs.insert(seat, input);
            }
            play.submit(&inputs);
        }
    }
}
