//! The launcher: the process that restricts itself and then becomes the program.
//!
//! Nothing here is asynchronous and no thread is started: namespaces and filters are a thread's own, and the kernel gives a
//! user namespace only to a process of one thread. So a `main` asks [`asked`] before anything else.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::process::{CommandExt as _, parent_id};
use std::path::Path;
use std::process::Command;

use super::cage::{Cage, FAILED, Found, complaint};
#[cfg(target_os = "linux")]
use super::linux;

/// The first argument of a launcher. No command of the command line.
pub const WORD: &str = "arena-launch";

/// Where programs are looked for by what is launched.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// Open files.
const OPEN_FILES: u64 = 64;

/// Acts as the launcher when that was asked for; then it only returns to say with what status to end. `args` are those of
/// the process, its name included.
pub fn asked(mut args: impl Iterator<Item = OsString>) -> Option<i32> {
    if args.nth(1)? != WORD {
        return None;
    }
    let text = args.next().and_then(|cage| cage.into_string().ok()).unwrap_or_default();
    let cage: Cage = match serde_json::from_str(&text) {
        Ok(cage) => cage,
        Err(why) => {
            eprintln!("`{WORD}` is for the arena's own use: {why}");
            return Some(FAILED);
        }
    };
    let why = match launch(&cage) {
        Ok(()) => return Some(0),
        Err(why) => why,
    };
    eprintln!("{}", complaint(&cage.token, &why));
    Some(FAILED)
}

/// Restricts this process and becomes the program; comes back after a probe.
fn launch(cage: &Cage) -> Result<(), String> {
    let mut found = Found::default();
    enclose(cage, &mut found)?;
    let Some((program, args)) = cage.argv.split_first() else {
        #[cfg(target_os = "linux")]
        linux::attempts::try_what_is_forbidden(&mut found);
        println!("{}", serde_json::json!(found));
        return Ok(());
    };
    let mut command = Command::new(program);
    command.args(args).env_clear().envs(environment(cage));
    let why = command.exec();
    Err(format!("cannot execute `{program}`: {why}"))
}

/// The order matters: what needs rights comes before they are given up, the filter of system calls is last.
fn enclose(cage: &Cage, found: &mut Found) -> Result<(), String> {
    #[cfg(target_os = "linux")]
    {
        linux::close_other_files();
        linux::namespaces(cage, found);
    }
    fill_scratch(cage, found.scratch).map_err(|why| format!("cannot fill the scratch folder: {why}"))?;
    std::env::set_current_dir(&cage.scratch)
        .map_err(|why| format!("cannot enter the scratch folder: {why}"))?;
    match limits(cage) {
        Ok(()) => found.limits = true,
        Err(why) => found.why.push(format!("resource limits: {why}")),
    }
    #[cfg(target_os = "linux")]
    {
        linux::die_with_parent();
        linux::give_up_rights(found);
        linux::landlock(cage, found);
        linux::seccomp(found);
    }
    // It may have died before its end was asked to be ours.
    if parent_id() != cage.parent {
        return Err("the arena has ended".into());
    }
    Ok(())
}

/// Copies the program's files into its scratch folder.
fn fill_scratch(cage: &Cage, is_new: bool) -> io::Result<()> {
    if !is_new {
        for entry in fs::read_dir(&cage.scratch)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                fs::remove_dir_all(entry.path())?;
            } else {
                fs::remove_file(entry.path())?;
            }
        }
    }
    if cage.files.as_os_str().is_empty() { Ok(()) } else { copy(&cage.files, &cage.scratch) }
}

/// Copies what is in a folder, modes included.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            fs::create_dir(&target)?;
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

fn limits(cage: &Cage) -> io::Result<()> {
    use rlimit::Resource;
    const MIB: u64 = 1024 * 1024;
    Resource::CORE.set(0, 0)?;
    Resource::NOFILE.set(OPEN_FILES, OPEN_FILES)?;
    Resource::FSIZE.set(cage.file_kb * 1024, cage.file_kb * 1024)?;
    // At the first SIGXCPU, which says what happened; a second later SIGKILL.
    Resource::CPU.set(cage.cpu_s, cage.cpu_s + 1)?;
    // macOS knows the limit and refuses to set it.
    if cfg!(target_os = "linux") {
        Resource::AS.set(cage.memory_mb * MIB, cage.memory_mb * MIB)
    } else {
        Ok(())
    }
}

fn environment(cage: &Cage) -> Vec<(&'static str, OsString)> {
    let mut environment: Vec<(&str, OsString)> = vec![
        ("PATH", PATH.into()),
        ("LANG", "C.UTF-8".into()),
        ("HOME", cage.scratch.clone().into()),
        ("TMPDIR", cage.scratch.clone().into()),
        ("PYTHONHASHSEED", "0".into()),
        ("PYTHONDONTWRITEBYTECODE", "1".into()),
        ("PYTHONUNBUFFERED", "1".into()),
        ("PYTHONNOUSERSITE", "1".into()),
    ];
    // By it the policy runner finds what a program has left behind.
    let mark = std::env::var_os(crate::policy::MARK);
    environment.extend(mark.map(|mark| (crate::policy::MARK, mark)));
    environment
}
