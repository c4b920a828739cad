//! `gert doctor` as the built binary, against servers that are well and ill, on machines that are well and ill.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tempfile::TempDir;

const KEY: &str = "sk_gert_0123456789PLANTED";

/// A home that goes with the test, whose default profile is at a platform.
struct Home(TempDir);

impl Home {
    fn at(base_url: &str) -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        home.write("gert/config.toml", &format!("[profiles.default]\nbase_url = \"{base_url}\"\n"));
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn doctor(&self, args: &[&str], variables: &[(&str, &str)]) -> Ran {
        let home = self.0.path().to_str().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_gert"));
        command.arg("doctor").args(args).env_clear().stdin(Stdio::null());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        for name in ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"] {
            command.env(name, home);
        }
        command.env("DBUS_SESSION_BUS_ADDRESS", format!("unix:path={home}/no-bus"));
        command.envs([("LANG", "C.UTF-8"), ("TERM", "xterm-256color"), ("GERT_API_KEY", KEY)]);
        command.envs(variables.iter().copied());
        Ran::of(&command.output().unwrap())
    }
}

struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Ran {
    fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let ran = Self {
            code: output.status.code().unwrap(),
            out: text(&output.stdout),
            err: text(&output.stderr),
        };
        // T-10, H-14
        assert!(!ran.out.contains('\u{1b}') && !ran.out.contains("PLANTED"), "{}", ran.out);
        ran
    }

    /// The verdict of each check, from `--json`.
    fn verdicts(&self) -> HashMap<String, String> {
        let report: Value = serde_json::from_str(&self.out).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let checks = report["checks"].as_array().unwrap();
        checks.iter().map(|check| (text(&check["name"]), text(&check["verdict"]))).collect()
    }

    #[track_caller]
    fn expect(&self, code: i32, verdicts: &[(&str, &str)]) {
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        let found = self.verdicts();
        for (name, verdict) in verdicts {
            assert_eq!(found[*name], *verdict, "{name}: {}", self.out);
        }
    }
}

