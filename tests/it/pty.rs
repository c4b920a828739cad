//! The program in a real terminal: it starts, draws, resizes, stops, leaves, and gives the terminal back each time.

mod harness;

use harness::Pty;
use rustix::process::{Pid, Signal, kill_process};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// How fast the program must be gone, whatever ended it.
const GONE: Duration = Duration::from_secs(2);
const SIZE: (u16, u16) = (80, 24);
/// What every frame begins with.
const FRAME: &[u8] = b"\x1b[?2026h";

/// The program under test: `terminal_probe`, which `cargo test` builds with the other examples.
fn program() -> String {
    let mut path = std::env::current_exe().unwrap();
    path.pop();
    path.pop();
    path.push("examples/terminal_probe");
    assert!(path.exists(), "not built: run `cargo build --example terminal_probe`, or all of `cargo test`");
    PathBuf::into_os_string(path).into_string().unwrap()
}

/// The program in a terminal, its first frame drawn.
fn started() -> Pty {
    started_by(&[&program()])
}

fn started_by(args: &[&str]) -> Pty {
    let mut pty = Pty::spawn(args, SIZE);
    pty.wait_for("0 keys");
    pty
}

/// The program, started by a shell. `$0` is the program.
fn started_by_shell(script: &str) -> Pty {
    started_by(&["/bin/sh", "-c", script, &program()])
}

#[test]
fn it_takes_the_screen_and_gives_everything_back() {
    let mut pty = started();
    assert!(pty.screen_text().contains("row_1"));
    let mut taken = pty.residue();
    taken.sort_unstable();
    assert_eq!(taken, ["alternate screen", "bracketed paste", "hidden cursor", "termios"]);
    pty.send("mq");
    assert_eq!(pty.wait_exit(), 0);
    assert_eq!(pty.residue(), [""; 0]);
    assert!(pty.screen_text().contains("read 2 keys"), "the message is on the main screen");
}

#[test]
fn the_mouse_is_off_until_it_is_wanted() {
    let mut pty = started();
    assert!(!pty.residue().contains(&"mouse"));
    pty.send("m");
    pty.wait_until("the mouse is on", |pty| pty.residue().contains(&"mouse"));
    pty.send("\x1b[<0;3;5M");
    pty.wait_for("Down(Left) at 2,4");
    pty.send("m");
    pty.wait_until("the mouse is off", |pty| !pty.residue().contains(&"mouse"));
}

#[test]
fn every_signal_that_ends_it_gives_the_terminal_back() {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT] {
        let mut pty = started();
        pty.signal(signal);
        let status = pty.ended_within(GONE).unwrap_or_else(|| panic!("{signal:?} does not end it"));
        assert_eq!(status.exit_code(), 128 + signal.as_raw().unsigned_abs());
        assert_eq!(pty.residue(), [""; 0], "after {signal:?}");
    }
}

#[test]
fn a_blocked_loop_is_ended_by_one_signal_in_time_and_by_two_at_once() {
    for signals in [1, 2] {
        let mut pty = started();
        pty.send("B");
        pty.wait_quiet(Duration::from_millis(100));
        for _ in 0..signals {
            pty.signal(Signal::TERM);
            // Two signals before the first was taken would be one.
            pty.ended_within(Duration::from_millis(200));
        }
        let limit = if signals == 1 { GONE } else { Duration::from_millis(700) };
        let status = pty.ended_within(limit).unwrap_or_else(|| panic!("{signals} signals do not end it"));
        assert_eq!(status.exit_code(), 128 + 15);
        assert_eq!(pty.residue(), [""; 0], "after {signals} signals");
    }
}

#[test]
fn a_panic_anywhere_ends_it_with_the_message_on_the_main_screen() {
    for (key, message) in [("P", "asked to"), ("T", "asked a task to")] {
        let mut pty = started();
        pty.send(key);
        let status = pty.ended_within(GONE).unwrap_or_else(|| panic!("{key} does not end it"));
        assert_eq!(status.exit_code(), 101);
        assert_eq!(pty.residue(), [""; 0], "after {key}");
        let shown = pty.screen_text();
        assert!(shown.contains(message) && !shown.contains("row_1"), "{shown}");
    }
}

