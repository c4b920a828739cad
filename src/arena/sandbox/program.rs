//! A submitted program: its files checked and written, its interpreter found, its syntax checked; then processes of it.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tempfile::TempDir;
use tokio::process::Command;
use tokio::time::timeout;

use super::cage::{Cage, FAILED, complaint};
use super::interpreter::Python;
use super::{Level, Sandbox, launch};
use crate::arena::secret;
use crate::policy::{self, PolicySpec, parse_command_line};

/// The most files of a program.
pub const MAX_FILES: usize = 64;
/// The most bytes of all files of a program together.
pub const MAX_BYTES: usize = 1024 * 1024;
/// The longest name of a file, folders included.
const MAX_NAME: usize = 200;
/// The most lines of stderr that are kept of a failure (arena.md §8).
const STDERR_LINES: usize = 20;
/// How long the check of the syntax may take. The limits of a match are shorter, and only for a program at a seat.
const SYNTAX: Duration = Duration::from_secs(20);
/// The longest line a program may write (arena.md §9.2).
const LINE_BYTES: usize = 256 * 1024;
/// What plays a module with `act`.
const SHIM: &str = include_str!("../../../assets/shim/shim.py");
const SHIM_NAME: &str = "shim.py";

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// What is submitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// What is run.
    pub entry: Entry,
    /// All files.
    pub files: Vec<File>,
    /// A process for every turn, also in a game whose turns are not isolated.
    pub fresh: bool,
}

/// A file of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its name in the program's folder, with `/` between folders.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// How a program is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A file with a Python module that has `act(observation, seat, info)`: function mode.
    Function(String),
    /// A command that speaks the protocol of `assets/policies/README.md`: process mode. Its first word is one of the files
    /// (`main.py` runs on Python, `run.sh` on `sh`, anything else as it is), `python`, or a program of the system.
    Command(String),
}

impl Source {
    /// One Python module in function mode.
    pub fn python(code: &str) -> Self {
        let file = File { name: "main.py".into(), bytes: code.as_bytes().to_vec() };
        Self { entry: Entry::Function("main.py".into()), files: vec![file], fresh: false }
    }

    /// A command in process mode.
    pub fn command(command: &str, files: Vec<File>) -> Self {
        Self { entry: Entry::Command(command.into()), files, fresh: false }
    }
}

/// What a program may take (arena.md §9.1, §9.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// From the start of a process to its `ready` or first answer. 5 s.
    pub start: Duration,
    /// Soft limit of the first turn of a match; the hard one is three times that. 1 s.
    pub first: Duration,
    /// Soft limit of each other turn; the hard one is three times that. 100 ms.
    pub turn: Duration,
    /// Address space in MiB. 512.
    pub memory_mb: u64,
    /// Processor time of a process, all its threads and matches together. 60 s; a process that has used half of it is
    /// replaced before the next match.
    pub cpu: Duration,
    /// The largest file in KiB. 1024.
    pub file_kb: u64,
    /// The scratch folder in MiB, where it can be limited. 16.
    pub scratch_mb: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(5),
            first: Duration::from_secs(1),
            turn: Duration::from_millis(100),
            memory_mb: 512,
            cpu: Duration::from_mins(1),
            file_kb: 1024,
            scratch_mb: 16,
        }
    }
}

impl Limits {
    /// A cage with these limits around nothing.
    pub(super) fn cage(&self) -> Cage {
        Cage {
            parent: std::process::id(),
            token: String::new(),
            argv: Vec::new(),
            files: PathBuf::new(),
            scratch: PathBuf::new(),
            readable: Vec::new(),
            isolated: false,
            memory_mb: self.memory_mb,
            cpu_s: self.cpu.as_secs().max(1),
            file_kb: self.file_kb,
            scratch_mb: self.scratch_mb,
        }
    }

    fn of_policy(&self) -> policy::Limits {
        policy::Limits {
            start: self.start,
            first: self.first,
            turn: self.turn,
            write: self.first,
            silence: Duration::MAX,
            shutdown: Duration::from_millis(100),
            line_bytes: LINE_BYTES,
            memory_mb: Some(self.memory_mb),
            ..policy::Limits::default()
        }
    }
}

