//! A home for one test, and a platform that answers the same thing to whoever asks.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};

use tempfile::TempDir;

/// The program under test.
pub(super) const GERT: &str = env!("CARGO_BIN_EXE_gert");
/// A key as the platform makes them.
pub(super) const KEY: &str = "sk_gert_0123456789abcdefSECRET";

/// A home that goes with the test.
pub(super) struct Home {
    folder: TempDir,
}

impl Home {
    pub(super) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A home whose default profile is at this platform.
    pub(super) fn at(platform: &Platform) -> Self {
        let home = Self::new();
        home.write(format!("[profiles.default]\nbase_url = \"{}\"\n", platform.base_url()));
        home
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn config(&self) -> PathBuf {
        self.path("gert/config.toml")
    }

    pub(super) fn key_file(&self, profile: &str) -> PathBuf {
        self.path("gert/keys").join(profile)
    }

    pub(super) fn write(&self, text: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path("gert")).unwrap();
        fs::write(self.config(), text).unwrap();
    }

    pub(super) fn text(&self) -> String {
        fs::read_to_string(self.config()).unwrap()
    }

    /// The variables of a user who lives here.
    pub(super) fn variables(&self) -> Vec<(&'static str, String)> {
        let home = self.folder.path().to_str().unwrap().to_owned();
        vec![
            ("PATH", std::env::var("PATH").unwrap_or_default()),
            ("XDG_CONFIG_HOME", home.clone()),
            ("XDG_STATE_HOME", home.clone()),
            ("XDG_DATA_HOME", home.clone()),
            ("TMPDIR", home.clone()),
            ("DBUS_SESSION_BUS_ADDRESS", format!("unix:path={home}/no-bus")),
            ("HOME", home),
            ("LANG", "C.UTF-8".to_owned()),
            ("TERM", "xterm-256color".to_owned()),
        ]
    }

    pub(super) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(GERT);
        command.args(args).env_clear().envs(self.variables()).stdin(Stdio::null());
        command
    }

    pub(super) fn run(&self, args: &[&str]) -> Ran {
        Ran::of(&self.command(args).output().unwrap())
    }

    pub(super) fn run_with(&self, args: &[&str], variables: &[(&str, &str)]) -> Ran {
        Ran::of(&self.command(args).envs(variables.iter().copied()).output().unwrap())
    }

    /// With this on standard input.
    pub(super) fn pipe(&self, args: &[&str], input: impl AsRef<[u8]>) -> Ran {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program that refuses before it reads closes its end.
        let _ = child.stdin.take().unwrap().write_all(input.as_ref());
        Ran::of(&child.wait_with_output().unwrap())
    }
}

/// What came of a command.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) code: i32,
    pub(super) out: String,
    pub(super) err: String,
}

impl Ran {
    fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Self { code: output.status.code().unwrap(), out: text(&output.stdout), err: text(&output.stderr) }
    }

    /// Ended so, said these words, and did not say the key.
    #[track_caller]
    pub(super) fn expect(&self, code: i32, words: &[&str]) {
        let all = format!("{}{}", self.out, self.err);
        assert_eq!(self.code, code, "{all}");
        for word in words {
            assert!(all.contains(word), "`{word}` is not in: {all}");
        }
        assert!(!all.contains("SECRET") && !all.contains('\u{1b}'), "{all}");
    }
}

/// A platform on a port of its own; ends with the test program.
pub(super) struct Platform {
    address: SocketAddr,
    keys: Arc<Mutex<Vec<String>>>,
}

impl Platform {
    pub(super) fn accepting() -> Self {
        Self::start("200 OK", r#"{"data":{"credits":12.5,"tier":"pro"},"meta":{}}"#)
    }

    pub(super) fn refusing() -> Self {
        Self::start("401 Unauthorized", r#"{"error":{"code":"UNAUTHORIZED","message":"no such key"}}"#)
    }

    fn start(status: &'static str, body: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let keys = Arc::new(Mutex::new(Vec::new()));
        let seen = keys.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut head = BufReader::new(stream.try_clone().unwrap());
                let lines = head.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty());
                let key = lines.filter_map(|line| {
                    let (name, value) = line.split_once(": ")?;
                    name.eq_ignore_ascii_case("x-api-key").then(|| value.to_owned())
                });
                seen.lock().unwrap().extend(key);
                let length = body.len();
                let head =
                    format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
                let _ = (&stream).write_all(format!("{head}{body}").as_bytes());
            }
        });
        Self { address, keys }
    }

    pub(super) fn base_url(&self) -> String {
        format!("http://{}/api/v1", self.address)
    }

    /// The keys that came, one a request.
    pub(super) fn keys(&self) -> Vec<String> {
        self.keys.lock().unwrap().clone()
    }
}
