//! `gert config`, completions and the manual.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use super::rig::{Home, KEY, Platform};

#[test]
fn a_broken_file_is_named_before_anything_happens_and_stays_as_it_is() {
    // C-01
    let home = Home::new();
    let text = "[ui]\nascii = yes\n";
    home.write(text);
    let at = format!("{}:2: ", home.config().display());
    for args in [&[][..], &["config", "show"], &["auth", "status"], &["config", "set", "ui.mouse", "true"]] {
        let ran = home.run(args);
        ran.expect(2, &[&at]);
        assert_eq!(ran.out, "");
        assert_eq!(home.text(), text);
    }
    home.write("\u{feff}[ui]\r\nascii = true\r\n");
    home.run(&["config", "validate"]).expect(0, &["good"]);
}

#[test]
fn an_unknown_key_is_told_with_the_nearest_name_and_the_check_fails() {
    // C-02
    let home = Home::new();
    home.write("profil = \"x\"\n[profiles.default]\nred_only = true\n");
    let first = format!("{}:1: unknown key `profil`; did you mean `profile`?", home.config().display());
    let words =
        [&*first, ":3: unknown key `profiles.default.red_only`; did you mean `profiles.default.read_only`?"];
    home.run(&["config", "validate"]).expect(2, &words);
    home.run(&[]).expect(2, &words);
    let other = home.path("other.toml");
    fs::write(&other, "[ui]\nascii = true\n").unwrap();
    home.run(&["config", "validate", other.to_str().unwrap()]).expect(0, &["good"]);
    home.run(&["config", "validate", "nowhere.toml"]).expect(2, &["not there"]);
}

#[test]
fn effective_settings_are_shown_with_where_they_came_from_and_never_the_key() {
    // C-02
    let home = Home::new();
    home.write("[profiles.default]\nread_only = true\n");
    let variables = [("GERT_API_KEY", KEY), ("GERT_BASE_URL", "https://x.test/v1")];
    let shown = home.run_with(&["config", "show"], &variables);
    shown.expect(0, &["https://x.test/v1", "GERT_BASE_URL", "config.toml:2", "sha256:", "`GERT_API_KEY`"]);
    let shown = home.run_with(&["config", "show", "--json"], &variables);
    shown.expect(0, &[]);
    let json: serde_json::Value = serde_json::from_str(&shown.out).unwrap();
    assert_eq!(json["settings"]["profiles.default.read_only"]["origin"], "config.toml:2");
    assert_eq!(json["settings"]["profiles.default.read_only"]["value"], true);
    assert_eq!(json["key"]["source"], "the variable `GERT_API_KEY`");
}

#[test]
fn without_a_home_there_is_one_warning_and_everything_else_works() {
    // C-05
    let (home, platform) = (Home::new(), Platform::accepting());
    let nowhere =
        [("HOME", "/dev/null"), ("XDG_CONFIG_HOME", ""), ("XDG_STATE_HOME", ""), ("XDG_DATA_HOME", "")];
    for args in [&["--version"][..], &["--help"], &["config", "--help"], &["completions", "bash"], &["man"]] {
        let ran = home.run_with(args, &nowhere);
        ran.expect(0, &[]);
        assert_eq!(ran.err, "");
    }
    let url = platform.base_url();
    let with_key = [&nowhere[..], &[("GERT_API_KEY", KEY), ("GERT_BASE_URL", &url)]].concat();
    let ran = home.run_with(&["auth", "status"], &with_key);
    ran.expect(0, &["pro plan", "the defaults are used and nothing is kept"]);
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    assert_eq!(platform.keys(), [KEY]);
    home.run_with(&["config", "set", "ui.ascii", "true"], &nowhere).expect(1, &["cannot be written"]);
}

