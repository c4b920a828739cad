//! Questions on the terminal: a secret that is not shown, yes or no.
//!
//! Where there is no terminal nothing is asked: a question that cannot be answered counts as no.

use std::io::{self, IsTerminal, Read, Write};

use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::Failure;

/// No key is longer.
const MOST: u64 = 16 * 1024;

/// What came of asking for a secret.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// This was typed; it may be empty.
    Typed(String),
    /// The user or a signal wants to leave, with this exit status.
    Left(i32),
}

/// Whether there is somebody to ask.
pub(super) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks for a secret on the terminal. It is shown as stars, and the terminal is as before afterwards, whatever ends the
/// question.
pub(super) async fn secret(question: &str) -> Result<Answer, Failure> {
    let mut stops =
        [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()].map(Stop::listen);
    let quiet = Quiet::begin()?;
    eprint!("{question}");
    let mut typing = tokio::task::spawn_blocking(read_secret);
    let [interrupt, terminate, hangup] = &mut stops;
    let answer = tokio::select! {
        answer = &mut typing => answer??,
        code = interrupt.came() => Answer::Left(code),
        code = terminate.came() => Answer::Left(code),
        code = hangup.came() => Answer::Left(code),
    };
    drop(quiet);
    eprintln!();
    Ok(answer)
}

/// Reads a secret that is piped in.
pub(super) fn piped() -> io::Result<String> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(MOST).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Asks a question; anything but a plain yes is no.
pub(super) fn yes(question: &str) -> bool {
    if !can_ask() {
        return false;
    }
    eprint!("{question} [y/N] ");
    let mut line = String::new();
    io::stdin().read_line(&mut line).is_ok() && matches!(line.trim(), "y" | "Y" | "yes")
}

/// A signal and the exit status that tells of it.
struct Stop {
    signal: Option<Signal>,
    code: i32,
}

impl Stop {
    fn listen(kind: SignalKind) -> Self {
        Self { signal: signal(kind).ok(), code: 128 + kind.as_raw_value() }
    }

    async fn came(&mut self) -> i32 {
        match &mut self.signal {
            Some(signal) => signal.recv().await,
            None => std::future::pending().await,
        };
        self.code
    }
}

/// The terminal hands over every byte and shows none, until this is dropped.
struct Quiet(Termios);

impl Quiet {
    fn begin() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut quiet = before.clone();
        quiet.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG);
        quiet.special_codes[SpecialCodeIndex::VMIN] = 1;
        quiet.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(io::stdin(), OptionalActions::Now, &quiet)?;
        Ok(Self(before))
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        // A terminal that went away needs nothing any more.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}

fn read_secret() -> io::Result<Answer> {
    let mut secret = Vec::new();
    let mut stderr = io::stderr();
    for byte in io::stdin().lock().bytes() {
        match step(&mut secret, byte?) {
            Step::Show(stars) => stderr.write_all(stars.as_bytes())?,
            Step::Done => break,
            Step::Left => return Ok(Answer::Left(130)),
        }
    }
    Ok(Answer::Typed(String::from_utf8_lossy(&secret).into_owned()))
}

/// What a byte from the terminal comes to.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    Show(String),
    Done,
    Left,
}

fn step(secret: &mut Vec<u8>, byte: u8) -> Step {
    const RUB_OUT: &str = "\u{8} \u{8}";
    match byte {
        b'\r' | b'\n' | 4 => Step::Done,
        // Ctrl-C, Ctrl-\
        3 | 28 => Step::Left,
        8 | 127 => Step::Show(if secret.pop().is_some() { RUB_OUT.to_owned() } else { String::new() }),
        // Ctrl-U
        21 => {
            let length = secret.len();
            secret.clear();
            Step::Show(RUB_OUT.repeat(length))
        }
        _ if byte.is_ascii_control() || secret.len() as u64 >= MOST => Step::Show(String::new()),
        _ => {
            secret.push(byte);
            Step::Show("*".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(bytes: &[u8]) -> (String, String, Option<Step>) {
        let (mut secret, mut shown) = (Vec::new(), String::new());
        for &byte in bytes {
            match step(&mut secret, byte) {
                Step::Show(stars) => shown.push_str(&stars),
                end => return (String::from_utf8(secret).unwrap(), shown, Some(end)),
            }
        }
        (String::from_utf8(secret).unwrap(), shown, None)
    }

    #[test]
    fn a_secret_is_shown_as_stars_and_can_be_mended() {
        assert_eq!(typed(b"abc\r"), ("abc".into(), "***".into(), Some(Step::Done)));
        assert_eq!(typed(b"ab\x7fc\n").0, "ac");
        assert_eq!(typed(b"\x7f\x08ab\x15cd\x04").0, "cd");
        assert_eq!(typed(b"\x1ba\x00b").0, "ab");
    }

    #[test]
    fn control_c_leads_out() {
        assert_eq!(typed(b"abc\x03").2, Some(Step::Left));
    }
}
