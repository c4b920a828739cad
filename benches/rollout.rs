//! What happens around every decision of a model: its prompt is made, its answer read, its scores summed up; and once
//! for a decision of an export, its messages are rebuilt.

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gert::api::model::Json;
use gert::rollout::{
    Decision, Observation, ParsedAction, encode, format_observation, parse_action, reconstruct_messages,
    score_stats,
};
use serde_json::{Value, json};

/// An observation of about `size` bytes as the platform sends it: rows of numbers and words, the moves that are
/// possible, what was wrong with the last one.
fn observation(size: usize) -> Json {
    let row = |number: u32| json!({"id": number, "owner": "p1 & co", "at": [f64::from(number) * 0.25, -12], "strength": 0.1, "alive": true});
    let rows = (0..size as u32 / 80).map(row).collect::<Vec<_>>();
    let moves: Vec<Value> =
        (0..8).map(|to| json!({"action": {"action": "move", "to": to}, "weight": 0.125})).collect();
    parsed(&json!({
        "turn": 17, "score": 52.5, "entities": rows, "note": "line one\nline two",
        "_action_space": moves, "_rejection_feedback": ["the cell is taken", "it is not your turn"],
    }))
}

fn parsed(value: &Value) -> Json {
    Json::parse(&value.to_string()).expect("it is JSON")
}

fn prompts(criterion: &mut Criterion) {
    for (label, size) in [("2 kB", 2_000), ("20 kB", 20_000)] {
        let observation = observation(size);
        let bytes = Throughput::Bytes(observation.get().len() as u64);
        let mut group = criterion.benchmark_group("encode");
        group.throughput(bytes.clone());
        group.bench_function(label, |bencher| bencher.iter(|| encode(black_box(&observation))));
        group.finish();
        let mut group = criterion.benchmark_group("format_observation");
        group.throughput(bytes);
        for (form, observation) in
            [("text", Observation::Text(observation.get())), ("value", Observation::Json(&observation))]
        {
            group.bench_function(BenchmarkId::new(form, label), |bencher| {
                bencher.iter(|| format_observation(black_box(observation)));
            });
        }
        group.finish();
    }
}

/// Answers of a model that thinks aloud: brackets that are no action on the way to one, or to none.
fn answers(criterion: &mut Criterion) {
    let thoughts =
        "The snake at [3, 4] may go to (3, 5) or [4, 4]; {its length} is 7, mine {\"length\": 6}, so I \
        should not meet it head-on [see above].\n"
            .repeat(30);
    let action = r#"[{"action": "move", "direction": "up"}, {"action": "say", "text": "mind the [gap]"}]"#;
    let mut group = criterion.benchmark_group("parse_action");
    for (label, answer, is_action) in [
        ("bare", action.to_owned(), true),
        ("fenced", format!("{thoughts}```json\n{action}\n```\n"), true),
        ("in prose", format!("{thoughts}So: {action} - good luck."), true),
        ("none", format!("{thoughts}{}", &action[..action.len() - 2]).replace("{\"", "{"), false),
    ] {
        assert_eq!(matches!(parse_action(&answer), ParsedAction::Action(_)), is_action, "{label}");
        group.throughput(Throughput::Bytes(answer.len() as u64));
        group.bench_with_input(label, &answer, |bencher, answer| {
            bencher.iter(|| parse_action(black_box(answer)));
        });
    }
    group.finish();
}

fn scores(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("score_stats");
    for count in [30, 1_000] {
        // In no order, with repetitions.
        let scores: Vec<f64> = (0..count).map(|n| f64::from(n * 7919 % 251) * 0.2 - 10.0).collect();
        group.throughput(Throughput::Elements(count as u64));
        group.bench_with_input(BenchmarkId::from_parameter(count), &scores, |bencher, scores| {
            bencher.iter(|| score_stats(black_box(scores)));
        });
    }
    group.finish();
}

/// A transcript of `steps` steps, each with ten turns that read a file, change it or run a script.
fn transcript(steps: u32) -> String {
    let source =
        "def act(observation):\n    return [{\"action\": \"move\", \"direction\": \"up\"}]\n".repeat(12);
    let mut entries = Vec::new();
    for (step, turn) in (1..=steps).flat_map(|step| (1..=10).map(move |turn| (step, turn))) {
        let (id, path) = (format!("call_{step}_{turn}"), format!("policy/part_{}.py", turn % 4));
        let tool = ["read_file", "edit_file", "run_script"][turn % 3];
        let input = json!({"path": path, "old": "return", "new": "return list"});
        let words = [
            json!({"type": "text", "text": "I look at this part first, then I change it."}),
            json!({"type": "tool_use", "id": id, "name": tool, "input": input}),
        ];
        entries.push(json!({"kind": "model_turn", "step": step, "turn": turn, "raw_content": words}));
        entries.push(json!({
            "kind": "tool", "step": step, "turn": turn, "tool": tool, "tool_call_id": id, "args": input,
            "result": {"content": source, "score": 0.25, "changed_files": [path]},
        }));
    }
    Value::from(entries).to_string()
}

fn decisions(criterion: &mut Criterion) {
    const STEPS: u32 = 20;
    let transcript = transcript(STEPS);
    let frame = parsed(&json!({
        "projection_version": 4, "system": "You write policies.", "tools": [{"name": "read_file"}],
        "transcript_window": 12, "step_prompts": {STEPS.to_string(): "Improve the policy."},
    }));
    let mut pruned = String::from("{");
    for turn in 1..=10 {
        let comma = if turn == 1 { "" } else { "," };
        write!(pruned, r#"{comma}"call_3_{turn}":"(an older result)""#).expect("a string");
    }
    let pruned = Json::parse(&(pruned + "}")).expect("it is JSON");
    let mut group = criterion.benchmark_group("reconstruct_messages");
    group.throughput(Throughput::Bytes(transcript.len() as u64));
    for (label, windowed) in [("whole", false), ("windowed", true)] {
        let decision = Decision {
            transcript: &transcript,
            request_context: &frame,
            index: i64::from(STEPS),
            pruned: Some(&pruned),
            state_entry_count: None,
            windowed,
        };
        let request = reconstruct_messages(&decision).expect("a sound decision");
        assert!(request.messages.len() > 10, "{label}");
        group.bench_function(label, |bencher| bencher.iter(|| reconstruct_messages(black_box(&decision))));
    }
    group.finish();
}

criterion_group!(benches, prompts, answers, scores, decisions);
criterion_main!(benches);
