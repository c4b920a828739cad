//! The steps of a check, in the order in which they are tried. Each starts a process of its own.

use std::time::Duration;

use serde_json::Value;

use super::observations::{Match, Seen, hostile, huge};
use super::report::{Finding, Report, Step, Verdict};
use super::talk::Talk;
use crate::policy::{Exit, PolicySpec, end_marked};

/// How long to listen for what nobody asked for.
const SETTLE: Duration = Duration::from_millis(150);
/// Lines on standard error for each turn above which a log is no help any more.
const MUCH: u64 = 100;

/// A conversation that failed, to be written down.
pub(super) struct Failing {
    pub(super) step: usize,
    pub(super) script: Vec<String>,
    pub(super) not_awaited: Vec<u64>,
}

/// What is checked, and what was found so far.
pub(super) struct Check<'a> {
    spec: &'a PolicySpec,
    matches: &'a [Match],
    pub(super) report: Report,
    pub(super) failing: Option<Failing>,
    tell: &'a mut dyn FnMut(usize, &Step),
    is_over: bool,
    /// It says when it is up.
    says_ready: bool,
    latencies: Vec<Duration>,
}

type Found = Result<Verdict, Finding>;

#[expect(clippy::unnecessary_wraps, reason = "every step ends in what it found")]
fn fine(words: impl Into<String>) -> Found {
    Ok(Verdict::Ok(words.into()))
}

impl<'a> Check<'a> {
    pub(super) fn new(
        spec: &'a PolicySpec,
        matches: &'a [Match],
        tell: &'a mut dyn FnMut(usize, &Step),
    ) -> Self {
        let (report, latencies) = (Report::default(), Vec::new());
        Self { spec, matches, report, failing: None, tell, is_over: false, says_ready: false, latencies }
    }

    /// Tries everything.
    pub(super) async fn run(&mut self) {
        self.starts().await;
        self.plays().await;
        self.refused().await;
        self.quickly().await;
        self.next_match().await;
        self.hostile().await;
        self.huge().await;
        self.same_again().await;
        self.leaves().await;
    }

    fn put(&mut self, name: &'static str, found: Found, talk: Option<&Talk>) {
        let verdict = found.unwrap_or_else(Verdict::Fail);
        let n = self.report.steps.len() + 1;
        if let (Verdict::Fail(finding), Some(talk)) = (&verdict, talk) {
            self.is_over |= finding.is_fatal;
            let was_started =
                !matches!(&talk.exit, Some((Exit::NotStarted { .. } | Exit::Refused { .. }, _)));
            let (script, not_awaited) = (talk.script.clone(), talk.not_awaited.clone());
            if was_started {
                self.failing.get_or_insert(Failing { step: n - 1, script, not_awaited });
            }
        }
        let step = Step { name, verdict, saved: None };
        (self.tell)(n, &step);
        self.report.steps.push(step);
    }

    /// True if nothing more can be tried; then the step is put down as such.
    fn skips(&mut self, name: &'static str) -> bool {
        if self.is_over {
            self.put(name, Ok(Verdict::Skipped), None);
        }
        self.is_over
    }

    fn first(&self) -> Option<(&'a Match, &'a Seen)> {
        let first = self.matches.iter().find(|played| !played.seen.is_empty())?;
        Some((first, first.seen.first()?))
    }

    async fn starts(&mut self) {
        let mut talk = Talk::start(self.spec);
        let Some((played, seen)) = self.first() else { return };
        talk.hello(&played.hello);
        let is_ready = !self.spec.answers_in_text() && talk.wait_ready().await;
        self.says_ready = is_ready;
        let found = if is_ready {
            let name =
                talk.name.clone().map(|name| format!(", and calls itself `{name}`")).unwrap_or_default();
            fine(format!("says that it is ready{name}"))
        } else if talk.exit.is_some() {
            Err(talk.gone())
        } else {
            match talk.ask(1, seen).await {
                Ok(_) => fine("says nothing of being ready, and answers its first turn"),
                Err(finding) => Err(finding.at("the first turn")),
            }
        };
        self.put("starts", found, Some(&talk));
    }

