//! Where somebody sits at a terminal: the question for a key, and the key that is pasted on the first screen.

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};

use super::rig::{GERT, Home, KEY, Platform};

/// How long any one condition may take. Generous: it only costs time when a test fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// The program in a terminal; killed when dropped.
struct Terminal {
    master: Box<dyn MasterPty + Send>,
    /// Kept open, so that the terminal can be looked at afterwards.
    _slave: Box<dyn SlavePty + Send>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    child: Box<dyn Child + Send + Sync>,
    screen: vt100::Parser,
    bytes: Vec<u8>,
}

impl Terminal {
    fn start(home: &Home, args: &[&str]) -> Self {
        let size = PtySize { rows: 24, cols: 100, ..PtySize::default() };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(GERT);
        command.args(args);
        command.env_clear();
        for (name, value) in home.variables() {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (tx, output) = sync_channel(1024);
        std::thread::spawn(move || {
            let mut bytes = vec![0; 4096];
            while let Ok(n @ 1..) = reader.read(&mut bytes) {
                if tx.send(bytes[..n].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self {
            keys: pair.master.take_writer().unwrap(),
            master: pair.master,
            _slave: pair.slave,
            output,
            child,
            screen: vt100::Parser::new(NonZeroU16::new(24).unwrap(), NonZeroU16::new(100).unwrap(), 0),
            bytes: Vec::new(),
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    fn shown(&self) -> String {
        self.screen.screen().contents()
    }

    #[track_caller]
    fn wait_for(&mut self, words: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.shown().contains(words) {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(bytes) = self.output.recv_timeout(left) else {
                panic!("`{words}` did not appear in:\n{}", self.shown());
            };
            self.screen.process(&bytes);
            self.bytes.extend(bytes);
        }
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.child.process_id().unwrap().cast_signed()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    /// The exit status, once it ended; its key was never shown, and the terminal shows what is typed again.
    #[track_caller]
    fn end(mut self) -> u32 {
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < deadline, "it does not end:\n{}", self.shown());
            // Ends the wait early when there is something to read.
            if let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(20)) {
                self.bytes.extend(bytes);
            }
        };
        assert!(!String::from_utf8_lossy(&self.bytes).contains("SECRET"), "the key was shown");
        let termios = format!("{:?}", self.master.get_termios().unwrap().local_flags);
        assert!(termios.contains("ECHO") && termios.contains("ICANON"), "{termios}");
        status.exit_code()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

#[test]
fn a_key_is_asked_for_without_showing_it() {
    // H-16, T-08
    let platform = Platform::accepting();
    let home = Home::at(&platform);
    let mut terminal = Terminal::start(&home, &["auth", "login"]);
    terminal.wait_for("API key for 127.0.0.1");
    terminal.press(&format!("{KEY}x\u{7f}\r"));
    terminal.wait_for("is stored in");
    assert_eq!(terminal.end(), 0);
    assert_eq!(platform.keys(), [KEY]);
    assert!(home.key_file("default").exists());
}

#[test]
fn the_question_can_be_left_and_the_terminal_is_as_before() {
    let home = Home::new();
    for way in ["\u{3}", "\u{4}", "\r", "TERM"] {
        let mut terminal = Terminal::start(&home, &["auth", "login"]);
        terminal.wait_for("API key for gertlabs.com");
        let expected = match way {
            "\u{3}" => 130,
            "TERM" => 143,
            _ => 2,
        };
        if way == "TERM" {
            terminal.signal(Signal::TERM);
        } else {
            terminal.press(way);
        }
        assert_eq!(terminal.end(), expected, "{way:?}");
    }
    assert!(!home.config().exists());
}

#[test]
fn a_key_pasted_on_the_first_screen_is_checked_and_kept() {
    let platform = Platform::accepting();
    let home = Home::at(&platform);
    let mut terminal = Terminal::start(&home, &[]);
    terminal.wait_for("Paste a key");
    terminal.press("p");
    terminal.wait_for("⏎ check");
    terminal.press(&format!("\u{1b}[200~{KEY}\u{1b}[201~\r"));
    terminal.wait_for("the key is kept in the file");
    assert!(home.text().contains("key = \"file\""), "{}", home.text());
    assert_eq!(std::fs::read_to_string(home.key_file("default")).unwrap(), format!("{KEY}\n"));
    terminal.press("\u{3}\u{3}");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn a_key_that_the_platform_refuses_is_neither_kept_nor_used() {
    let platform = Platform::refusing();
    let home = Home::at(&platform);
    let mut terminal = Terminal::start(&home, &[]);
    terminal.wait_for("Paste a key");
    terminal.press("p");
    terminal.wait_for("⏎ check");
    terminal.press(&format!("{KEY}\r"));
    terminal.wait_for("no such key");
    terminal.press("\u{3}\u{3}");
    assert_eq!(terminal.end(), 0);
    assert!(!home.key_file("default").exists() && !home.text().contains("key ="));
}

#[test]
fn the_first_screen_says_why_a_key_of_the_profile_cannot_be_used() {
    let home = Home::new();
    home.write("[profiles.default]\nkey = \"env:MY_KEY\"\n");
    let mut terminal = Terminal::start(&home, &[]);
    terminal.wait_for("takes its key from the variable `MY_KEY`");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}