/// Why a program is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// What was submitted is no program.
    #[error("{0}")]
    Source(String),
    /// It cannot start: what `startup_failed` means in a match.
    #[error("{why}")]
    Startup {
        /// In one sentence.
        why: String,
        /// The last lines of stderr.
        stderr: Vec<String>,
    },
    /// Not its fault.
    #[error("the arena cannot run programs: {0}")]
    Host(String),
}

/// A program that may be started. Copies are the same; its files are gone with the last one.
#[derive(Debug, Clone)]
pub struct Program(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    id: u64,
    sandbox: Sandbox,
    argv: Vec<String>,
    readable: Vec<PathBuf>,
    fresh: bool,
    is_function: bool,
    limits: Limits,
    /// Holds `files/`, and the shim beside it.
    folder: TempDir,
}

/// What starts one process of a program, or with `fresh` one after the other. Not to be dropped before they have ended.
#[derive(Debug)]
pub struct Process {
    /// For [`Policy::start`](policy::Policy::start).
    pub spec: PolicySpec,
    complaint: String,
    _scratch: TempDir,
}

impl Process {
    /// What the launcher has to say, if it was the launcher that ended: from the exit status and the last lines of stderr.
    pub fn launcher_failed(&self, code: i32, stderr: &[String]) -> Option<String> {
        let said = || stderr.iter().find_map(|line| line.strip_prefix(&self.complaint));
        if code == FAILED { said().map(str::to_owned) } else { None }
    }
}

impl Program {
    /// Writes the files, finds what runs them and checks the syntax of those in Python, in the sandbox.
    ///
    /// # Errors
    /// What is wrong with it, in words for its author.
    pub async fn prepare(sandbox: &Sandbox, source: Source, limits: Limits) -> Result<Self, Refusal> {
        check(&source)?;
        let probed = sandbox.probed().await;
        if probed.level == Level::None {
            return Err(Refusal::Host(
                probed.why.first().cloned().unwrap_or_else(|| "no limits hold here".into()),
            ));
        }
        let folder = sandbox.root().and_then(|root| root.folder().map_err(|why| why.to_string()));
        let folder = folder.map_err(Refusal::Host)?;
        write(&source, folder.path()).map_err(|why| Refusal::Host(why.to_string()))?;
        let (argv, readable) = Self::command(sandbox, &source, folder.path()).await?;
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        let fresh = source.fresh;
        let is_function = matches!(source.entry, Entry::Function(_));
        let sandbox = sandbox.clone();
        let program =
            Self(Arc::new(Inner { id, sandbox, argv, readable, fresh, is_function, limits, folder }));
        program.check_syntax(&source).await?;
        Ok(program)
    }

    /// Unique in this arena.
    pub fn id(&self) -> u64 {
        self.0.id
    }

    /// Whether it asked for a process for every turn.
    pub fn is_fresh(&self) -> bool {
        self.0.fresh
    }

    /// Whether it is run by the shim.
    pub fn is_function(&self) -> bool {
        self.0.is_function
    }

    /// What it may take.
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// What starts a process of it. `isolated`: for a game that keeps its turns apart.
    ///
    /// # Errors
    /// No scratch folder can be made.
    pub fn process(&self, isolated: bool) -> io::Result<Process> {
        let Inner { argv, limits, fresh, .. } = &*self.0;
        let fresh = *fresh || isolated;
        let (cage, scratch) = self.cage(argv.clone(), fresh)?;
        let complaint = complaint(&cage.token, "");
        let mut spec = PolicySpec::new(self.launcher_argv(&cage));
        spec.limits = limits.of_policy();
        spec.fresh = fresh;
        spec.judged = true;
        Ok(Process { spec, complaint, _scratch: scratch })
    }

    fn cage(&self, argv: Vec<String>, isolated: bool) -> io::Result<(Cage, TempDir)> {
        let scratch = self.0.sandbox.root().map_err(io::Error::other)?.folder()?;
        let mut readable = self.0.readable.clone();
        readable.push(self.0.folder.path().join(SHIM_NAME));
        let cage = Cage {
            token: secret::secret(""),
            argv,
            files: self.0.folder.path().join("files"),
            scratch: scratch.path().to_owned(),
            readable,
            isolated,
            ..self.0.limits.cage()
        };
        Ok((cage, scratch))
    }

