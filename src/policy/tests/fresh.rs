//! Free text, and a process for every turn.

use super::*;

fn parse(flags: &str, script: &str) -> PolicySpec {
    let mut spec = PolicySpec::parse(&format!("{flags} sh -c x")).expect("flags");
    spec.source = Source::Command(["sh", "-c", script].map(Into::into).to_vec());
    spec.limits = Limits { turn: DEADLINE, first: DEADLINE, start: DEADLINE, ..spec.limits };
    spec
}

#[tokio::test]
async fn a_program_that_prints_one_json_line_an_answer_plays_by_prompts() {
    let script = r#"while IFS= read -r line; do
        case $line in '{"system":"'*'"user":"Last observation:'*) ;; *) echo "odd: $line" >&2 ;; esac
        printf '{"text":"well, ```json\\n[{\\"n\\":%s}]\\n```"}\n' "${#line}"
    done"#;
    let mut table = Table::start(parse("--format prompt", script));
    table.hello();
    for id in 1..=3 {
        table.ask(id);
        let (answered, action) = table.answer().await;
        assert_eq!(answered, id);
        assert!(action[0]["n"].as_u64() > Some(200), "{action}");
    }
    table.policy.quit.cancel();
    let (how, last_stderr, _) = table.exit().await;
    assert_eq!((how, last_stderr), (Exit::Code(0), Vec::new()));
}

#[tokio::test]
async fn a_one_shot_command_reads_the_prompt_to_its_end_and_prints_what_it_likes() {
    for (flags, script) in [
        ("--stdin text", "grep -c 'Last observation' >&2; echo Sure.; echo '```'; echo '[]'; printf '```'"),
        ("--format prompt --fresh", "cat >/dev/null; echo 'I pass: []'"),
    ] {
        let mut table = Table::start(parse(flags, script));
        table.hello();
        for id in 1..=3 {
            table.ask(id);
            assert_eq!(table.answer().await, (id, json!([])), "{flags}");
        }
        table.policy.quit.cancel();
        assert!(table.exit().await.2);
    }
}

#[tokio::test]
async fn a_text_without_an_action_is_garbage_and_the_turn_can_be_asked_again() {
    // B-14
    let dir = tempfile::tempdir().expect("a directory");
    let script = "cat >/dev/null; if [ -e second ]; then echo '[]'; else : >second; echo 'No idea.'; fi";
    let mut spec = parse("--stdin text", script);
    spec.dir = Some(dir.path().into());
    let mut table = Table::start(spec);
    table.ask(1);
    let why = table
        .find(|what| match what {
            PolicyEventKind::Garbage { id: Some(1), text, why, .. } if text == "No idea." => Some(why),
            PolicyEventKind::Exited { how, .. } => panic!("{how}"),
            _ => None,
        })
        .await;
    assert!(why.contains("no action in the text"), "{why}");
    table.ask(1);
    assert_eq!(table.answer().await, (1, json!([])));
}

#[tokio::test]
async fn a_one_shot_command_that_fails_is_a_crash_with_its_last_words() {
    // B-01
    let mut table = Table::start(parse("--stdin text", "cat >/dev/null; echo 'no such model' >&2; exit 4"));
    table.ask(1);
    let (how, last_stderr, expected) = table.exit().await;
    assert_eq!((how, last_stderr, expected), (Exit::Code(4), vec!["no such model".to_owned()], false));
}

/// Tells its process id as its action.
const WHO: &str =
    r#"while IFS= read -r line; do case $line in *observe*) printf '[{"pid":%s}]\n' $$ ;; esac; done"#;

