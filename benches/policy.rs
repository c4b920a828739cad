//! What a policy's turn costs on our side: the round trip through [`gert::policy`] beside a bare ping-pong over the same
//! pipes with the same child. The child is this program itself: it answers every `observe` with `[]`, so that what is
//! left between the two is the runner. Its median is meant to stay under 50 µs.
//!
//! The two take turns in short rounds, so that a machine that is busy for a while is busy for both. Run it on a quiet one.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use gert::policy::{Hello, Policy, PolicyEvent, PolicyEventKind, PolicySpec, Run, Turn};
use tokio::sync::mpsc;

/// The argument that makes this program the child.
const ECHO: &str = "--echo";
const ROUNDS: usize = 40;
/// Turns of a round; the first ones warm up and do not count.
const TURNS: usize = 250;
const WARM_UP: usize = 50;
/// Bytes of an observation: a small board, and a large one.
const SIZES: [usize; 2] = [300, 20_000];

fn main() {
    if std::env::args().any(|arg| arg == ECHO) {
        return echo();
    }
    println!("{:>12}  {:>6}  {:>9}  {:>9}  {:>9}", "OBSERVATION", "AT", "BARE", "RUNNER", "OURS");
    for size in SIZES {
        let observation = format!(r#"{{"board":"{}","tick":1}}"#, "x".repeat(size));
        let (mut bare, mut runner) = (Vec::new(), Vec::new());
        let mut pipe = Pipe::open();
        let mut table = Table::open();
        for _ in 0..ROUNDS {
            bare.extend(round(|nth| pipe.turn(nth, &observation)));
            runner.extend(round(|nth| table.turn(nth, &observation)));
        }
        pipe.close();
        table.close();
        bare.sort_unstable();
        runner.sort_unstable();
        for percent in [50, 90, 99] {
            let at = |sorted: &[Duration]| micros(sorted[(sorted.len() - 1) * percent / 100]);
            let (bare, runner) = (at(&bare), at(&runner));
            println!(
                "{size:>10} B  {percent:>4} %  {bare:>6.1} µs  {runner:>6.1} µs  {:>6.1} µs",
                runner - bare
            );
        }
    }
}

/// The policy: as little as one can be.
fn echo() {
    let mut input = std::io::stdin().lock();
    let mut output = std::io::stdout().lock();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        if line.starts_with(br#"{"type":"observe""#) && output.write_all(b"[]\n").is_err() {
            return;
        }
        if output.flush().is_err() {
            return;
        }
        line.clear();
    }
}

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

/// Times turns.
fn round(mut turn: impl FnMut(u64)) -> Vec<Duration> {
    let timed = (0..TURNS).map(|nth| {
        let begun = Instant::now();
        turn(nth as u64);
        begun.elapsed()
    });
    timed.skip(WARM_UP).collect()
}

/// The child with nothing in between.
struct Pipe {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: String,
}

impl Pipe {
    fn open() -> Self {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.arg(ECHO).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, input, output, line: String::new() }
    }

    fn turn(&mut self, nth: u64, observation: &str) {
        let message =
            format!(r#"{{"type":"observe","id":{nth},"tick":{nth},"observation":{observation}}}"#) + "\n";
        self.input.write_all(message.as_bytes()).expect("it reads");
        self.line.clear();
        self.output.read_line(&mut self.line).expect("it answers");
        assert_eq!(self.line, "[]\n");
    }

    fn close(mut self) {
        drop(self.input);
        self.child.wait().expect("it ends");
    }
}

/// The child as a policy.
struct Table {
    runtime: tokio::runtime::Runtime,
    policy: Policy,
    events: mpsc::Receiver<PolicyEvent>,
    turns: u64,
}

impl Table {
    fn open() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        let program = std::env::current_exe().expect("this program").display().to_string();
        let (sender, events) = mpsc::channel(64);
        let inside = runtime.enter();
        let policy = Policy::start(PolicySpec::new(vec![program, ECHO.into()]), Run(0), sender);
        policy.hello(&Hello { game: "bench".into(), seat: "p0".into(), ..Hello::default() }).expect("room");
        drop(inside);
        Self { runtime, policy, events, turns: 0 }
    }

    fn turn(&mut self, nth: u64, observation: &str) {
        self.turns += 1;
        let turn = Turn { id: self.turns, tick: nth, observation: observation.to_owned() };
        self.policy.observe(&turn).expect("room");
        let (events, wanted) = (&mut self.events, self.turns);
        self.runtime.block_on(async {
            loop {
                match events.recv().await.expect("it goes on").what {
                    PolicyEventKind::Answered { id, .. } if id == wanted => return,
                    PolicyEventKind::Exited { how, .. } => panic!("the child {how}"),
                    _ => {}
                }
            }
        });
    }

    fn close(self) {
        self.runtime.block_on(self.policy.shutdown());
    }
}
