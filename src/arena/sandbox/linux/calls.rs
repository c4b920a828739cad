//! The filter of system calls: what is on the list fails with an error that libraries understand.

use std::collections::BTreeMap;

use nix::libc;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};

/// Refused whatever the arguments: network, other processes, file systems, namespaces, memory that no
/// limit counts, and what kernels had most holes in.
const REFUSED: &[i64] = &[
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_kcmp,
    libc::SYS_kill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_bpf,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_shmget,
    libc::SYS_semget,
    libc::SYS_msgget,
    libc::SYS_mq_open,
    libc::SYS_setsid,
    libc::SYS_setpgid,
    libc::SYS_setrlimit,
    libc::SYS_setpriority,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setattr,
];

/// Calls that newer machines have no more.
#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[i64] = &[libc::SYS_fork, libc::SYS_vfork];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_HERE: &[i64] = &[];

/// On x86-64 every call has a second number, with this bit, where the kernel has the x32 interface; no filter of ours would
/// name it.
const X32: i64 = if cfg!(target_arch = "x86_64") { 0x4000_0000 } else { 0 };

/// Puts the filter on this thread; what it executes and the threads it starts inherit it.
pub(super) fn filter() -> Result<(), seccompiler::Error> {
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    apply_filter(&program(refused_calls()?, refused)?)?;
    // A C library that does not get this one falls back on `clone`, whose flags a filter can read.
    let unknown = SeccompAction::Errno(libc::ENOSYS as u32);
    apply_filter(&program([(libc::SYS_clone3, Vec::new())].into(), unknown)?)
}

type Calls = BTreeMap<i64, Vec<SeccompRule>>;

fn program(calls: Calls, action: SeccompAction) -> Result<BpfProgram, BackendError> {
    let twice =
        calls.into_iter().flat_map(|(call, rules)| [(call | X32, rules.clone()), (call, rules)]).collect();
    SeccompFilter::new(twice, SeccompAction::Allow, action, std::env::consts::ARCH.try_into()?)?.try_into()
}

fn refused_calls() -> Result<Calls, BackendError> {
    use SeccompCmpArgLen::{Dword, Qword};
    let when = |conditions: &[SeccompCondition]| SeccompRule::new(conditions.to_vec());
    let us = u64::from(std::process::id());
    let mut calls: Calls = REFUSED.iter().chain(REFUSED_HERE).map(|call| (*call, Vec::new())).collect();
    // Threads only.
    let thread = libc::CLONE_THREAD as u64;
    let no_thread = SeccompCondition::new(0, Qword, SeccompCmpOp::MaskedEq(thread), 0)?;
    calls.insert(libc::SYS_clone, vec![when(&[no_thread])?]);
    // Signals to itself only: `abort` needs them.
    let other = SeccompCondition::new(0, Dword, SeccompCmpOp::Ne, us)?;
    calls.insert(libc::SYS_tgkill, vec![when(std::slice::from_ref(&other))?]);
    calls.insert(libc::SYS_tkill, vec![when(std::slice::from_ref(&other))?]);
    // Limits may be read, its own only, and not changed.
    let changes = SeccompCondition::new(2, Qword, SeccompCmpOp::Ne, 0)?;
    let nobody = SeccompCondition::new(0, Dword, SeccompCmpOp::Ne, 0)?;
    calls.insert(libc::SYS_prlimit64, vec![when(&[changes])?, when(&[other, nobody])?]);
    Ok(calls)
}
