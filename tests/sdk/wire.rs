//! What is sent, how often and after which wait: the official SDK and our client make the same calls against the same
//! scripted server, and are compared by what it was asked.
//!
//! Needs `GERT_SDK_PYTHON`, the Python of a virtual environment with gertlabs 3.4.0. Differences that are meant are left
//! out of the input, and said once, in [`KNOWN`]; so are downloads that break off (we try again).
//!
//! Time is paused: it jumps when nobody has anything to do, so every wait can be read off the server's clock.

mod generate;
mod ours;
mod python;
mod rollouts;
mod server;
mod world;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::ops::Range;
use std::time::Duration;

use gert::api::{ApiKey, Client, RULES, Settings};
use serde_json::{Value, json};

use self::generate::{CODES, Generator, RETRY_AFTER, coded, success};
use self::ours::OPERATIONS;
use self::python::{Outcome, Python};
use self::server::{Asked, Reply, Script, Server};

const KEY: &str = "sk_gert_wire";

/// How long, in real time, what was written to a socket may take to arrive at the other end, with a busy kernel between.
const GRACE: Duration = Duration::from_micros(300);

/// Where the two differ on purpose.
struct Difference {
    why: &'static str,
    /// A call that shows it.
    example: fn() -> Case,
}

const KNOWN: &[Difference] = &[
    Difference {
        why: "a `Retry-After` may be a date, as HTTP says; the SDK reads seconds only",
        example: || {
            let date = "Retry-After: Fri, 31 Dec 2100 23:59:59 GMT\r\n";
            let script = vec![Reply::new(503, date, &coded("SERVER_BUSY")), success()];
            Case::new("billing.balance", json!({}), script)
        },
    },
    Difference {
        why: "a cursor that comes again ends a list; the SDK asks for ever",
        example: || {
            let page = Reply::data(&json!({"games": [{"slug": "a"}], "next_cursor": "c"}));
            Case::new("games.list", json!({}), vec![page; 9])
        },
    },
    Difference {
        why: "a code that is no text is none, so a 503 with it started nothing; the SDK takes it for a verdict",
        example: || {
            let script = vec![Reply::new(503, "", r#"{"error":{"code":5}}"#), success()];
            Case::new("billing.balance", json!({}), script)
        },
    },
    Difference {
        why: "an empty code is none anywhere; in `fork_batch` alone the SDK takes it for a verdict",
        example: || {
            let kwargs = json!({"run_id": "r1", "episode_id": "e1", "count": 1});
            let script = vec![Reply::new(503, "", &coded("")), success()];
            Case::new("rollout_runs.fork_batch", kwargs, script)
        },
    },
    Difference {
        why: "a refusal is one, however its body ends; the SDK takes it for a lost answer",
        example: || {
            let kwargs = json!({"run_id": "r1", "episode_id": "e1", "action": []});
            Case::new("rollout_runs.step", kwargs, vec![Reply::Torn(503), success()])
        },
    },
    Difference {
        why: "the size of a batch of steps is checked before it is sent; the SDK lets the server refuse it",
        example: || {
            let steps = vec![json!({"episode_id": "e1", "action": []}); 129];
            Case::new("rollout_runs.step_batch", json!({"run_id": "r1", "steps": steps}), vec![success()])
        },
    },
    Difference {
        why: "a step without an action is not sent, also in a batch, where the SDK lets null pass",
        example: || {
            let steps = json!([{"episode_id": "e1", "action": null}]);
            Case::new("rollout_runs.step_batch", json!({"run_id": "r1", "steps": steps}), vec![success()])
        },
    },
    Difference {
        why: "an argument of the wrong type is refused here, whichever it is; the SDK checks some",
        example: || {
            let kwargs = json!({"run_id": "r1", "game": "a", "player_count": "2"});
            Case::new("rollout_runs.reset", kwargs, vec![success()])
        },
    },
    Difference {
        why: "closing what is left over has half a minute in all; the SDK waits as long as it is told to",
        example: || {
            let episode = Reply::data(&json!({"episode_id": "e1", "policy_seat": "p0"}));
            let busy = Reply::new(503, "Retry-After: 40\r\n", &coded("SERVER_BUSY"));
            let script = vec![episode, Reply::Cut, Reply::Cut, busy, success()];
            let case = Case::new("rollouts.run_episode", json!({"run_id": "r1", "game": "a"}), script);
            Case { policy: rollouts::policy(), ..case }
        },
    },
];

/// A call of both clients, and what they are answered.
struct Case {
    operation: &'static str,
    kwargs: Value,
    /// How the policy decides, for the algorithms that take one.
    policy: Value,
    max_retries: u32,
    script: Script,
}

impl Case {
    fn new(operation: &'static str, kwargs: Value, script: impl Into<Script>) -> Self {
        Self { operation, kwargs, policy: Value::Null, max_retries: 5, script: script.into() }
    }
}

/// The seeds of a test with random input, as many unless told otherwise.
fn seeds(cases: u64) -> Range<u64> {
    let setting = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let first = setting("GERT_SDK_SEED").unwrap_or(0);
    first..first + setting("GERT_SDK_CASES").unwrap_or(cases)
}

/// Runs a test while time is paused. It jumps when nothing is left to do but to wait, so what is on its way between two
/// sockets gets a moment to arrive before that.
#[expect(clippy::disallowed_methods, reason = "no condition tells that the kernel has nothing to deliver")]
fn paused(test: impl Future<Output = ()>) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().start_paused(true).on_thread_park(|| std::thread::sleep(GRACE));
    runtime.build().expect("a runtime").block_on(test);
}

/// Makes a call through both clients and compares what was sent, the waits, and what came of it.
async fn check(python: &mut Python, case: &Case) {
    if let Some(report) = difference(python, case).await {
        panic!("{report}");
    }
}

async fn difference(python: &mut Python, case: &Case) -> Option<String> {
    let theirs = Server::start(&case.script).await;
    let expected = python.call(&base(&theirs), case).await;
    let server = Server::start(&case.script).await;
    let outcome = ours::call(client(&server, case.max_retries), case).await;

    let Case { operation, kwargs, policy, max_retries, script } = case;
    let story = format!(
        "{operation} {kwargs}, policy {policy}, {max_retries} retries\n{script:?}\n{expected:?}\n{outcome:?}"
    );
    let made_up = kwargs["op_key"].is_null();
    let (ours, theirs) = (settled(server.asked(), made_up), settled(theirs.asked(), made_up));
    if let Some((ours, theirs)) = ours.iter().zip(&theirs).find(|(ours, theirs)| !alike(ours, theirs)) {
        return Some(format!("{story}\nours   {ours:?}\ntheirs {theirs:?}"));
    }
    if ours.len() != theirs.len() {
        return Some(format!("{story}\nours:{}\ntheirs:{}", lines(&ours), lines(&theirs)));
    }
    for (ours, (most, chance)) in server.pauses().into_iter().zip(expected.pauses()) {
        // A timer is as fine as a millisecond, and a silence with the wait after it are two.
        let (least, most) = (if chance { 0.0 } else { most - 0.005 }, most + 0.005);
        if !(least..=most).contains(&ours) {
            return Some(format!("waited {ours} s, not {least} to {most}\n{story}"));
        }
    }
    (!comes_to_the_same(&outcome, &expected)).then_some(story)
}

fn lines(asked: &[Asked]) -> String {
    asked.iter().fold(String::new(), |lines, asked| format!("{lines}\n    {asked:?}"))
}

fn client(server: &Server, max_retries: u32) -> Client {
    let mut settings = Settings::new(base(server).parse().expect("a URL"), ApiKey::new(KEY).expect("a key"));
    settings.max_retries = max_retries;
    Client::new(settings).expect("a client")
}

/// What was asked, without what need not be the same: the order in which episodes are closed at the very end, and the
/// key of a batch of forks that was made up.
fn settled(mut asked: Vec<Asked>, made_up: bool) -> Vec<Asked> {
    let is_close = |asked: &Asked| asked.path.ends_with("/close");
    let end = asked.iter().rposition(|asked| !is_close(asked)).map_or(0, |last| last + 1);
    asked[end..].sort_by(|a, b| a.path.cmp(&b.path));
    if made_up {
        let forks = asked.iter_mut().filter(|asked| asked.path.ends_with("/forks"));
        let keys: BTreeSet<_> =
            forks.filter_map(|asked| Some(asked.body.as_mut()?["op_key"].take().to_string())).collect();
        assert!(keys.len() <= 1 && keys.iter().all(|key| key.len() > 16), "{keys:?}");
    }
    asked
}

fn base(server: &Server) -> String {
    format!("{}/api/v1", server.base)
}

fn alike(ours: &Asked, theirs: &Asked) -> bool {
    let same_body = match (&ours.body, &theirs.body) {
        (Some(ours), Some(theirs)) => same(ours, theirs),
        (ours, theirs) => ours == theirs,
    };
    same_body && Asked { body: None, ..ours.clone() } == Asked { body: None, ..theirs.clone() }
}

/// Equal as JSON, where `1` and `1.0` are one number.
fn same(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        (Value::Number(a), Value::Number(b)) if a.is_f64() || b.is_f64() => a.as_f64() == b.as_f64(),
        (a, b) => a == b,
    }
}

