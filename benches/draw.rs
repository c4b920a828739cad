//! Drawing whole screens at 200 x 60, full of data: what one frame costs.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use gert::app::App;
use gert::app::event::Event;
use gert::ui::screen;
use gert::ui::theme::{ColorDepth, Theme};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

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
