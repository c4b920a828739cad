//! Recordings: going to a moment of a long one, opening it, appending, and drawing its curves.
//!
//! The recording has 100,000 ticks of about 2 kB. What its index takes in memory is 20 bytes a line, 4 more a moment,
//! and 12 a change of a score: about 4 MB for these 100,000 ticks of two seats, whatever the size of the file. A
//! session that is watched adds one `View` for the moment that was looked at last: its newest two observations, 240
//! ticks of up to 64 numbers (16 bytes each, 250 kB), and 500 lines of log.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gert::api::Message;
use gert::tape::deck::{self, Deck};
use gert::tape::line::VERSION;
use gert::tape::{Header, Line, LineKind, Order, Place, Plan, TapeEvent, library};
use serde_json::json;

const TICKS: u64 = 100_000;

fn plan(file: PathBuf) -> Plan {
    let header = Header {
        gert_recording: VERSION,
        kind: "spectator".into(),
        session_id: "s_bench".into(),
        host: "here".into(),
        started_at: jiff::Timestamp::UNIX_EPOCH,
    };
    Plan { file, header, most_bytes: 1 << 30, secrets: vec!["sk_gert_bench_key".into()] }
}

fn observation(tick: u64) -> Line {
    let board: Vec<u64> = (0..400).map(|cell| (tick + cell) % 1000).collect();
    let message = json!({"type": "observation", "data": {"board": board, "tick": tick, "health": tick % 100},
        "tick": tick, "player_id": "p0", "on_turn": true, "others": {"p1": {"health": tick % 90}},
        "scores": {"p0": tick as f64 * 0.01, "p1": 3}, "actions": {"p0": {"action": [], "latency_ms": 12}}});
    Line { at_ms: tick * 100, what: LineKind::Heard(Message::parse(message.to_string().into())) }
}

/// A deck at work, and what it tells.
struct Working {
    orders: tokio::sync::mpsc::Sender<Order>,
    told: mpsc::Receiver<TapeEvent>,
    done: tokio::task::JoinHandle<()>,
}

impl Working {
    fn start(
        runtime: &tokio::runtime::Runtime,
        make: impl FnOnce(deck::Tell) -> (tokio::sync::mpsc::Sender<Order>, Deck),
    ) -> Self {
        let (tell, told) = mpsc::sync_channel(1024);
        let (orders, deck) = make(Box::new(move |event| drop(tell.send(event))));
        let done = runtime.spawn_blocking(move || deck.run());
        Self { orders, told, done }
    }

    /// Gives an order and waits for its answer.
    fn ask(&self, order: Order) -> TapeEvent {
        self.orders.blocking_send(order).expect("it works");
        let is_answer =
            |event: &TapeEvent| matches!(event, TapeEvent::Shown { .. } | TapeEvent::Charted { .. });
        self.told.iter().find(is_answer).expect("an answer")
    }

    fn end(self, runtime: &tokio::runtime::Runtime) {
        drop(self.orders);
        runtime.block_on(self.done).expect("it ends");
    }
}

fn long_recording(runtime: &tokio::runtime::Runtime, folder: &Path) -> PathBuf {
    let file = folder.join("long.jsonl");
    let working = Working::start(runtime, |tell| deck::record(plan(file.clone()), tell));
    for tick in 0..TICKS {
        working.orders.blocking_send(Order::Write(observation(tick))).expect("it works");
    }
    working.end(runtime);
    file
}

fn tape(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_time()
        .build()
        .expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    let file = long_recording(&runtime, folder.path());
    let bytes = file.metadata().expect("it is there").len();
    let mut group = criterion.benchmark_group("tape of 100,000 ticks");
    let working = Working::start(&runtime, |tell| deck::open(file.clone(), tell));
    let mut at = 1_usize;
    group.bench_function("seek anywhere", |bencher| {
        bencher.iter(|| {
            at = (at * 48_271 + 11) % TICKS as usize;
            black_box(working.ask(Order::Show { ticket: 1, at: Place::Nth(at) }))
        });
    });
    let mut nth = 0;
    group.bench_function("step forward", |bencher| {
        bencher.iter(|| {
            nth = (nth + 1) % TICKS as usize;
            black_box(working.ask(Order::Show { ticket: 1, at: Place::Nth(nth) }))
        });
    });
    group.bench_function("chart of 200 steps", |bencher| {
        let order = Order::Chart { ticket: 1, from: 0, to: usize::MAX, buckets: 200 };
        bencher.iter(|| black_box(working.ask(order.clone())));
    });
    working.end(&runtime);
    group.bench_function("list it", |bencher| bencher.iter(|| black_box(library::list(folder.path()))));
    group.sample_size(10).measurement_time(Duration::from_secs(8)).throughput(Throughput::Bytes(bytes));
    group.bench_function("open it", |bencher| bencher.iter(|| black_box(library::look(&file))));
    group.finish();
    append(criterion, &runtime, folder.path());
}

/// Lines as a socket gives them: through the channel into the file.
fn append(criterion: &mut Criterion, runtime: &tokio::runtime::Runtime, folder: &Path) {
    const LINES: u64 = 5000;
    let lines: Vec<Line> = (0..LINES).map(observation).collect();
    let mut group = criterion.benchmark_group("tape append");
    group.sample_size(10).throughput(Throughput::Elements(LINES));
    let mut count = 0;
    group.bench_function("2 kB lines", |bencher| {
        bencher.iter(|| {
            count += 1;
            let file = folder.join(format!("{count}.jsonl"));
            let working = Working::start(runtime, |tell| deck::record(plan(file.clone()), tell));
            for line in &lines {
                working.orders.blocking_send(Order::Write(line.clone())).expect("it works");
            }
            working.end(runtime);
            std::fs::remove_file(file).expect("removed");
        });
    });
    group.finish();
}

criterion_group!(benches, tape);
criterion_main!(benches);
