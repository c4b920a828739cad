//! Runs a program in a terminal of its own and looks at the screen. Waits for conditions, with a deadline.
//!
//! The program gets an environment of its own too: nothing of the user's, and an empty home that goes with the test.

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, SlavePty, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The program under test.
pub(super) const GERT: &str = env!("CARGO_BIN_EXE_gert");

/// How long any one condition may take. Generous: it only costs time when a test fails.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// A program in a terminal. Dropping it kills the program.
pub(super) struct Pty {
    /// `None` once the terminal was closed.
    master: Option<Box<dyn MasterPty + Send>>,
    /// Kept open, so that the terminal can be looked at after the program ended.
    slave: Option<Box<dyn SlavePty + Send>>,
    keys: Option<Box<dyn Write + Send>>,
    child: Box<dyn Child + Send + Sync>,
    output: Receiver<Vec<u8>>,
    closing: Arc<AtomicBool>,
    screen: vt100::Parser,
    /// Every byte that came.
    pub(super) bytes: Vec<u8>,
    /// As it was at the start, and when the program had ended.
    termios: (String, Option<String>),
    home_dir: TempDir,
}

impl Pty {
    /// Starts a program; `args[0]` is its path.
    pub(super) fn spawn(args: &[&str], size: (u16, u16)) -> Self {
        Self::spawn_with(args, &[], size)
    }