async fn pid_of(table: &mut Table, id: u64) -> u32 {
    table.ask(id);
    table.answer().await.1[0]["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok()).expect("a process id")
}

#[tokio::test]
async fn turns_are_kept_apart_on_request_and_where_the_game_wants_it() {
    for (flags, config, apart) in
        [("", json!({}), false), ("--fresh", json!({}), true), ("", json!({"turn_isolated": true}), true)]
    {
        let mut table = Table::start(parse(flags, WHO));
        let hello = Hello { config, ..Hello::default() };
        table.policy.hello(&hello).expect("room");
        let pids = [pid_of(&mut table, 1).await, pid_of(&mut table, 2).await];
        assert_eq!(pids[0] != pids[1], apart, "{flags}");
        table.policy.quit.cancel();
        table.exit().await;
        for pid in pids {
            eventually("all are reaped", || is_reaped(pid)).await;
        }
    }
}

#[tokio::test]
async fn two_hundred_fresh_processes_leave_nothing_behind() {
    // B-05
    let mut table = Table::start(parse("--fresh", WHO));
    let mut pids = Vec::new();
    for id in 0..200 {
        pids.push(pid_of(&mut table, id).await);
    }
    drop(table.policy);
    for pid in pids {
        eventually("all are reaped", || is_reaped(pid)).await;
    }
}

#[tokio::test]
async fn a_turn_given_up_takes_its_process_with_it() {
    // B-12
    let script = r#"read -r line; case $line in *'"id":1,'*) sleep 3600 ;; esac; echo '[]'; read -r line"#;
    let mut table = Table::start(parse("--fresh", script));
    let first = table.pid().await;
    table.ask(1);
    table.ask(2);
    assert_eq!(table.answer().await, (2, json!([])));
    eventually("the first is gone", || is_reaped(first)).await;
}

#[tokio::test]
async fn an_answer_without_end_is_stopped() {
    // B-11
    let mut table = Table::start(parse("--stdin text", "cat >/dev/null; yes 'and so on'"));
    table.ask(1);
    let limit = 1024 * 1024;
    table.find(|what| (what == PolicyEventKind::LineTooLong { limit }).then_some(())).await;
    assert!(table.exit().await.2);
}

/// Plays with what it was told in this process, which is one turn or all: notes how many, and on reading back repeats its
/// note and counts again.
#[cfg(feature = "arena")]
const COUNTER: &str = r#"n=0
while IFS= read -r line; do case $line in
    *'"phase":"encode"'*) n=$((n+1)); printf '[{"action":"note","text":"turn %s"}]\n' $n ;;
    *'"note":"turn 1"'*) n=$((n+1)); printf '[{"action":"emit","text":"turn %s after turn 1"}]\n' $n ;;
    *observe*) printf '[{"action":"emit","text":"turn ?"}]\n' ;;
esac; done"#;

#[cfg(feature = "arena")]
#[tokio::test]
async fn in_a_game_of_the_arena_that_keeps_its_turns_apart_a_program_has_its_notes_and_nothing_else() {
    use crate::arena::catalogue::record;
    use crate::arena::engine::seats::Seat;
    use crate::arena::engine::{Input, MatchSetup};

    let game = crate::arena::games::find("kolmogorov").expect("the game");
    let setup = MatchSetup { config: &json!({}), seats: 1, max_ticks: 16, seed: 3 };
    let mut play = game.start(&setup).expect("a match");
    let mut table = Table::start(parse("", COUNTER));
    let config = record(game)["config"].clone();
    table.policy.hello(&Hello { game: "kolmogorov".into(), config, ..Hello::default() }).expect("room");
    let seat = Seat::new(0);
    while play.probe().over.is_none() {
        let tick = play.probe().tick;
        let mut observation = Vec::new();
        play.observe(seat, &[], &mut observation);
        let observation = String::from_utf8(observation).expect("text");
        table.policy.observe(&turn(tick.into(), &observation)).expect("room for a turn");
        let (answered, action) = table.answer().await;
        assert_eq!(answered, u64::from(tick));
        let expected = if tick < 8 { "turn 1" } else { "turn 1 after turn 1" };
        assert_eq!(action[0]["text"], expected, "tick {tick}");
        play.submit(&[(seat, Input::Act(action))].into_iter().collect());
    }
    assert_eq!(play.probe().tick, 16);
    table.policy.quit.cancel();
    table.exit().await;
}
