//! Updates of the state: an observation that comes and is shown, and a burst of keys.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use gert::app::App;
use gert::app::event::Event;
use gert::app::key::Key;

#[path = "support/dashboard.rs"]
mod dashboard;

use self::dashboard::{observation, said, seated, send};

/// As many as the loop takes at a time.
const BURST: usize = 256;

fn update(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("update");
    for game in ["grid_serpents", "market_simulator"] {
        let (mut app, feed) = seated(game);
        let mut tick = 0;
        group.bench_function(format!("observation of {game}, taken"), |bencher| {
            bencher.iter_batched(
                || {
                    tick += 1;
                    said(feed, observation(game, tick))
                },
                |event| black_box(send(&mut app, event)),
                BatchSize::SmallInput,
            );
        });
        group.bench_function(format!("observation of {game}, taken and read"), |bencher| {
            bencher.iter_batched(
                || {
                    tick += 1;
                    said(feed, observation(game, tick))
                },
                |event| {
                    send(&mut app, event);
                    black_box(send(&mut app, Event::Drawing))
                },
                BatchSize::SmallInput,
            );
        });
    }
    group.throughput(Throughput::Elements(BURST as u64));
    let (mut app, _) = seated("connect_four");
    send(&mut app, Event::Typed("1".parse().expect("a key")));
    let mut burst = |name, app: &mut App, keys: [&str; 2]| {
        let keys: Vec<Key> = keys.iter().map(|key| key.parse().expect("a key")).collect();
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                for nth in 0..BURST {
                    black_box(send(app, Event::Typed(keys[nth % 2])));
                }
            });
        });
    };
    burst("burst of keys in a list", &mut app, ["down", "down"]);
    send(&mut app, Event::Typed("/".parse().expect("a key")));
    burst("burst of keys in a filter", &mut app, ["g", "backspace"]);
    group.finish();
}

criterion_group!(benches, update);
criterion_main!(benches);
