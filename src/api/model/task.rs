//! Tasks: verifiable problems that are drawn, answered and scored.

use super::TaskId;
use super::members::model;

model! {
    /// Tasks that were drawn.
    pub struct DrawnTasks {
        /// The tasks: at least one, perhaps fewer than were asked for.
        pub tasks: Vec<Task>,
        /// What they cost together, in credits.
        pub price: Option<f64>,
    }
}

model! {
    /// A task.
    pub struct Task {
        /// Its name; it can be scored for seven days.
        pub task_id: TaskId,
        /// Which variant of the suite.
        pub variant: Option<String>,
        /// `compression`, `prediction` or `identification`.
        pub kind: Option<String>,
        /// How hard it is, 0 to 1.
        pub difficulty: Option<f64>,
        /// What to say to a model: the rules, then the problem.
        pub messages: Vec<TaskMessage>,
        /// What it cost, in credits.
        pub price: Option<f64>,
    }
}

model! {
    /// A message to a model.
    pub struct TaskMessage {
        /// Who says it: `user`.
        pub role: String,
        /// The text.
        pub content: String,
    }
}

impl Task {
    /// All messages as one text, for a model that takes one.
    pub fn prompt(&self) -> String {
        let contents: Vec<_> = self.messages.iter().map(|message| message.content.as_str()).collect();
        contents.join("\n\n")
    }
}

model! {
    /// Replies to a task, scored.
    pub struct TaskScores {
        /// One result a reply, in their order.
        pub results: Vec<TaskResult>,
        /// What the scoring cost, in credits.
        pub price: Option<f64>,
    }
}

model! {
    /// What a reply is worth.
    pub struct TaskResult {
        /// Its points.
        pub points: Option<f64>,
        /// It solves the problem.
        pub solved: Option<bool>,
        /// Why it was refused, or not scored.
        pub error: Option<String>,
    }
}

impl TaskResult {
    /// False when it was not scored, and so not charged: the error begins with `format:`, `time:`, `busy:` or
    /// `internal:` (protocol.md §1.7).
    pub fn is_scored(&self) -> bool {
        let error = self.error.as_deref().unwrap_or_default();
        !["format:", "time:", "busy:", "internal:"].iter().any(|prefix| error.starts_with(prefix))
    }
}

model! {
    /// The variants of the suite and their prices.
    pub struct TaskInfo {
        /// The variants.
        pub variants: Vec<TaskVariant>,
        /// For which difficulty, 0 to 1.
        pub difficulty: Option<f64>,
    }
}

model! {
    /// A variant of the suite.
    pub struct TaskVariant {
        /// Its name.
        pub name: String,
        /// `compression`, `prediction` or `identification`.
        pub kind: Option<String>,
        /// How often it is drawn, relative to the others.
        pub weight: Option<f64>,
        /// What a task costs, in credits.
        pub generate_price: Option<f64>,
        /// What a scored answer costs, in credits.
        pub score_price: Option<f64>,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::model::check::keeps;

    #[test]
    fn the_shapes_of_the_sdks_tests_are_kept() {
        // SDK 3.4.0 tests/test_tasks.py `task`, `tasks_handler`.
        keeps::<DrawnTasks>(
            r#"{"tasks":[{"task_id":"t1.b7.s","variant":"word_compression","kind":"compression",
                "difficulty":0.6,"messages":[{"role":"user","content":"r\n\n## Observation\no"}],"price":0.02}],
                "price":0.02}"#,
        );
        keeps::<TaskScores>(
            r#"{"results":[{"points":3.5,"solved":true},{"points":0,"solved":false,"error":"format: no action"}],
                "price":0.001}"#,
        );
        keeps::<TaskInfo>(r#"{"variants":[{"name":"word_compression"}],"difficulty":0.45}"#);
        keeps::<TaskInfo>(
            r#"{"variants":[{"name":"a","kind":"prediction","weight":2,"generate_price":0.01,"score_price":0.002}]}"#,
        );
    }

    #[test]
    fn a_prompt_is_the_contents_with_a_blank_line_between() {
        // SDK 3.4.0 tasks.py `Task`.
        let text =
            r#"{"task_id":"t","messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]}"#;
        let task: Task = serde_json::from_str(text).expect("a task");
        assert_eq!(task.prompt(), "a\n\nb");
        assert_eq!(Task::default().prompt(), "");
    }

    #[test]
    fn an_error_says_whether_the_answer_was_scored() {
        for (error, scored) in [
            (None, true),
            (Some("the answer is too long"), true),
            (Some("format: no action"), false),
            (Some("time: 10 s"), false),
            (Some("busy: try again"), false),
            (Some("internal: x"), false),
        ] {
            let result = TaskResult { error: error.map(str::to_owned), ..TaskResult::default() };
            assert_eq!(result.is_scored(), scored, "{error:?}");
        }
    }
}
