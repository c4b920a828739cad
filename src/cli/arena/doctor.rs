//! `gert arena doctor`: how submitted programs are kept in their place on this machine.

use std::fmt::Write as _;

use crate::arena::sandbox::{Level, Probed, Sandbox};
use crate::cli::{Failure, print};

/// Tries it and prints what holds. Exit status 1 when programs cannot be run at all.
pub(super) async fn run() -> Result<i32, Failure> {
    let sandbox = Sandbox::new(std::env::current_exe()?);
    let probed = sandbox.probed().await;
    let python = sandbox.python().await;
    print(&report(probed, &python))?;
    Ok(i32::from(probed.level < Level::LimitsOnly))
}

fn report(probed: &Probed, python: &Result<String, String>) -> String {
    let level = probed.level;
    let mut report = format!("sandbox: {level}: {}\n", level.about());
    for layer in &probed.layers {
        let holds = if layer.holds { "yes" } else { "no" };
        // Writing into a string cannot fail.
        let _ = writeln!(report, "  {holds:<4}{:<12}{}", layer.name, layer.about);
    }
    for why in &probed.why {
        let _ = writeln!(report, "  why: {}", crate::text::clean(why));
    }
    let (Ok(python) | Err(python)) = python;
    let _ = writeln!(report, "python: {}", crate::text::clean(python));
    report
}

#[cfg(test)]
mod tests {
    use crate::arena::sandbox::Layer;

    use super::*;

    #[test]
    fn the_report_says_level_layers_and_why() {
        let layer = |name, holds| Layer { name, about: "what it does", holds };
        let probed = Probed {
            level: Level::Partial,
            layers: vec![layer("limits", true), layer("Landlock", false)],
            why: vec!["Landlock: this kernel has none".into()],
        };
        let report = report(&probed, &Err("no Python 3 was found".into()));
        assert_eq!(
            report,
            "sandbox: partial: submitted programs are restricted by only one of Landlock and seccomp: accept code you \
             have read\n  \
             yes limits      what it does\n  \
             no  Landlock    what it does\n  \
             why: Landlock: this kernel has none\n\
             python: no Python 3 was found\n"
        );
    }
}