    fn launcher_argv(&self, cage: &Cage) -> Vec<String> {
        let launcher = self.0.sandbox.launcher().to_string_lossy().into_owned();
        vec![launcher, launch::WORD.to_owned(), serde_json::json!(cage).to_string()]
    }

    /// The command line, and what it reads besides the system's libraries.
    async fn command(
        sandbox: &Sandbox,
        source: &Source,
        folder: &Path,
    ) -> Result<(Vec<String>, Vec<PathBuf>), Refusal> {
        let python = async || -> Result<&Python, Refusal> {
            let python = sandbox.interpreter().await.as_ref();
            python.map_err(|why| Refusal::Startup { why: why.clone(), stderr: Vec::new() })
        };
        let words = match &source.entry {
            Entry::Function(name) => {
                let python = python().await?;
                let shim = folder.join(SHIM_NAME).to_string_lossy().into_owned();
                return Ok((vec![python.executable.clone(), shim, name.clone()], python.readable.clone()));
            }
            Entry::Command(command) => {
                parse_command_line(command).map_err(|why| Refusal::Source(format!("the command: {why}")))?
            }
        };
        let Some((first, args)) = words.split_first() else {
            return Err(Refusal::Source("the command is empty".into()));
        };
        let is_file = source.files.iter().any(|file| file.name == first.trim_start_matches("./"));
        let (before, readable): (Vec<String>, _) = match (is_file, extension(first)) {
            (true, Some("py")) => {
                let python = python().await?;
                (vec![python.executable.clone(), first.clone()], python.readable.clone())
            }
            (true, Some("sh")) => (vec!["/bin/sh".into(), first.clone()], Vec::new()),
            (true, _) => (vec![format!("./{}", first.trim_start_matches("./"))], Vec::new()),
            (false, _) if ["python", "python3"].contains(&first.as_str()) => {
                let python = python().await?;
                (vec![python.executable.clone()], python.readable.clone())
            }
            (false, _) => {
                let program = on_path(first)?;
                (vec![program.to_string_lossy().into_owned()], vec![program])
            }
        };
        Ok((before.into_iter().chain(args.iter().cloned()).collect(), readable))
    }

    /// Compiles what is Python; nothing of it is run.
    async fn check_syntax(&self, source: &Source) -> Result<(), Refusal> {
        let names = source.files.iter().map(|file| file.name.clone());
        let names: Vec<String> = names.filter(|name| extension(name) == Some("py")).collect();
        let Ok(python) = self.0.sandbox.interpreter().await else { return Ok(()) };
        if names.is_empty() {
            return Ok(());
        }
        let shim = self.0.folder.path().join(SHIM_NAME).to_string_lossy().into_owned();
        let argv = [python.executable.clone(), shim, "--check".into()].into_iter();
        let argv = argv.chain(names).collect();
        let host = |why: io::Error| Refusal::Host(why.to_string());
        let (mut cage, _scratch) = self.cage(argv, true).map_err(host)?;
        cage.readable.extend(python.readable.iter().cloned());
        let argv = self.launcher_argv(&cage);
        let mut command = Command::new(&argv[0]);
        command.args(&argv[1..]).stdin(Stdio::null()).kill_on_drop(true);
        let failed = |why: String, stderr| Err(Refusal::Startup { why, stderr });
        let Ok(output) = timeout(SYNTAX, command.output()).await else {
            return failed("its syntax could not be checked in time".into(), Vec::new());
        };
        let output = output.map_err(host)?;
        let stderr = last_lines(&output.stderr);
        let code = output.status.code();
        let complaint = complaint(&cage.token, "");
        match stderr.iter().find_map(|line| line.strip_prefix(&complaint)) {
            Some(why) if code == Some(FAILED) => Err(Refusal::Host(why.to_owned())),
            _ if output.status.success() => Ok(()),
            _ => failed(stderr.last().cloned().unwrap_or_else(|| output.status.to_string()), stderr),
        }
    }
}

fn extension(name: &str) -> Option<&str> {
    Path::new(name).extension().and_then(|extension| extension.to_str())
}

