//! Submitted programs, good and bad (arena.md §9): each bad one fails by exactly its code, and none leaves a process or a
//! folder behind.
#![cfg(unix)]

mod fallback;
mod matches;
mod rules;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use gert::arena::games;
use gert::arena::matches::{FailureCode, Matches, Order, Player, SeatRecord};
use gert::arena::sandbox::{Entry, File, Level, Limits, Program, Refusal, Sandbox, Source};
use tokio_util::sync::CancellationToken;

use FailureCode::{
    CpuExceeded, Crashed, MalformedAction, MemoryExceeded, OutputExceeded, ProtocolError, RejectedAction,
    StartupFailed, Timeout,
};

fn sandbox() -> Sandbox {
    Sandbox::new(PathBuf::from(env!("CARGO_BIN_EXE_gert")))
}

/// Nobody who plays fails by these, however slow the machine.
fn patient() -> Limits {
    let long = Duration::from_mins(1);
    Limits { start: long, first: long, turn: long, ..Limits::default() }
}

/// Whoever does not answer fails soon.
fn hasty() -> Limits {
    Limits { turn: Duration::from_millis(50), ..patient() }
}

/// Plays the first column that has room.
const PLAYER: &str = r#"
def act(observation, seat, info):
    return [{"action": "drop", "column": observation["legal_columns"][0]}]
"#;

/// Code of Python as a block, its last line ended.
fn indent(code: &str, by: usize) -> String {
    let blanks = " ".repeat(by);
    let lines: Vec<&str> = code.trim().lines().collect();
    format!("{blanks}{}\n", lines.join(&format!("\n{blanks}")))
}

/// A module that does this at its second turn, and then plays on.
fn at_second_turn(what: &str) -> Source {
    let indented = indent(what, 8);
    Source::python(&format!(
        "import os, signal, socket, subprocess, sys, threading, time\nn_turns = 0\n\
         def act(observation, seat, info):\n    global n_turns\n    n_turns += 1\n    if n_turns == 2:\n{indented}    \
         return [{{\"action\": \"drop\", \"column\": observation[\"legal_columns\"][0]}}]\n"
    ))
}

/// A program that speaks the protocol itself: `answer(id, observation)` gives what it writes for each turn.
fn process(before: &str, answer: &str) -> Source {
    let code = format!(
        "import json, os, signal, sys, time\n\
         def drop(turn, observation):\n    \
         return json.dumps({{'id': turn, 'action': {{'action': 'drop', 'column': observation['legal_columns'][0]}}}}) + '\\n'\n\
         def answer(turn, observation):\n{}\
         def say(text):\n    os.write(1, text.encode())\n\
         {before}\n\
         for line in sys.stdin:\n    message = json.loads(line)\n    if message['type'] == 'observe':\n        \
         say(answer(message['id'], message['observation']))\n",
        indent(answer, 4)
    );
    let file = File { name: "main.py".into(), bytes: code.into_bytes() };
    Source::command("main.py", vec![file])
}

/// Plays one match of `connect_four` at the first seat, and looks whether anything is left afterwards.
async fn play(mut source: Source, limits: Limits) -> SeatRecord {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let mark = format!("zoo-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    if let Entry::Command(command) = &mut source.entry {
        *command = format!("{command} {mark}");
    }
    let sandbox = sandbox();
    let program = Program::prepare(&sandbox, source, limits).await.unwrap();
    let mut series = Matches::with_room(1).series();
    let random = Player::BuiltIn("random".into());
    let game = games::find("connect_four").unwrap();
    let order = Order::new(game, 1, vec![Player::Program(program.clone()), random]);
    let record = series.play(&order, &CancellationToken::new()).await.unwrap();
    series.close().await;
    drop((order, program));
    assert_eq!(running(&mark), Vec::<String>::new());
    assert_nothing_left(sandbox);
    record.seats[0].clone()
}

/// The processes that have this in their command line.
fn running(word: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    lines.map(|line| String::from_utf8_lossy(&line).into_owned()).filter(|line| line.contains(word)).collect()
}

/// The launcher has the folder in what it is told, the shim in its name; other commands are marked.
fn assert_nothing_left(sandbox: Sandbox) {
    let folder = sandbox.folder().unwrap().to_owned();
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["lock"], "folders are left");
    assert_eq!(running(folder.to_str().unwrap()), Vec::<String>::new());
    drop(sandbox);
    assert!(!folder.exists());
}

async fn assert_fails(animal: &str, source: Source, limits: Limits, code: FailureCode) -> String {
    let seat = play(source, limits).await;
    let failure = seat.failure.unwrap_or_else(|| panic!("{animal} plays on"));
    assert_eq!(failure.code, code, "{animal}: {failure:?}");
    assert_eq!((seat.score, seat.outcome), (0.0, "lost"), "{animal}");
    format!("{}\n{}", failure.detail, failure.stderr.join("\n"))
}

