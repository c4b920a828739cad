//! What a policy started and did not end: read from `/proc`, so on Linux only; elsewhere nothing is found.

use std::fs;
use std::path::PathBuf;

use super::clean::clean;

/// The environment variable by which what a policy started is known again, whatever group or session it is in.
pub const MARK: &str = "GERT_POLICY_MARK";

/// The longest a command line is kept, in characters.
const LONGEST: usize = 80;

/// The commands of the processes of a group that run. What has ended and was not reaped is none of them.
pub(super) fn in_group(group: i32) -> Vec<String> {
    let is_member = |stat: &Stat| stat.group == group && !stat.has_ended;
    processes().filter(|pid| stat(*pid).is_some_and(|stat| is_member(&stat))).map(command).collect()
}

/// Kills all processes that a policy with this mark (see [`PolicySpec::mark`](super::PolicySpec::mark)), or with one that
/// goes on after it and a full stop, started and that still run; gives their commands. A process that was given another
/// environment is not found.
///
/// Reads files: nothing for an async thread.
pub fn end_marked(mark: &str) -> Vec<String> {
    let line = format!("{MARK}={mark}");
    let is_ours = |pid: i32| {
        let runs = stat(pid).is_some_and(|stat| !stat.has_ended);
        // One of another user cannot be read.
        let environment = fs::read(file(pid, "environ")).unwrap_or_default();
        let fits = |entry: &[u8]| matches!(entry.strip_prefix(line.as_bytes()), Some([] | [b'.', ..]));
        runs && environment.split(|byte| *byte == 0).any(fits)
    };
    let ours = processes().filter(|pid| is_ours(*pid));
    ours.filter_map(|pid| {
        let command = command(pid);
        kill(pid, || is_ours(pid)).then_some(command)
    })
    .collect()
}

/// Kills a process that is still the one that is meant; true if it was.
#[cfg(target_os = "linux")]
fn kill(pid: i32, is_it: impl Fn() -> bool) -> bool {
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
    let handle = Pid::from_raw(pid).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    // The number may have gone to somebody else before the handle was there.
    let Some(handle) = handle.filter(|_| is_it()) else { return false };
    // An error means that it has just ended.
    let _ = pidfd_send_signal(handle, Signal::KILL);
    true
}

#[cfg(not(target_os = "linux"))]
fn kill(_: i32, _: impl Fn() -> bool) -> bool {
    false
}

fn processes() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn file(pid: i32, name: &str) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}/{name}"))
}

/// Part of `/proc/PID/stat`.
#[derive(Debug, PartialEq)]
struct Stat {
    has_ended: bool,
    group: i32,
}

fn stat(pid: i32) -> Option<Stat> {
    read_stat(&fs::read_to_string(file(pid, "stat")).ok()?)
}

/// `PID (NAME) STATE PARENT GROUP …`, where the name may hold anything (`proc_pid_stat(5)`).
fn read_stat(text: &str) -> Option<Stat> {
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    let has_ended = matches!(fields.next()?, "Z" | "X" | "x");
    let group = fields.nth(1)?.parse().ok()?;
    Some(Stat { has_ended, group })
}

/// Its command line, or its number where that is not known.
fn command(pid: i32) -> String {
    let mut line = fs::read(file(pid, "cmdline")).unwrap_or_default();
    line.iter_mut().filter(|byte| **byte == 0).for_each(|byte| *byte = b' ');
    match line.trim_ascii() {
        [] => format!("process {pid}"),
        words => clean(words, LONGEST),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_blanks_and_brackets_does_not_move_the_fields() {
        let stat = |has_ended, group| Some(Stat { has_ended, group });
        assert_eq!(read_stat("17 (sleep) S 1 42 42 0 -1 4194304"), stat(false, 42));
        assert_eq!(read_stat("17 (a) Z 9 (b)) Z 1 43 43"), stat(true, 43));
        assert_eq!((read_stat("17 (sleep"), read_stat("17 (sleep) S")), (None, None));
    }
}
