//! The keyboard: one thread that waits for bytes from the terminal and sends what they mean.
//!
//! Not crossterm's `event::read`, though its types are used: its default source leaves the rest of a burst unread
//! (crossterm-rs/crossterm#1057), a paste without an end swallows every later key (#1060), and once the terminal
//! is gone its loop spins for ever on reads of nothing. Here the descriptor is watched by `poll`, which reports a
//! hang-up even to a process that ignores SIGHUP; cutting bytes into keys is in `decode`; what a key's bytes mean
//! is told by the `terminput` crate, which is crossterm's parser as a function.
//!
//! Sizes are not here: a resize is a signal, see [`super::signals`].

mod decode;

use super::terminal::keyboard;
use crossterm::event::{KeyEvent, MouseEvent};
use decode::Decoder;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use std::fmt;
use std::io;
use std::os::unix::net::UnixStream;
use std::thread;
use tokio::sync::mpsc;

/// How many inputs may wait for the loop. More than one read of the terminal (4 KiB) rarely holds; when it is
/// full the thread waits, then the kernel's buffer fills, and then the terminal is held up. No key is dropped.
pub const CAPACITY: usize = 1024;

/// What came from the terminal.
///
/// Never log it: what is typed or pasted may be an API key.
#[derive(Clone, PartialEq, Eq)]
pub enum Input {
    /// A key was pressed or repeats. Releases are dropped at the door.
    Key(KeyEvent),
    /// Text was pasted; its line ends are `\n`.
    Paste(String),
    /// Text was pasted that is longer than anything an editor should hold; none of it is here.
    PasteTooLong,
    /// A button, a drag or the wheel.
    Mouse(MouseEvent),
    /// The terminal's window is in front again. Not asked for; some multiplexers tell anyway.
    FocusGained,
    /// The terminal's window is no longer in front.
    FocusLost,
    /// The terminal is gone. Nothing follows.
    Lost,
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) => f.debug_tuple("Key").field(key).finish(),
            Self::Paste(text) => write!(f, "Paste({} bytes)", text.len()),
            Self::PasteTooLong => f.write_str("PasteTooLong"),
            Self::Mouse(mouse) => f.debug_tuple("Mouse").field(mouse).finish(),
            Self::FocusGained => f.write_str("FocusGained"),
            Self::FocusLost => f.write_str("FocusLost"),
            Self::Lost => f.write_str("Lost"),
        }
    }
}

/// The reading thread. Dropping this ends it, so that another program may have the keyboard.
#[derive(Debug)]
pub struct Keyboard {
    /// Closed by the drop, which the thread sees.
    _stop: UnixStream,
}

impl Keyboard {
    /// Starts to read the process's terminal into the channel.
    ///
    /// The thread is never joined: it ends on the drop, on [`Input::Lost`], when the receiver is gone, or with the
    /// process, whichever is first.
    pub fn read<E>(tx: mpsc::Sender<E>) -> io::Result<Self>
    where
        E: From<Input> + Send + 'static,
    {
        Self::read_from(keyboard()?, tx)
    }

    fn read_from<E>(tty: OwnedFd, tx: mpsc::Sender<E>) -> io::Result<Self>
    where
        E: From<Input> + Send + 'static,
    {
        let (stop, stopped) = UnixStream::pair()?;
        thread::Builder::new().name("keyboard".to_owned()).spawn(move || read(&tty, &stopped, &tx))?;
        Ok(Self { _stop: stop })
    }
}

/// Reads until told to stop or the terminal is gone.
fn read<E: From<Input>>(tty: &OwnedFd, stopped: &UnixStream, tx: &mpsc::Sender<E>) {
    let mut decoder = Decoder::default();
    let mut bytes = [0; 4096];
    let mut inputs = Vec::new();
    loop {
        match wait(tty, stopped, &decoder) {
            Wake::Stopped => return,
            Wake::Lost => inputs.push(Input::Lost),
            Wake::Quiet => decoder.give_up(&mut inputs),
            Wake::Bytes => match rustix::io::read(tty, &mut bytes) {
                Err(Errno::INTR | Errno::AGAIN) => {}
                // A terminal in raw mode has no end of input; both mean that it hung up.
                Ok(0) | Err(_) => inputs.push(Input::Lost),
                Ok(n) => decoder.feed(&bytes[..n], &mut inputs),
            },
        }
        for input in inputs.drain(..) {
            let lost = input == Input::Lost;
            if tx.blocking_send(input.into()).is_err() || lost {
                return;
            }
        }
    }
}

enum Wake {
    Bytes,
    /// Nothing came for as long as the decoder is patient.
    Quiet,
    Lost,
    Stopped,
}

fn wait(tty: &OwnedFd, stopped: &UnixStream, decoder: &Decoder) -> Wake {
    let patience = decoder.patience().and_then(|patience| Timespec::try_from(patience).ok());
    let mut fds = [PollFd::new(tty, PollFlags::IN), PollFd::new(stopped, PollFlags::IN)];
    match poll(&mut fds, patience.as_ref()) {
        Ok(0) => return Wake::Quiet,
        Err(Errno::INTR | Errno::AGAIN) => return wait(tty, stopped, decoder),
        Err(_) => return Wake::Lost,
        Ok(_) => {}
    }
    let [tty, stopped] = fds.map(|fd| fd.revents());
    if !stopped.is_empty() {
        Wake::Stopped
    } else if tty.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
        Wake::Lost
    } else {
        Wake::Bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// A socket stands in for the terminal: `poll` treats both alike.
    fn keyboard_on_a_socket() -> (UnixStream, Keyboard, mpsc::Receiver<Input>) {
        let (terminal, ours) = UnixStream::pair().unwrap();
        let (tx, rx) = mpsc::channel(4);
        let keyboard = Keyboard::read_from(ours.into(), tx).unwrap();
        (terminal, keyboard, rx)
    }

    #[test]
    fn more_keys_than_the_channel_holds_all_arrive() {
        let (mut terminal, _keyboard, mut rx) = keyboard_on_a_socket();
        terminal.write_all(&[b'j'; 2000]).unwrap();
        let keys = (0..2000).filter(|_| matches!(rx.blocking_recv(), Some(Input::Key(_)))).count();
        assert_eq!(keys, 2000);
    }

    #[test]
    fn a_terminal_that_hangs_up_is_told_once_and_ends_the_thread() {
        let (terminal, _keyboard, mut rx) = keyboard_on_a_socket();
        drop(terminal);
        assert_eq!(rx.blocking_recv(), Some(Input::Lost));
        assert_eq!(rx.blocking_recv(), None);
    }

    #[test]
    fn dropping_the_keyboard_ends_the_thread() {
        let (_terminal, keyboard, mut rx) = keyboard_on_a_socket();
        drop(keyboard);
        assert_eq!(rx.blocking_recv(), None);
    }

    #[test]
    fn a_paste_without_an_end_comes_out_and_gives_the_keys_back() {
        let (mut terminal, _keyboard, mut rx) = keyboard_on_a_socket();
        terminal.write_all(b"\x1b[200~lost").unwrap();
        assert_eq!(rx.blocking_recv(), Some(Input::Paste("lost".to_owned())));
        terminal.write_all(b"q").unwrap();
        assert!(matches!(rx.blocking_recv(), Some(Input::Key(_))));
    }

    #[test]
    fn what_was_pasted_is_not_in_debug_output() {
        let shown = format!("{:?}", Input::Paste("secret".to_owned()));
        assert_eq!(shown, "Paste(6 bytes)");
    }
}