async fn assert_plays(animal: &str, source: Source) -> SeatRecord {
    let seat = play(source, patient()).await;
    assert_eq!(seat.failure, None, "{animal}");
    seat
}

#[tokio::test]
async fn who_does_not_answer_runs_out_of_time() {
    let start = Duration::from_millis(400);
    let soon = || Limits { start, first: Duration::from_millis(50), ..hasty() };
    let never_reads = "while True: time.sleep(1)";
    assert_fails("never reads", process(never_reads, "return ''"), soon(), StartupFailed).await;
    assert_fails("never answers", process("", "return ''"), soon(), StartupFailed).await;
    let ready = r#"say('{"type": "ready"}\n')"#;
    let first = Duration::from_millis(50);
    let told = assert_fails(
        "ready, never answers",
        process(ready, "return ''"),
        Limits { first, ..hasty() },
        Timeout,
    )
    .await;
    assert!(told.contains("150 ms"), "three times the soft limit: {told}");
    assert_fails("sleeps", at_second_turn("time.sleep(3600)"), hasty(), Timeout).await;
    assert_fails("infinite loop", at_second_turn("while True: pass"), hasty(), Timeout).await;
    let stubborn = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: pass";
    assert_fails("ignores SIGTERM", at_second_turn(stubborn), hasty(), Timeout).await;
}

#[tokio::test]
async fn who_breaks_the_protocol_is_out() {
    let twice = "return drop(turn, observation) * 2";
    let told = assert_fails("answers twice", process("", twice), patient(), ProtocolError).await;
    assert!(told.contains("a second time"), "{told}");
    let told =
        assert_fails("garbage", process("", "return 'let me think\\n'"), patient(), ProtocolError).await;
    assert!(told.contains("let me think"), "{told}");
    assert_fails("wrong id", process("", "return drop(turn + 1, observation)"), patient(), ProtocolError)
        .await;
    let endless = "while True: os.write(1, b'x' * (1 << 20))";
    let told = assert_fails("endless line", process("", endless), patient(), ProtocolError).await;
    assert!(told.contains("256 KiB"), "{told}");
    assert_fails("prints in process mode", process("", "print('x')\nreturn ''"), patient(), ProtocolError)
        .await;
}

#[tokio::test]
async fn who_ends_has_crashed_or_never_started() {
    assert_fails("exits at once", process("sys.exit(3)", "pass"), patient(), StartupFailed).await;
    let told = assert_fails(
        "exits",
        process("", "if turn == 2: os._exit(7)\nreturn drop(turn, observation)"),
        patient(),
        Crashed,
    )
    .await;
    assert!(told.contains("code 7"), "{told}");
    let told = assert_fails("raises", at_second_turn("raise ValueError('oh no')"), patient(), Crashed).await;
    assert!(told.contains("oh no") && told.contains("main.py") && !told.contains("shim.py"), "{told}");
    assert_fails("aborts", at_second_turn("os.abort()"), patient(), Crashed).await;
    let closes = "say(drop(turn, observation))\nos.close(0)\nwhile True: time.sleep(1)";
    let told = assert_fails("closes its input", process("", closes), patient(), Crashed).await;
    assert!(told.contains("standard input"), "{told}");
    let closes = "os.close(1)\nwhile True: time.sleep(1)";
    assert_fails("closes its output", process("say('{\"type\": \"ready\"}\\n')", closes), patient(), Crashed)
        .await;
    for (animal, code, said) in [
        ("no act", "x = 1", "no function `act"),
        ("no module", "import nowhere_to_be_found", "nowhere_to_be_found"),
        ("raises early", "1 / 0", "ZeroDivisionError"),
    ] {
        let told = assert_fails(animal, Source::python(code), patient(), StartupFailed).await;
        assert!(told.contains(said), "{animal}: {told}");
    }
}

#[tokio::test]
async fn who_takes_too_much_is_told_what() {
    let told = assert_fails("memory", at_second_turn("bytearray(1 << 30)"), patient(), MemoryExceeded).await;
    assert!(told.contains("MemoryError"), "{told}");
    let bomb = "hoard = []\nwhile True: hoard.append(bytearray(1 << 20))";
    assert_fails("memory bomb", at_second_turn(bomb), patient(), MemoryExceeded).await;
    assert_fails("memory in process mode", process("bytearray(1 << 30)", "pass"), patient(), MemoryExceeded)
        .await;
    let big = "open('big', 'wb').write(b'x' * (2 << 20))";
    assert_fails("large file", at_second_turn(big), patient(), OutputExceeded).await;
    let signal = format!("signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n{big}");
    assert_fails("large file, by signal", process("", &signal), patient(), OutputExceeded).await;
    let short = Limits { cpu: Duration::from_secs(1), ..patient() };
    assert_fails("processor time", at_second_turn("while True: pass"), short, CpuExceeded).await;
}

