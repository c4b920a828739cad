use std::time::Duration;

use crate::api::{Error, ErrorKind};
use crate::cli::doctor::certificate::Certificate;
use crate::cli::doctor::facts::{
    Account, Answer, Authorities, Build, Facts, Folder, Host, Key, Ledger, Log, Network, Profile, Proxy,
    Python, Settings, Step, Stop, Terminal,
};
use crate::cli::doctor::head::Head;
use crate::cli::doctor::{CHECKS, judged};
use crate::config::{At, KeySource, Problem};
use crate::ui::theme::ColorDepth;

use super::Verdict::{self, Ok as Good, Problem as Bad, Skipped, Warning};

const NOW: &str = "2026-01-01T00:00:00Z";

fn head(status: u16) -> Head {
    Head { status, date: Some("Thu, 01 Jan 2026 00:00:00 GMT".to_owned()), ..Head::default() }
}

fn page(status: u16) -> Head {
    Head { content_type: Some("text/HTML; charset=utf-8".to_owned()), ..head(status) }
}

/// A machine on which all is well.
fn well() -> Facts {
    let folder =
        |name| Folder { name, path: Some(format!("~/{name}")), is_writable: true, free: Some(9 << 30) };
    Facts {
        settings: Settings {
            path: Some("~/.config/gert/config.toml".to_owned()),
            exists: true,
            mode: Some(0o600),
            ..Settings::default()
        },
        profile: Some(Profile {
            name: "work".to_owned(),
            origin: "GERT_PROFILE".to_owned(),
            base_url: "https://h.example/api/v1".to_owned(),
            base_url_origin: "config.toml:3".to_owned(),
            read_only: false,
            is_clear: false,
        }),
        key: Some(Key {
            source: KeySource::Keyring,
            from: "the system's keyring".to_owned(),
            shown: Some("sha256:f195c079".to_owned()),
            problem: None,
            warnings: Vec::new(),
            hides_another: false,
        }),
        keyring: Ok(()),
        proxy: Proxy { by: "no proxy is set".to_owned(), ..Proxy::default() },
        authorities: Vec::new(),
        network: Ok(Network {
            host: Host {
                name: "h.example".to_owned(),
                is_secure: true,
                took: vec![(Step::Name, Duration::from_millis(3)), (Step::Tls, Duration::from_millis(40))],
                certificate: Some(Certificate {
                    issuer: "An Authority".to_owned(),
                    ends: "2026-03-01T00:00:00Z".parse().expect("a time"),
                }),
                end: Ok(Answer { head: head(401), at: NOW.parse().expect("a time") }),
            },
            account: Ok(Account { credits: 812.4, tier: Some("pro".to_owned()) }),
            websocket: Ok(head(404)),
        }),
        terminal: Terminal {
            is_there: true,
            term: "xterm-256color".to_owned(),
            depth: ColorDepth::Ansi256,
            depth_by: "TERM=xterm-256color".to_owned(),
            is_utf8: true,
            locale: "LANG=C.UTF-8".to_owned(),
            size: (120, 40),
            inside: vec!["in tmux", "over ssh"],
            mouse: false,
        },
        python: Python::Runs { version: (3, 12), words: "3.12.1".to_owned(), sdk: Some("3.4.0".to_owned()) },
        folders: ["settings", "data", "state"].map(folder).into(),
        log: Log { path: Some("~/gert.log".to_owned()), files: 2, bytes: 3 << 19, filter_problem: None },
        ledger: Some(Ledger { path: "~/spend.jsonl".to_owned(), rows: Ok((1, 0)) }),
        build: Build { version: "0.1.0", os: "linux", arch: "x86_64", features: vec!["arena"] },
    }
}

/// On a machine that is well but for one thing, a check comes to this verdict, and these words are in what it says.
#[track_caller]
fn check(name: &str, change: impl FnOnce(&mut Facts), verdict: Verdict, words: &[&str]) {
    let mut facts = well();
    change(&mut facts);
    let findings = judged(&facts);
    let (_, finding) = findings.iter().find(|(found, _)| *found == name).expect("a check of this name");
    let said = format!("{} -> {}", finding.found, finding.advice.as_deref().unwrap_or_default());
    assert_eq!(finding.verdict, verdict, "{name}: {said}");
    for word in words {
        assert!(said.contains(word), "`{word}` is not in `{said}`");
    }
    for (name, finding) in &findings {
        assert_eq!(
            finding.advice.is_some(),
            matches!(finding.verdict, Warning | Bad),
            "what is not well comes with advice: {name} {finding:?}"
        );
    }
}

fn network(change: impl FnOnce(&mut Network)) -> impl FnOnce(&mut Facts) {
    |facts| change(facts.network.as_mut().expect("it was asked"))
}

