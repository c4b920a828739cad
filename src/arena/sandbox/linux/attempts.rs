//! The launcher as its own burglar: a layer only holds if what it forbids fails.

use std::fs;
use std::io::ErrorKind;
use std::net::UdpSocket;
use std::process::Command;

use super::super::cage::Found;

/// Strikes out what does not hold.
pub(in super::super) fn try_what_is_forbidden(found: &mut Found) {
    if found.landlock && !is_refused(fs::read_dir("/etc")) {
        found.landlock = false;
        found.why.push("Landlock: it is enforced, yet `/etc` can be read".into());
    }
    if found.seccomp && !is_refused(UdpSocket::bind("127.0.0.1:0")) {
        found.seccomp = false;
        found.why.push("seccomp: the filter is set, yet a socket can be made".into());
    }
    if found.seccomp && !is_refused(Command::new("/bin/true").status()) {
        found.seccomp = false;
        found.why.push("seccomp: the filter is set, yet a process can be started".into());
    }
}

fn is_refused<T>(tried: std::io::Result<T>) -> bool {
    tried.is_err_and(|why| why.kind() == ErrorKind::PermissionDenied)
}
