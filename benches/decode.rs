//! Reading a socket message: the envelope as the client reads it, beside a whole `serde_json::Value`.

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gert::api::Message;

/// An observation message of about `size` bytes, shaped like the market's: numbers, short words, nested lists.
fn observation(size: usize) -> String {
    let mut data = String::from(r#"{"cash":10000.25,"position":-12,"book":["#);
    let mut row = 0;
    while data.len() + 120 < size {
        let comma = if row == 0 { "" } else { "," };
        let price = f64::from(row) * 0.25 + 99.5;
        write!(data, r#"{comma}{{"side":"bid","price":{price},"size":{row},"orders":[{row},1,2]}}"#)
            .expect("a string");
        row += 1;
    }
    format!(r#"{{"type":"observation","tick":128,"player_id":"p0","on_turn":["p0","p1"],"data":{data}]}}}}"#)
}

fn decode(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("decode observation");
    for (label, size) in [("200 B", 200), ("2 kB", 2_000), ("20 kB", 20_000)] {
        let text = observation(size);
        group.throughput(Throughput::Bytes(text.len() as u64));
        let raw = tokio_tungstenite::tungstenite::Utf8Bytes::from(text.as_str());
        group.bench_with_input(BenchmarkId::new("envelope", label), &raw, |bencher, raw| {
            bencher.iter(|| Message::parse(black_box(raw.clone())));
        });
        group.bench_with_input(BenchmarkId::new("value", label), &text, |bencher, text| {
            bencher.iter(|| serde_json::from_str::<serde_json::Value>(black_box(text)));
        });
    }
    group.finish();
}

criterion_group!(benches, decode);
criterion_main!(benches);
