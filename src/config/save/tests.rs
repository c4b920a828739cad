//! Files that are written whole or not at all.

use std::fs;

use super::*;
use crate::config::change::{set, unset};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[cfg(unix)]
#[test]
fn new_files_and_folders_are_private_and_a_rewrite_keeps_the_mode() {
    // C-04
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let path = folder.path().join("gert/config.toml");
    set(&path, "ui.ascii", "true").unwrap();
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    set(&path, "ui.ascii", "false").unwrap();
    assert_eq!(mode(&path), 0o640);
    write(&path, b"x", Mode::Private).unwrap();
    assert_eq!(mode(&path), 0o600);
    assert_eq!(tighten(&path), None);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(tighten(&path).unwrap().contains("mode 644"));
    assert_eq!(mode(&path), 0o600);
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_also_where_it_leads_nowhere_yet() {
    // C-07
    let folder = folder();
    let (link, real) = (folder.path().join("config.toml"), folder.path().join("dots/real.toml"));
    std::os::unix::fs::symlink("dots/real.toml", &link).unwrap();
    for (value, text) in [("true", "[ui]\nascii = true\n"), ("false", "[ui]\nascii = false\n")] {
        set(&link, "ui.ascii", value).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), text);
    }
}

#[test]
fn a_save_that_fails_keeps_the_old_file_and_leaves_nothing_behind() {
    // C-07
    let folder = folder();
    let path = folder.path().join("config.toml");
    // A folder cannot be replaced by a file, not even by root.
    fs::create_dir(&path).unwrap();
    let error = write(&path, b"x", Mode::Private).unwrap_err();
    assert!(path.is_dir(), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_file_that_cannot_be_read_is_never_written() {
    // C-01
    let folder = folder();
    let path = folder.path().join("config.toml");
    for text in [&b"profile = \n"[..], b"\xff\xfex\0", b"# \xe9\n"] {
        fs::write(&path, text).unwrap();
        assert!(matches!(set(&path, "ui.ascii", "true"), Err(SaveError::Unreadable(_))));
        assert!(matches!(unset(&path, "ui.ascii"), Err(SaveError::Unreadable(_))));
        assert_eq!(fs::read(&path).unwrap(), text);
    }
}

#[test]
fn a_change_keeps_comments_line_ends_and_the_byte_order_mark() {
    let folder = folder();
    let path = folder.path().join("config.toml");
    fs::write(&path, "\u{feff}# mine\r\n[ui] # look\r\nascii = true\r\n").unwrap();
    set(&path, "ui.mouse", "true").unwrap();
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "\u{feff}# mine\r\n[ui] # look\r\nascii = true\r\nmouse = true\r\n"
    );
}

#[test]
fn a_change_that_is_no_good_changes_nothing_and_old_faults_can_be_mended_one_by_one() {
    let folder = folder();
    let path = folder.path().join("config.toml");
    let text = "colour = 1\nsize = 2\n";
    fs::write(&path, text).unwrap();
    for (name, value) in
        [("ui.asci", "true"), ("ui.ascii", "7"), ("profile", "nobody"), ("", "1"), ("a..b", "1")]
    {
        assert!(matches!(set(&path, name, value), Err(SaveError::Unsound(_))), "{name}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    unset(&path, "colour").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "size = 2\n");
    assert!(matches!(unset(&path, "colour"), Err(SaveError::Unsound(_))));
}

#[test]
fn a_key_is_no_value_and_is_not_repeated() {
    // H-16
    let folder = folder();
    let error = set(&folder.path().join("c.toml"), "profiles.default.key", "sk_gert_secret").unwrap_err();
    assert!(
        error.to_string().contains("gert auth login") && !error.to_string().contains("secret"),
        "{error}"
    );
}

#[test]
fn a_value_is_read_as_what_the_setting_takes() {
    let folder = folder();
    let path = folder.path().join("config.toml");
    for (name, value) in [
        ("profiles.7.base_url", "https://x.test/v1"),
        ("profile", "7"),
        ("spend.per_day", "0.30"),
        ("profiles.7.ca_files", "[\"a.pem\"]"),
        ("profiles.7.key", "env:MINE_KEY"),
    ] {
        assert!(set(&path, name, value).unwrap());
        assert!(!set(&path, name, value).unwrap(), "nothing to change");
    }
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("profile = \"7\"") && text.contains("per_day = 0.30"), "{text}");
}

#[test]
fn two_instances_at_once_lose_nothing() {
    // C-08
    let folder = folder();
    let path = folder.path().join("config.toml");
    std::thread::scope(|scope| {
        for instance in 0..4 {
            let path = &path;
            scope.spawn(move || {
                for n in 0..8 {
                    set(path, &format!("profiles.p{instance}_{n}.read_only"), "true").unwrap();
                }
            });
        }
    });
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches("read_only = true").count(), 32, "{text}");
}

#[test]
fn a_file_that_was_edited_meanwhile_is_not_replaced() {
    // C-08
    let folder = folder();
    let path = folder.path().join("config.toml");
    fs::write(&path, "# theirs\n").unwrap();
    let error = replace(&path, Some(b"# before\n"), b"# ours\n").unwrap_err();
    assert!(matches!(error, SaveError::Changed(_)) && error.to_string().contains("meanwhile"));
    assert!(matches!(replace(&path, None, b"# ours\n"), Err(SaveError::Changed(_))));
    assert_eq!(fs::read(&path).unwrap(), b"# theirs\n");
    replace(&path, Some(b"# theirs\n"), b"# ours\n").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"# ours\n");
}
