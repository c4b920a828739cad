//! `gert auth`: keys that are checked, stored, sent to their own host, and removed.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::rig::{Home, KEY, Platform};

#[test]
fn a_piped_key_is_trimmed_checked_and_stored_for_its_owner_only() {
    // C-04, H-17
    let platform = Platform::accepting();
    let home = Home::at(&platform);
    let ran = home.pipe(&["auth", "login", "--stdin"], format!("\u{feff} {KEY}\r\n"));
    ran.expect(0, &["pro plan, 12.50 credits", "keys/default", "the keyring was not used"]);
    assert_eq!(platform.keys(), [KEY]);
    let file = home.key_file("default");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(fs::read_to_string(&file).unwrap(), format!("{KEY}\n"));
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
    assert!(home.text().contains("key = \"file\"") && !home.text().contains("SECRET"), "{}", home.text());

    home.run(&["auth", "status"]).expect(0, &["keys/default", "pro plan", "sha256:"]);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    home.run(&["auth", "status"]).expect(0, &["warning", "could be read by others"]);
    assert_eq!(mode(&file), 0o600);

    home.run(&["auth", "logout"]).expect(0, &["was removed from the file"]);
    assert!(!file.exists());
    home.run(&["auth", "status"]).expect(4, &["gert auth login"]);
    home.run_with(&["auth", "logout"], &[("GERT_API_KEY", KEY)])
        .expect(0, &["`GERT_API_KEY` still provides a key"]);
}

#[test]
fn a_key_that_is_refused_is_not_stored() {
    let platform = Platform::refusing();
    let home = Home::at(&platform);
    let before = home.text();
    home.pipe(&["auth", "login", "--stdin"], KEY).expect(4, &["refuses the key", "not stored"]);
    assert!(!home.key_file("default").exists());
    assert_eq!(home.text(), before);
    home.pipe(&["auth", "login", "--stdin", "--no-check"], KEY).expect(0, &["is stored"]);
    home.run(&["auth", "status"]).expect(4, &["no such key"]);
    assert_eq!(platform.keys(), [KEY, KEY], "not asked with `--no-check`");
}

#[test]
fn a_key_that_cannot_be_checked_is_not_stored() {
    let home = Home::new();
    // The discard port of this machine, where nobody listens.
    home.write("[profiles.default]\nbase_url = \"http://127.0.0.1:9/api/v1\"\nmax_retries = 0\n");
    home.pipe(&["auth", "login", "--stdin"], KEY).expect(10, &["could not be checked", "--no-check"]);
    assert!(!home.key_file("default").exists());
}

#[test]
fn a_key_with_an_illegal_character_is_told_by_position() {
    // H-17
    let home = Home::new();
    home.pipe(&["auth", "login", "--stdin", "--no-check"], "sk_SECRET\nmore").expect(2, &["position 10"]);
    home.run_with(&["auth", "status"], &[("GERT_API_KEY", "sk SECRET")])
        .expect(2, &["`GERT_API_KEY`", "position 3"]);
    assert!(!home.config().exists());
}

#[test]
fn without_a_terminal_nothing_is_asked() {
    // T-08
    let home = Home::new();
    let ran = home.run(&["auth", "login"]);
    ran.expect(2, &["there is no terminal", "--stdin"]);
    assert_eq!(ran.err.lines().count(), 1);
    for input in ["", " \n"] {
        home.pipe(&["auth", "login", "--stdin"], input).expect(2, &["no key was given"]);
    }
    assert!(!home.config().exists());
}

#[test]
fn a_stored_key_does_not_go_to_another_host() {
    let (platform, other) = (Platform::accepting(), Platform::accepting());
    let home = Home::at(&platform);
    home.pipe(&["auth", "login", "--stdin"], KEY).expect(0, &[]);
    let elsewhere = ["auth", "status", "--base-url", &other.base_url()];
    home.run(&elsewhere).expect(4, &["withheld", "not sent to another host"]);
    assert_eq!(other.keys(), [""; 0]);
    home.run_with(&elsewhere, &[("GERT_API_KEY", "sk_gert_other")]).expect(0, &["pro plan"]);
    assert_eq!(other.keys(), ["sk_gert_other"]);
}

#[test]
fn a_key_for_another_host_makes_a_profile_of_its_own() {
    let (platform, other) = (Platform::accepting(), Platform::accepting());
    let home = Home::at(&platform);
    let url = other.base_url();
    home.pipe(&["auth", "login", "--stdin", "--base-url", &url], KEY).expect(2, &["--profile NAME"]);
    home.pipe(&["auth", "login", "--stdin", "--base-url", &url, "--profile", "other"], KEY).expect(0, &[]);
    home.run(&["auth", "status", "--profile", "other"]).expect(0, &[&url]);
    home.run(&["auth", "status"]).expect(4, &["profile `default`"]);
    home.run(&["auth", "status", "--profile", "othr"]).expect(2, &["did you mean `other`?"]);
    assert_eq!(platform.keys(), [""; 0]);
}

#[test]
fn a_keyring_that_was_asked_for_and_is_not_there_stores_nothing() {
    let platform = Platform::accepting();
    let home = Home::at(&platform);
    home.pipe(&["auth", "login", "--stdin", "--store", "keyring"], KEY)
        .expect(1, &["keyring", "--store file"]);
    assert!(!home.key_file("default").exists());
    assert!(!home.text().contains("key ="));
}