#[test]
fn settings_are_made_private_changed_in_place_and_removed() {
    // C-04
    let home = Home::new();
    home.run(&["config", "set", "ui.ascii", "true"]).expect(0, &["changed"]);
    let mode = |name: &str| fs::metadata(home.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("gert"), mode("gert/config.toml")), (0o700, 0o600));
    home.write("# mine\n[ui] # look\nascii = true\n");
    home.run(&["config", "set", "ui.ascii", "false"]).expect(0, &[]);
    assert_eq!(home.text(), "# mine\n[ui] # look\nascii = false\n");
    home.run(&["config", "set", "ui.ascii", "7"]).expect(2, &["must be `true` or `false`, not a number"]);
    home.run(&["config", "unset", "ui.ascii"]).expect(0, &[]);
    assert_eq!(home.text(), "# mine\n[ui] # look\n");
    home.run(&["config", "path"]).expect(0, &[home.config().to_str().unwrap()]);
}

#[test]
fn a_linked_file_stays_a_link() {
    // C-07
    let home = Home::new();
    home.write("");
    fs::rename(home.config(), home.path("dots.toml")).unwrap();
    std::os::unix::fs::symlink("../dots.toml", home.config()).unwrap();
    home.run(&["config", "set", "ui.mouse", "true"]).expect(0, &[]);
    assert!(fs::symlink_metadata(home.config()).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(home.path("dots.toml")).unwrap(), "[ui]\nmouse = true\n");
}

#[test]
fn programs_that_change_settings_at_once_lose_nothing() {
    // C-08
    let home = Home::new();
    let names: Vec<String> = (0..6).map(|n| format!("profiles.p{n}.read_only")).collect();
    let mut children: Vec<_> = names
        .iter()
        .map(|name| home.command(&["config", "set", name, "true"]).stderr(Stdio::null()).spawn().unwrap())
        .collect();
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(home.text().matches("read_only = true").count(), names.len(), "{}", home.text());
}

/// An editor that does this to the file in `$1`.
fn editor(home: &Home, script: &str) -> String {
    let path = home.path("editor.sh");
    fs::write(&path, script).unwrap();
    format!("sh '{}'", path.display())
}

#[test]
fn an_edit_begins_with_the_template_and_is_checked_before_it_replaces_anything() {
    let home = Home::new();
    let good = editor(&home, "sed -i 's/^read_only = false/read_only = true/' \"$1\"");
    home.run_with(&["config", "edit"], &[("EDITOR", &good)]).expect(0, &["made"]);
    let text = home.text();
    assert_eq!(
        text,
        include_str!("../../../assets/config.toml").replace("read_only = false", "read_only = true")
    );
    home.run_with(&["config", "edit"], &[("EDITOR", &good)]).expect(0, &["nothing was changed"]);
    let bad = editor(&home, "echo 'colour = 1' >> \"$1\"");
    let ran = home.run_with(&["config", "edit"], &[("VISUAL", &bad), ("EDITOR", "false")]);
    ran.expect(2, &["unknown key `recordings.colour`", "as before"]);
    assert_eq!(home.text(), text);
    // What was written is not lost.
    let kept = ran.err.lines().last().and_then(|line| line.split(' ').next_back()).unwrap();
    assert!(fs::read_to_string(kept).unwrap().ends_with("colour = 1\n"), "{kept}");
    home.run_with(&["config", "edit"], &[("EDITOR", "false")]).expect(1, &["failed"]);
    home.run_with(&["config", "edit"], &[("EDITOR", "no-such-editor")]).expect(1, &["cannot be started"]);
}

#[test]
fn an_edit_does_not_undo_what_changed_meanwhile() {
    // C-08
    let home = Home::new();
    home.write("# before\n");
    let script = format!("echo '# theirs' >> '{}'; echo '# ours' >> \"$1\"", home.config().display());
    let both = editor(&home, &script);
    home.run_with(&["config", "edit"], &[("EDITOR", &both)])
        .expect(1, &["changed by somebody else meanwhile"]);
    assert_eq!(home.text(), "# before\n# theirs\n");
}

#[test]
fn completions_and_pages_are_made_and_a_closed_pipe_ends_quietly() {
    // T-10
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        home.run(&["completions", shell]).expect(0, &["gert", "profile"]);
    }
    home.run(&["man"]).expect(0, &[".TH gert 1", "GERT_BASE_URL"]);
    let folder = home.path("man");
    home.run(&["man", "--dir", folder.to_str().unwrap()]).expect(0, &["gert.1"]);
    assert!(folder.join("gert-auth-login.1").is_file());
    let mut child =
        home.command(&["completions", "bash"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}