fn stopped(at: Step, why: &str) -> impl FnOnce(&mut Facts) {
    network(move |network| {
        network.host.end = Err(Stop { at, why: why.to_owned() });
        network.account = Err(Some(Error::sample(ErrorKind::Connect, false, "no connection")));
        network.websocket = Err("no connection".to_owned());
    })
}

fn key(change: impl FnOnce(&mut Key)) -> impl FnOnce(&mut Facts) {
    |facts| change(facts.key.as_mut().expect("the settings were read"))
}

#[test]
fn on_a_machine_that_is_well_every_check_says_so() {
    for check in CHECKS {
        let finding = (check.judge)(&well());
        assert_eq!((finding.verdict, &finding.advice), (Good, &None), "{}: {}", check.name, finding.found);
    }
}

#[test]
fn the_settings_file() {
    let problem = |line| {
        let at = At::File("~/config.toml".into(), Some(line));
        Problem {
            at,
            what: "unknown key `profle`".to_owned(),
            advice: Some("did you mean `profile`?".to_owned()),
        }
    };
    let flag = Problem { at: At::Named("--base-url".to_owned()), what: "is no URL".to_owned(), advice: None };
    check(
        "config",
        |f| f.settings.problems = vec![problem(3)],
        Bad,
        &["~/config.toml:3: unknown", "did you mean"],
    );
    check("config", |f| f.settings.problems = vec![problem(3), problem(5)], Bad, &["(and 1 more)"]);
    check(
        "config",
        |f| f.settings.problems = vec![flag],
        Bad,
        &["`--base-url`: is no URL", "change it there"],
    );
    check("config", |f| f.settings.mode = Some(0o664), Warning, &["mode 664", "chmod go-w ~/.config"]);
    check("config", |f| f.settings.mode = Some(0o644), Good, &[]);
    // C-05
    check("config", |f| f.settings.path = None, Warning, &["no home", "HOME"]);
    check("config", |f| (f.settings.exists, f.settings.mode) = (false, None), Good, &["every default"]);
    check(
        "config",
        |f| f.settings.warnings = vec!["could be read by others".into()],
        Warning,
        &["change the password"],
    );
    let unread = |f: &mut Facts| (f.profile, f.key) = (None, None);
    for name in ["profile", "key"] {
        check(name, unread, Skipped, &["cannot be read"]);
    }
}

#[test]
fn profile_and_key() {
    check("profile", |_| {}, Good, &["`work` (GERT_PROFILE) at https://h.example/api/v1 (config.toml:3)"]);
    check("profile", |f| f.profile.as_mut().expect("one").read_only = true, Good, &["read-only"]);
    // H-13
    check("profile", |f| f.profile.as_mut().expect("one").is_clear = true, Warning, &["in clear", "https"]);
    check("key", |_| {}, Good, &["sha256:f195c079, from the system's keyring"]);
    check("key", key(|key| key.hides_another = true), Good, &["goes before the key that the profile keeps"]);
    // C-04
    check(
        "key",
        key(|key| key.warnings = vec!["could be read".into()]),
        Warning,
        &["could be read", "make a new key"],
    );
    let gone = |source, problem: Option<&'static str>| {
        key(move |key| (key.shown, key.source, key.problem) = (None, source, problem.map(str::to_owned)))
    };
    check("key", gone(KeySource::Nowhere, None), Bad, &["no API key", "gert auth login"]);
    check("key", gone(KeySource::Keyring, Some("no answer")), Bad, &["no answer", "unlock"]);
    let withheld = KeySource::Withheld { belongs_to: "https://h".to_owned() };
    check("key", gone(withheld, Some("belongs to `h`")), Bad, &["belongs to", "--profile NAME"]);
    let none = |f: &mut Facts| f.keyring = Err("no bus".to_owned());
    check("keyring", none, Bad, &["no bus", "--store file"]);
    let unused = |f: &mut Facts| {
        none(f);
        f.key.as_mut().expect("one").source = KeySource::Nowhere;
    };
    check("keyring", unused, Skipped, &["private file"]);
}

