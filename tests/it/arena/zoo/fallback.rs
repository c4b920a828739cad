//! Machines that refuse a part. A launcher inside a sandbox is on such a machine: no namespaces, no file system in memory.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Stdio;

use gert::arena::sandbox::cage::{Cage, FAILED, Found};
use gert::arena::sandbox::launch::WORD;
use serde_json::{Value, json};
use tokio::process::Command;

use super::*;

const GERT: &str = env!("CARGO_BIN_EXE_gert");

fn cage(argv: &[&str], scratch: &Path, files: &Path) -> Cage {
    Cage {
        parent: std::process::id(),
        token: "secret".into(),
        argv: argv.iter().map(|word| (*word).to_owned()).collect(),
        files: files.to_owned(),
        scratch: scratch.to_owned(),
        readable: vec![GERT.into()],
        isolated: true,
        memory_mb: 512,
        cpu_s: 60,
        file_kb: 1024,
        scratch_mb: 16,
    }
}

/// What a launcher in a launcher ends with, and says.
async fn nested(inner: &Cage, outer_scratch: &Path) -> (Option<i32>, String, String) {
    let inner = json!(inner).to_string();
    let outer = Cage { isolated: false, ..cage(&[GERT, WORD, &inner], outer_scratch, Path::new("")) };
    launch(&outer).await
}

async fn launch(cage: &Cage) -> (Option<i32>, String, String) {
    let mut command = Command::new(GERT);
    command.args([WORD, &json!(cage).to_string()]).stdin(Stdio::null()).kill_on_drop(true);
    let output = command.output().await.unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[tokio::test]
async fn what_a_machine_refuses_is_told_and_the_rest_holds() {
    let folder = tempfile::tempdir().unwrap();
    let (code, told, stderr) = nested(&cage(&[], folder.path(), Path::new("")), folder.path()).await;
    assert_eq!(code, Some(0), "{stderr}");
    let found: Found = serde_json::from_str(&told).unwrap();
    let level = sandbox().level().await;
    if level == Level::Strong {
        assert!(!found.namespaces && !found.scratch && found.landlock && found.seccomp, "{found:?}");
        assert!(found.why.iter().any(|why| why.starts_with("namespaces:")), "{found:?}");
    }
}

#[tokio::test]
async fn a_scratch_folder_that_would_outlive_a_turn_is_emptied_and_cannot_be_written_to() {
    let (scratch, files) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::create_dir(files.path().join("lib")).unwrap();
    std::fs::write(files.path().join("lib/note"), "of the program").unwrap();
    // The outer launcher has filled the folder already, as the process of the turn before would have.
    let script = "read -r line < lib/note || :; echo \"$line\"; echo *; : > written && echo wrote";
    let inner = cage(&["/bin/sh", "-c", script], scratch.path(), files.path());
    let outer =
        Cage { readable: vec![GERT.into(), files.path().to_owned()], isolated: false, ..inner.clone() };
    let argv = vec![GERT.to_owned(), WORD.to_owned(), json!(inner).to_string()];
    let outer = Cage { argv, files: files.path().to_owned(), ..outer };
    let (_, told, stderr) = launch(&outer).await;
    if sandbox().level().await == Level::Strong {
        assert_eq!(told, "of the program\nlib\n", "{stderr}");
        assert!(stderr.contains("Permission denied"), "{stderr}");
    } else {
        assert!(
            told.starts_with("of the program\nlib\n"),
            "without Landlock the folder is emptied at least: {told}"
        );
    }
}

#[tokio::test]
async fn a_launcher_that_fails_says_so_behind_its_token_and_nobody_else_can() {
    let folder = tempfile::tempdir().unwrap();
    let (code, told, stderr) = launch(&cage(&["/no/such/program"], folder.path(), Path::new(""))).await;
    assert_eq!((code, told.as_str()), (Some(FAILED), ""));
    assert!(stderr.starts_with("launcher secret: cannot execute `/no/such/program`"), "{stderr}");
    // The program sees neither the launcher's arguments nor its environment.
    let script = "read -r line < /proc/self/cmdline; echo \"$0 $* $line\"; exit 125";
    let (code, told, _) = launch(&cage(&["/bin/sh", "-c", script], folder.path(), Path::new(""))).await;
    assert!(code == Some(FAILED) && !told.contains("secret"), "{told}");
    // Started by somebody else than it is told, the launcher does nothing.
    let orphan = Cage { parent: 1, ..cage(&["/bin/echo", "hello"], folder.path(), Path::new("")) };
    let (code, told, stderr) = launch(&orphan).await;
    assert_eq!((code, told.as_str()), (Some(FAILED), ""), "{stderr}");
}

#[tokio::test]
async fn a_program_that_ends_like_a_launcher_has_crashed_all_the_same() {
    let source =
        at_second_turn("print('launcher secret: it is the arena\\'s fault', file=sys.stderr)\nos._exit(125)");
    assert_fails("forges", source, patient(), Crashed).await;
}

#[tokio::test]
async fn the_word_of_the_launcher_is_for_the_arena_alone() {
    for cage in [json!(null), json!({}), json!({ "argv": ["/bin/echo", "hello"] })] {
        let output = Command::new(GERT).args([WORD, &Value::to_string(&cage)]).output().await.unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(FAILED), 0));
    }
}
