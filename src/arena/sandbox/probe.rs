//! Finds out what holds on this machine: a launcher restricts itself, tries what it must not be able to do, and tells.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;

use super::cage::{Cage, Found};
use super::program::Limits;
use super::{Level, Sandbox, launch};

const PATIENCE: Duration = Duration::from_secs(10);

/// What was found out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probed {
    /// All in all.
    pub level: Level,
    /// Each layer.
    pub layers: Vec<Layer>,
    /// Why what does not hold does not, one sentence each.
    pub why: Vec<String>,
}

/// One layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layer {
    /// What people call it.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Whether it does that here.
    pub holds: bool,
}

/// Runs the launcher without a program.
pub(super) async fn probe(sandbox: &Sandbox) -> Probed {
    match ask(sandbox).await {
        Ok(found) => judge(&found),
        Err(why) => Probed { why: vec![why], ..judge(&Found::default()) },
    }
}

async fn ask(sandbox: &Sandbox) -> Result<Found, String> {
    let scratch = sandbox.root()?.folder().map_err(|why| format!("no scratch folder: {why}"))?;
    let cage = Cage {
        parent: std::process::id(),
        token: "probe".into(),
        argv: Vec::new(),
        files: "".into(),
        scratch: scratch.path().to_owned(),
        readable: Vec::new(),
        isolated: false,
        ..Limits::default().cage()
    };
    let mut command = Command::new(sandbox.launcher());
    command.args([launch::WORD, &serde_json::json!(cage).to_string()]);
    command.stdin(Stdio::null()).kill_on_drop(true);
    let launcher = sandbox.launcher().display();
    let asked =
        timeout(PATIENCE, command.output()).await.map_err(|_| format!("`{launcher}` does not answer"))?;
    let output = asked.map_err(|why| format!("`{launcher}` cannot be executed: {why}"))?;
    serde_json::from_slice(&output.stdout).map_err(|_| {
        let errors = String::from_utf8_lossy(&output.stderr);
        let errors = crate::text::clean(errors.trim());
        format!("`{launcher}` is no launcher ({}): {errors}", output.status)
    })
}

fn judge(found: &Found) -> Probed {
    let level = match (found.limits, found.landlock, found.seccomp) {
        (true, true, true) => Level::Strong,
        (true, true, false) | (true, false, true) => Level::Partial,
        (true, false, false) => Level::LimitsOnly,
        (false, ..) => Level::None,
    };
    let layer = |name, about, holds| Layer { name, about, holds };
    let layers = vec![
        layer("limits", "memory, processor time, file size, open files", found.limits),
        layer("namespaces", "no network, not even this machine's own", found.namespaces),
        layer("scratch", "a small working folder in memory, gone with the process", found.scratch),
        layer("Landlock", "no files but the program's and the system's libraries", found.landlock),
        layer("seccomp", "no sockets, no other processes, no signals to them", found.seccomp),
    ];
    Probed { level, layers, why: found.why.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_no_better_than_its_layers() {
        // arena.md §9.2.
        let level =
            |limits, landlock, seccomp| judge(&Found { limits, landlock, seccomp, ..Found::default() }).level;
        assert_eq!(level(true, true, true), Level::Strong);
        assert_eq!([level(true, true, false), level(true, false, true)], [Level::Partial; 2]);
        assert_eq!(level(true, false, false), Level::LimitsOnly);
        assert_eq!(level(false, true, true), Level::None, "without limits a program can take all memory");
    }

    #[tokio::test]
    async fn what_is_no_launcher_gives_no_level_and_says_why() {
        for (path, why) in [("/bin/true", "is no launcher"), ("/nowhere/gert", "cannot be executed")] {
            let probed = Sandbox::new(path.into()).probed().await.clone();
            assert_eq!(probed.level, Level::None);
            assert!(probed.why[0].contains(why), "{probed:?}");
        }
    }
}
