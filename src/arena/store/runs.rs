//! Rollout runs: what they may start, what they used, when they were settled.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::StoreError;
use super::ledger::{self, Payee};
use super::sessions::timestamp;
use crate::arena::credits::Credits;

/// A run as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRow {
    /// Its place among all runs; 0 before it is kept.
    pub seq: i64,
    /// Its id.
    pub run_id: String,
    /// Who pays.
    pub account_id: String,
    /// The longest an episode is unless its reset says otherwise, in ticks.
    pub ticks_per_episode: u32,
    /// Whether opponents follow the win rate.
    pub auto_curriculum: bool,
    /// Half the width of the band, in percentiles: above 0, at most 0.5.
    pub curriculum_band_width: f64,
    /// The weight of the newest result: above 0, at most 1.
    pub curriculum_ewma_alpha: f64,
    /// What it used.
    pub counters: Counters,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When it settles by itself.
    pub expires_at: Timestamp,
    /// When it was settled.
    pub closed_at: Option<Timestamp>,
}

/// What changes while a run is open.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Counters {
    /// Episodes that it may start in all.
    pub max_episodes: u64,
    /// Episodes that it started.
    pub episodes_used: u64,
    /// Ticks played.
    pub ticks_used: u64,
    /// Ticks that an episode not yet started is reserved at.
    pub price_ticks: u64,
    /// The smoothed win rate, 0 to 1.
    pub win_rate: f64,
}

/// Adds a run and takes its opening hold.
///
/// # Errors
/// [`StoreError::Short`] when the account cannot cover it.
pub fn add(connection: &Connection, run: &RunRow, hold: Credits) -> Result<(), StoreError> {
    let counters = &run.counters;
    connection.execute(
        "INSERT INTO runs (run_id, account_id, status, ticks_per_episode, auto_curriculum, curriculum_band_width,
         curriculum_ewma_alpha, win_rate, max_episodes, episodes_used, ticks_used, price_ticks, created_at, expires_at)
         VALUES (?1, ?2, 'active', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        params![
            run.run_id,
            run.account_id,
            run.ticks_per_episode,
            run.auto_curriculum,
            run.curriculum_band_width,
            run.curriculum_ewma_alpha,
            counters.win_rate,
            counters.max_episodes as i64,
            counters.episodes_used as i64,
            counters.ticks_used as i64,
            counters.price_ticks as i64,
            run.created_at.as_millisecond(),
            run.expires_at.as_millisecond(),
        ],
    )?;
    ledger::raise_hold(connection, &run.account_id, &run.run_id, hold, run.created_at)
}

/// Writes what a run used so far. A settled run stays as it is.
pub fn put(connection: &Connection, run_id: &str, counters: &Counters) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(
        "UPDATE runs SET max_episodes = ?2, episodes_used = ?3, ticks_used = ?4, price_ticks = ?5, win_rate = ?6
         WHERE run_id = ?1 AND status = 'active'",
    )?;
    statement.execute(params![
        run_id,
        counters.max_episodes as i64,
        counters.episodes_used as i64,
        counters.ticks_used as i64,
        counters.price_ticks as i64,
        counters.win_rate,
    ])?;
    Ok(())
}

/// Settles a run at what it played and gives its hold back. Does nothing the second time.
pub fn close(
    connection: &Connection,
    run_id: &str,
    counters: &Counters,
    at: Timestamp,
) -> Result<(), StoreError> {
    put(connection, run_id, counters)?;
    connection.execute(
        "UPDATE runs SET status = 'closed', closed_at = ?2 WHERE run_id = ?1 AND status = 'active'",
        params![run_id, at.as_millisecond()],
    )?;
    ledger::settle_run(connection, run_id, counters.episodes_used, counters.ticks_used, at)
}

/// One run of an account.
pub fn get(connection: &Connection, account_id: &str, run_id: &str) -> Result<Option<RunRow>, StoreError> {
    let sql = format!("{SELECT} WHERE run_id = ?1 AND account_id = ?2");
    Ok(connection.prepare_cached(&sql)?.query_row([run_id, account_id], read).optional()?)
}

/// All runs that are not settled, with the ticks that the ledger holds for each.
pub fn open(connection: &Connection) -> Result<Vec<(RunRow, Credits)>, StoreError> {
    let sql = format!("{SELECT} WHERE status = 'active'");
    let mut statement = connection.prepare(&sql)?;
    let rows = statement.query_map([], read)?.collect::<Result<Vec<_>, _>>()?;
    rows.into_iter()
        .map(|row| {
            let held = ledger::held_for(connection, &Payee::Run(row.run_id.clone()))?;
            Ok((row, held))
        })
        .collect()
}

