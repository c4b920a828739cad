//! Tasks drawn and answers scored per second, variant by variant.
//!
//! `draw` is what a call pays for one task at the default difficulty: instance, prompt, and for the compressions the cost
//! of a good answer. `score` is what one distinct reply costs: reading it, drawing the instance again, and judging the
//! reference answer.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gert::arena::engine::rng::Pcg;
use gert::arena::tasks::grade::grade;
use gert::arena::tasks::level::{Difficulty, Level};
use gert::arena::tasks::{VARIANTS, Wish};

fn draw(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tasks_draw");
    group.throughput(Throughput::Elements(1));
    for variant in VARIANTS {
        let wish = Wish {
            difficulty: Difficulty::DEFAULT,
            weights: vec![(*variant, 1.0)],
            randomize_prompt: false,
            max_prompt_bytes: 1 << 20,
        };
        let mut rng = Pcg::new(1);
        group.bench_function(BenchmarkId::from_parameter(variant.spec().name), |bench| {
            bench.iter(|| wish.draw(&mut rng).map(|drawn| drawn.prompt.len()));
        });
    }
    group.finish();
}

fn score(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tasks_score");
    group.throughput(Throughput::Elements(1));
    let level = Level::new(Difficulty::DEFAULT);
    for variant in VARIANTS {
        let replies = [variant.draw(1, level).reference().to_string()];
        group.bench_function(BenchmarkId::from_parameter(variant.spec().name), |bench| {
            bench.iter(|| grade(&*variant.draw(1, level), &replies));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800));
    targets = draw, score
}
criterion_main!(benches);