#[test]
fn proxy_and_authorities() {
    let through = |f: &mut Facts| {
        f.proxy.in_force = Some("p.example:3128".to_owned());
        f.proxy.by = "HTTPS_PROXY".to_owned();
        f.proxy.variables = vec![("HTTPS_PROXY", "http://***@p.example:3128".to_owned())];
    };
    check("proxy", through, Good, &["through p.example:3128 (HTTPS_PROXY)", "***@"]);
    check("proxy", |f| f.proxy.problem = Some("is not a URL".into()), Bad, &["is not a URL"]);
    check("proxy", |f| f.proxy.by = String::new(), Skipped, &[]);
    let by_authorities = |f: &mut Facts| {
        f.proxy.problem = Some("no authorities".to_owned());
        let holds = Err("cannot be read".to_owned());
        f.authorities = vec![Authorities { by: "SSL_CERT_FILE".to_owned(), path: "/x".to_owned(), holds }];
    };
    check("proxy", by_authorities, Skipped, &["see `ca`"]);
    check("ca", by_authorities, Bad, &["/x (SSL_CERT_FILE) cannot be read"]);
    let place = |holds| Authorities { by: "SSL_CERT_FILE".to_owned(), path: "~/ca.pem".to_owned(), holds };
    check("ca", |_| {}, Good, &["the system's own"]);
    check(
        "ca",
        |f| f.authorities = vec![place(Ok(Some(2)))],
        Good,
        &["~/ca.pem (SSL_CERT_FILE, 2 certificates)"],
    );
    let broken = place(Err("holds no certificate".to_owned()));
    check(
        "ca",
        |f| f.authorities = vec![place(Ok(None)), broken],
        Bad,
        &["holds no certificate", "`SSL_CERT_FILE`"],
    );
}

#[test]
fn the_way_to_the_host() {
    check("host", |_| {}, Good, &["(name 3 ms, TLS 40 ms)", "by An Authority until 2026-03-01, 59 days"]);
    for (at, why, advice) in [
        (Step::Name, "not known", "online"),
        (Step::Connect, "refused", "firewall"),
        (Step::Tls, "invalid peer certificate: UnknownIssuer", "SSL_CERT_FILE"),
        (Step::Tls, "corrupt message", "speaks https"),
        (Step::Answer, "no answer", "try again"),
    ] {
        check("host", stopped(at, why), Bad, &[why, advice]);
    }
    let proxied = |f: &mut Facts| {
        stopped(Step::Connect, "refused")(f);
        f.proxy.in_force = Some("p:1".to_owned());
    };
    check("host", proxied, Bad, &["the proxy runs"]);
    let answers = |head| network(move |network| network.host.end.as_mut().expect("an answer").head = head);
    check("host", answers(head(200)), Good, &[]);
    check("host", answers(page(200)), Bad, &["a web page", "/api/v1"]);
    check("host", answers(head(404)), Bad, &["HTTP 404", "/api/v1"]);
    check("host", answers(head(407)), Bad, &["password"]);
    check("host", answers(page(503)), Warning, &["try again"]);
    let moved = Head { location: Some("https://other.example".to_owned()), ..head(301) };
    check("host", answers(moved), Warning, &["https://other.example", "base URL"]);
    let ends = |day: &'static str| {
        network(move |network| {
            network.host.certificate.as_mut().expect("one").ends = day.parse().expect("a time");
        })
    };
    check("host", ends("2026-01-06T00:00:00Z"), Warning, &["5 days", "ends soon"]);
    check("host", ends("2025-01-06T00:00:00Z"), Warning, &["0 days"]);
}

#[test]
fn what_depends_on_the_host_is_left_out_without_it() {
    for name in ["clock", "account", "websocket"] {
        check(name, stopped(Step::Connect, "refused"), Skipped, &["the host gives no answer"]);
        check(name, |f| f.network = Err("left out by `--offline`".into()), Skipped, &["--offline"]);
    }
    check("host", |f| f.network = Err("left out by `--offline`".into()), Skipped, &["--offline"]);
}

#[test]
fn the_clock_is_compared_without_ever_being_negative() {
    let ours = |time: &'static str| {
        network(move |network| {
            network.host.end.as_mut().expect("an answer").at = time.parse().expect("a time");
        })
    };
    for (time, verdict, words) in [
        (NOW, Good, "to 0 s"),
        ("2026-01-01T00:01:00Z", Good, "to 60 s"),
        ("2025-12-31T23:59:00Z", Good, "to 60 s"),
        ("2026-01-01T00:01:01Z", Warning, "61 s ahead of"),
        ("2025-12-31T23:58:59Z", Warning, "61 s behind"),
        ("1970-01-01T00:00:00Z", Warning, "1767225600 s behind"),
    ] {
        check("clock", ours(time), verdict, &[words]);
    }
    let says = |date: Option<&'static str>| {
        network(move |network| network.host.end.as_mut().expect("one").head.date = date.map(str::to_owned))
    };
    check("clock", says(None), Skipped, &["does not say"]);
    check("clock", says(Some("yesterday")), Skipped, &["does not say"]);
}

#[test]
fn the_account() {
    let account = |account| network(|network| network.account = account);
    check("account", |_| {}, Good, &["pro plan, 812.40 credits"]);
    check("account", account(Ok(Account { credits: 0.0, tier: None })), Warning, &["add credits"]);
    check("account", account(Err(None)), Skipped, &["no key"]);
    let failed = |kind| account(Err(Some(Error::sample(kind, false, "its words"))));
    check(
        "account",
        failed(ErrorKind::Authentication),
        Bad,
        &["refuses the key: its words", "gert auth login"],
    );
    check("account", failed(ErrorKind::Permission), Bad, &["its words", "scope"]);
    check("account", failed(ErrorKind::Validation), Bad, &["its words", "try again"]);
}

