//! One process with our ends of its pipes, and how it is ended once it has given its answer.

use std::io;
use std::time::Duration;

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::time::timeout;

use super::child::Group;
use super::event::Exit;
use super::lines::LineBuffer;
use super::spec::PolicySpec;

/// From SIGTERM to SIGKILL.
pub(super) const TERM_TO_KILL: Duration = Duration::from_millis(200);
/// From SIGKILL to giving up on a process the system cannot end just now; it is reaped whenever that changes.
pub(super) const KILL_TO_GIVE_UP: Duration = Duration::from_secs(2);

/// A running process.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) group: Group,
    pub(super) stdin: Option<ChildStdin>,
    pub(super) stdout: Option<ChildStdout>,
    pub(super) stderr: Option<ChildStderr>,
    pub(super) lines: LineBuffer,
    /// A turn was written to it.
    pub(super) is_asked: bool,
}

impl Process {
    pub(super) fn spawn(spec: &PolicySpec) -> Result<Self, Exit> {
        let (group, pipes) = Group::spawn(spec)?;
        Ok(Self {
            group,
            stdin: Some(pipes.stdin),
            stdout: Some(pipes.stdout),
            stderr: Some(pipes.stderr),
            lines: LineBuffer::new(spec.limits.line_bytes),
            is_asked: false,
        })
    }

    /// Ends a process of which nothing more is wanted: its input ends, then it is signalled, then killed. What it
    /// still writes is read and dropped, so that it does not wait for room in a pipe.
    pub(super) async fn retire(mut self, patience: Duration) {
        self.stdin = None;
        if timeout(patience, self.drained()).await.is_ok() {
            return;
        }
        self.group.terminate();
        if timeout(TERM_TO_KILL, self.drained()).await.is_ok() {
            return;
        }
        self.group.kill();
        // An error means that the system does not end it; then it is reaped later.
        let _ = timeout(KILL_TO_GIVE_UP, self.group.wait()).await;
    }

    async fn drained(&mut self) {
        let (mut output, mut errors) = (BytesMut::new(), BytesMut::new());
        loop {
            output.clear();
            errors.clear();
            tokio::select! {
                _ = self.group.wait() => return,
                got = read(&mut self.stdout, &mut output) => if !matches!(got, Ok(1..)) { self.stdout = None },
                got = read(&mut self.stderr, &mut errors) => if !matches!(got, Ok(1..)) { self.stderr = None },
            }
        }
    }
}

/// Reads from a pipe that may be closed already; then never.
pub(super) async fn read(
    pipe: &mut Option<impl AsyncRead + Unpin>,
    bytes: &mut BytesMut,
) -> io::Result<usize> {
    match pipe {
        Some(pipe) => {
            bytes.reserve(1);
            pipe.read_buf(bytes).await
        }
        None => std::future::pending().await,
    }
}

/// Writes on with the bytes left; without any, never.
pub(super) async fn write(stdin: &mut Option<ChildStdin>, left: Option<&[u8]>) -> io::Result<usize> {
    match (stdin, left) {
        (Some(stdin), Some(left)) => stdin.write(left).await,
        _ => std::future::pending().await,
    }
}