#[test]
fn a_terminal_that_is_closed_ends_it() {
    let mut pty = started();
    pty.hang_up();
    assert!(pty.ended_within(GONE).is_some(), "it outlives its terminal");
}

#[test]
fn a_terminal_that_is_closed_ends_it_with_hangups_ignored() {
    // `exec` keeps the ignored signal and makes it the process that the harness waits for.
    let mut pty = started_by_shell("trap '' HUP; exec \"$0\" --no-signals");
    pty.hang_up();
    let status = pty.ended_within(GONE).expect("it outlives its terminal");
    assert_eq!(status.exit_code(), 129);
}

/// A shell with job control, which says when the program stopped, and continues it after a line is typed.
const JOB: &str = "set -m; \"$0\"; echo status-$?; read line; fg >/dev/null; echo over-$?";

#[test]
fn ctrl_z_stops_it_and_fg_brings_everything_back() {
    let mut pty = started_by_shell(JOB);
    pty.send("mj");
    pty.wait_for(" 2 of 1000000");
    pty.send("\x1a");
    pty.wait_for("status-147");
    assert_eq!(pty.residue(), [""; 0], "while it is stopped");
    assert!(!pty.screen_text().contains("row_1"));
    pty.send("\r");
    pty.wait_for(" 2 of 1000000");
    assert!(pty.screen_text().contains("row_21"), "the whole frame is drawn\n{}", pty.screen_text());
    assert!(pty.residue().contains(&"mouse"), "{:?}", pty.residue());
    pty.send("j");
    pty.wait_for(" 3 of 1000000");
    pty.send("q");
    pty.wait_for("over-0");
    assert_eq!(pty.residue(), [""; 0]);
}

#[test]
fn it_does_not_stop_where_nothing_could_continue_it() {
    let mut pty = started();
    pty.send("\x1a");
    pty.wait_for("cannot stop here");
    pty.send("q");
    assert_eq!(pty.wait_exit(), 0);
}

#[test]
fn a_stop_from_outside_is_recovered_from_whether_announced_or_not() {
    for (signal, taken) in [(Signal::TSTP, false), (Signal::STOP, true)] {
        // Started in the background, where it has to wait for the terminal.
        let mut pty = started_by_shell(&JOB.replace("\"$0\";", "\"$0\" & echo pid-$!; fg >/dev/null;"));
        kill_process(printed_pid(&pty), signal).unwrap();
        pty.wait_for("status-147");
        assert_eq!(pty.residue().contains(&"alternate screen"), taken, "stopped by {signal:?}");
        // Not `\r`: the shell may have been left with a raw terminal.
        pty.send("\n");
        pty.wait_until("the frame is whole again", |pty| {
            let shown = pty.screen_text();
            shown.contains("row_21") && !shown.contains("status-147")
        });
        pty.send("q");
        pty.wait_for("over-0");
        assert_eq!(pty.residue(), [""; 0], "after {signal:?}");
    }
}

/// What a shell printed as `pid-N`.
fn printed_pid(pty: &Pty) -> Pid {
    let output = String::from_utf8_lossy(&pty.bytes);
    let (_, rest) = output.split_once("pid-").expect("the shell printed it");
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    Pid::from_raw(digits.parse().unwrap()).unwrap()
}

#[test]
fn any_size_is_survived() {
    for (size, shown) in [
        ((0, 0), "80x24"),
        ((40, 0), "40x24"),
        ((1, 1), "s"),
        ((2, 2), "sm"),
        ((1, 50), "s"),
        ((1000, 400), "1000x400"),
        ((65535, 4), "1024x4"),
    ] {
        let mut pty = Pty::spawn(&[&program()], size);
        pty.wait_for(shown);
        pty.send("jq");
        assert_eq!(pty.wait_exit(), 0, "at {size:?}");
        assert_eq!(pty.residue(), [""; 0], "at {size:?}");
    }
}