    /// All games in one process; what is wrong with the answers is told in steps of their own.
    async fn plays(&mut self) {
        let name = "answers";
        if self.skips(name) {
            for name in ["one answer a turn", "standard output", "legal", "standard error", "speed"] {
                self.skips(name);
            }
            return;
        }
        let mut talk = Talk::start(self.spec);
        let (mut id, mut fault, mut illegal) = (16, None, None);
        'games: for played in self.matches {
            talk.hello(&played.hello);
            // Starting is not what is measured.
            if self.says_ready {
                talk.wait_ready().await;
            }
            for seen in &played.seen {
                id += 1;
                match talk.ask(id, seen).await {
                    Ok(action) => {
                        let why = seen.judge(&action).err();
                        illegal = illegal.or(why.map(|why| (played.hello.game.clone(), action, why)));
                    }
                    Err(finding) => {
                        fault = Some(finding.at(&format!("{}, tick {}", played.hello.game, seen.tick)));
                        break 'games;
                    }
                }
            }
            talk.end();
        }
        talk.settle(SETTLE).await;
        let n_turns = talk.latencies.len();
        let talk = talk.leave().await;
        let answered = match fault {
            Some(finding) => Err(finding),
            None => fine(format!("{n_turns} turns of {}", games(self.matches))),
        };
        self.put(name, answered, Some(&talk));
        self.put("one answer a turn", once(&talk), Some(&talk));
        self.put("standard output", output(&talk), Some(&talk));
        self.put("legal", legal(illegal), None);
        self.put("standard error", errors(&talk, n_turns as u64), None);
        self.latencies.clone_from(&talk.latencies);
        self.put("speed", self.speed(), None);
    }

    fn speed(&self) -> Found {
        let mut sorted = self.latencies.clone();
        sorted.sort_unstable();
        let at = |share: usize| sorted.get((sorted.len() * share / 100).min(sorted.len().saturating_sub(1)));
        match (at(50), at(99)) {
            (Some(half), Some(most)) => {
                fine(format!("half of the turns within {}, 99 % within {}", shown(*half), shown(*most)))
            }
            _ => Ok(Verdict::Skipped),
        }
    }

    async fn refused(&mut self) {
        let name = "a refused answer";
        if self.skips(name) {
            return;
        }
        let Some((played, seen)) = self.first() else { return };
        let mut talk = Talk::start(self.spec);
        talk.hello(&played.hello);
        let found = if let Err(finding) = talk.ask(17, seen).await {
            Err(finding)
        } else {
            talk.reject(17, "column 3 is full");
            match talk.ask(17, seen).await {
                Ok(_) => fine("answers the turn again after `reject`"),
                Err(finding) => Err(finding
                    .at("after `reject`")
                    .hint("a `reject` message is followed by the same `observe` again: answer that one")),
            }
        };
        self.put(name, found, Some(&talk));
    }

    async fn quickly(&mut self) {
        let name = "turns in quick succession";
        if self.skips(name) {
            return;
        }
        let Some((played, seen)) = self.first() else { return };
        let mut talk = Talk::start(self.spec);
        talk.hello(&played.hello);
        // The process is up first: starting is not what is measured.
        let mut found = talk.ask(20, seen).await.map(|_| ());
        if found.is_ok() {
            talk.put(21, seen);
            talk.put(22, seen);
            found = talk.ask(23, seen).await.map(|_| ());
        }
        let found = match found {
            Ok(()) => fine("answers the newest of three turns that come at once"),
            Err(finding) => {
                Err(finding.at("three turns at once").hint("answer each turn, in their order, with its `id`"))
            }
        };
        self.put(name, found, Some(&talk));
    }

    async fn next_match(&mut self) {
        let name = "the next match";
        if self.skips(name) {
            return;
        }
        let Some((played, seen)) = self.first() else { return };
        let mut talk = Talk::start(self.spec);
        talk.hello(&played.hello);
        let mut found = talk.ask(30, seen).await.map(|_| ());
        if found.is_ok() {
            talk.put(31, seen);
            talk.end();
            let mut hello = played.hello.clone();
            hello.seat = "p1".into();
            talk.hello(&hello);
            found = talk.ask(32, seen).await.map(|_| ());
        }
        let found = match found {
            Ok(()) => fine("plays on after `end` in the middle of a turn and a second `hello`"),
            Err(finding) => Err(finding
                .at("after `end` and a second `hello`")
                .hint("one process plays many matches: `hello` begins the next one")),
        };
        self.put(name, found, Some(&talk));
    }

    async fn hostile(&mut self) {
        let name = "odd observations";
        if self.skips(name) {
            return;
        }
        let odd = hostile(self.matches.first());
        let mut talk = Talk::start(self.spec);
        talk.hello(&odd.hello);
        let most = if self.spec.answers_in_text() { 1 } else { usize::MAX };
        let mut found = fine("answers whatever it is shown, `[]` at least");
        for (seen, id) in odd.seen.iter().take(most).zip(40..) {
            if let Err(finding) = talk.ask(id, seen).await {
                let hint =
                    "a later version of a game may look like this: answer `[]` to what is not understood";
                found = Err(finding.at(seen.about).hint(hint).bearable());
                break;
            }
        }
        self.put(name, found, Some(&talk));
    }

    async fn huge(&mut self) {
        let name = "a long line";
        if self.skips(name) {
            return;
        }
        if self.spec.answers_in_text() {
            self.put(name, Ok(Verdict::Skipped), None);
            return;
        }
        let mut talk = Talk::start(self.spec);
        let Some((played, _)) = self.first() else { return };
        talk.hello(&played.hello);
        let found = match talk.ask(60, &huge()).await {
            Ok(_) => fine("reads a line of a megabyte"),
            Err(finding) => {
                let hint = "read whole lines, however long: no buffer of a fixed size";
                Err(finding.at("a line of a megabyte").hint(hint).bearable())
            }
        };
        self.put(name, found, Some(&talk));
    }

    async fn same_again(&mut self) {
        let name = "the same again";
        if self.skips(name) {
            return;
        }
        if self.spec.answers_in_text() {
            self.put(name, Ok(Verdict::Skipped), None);
            return;
        }
        let Some((played, _)) = self.first() else { return };
        let mut answers = Vec::new();
        for _ in 0..2 {
            let mut talk = Talk::start(self.spec);
            talk.hello(&played.hello);
            let mut heard = Vec::new();
            for (seen, id) in played.seen.iter().zip(70..) {
                heard.push(talk.ask(id, seen).await.ok());
            }
            answers.push(heard);
        }
        let found = if answers[0] == answers[1] {
            fine("plays the same with the same seed")
        } else {
            Ok(Verdict::Warn(Finding::new("plays differently with the same seed").hint(
                "seed your generator from `seed` and `seat` of `hello`: then a match can be played again",
            )))
        };
        self.put(name, found, None);
    }

    async fn leaves(&mut self) {
        let name = "the end";
        if self.skips(name) {
            self.skips("its processes");
            return;
        }
        let Some((played, seen)) = self.first() else { return };
        let mut talk = Talk::start(self.spec);
        talk.hello(&played.hello);
        let answered = talk.ask(80, seen).await;
        talk.end();
        let talk = talk.leave().await;
        let found = answered.and_then(|_| ended(&talk, self.spec));
        self.put(name, found, Some(&talk));
        self.put("its processes", family(&talk).await, Some(&talk));
    }
}

