//! Starts a child in a process group of its own, and makes sure the group ends.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};

use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop, ProcessGroup};
use rustix::process::{Pid, Signal, test_kill_process_group};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::time::{Instant, sleep};

use super::event::Exit;
use super::family;
use super::spec::PolicySpec;

/// How long what a child started may take to end after it: most often that is about to happen.
const GRACE: Duration = Duration::from_millis(50);
/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// A child and the group it leads. Dropping it kills the group.
///
/// The child is not in the terminal's foreground group: Ctrl-C reaches us alone, and we decide what becomes of it.
#[derive(Debug)]
pub(super) struct Group {
    child: Box<dyn ChildWrapper>,
    /// Its process id, and that of the group, for good.
    pid: Option<u32>,
    /// The child is reaped and what was left of its group killed. From then on the number of the group may be
    /// given to strangers, so no more signals are sent.
    is_over: bool,
    /// Until when the rest of the group may end by itself, once the child has ended.
    grace: Option<Instant>,
    /// The commands of those that did not.
    pub(super) left_behind: Vec<String>,
}

/// Our ends of its pipes.
#[derive(Debug)]
pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

impl Group {
    /// Starts the command with pipes on its three standard streams. Everything else we opened is marked
    /// close-on-exec by the standard library, so it gets none of our sockets and files.
    pub(super) fn spawn(spec: &PolicySpec) -> Result<(Self, Pipes), Exit> {
        let failed = |why: String| Exit::NotStarted { argv: spec.argv(), why };
        let argv = spec.argv();
        let Some((program, args)) = argv.split_first() else {
            return Err(failed("the command is empty".into()));
        };
        // A missing directory and a missing program are the same error to the system, but not to the user.
        if let Some(dir) = &spec.dir
            && !dir.is_dir()
        {
            return Err(failed(format!("`{}` is not a directory", dir.display())));
        }
        let mut command = CommandWrap::with_new(program, |command| {
            command.args(args).env_clear().envs(environment(spec, std::env::vars_os()));
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            if let Some(dir) = &spec.dir {
                command.current_dir(dir);
            }
        });
        command.wrap(KillOnDrop).wrap(ProcessGroup::leader());
        let child = command.spawn().map_err(|why| failed(why.to_string()))?;
        let pid = child.id();
        let mut group = Self { child, pid, is_over: false, grace: None, left_behind: Vec::new() };
        let child = &mut group.child;
        match (child.stdin().take(), child.stdout().take(), child.stderr().take()) {
            (Some(stdin), Some(stdout), Some(stderr)) => Ok((group, Pipes { stdin, stdout, stderr })),
            _ => Err(failed("its pipes are missing".into())),
        }
    }

    pub(super) fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// Waits for the child's end, reaps it, and kills what is left of its group a moment later. May be dropped and called
    /// again.
    pub(super) async fn wait(&mut self) -> Exit {
        let status = self.child.wait().await;
        // However often this is called again, the moment is the same one.
        let until = *self.grace.get_or_insert_with(|| Instant::now() + GRACE);
        while !self.is_over && self.has_members() {
            if Instant::now() >= until {
                let group = self.pid.map_or(0, u32::cast_signed);
                let named = tokio::task::spawn_blocking(move || family::in_group(group)).await;
                self.left_behind = named.unwrap_or_default();
                break;
            }
            sleep(LOOK_EVERY).await;
        }
        self.kill();
        self.is_over = status.is_ok();
        exit_of(status)
    }

    /// True while somebody is in the group, be it one that has ended and was not reaped.
    fn has_members(&self) -> bool {
        let group = self.pid.and_then(|pid| Pid::from_raw(pid.cast_signed()));
        group.is_some_and(|group| test_kill_process_group(group).is_ok())
    }

    /// Asks all processes of the group to end.
    pub(super) fn terminate(&mut self) {
        if !self.is_over {
            // An error means that nobody is left to hear it.
            let _ = self.child.signal(Signal::TERM.as_raw());
        }
    }

    /// Kills all processes of the group.
    pub(super) fn kill(&mut self) {
        if !self.is_over {
            // As above.
            let _ = self.child.start_kill();
        }
    }
}

impl Drop for Group {
    /// For when the runtime goes down and the task with it: `KillOnDrop` alone would spare the grandchildren.
    fn drop(&mut self) {
        self.kill();
    }
}

fn exit_of(status: io::Result<ExitStatus>) -> Exit {
    match status {
        Ok(status) => match (status.code(), status.signal()) {
            (Some(code), _) => Exit::Code(code),
            (None, Some(signal)) => Exit::Signal(signal),
            (None, None) => Exit::Unknown { why: status.to_string() },
        },
        Err(why) => Exit::Unknown { why: why.to_string() },
    }
}

/// What the child sees of our environment: no secrets (see [`PolicySpec::withholds`]), and Python told not to
/// buffer its output.
fn environment(
    spec: &PolicySpec,
    ours: impl Iterator<Item = (OsString, OsString)>,
) -> impl Iterator<Item = (OsString, OsString)> {
    ours.filter(|(name, _)| !spec.withholds(&name.to_string_lossy()))
        .chain([("PYTHONUNBUFFERED".into(), "1".into())])
        .chain(spec.mark.iter().map(|mark| (family::MARK.into(), mark.into())))
}