fn comes_to_the_same(ours: &Outcome, theirs: &Outcome) -> bool {
    let told = !theirs.said.contains("boom") || theirs.said == ours.said;
    let code = theirs.code.as_ref().filter(|code| !code.is_empty());
    ours.name == theirs.name
        && (ours.code.as_ref(), ours.status, &ours.request_id) == (code, theirs.status, &theirs.request_id)
        && ours.rows == theirs.rows
        && same(&spoken(&ours.value), &spoken(&theirs.value))
        && told
}

/// A value without the members that say nothing: what the SDK has as `None` we leave out.
fn spoken(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(spoken).collect(),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| (name.clone(), spoken(value)));
            members.filter(|(_, value)| !value.is_null() && *value != json!({})).collect()
        }
        other => other.clone(),
    }
}

#[test]
fn every_operation_sends_the_same_request() {
    paused(async {
        let is_missing = |name: &str| OPERATIONS.iter().all(|operation| operation.name != name);
        let missing: Vec<_> =
            RULES.iter().map(|rule| rule.operation).filter(|name| is_missing(name)).collect();
        // Another way to send `play.branch`, and sockets, which are no requests.
        assert_eq!(missing, ["play.branch many", "play.connect", "play.spectate"]);
        let mut python = Python::start();
        for (seed, operation) in OPERATIONS.iter().enumerate() {
            let mut generator = Generator::new(seed as u64);
            for round in 0..12 {
                let kwargs = generator.kwargs(operation, round == 0);
                check(&mut python, &Case::new(operation.name, kwargs, vec![success()])).await;
            }
        }
    });
}