/// Looks for what a policy that has left started and did not end; ends it.
pub(super) async fn family(talk: &Talk) -> Found {
    if !talk.left_behind.is_empty() {
        // They were killed and are told; what is found then is something else.
        tokio::time::sleep(SETTLE).await;
    }
    let mark = talk.mark.clone();
    let away = tokio::task::spawn_blocking(move || end_marked(&mark)).await.unwrap_or_default();
    let (left, how) = if away.is_empty() {
        (&talk.left_behind, "had to be killed")
    } else {
        (&away, "had left its group, so that only this check ended it")
    };
    let Some(command) = left.first() else { return fine("nothing that it started goes on after it") };
    let count = if left.len() == 1 { "a process".to_owned() } else { format!("{} processes", left.len()) };
    Err(Finding::new(format!("leaves {count} behind that {how}"))
        .line(command.clone())
        .hint("end what you start, and wait for it, before you exit; start nothing in a session of its own"))
}

/// The games with their names.
fn games(matches: &[Match]) -> String {
    matches.iter().map(|played| played.hello.game.as_str()).collect::<Vec<_>>().join(", ")
}

fn lines(n: u64) -> String {
    if n == 1 { "1 line".into() } else { format!("{n} lines") }
}

fn shown(latency: Duration) -> String {
    let millis = latency.as_secs_f64() * 1000.0;
    if millis < 10.0 { format!("{millis:.2} ms") } else { format!("{millis:.0} ms") }
}

