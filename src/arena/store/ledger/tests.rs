//! Money: the sum of the entries is the balance, whatever happens.

use proptest::prelude::*;

use super::*;
use crate::arena::store::{accounts, open};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

fn at(ms: i64) -> Timestamp {
    timestamp(ms)
}

fn database() -> (tempfile::TempDir, Connection, std::fs::File) {
    let folder = tempfile::tempdir().unwrap();
    let (connection, lock) = open::open(&folder.path().join("arena.db"), open::MIGRATIONS).unwrap();
    accounts::add(&connection, "a", "a@b", None, at(0)).unwrap();
    (folder, connection, lock)
}

fn bill(micro: i64) -> Bill {
    Bill { amount: Credits(micro), ticks: None, description: "work".to_owned() }
}

#[test]
fn a_job_is_held_and_settled_once_and_never_for_more_than_its_hold() {
    let (_folder, connection, _lock) = database();
    let first = free(&connection, "a").unwrap();
    hold_job(&connection, "a", "j", Credits(1_000), at(1)).unwrap();
    assert_eq!(free(&connection, "a").unwrap().0, first.0 - 1_000);
    assert_eq!(holdings(&connection, "a").unwrap().open, [(Payee::Job("j".to_owned()), Credits(1_000))]);
    for spent in [5_000, 100] {
        settle_job(&connection, "j", "evaluation", &bill(spent), at(2)).unwrap();
    }
    assert_eq!(free(&connection, "a").unwrap().0, first.0 - 1_000);
    assert_eq!(holdings(&connection, "a").unwrap().open, []);
    let usage = usage(&connection, "a", None, 1).unwrap().remove(0).json();
    assert_eq!((&usage["kind"], &usage["job_id"]), (&json!("evaluation"), &json!("j")));
}

#[test]
fn what_costs_nothing_leaves_no_trace() {
    let (_folder, connection, _lock) = database();
    hold_job(&connection, "a", "j", Credits(0), at(1)).unwrap();
    settle_job(&connection, "j", "export", &Bill::nothing(), at(2)).unwrap();
    assert_eq!(usage(&connection, "a", None, 9).unwrap().len(), 1, "the first grant alone");
}

#[test]
fn a_daily_limit_counts_what_was_spent_today_and_what_is_promised() {
    let (_folder, connection, _lock) = database();
    limit_day(&connection, "a", Some(Credits(1_000))).unwrap();
    let pay =
        |micro, ms| charge(&connection, "a", "task_score", Credits(micro), &Link::Task("t"), "task", at(ms));
    pay(400, 10).unwrap();
    hold_job(&connection, "a", "j", Credits(500), at(11)).unwrap();
    let refused = pay(200, 12).unwrap_err();
    let wanted = StoreError::DailyLimit { need: Credits(200), used: Credits(900), limit: Credits(1_000) };
    assert_eq!(refused.to_string(), wanted.to_string());
    settle_job(&connection, "j", "evaluation", &bill(0), at(13)).unwrap();
    pay(200, 14).unwrap();
    pay(1_000, DAY_MS).unwrap();
    limit_day(&connection, "a", None).unwrap();
    pay(5_000, DAY_MS + 1).unwrap();
}

/// What may happen to money, at most a few of each id.
#[derive(Debug, Clone)]
enum Deed {
    Grant(i64),
    Charge(i64),
    HoldJob(u8, i64),
    SettleJob(u8, i64),
    RaiseRun(u8, i64),
    SettleRun(u8, u64),
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let deed = prop_oneof![
        (0..2_000_000i64).prop_map(Deed::Grant),
        (1..400_000_000i64).prop_map(Deed::Charge),
        (0..4u8, 0..600_000_000i64).prop_map(|(id, micro)| Deed::HoldJob(id, micro)),
        (0..4u8, 0..600_000_000i64).prop_map(|(id, micro)| Deed::SettleJob(id, micro)),
        (0..4u8, 1..600_000_000i64).prop_map(|(id, micro)| Deed::RaiseRun(id, micro)),
        (0..4u8, 0..1_000_000u64).prop_map(|(id, ticks)| Deed::SettleRun(id, ticks)),
    ];
    proptest::collection::vec(deed, 1..40)
}

fn does(connection: &Connection, deed: &Deed) -> Result<(), StoreError> {
    let (job, run) = (|id: &u8| format!("j{id}"), |id: &u8| format!("r{id}"));
    match deed {
        Deed::Grant(micro) => grant(connection, "a", Credits(*micro), at(1), "gift"),
        Deed::Charge(micro) => {
            charge(connection, "a", "task", Credits(*micro), &Link::Nothing, "task", at(1))
        }
        // A job's id is new each time; a second hold for it is refused by the index.
        Deed::HoldJob(id, micro) => hold_job(connection, "a", &job(id), Credits(*micro), at(1)),
        Deed::SettleJob(id, micro) => settle_job(connection, &job(id), "evaluation", &bill(*micro), at(1)),
        Deed::RaiseRun(id, micro) => raise_hold(connection, "a", &run(id), Credits(*micro), at(1)),
        Deed::SettleRun(id, ticks) => settle_run(connection, &run(id), 1, *ticks, at(1)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn no_credit_appears_or_is_lost(deeds in deeds()) {
        let (_folder, connection, _lock) = database();
        for deed in &deeds {
            let before = free(&connection, "a").unwrap();
            let done = does(&connection, deed);
            let after = free(&connection, "a").unwrap();
            if done.is_err() {
                prop_assert_eq!(before, after, "{:?} failed and changed the balance", deed);
            }
        }
        let Holdings { free, open } = holdings(&connection, "a").unwrap();
        let sum = |kinds: &str| -> i64 {
            let sql = format!("SELECT coalesce(sum(micro), 0) FROM ledger WHERE kind IN ({kinds})");
            connection.query_row(&sql, [], |row| row.get(0)).unwrap()
        };
        let held: i64 = open.iter().map(|(_, hold)| hold.0).sum();
        prop_assert_eq!(free.0, sum("'grant', 'settle'") - held, "what is not spent is free or held");
        prop_assert_eq!(sum("'hold', 'refund'"), -held, "each refund is its hold");
    }
}
