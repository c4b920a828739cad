//! Every dependency has a licence that we accept, and none is banned (`deny.toml`), without an extra tool.

use std::collections::BTreeSet;
use std::process::Command;

/// Names of licences in `deny.toml`.
fn allowed() -> Vec<String> {
    let deny = include_str!("../../deny.toml");
    let list = deny.split("allow = [").nth(1).and_then(|rest| rest.split(']').next()).unwrap();
    list.split(',')
        .map(|name| name.trim().trim_matches('"').to_owned())
        .filter(|name| !name.is_empty())
        .collect()
}

/// Whether an SPDX expression can be met with allowed licences alone: `AND` needs all, `OR` one, brackets are rare.
fn acceptable(expression: &str, allowed: &[String]) -> bool {
    let expression = expression.replace(['(', ')'], " ").replace('/', " OR ");
    expression
        .split(" AND ")
        .all(|part| part.split(" OR ").any(|name| allowed.iter().any(|ok| ok == name.trim())))
}

#[test]
fn every_dependency_has_a_licence_we_accept() {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--all-features", "--prefix", "none", "--format", "{p}|{l}"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8(output.stdout).unwrap();
    let packages: BTreeSet<(&str, &str)> = tree.lines().filter_map(|line| line.split_once('|')).collect();
    assert!(packages.len() > 100, "the list of packages is not the whole one");
    let allowed = allowed();
    let licence = |text: &str| text.trim_end_matches(" (*)").to_owned();
    let bad: Vec<_> = packages.iter().filter(|(_, text)| !acceptable(&licence(text), &allowed)).collect();
    assert!(bad.is_empty(), "not in the list of deny.toml: {bad:#?}");
    for banned in ["openssl-sys", "native-tls", "aws-lc-sys"] {
        let found = packages.iter().any(|(package, _)| package.split(' ').next() == Some(banned));
        assert!(!found, "{banned} is banned by deny.toml");
    }
}

#[test]
fn the_lean_library_has_no_terminal_server_or_parquet_in_it() {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--locked",
            "--offline",
            "--no-default-features",
            "--edges",
            "normal",
            "--prefix",
            "none",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8(output.stdout).unwrap();
    let packages: BTreeSet<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(packages.contains("reqwest") && packages.contains("tokio-tungstenite"), "{packages:?}");
    for heavy in [
        "ratatui",
        "ratatui-core",
        "crossterm",
        "ratatui-textarea",
        "terminput",
        "clap",
        "indicatif",
        "axum",
        "rusqlite",
        "argon2",
        "parquet",
        "keyring",
        "toml_edit",
        "directories",
    ] {
        assert!(!packages.contains(heavy), "{heavy} is in the lean library");
    }
}

#[test]
fn an_expression_is_met_by_one_alternative_of_each_part() {
    let allowed = ["MIT".to_owned(), "Zlib".to_owned()];
    assert!(acceptable("GPL-3.0 OR MIT", &allowed) && acceptable("MIT AND Zlib", &allowed));
    assert!(acceptable("MIT/Apache-2.0", &allowed));
    assert!(!acceptable("MIT AND GPL-3.0", &allowed) && !acceptable("none", &allowed));
}