fn once(talk: &Talk) -> Found {
    if talk.n_stale == 0 {
        return fine("no answer that nobody asked for");
    }
    let id = talk.stale_id.map(|id| format!(", the last with the id {id}")).unwrap_or_default();
    Err(Finding::new(format!("{} answers to turns that were not open{id}", talk.n_stale))
        .hint("write one answer for each `observe`: a second one could be taken for the next turn's"))
}

fn output(talk: &Talk) -> Found {
    let Some((line, why)) = &talk.garbage else { return fine("only lines of the protocol") };
    Err(Finding::new(format!("{} that are no answer: {why}", lines(talk.n_garbage)))
        .line(line.clone())
        .hint("write debugging output to standard error: in Python `print(..., file=sys.stderr)`"))
}

/// How it left.
fn ended(talk: &Talk, spec: &PolicySpec) -> Found {
    let patience = spec.limits.shutdown.as_millis();
    match &talk.exit {
        Some((Exit::Code(0), _)) => fine(format!("leaves within {patience} ms of the end of its input")),
        Some((Exit::Signal(signal @ (9 | 15)), _)) => {
            let how = if *signal == 9 { "killed" } else { "terminated" };
            let words = format!("stays after the end of its input: it had to be {how} after {patience} ms");
            Err(Finding::new(words).hint(
                "end when standard input ends: a read gives nothing, or the loop over its lines is over",
            ))
        }
        Some((how, _)) => Ok(Verdict::Warn(
            Finding::new(format!("at the end of its input it {how}")).hint("end with exit code 0"),
        )),
        None => Err(Finding::new("does not end, not even when it is killed")),
    }
}

/// What is wrong apart from the answers.
pub(super) fn noise(talk: &Talk, spec: &PolicySpec) -> Option<Finding> {
    once(talk).and(output(talk)).and(ended(talk, spec)).err()
}

fn legal(illegal: Option<(String, Value, String)>) -> Found {
    let Some((game, action, why)) = illegal else { return fine("every action could be played") };
    Ok(Verdict::Warn(
        Finding::new(format!("{game}: an action that is not allowed: {why}"))
            .line(action.to_string())
            .hint("take actions from `_action_space` where the observation has it"),
    ))
}

fn errors(talk: &Talk, n_turns: u64) -> Found {
    let n = talk.n_stderr;
    if n <= MUCH.saturating_mul(n_turns.max(1)) {
        return fine(lines(n));
    }
    Ok(Verdict::Warn(
        Finding::new(format!("{} in {n_turns} turns", lines(n))).hint("only the newest are kept: write less"),
    ))
}
