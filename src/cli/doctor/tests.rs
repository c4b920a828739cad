use super::judge::{Finding, Verdict};
use super::report::{self, Look};
use super::{CHECKS, Findings};

fn findings() -> Findings {
    let finding = |verdict, found: &str, advice: Option<&str>| Finding {
        verdict,
        found: found.to_owned(),
        advice: advice.map(str::to_owned),
    };
    let long = "no connection to `h.example`: a reason that takes more than one line of a narrow terminal";
    vec![
        ("config", finding(Verdict::Ok, "~/.config/gert/config.toml is good", None)),
        (
            "host",
            finding(
                Verdict::Problem,
                long,
                Some("check that the server runs, and that the port is right, and so on"),
            ),
        ),
        ("clock", finding(Verdict::Skipped, "unknown", None)),
        ("terminal", finding(Verdict::Warning, "39×10\u{1b}[2J", Some("make it larger"))),
    ]
}

#[test]
fn a_report_reads_well_at_eighty_columns() {
    let look = Look { width: 80, ascii: false, coloured: false };
    insta::assert_snapshot!(report::text(&findings(), look), @r"
    ok       config    ~/.config/gert/config.toml is good
    problem  host      no connection to `h.example`: a reason that takes more than
                       one line of a narrow terminal
                       → check that the server runs, and that the port is right, and
                         so on
    skipped  clock     unknown
    warning  terminal  39×10␛[2J
                       → make it larger

    1 problem, 1 warning. For a bug report: `gert doctor --bundle FILE`.
    ");
}

#[test]
fn a_report_for_a_plain_terminal_is_ascii_but_for_what_others_wrote() {
    let look = Look { width: 44, ascii: true, coloured: false };
    insta::assert_snapshot!(report::text(&findings()[2..].to_vec(), look), @r"
    skipped  clock     unknown
    warning  terminal  39x10␛[2J
                       -> make it larger

    1 warning. For a bug report: `gert doctor
    --bundle FILE`.
    ");
}

#[test]
fn no_line_is_wider_than_the_terminal_and_colours_take_no_room() {
    for width in [44, 80, 100, 300] {
        let plain = report::text(&findings(), Look { width, ascii: false, coloured: false });
        let widest = plain.lines().map(crate::text::width).max();
        assert!(widest <= Some(width.min(100)), "{width}: {widest:?}\n{plain}");
        let coloured = report::text(&findings(), Look { width, ascii: false, coloured: true });
        assert_eq!(coloured.lines().count(), plain.lines().count());
        // T-30: only the sixteen colours, which every terminal with colours has.
        assert!(coloured.contains("\u{1b}[1;31m") && !coloured.contains("38;"));
    }
}

#[test]
fn a_report_for_programs_is_one_document() {
    let report: serde_json::Value = serde_json::from_str(&report::json(&findings())).expect("JSON");
    assert_eq!(report["ok"], false);
    assert_eq!(report["checks"][1]["verdict"], "problem");
    assert_eq!(report["checks"][0]["advice"], serde_json::Value::Null);
    assert_eq!(report["checks"].as_array().map(Vec::len), Some(4));
}

#[test]
fn names_of_checks_are_short_and_their_own() {
    let mut names: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
    assert!(names.iter().all(|name| name.len() <= 9), "{names:?}");
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), CHECKS.len());
}