#[test]
fn every_code_is_retried_or_not_with_every_status() {
    paused(async {
        let mut python = Python::start();
        for code in CODES {
            for status in [429, 503, 504, 500] {
                let script = vec![Reply::new(status, "Retry-After: 2\r\n", &coded(code)), success()];
                check(&mut python, &Case::new("billing.balance", json!({}), script.clone())).await;
                check(&mut python, &Case::new("play.create", json!({"game": "a"}), script.clone())).await;
                check(&mut python, &Case::new("play.join", json!({"session_id": "s1"}), script.clone()))
                    .await;
                check(&mut python, &Case::new("rollout_runs.close", json!({"run_id": "r1"}), script)).await;
            }
        }
    });
}

#[test]
fn every_operation_is_sent_again_or_not_after_a_lost_answer() {
    paused(async {
        let mut python = Python::start();
        for (seed, operation) in OPERATIONS.iter().enumerate() {
            let kwargs = Generator::new(seed as u64).kwargs(operation, false);
            let unreachable = Reply::new(503, "", &coded("OWNER_UNREACHABLE"));
            for lost in
                [Reply::Cut, Reply::Torn(200), Reply::new(504, "", ""), Reply::new(500, "", ""), unreachable]
            {
                let script = vec![lost.clone(), lost, success()];
                check(&mut python, &Case::new(operation.name, kwargs.clone(), script)).await;
            }
        }
    });
}

#[test]
fn every_operation_waits_as_long_for_its_answer() {
    paused(async {
        let mut python = Python::start();
        for (seed, operation) in OPERATIONS.iter().enumerate() {
            let mut generator = Generator::new(seed as u64);
            for seconds in [29.5, 30.5, 89.5, 90.5, 104.5, 105.5, 4000.0] {
                let kwargs = generator.kwargs(operation, false);
                let script = vec![success().after(seconds), success()];
                check(&mut python, &Case::new(operation.name, kwargs, script)).await;
            }
        }
    });
}

#[test]
fn what_is_meant_to_differ_does() {
    paused(async {
        let mut python = Python::start();
        for Difference { why, example } in KNOWN {
            assert!(difference(&mut python, &example()).await.is_some(), "no more: {why}");
        }
    });
}

