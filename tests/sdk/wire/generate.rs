//! Random input, the same for the same seed.

use gert::api::{Field, Kind, Place};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use serde_json::{Map, Value, json};

use super::ours::Operation;
use super::server::Reply;

/// Texts that are easily mistaken on their way.
const TEXTS: [&str; 12] = [
    "a",
    "chess",
    "a b",
    "a+b&c=d",
    "50%",
    "é ü 表",
    "\"quoted\"",
    "line\nbreak",
    "😀",
    "none,measure",
    "true",
    "2026-01-31T00:00:00Z",
];

/// Every code of the catalogue (protocol.md §1.7), and some that are none.
pub(crate) const CODES: [&str; 34] = [
    "SERVER_BUSY",
    "SERVER_DRAINING",
    "HOST_AT_CAPACITY",
    "RUN_BUSY",
    "SETTLE_FAILED",
    "SERVICE_BUSY",
    "AUTH_UNAVAILABLE",
    "OWNER_UNREACHABLE",
    "GATEWAY_TIMEOUT",
    "RATE_LIMIT_EXCEEDED",
    "SESSION_LIMIT_EXCEEDED",
    "QUOTA_EXCEEDED",
    "GAME_AT_CAPACITY",
    "SERVICE_UNAVAILABLE",
    "INSUFFICIENT_CREDITS",
    "DAILY_LIMIT_EXCEEDED",
    "VALIDATION_ERROR",
    "VALIDATION_FAILED",
    "NOT_FOUND",
    "CONFLICT",
    "EPISODE_NOT_FOUND",
    "EPISODE_COMPLETE",
    "FORK_UNSUPPORTED",
    "RUN_EXHAUSTED",
    "RUN_CLOSED",
    "STEP_CONFLICT",
    "SEAT_FAILED",
    "REPLAY_EXPIRED",
    "OP_FAILED",
    "INTERNAL_ERROR",
    "INTERNAL",
    "TASK_EXPIRED",
    "server_busy",
    "",
];

/// What a `Retry-After` may hold, numbers and nonsense. Dates are apart: the SDK ignores them, we honour them.
pub(crate) const RETRY_AFTER: [&str; 13] =
    ["0", "7", "999", "-1", "1.5", "+3", "1e1", "inf", "-inf", "soon", "0x10", "1,5", "12 seconds"];

/// What gateways send, and what comes close to an error.
const ODD_BODIES: [&str; 12] = [
    "",
    "<html>busy</html>",
    "null",
    "[]",
    "\"busy\"",
    r#"{"detail":"busy"}"#,
    r#"{"error":null}"#,
    r#"{"error":"busy"}"#,
    r#"{"error":["SERVER_BUSY"]}"#,
    r#"{"error":{"code":null}}"#,
    r#"{"error":{"code":"","message":""}}"#,
    r#"{"error":{"code":"SERVER_BUSY"}}"#,
];