#[test]
fn the_environment_tells_a_size_that_the_terminal_does_not() {
    let variables = [("TERM", "xterm"), ("COLUMNS", "60"), ("LINES", "12")];
    let mut pty = Pty::spawn_with(&[&program()], &variables, (0, 0));
    pty.wait_for("60x12");
}

#[test]
fn a_storm_of_sizes_ends_in_a_whole_frame() {
    let mut pty = started();
    for n in 0..200 {
        pty.resize(1 + n % 150, 1 + n % 60);
    }
    pty.resize(100, 30);
    pty.wait_for("100x30");
    pty.wait_for("row_27");
    pty.send("q");
    assert_eq!(pty.wait_exit(), 0);
}

#[test]
fn it_refuses_before_the_first_byte_where_it_cannot_draw() {
    for term in ["dumb", "", "unknown"] {
        let mut pty = Pty::spawn_with(&[&program()], &[("TERM", term)], SIZE);
        assert_eq!(pty.wait_exit(), 1, "TERM={term:?}");
        assert!(!pty.bytes.contains(&0x1b), "TERM={term:?}");
        assert_eq!(pty.screen_text().trim().lines().count(), 1, "{}", pty.screen_text());
    }
    let piped = Command::new(program()).stdin(Stdio::null()).output().unwrap();
    assert_eq!(piped.status.code(), Some(1));
    assert_eq!(piped.stdout, b"");
    assert_eq!(String::from_utf8(piped.stderr).unwrap().lines().count(), 1);
}

#[test]
fn it_refuses_where_no_key_can_come() {
    // Standard output is the terminal, but it controls nothing in a session of its own.
    let mut pty = Pty::spawn(&["/bin/sh", "-c", "setsid -w \"$0\" </dev/null", &program()], SIZE);
    assert_eq!(pty.wait_exit(), 1);
    assert!(!pty.bytes.contains(&0x1b));
    assert!(pty.screen_text().contains("needs a keyboard"), "{}", pty.screen_text());
}

#[test]
fn keys_come_from_the_terminal_whatever_standard_input_is() {
    for script in ["\"$0\" </dev/null", "\"$0\" <&-", "echo piped | \"$0\"", "exec 3<&0; true | \"$0\""] {
        let mut pty = started_by_shell(script);
        pty.send("j");
        pty.wait_for(" 2 of 1000000  80x24  1 keys");
        assert_eq!(pty.wait_quiet(Duration::from_millis(300)), 0, "it spins: {script}");
        pty.send("q");
        assert_eq!(pty.wait_exit(), 0, "{script}");
        assert_eq!(pty.residue(), [""; 0], "{script}");
    }
}

#[test]
fn two_thousand_keys_at_once_are_all_read_and_cost_few_frames() {
    let mut pty = started();
    let before = pty.bytes.len();
    pty.send(&"j".repeat(2000));
    pty.wait_for("2000 keys");
    assert!(pty.screen_text().contains(" 2001 of 1000000"));
    let frames = pty.bytes[before..].windows(8).filter(|bytes| *bytes == FRAME).count();
    assert!(frames < 100, "{frames} frames");
}

#[test]
fn nothing_is_written_while_nothing_happens() {
    let mut pty = started();
    pty.wait_quiet(Duration::from_millis(200));
    let before = pty.bytes.len();
    assert!(pty.ended_within(Duration::from_secs(3)).is_none());
    assert_eq!(pty.bytes.len(), before);
}

#[test]
fn a_paste_of_several_lines_is_one_input() {
    let mut pty = started();
    pty.send("\x1b[200~one\rq\rthree\x1b[201~");
    pty.wait_for(r#"pasted "one\nq\nthree""#);
    assert!(pty.screen_text().contains("0 keys"));
}

#[test]
fn a_paste_without_an_end_leaves_the_keyboard_alive() {
    let mut pty = started();
    pty.send("\x1b[200~never ends");
    pty.wait_for("pasted \"never ends\"");
    pty.send("q");
    assert_eq!(pty.wait_exit(), 0);
}

#[test]
fn escape_acts_without_another_key() {
    let mut pty = started();
    pty.send("\x1b");
    pty.wait_for("1 keys  Esc");
}
