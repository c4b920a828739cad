//! `gert completions`: what a shell needs to complete our commands.

use clap_complete::Shell;

use super::{Failure, print};

/// Prints the completions for a shell.
pub(super) fn run(shell: Shell) -> Result<i32, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut super::command(), "gert", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(0)
}
