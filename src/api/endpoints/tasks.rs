//! Tasks: drawing them, scoring replies, and the two as one call each ([`Client::draw_task`], [`Client::score_reply`]).

use super::check_range;
use crate::api::error::{Error, ErrorKind};
use crate::api::model::{DrawnTasks, Json, Task, TaskId, TaskInfo, TaskResult, TaskScores};
use crate::api::request::request;
use crate::api::{Call, Client, Endpoint, Quote};

request! {
    /// Draws tasks: verifiable problems with their rules.
    ///
    /// Each task costs its generate price; `tasks info` lists the prices. Fewer than `n` may come: those that
    /// were drawn within 75 s, at least one. The server may be silent for 105 s; never sent again after a lost
    /// answer, since each task is charged.
    pub struct CreateTasks {
        optional {
            /// How many tasks, 1 to 16; 1 unless given.
            n: u32,
            /// How hard they are, 0 to 1, rounded to the nearest 0.05; 0.45 unless given. Harder ones cost
            /// more.
            difficulty: f64,
            /// Only these variants, by their names; `tasks info` lists them.
            variants: Vec<String>,
            /// Only these kinds: `compression`, `prediction`, `identification`.
            kinds: Vec<String>,
            /// How often variants are drawn: a JSON object, variant to number; 0 leaves one out.
            weights: Json,
            /// Draw the order and the wording of the rules, too; same facts, same price.
            randomize_prompt: bool,
            /// How long a prompt may be, in bytes, from 65536; 1048576 unless given. Shorter ones may be
            /// easier.
            max_prompt_bytes: u64,
        }
    }
}

impl Endpoint for CreateTasks {
    type Reply = DrawnTasks;
    const NAME: &'static str = "draw tasks";
    const OPERATION: &'static str = "tasks.create";

    fn call(&self) -> Call {
        // The SDK sends the word only when it is true.
        let randomize_prompt = self.randomize_prompt.filter(|randomize| *randomize);
        let mut call = Call::post("/tasks").fields(&Self { randomize_prompt, ..self.clone() });
        check_range(&mut call, "n", self.n, 1..=16);
        check_range(&mut call, "difficulty", self.difficulty, 0.0..=1.0);
        if let Some(bytes) = self.max_prompt_bytes
            && bytes < 65_536
        {
            call.fail(format!("`max_prompt_bytes` is from 65536, not {bytes}"));
        }
        let weights = self.weights.as_ref().filter(|weights| weights.get() != "null");
        if weights.is_some_and(|weights| !weights.get().starts_with('{')) {
            call.fail("`weights` is an object: variants and numbers".to_owned());
        }
        call.quote(Quote::Unknown)
    }
}

request! {
    /// Scores replies to a task: a model's raw texts, each with an action in JSON.
    ///
    /// Each distinct action that is scored costs the score price; `tasks info` lists the prices. A task can be
    /// scored for seven days. The server may be silent for 105 s; never sent again after a lost answer, since
    /// each scored action is charged.
    pub struct ScoreTask {
        path {
            /// Which task.
            task_id: TaskId,
        }
        required {
            /// The replies, 1 to 64.
            responses: Vec<String>,
        }
    }
}

impl Endpoint for ScoreTask {
    type Reply = TaskScores;
    const NAME: &'static str = "score task";
    const OPERATION: &'static str = "tasks.score";

    fn call(&self) -> Call {
        let mut call =
            Call::post("/tasks/score").member("task_id", &self.task_id).fields(self).quote(Quote::Unknown);
        if self.task_id.is_empty() {
            call.fail("the task is empty".to_owned());
        }
        if !(1..=64).contains(&self.responses.len()) {
            call.fail(format!("from 1 to 64 replies are scored at once, not {}", self.responses.len()));
        }
        call
    }
}

request! {
    /// Lists the variants of tasks with their kinds, weights and prices.
    ///
    /// Free. The server may be silent for 30 s.
    pub struct GetTaskInfo {
        optional {
            /// The prices at this difficulty, 0 to 1, rounded to the nearest 0.05; 0.45 unless given.
            difficulty: f64,
        }
    }
}

impl Endpoint for GetTaskInfo {
    type Reply = TaskInfo;
    const NAME: &'static str = "get task info";
    const OPERATION: &'static str = "tasks.info";

    fn call(&self) -> Call {
        let mut call = Call::get("/tasks/info").fields(self);
        check_range(&mut call, "difficulty", self.difficulty, 0.0..=1.0);
        call
    }
}