/// The runs of an account, newest first, after the one with this time and place; `is_open` chooses those that are
/// settled or those that are not.
pub fn list(
    connection: &Connection,
    account_id: &str,
    is_open: Option<bool>,
    after: Option<[i64; 2]>,
    limit: usize,
) -> Result<Vec<RunRow>, StoreError> {
    let [at, seq] = after.unwrap_or([i64::MAX, i64::MAX]);
    let sql = format!(
        "{SELECT} WHERE account_id = ?1 AND (created_at, seq) < (?2, ?3) AND (?4 IS NULL OR (status = 'active') = ?4)
         ORDER BY created_at DESC, seq DESC LIMIT ?5"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params![account_id, at, seq, is_open, limit as i64], read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

const SELECT: &str = "SELECT seq, run_id, account_id, ticks_per_episode, auto_curriculum, curriculum_band_width,
    curriculum_ewma_alpha, win_rate, max_episodes, episodes_used, ticks_used, price_ticks, created_at, expires_at,
    closed_at FROM runs";

fn read(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    let count = |column| row.get::<_, i64>(column).map(|count| count.max(0) as u64);
    Ok(RunRow {
        seq: row.get(0)?,
        run_id: row.get(1)?,
        account_id: row.get(2)?,
        ticks_per_episode: row.get(3)?,
        auto_curriculum: row.get(4)?,
        curriculum_band_width: row.get(5)?,
        curriculum_ewma_alpha: row.get(6)?,
        counters: Counters {
            win_rate: row.get(7)?,
            max_episodes: count(8)?,
            episodes_used: count(9)?,
            ticks_used: count(10)?,
            price_ticks: count(11)?,
        },
        created_at: timestamp(row.get(12)?),
        expires_at: timestamp(row.get(13)?),
        closed_at: row.get::<_, Option<i64>>(14)?.map(timestamp),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::open::MIGRATIONS;
    use super::super::{accounts, ledger::holdings};
    use super::*;
    use crate::arena::credits::FIRST_GRANT;
    use crate::arena::rollouts::budget::{Budget, Refusal};

    /// A database in memory with one account.
    fn database() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(&MIGRATIONS.join(";")).unwrap();
        accounts::add(&connection, "a", "a@b", None, Timestamp::UNIX_EPOCH).unwrap();
        connection
    }

    fn row(run_id: &str, max_episodes: u64, ticks: u64) -> RunRow {
        RunRow {
            seq: 0,
            run_id: run_id.to_owned(),
            account_id: "a".to_owned(),
            ticks_per_episode: ticks as u32,
            auto_curriculum: false,
            curriculum_band_width: 0.15,
            curriculum_ewma_alpha: 0.1,
            counters: Counters {
                max_episodes,
                episodes_used: 0,
                ticks_used: 0,
                price_ticks: ticks,
                win_rate: 0.5,
            },
            created_at: Timestamp::UNIX_EPOCH,
            expires_at: Timestamp::UNIX_EPOCH,
            closed_at: None,
        }
    }

    #[test]
    fn a_run_is_settled_once_and_its_counters_stay_as_they_were() {
        let connection = database();
        add(&connection, &row("r", 2, 10), Credits::for_ticks(20u64)).unwrap();
        assert_eq!(open(&connection).unwrap(), [(RunRow { seq: 1, ..row("r", 2, 10) }, Credits(8_000))]);
        let used = Counters { episodes_used: 1, ticks_used: 7, ..row("r", 2, 10).counters };
        close(&connection, "r", &used, Timestamp::UNIX_EPOCH).unwrap();
        let later = Counters { episodes_used: 2, ticks_used: 17, ..used };
        close(&connection, "r", &later, Timestamp::UNIX_EPOCH).unwrap();
        put(&connection, "r", &later).unwrap();
        let kept = get(&connection, "a", "r").unwrap().unwrap();
        assert_eq!((kept.counters, kept.closed_at), (used, Some(Timestamp::UNIX_EPOCH)));
        let holdings = holdings(&connection, "a").unwrap();
        assert_eq!((holdings.free.0, holdings.open), (FIRST_GRANT.0 - 7 * 400, Vec::new()));
        assert_eq!(open(&connection).unwrap(), []);
        assert_eq!(get(&connection, "b", "r").unwrap(), None, "others do not see it");
    }

    #[test]
    fn a_hold_that_cannot_be_covered_changes_nothing() {
        let connection = database();
        let price = Credits(FIRST_GRANT.0 / 2);
        add(&connection, &row("r", 1, 1), price).unwrap();
        let at = Timestamp::UNIX_EPOCH;
        let short = ledger::raise_hold(&connection, "a", "r", Credits(FIRST_GRANT.0 + 400), at).unwrap_err();
        assert!(
            matches!(short, StoreError::Short { need, have } if need.0 == price.0 + 400 && have == price)
        );
        ledger::raise_hold(&connection, "a", "r", Credits(1), at).unwrap();
        assert_eq!(ledger::held_for(&connection, &Payee::Run("r".to_owned())).unwrap(), price);
    }

    #[derive(Debug, Clone)]
    enum Op {
        Start { count: u64, ticks: u64 },
        Extend(u64),
        Play(u64),
        End,
        Settle,
    }

    fn op() -> impl Strategy<Value = Op> {
        prop_oneof![
            4 => (1..3u64, 1..30u64).prop_map(|(count, ticks)| Op::Start { count, ticks }),
            1 => (1..4u64).prop_map(Op::Extend),
            4 => (0..10u64).prop_map(Op::Play),
            3 => Just(Op::End),
            1 => Just(Op::Settle),
        ]
    }

    /// Makes a claim, raising the hold in the ledger when it must.
    fn claim(
        connection: &Connection,
        run_id: &str,
        budget: &mut Budget,
        ask: impl Fn(&mut Budget) -> Result<(), Refusal>,
    ) -> bool {
        match ask(budget) {
            Err(Refusal::Short { need }) => {
                let hold = Credits::for_ticks(need);
                ledger::raise_hold(connection, "a", run_id, hold, Timestamp::UNIX_EPOCH).unwrap();
                budget.held = need;
                ask(budget).is_ok()
            }
            answer => answer.is_ok(),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Whatever runs do: what is free, held and spent is what was granted.
        #[test]
        fn the_ledger_adds_up(ops in prop::collection::vec((0..3usize, op()), 0..40)) {
            let connection = database();
            let mut spent = 0;
            let mut runs: Vec<Option<(String, Budget, Vec<u64>)>> = Vec::new();
            for nth in 0..3u64 {
                let (run_id, ticks) = (format!("r{nth}"), 5 + nth);
                add(&connection, &row(&run_id, 4, ticks), Credits::for_ticks(4 * ticks)).unwrap();
                runs.push(Some((run_id, Budget::new(4, ticks), Vec::new())));
            }
            for (nth, op) in ops {
                let Some((run_id, budget, claims)) = &mut runs[nth] else { continue };
                match op {
                    Op::Start { count, ticks } => {
                        if claim(&connection, run_id, budget, |budget| budget.claim(count, ticks)) {
                            claims.extend((0..count).map(|_| ticks));
                        }
                    }
                    Op::Extend(more) => {
                        prop_assert!(claim(&connection, run_id, budget, |budget| budget.extend(more)));
                    }
                    Op::Play(ticks) => if let Some(left) = claims.last_mut() {
                        let ticks = ticks.min(*left);
                        *left -= ticks;
                        budget.meter(ticks);
                    },
                    Op::End => if let Some(left) = claims.pop() { budget.release(left) },
                    Op::Settle => {
                        let counters = Counters { ticks_used: budget.ticks_used, ..row(run_id, 0, 0).counters };
                        close(&connection, run_id, &counters, Timestamp::UNIX_EPOCH).unwrap();
                        spent += Credits::for_ticks(budget.ticks_used).0;
                        runs[nth] = None;
                    }
                }
                let now = holdings(&connection, "a").unwrap();
                let open = runs.iter().flatten();
                let held: Vec<(Payee, Credits)> = open
                    .map(|(run_id, budget, _)| (Payee::Run(run_id.clone()), Credits::for_ticks(budget.held)))
                    .collect();
                prop_assert_eq!(&now.open, &held);
                let total: i64 = now.free.0 + held.iter().map(|(_, hold)| hold.0).sum::<i64>() + spent;
                prop_assert_eq!(total, FIRST_GRANT.0);
            }
        }
    }

    #[test]
    fn a_database_from_before_runs_keeps_its_sessions() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(MIGRATIONS[0]).unwrap();
        accounts::add(&connection, "a", "a@b", None, Timestamp::UNIX_EPOCH).unwrap();
        // As it was written then.
        let held = "INSERT INTO ledger (account_id, at, kind, micro, session_id, game, description)
                    VALUES ('a', 0, 'hold', -4000, 's', 'connect_four', 'reserved')";
        connection.execute_batch(held).unwrap();
        connection.execute_batch(&MIGRATIONS[1..].join(";")).unwrap();
        let before = holdings(&connection, "a").unwrap();
        assert_eq!(before.open, [(Payee::Session("s".to_owned()), Credits(4_000))]);
        ledger::settle(&connection, "s", 3, Timestamp::UNIX_EPOCH).unwrap();
        assert_eq!(holdings(&connection, "a").unwrap().open, []);
    }
}
