//! Files with everything right, and with everything wrong.

use std::path::Path;

use super::*;

fn parse(text: &str) -> Result<File, ConfigError> {
    File::parse(Path::new("config.toml"), text.as_bytes())
}

fn problems(text: &str) -> Vec<String> {
    let error = parse(text).expect_err(text);
    error.problems().iter().map(ToString::to_string).collect()
}

#[test]
fn every_setting_is_read() {
    let file = parse(
        r#"
profile = "work"
[profiles.work]
base_url = "https://x.test/api/v1/"
key = "env:WORK_KEY"
read_only = true
allow_plain_http = true
ca_files = ["a.pem", "/b.pem"]
proxy = "socks5h://p:1080"
timeout_seconds = 1.5
max_retries = 0
spend = { per_action = 0.0004, unknown_price = "allow" }
[spend]
per_day = 5
per_profile = 1_000.25
[ui]
ascii = true
mouse = true
"#,
    )
    .unwrap();
    let work = &file.profiles["work"];
    assert_eq!(file.profile, Some(Set { value: "work".into(), line: 2 }));
    assert_eq!(work.base_url.as_ref().unwrap().value.as_str(), "https://x.test/api/v1");
    assert_eq!(work.key.as_ref().unwrap().value, KeyPlace::Variable("WORK_KEY".into()));
    assert_eq!(work.timeout, Some(Set { value: Duration::from_millis(1500), line: 10 }));
    assert_eq!(work.max_retries.as_ref().unwrap().value, 0);
    assert_eq!(work.ca_files.as_ref().unwrap().value, [Path::new("a.pem"), Path::new("/b.pem")]);
    assert_eq!(work.spend.per_action.as_ref().unwrap().value, Micro(400));
    assert_eq!(work.spend.unknown_price.as_ref().unwrap().value, UnknownPrice::Allow);
    assert_eq!(file.spend.per_day.as_ref().unwrap().value, Micro(5_000_000));
    assert_eq!(file.spend.per_profile, Some(Set { value: Micro(1_000_250_000), line: 15 }));
    assert!(file.ascii.unwrap().value && file.mouse.unwrap().value);
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_fine() {
    // C-01
    let file = parse("\u{feff}profile = \"default\"\r\n[ui]\r\nascii = true\r\n").unwrap();
    assert_eq!(file.ascii, Some(Set { value: true, line: 3 }));
    assert_eq!(
        problems("\u{feff}[ui]\r\nascci = true\r\n"),
        ["config.toml:2: unknown key `ui.ascci`; did you mean `ui.ascii`?"]
    );
}

#[test]
fn a_file_that_does_not_parse_is_named_with_its_line_and_nothing_of_its_text() {
    // C-01
    for (text, line) in [
        ("profile = \n", 1),
        ("[ui]\nascii = true\n[profiles.default\nproxy = 'http://me:secret@x'\n", 3),
        ("[ui]\nproxy = http://me:secret@x\n", 2),
        ("[ui]\nascii = true\nascii = false\n", 3),
        ("[profiles.a]\n[profiles.b]\n[profiles.a]\n", 3),
    ] {
        let problems = problems(text);
        assert!(problems[0].starts_with(&format!("config.toml:{line}: ")), "{text}: {problems:?}");
        assert!(!problems[0].contains("secret") && !problems[0].contains('\n'), "{problems:?}");
    }
    assert!(File::parse(Path::new("c"), b"\xff\xfep\0").unwrap_err().to_string().contains("UTF-16"));
    assert_eq!(
        File::parse(Path::new("c"), b"# a\n# \xe9\n").unwrap_err().to_string(),
        "c:2: is not UTF-8 text; save it as UTF-8"
    );
}

#[test]
fn an_unknown_key_is_an_error_with_the_nearest_name() {
    // C-02
    for (text, problem) in [
        ("profil = 'x'", "1: unknown key `profil`; did you mean `profile`?"),
        (
            "[profiles.work]\nbaseurl = 'x'",
            "2: unknown key `profiles.work.baseurl`; did you mean `profiles.work.base_url`?",
        ),
        ("[spend]\nper_dya = 1", "2: unknown key `spend.per_dya`; did you mean `spend.per_day`?"),
        ("read_only = true", "1: unknown key `read_only`; it belongs into `[profiles.default]`"),
        ("[ui]\ncolour = 1", "2: unknown key `ui.colour`; known here: `ascii`, `mouse`"),
        ("[uii]\nascii = true", "1: unknown key `uii`; did you mean `ui`?"),
    ] {
        assert_eq!(problems(text), [format!("config.toml:{problem}")]);
    }
    for name in IN_A_PROFILE {
        let wrong_type = format!("profiles.p.{name} = 1979-05-27");
        assert!(!problems(&wrong_type)[0].contains("unknown"), "{name} is known in a profile");
    }
}

#[test]
fn every_problem_is_told_at_once_in_the_order_of_the_lines() {
    let text =
        "profile = 'wrok'\n[profiles.work]\nread_only = 'yes'\nmax_retries = -1\n[spend]\nper_day = 'five'\n";
    assert_eq!(
        problems(text),
        [
            "config.toml:1: there is no profile `wrok`; did you mean `work`?",
            "config.toml:3: `profiles.work.read_only` must be `true` or `false`, not text",
            "config.toml:4: `profiles.work.max_retries` must be from 0 to 100",
            "config.toml:6: `spend.per_day` must be a number of credits, not text",
        ]
    );
}

#[test]
fn values_that_cannot_be_are_refused() {
    for (text, words) in [
        ("profile = 1", "`profile` must be text in quotes, not a number"),
        ("profile = 'a b'", "must be 1 to 64 letters"),
        ("profile = '../x'", "must be 1 to 64 letters"),
        ("profiles = 1", "`profiles` must be a table"),
        ("profiles.work = true", "`profiles.work` must be a table: write `[profiles.work]`"),
        ("[profiles.'a/b']", "the profile name `a/b` must be"),
        ("[profiles.Work]\n[profiles.work]", "differ only in case"),
        ("[profiles.p]\nbase_url = 'x'", "`profiles.p.base_url` cannot be used"),
        // H-13
        ("[profiles.p]\nbase_url = 'http://x.test'", "would send the key in clear"),
        ("[profiles.p]\nkey = 'sk_gert_secret'", "is not the key itself"),
        ("[profiles.p]\nproxy = 'secret'", "it should look like"),
        ("[profiles.p]\ntimeout_seconds = 0", "more than 0"),
        ("[profiles.p]\ntimeout_seconds = nan", "more than 0"),
        ("[profiles.p]\nmax_retries = 1.5", "a whole number"),
        ("[profiles.p]\nca_files = 'x'", "must be a list"),
        ("[profiles.p]\nca_files = [1]", "file names in quotes"),
        ("[spend]\nper_action = -1", "0 or more"),
        ("[spend]\nper_action = -0.5", "0 or more"),
        ("[spend]\nper_action = inf", "0 or more"),
        ("[spend]\nper_action = 0.0000001", "a millionth"),
        ("[spend]\nunknown_price = 'ask'", "\"refuse\" or \"allow\""),
        ("[spend]\nper_action = 5\nper_day = 2", "`per_action` (5) is more than `per_day` (2, line 3)"),
        ("[[ui]]\nascii = true", "`ui` must be a table"),
        ("[ui.ascii]\n", "`ui.ascii` must be a value, not a table"),
    ] {
        let problems = problems(text).join("\n");
        assert!(problems.contains(words), "{text}: {problems}");
        assert!(!problems.contains("secret"), "{problems}");
    }
}

#[test]
fn hostile_names_are_shown_without_their_escapes() {
    let problems = problems("\"\\u001b[2J\" = 1\n");
    assert!(!problems[0].contains('\u{1b}'), "{problems:?}");
}