#[test]
fn every_retry_after_is_waited_for_alike() {
    paused(async {
        let mut python = Python::start();
        for header in RETRY_AFTER {
            let busy = Reply::new(503, &format!("Retry-After: {header}\r\n"), &coded("SERVER_BUSY"));
            let script = vec![busy.clone(), busy.clone(), busy, success()];
            check(&mut python, &Case::new("billing.balance", json!({}), script)).await;
        }
        // Back-off alone, to its end.
        let script = vec![Reply::new(503, "", &coded("SERVER_BUSY")); 12];
        for max_retries in [0, 1, 5, 9] {
            let case = Case { max_retries, ..Case::new("billing.balance", json!({}), script.clone()) };
            check(&mut python, &case).await;
        }
    });
}

#[test]
fn random_sequences_of_replies_end_alike() {
    paused(async {
        let mut python = Python::start();
        let operations = [
            ("billing.balance", json!({})),
            ("play.create", json!({"tags": ["a"]})),
            ("play.join", json!({"session_id": "s1"})),
            ("rollout_runs.close", json!({"run_id": "r1"})),
            ("tasks.create", json!({"n": 2})),
            ("submissions.delete", json!({"submission_id": "s1"})),
        ];
        for seed in seeds(400) {
            let mut generator = Generator::new(seed);
            let (operation, kwargs) = operations[generator.up_to(operations.len() - 1)].clone();
            let script: Vec<_> = (0..=generator.up_to(9)).map(|_| generator.reply()).collect();
            let max_retries = generator.up_to(6) as u32;
            check(&mut python, &Case { max_retries, ..Case::new(operation, kwargs, script) }).await;
        }
    });
}

#[test]
fn pages_are_walked_alike() {
    paused(async {
        let mut python = Python::start();
        for seed in seeds(200) {
            let mut generator = Generator::new(seed);
            let lists: Vec<_> = OPERATIONS.iter().filter(|operation| operation.is_list).collect();
            let operation = generator.pick(&lists);
            let collection = if operation.name == "billing.usage" {
                "entries"
            } else {
                operation.name.trim_start_matches("rollout_").split('.').next().unwrap_or_default()
            };
            let page = |generator: &mut Generator, number: usize| {
                let rows: Vec<_> =
                    (0..generator.up_to(4)).map(|row| json!({"id": format!("{number}-{row}")})).collect();
                let cursors = [
                    json!(format!("c {number}&=")),
                    json!(format!("c{number}")),
                    json!(number + 1),
                    json!(""),
                    json!(null),
                ];
                let cursor = cursors[generator.up_to(cursors.len() - 1)].clone();
                json!({"data": {collection: rows, "next_cursor": cursor}}).to_string()
            };
            let pages = generator.up_to(5);
            let mut script: Vec<_> =
                (0..pages).map(|number| Reply::new(200, "", &page(&mut generator, number))).collect();
            script.push(Reply::new(200, "", &json!({"data": {collection: [{"id": "last"}]}}).to_string()));
            let filter = if operation.open { "filter" } else { "status" };
            let mut kwargs = json!({filter: "a b"});
            if generator.up_to(1) == 0 {
                kwargs["max_items"] = json!(generator.up_to(12));
            }
            if generator.up_to(1) == 0 {
                kwargs["page_size"] = json!(generator.pick(&[0, 1, 2, 25, 100, 101]));
            }
            check(&mut python, &Case::new(operation.name, kwargs, script)).await;
        }
    });
}

#[test]
fn jobs_are_waited_for_alike() {
    paused(async {
        let mut python = Python::start();
        let states = [
            json!({"job_id": "j7", "status": "running"}),
            json!({"job_id": "j7", "status": "running", "progress": 0.5}),
            json!({"job_id": "j7", "status": "paused"}),
            json!({"job_id": "j7", "status": null}),
            json!({"job_id": "j7"}),
            json!({"job_id": "j7", "status": "archived", "finished_at": "2026-01-01T00:00:00Z"}),
            json!({"job_id": "j7", "status": "completed", "result": {"ok": 1}}),
            json!({"job_id": "j7", "status": "failed", "error": "boom, said the job"}),
            json!({"job_id": "j7", "status": "failed", "error": ""}),
            json!({"job_id": "j7", "status": "cancelled"}),
        ];
        for seed in seeds(200) {
            let mut generator = Generator::new(seed);
            let script = (0..=generator.up_to(12)).map(|_| match generator.up_to(9) {
                0 => generator.reply(),
                1..6 => {
                    Reply::new(200, "", &json!({"data": {"job": states[generator.up_to(4)]}}).to_string())
                }
                _ => {
                    let state = &states[generator.up_to(states.len() - 1)];
                    Reply::new(200, "", &json!({"data": {"job": state}}).to_string())
                }
            });
            let script: Vec<_> = script.collect();
            let mut kwargs = json!({"job_id": "j7"});
            if generator.up_to(1) == 0 {
                kwargs["interval"] = json!(generator.pick(&[0.5, 1.0, 30.0, 700.0]));
            }
            if generator.up_to(1) == 0 {
                kwargs["timeout"] = json!(generator.pick(&[0.0, 1.0, 10.0, 7200.0]));
            }
            check(&mut python, &Case::new("jobs.wait", kwargs, script)).await;
        }
    });
}

