//! What Linux has to restrict a process with. Every layer is best effort and says in [`Found`] whether it took hold.

pub(super) mod attempts;
mod calls;

use std::fs;
use std::path::Path;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use rustix::process::{Signal, getgid, getuid, set_parent_process_death_signal};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities, set_no_new_privs};

use super::cage::{Cage, Found};

/// Where programs and libraries of the system lie, and what the loader reads.
const SYSTEM: [&str; 13] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/localtime",
];
const DEVICES: [&str; 4] = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"];
/// The newest rules we know; a kernel that knows fewer enforces those.
const RULES: ABI = ABI::V7;

/// Closes everything but the three streams. What the server opens is closed on execution anyway; this is for what it was
/// started with.
pub(super) fn close_other_files() {
    let Ok(open) = fs::read_dir("/proc/self/fd") else { return };
    let open: Vec<i32> = open
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|fd| *fd > 2)
        .collect();
    for fd in open {
        // One of them was the folder just read.
        let _ = nix::unistd::close(fd);
    }
}

/// Namespaces of its own, with a file system in memory over the scratch folder.
pub(super) fn namespaces(cage: &Cage, found: &mut Found) {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    let flags = CloneFlags::CLONE_NEWUSER
        | CloneFlags::CLONE_NEWNET
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWNS;
    if let Err(why) = unshare(flags) {
        found.why.push(format!("namespaces: {why}"));
        return;
    }
    found.namespaces = true;
    let mapped = fs::write("/proc/self/setgroups", "deny")
        .and_then(|()| fs::write("/proc/self/uid_map", format!("{user} {user} 1")))
        .and_then(|()| fs::write("/proc/self/gid_map", format!("{group} {group} 1")));
    let options = format!("size={}m,nr_inodes=4096,mode=700", cage.scratch_mb);
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    let mounted = mapped.map_err(|why| why.to_string()).and_then(|()| {
        mount(Some("tmpfs"), &cage.scratch, Some("tmpfs"), flags, Some(options.as_str()))
            .map_err(|why| why.to_string())
    });
    match mounted {
        Ok(()) => found.scratch = true,
        Err(why) => found.why.push(format!("scratch folder in memory: {why}")),
    }
}

/// Asks for SIGKILL when the thread that started us ends. A new user namespace forgets it, so this comes after.
pub(super) fn die_with_parent() {
    // An error leaves the end of the standard input, at which a program ends as well.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
}

/// No privileges through what is executed, and none of those that a namespace gave.
pub(super) fn give_up_rights(found: &mut Found) {
    if let Err(why) = set_no_new_privs(true) {
        found.why.push(format!("no new privileges: {why}"));
    }
    let none = CapabilitySet::empty();
    let none = CapabilitySets { effective: none, permitted: none, inheritable: none };
    // To give up what one has is always allowed.
    let _ = set_capabilities(None, none);
}

/// Files: the system's libraries and the interpreter to read, the scratch folder to write; no TCP, no signals to others.
pub(super) fn landlock(cage: &Cage, found: &mut Found) {
    match restrict_files(cage, found.scratch) {
        Ok(RulesetStatus::NotEnforced) => found.why.push("Landlock: this kernel has none".into()),
        Ok(RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced) => found.landlock = true,
        Err(why) => found.why.push(format!("Landlock: {why}")),
    }
}

fn restrict_files(cage: &Cage, scratch_is_own: bool) -> Result<RulesetStatus, RulesetError> {
    let read = AccessFs::from_read(RULES);
    let device = AccessFs::ReadFile | AccessFs::WriteFile;
    let may_write = scratch_is_own || !cage.isolated;
    let scratch = if may_write { read | scratch_access() } else { read };
    let none: [&Path; 0] = [];
    let readable = cage.readable.iter().map(AsRef::as_ref).chain(none);
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(RULES))?
        .handle_access(AccessNet::from_all(RULES))?
        .scope(Scope::from_all(RULES))?
        .create()?
        .add_rules(path_beneath_rules(SYSTEM, read))?
        .add_rules(path_beneath_rules(DEVICES, device))?
        .add_rules(path_beneath_rules::<_, &Path, _>(readable, read))?
        .add_rules(path_beneath_rules([&cage.scratch], scratch))?
        .restrict_self()?;
    Ok(status.ruleset)
}

/// Files, folders and links; no devices, pipes or sockets.
fn scratch_access() -> BitFlags<AccessFs> {
    AccessFs::WriteFile
        | AccessFs::Truncate
        | AccessFs::MakeReg
        | AccessFs::MakeDir
        | AccessFs::MakeSym
        | AccessFs::RemoveFile
        | AccessFs::RemoveDir
        | AccessFs::Refer
}

/// System calls that no player needs.
pub(super) fn seccomp(found: &mut Found) {
    match calls::filter() {
        Ok(()) => found.seccomp = true,
        Err(why) => found.why.push(format!("seccomp: {why}")),
    }
}