#[test]
fn a_proper_refusal_shows_that_sockets_get_through_and_nothing_else_does() {
    let answers = |head| network(move |network| network.websocket = Ok(head));
    for status in [101, 401, 403, 404, 410] {
        check("websocket", answers(head(status)), Good, &["get through"]);
    }
    for status in [200, 400, 405, 426] {
        check("websocket", answers(head(status)), Bad, &["no refusal of the API", "NO_PROXY"]);
    }
    check("websocket", answers(page(403)), Bad, &["a web page"]);
    check("websocket", answers(page(404)), Bad, &["a web page"]);
    check("websocket", answers(head(502)), Warning, &["HTTP 502"]);
    check("websocket", answers(head(302)), Warning, &["elsewhere"]);
    let cut = network(|network| network.websocket = Err("it closed the connection".to_owned()));
    check("websocket", cut, Bad, &["not to an upgrade", "it closed the connection", "firewall"]);
}

#[test]
fn the_terminal() {
    check(
        "terminal",
        |_| {},
        Good,
        &["120×40, 256 colours (TERM=xterm-256color)", "UTF-8", "in tmux, over ssh", "mouse off"],
    );
    check("terminal", |f| f.terminal.is_there = false, Good, &["no terminal on standard output"]);
    // T-31
    for term in ["", "dumb", "unknown"] {
        check("terminal", |f| f.terminal.term = term.to_owned(), Warning, &["no dashboard", "commands work"]);
    }
    check("terminal", |f| f.terminal.size = (39, 10), Warning, &["at least 40×10"]);
    check("terminal", |f| f.terminal.is_utf8 = false, Warning, &["ASCII", "LANG"]);
    // T-30
    for (depth, words) in [
        (ColorDepth::None, "no colours"),
        (ColorDepth::Ansi16, "16 colours"),
        (ColorDepth::True, "24-bit colours"),
    ] {
        check("terminal", |f| f.terminal.depth = depth, Good, &[words]);
    }
}

#[test]
fn python() {
    check("python", |_| {}, Good, &["3.12.1, gertlabs 3.4.0"]);
    let runs = |version, words: &str| Python::Runs { version, words: words.to_owned(), sdk: None };
    check("python", |f| f.python = runs((3, 10), "3.10.0"), Good, &["without gertlabs"]);
    check("python", |f| f.python = runs((3, 9), "3.9.18"), Warning, &["3.9.18", "3.10 or later"]);
    check("python", |f| f.python = runs((2, 7), "2.7.18"), Warning, &["3.10 or later"]);
    check("python", |f| f.python = Python::Missing, Warning, &["no `python3`"]);
    check("python", |f| f.python = Python::Broken("it hangs".into()), Warning, &["it hangs"]);
}

#[test]
fn what_is_kept_on_disk() {
    check("disk", |_| {}, Good, &["settings, data, state: can be written, 9 GiB free"]);
    check("disk", |f| f.folders[1].is_writable = false, Warning, &["the data folder ~/data", "who owns"]);
    let homeless = |f: &mut Facts| (f.folders[2].is_writable, f.folders[2].path) = (false, None);
    check("disk", homeless, Warning, &["no home for the state folder", "HOME"]);
    check("disk", |f| f.folders[0].free = Some(100 << 20), Warning, &["only 100 MiB free for ~/settings"]);
    check("disk", |f| f.folders[0].free = Some(1023), Bad, &["only 1023 bytes", "make room"]);
    check("disk", |f| f.folders.iter_mut().for_each(|folder| folder.free = None), Good, &["can be written"]);
    // L-01: a command shows where the log is, and how large it can get.
    check("log", |_| {}, Good, &["~/gert.log, 1 MiB in 2 files, 4 MiB at most"]);
    check("log", |f| f.log.files = 0, Good, &["empty so far"]);
    check("log", |f| f.log.path = None, Skipped, &["no home"]);
    check("log", |f| f.log.filter_problem = Some("bad level".into()), Warning, &["`GERT_LOG`", "gert=debug"]);
    let ledger = |rows| move |f: &mut Facts| f.ledger.as_mut().expect("one").rows = rows;
    check("ledger", |_| {}, Good, &["~/spend.jsonl, 1 row"]);
    check("ledger", ledger(Ok((3, 2))), Warning, &["3 rows", "2 lines that cannot be read"]);
    check("ledger", ledger(Err("denied".to_owned())), Bad, &["denied", "who owns it"]);
    check("ledger", |f| f.ledger = None, Skipped, &["no home"]);
}