#[derive(Debug, Clone)]
pub(crate) struct Generator(Pcg64Mcg);

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    pub(crate) fn up_to(&mut self, most: usize) -> usize {
        self.0.random_range(0..=most)
    }

    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.0.random_range(0..items.len())]
    }

    pub(crate) fn flip(&mut self) -> bool {
        self.0.random()
    }

    fn text(&mut self) -> Value {
        self.pick(&TEXTS).into()
    }

    fn texts(&mut self) -> Value {
        (0..=self.up_to(3)).map(|_| self.text()).collect()
    }

    pub(crate) fn json(&mut self) -> Value {
        match self.up_to(5) {
            0 => json!([]),
            1 => json!({"nested": null, "list": [1, 2.5, self.text()]}),
            2 => json!(u64::MAX),
            3 => json!([{"action": self.text()}, {}]),
            4 => json!(false),
            _ => self.text(),
        }
    }

    /// A share that Python does not take for a whole number.
    fn share(&mut self) -> f64 {
        f64::from(self.0.random_range(1..64)) / 64.0
    }

    fn value(&mut self, field: &Field) -> Value {
        match (field.name, field.kind) {
            // Characters that both leave as they are in a path.
            (_, Kind::Secret) => "pt_8f2c41".into(),
            (_, Kind::Text) if field.place == Place::Path => {
                self.pick(&["a", "s_8f2c41", "t1.body-x.sig", "7", "a~b"]).into()
            }
            ("n", _) => json!(1 + self.up_to(15)),
            ("max_prompt_bytes", _) => json!(65_536 + self.up_to(1 << 20)),
            ("branch_interval", _) => json!(10 + self.up_to(9)),
            ("rollout_model_after", _) => json!(self.up_to(9)),
            ("count", _) => json!(1 + self.up_to(127)),
            ("samples", _) => json!(self.up_to(100)),
            ("opponent_source", _) => self.pick(&["system", "own", "both", ""]).into(),
            ("actions", _) => json!({"p0": self.json(), "p1": null, "p10": self.json()}),
            ("steps", _) => (0..=self.up_to(3)).map(|_| self.step()).collect(),
            ("weights" | "files" | "explore", _) => json!({"a": self.share(), "b": null}),
            (_, Kind::Text) => self.text(),
            (_, Kind::Integer) => json!(self.up_to(1 << 31)),
            (_, Kind::Number) => json!(self.share()),
            (_, Kind::Bool) => json!(self.flip()),
            (_, Kind::Texts) => self.texts(),
            (_, Kind::Json) => self.json(),
            (_, Kind::Jsons) => json!([self.json()]),
        }
    }

    /// An entry of a batch of steps.
    fn step(&mut self) -> Value {
        let mut step = json!({"episode_id": self.pick(&["e1", "e 2"]), "new": self.json()});
        let (name, action) =
            if self.flip() { ("action", self.json()) } else { ("actions", json!({"p1": self.json()})) };
        step[name] = action;
        if self.flip() {
            step["expected_tick"] = json!(self.up_to(9));
        }
        step
    }

    /// Arguments of an operation: what it needs and a share of the rest, up to all of it.
    pub(crate) fn kwargs(&mut self, operation: &Operation, all: bool) -> Value {
        let mut kwargs = Map::new();
        for field in operation.fields {
            if all || field.place != Place::Optional || self.flip() {
                kwargs.insert(field.name.to_owned(), self.value(field));
            }
        }
        if operation.open && (all || self.flip()) {
            kwargs.insert("new_text".to_owned(), self.text());
            kwargs.insert("new_list".to_owned(), json!(["x", "y z"]));
            kwargs.insert("new_flag".to_owned(), json!(true));
            kwargs.insert("new_null".to_owned(), Value::Null);
        }
        self.choose_one(
            &mut kwargs,
            operation.name,
            "dataset_builds.",
            &["game_slug", "game_slugs", "game_tags"],
        );
        self.choose_one(&mut kwargs, operation.name, "play.create", &["game", "tags"]);
        self.choose_one(&mut kwargs, operation.name, "rollout_runs.reset", &["game", "tags"]);
        self.fit_rollout(&mut kwargs, operation.name);
        kwargs.into()
    }

    /// Brings the arguments of a rollout's operation into what it takes.
    fn fit_rollout(&mut self, kwargs: &mut Map<String, Value>, name: &str) {
        match name {
            "rollout_runs.step" => {
                kwargs.remove(self.pick(&["action", "actions"]));
                if !kwargs.contains_key("actions") {
                    kwargs.insert("action".to_owned(), self.json());
                }
            }
            "rollout_runs.complete" => {
                let share = |name| kwargs.get(name).and_then(Value::as_f64);
                if let (Some(min), Some(max)) = (share("min_percentile"), share("max_percentile")) {
                    kwargs.insert("min_percentile".to_owned(), json!(min.min(max)));
                    kwargs.insert("max_percentile".to_owned(), json!(min.max(max)));
                }
            }
            "rollout_runs.score_actions" => {
                kwargs.entry("max_actions").or_insert(json!(7));
            }
            _ => {}
        }
    }

    /// Leaves exactly one of several arguments.
    fn choose_one(&mut self, kwargs: &mut Map<String, Value>, name: &str, prefix: &str, choices: &[&str]) {
        if !name.starts_with(prefix) {
            return;
        }
        for choice in choices {
            kwargs.remove(*choice);
        }
        let choice = self.pick(choices);
        let value = if choice.ends_with('s') { json!(["a", "b"]) } else { json!("a") };
        kwargs.insert(choice.to_owned(), value);
    }

    /// An answer of status 400 or above.
    pub(crate) fn refusal(&mut self) -> Reply {
        let status = self.pick(&[429, 503, 503, 503, 504, 500, 502, 400, 401, 402, 403, 404, 409, 410, 422]);
        let headers = match self.up_to(2) {
            0 => String::new(),
            1 => "Retry-After: \r\n".to_owned(),
            _ => format!("Retry-After: {}\r\n", self.pick(&RETRY_AFTER)),
        };
        let body = match self.up_to(2) {
            0 => self.pick(&ODD_BODIES).to_owned(),
            _ => coded(self.pick(&CODES)),
        };
        Reply::new(status, &headers, &body)
    }

    /// No answer, or not the one that was hoped for.
    pub(crate) fn trouble(&mut self) -> Reply {
        match self.up_to(5) {
            0 => Reply::Cut,
            1 => Reply::Torn(200),
            2 => Reply::new(503, "Retry-After: 2\r\n", &coded("SERVER_BUSY")),
            3 => Reply::new(504, "", ""),
            // The last code is none.
            _ => {
                let code = self.pick(&CODES[..CODES.len() - 1]);
                Reply::new(self.pick(&[409, 429, 500, 503]), "", &coded(code))
            }
        }
    }

    /// Anything that may come.
    pub(crate) fn reply(&mut self) -> Reply {
        match self.up_to(6) {
            0 => Reply::Cut,
            1 => Reply::Torn(200),
            2 => success(),
            _ => self.refusal(),
        }
    }
}

pub(crate) fn coded(code: &str) -> String {
    json!({"error": {"code": code, "message": "boom"}, "request_id": "req-7"}).to_string()
}

/// An answer that every operation can read.
pub(crate) fn success() -> Reply {
    Reply::new(
        200,
        "",
        r#"{"data":{"job":{},"export":{},"results":[],"forks":[]},"meta":{"request_id":"req-1"}}"#,
    )
}
