//! The official SDK, asked through one Python process that all tests share.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::{env, fs};

use serde_json::{Value, json};

/// The version that all of this is about.
const VERSION: &str = "3.4.0";

/// What the SDK made of a question.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// A result; `is_finite` is false if a number in the JSON that the SDK took is not.
    Ok { text: String, is_finite: bool },
    /// An exception's type and message.
    Raised { error: String, message: String },
}

/// Asks a function of `oracle.py`.
pub(crate) fn ask(function: &str, arguments: &Value) -> Answer {
    static PYTHON: OnceLock<Mutex<Python>> = OnceLock::new();
    let interpreter = setting("GERT_SDK_PYTHON", "the interpreter of a virtual environment with the SDK");
    let python = PYTHON.get_or_init(|| Mutex::new(Python::start(&interpreter)));
    python.lock().unwrap_or_else(PoisonError::into_inner).ask(function, arguments)
}

/// A file of the SDK's source distribution.
pub(crate) fn sdist_file(path: &str) -> String {
    let file = setting("GERT_SDK_SDIST", "the folder of the SDK's source distribution").join(path);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn setting(name: &str, what: &str) -> PathBuf {
    match env::var_os(name) {
        Some(value) => value.into(),
        None => panic!("{name} is not set: it names {what} {VERSION}; run `.ci/sdk-diff.sh`"),
    }
}

struct Python {
    // Ends when its input does, which is when this process ends.
    _child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Python {
    fn start(interpreter: &Path) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdk/oracle.py");
        let mut child = Command::new(interpreter)
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("GERT_SDK_PYTHON, {}: {error}", interpreter.display()));
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut python = Self { _child: child, input, output };
        match python.ask("version", &json!([])) {
            Answer::Ok { text, .. } if text == VERSION => python,
            other => panic!("the SDK's version is to be {VERSION}, not {other:?}"),
        }
    }

    fn ask(&mut self, function: &str, arguments: &Value) -> Answer {
        writeln!(self.input, "{}", json!({ "ask": function, "with": arguments }))
            .expect("the oracle listens");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the oracle writes UTF-8");
        let answer: Value =
            serde_json::from_str(&line).expect("the oracle answers; its own complaint is above");
        let text = |name: &str| answer[name].as_str().unwrap_or_default().to_owned();
        match answer["ok"].as_str() {
            Some(ok) => Answer::Ok { text: ok.to_owned(), is_finite: answer["nonfinite"] != true },
            None => Answer::Raised { error: text("raised"), message: text("message") },
        }
    }
}