#[test]
fn exports_are_downloaded_alike() {
    paused(async {
        let mut python = Python::start();
        let data = |manifest: Value| Reply::new(200, "", &json!({"data": manifest}).to_string());
        let file = |name: &str, body: &str| {
            let headers = format!("Content-Disposition: attachment; filename=\"{name}\"\r\n");
            Reply::new(200, if name.is_empty() { "" } else { &headers }, body)
        };
        let chunks =
            json!([{"download_url": "BASE/c1?s=1", "size_bytes": 1}, {"download_url": "BASE/c2?s=%2F+x"}]);
        for script in [
            vec![data(json!({"download_url": "BASE/one"})), file("data.json", "{}")],
            vec![data(json!({"download_url": "BASE/one"})), file("", "{}")],
            vec![data(json!({"chunked": true, "chunks": chunks})), file("a.json", "1"), file("b.json", "22")],
            vec![
                data(json!({"chunked": false, "download_url": "BASE/one", "chunks": chunks})),
                file("a.json", "1"),
            ],
            vec![data(json!({"chunked": true, "chunks": [], "download_url": "BASE/one"}))],
            vec![data(json!({"record_count": 0, "message": "no records"}))],
            vec![
                data(json!({"download_url": "BASE/one"})),
                Reply::new(302, "Location: /two?x=1\r\n", ""),
                file("a", "1"),
            ],
            vec![Reply::new(404, "", &coded("NOT_FOUND"))],
        ] {
            let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let into = |dir: &tempfile::TempDir| {
                let kwargs = json!({"job_id": "e7", "dest_dir": dir.path()});
                Case::new("exports.download_files", kwargs, script.clone())
            };
            let case = into(&theirs);
            let server = Server::start(&case.script).await;
            let expected = python.call(&base(&server), &case).await;
            let asked = server.asked();
            let server = Server::start(&case.script).await;
            let outcome = ours::call(client(&server, 5), &into(&ours)).await;
            assert_eq!(server.asked(), asked, "{script:?}");
            assert!(comes_to_the_same(&outcome, &expected), "{outcome:?} {expected:?}");
            assert_eq!(files_in(&ours), files_in(&theirs), "{script:?}");
        }
    });
}

fn files_in(dir: &tempfile::TempDir) -> Vec<(OsString, Vec<u8>)> {
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        let entry = entry.expect("an entry");
        (entry.file_name(), std::fs::read(entry.path()).expect("a file"))
    };
    let mut files: Vec<_> = std::fs::read_dir(dir.path()).expect("a folder").map(read).collect();
    files.sort();
    files
}

#[test]
fn what_the_sdk_refuses_is_refused_before_it_is_sent() {
    paused(async {
        let mut python = Python::start();
        for (operation, kwargs) in [
            (
                "dataset_builds.evaluate_code",
                json!({"custom_provider_id": "p", "game_slug": "a", "mode": "x"}),
            ),
            ("dataset_builds.explore", json!({"game_slug": "a", "mode": "branch_exploration"})),
            ("games.list", json!({"limit": 5})),
            ("exports.list", json!({"limit": 5})),
            ("submissions.list", json!({"page_size": 0})),
            ("sessions.list", json!({"page_size": 101})),
            ("billing.usage", json!({"page_size": 200, "max_items": 0})),
            ("tasks.score", json!({"task_id": "t"})),
            ("play.act", json!({"session_id": "s", "player_token": "pt"})),
        ] {
            check(&mut python, &Case::new(operation, kwargs, vec![success()])).await;
        }
    });
}
