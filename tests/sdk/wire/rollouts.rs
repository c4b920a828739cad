//! Rollouts: what is refused locally, batches of forks until their outcome is known, whole episodes, and the scoring of
//! actions, both against a platform that plays by chance.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::generate::{CODES, Generator, coded, success};
use super::python::Python;
use super::server::{Reply, Server};
use super::world::World;
use super::{Case, check, client, ours, paused, seeds};

/// A policy that never fails.
pub(super) fn policy() -> Value {
    json!({"together": false, "fails_at": -1})
}

/// Every combination of some arguments, given as JSON; an empty text leaves one out.
fn combinations(fields: &[(&str, &[&str])]) -> Vec<Value> {
    let mut all = vec![json!({"run_id": "r1", "episode_id": "e1"})];
    for (name, texts) in fields {
        let with = |kwargs: &Value| {
            let mut kwargs: Vec<Value> = vec![kwargs.clone(); texts.len()];
            for (kwargs, text) in kwargs.iter_mut().zip(*texts).filter(|(_, text)| !text.is_empty()) {
                kwargs[name] = serde_json::from_str(text).expect("JSON");
            }
            kwargs
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}

async fn check_arguments(operation: &'static str, fields: &[(&str, &[&str])]) {
    let mut python = Python::start();
    for mut kwargs in combinations(fields) {
        if matches!(operation, "rollout_runs.reset" | "rollout_runs.step_batch") {
            kwargs.as_object_mut().expect("an object").remove("episode_id");
        }
        check(&mut python, &Case::new(operation, kwargs, vec![success()])).await;
    }
}

#[test]
fn the_choice_of_a_game_is_checked_alike() {
    paused(async {
        let tags = ["", "null", "[]", r#"["a"]"#, r#"["a",""]"#, r#""a""#, r#"{"a":1}"#, "[5]"];
        check_arguments("rollout_runs.reset", &[("game", &["", "null", r#""""#, r#""a""#]), ("tags", &tags)])
            .await;
    });
}

#[test]
fn actions_are_checked_alike() {
    paused(async {
        let action = ["", "null", "[]", "{}", "5"];
        let actions = ["", "null", "{}", r#"{"p0":[],"p1":null}"#];
        let ticks = ["", "null", "0", "7"];
        check_arguments(
            "rollout_runs.step",
            &[("action", &action), ("actions", &actions), ("expected_tick", &ticks)],
        )
        .await;
        let steps = [
            "",
            "null",
            "[]",
            "[{}]",
            r#"[{"episode_id":"e1"}]"#,
            r#"[{"episode_id":"","action":[]}]"#,
            r#"[{"action":[]}]"#,
            r#"[{"episode_id":"e1","action":[],"actions":{}}]"#,
            r#"[{"episode_id":"e1","action":[]},{"episode_id":"e2"}]"#,
            r#"[{"episode_id":"e1","action":[]},{"episode_id":"e1","actions":{"p0":{"a":null}},"expected_tick":0}]"#,
        ];
        check_arguments("rollout_runs.step_batch", &[("steps", &steps)]).await;
    });
}

#[test]
fn the_bounds_of_a_batch_of_forks_are_checked_alike() {
    paused(async {
        let count = ["", "null", "0", "1", "128", "129", "-1", "true", "1.0", r#""5""#];
        let long = |text: &str, n| json!(text.repeat(n)).to_string();
        let keys = [long("k", 128), long("k", 129), long("é", 64), long("é", 65)];
        let [most, more, wide, wider] = &keys;
        let keys = ["null", r#""""#, r#""k""#, most, more, wide, wider, "0", "false"];
        check_arguments("rollout_runs.fork_batch", &[("count", &count), ("op_key", &keys)]).await;
    });
}

#[test]
fn playouts_are_checked_alike() {
    paused(async {
        let shares = ["", "null", "0", "0.5", "1", "1.01", "-0.1", "true", r#""0.5""#];
        check_arguments("rollout_runs.complete", &[("min_percentile", &shares), ("max_percentile", &shares)])
            .await;
        let fields: [(&str, &[&str]); 5] = [
            ("samples", &["null", "0", "1", "100", "101", "-1", "1.0", "true", r#""5""#]),
            ("max_ticks", &["null", "0", "99999999", "-1", "2.5", "false"]),
            ("opponent_source", &["null", r#""""#, r#""system""#, r#""own""#, r#""both""#, r#""Own""#, "5"]),
            ("random_opponents", &["null", "true", "false", "1", r#""yes""#]),
            ("seat", &["null", r#""p1""#]),
        ];
        for field in fields {
            check_arguments("rollout_runs.complete", &[field]).await;
        }
        let candidates = ["", "null", "[]", "[[]]", r#"[{"a":1.50},[{"a":1.5}]]"#];
        check_arguments(
            "rollout_runs.score_actions",
            &[("candidate_actions", &candidates), ("max_actions", &["", "null", "0", "3"])],
        )
        .await;
    });
}

#[test]
fn every_code_is_retried_or_not_in_a_rollout() {
    paused(async {
        let mut python = Python::start();
        let ids = json!({"run_id": "r1", "episode_id": "e1"});
        let with = |name: &str, value: Value| {
            let mut kwargs = ids.clone();
            kwargs[name] = value;
            kwargs
        };
        let operations = [
            ("rollout_runs.reset", json!({"run_id": "r1", "game": "a"})),
            ("rollout_runs.fork", ids.clone()),
            ("rollout_runs.step", with("action", json!([]))),
            ("rollout_runs.complete", ids.clone()),
            ("rollout_runs.close_episode", ids.clone()),
            ("rollout_runs.fork_batch", with("count", json!(2))),
        ];
        for code in CODES {
            for status in [429, 503, 504, 500] {
                let script = vec![Reply::new(status, "Retry-After: 2\r\n", &coded(code)), success()];
                for (operation, kwargs) in &operations {
                    // See `KNOWN`.
                    if !(code.is_empty() && *operation == "rollout_runs.fork_batch") {
                        check(&mut python, &Case::new(operation, kwargs.clone(), script.clone())).await;
                    }
                }
            }
        }
    });
}

/// What may become of a try to make forks.
fn fork_reply(generator: &mut Generator) -> Reply {
    let code = generator.pick(&["SERVER_BUSY", "SERVER_DRAINING", "HOST_AT_CAPACITY"]);
    let reply = match generator.up_to(11) {
        0 => return Reply::Cut,
        1 => return Reply::Torn(200),
        2 | 3 => Reply::new(503, "", &coded("RUN_BUSY")),
        4 => Reply::new(429, "", &coded("RUN_BUSY")),
        5 => Reply::new(503, "", &coded("OWNER_UNREACHABLE")),
        6 => Reply::new(504, "", &coded("GATEWAY_TIMEOUT")),
        7 => Reply::new(503, "Retry-After: 50\r\n", "<html>busy</html>"),
        8 => Reply::new(429, "Retry-After: 0\r\n", &coded(code)),
        _ => Reply::new(503, "", &coded(code)),
    };
    reply.after(generator.pick(&[0.0, 0.0, 0.0, 0.25, 7.25, 89.25, 95.25]))
}

#[test]
fn forks_are_asked_for_until_the_outcome_is_known() {
    paused(async {
        let mut python = Python::start();
        for seed in seeds(200) {
            let mut generator = Generator::new(seed);
            let length = generator.pick(&[2, 5, 9, 9, 40]);
            let mut script: Vec<_> =
                (0..=generator.up_to(length)).map(|_| fork_reply(&mut generator)).collect();
            script.push(match generator.up_to(9) {
                0 => generator.trouble(),
                1 => Reply::new(409, "", &coded("OP_FAILED")),
                2 => Reply::data(&json!({})),
                _ => Reply::data(&json!({"forks": [{"episode_id": "f0"}, {"episode_id": "f1"}]})),
            });
            let mut kwargs = json!({"run_id": "r1", "episode_id": "e1", "count": 2});
            if generator.flip() {
                kwargs["op_key"] = json!("my key");
            }
            let max_retries = generator.up_to(6) as u32;
            let case = Case { max_retries, ..Case::new("rollout_runs.fork_batch", kwargs, script) };
            check(&mut python, &case).await;
        }
    });
}

#[test]
fn one_kind_of_failure_is_borne_as_long() {
    paused(async {
        let mut python = Python::start();
        let kwargs = json!({"run_id": "r1", "episode_id": "e1", "count": 2});
        for reply in [
            Reply::Cut,
            Reply::new(503, "", &coded("SERVER_BUSY")),
            Reply::new(504, "", ""),
            Reply::new(504, "", "").after(89.5),
            // Never answered at all: shorter and shorter towards the end.
            success().after(4000.0),
        ] {
            check(&mut python, &Case::new("rollout_runs.fork_batch", kwargs.clone(), vec![reply; 60])).await;
        }
        // As long as the batch is being made there is no end.
        let mut script = vec![Reply::new(503, "", &coded("RUN_BUSY")); 100];
        script.push(success());
        check(&mut python, &Case::new("rollout_runs.fork_batch", kwargs, script)).await;
    });
}

#[test]
fn a_key_is_made_up_anew_for_each_batch() {
    paused(async {
        let kwargs = json!({"run_id": "r1", "episode_id": "e1", "count": 2});
        let case = Case::new("rollout_runs.fork_batch", kwargs, vec![Reply::Cut, success()]);
        let mut keys = BTreeSet::new();
        for _ in 0..2 {
            let server = Server::start(&case.script).await;
            ours::call(client(&server, 5), &case).await;
            let asked = server.asked();
            assert_eq!(asked[0].body, asked[1].body);
            keys.extend(asked.iter().filter_map(|asked| Some(asked.body.as_ref()?["op_key"].to_string())));
        }
        assert_eq!(keys.len(), 2, "{keys:?}");
    });
}

#[test]
fn episodes_are_played_alike() {
    paused(async {
        let mut python = Python::start();
        for seed in seeds(300) {
            let mut generator = Generator::new(seed);
            let mut kwargs = json!({"run_id": "r1", "seed": seed});
            match generator.up_to(9) {
                0 => {}
                1 => kwargs["tags"] = json!(["a"]),
                _ => kwargs["game"] = json!("chess"),
            }
            let mut policy = policy();
            if generator.up_to(9) == 0 {
                policy["fails_at"] = json!(generator.up_to(6));
            }
            let max_retries = generator.up_to(2) as u32;
            let case = Case::new("rollouts.run_episode", kwargs, World::new(seed));
            check(&mut python, &Case { policy, max_retries, ..case }).await;
        }
    });
}

/// Arguments for the scoring of actions, good ones for the most part.
fn scoring(generator: &mut Generator) -> Value {
    let actions = [json!({"a": 1}), json!([{"a": 1}]), json!({"a": 1.0}), json!([]), json!([{"b": "é"}, {}])];
    let candidates: Vec<Value> =
        (0..=generator.up_to(4)).map(|_| actions[generator.up_to(4)].clone()).collect();
    let mut kwargs = json!({"run_id": "r1", "episode_id": "e1", "candidate_actions": candidates});
    let samples = generator.pick(&[1, 2, 3, 4]);
    if generator.up_to(3) > 0 {
        kwargs["samples_per_action"] = json!(samples);
    }
    if generator.up_to(3) == 0 {
        kwargs["seat"] = generator.pick(&["p0", "p0", "p0", "p1", "p9", ""]).into();
    }
    if generator.flip() {
        kwargs["phase_ticks"] = generator.pick(&[0, 1, 3]).into();
    }
    if generator.flip() {
        kwargs["op_key"] = json!("my key");
    }
    let tail = [
        ("tail_samples", json!(generator.pick(&[0, 7, 9, 30, 101]))),
        ("tail_max_ticks", json!(50)),
        ("min_percentile", json!(0.25)),
        ("max_percentile", json!(generator.pick(&[0.5, 0.75, 1.0, 0.125]))),
        ("opponent_source", json!("own")),
        ("random_opponents", json!(true)),
    ];
    for (name, value) in tail {
        if generator.up_to(if kwargs["phase_ticks"].is_null() { 60 } else { 3 }) == 0 {
            kwargs[name] = value;
        }
    }
    if generator.up_to(30) == 0 {
        kwargs["samples_per_action"] = generator.pick(&[0, 129, 200]).into();
    }
    kwargs
}

#[test]
fn actions_are_scored_alike() {
    paused(async {
        let mut python = Python::start();
        for seed in seeds(300) {
            let mut generator = Generator::new(seed);
            let kwargs = scoring(&mut generator);
            let mut policy = json!({"together": generator.flip(), "fails_at": -1});
            match generator.up_to(24) {
                0 | 2 => policy["fails_at"] = json!(generator.up_to(20)),
                1 => policy = Value::Null,
                _ if kwargs["phase_ticks"] == 0 && generator.flip() => policy = Value::Null,
                _ => {}
            }
            let max_retries = generator.up_to(2) as u32;
            let case = Case::new("rollouts.score_actions_on_policy", kwargs, World::new(seed));
            check(&mut python, &Case { policy, max_retries, ..case }).await;
        }
    });
}