/// Answers each request by its path; ends with the test program.
struct Platform {
    base_url: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Platform {
    fn start(answer: fn(&str) -> (&'static str, &'static str)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}/api/v1", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = seen.clone();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let lines: Vec<String> =
                    lines.map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
                let (head, body) = answer(lines.first().map_or("", String::as_str));
                log.lock().unwrap().push(lines.join("\n"));
                let length = body.len();
                let answer =
                    format!("HTTP/1.1 {head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        Self { base_url, seen }
    }

    fn good() -> Self {
        Self::start(|line| match line {
            "GET /api/v1/auth/balance HTTP/1.1" => ("200 OK", r#"{"data":{"credits":12.5,"tier":"pro"}}"#),
            _ => ("404 Not Found", r#"{"error":{"code":"NOT_FOUND","message":"no such session"}}"#),
        })
    }
}

#[test]
fn where_all_is_well_it_says_so() {
    let platform = Platform::good();
    let home = Home::at(&platform.base_url);
    let ran = home.doctor(&[], &[]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    for words in ["sha256:", "pro plan, 12.50 credits", "HTTP 404", "gert/gert.log", "UTF-8 (LANG=C.UTF-8)"] {
        assert!(ran.out.contains(words), "`{words}` is not in {}", ran.out);
    }
    assert!(ran.out.lines().all(|line| line.chars().count() <= 80), "{}", ran.out);
    let mut seen = platform.seen.lock().unwrap().clone();
    seen.sort();
    let with_key =
        |request: &String| request.to_lowercase().contains(&format!("x-api-key: {}", KEY.to_lowercase()));
    assert_eq!(seen.iter().map(with_key).collect::<Vec<_>>(), [false, true, true], "{seen:?}");
    assert!(seen[2].contains("/spectate/") && seen[2].contains("Upgrade: websocket"), "{seen:?}");
}

#[test]
fn offline_nothing_is_asked() {
    let platform = Platform::good();
    let home = Home::at(&platform.base_url);
    let ran = home.doctor(&["--offline", "--json"], &[]);
    ran.expect(0, &[("config", "ok"), ("host", "skipped"), ("account", "skipped"), ("websocket", "skipped")]);
    assert!(platform.seen.lock().unwrap().is_empty());
}

#[test]
fn a_page_in_the_place_of_the_platform_is_a_problem() {
    let page = Platform::start(|_| ("200 OK\r\nContent-Type: text/html", "<html>Sign in</html>"));
    let ran = Home::at(&page.base_url).doctor(&["--json"], &[]);
    ran.expect(1, &[("host", "problem"), ("account", "problem"), ("websocket", "problem"), ("key", "ok")]);
}

#[test]
fn a_closed_port_is_told_once() {
    // The discard port of this machine, where nobody listens.
    let ran = Home::at("http://127.0.0.1:9/api/v1").doctor(&["--json"], &[]);
    ran.expect(
        1,
        &[("host", "problem"), ("clock", "skipped"), ("account", "skipped"), ("websocket", "skipped")],
    );
}

#[test]
fn settings_that_cannot_be_read_do_not_stop_the_other_checks() {
    let home = Home::at("http://127.0.0.1:9/api/v1");
    home.write("gert/config.toml", "profle = \"x\"\n");
    let ran = home.doctor(&["--json"], &[]);
    ran.expect(1, &[("config", "problem"), ("profile", "skipped"), ("host", "skipped"), ("disk", "ok")]);
    assert!(ran.out.contains("~/gert/config.toml:1: unknown key `profle`"), "{}", ran.out);
    // H-13
    let ran = home.doctor(&["--json", "--config", "/dev/null", "--base-url", "http://192.0.2.1/"], &[]);
    ran.expect(1, &[("config", "problem"), ("host", "skipped")]);
}

#[test]
fn without_a_usable_home_it_warns_and_works() {
    // C-05
    let platform = Platform::good();
    let home = Home::at(&platform.base_url);
    let nowhere = home.path("gert/config.toml/home").to_str().unwrap().to_owned();
    let names = ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"];
    let variables = names.map(|name| (name, nowhere.as_str()));
    let url = ["--json", "--base-url", &platform.base_url];
    home.doctor(&url, &variables).expect(0, &[("config", "warning"), ("disk", "warning"), ("account", "ok")]);
}

#[test]
fn a_loose_key_file_is_told() {
    // C-04
    let platform = Platform::good();
    let home = Home::at(&platform.base_url);
    let config = fs::read_to_string(home.path("gert/config.toml")).unwrap();
    home.write("gert/config.toml", &format!("{config}key = \"file\"\n"));
    home.write("gert/keys/default", KEY);
    fs::set_permissions(home.path("gert/keys/default"), fs::Permissions::from_mode(0o644)).unwrap();
    let ran = home.doctor(&["--json"], &[("GERT_API_KEY", "")]);
    ran.expect(0, &[("key", "warning"), ("account", "ok")]);
    assert!(ran.out.contains("could be read by others"), "{}", ran.out);
}

#[test]
fn a_terminal_that_cannot_draw_is_told() {
    // T-31
    let home = Home::at("http://127.0.0.1:9/api/v1");
    home.doctor(&["--json", "--offline"], &[("TERM", "dumb")]).expect(0, &[("terminal", "warning")]);
}

#[test]
fn a_bundle_holds_what_helps_and_nothing_that_is_secret() {
    // H-14
    let platform = Platform::good();
    let home = Home::at(&platform.base_url);
    let config = fs::read_to_string(home.path("gert/config.toml")).unwrap();
    let proxy = "proxy = \"http://worker:PLANTED-in-config@proxy.example:1\"";
    home.write("gert/config.toml", &format!("{config}read_only = true\n[profiles.other]\n{proxy}\n"));
    home.write("gert/keys/other", "another-key-PLANTED\n");
    home.write("gert/seats.jsonl", "{\"host\":\"h\",\"player_token\":\"opaque-PLANTED\"}\n");
    let folder = home.path("").to_str().unwrap().trim_end_matches('/').to_owned();
    home.write(
        "gert/gert.log",
        &format!(
            "2026-01-01T00:00:00Z  WARN gert::client: a question failed request_id=\"req_1\"\n\
             2026-01-01T00:00:01Z  WARN gert: {folder}/x of winston X-API-Key: header-PLANTED\n\
             2026-01-01T00:00:02Z  WARN gert: {KEY} another-key-PLANTED opaque-PLANTED pt_tokenPLANTED1\n\
             2026-01-01T00:00:03Z  WARN gert: https://me:urlPLANTED@h.example/?token=queryPLANTED&a=1\n\
             2026-01-01T00:00:04Z  WARN gert: PLANTED-in-config env%20PLANTED env PLANTED other-PLANTED\n"
        ),
    );
    let bundle = home.path("bundle.txt");
    let name = bundle.to_str().unwrap();
    let variables = [
        ("HTTPS_PROXY", "http://worker:env%20PLANTED@proxy.example:3128"),
        ("ALL_PROXY", "worker:bare-PLANTED@proxy.example:1"),
        ("GERT_PLAYER_TOKEN", "player-PLANTED"),
        ("MY_SECRET", "other-PLANTED"),
        ("USER", "winston"),
    ];
    let ran = home.doctor(&["--bundle", name], &variables);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let text = fs::read_to_string(&bundle).unwrap();
    for secret in ["PLANTED", &folder, "winston", "worker"] {
        assert!(!text.contains(secret), "`{secret}` is in the bundle:\n{text}");
    }
    for words in [
        "== checks ==",
        "profiles.default.read_only  true  config.toml:3",
        "request_id=\"req_1\"",
        "~/x of USER",
        "https://***@h.example/?token=***&a=1",
        "HTTPS_PROXY  http://***@proxy.example:3128",
        "GERT_API_KEY  (set)",
        &platform.base_url,
    ] {
        assert!(text.contains(words), "`{words}` is not in the bundle:\n{text}");
    }
    assert_eq!(bundle.metadata().unwrap().permissions().mode() & 0o777, 0o600);

    fs::write(&bundle, "mine").unwrap();
    let ran = home.doctor(&["--offline", "--bundle", name], &variables);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("--force"), "{}", ran.err);
    assert_eq!(fs::read_to_string(&bundle).unwrap(), "mine");
    assert_eq!(home.doctor(&["--offline", "--force", "--bundle", name], &variables).code, 0);
    assert!(fs::read_to_string(&bundle).unwrap().contains("left out by `--offline`"));
}
