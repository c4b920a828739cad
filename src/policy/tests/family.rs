//! What becomes of all that a policy started.

use super::*;

#[tokio::test]
async fn dropping_a_policy_kills_and_reaps_its_whole_group() {
    // B-05, B-06, B-20: the terminal signals its own group only
    let mut table = Table::start(sh(&with_grandchild("wait")));
    let pid = table.pid().await;
    let grandchild: u32 = table.name().await.parse().expect("a process id");
    let group = getpgid(Pid::from_raw(pid.cast_signed())).expect("it runs");
    assert_eq!(group.as_raw_nonzero().get().cast_unsigned(), pid, "a group of its own");
    assert!(is_running(grandchild));
    drop(table.policy);
    eventually("the child is reaped", || is_reaped(pid)).await;
    eventually("the grandchild is gone", || !is_running(grandchild)).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_goes_on_after_a_policy_that_left_is_told_and_killed() {
    // B-05
    let mut table = Table::start(sh(&with_grandchild("cat >/dev/null")));
    let grandchild: u32 = table.name().await.parse().expect("a process id");
    table.policy.quit.cancel();
    let left = table
        .find(|what| match what {
            PolicyEventKind::LeftBehind { commands } => Some(commands),
            _ => None,
        })
        .await;
    assert_eq!(left, ["sleep 3600"]);
    let (how, _, expected) = table.exit().await;
    assert_eq!((how, expected), (Exit::Code(0), true));
    eventually("it is gone", || !is_running(grandchild)).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_left_the_group_is_found_by_its_mark_and_ended() {
    let mut spec =
        sh("setsid sleep 3601 </dev/null >/dev/null 2>&1 & read -r line; echo '[]'; cat >/dev/null");
    spec.mark = Some(format!("mark-{}", std::process::id()));
    let mark = spec.mark.clone().expect("a mark");
    let mut table = Table::start(spec);
    table.ask(1);
    table.answer().await;
    table.policy.quit.cancel();
    table.exit().await;
    assert_eq!(end_marked(&mark), ["sleep 3601"]);
    eventually("it is gone", || end_marked(&mark).is_empty()).await;
}

#[test]
fn a_runtime_that_goes_down_takes_the_group_with_it() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    let (table, pid, grandchild) = runtime.block_on(async {
        let mut table = Table::start(sh(&with_grandchild("wait")));
        let pid = table.pid().await;
        let grandchild: u32 = table.name().await.parse().expect("a process id");
        (table, pid, grandchild)
    });
    drop(runtime);
    let waiting = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    waiting.block_on(async {
        eventually("the child is gone", || !is_running(pid)).await;
        eventually("the grandchild is gone", || !is_running(grandchild)).await;
    });
    drop(table);
}
