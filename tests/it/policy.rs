//! `gert policy` as the built binary: the check on broken policies, and the templates.

use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use tokio::process::Command;

/// How long what was killed may take to be gone.
const PATIENCE: Duration = Duration::from_secs(20);

fn sample(name: &str) -> String {
    format!("{}/assets/policies/{name}", env!("CARGO_MANIFEST_DIR"))
}

async fn gert(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gert"));
    command.arg("policy").args(args).current_dir(folder).env("HOME", folder).stdin(Stdio::null());
    command.kill_on_drop(true).output().await.unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The steps of a check that were not in order: name, verdict, all its words.
fn troubles(output: &Output) -> Vec<(String, String, String)> {
    let report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{why}: {output:?}"));
    let member = |step: &Value, name: &str| step[name].as_str().unwrap_or_default().to_owned();
    let steps = report["steps"].as_array().unwrap().iter();
    steps
        .filter(|step| step["verdict"] == "fail" || step["verdict"] == "warn")
        .map(|step| {
            let words = ["words", "line", "hint", "saved"].map(|name| member(step, name)).join(" | ");
            (member(step, "step"), member(step, "verdict"), words)
        })
        .collect()
}

#[tokio::test]
async fn each_broken_policy_is_found_and_its_author_is_told_what_to_do() {
    // B-09, B-11, B-14: the ready-made test mode of a policy.
    for (file, flags, step, words) in [
        ("late.py", "--turn-ms 200 ", "answers", "its limit is 200 ms"),
        ("wrong_id.py", "--turn-ms 1000 ", "answers", "with the id 1001"),
        ("no_flush.py", "--turn-ms 1000 --start-ms 500 ", "starts", "stays in a buffer"),
        ("debug_output.py", "", "standard output", "thinking about tick 0"),
        ("dies_on_reject.py", "", "a refused answer", "what is a reject?"),
        ("ignores_end.py", "", "the end", "stays after the end of its input"),
        ("answers_twice.py", "", "one answer a turn", "answers to turns that were not open"),
        ("huge_line.py", "", "starts", "longer than 1048576 bytes"),
        ("not_utf8.py", "", "starts", "not UTF-8"),
        ("trusts_everything.py", "", "odd observations", "KeyError"),
        (
            "leaves_child.py",
            "",
            "its processes",
            "leaves a process behind that had to be killed | sleep 1000",
        ),
        (
            "leaves_session.py",
            "",
            "its processes",
            "that had left its group, so that only this check ended it",
        ),
    ] {
        if file.starts_with("leaves") && !cfg!(target_os = "linux") {
            continue; // It is not seen there.
        }
        let folder = tempfile::tempdir().unwrap();
        let command = format!("{flags}python3 '{}'", sample(&format!("broken/{file}")));
        let output = gert(folder.path(), &["check", "--json", "--game", "connect_four", &command]).await;
        assert_eq!(output.status.code(), Some(1), "{file}: {output:?}");
        let troubles = troubles(&output);
        let failed = troubles.iter().find(|(_, verdict, _)| verdict == "fail").unwrap();
        assert_eq!(failed.0, step, "{file}: {troubles:?}");
        assert!(failed.2.contains(words), "{file}: {troubles:?}");
        assert!(failed.2.contains("policy-check-"), "{file}: the input is kept: {troubles:?}");
        // One is started in every step.
        let gone = async {
            while running("GERT_POLICY_MARK=check-", folder.path()) > 0 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(PATIENCE, gone).await.unwrap_or_else(|_| panic!("{file}: something goes on"));
    }
}

/// How many processes have such a variable and this home.
fn running(variable: &str, home: &Path) -> usize {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let home = format!("HOME={}", home.display());
    let fits = |environment: &str| {
        let mut entries = environment.split('\0');
        entries.clone().any(|entry| entry.starts_with(variable)) && entries.any(|entry| entry == home)
    };
    let environments = entries.filter_map(|entry| std::fs::read(entry.path().join("environ")).ok());
    environments.filter(|bytes| fits(&String::from_utf8_lossy(bytes))).count()
}

#[tokio::test]
async fn a_failing_input_is_played_again_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let broken = format!("python3 '{}'", sample("broken/dies_on_reject.py"));
    gert(folder.path(), &["check", "--game", "connect_four", &broken]).await;
    let file = "policy-check-a-refused-answer.jsonl";
    let again = gert(folder.path(), &["check", "--replay", file, &broken]).await;
    assert_eq!(again.status.code(), Some(1), "{again:?}");
    assert!(text(&again.stdout).contains("what is a reject?"), "{again:?}");
    let sound = format!("python3 '{}'", sample("random.py"));
    let again = gert(folder.path(), &["check", "--replay", file, &sound]).await;
    assert_eq!(again.status.code(), Some(0), "{again:?}");
    assert!(text(&again.stdout).contains("passes now"), "{again:?}");
}

#[tokio::test]
async fn what_is_no_policy_is_a_mistake_of_the_user() {
    let folder = tempfile::tempdir().unwrap();
    for (args, words) in [
        (&["check", "--frehs bot"][..], "`--frehs` is no flag"),
        (&["check", "--game", "chess", "bot"], "no game `chess`"),
        (&["check", "--replay", "none", "bot"], "`none`"),
    ] {
        let output = gert(folder.path(), args).await;
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(words), "{output:?}");
    }
}

#[tokio::test]
async fn a_written_policy_passes_the_check_and_is_never_overwritten() {
    for (lang, file, program) in
        [("python", "policy.py", "python3"), ("sh", "policy.sh", "sh"), ("js", "policy.mjs", "node")]
    {
        let folder = tempfile::tempdir().unwrap();
        let written = gert(folder.path(), &["init", "--lang", lang]).await;
        assert_eq!(written.status.code(), Some(0), "{written:?}");
        assert!(text(&written.stdout).contains("gert policy check"), "{written:?}");
        let before = std::fs::read(folder.path().join(file)).unwrap();
        let again = gert(folder.path(), &["init", "--lang", lang, file]).await;
        assert_eq!(again.status.code(), Some(2), "{again:?}");
        assert_eq!(std::fs::read(folder.path().join(file)).unwrap(), before);
        let has_program = std::process::Command::new(program).arg("-c").stdin(Stdio::null()).output().is_ok();
        if has_program {
            let checked = gert(folder.path(), &["check", "--json", program, file]).await;
            assert_eq!(checked.status.code(), Some(0), "{lang}: {:?}", troubles(&checked));
        }
    }
}