#[tokio::test]
async fn who_does_what_nobody_needs_gets_an_error() {
    let sandbox = sandbox();
    let probed = sandbox.probed().await.clone();
    let holds = |name: &str| probed.layers.iter().any(|layer| layer.name == name && layer.holds);
    let home = std::env::var("HOME").unwrap_or_else(|_| "/root".into());
    for (animal, layer, what) in [
        ("reads passwords", "Landlock", "open('/etc/passwd')".to_owned()),
        ("looks at home", "Landlock", format!("os.listdir({home:?})")),
        ("reads processes", "Landlock", "open('/proc/self/environ')".into()),
        ("writes elsewhere", "Landlock", "open('/tmp/gert-zoo-was-here', 'w')".into()),
        ("writes next to its folder", "Landlock", "open(os.path.join(os.getcwd(), '..', 'x'), 'w')".into()),
        ("opens a socket", "seccomp", "socket.socket()".into()),
        ("opens a pair of sockets", "seccomp", "socket.socketpair()".into()),
        ("signals its parent", "seccomp", "os.kill(os.getppid(), signal.SIGTERM)".into()),
        ("signals everybody", "seccomp", "os.kill(-1, signal.SIGKILL)".into()),
        ("forks", "seccomp", "os.fork()".into()),
        ("starts a program", "seccomp", "subprocess.run(['/bin/true'])".into()),
    ] {
        if !holds(layer) {
            assert!(
                probed.level < Level::Strong,
                "{animal} can only be left out where {layer} does not hold"
            );
            continue;
        }
        let source =
            at_second_turn(&format!("try: {what}\nexcept OSError: pass\nelse: sys.exit('it worked')"));
        assert_plays(animal, source).await;
        // Uncaught, it is a crash like any other, and says what was refused.
        if ["forks", "reads passwords"].contains(&animal) {
            let told = assert_fails(animal, at_second_turn(&what), patient(), Crashed).await;
            assert!(told.contains("PermissionError"), "{told}");
        }
    }
    if holds("seccomp") {
        let bomb = "while True:\n    try: os.fork()\n    except OSError: pass";
        assert_fails("fork bomb", at_second_turn(bomb), hasty(), Timeout).await;
    }
    if holds("scratch") {
        let fill = "for n in range(20): open(str(n), 'wb').write(b'x' * 1000000)";
        assert_fails("many files", at_second_turn(fill), patient(), OutputExceeded).await;
    }
}

#[tokio::test]
async fn who_does_nothing_wrong_plays_on() {
    assert_plays("a module", Source::python(PLAYER)).await;
    assert_plays("a program", process("", "return drop(turn, observation)")).await;
    assert_plays("prints", at_second_turn("print('hello')\nos.write(1, b'hello\\n')")).await;
    assert_plays("closes the input of the shim", at_second_turn("os.close(0)")).await;
    assert_plays("threads", at_second_turn("t = threading.Thread(target=print)\nt.start()\nt.join()")).await;
    assert_plays(
        "writes a file",
        at_second_turn("open('note', 'w').write('x')\nassert open('note').read() == 'x'"),
    )
    .await;
    let chatty = "for _ in range(100000): print('x' * 100)";
    assert_plays("floods stderr", at_second_turn(chatty)).await;
    let decide = PLAYER.replace("act(observation, seat, info)", "decide(observation)");
    assert_plays("has another name for act", Source::python(&decide)).await;
    let shell = "while read -r line; do case $line in *observe*) echo '[{\"action\":\"drop\",\"column\":3}]';; esac; done";
    let file = File { name: "run.sh".into(), bytes: shell.into() };
    let seat = play(Source::command("run.sh", vec![file]), patient()).await;
    assert!(seat.failure.is_none_or(|failure| failure.code == RejectedAction), "a column gets full");
}

#[tokio::test]
async fn what_is_no_program_is_refused_at_once() {
    let sandbox = sandbox();
    let refused = async |source| Program::prepare(&sandbox, source, patient()).await.unwrap_err();
    let Refusal::Startup { why, stderr } = refused(Source::python("def act(:")).await else { panic!() };
    assert!(why.contains("SyntaxError"), "{why}");
    assert!(stderr.iter().any(|line| line.contains("main.py") && line.contains("line 1")), "{stderr:?}");
    let Refusal::Startup { why, .. } = refused(Source::command("no-such-program --fast", Vec::new())).await
    else {
        panic!()
    };
    assert!(why.contains("`no-such-program`"), "{why}");
    assert!(matches!(refused(Source::command("", Vec::new())).await, Refusal::Source(_)));
    let broken = Sandbox::new("/bin/false".into());
    let refused = Program::prepare(&broken, Source::python(PLAYER), patient()).await.unwrap_err();
    assert!(matches!(refused, Refusal::Host(_)), "{refused:?}");
    assert_nothing_left(sandbox);
}
