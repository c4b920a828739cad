//! Real child processes, good and bad. Every wait has a deadline.

mod family;
mod fresh;
mod openai;

use std::os::fd::AsRawFd;
use std::time::Duration;

use rustix::process::{Pid, getpgid, kill_process, test_kill_process};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};

use super::*;

/// Longer than anything here takes on a busy machine.
const DEADLINE: Duration = Duration::from_secs(30);

/// A policy under test, and what it says.
struct Table {
    policy: Policy,
    events: mpsc::Receiver<PolicyEvent>,
}

impl Table {
    fn start(spec: PolicySpec) -> Self {
        let (sender, events) = mpsc::channel(256);
        Self { policy: Policy::start(spec, Run(7), sender), events }
    }

    fn hello(&self) {
        let hello = Hello {
            game: "test".into(),
            seat: "p0".into(),
            player_count: 2,
            seed: Some(7),
            ..Hello::default()
        };
        self.policy.hello(&hello).expect("room for hello");
    }

    fn ask(&self, id: u64) {
        self.policy.observe(&turn(id, r#"{"a":1}"#)).expect("room for a turn");
    }

    /// The next event but what is said on stderr.
    async fn next(&mut self) -> PolicyEventKind {
        loop {
            let event =
                timeout(DEADLINE, self.events.recv()).await.expect("an event in time").expect("an event");
            assert_eq!(event.run, Run(7));
            if !matches!(event.what, PolicyEventKind::Stderr { .. }) {
                return event.what;
            }
        }
    }

    /// The next event that `wanted` gives something for; those before it are skipped.
    async fn find<T>(&mut self, wanted: impl Fn(PolicyEventKind) -> Option<T>) -> T {
        loop {
            if let Some(found) = wanted(self.next().await) {
                return found;
            }
        }
    }

    async fn pid(&mut self) -> u32 {
        match self.next().await {
            PolicyEventKind::Started { pid: Some(pid), .. } => pid,
            other => panic!("not started: {other:?}"),
        }
    }

    async fn name(&mut self) -> String {
        self.find(|what| match what {
            PolicyEventKind::Ready { name } => name,
            _ => None,
        })
        .await
    }

    async fn answer(&mut self) -> (u64, Value) {
        self.find(|what| match what {
            PolicyEventKind::Answered { id, action, .. } => Some((id, action)),
            PolicyEventKind::Exited { how, .. } => panic!("no answer: {how}"),
            _ => None,
        })
        .await
    }

    async fn exit(&mut self) -> (Exit, Vec<String>, bool) {
        let exit = self
            .find(|what| match what {
                PolicyEventKind::Exited { how, last_stderr, expected } => Some((how, last_stderr, expected)),
                _ => None,
            })
            .await;
        let after = timeout(DEADLINE, self.events.recv()).await.expect("the channel closes in time");
        assert_eq!(after, None, "nothing follows the exit");
        exit
    }
}

fn turn(id: u64, observation: &str) -> Turn {
    Turn { id, tick: id, observation: observation.into() }
}

/// Limits that only a hanging policy reaches.
fn patient() -> Limits {
    Limits { start: DEADLINE, first: DEADLINE, turn: DEADLINE, ..Limits::default() }
}

fn command(argv: &[&str]) -> PolicySpec {
    let argv = argv.iter().map(|word| (*word).to_owned()).collect();
    PolicySpec { limits: patient(), ..PolicySpec::new(argv) }
}

fn sh(script: &str) -> PolicySpec {
    command(&["sh", "-c", script])
}

fn sample(program: &str, file: &str) -> PolicySpec {
    command(&[program, &format!("{}/assets/policies/{file}", env!("CARGO_MANIFEST_DIR"))])
}

/// True for a process that runs; one that waits to be reaped does not.
fn is_running(pid: u32) -> bool {
    let pid = Pid::from_raw(pid.cast_signed()).expect("a process id");
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let is_zombie = stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with(['Z', 'X']));
    test_kill_process(pid).is_ok() && !is_zombie
}

/// True once a child of ours is not even a zombie any more.
fn is_reaped(pid: u32) -> bool {
    test_kill_process(Pid::from_raw(pid.cast_signed()).expect("a process id")).is_err()
}

async fn eventually(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !condition() {
        assert!(Instant::now() < deadline, "{what}");
        sleep(Duration::from_millis(5)).await;
    }
}

/// Starts a grandchild that would run for an hour, tells its process id as the name, then does `rest`.
fn with_grandchild(rest: &str) -> String {
    format!(r#"sleep 3600 & printf '{{"type":"ready","name":"%s"}}\n' "$!"; {rest}"#)
}

#[tokio::test]
async fn the_random_samples_play_listed_actions_over_several_matches() {
    let observation = r#"{"_action_space":[{"action":{"action":"say","text":"a]}\"{"},"weight":0.5},{"action":{"action":"x","list":[{"n":1}]},"weight":3},{"action":{"action":"never"},"weight":0}],"tick":1}"#;
    let listed = [json!([{"action": "say", "text": "a]}\"{"}]), json!([{"action": "x", "list": [{"n": 1}]}])];
    for (program, file) in [("python3", "random.py"), ("sh", "random.sh")] {
        let mut table = Table::start(sample(program, file));
        for game in 0..2 {
            table.hello();
            assert!(table.name().await.starts_with("random"));
            for n in 0..10 {
                let id = game * 100 + n;
                table.policy.observe(&turn(id, observation)).expect("room");
                let (answered, action) = table.answer().await;
                assert_eq!(answered, id, "{file}");
                assert!(listed.contains(&action), "{file}: {action}");
            }
            table.ask(game * 100 + 99);
            assert_eq!(table.answer().await, (game * 100 + 99, json!([])), "{file}: no actions are listed");
            table.policy.reject(game * 100 + 99, &["no".into()]).expect("room");
            table.policy.end(&json!({"score": 100})).expect("room");
        }
        table.policy.shutdown().await;
        let mut left = Vec::new();
        while let Some(event) = table.events.recv().await {
            left.push(event);
        }
        assert!(
            matches!(
                left.last().map(|event| &event.what),
                Some(PolicyEventKind::Exited { how: Exit::Code(0), expected: true, .. })
            ),
            "{file}: {left:?}"
        );
    }
}

#[tokio::test]
async fn the_crash_sample_is_reported_with_its_code_and_traceback() {
    // B-01
    let mut table = Table::start(sample("python3", "crash.py"));
    table.hello();
    for id in 1..=3 {
        table.ask(id);
        assert_eq!(table.answer().await, (id, json!([])));
    }
    table.ask(4);
    let (how, last_stderr, expected) = table.exit().await;
    assert_eq!((how, expected), (Exit::Code(1), false));
    assert_eq!(
        last_stderr.last().map(String::as_str),
        Some("RuntimeError: crash.py gives up after three turns")
    );
    assert_eq!(table.policy.observe(&turn(5, "{}")), Err(SendError::Ended));
}

#[tokio::test]
async fn the_hang_sample_is_over_due_then_timed_out_then_ended() {
    // B-02, B-09
    let mut spec = sample("python3", "hang.py");
    spec.limits.turn = Duration::from_millis(800);
    spec.limits.hard_factor = 2;
    spec.limits.silence = Duration::from_millis(400);
    let mut table = Table::start(spec);
    table.hello();
    for id in 1..=3 {
        table.ask(id);
        assert_eq!(table.answer().await, (id, json!([])));
    }
    table.ask(4);
    let silent = table.next().await;
    assert!(matches!(silent, PolicyEventKind::Silent { id: 4, lines: 4, unfinished: 0, .. }), "{silent:?}");
    let over_due = table.next().await;
    assert!(matches!(over_due, PolicyEventKind::OverDue { id: 4, .. }), "{over_due:?}");
    let limit = Duration::from_millis(1600);
    assert_eq!(table.next().await, PolicyEventKind::TimedOut { id: Some(4), limit, unread: false });
    let (_, last_stderr, expected) = table.exit().await;
    assert!(expected);
    assert_eq!(last_stderr, ["hang.py has stopped answering"]);
}

#[tokio::test]
async fn the_garbage_sample_is_quoted_and_its_turns_stay_open() {
    // B-14
    let mut table = Table::start(sample("python3", "garbage.py"));
    table.hello();
    for (id, quoted, reason) in [
        (1, "I think I will play in the middle.", "not JSON"),
        (2, r#"{"id": 2, "move": "middle"}"#, "needs an `action`"),
        (3, "[1, 2, 3]", "objects only"),
    ] {
        table.ask(id);
        let (of, text, why) = table
            .find(|what| match what {
                PolicyEventKind::Started { .. } => None,
                PolicyEventKind::Garbage { id, text, why, count: 1 } => Some((id, text, why)),
                other => panic!("{other:?}"),
            })
            .await;
        assert_eq!((of, text.as_str()), (Some(id), quoted));
        assert!(why.contains(reason), "{why}");
    }
}

#[tokio::test]
async fn what_a_crashed_policy_leaves_running_is_killed() {
    // B-06
    let mut table = Table::start(sh(&with_grandchild("exit 3")));
    let grandchild: u32 = table.name().await.parse().expect("a process id");
    let (how, _, expected) = table.exit().await;
    assert_eq!((how, expected), (Exit::Code(3), false));
    eventually("the grandchild is gone", || !is_running(grandchild)).await;
}

#[tokio::test]
async fn a_policy_killed_from_outside_is_reported_with_the_signal_within_a_second() {
    // B-01
    let mut table = Table::start(command(&["cat"]));
    let pid = table.pid().await;
    let killed = Instant::now();
    let pid = Pid::from_raw(pid.cast_signed()).expect("a process id");
    kill_process(pid, rustix::process::Signal::SEGV).expect("it runs");
    let (how, _, expected) = table.exit().await;
    assert!(killed.elapsed() < Duration::from_secs(1), "{:?}", killed.elapsed());
    assert_eq!((how.to_string().as_str(), expected), ("ended by SIGSEGV", false));
}

#[tokio::test]
async fn shutdown_delivers_what_is_queued_and_then_ends_the_input() {
    let script = r#"while IFS= read -r line; do last=$line; done; echo "$last" >&2; exit 5"#;
    let mut spec = sh(script);
    spec.limits.shutdown = Duration::MAX;
    let table = Table::start(spec);
    table.ask(1);
    table.policy.end(&json!({"score": 1})).expect("room");
    let Table { policy, mut events } = table;
    timeout(DEADLINE, policy.shutdown()).await.expect("in time");
    let mut last = None;
    while let Some(event) = events.recv().await {
        last = Some(event.what);
    }
    let last_stderr = vec![r#"{"type":"end","result":{"score":1}}"#.to_owned()];
    assert_eq!(last, Some(PolicyEventKind::Exited { how: Exit::Code(5), last_stderr, expected: true }));
}

#[tokio::test]
async fn shutdown_ends_even_a_policy_that_ignores_every_request() {
    let mut table = Table::start(sh(&with_grandchild("trap '' TERM; while :; do sleep 0.01; done")));
    let pid = table.pid().await;
    let grandchild: u32 = table.name().await.parse().expect("a process id");
    let Table { policy, mut events } = table;
    timeout(DEADLINE, policy.shutdown()).await.expect("in time");
    assert!(is_reaped(pid));
    eventually("the grandchild is gone", || !is_running(grandchild)).await;
    let exited = events.recv().await.expect("an event").what;
    assert!(
        matches!(exited, PolicyEventKind::Exited { how: Exit::Signal(9), expected: true, .. }),
        "{exited:?}"
    );
}

#[tokio::test]
async fn two_hundred_restarts_leave_no_process_behind() {
    // B-05
    let mut pids = Vec::new();
    for n in 0..200 {
        let mut table = Table::start(command(if n % 2 == 0 { &["true"] } else { &["cat"] }));
        pids.push(table.pid().await);
        if n % 2 == 0 {
            assert_eq!(table.exit().await.0, Exit::Code(0));
        } else {
            drop(table.policy);
        }
    }
    for pid in pids {
        eventually("all are reaped", || is_reaped(pid)).await;
    }
}

#[tokio::test]
async fn lines_of_a_megabyte_pass_both_ways() {
    // B-11
    let script = "import sys\nline = sys.stdin.readline()\nprint('{\"id\":1,\"action\":{\"n\":%d,\"x\":\"%s\"}}' % (len(line), 'x' * 1_000_000))";
    let mut table = Table::start(command(&["python3", "-c", script]));
    let observation = format!("\"{}\"", "y".repeat(1_000_000));
    table.policy.observe(&turn(1, &observation)).expect("room");
    let (_, action) = table.answer().await;
    assert!(action["n"].as_u64() > Some(1_000_000));
    assert_eq!(action["x"].as_str().map(str::len), Some(1_000_000));
}

#[tokio::test]
async fn a_line_without_end_stops_the_policy_with_that_reason() {
    // B-11
    let mut table = Table::start(sh("tr '\\0' x </dev/zero"));
    let limit = 1024 * 1024;
    let told = table.find(|what| (what == PolicyEventKind::LineTooLong { limit }).then_some(())).await;
    let (how, _, expected) = table.exit().await;
    assert_eq!((told, expected), ((), true), "{how}");
}

#[tokio::test]
async fn a_flood_on_stderr_does_not_hold_up_the_answers() {
    // B-08, B-22: nothing of it reaches our own standard error
    let script = r#"while read -r line; do
        i=0; while [ $i -lt 4000 ]; do echo "a line of forty bytes, more or less: $i" >&2; i=$((i+1)); done
        echo '[]'
    done"#;
    let mut table = Table::start(sh(script));
    for id in 1..=5 {
        table.ask(id);
        assert_eq!(table.answer().await, (id, json!([])));
    }
    table.policy.quit.cancel();
    let (_, last_stderr, _) = table.exit().await;
    assert_eq!(last_stderr.last().map(String::as_str), Some("a line of forty bytes, more or less: 3999"));
}

#[tokio::test]
async fn a_flood_of_garbage_neither_grows_nor_outlives_its_limit() {
    let mut spec = command(&["yes"]);
    spec.limits.start = Duration::ZERO;
    spec.limits.first = Duration::from_millis(200);
    let mut table = Table::start(spec);
    table.ask(1);
    let mut n_events = 0;
    let mut n_lines = 0;
    let limit = loop {
        n_events += 1;
        match table.next().await {
            PolicyEventKind::Garbage { text, count, .. } => {
                assert_eq!(text, "y");
                n_lines += count;
            }
            PolicyEventKind::TimedOut { id: Some(1), limit, .. } => break limit,
            _ => {}
        }
    };
    assert_eq!(limit, Duration::from_millis(600));
    assert!(n_lines > 1000 && n_events < 100, "{n_lines} lines in {n_events} events");
    assert!(table.exit().await.2);
}

#[tokio::test]
async fn a_policy_that_dies_before_reading_is_reported_as_ended() {
    // B-17
    let mut table = Table::start(sh("exit 3"));
    let observation = format!("\"{}\"", "y".repeat(1_000_000));
    // The process may be gone already: then sending fails, which is as good.
    let _ = table.policy.observe(&turn(1, &observation));
    let (how, _, expected) = table.exit().await;
    assert_eq!((how, expected), (Exit::Code(3), false));
    assert_eq!(table.policy.observe(&turn(2, "{}")), Err(SendError::Ended));
    eventually("the task ends", || table.policy.is_over()).await;
}

#[tokio::test]
async fn a_policy_that_closes_a_pipe_but_stays_is_ended() {
    for (script, end) in [
        ("exec 1>&-; exec sleep 3600", PipeEnd::Output),
        ("exec 0<&-; echo '[]'; exec sleep 3600", PipeEnd::Input),
    ] {
        let mut table = Table::start(sh(script));
        if end == PipeEnd::Input {
            // The line proves that the pipe is closed.
            table.find(|what| matches!(what, PolicyEventKind::StaleAnswer { .. }).then_some(())).await;
            table.ask(1);
        }
        table.find(|what| (what == PolicyEventKind::Closed { end }).then_some(())).await;
        let (how, _, expected) = table.exit().await;
        assert_eq!((how, expected), (Exit::Signal(15), true));
    }
}

#[tokio::test]
async fn a_policy_that_does_not_read_never_blocks_the_caller() {
    let mut spec = command(&["sleep", "3600"]);
    spec.limits.write = Duration::from_millis(300);
    let mut table = Table::start(spec);
    let observation = format!("\"{}\"", "y".repeat(200_000));
    let sent: Vec<_> = (0..100).map(|id| table.policy.observe(&turn(id, &observation))).collect();
    assert_eq!(sent.first(), Some(&Ok(())));
    assert_eq!(sent.last(), Some(&Err(SendError::Busy)));
    let limit = Duration::from_millis(300);
    table
        .find(|what| (what == PolicyEventKind::TimedOut { id: Some(0), limit, unread: true }).then_some(()))
        .await;
    assert_eq!(table.exit().await.0, Exit::Signal(15));
}

#[tokio::test]
async fn line_ends_blanks_marks_and_split_writes_are_understood() {
    // B-10
    // Each turn is answered in another dialect; the last line has no end.
    let script = r#"
        read -r line; printf '\357\273\277[{"action":"bom"}]\r\n\r\n\n'
        read -r line; printf '  {"id":2,'; sleep 0.05; printf '"action":'; sleep 0.05; printf '[{"action":"split"}]}  \n'
        read -r line; printf '[{"action":"\377"}]\n{"id":3,"action":[{"action":"last"}]}'
    "#;
    let mut table = Table::start(sh(script));
    table.ask(1);
    assert_eq!(table.answer().await, (1, json!([{"action": "bom"}])));
    table.ask(2);
    assert_eq!(table.answer().await, (2, json!([{"action": "split"}])));
    table.ask(3);
    let garbage = table.next().await;
    assert!(
        matches!(&garbage, PolicyEventKind::Garbage { id: Some(3), why, .. } if why.contains("UTF-8")),
        "{garbage:?}"
    );
    assert_eq!(table.answer().await, (3, json!([{"action": "last"}])));
    assert_eq!(table.exit().await.0, Exit::Code(0));
}

#[tokio::test]
async fn an_answer_that_comes_after_its_turn_was_given_up_is_dropped() {
    // B-12
    // Answers the first turn only once the second has been read.
    let script =
        r#"read -r a; read -r b; echo '{"id":1,"action":[]}'; echo '{"id":2,"action":[]}'; read -r c"#;
    let mut table = Table::start(sh(script));
    table.pid().await;
    table.ask(1);
    table.ask(2);
    assert_eq!(table.next().await, PolicyEventKind::StaleAnswer { id: Some(1), count: 1 });
    assert_eq!(table.answer().await, (2, json!([])));
}

#[tokio::test]
async fn a_late_answer_counts_and_says_so() {
    let mut spec = sh("read -r line; sleep 0.2; echo '[]'; read -r line");
    spec.limits.start = Duration::ZERO;
    spec.limits.first = Duration::from_millis(50);
    spec.limits.hard_factor = 600;
    let mut table = Table::start(spec);
    table.ask(1);
    let waited = table
        .find(|what| match what {
            PolicyEventKind::OverDue { waited, .. } => Some(waited),
            _ => None,
        })
        .await;
    assert!(waited >= Duration::from_millis(50), "{waited:?}");
    let answered = table.next().await;
    assert!(
        matches!(&answered, PolicyEventKind::Answered { id: 1, late: true, latency, .. } if *latency >= Duration::from_millis(200)),
        "{answered:?}"
    );
}

/// Several at once: which of the two, the limit or the answer, is looked at first is chance.
#[tokio::test]
async fn an_answer_in_time_counts_although_we_look_late() {
    const N: usize = 8;
    let dir = tempfile::tempdir().expect("a directory");
    let script = r#"echo '{"type":"ready"}'; read -r line; echo thinking
        until [ -e go ]; do sleep 0.01; done
        echo '[]'; : >"answered.$$"; read -r line"#;
    let mut spec = sh(script);
    spec.dir = Some(dir.path().into());
    spec.limits.first = Duration::from_millis(1500);
    spec.limits.hard_factor = 1;
    let mut tables: Vec<Table> = (0..N).map(|_| Table::start(spec.clone())).collect();
    for table in &mut tables {
        table.find(|what| matches!(what, PolicyEventKind::Ready { .. }).then_some(())).await;
    }
    for table in &tables {
        table.ask(1);
    }
    for table in &mut tables {
        table.find(|what| matches!(what, PolicyEventKind::Garbage { .. }).then_some(())).await;
    }
    let asked = Instant::now();
    let path = dir.path();
    std::fs::write(path.join("go"), "").expect("room on the disk");
    // Blocks the one thread there is, which the tasks of the policies run on too.
    let n_files = || std::fs::read_dir(path).expect("the directory").count();
    while n_files() < N + 1 || asked.elapsed() < Duration::from_millis(1600) {
        assert!(asked.elapsed() < DEADLINE, "the policies answer");
        std::process::Command::new("sleep").arg("0.01").status().expect("it runs");
    }
    for table in &mut tables {
        let told = table.next().await;
        assert!(matches!(told, PolicyEventKind::Answered { id: 1, late: true, .. }), "{told:?}");
    }
}

#[tokio::test]
async fn arguments_arrive_as_they_were_given() {
    // B-16
    let line =
        r#"sh -c 'printf "{\"move\":\"%s|%s\"}\n" "$1" "$2"; read -r line' "a name" 'two  words' '*$HOME'"#;
    let mut argv = parse_command_line(line).expect("it splits");
    let mut spec = PolicySpec { limits: patient(), ..PolicySpec::new(argv.clone()) };
    spec.dir = Some("/".into());
    // The answer must not come before the turn.
    argv[2] = format!("read -r line; {}", argv[2]);
    spec.source = Source::Command(argv);
    let mut table = Table::start(spec);
    table.ask(1);
    assert_eq!(table.answer().await, (1, json!({"move": "two  words|*$HOME"})));
}

#[tokio::test]
async fn a_command_that_cannot_be_started_is_named_exactly() {
    // B-16
    for (argv, dir, message) in [
        (
            &["no such program", "an arg"][..],
            None,
            r#"cannot start ["no such program", "an arg"]: No such file or directory (os error 2)"#,
        ),
        (&["cat"], Some("/no/such/dir"), r#"cannot start ["cat"]: `/no/such/dir` is not a directory"#),
        (&[], None, "cannot start []: the command is empty"),
        (&["/"], None, r#"cannot start ["/"]: Permission denied (os error 13)"#),
    ] {
        let mut table = Table::start(PolicySpec { dir: dir.map(Into::into), ..command(argv) });
        let (how, _, expected) = table.exit().await;
        assert_eq!((how.to_string().as_str(), expected), (message, false));
    }
}

#[tokio::test]
async fn a_receiver_that_takes_nothing_holds_up_neither_limits_nor_the_end() {
    for polite in [true, false] {
        let (sender, _events) = mpsc::channel(1);
        let script = r#"while :; do echo '{"type":"ready"}'; echo nonsense; echo oops >&2; done"#;
        let policy = Policy::start(sh(script), Run(1), sender.clone());
        eventually("the channel is full", || sender.capacity() == 0).await;
        policy.observe(&turn(1, "{}")).expect("room");
        if polite {
            timeout(DEADLINE, policy.shutdown()).await.expect("in time");
        } else {
            let Policy { task, .. } = { policy };
            timeout(DEADLINE, task).await.expect("in time").expect("no panic");
        }
    }
}

#[tokio::test]
async fn a_policy_that_reads_its_input_ends_when_we_are_killed() {
    const NAME: &str = "policy::tests::a_policy_that_reads_its_input_ends_when_we_are_killed";
    if std::env::var_os("INNER_RUN").is_some() {
        let mut table = Table::start(command(&["cat"]));
        println!("pid {}", table.pid().await);
        table.exit().await;
        return;
    }
    let mut inner = run_again(NAME).stdout(std::process::Stdio::piped()).spawn().expect("it runs");
    let mut lines = BufReader::new(inner.stdout.take().expect("a pipe")).lines();
    let pid: u32 = loop {
        let line =
            timeout(DEADLINE, lines.next_line()).await.expect("in time").expect("text").expect("a line");
        if let Some((_, pid)) = line.split_once("pid ") {
            break pid.parse().expect("a process id");
        }
    };
    assert!(is_running(pid));
    inner.kill().await.expect("it runs");
    eventually("the policy is gone", || !is_running(pid)).await;
}

/// This test binary with one test, which then finds `INNER_RUN` in its environment.
fn run_again(name: &str) -> tokio::process::Command {
    let mut command = tokio::process::Command::new(std::env::current_exe().expect("a test binary"));
    command.args(["--exact", name, "--nocapture"]).env("INNER_RUN", "seen").kill_on_drop(true);
    command
}

/// The environment of a process cannot be changed safely while other tests run, so this one runs itself again.
#[tokio::test]
async fn a_policy_sees_no_secrets_and_inherits_no_open_files() {
    // B-19
    const NAME: &str = "policy::tests::a_policy_sees_no_secrets_and_inherits_no_open_files";
    if std::env::var_os("INNER_RUN").is_none() {
        let again = run_again(NAME)
            .env("GERT_API_KEY", "hush-1")
            .env("SOME_token_X", "hush-2")
            .env("ALLOWED_SECRET", "hush-3")
            .output();
        let output = timeout(DEADLINE, again).await.expect("in time").expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{text}");
        return;
    }
    let open = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a socket");
    let mut spec = sh("{ env; echo fds; ls -l /proc/$$/fd; } >&2");
    spec.pass_env = vec!["ALLOWED_SECRET".into()];
    let (sender, mut events) = mpsc::channel(256);
    let _policy = Policy::start(spec, Run(1), sender);
    let mut seen = Vec::new();
    while let Some(event) = timeout(DEADLINE, events.recv()).await.expect("in time") {
        if let PolicyEventKind::Stderr { lines, .. } = event.what {
            seen.extend(lines);
        }
    }
    let seen = seen.join("\n");
    assert!(!seen.contains("hush-1") && !seen.contains("hush-2"), "{seen}");
    for passed in ["ALLOWED_SECRET=hush-3", "INNER_RUN=seen", "PYTHONUNBUFFERED=1", "PATH="] {
        assert!(seen.contains(passed), "{passed}: {seen}");
    }
    // Only Linux can tell.
    if let Ok(socket) = std::fs::read_link(format!("/proc/self/fd/{}", open.as_raw_fd())) {
        let (_, fds) = seen.split_once("fds\n").expect("a listing");
        assert!(fds.contains(" 0 -> pipe:") && !fds.contains(&*socket.to_string_lossy()), "{fds}");
    }
}