/// The last lines of what a program wrote, fit to be shown.
fn last_lines(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines: Vec<String> =
        text.lines().rev().take(STDERR_LINES).map(|line| crate::text::clean(line).into_owned()).collect();
    lines.reverse();
    lines
}

/// A program of the system by its name, or by its whole path.
fn on_path(name: &str) -> Result<PathBuf, Refusal> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = if name.contains('/') {
        Some(PathBuf::from(name)).filter(|path| path.is_absolute() && path.is_file())
    } else {
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file())
    };
    let why = || format!("`{name}` is neither one of the files nor a program of this machine");
    found.ok_or_else(|| Refusal::Startup { why: why(), stderr: Vec::new() })
}

/// Whether the files can be written where they are meant to be.
fn check(source: &Source) -> Result<(), Refusal> {
    let refuse = |why: String| Err(Refusal::Source(why));
    let files = &source.files;
    if files.len() > MAX_FILES {
        return refuse(format!("{} files are too many: {MAX_FILES} at most", files.len()));
    }
    let n_bytes: usize = files.iter().map(|file| file.bytes.len()).sum();
    if n_bytes > MAX_BYTES {
        return refuse(format!("{n_bytes} bytes are too many: all files together may have {MAX_BYTES}"));
    }
    for (nth, File { name, .. }) in files.iter().enumerate() {
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        let is_path = !name.is_empty() && Path::new(name).components().all(is_plain);
        // What reads `a//b` and `a/b` as one would write one file twice.
        let is_exact = name.split('/').all(|part| !part.is_empty() && part != ".");
        let has_controls = name.chars().any(char::is_control);
        if !is_path || !is_exact || has_controls || name.len() > MAX_NAME || name.contains('\\') {
            let name = crate::text::clean(name);
            return refuse(format!(
                "`{name}` is no name for a file: give one like `main.py` or `lib/moves.py`"
            ));
        }
        let clashes = |other: &File| {
            other.name == *name || other.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'))
        };
        if files.iter().enumerate().any(|(n, other)| n != nth && clashes(other)) {
            return refuse(format!("`{name}` is there twice"));
        }
    }
    match &source.entry {
        Entry::Function(name) if !files.iter().any(|file| file.name == *name) => {
            refuse(format!("`{name}` is to be run but is none of the files"))
        }
        _ => Ok(()),
    }
}

fn write(source: &Source, folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::write(folder.join(SHIM_NAME), SHIM)?;
    let root = folder.join("files");
    fs::create_dir(&root)?;
    for file in &source.files {
        let path = root.join(&file.name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, &file.bytes)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(entry: Entry, names: &[&str]) -> Option<String> {
        let file = |name: &&str| File { name: (*name).into(), bytes: Vec::new() };
        let source = Source { entry, files: names.iter().map(file).collect(), fresh: false };
        check(&source).err().map(|why| why.to_string())
    }

    #[test]
    fn a_file_lands_inside_the_folder_or_nowhere() {
        let main = || Entry::Command("main".into());
        for name in
            ["", "/etc/passwd", "../x", "a/../b", "a//b", "./a", "a/", "a\nb", "a\\b", ".", &"x".repeat(201)]
        {
            assert!(refused(main(), &[name]).is_some_and(|why| why.contains("no name")), "{name:?}");
        }
        assert_eq!(refused(main(), &["main", "lib/a.py", "lib/b.py", ".hidden"]), None);
        for names in [["a", "a"], ["a", "a/b"]] {
            assert!(refused(main(), &names).is_some_and(|why| why.contains("twice")), "{names:?}");
        }
    }

    #[test]
    fn size_number_and_entry_are_checked() {
        let names: Vec<String> = (0..=MAX_FILES).map(|n| n.to_string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert!(refused(Entry::Command("0".into()), &names).is_some_and(|why| why.contains("too many")));
        let missing = refused(Entry::Function("main.py".into()), &["other.py"]);
        assert!(missing.is_some_and(|why| why.contains("none of the files")));
        let big = File { name: "big".into(), bytes: vec![0; MAX_BYTES + 1] };
        assert!(check(&Source::command("big", vec![big])).is_err());
    }
}