impl Client {
    /// Draws one task (protocol.md §5.16): `n` is left to the server.
    ///
    /// # Errors
    /// See [`ErrorKind`]; no task in the answer is a [`ErrorKind::Decode`].
    pub async fn draw_task(&self, create: CreateTasks) -> Result<Task, Error> {
        let drawn = self.send(&CreateTasks { n: None, ..create }).await?;
        drawn.tasks.into_iter().next().ok_or_else(|| self.odd::<CreateTasks>("the answer holds no task"))
    }

    /// Scores one reply to a task (protocol.md §5.16).
    ///
    /// # Errors
    /// As [`Client::score_replies`].
    pub async fn score_reply(&self, task_id: &TaskId, reply: &str) -> Result<TaskResult, Error> {
        let mut results = self.score_replies(task_id, &[reply]).await?;
        Ok(results.swap_remove(0))
    }

    /// Scores replies to a task: one result each, in their order.
    ///
    /// # Errors See [`ErrorKind`]; another number of results is a [`ErrorKind::Decode`], since nobody knows
    /// which is whose.
    pub async fn score_replies(&self, task_id: &TaskId, replies: &[&str]) -> Result<Vec<TaskResult>, Error> {
        let results = self.send(&ScoreTask::new(task_id, replies)).await?.results;
        if results.len() == replies.len() {
            return Ok(results);
        }
        let why = format!("the answer holds {} results for {} replies", results.len(), replies.len());
        Err(self.odd::<ScoreTask>(&why))
    }

    fn odd<E: Endpoint>(&self, why: &str) -> Error {
        let step = self.step(E::NAME, true, &[]);
        step.error(ErrorKind::Decode, why).of(Some(E::OPERATION))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{Resend, Timeout};

    fn fault(endpoint: &impl Endpoint) -> Option<String> {
        endpoint.call().fault().map(str::to_owned)
    }

    #[test]
    fn requests_have_the_sdks_shape() {
        // SDK 3.4.0 tests/test_tasks.py; resources.py `Tasks`.
        let body = |create: CreateTasks| create.call().body_text().unwrap_or_default();
        assert_eq!(body(CreateTasks::new()), "{}");
        assert_eq!(
            body(CreateTasks::new().difficulty(0.6).kinds(["compression"])),
            r#"{"difficulty":0.6,"kinds":["compression"]}"#
        );
        assert_eq!(body(CreateTasks::new().randomize_prompt(false).n(3u32)), r#"{"n":3}"#);
        assert_eq!(body(CreateTasks::new().randomize_prompt(true)), r#"{"randomize_prompt":true}"#);
        let score = ScoreTask::new("t1.b.s", ["right", "no"]).request();
        assert_eq!(
            (score.target().as_str(), score.body_text().as_deref()),
            ("/tasks/score", Some(r#"{"task_id":"t1.b.s","responses":["right","no"]}"#))
        );
        assert_eq!((score.timeout, score.resend), (Timeout::Warmup, Resend::Generic));
        assert_eq!(GetTaskInfo::new().call().target(), "/tasks/info");
        assert_eq!(GetTaskInfo::new().difficulty(0.7).call().target(), "/tasks/info?difficulty=0.7");
    }

    #[test]
    fn ranges_are_checked_before_anything_is_sent() {
        // protocol.md §2.13, §4.8.
        for n in [0, 17] {
            assert!(fault(&CreateTasks::new().n(n)).is_some());
        }
        for n in [1, 16] {
            assert_eq!(fault(&CreateTasks::new().n(n)), None);
        }
        assert!(fault(&CreateTasks::new().difficulty(1.1)).is_some());
        assert!(fault(&CreateTasks::new().max_prompt_bytes(65_535u64)).is_some());
        assert_eq!(fault(&CreateTasks::new().max_prompt_bytes(65_536u64)), None);
        let weights = |text| CreateTasks::new().weights(Json::parse(text).expect("JSON"));
        assert!(fault(&weights("[1]")).is_some());
        assert_eq!((fault(&weights(r#"{"a":0}"#)), fault(&weights("null"))), (None, None));
        assert!(fault(&ScoreTask::new("t", vec![])).is_some());
        assert!(fault(&ScoreTask::new("t", vec![String::new(); 65])).is_some());
        assert_eq!(fault(&ScoreTask::new("t", vec![String::new(); 64])), None);
        assert!(fault(&ScoreTask::new("", ["a"])).is_some());
        assert!(fault(&GetTaskInfo::new().difficulty(-0.1)).is_some());
    }
}
