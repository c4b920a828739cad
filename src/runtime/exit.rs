//! Ways out that cannot get stuck: a panic anywhere, and a deadline on leaving.
//!
//! The usual way out is that the loop ends, handles are dropped (which ends policies and tasks) and `main` returns.
//! What is here makes sure that it ends in time, with the terminal given back, when something does not let go.

use super::terminal;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The exit status after a panic; Rust's own.
pub const PANICKED: i32 = 101;
/// How long the loop has to end after a panic.
const AFTER_PANIC: Duration = Duration::from_secs(1);
/// How long giving back a terminal may take that takes no output.
const LEAVING: Duration = Duration::from_millis(300);

static HAS_PANICKED: AtomicBool = AtomicBool::new(false);

/// Makes a panic in any thread or task end the program: the terminal is given back, then the hook installed before
/// (std's) prints its message on the main screen, then `stop` is cancelled, so that the loop ends
/// and policies are killed by their handles. What has not ended within a second is ended then.
///
/// `main` asks [`panicked`] before it returns.
pub fn install_panic_hook(stop: CancellationToken) {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // A damaged export, told as an error.
        if crate::dataset::is_guarded() {
            return;
        }
        terminal::leave();
        print(panic);
        HAS_PANICKED.store(true, Ordering::SeqCst);
        stop.cancel();
        exit_at_latest(AFTER_PANIC, PANICKED);
    }));
}

/// Whether anything panicked since [`install_panic_hook`]; the exit status is then [`PANICKED`].
pub fn panicked() -> bool {
    HAS_PANICKED.load(Ordering::SeqCst)
}

/// Ends the process with this status once the time is over, whatever it is doing then. Children are not waited
/// for; they are killed by their own means (parent-death, closed pipes) at the latest.
pub fn exit_at_latest(after: Duration, code: i32) {
    let watchdog = thread::Builder::new().name("watchdog".to_owned()).spawn(move || {
        let (_kept, never) = mpsc::sync_channel::<()>(0);
        let _ = never.recv_timeout(after);
        exit_now(code);
    });
    if watchdog.is_err() {
        exit_now(code);
    }
}

/// Gives the terminal back and ends the process. Does not wait for a terminal that takes no output.
pub fn exit_now(code: i32) -> ! {
    let (tx, left) = mpsc::sync_channel(1);
    let leaving = thread::Builder::new().spawn(move || {
        terminal::leave();
        let _ = tx.send(());
    });
    if leaving.is_ok() {
        let _ = left.recv_timeout(LEAVING);
    }
    process::exit(code)
}