    /// Starts a program with these variables set beside the usual ones; one that is set to nothing is not set.
    pub(super) fn spawn_with(args: &[&str], variables: &[(&str, &str)], (columns, rows): (u16, u16)) -> Self {
        let home = tempfile::tempdir().unwrap();
        let home_path = home.path().to_str().unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = CommandBuilder::from_argv(args.iter().map(Into::into).collect());
        command.cwd(env!("CARGO_MANIFEST_DIR"));
        command.env_clear();
        let usual = [
            ("PATH", &*path),
            ("HOME", home_path),
            ("TMPDIR", home_path),
            ("LANG", "C.UTF-8"),
            ("TERM", "xterm-256color"),
        ];
        for (name, value) in usual.iter().chain(variables) {
            if value.is_empty() {
                command.env_remove(name);
            } else {
                command.env(name, value);
            }
        }
        let pair = native_pty_system().openpty(size(columns, rows)).unwrap();
        let termios = termios(&*pair.master);
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (tx, output) = sync_channel(1024);
        let closing = Arc::new(AtomicBool::new(false));
        let close = Arc::clone(&closing);
        thread::spawn(move || {
            let mut bytes = vec![0; 65536];
            while let Ok(n @ 1..) = reader.read(&mut bytes) {
                if close.load(Ordering::SeqCst) || tx.send(bytes[..n].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self {
            keys: Some(pair.master.take_writer().unwrap()),
            master: Some(pair.master),
            slave: Some(pair.slave),
            child,
            output,
            closing,
            screen: emulator(columns, rows),
            bytes: Vec::new(),
            termios: (termios, None),
            home_dir: home,
        }
    }

    /// The home of the program, which goes with the test.
    pub(super) fn home(&self) -> &std::path::Path {
        self.home_dir.path()
    }

    /// What the screen shows.
    pub(super) fn screen_text(&self) -> String {
        self.screen.screen().contents()
    }

    /// The rows of the screen.
    pub(super) fn rows(&self) -> Vec<String> {
        let screen = self.screen.screen();
        screen.rows(0, screen.size().1.into()).collect()
    }

    /// Whether the screen contains the text.
    pub(super) fn shows(&self, text: &str) -> bool {
        self.screen_text().contains(text)
    }

    /// The number behind the first place where the screen shows this text.
    pub(super) fn number_after(&self, text: &str) -> Option<f64> {
        let shown = self.screen_text();
        let (_, rest) = shown.split_once(text)?;
        let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        digits.parse().ok()
    }

    /// Whether the cell where this text begins is drawn in reverse.
    pub(super) fn is_reversed(&self, text: &str) -> bool {
        let found = self.rows().iter().enumerate().find_map(|(row, line)| {
            let (before, _) = line.split_once(text)?;
            Some((row as u16, before.chars().count() as u16))
        });
        found
            .and_then(|(row, column)| self.screen.screen().cell(row, column))
            .is_some_and(vt100::Cell::inverse)
    }

    /// Waits until the screen contains the text.
    #[track_caller]
    pub(super) fn wait_for(&mut self, text: &str) {
        self.wait_until(&format!("the screen shows {text:?}"), |pty| pty.shows(text));
    }

    /// Waits until something holds; on a screen it is asked about whole frames only.
    #[track_caller]
    pub(super) fn wait_until(&mut self, what: &str, mut holds: impl FnMut(&Self) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if !self.is_on("2026") && holds(self) {
                return;
            }
            // Also without output: what is waited for may be the terminal's modes.
            if self.take_output(Duration::from_millis(20)).is_break() || Instant::now() > deadline {
                assert!(holds(self), "never: {what}\n{}", self.screen_text());
                return;
            }
        }
    }

    /// Waits until what is computed from the screen is there, and returns it.
    #[track_caller]
    pub(super) fn wait_some<T>(&mut self, what: &str, mut find: impl FnMut(&Self) -> Option<T>) -> T {
        let mut found = None;
        self.wait_until(what, |pty| {
            found = find(pty);
            found.is_some()
        });
        found.expect("it was waited for")
    }

    /// Waits until no output has come for this long; returns how many bytes came before.
    pub(super) fn wait_quiet(&mut self, quiet: Duration) -> usize {
        let before = self.bytes.len();
        let deadline = Instant::now() + PATIENCE;
        loop {
            let seen = self.bytes.len();
            let ended = self.take_output(quiet).is_break();
            if ended || seen == self.bytes.len() {
                return seen - before;
            }
            assert!(Instant::now() < deadline, "the output never rests");
        }
    }

    /// Writes keys.
    pub(super) fn send(&mut self, keys: &str) {
        let writer = self.keys.as_mut().expect("the terminal is open");
        writer.write_all(keys.as_bytes()).unwrap();
        writer.flush().unwrap();
    }

    /// Gives the terminal another size.
    pub(super) fn resize(&mut self, columns: u16, rows: u16) {
        self.master.as_ref().expect("the terminal is open").resize(size(columns, rows)).unwrap();
        self.screen.screen_mut().set_size(cells(rows, 24), cells(columns, 80));
    }

    /// Sends a signal to the program.
    pub(super) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// The process that was started.
    pub(super) fn pid(&self) -> Pid {
        let pid = i32::try_from(self.child.process_id().expect("it was started")).unwrap();
        Pid::from_raw(pid).unwrap()
    }

    /// Waits for the program to end, for this long at most.
    pub(super) fn ended_within(&mut self, limit: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().unwrap() {
                self.take_rest();
                return Some(status);
            }
            if self.take_output(Duration::from_millis(10)).is_break() {
                thread::park_timeout(Duration::from_millis(10));
            }
        }
        None
    }

    /// Takes what the program wrote last. With no writer left the reader comes to an end.
    fn take_rest(&mut self) {
        self.termios.1 = self.master.as_deref().map(termios);
        self.slave = None;
        let deadline = Instant::now() + PATIENCE;
        while self.take_output(Duration::from_millis(20)).is_continue() && Instant::now() < deadline {}
    }

    /// Takes output if some comes in time; break if none can come any more.
    fn take_output(&mut self, wait: Duration) -> ControlFlow<()> {
        match self.output.recv_timeout(wait) {
            Ok(bytes) => {
                self.screen.process(&bytes);
                self.bytes.extend(bytes);
                Continue(())
            }
            Err(RecvTimeoutError::Timeout) => Continue(()),
            Err(RecvTimeoutError::Disconnected) => Break(()),
        }
    }

    /// Waits for the program to end and returns its exit status.
    #[track_caller]
    pub(super) fn wait_exit(&mut self) -> u32 {
        let status = self.ended_within(PATIENCE);
        status.unwrap_or_else(|| panic!("it does not end\n{}", self.screen_text())).exit_code()
    }

    /// Closes the terminal, as a closed window or a dropped connection does. The program must write something in
    /// answer to this key, since that is what wakes our reader.
    pub(super) fn hang_up(&mut self, key: &str) {
        self.closing.store(true, Ordering::SeqCst);
        self.send(key);
        let deadline = Instant::now() + PATIENCE;
        while self.take_output(Duration::from_millis(20)).is_continue() {
            assert!(Instant::now() < deadline, "the program does not answer a key");
        }
        (self.master, self.slave, self.keys) = (None, None, None);
    }

    /// What is left changed on the terminal, one word each. Empty after a clean way out.
    pub(super) fn residue(&self) -> Vec<&'static str> {
        let screen = self.screen.screen();
        let mouse = screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None;
        let (before, at_exit) = &self.termios;
        let now = at_exit.clone().or_else(|| self.master.as_deref().map(termios));
        let checks = [
            ("alternate screen", screen.alternate_screen()),
            ("hidden cursor", screen.hide_cursor()),
            ("mouse", mouse),
            ("bracketed paste", screen.bracketed_paste()),
            ("application cursor", screen.application_cursor()),
            ("application keypad", screen.application_keypad()),
            ("focus", self.is_on("1004")),
            ("synchronised update", self.is_on("2026")),
            (
                "colours",
                screen.fgcolor() != vt100::Color::Default || screen.bgcolor() != vt100::Color::Default,
            ),
            ("attributes", screen.bold() || screen.inverse() || screen.dim() || screen.underline()),
            ("termios", now.is_some_and(|now| now != *before)),
        ];
        checks.into_iter().filter(|(_, left)| *left).map(|(what, _)| what).collect()
    }

    /// Whether a private mode was last switched on. For modes that the emulator does not know.
    fn is_on(&self, mode: &str) -> bool {
        let last = |end: &str| find_last(&self.bytes, format!("\x1b[?{mode}{end}").as_bytes());
        last("h") > last("l")
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

/// The emulator needs a size where the terminal says none, and memory where it says a huge one.
fn emulator(columns: u16, rows: u16) -> vt100::Parser {
    vt100::Parser::new(cells(rows, 24), cells(columns, 80), 0)
}

fn cells(told: u16, unknown: u16) -> NonZeroU16 {
    NonZeroU16::new(told.min(1024)).or(NonZeroU16::new(unknown)).unwrap()
}

fn termios(master: &(dyn MasterPty + Send)) -> String {
    format!("{:?}", master.get_termios().expect("a terminal on Unix has one"))
}

fn find_last(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).rposition(|window| window == wanted)
}
