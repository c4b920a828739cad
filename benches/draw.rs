//! Drawing whole screens at 200 x 60, full of data: what one frame costs.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use gert::app::App;
use gert::app::event::Event;
use gert::ui::render::{Folds, SceneInput, Trail, changes, draw_scene, scene};
use gert::ui::screen;
use gert::ui::theme::{ColorDepth, Theme};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::json;

#[path = "support/dashboard.rs"]
mod dashboard;

use self::dashboard::{observation, said, seated, send};

const THEME: Theme = Theme::new(ColorDepth::True, false);

fn draw(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("draw 200x60");
    for (name, key) in [("games", "1"), ("sessions", "2"), ("credits", "9"), ("help", "?")] {
        let (mut app, _) = seated("connect_four");
        send(&mut app, Event::Typed("1".parse().expect("a key")));
        send(&mut app, Event::Typed(key.parse().expect("a key")));
        group.bench_function(name, |bencher| frames(bencher, &mut app));
    }
    for game in ["connect_four", "grid_serpents", "market_simulator"] {
        let (mut app, feed) = seated(game);
        for tick in 1..240 {
            send(&mut app, said(feed, observation(game, tick)));
            send(&mut app, Event::Drawing);
        }
        group.bench_function(format!("play {game}"), |bencher| frames(bencher, &mut app));
    }
    group.finish();
    huge(criterion);
}

/// An observation of half a megabyte that no painter knows: drawn by what is in sight.
fn huge(criterion: &mut Criterion) {
    let unit = |nth: usize| json!({"id": format!("u{nth}"), "hp": nth % 100, "at": [nth % 64, nth / 64], "note": "x".repeat(60)});
    let data = json!({
        "units": (0..3_000).map(unit).collect::<Vec<_>>(),
        "heights": (0..200).map(|y| (0..200).map(|x| (x * y) % 997).collect::<Vec<_>>()).collect::<Vec<_>>(),
        "story": "It goes on. ".repeat(5_000),
        "tick": 1,
    });
    let (mut trail, folds) = (Trail::default(), Folds::default());
    trail.push(1, &data);
    let area = Rect::new(0, 0, 200, 60);
    let mut buffer = Buffer::empty(area);
    let mut group = criterion.benchmark_group("draw 500 kB");
    group.bench_function("drawing", |bencher| {
        bencher.iter(|| {
            let scene = scene(&SceneInput::new("p0", &data, &trail, &folds));
            black_box(draw_scene(&scene, &THEME, 0, &mut buffer, area));
        });
    });
    group.bench_function("changes", |bencher| bencher.iter(|| black_box(changes(&data, &data).len())));
    group.finish();
}

fn frames(bencher: &mut criterion::Bencher<'_>, app: &mut App) {
    let mut terminal = Terminal::new(TestBackend::new(200, 60)).expect("a screen in memory");
    bencher.iter(|| {
        send(app, Event::Drawing);
        let mut drawn = None;
        terminal.draw(|frame| drawn = Some(screen::draw(app, &THEME, frame))).expect("a screen in memory");
        app.learn(black_box(drawn).expect("drawn"));
    });
}

criterion_group!(benches, draw);
criterion_main!(benches);
