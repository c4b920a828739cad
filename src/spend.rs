//! Spending caps and read-only mode, below dashboard and command line alike, and the ledger of what this machine
//! started.
//!
//! [`Spending`] is the [`Guard`] of every client of the program. It counts the highest price of each action from the
//! moment it is admitted; what the server refused is taken off again, what may have been done stays, and a closed
//! rollout run counts what it really cost. Rows are kept as JSON lines (see [`crate::journal`]), so that several
//! programs at once share the caps. The ledger holds names and amounts, never a key or a token.

use std::collections::HashMap;
use std::io;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::api::model::Extra;
use crate::api::{Guard, Intent, Micro, Outcome, Refusal};
use crate::config::{Spend, UnknownPrice};
use crate::journal::Journal;

/// A ledger longer than this is folded together when it is next written.
const LONG: u64 = 1 << 20;

/// How many actions stay rows of their own when it is.
const KEPT: usize = 1000;

/// The guard of a profile.
#[derive(Debug, Clone)]
pub struct Spending {
    /// Whose.
    pub profile: String,
    /// Which platform.
    pub host: String,
    /// Refuses every write.
    pub read_only: bool,
    /// Refuses what costs more.
    pub caps: Spend,
    /// Where it is written down; `None` where nothing can be written.
    pub ledger: Option<Journal>,
}

/// One row of the ledger: something that was started, or what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Which action; rows with the same mark are about the same one, and the last one counts.
    pub mark: u64,
    /// When.
    pub at: Timestamp,
    /// By which profile.
    pub profile: String,
    /// On which host.
    pub host: String,
    /// The SDK's name of the operation, or method and path.
    pub operation: String,
    /// How far it is.
    pub state: State,
    /// What counts, in millionths of a credit: the highest price, then the real one; none if it is unknown.
    pub micro: Option<u64>,
    /// What it made: `session_id`, `run_id`, `job_id`, `submission_id`, `existing_job_id`.
    #[serde(default, skip_serializing_if = "HashMap::is_empty")]
    pub made: HashMap<String, String>,
}

/// How far an action is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It is about to be sent, or its outcome is unknown.
    Admitted,
    /// The server did it.
    Started,
    /// The server did not.
    Refused,
}

/// The members of an answer that name what was made.
const MADE: [&str; 5] = ["session_id", "run_id", "job_id", "submission_id", "eval_run_id"];

impl Guard for Spending {
    fn wants_price(&self) -> bool {
        self.caps.has_cap()
    }

    fn admit(&self, intent: &Intent) -> Result<Option<u64>, Refusal> {
        if self.read_only {
            let why = format!("the profile `{}` is read-only: nothing was sent", self.profile);
            return Err(Refusal::ReadOnly(why));
        }
        let cost = intent.price.filter(|price| *price > Micro(0));
        if intent.price == Some(Micro(0)) {
            return Ok(None);
        }
        self.check_action(intent)?;
        let Some(ledger) = &self.ledger else { return self.without_ledger() };
        let mark = rand::random::<u64>() >> 11;
        let row = self.row(intent, mark, State::Admitted, cost.map(|cost| cost.0));
        match self.admit_into(ledger, &row, intent) {
            Ok(verdict) => verdict.map(|()| Some(mark)),
            Err(error) if self.counts() => {
                Err(Refusal::Cap(format!("the ledger cannot be kept, so no cap can be checked: {error}")))
            }
            Err(error) => {
                tracing::warn!(%error, "the ledger cannot be written");
                Ok(None)
            }
        }
    }

    fn settle(&self, intent: &Intent, mark: Option<u64>, outcome: &Outcome) {
        let Some(ledger) = &self.ledger else { return };
        let cost = intent.price.map(|price| price.0);
        let row = match (mark, outcome) {
            (Some(mark), Outcome::Answered(answer)) => {
                let mut row = self.row(intent, mark, State::Started, cost);
                row.made = made(answer.get());
                Some(row)
            }
            (Some(mark), Outcome::Refused) => Some(self.row(intent, mark, State::Refused, Some(0))),
            (None, Outcome::Answered(answer)) if intent.operation == Some("rollout_runs.close") => {
                closed_run(ledger, answer.get())
            }
            // What may have been done counts as done.
            _ => None,
        };
        if let Some(row) = row
            && let Err(error) = ledger.lock().and_then(|mut ledger| ledger.append(&row))
        {
            tracing::warn!(%error, "the ledger cannot be written");
        }
    }
}

impl Spending {
    /// Whether the caps need the ledger.
    fn counts(&self) -> bool {
        self.caps.per_day.is_some() || self.caps.per_profile.is_some()
    }

    fn without_ledger(&self) -> Result<Option<u64>, Refusal> {
        if self.counts() {
            let why = "there is no folder for the ledger, so no cap over several actions can be checked";
            return Err(Refusal::Cap(why.into()));
        }
        Ok(None)
    }

    /// What can be said without knowing the past.
    fn check_action(&self, intent: &Intent) -> Result<(), Refusal> {
        match intent.price {
            None if self.caps.has_cap() && self.caps.unknown_price == UnknownPrice::Refuse => {
                Err(Refusal::Cap(format!(
                    "only the server knows what `{}` costs, and a cap is set: to allow such actions, set \
                 `unknown_price = \"allow\"` under `[spend]`",
                    intent.name
                )))
            }
            Some(price) => within(self.caps.per_action, price, Micro(0), "an action"),
            None => Ok(()),
        }
    }

    fn admit_into(&self, ledger: &Journal, row: &Row, intent: &Intent) -> io::Result<Result<(), Refusal>> {
        let mut locked = ledger.lock()?;
        if locked.size()? > LONG {
            let rows = fold(last_of_each(locked.read::<Row>()?.rows));
            locked.replace(&rows)?;
        }
        if self.counts() {
            let rows = last_of_each(locked.read::<Row>()?.rows);
            if let Err(refusal) = self.check_sums(&rows, row.at, intent.price.unwrap_or_default()) {
                return Ok(Err(refusal));
            }
        }
        locked.append(row)?;
        Ok(Ok(()))
    }

    fn check_sums(&self, rows: &[Row], now: Timestamp, price: Micro) -> Result<(), Refusal> {
        let ours = || rows.iter().filter(|row| row.profile == self.profile);
        let sum = |rows: &mut dyn Iterator<Item = &Row>| -> Micro {
            rows.filter_map(|row| row.micro).map(Micro).sum()
        };
        let today = sum(&mut ours().filter(|row| day(row.at) == day(now)));
        within(self.caps.per_day, price, today, "a day")?;
        within(self.caps.per_profile, price, sum(&mut ours()), "the profile")
    }

    fn row(&self, intent: &Intent, mark: u64, state: State, micro: Option<u64>) -> Row {
        Row {
            mark,
            at: Timestamp::now(),
            profile: self.profile.clone(),
            host: self.host.clone(),
            operation: intent.operation.map_or_else(|| intent.target.clone(), str::to_owned),
            state,
            micro,
            made: HashMap::new(),
        }
    }
}

fn within(cap: Option<Micro>, price: Micro, before: Micro, what: &str) -> Result<(), Refusal> {
    let Some(cap) = cap else { return Ok(()) };
    if before + price <= cap {
        return Ok(());
    }
    let spent = if before == Micro(0) { String::new() } else { format!(", {before} are spent or reserved") };
    Err(Refusal::Cap(format!(
        "it costs up to {price} credits, and the cap for {what} is {cap}{spent}: nothing was sent"
    )))
}

fn day(at: Timestamp) -> i64 {
    at.as_second().div_euclid(86_400)
}

/// What counts: for each action its last row, in the order in which they began, with its first row's time.
pub fn last_of_each(rows: Vec<Row>) -> Vec<Row> {
    let mut places: HashMap<u64, usize> = HashMap::new();
    let mut last: Vec<Row> = Vec::new();
    for row in rows {
        if let Some(&place) = places.get(&row.mark) {
            let begun = last[place].at;
            last[place] = Row { at: begun, ..row };
        } else {
            places.insert(row.mark, last.len());
            last.push(row);
        }
    }
    last
}

/// Sums up all but the newest rows, one row for each profile and day.
fn fold(mut rows: Vec<Row>) -> Vec<Row> {
    let newest = rows.split_off(rows.len().saturating_sub(KEPT));
    let mut sums: Vec<Row> = Vec::new();
    for row in rows {
        let same = |sum: &&mut Row| sum.profile == row.profile && day(sum.at) == day(row.at);
        match sums.iter_mut().find(same) {
            Some(sum) => sum.micro = Some(sum.micro.unwrap_or(0).saturating_add(row.micro.unwrap_or(0))),
            None => sums.push(Row { operation: "earlier".into(), made: HashMap::new(), ..row }),
        }
    }
    sums.extend(newest);
    sums
}

/// What an answer says it made; only names, never a token.
fn made(answer: &str) -> HashMap<String, String> {
    let Ok(members) = serde_json::from_str::<Extra>(answer) else { return HashMap::new() };
    let named = |name: &str| members.decode::<String>(name).filter(|id| id.len() <= 200);
    MADE.iter().filter_map(|name| Some(((*name).to_owned(), named(name)?))).collect()
}

/// The row of a run that was closed, with what it cost.
fn closed_run(ledger: &Journal, answer: &str) -> Option<Row> {
    let members: Extra = serde_json::from_str(answer).ok()?;
    let run: String = members.decode("run_id")?;
    let cost = Micro::at_least(members.decode("credits_used")?)?;
    let rows = last_of_each(ledger.read::<Row>().ok()?.rows);
    let opened = rows.into_iter().rfind(|row| row.made.get("run_id") == Some(&run))?;
    Some(Row { micro: Some(cost.0), ..opened })
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn spending(caps: Spend) -> (tempfile::TempDir, Spending) {
        let folder = tempfile::tempdir().expect("a folder");
        let ledger = Some(Journal::new(folder.path().join("spend.jsonl")));
        let spending =
            Spending { profile: "default".into(), host: "h".into(), read_only: false, caps, ledger };
        (folder, spending)
    }

    fn intent(operation: &'static str, price: Option<u64>) -> Intent {
        Intent {
            name: "create session",
            operation: Some(operation),
            target: "POST /play".into(),
            price: price.map(Micro),
        }
    }

    fn answered(text: &str) -> Outcome {
        Outcome::Answered(RawValue::from_string(text.into()).expect("JSON"))
    }

    fn rows(spending: &Spending) -> Vec<Row> {
        last_of_each(spending.ledger.as_ref().expect("a ledger").read().expect("rows").rows)
    }

    #[test]
    fn a_read_only_profile_refuses_also_what_is_free() {
        let (_folder, mut spending) = spending(Spend::default());
        spending.read_only = true;
        let refusal = spending.admit(&intent("play.leave", Some(0))).expect_err("refused");
        assert!(matches!(refusal, Refusal::ReadOnly(why) if why.contains("`default` is read-only")));
    }

    #[test]
    fn caps_count_what_was_admitted_and_forget_what_was_refused() {
        let caps = Spend { per_day: Some(Micro(1000)), ..Spend::default() };
        let (_folder, spending) = spending(caps);
        let play = intent("play.create", Some(600));
        let first = spending.admit(&play).expect("within the cap");
        let refusal = spending.admit(&play).expect_err("over the cap");
        assert!(matches!(refusal, Refusal::Cap(why) if why.contains("0.0006 are spent or reserved")));
        spending.settle(&play, first, &Outcome::Refused);
        let second = spending.admit(&play).expect("the first did not happen");
        spending.settle(&play, second, &Outcome::Unknown);
        assert!(spending.admit(&play).is_err(), "what may have happened counts");
        assert!(spending.admit(&intent("play.leave", Some(0))).is_ok(), "free is always within a cap");
    }

    #[test]
    fn the_cap_of_an_action_and_unknown_prices_need_no_past() {
        let caps =
            Spend { per_action: Some(Micro(500)), unknown_price: UnknownPrice::Refuse, ..Spend::default() };
        let (_folder, mut spending) = spending(caps);
        assert!(spending.admit(&intent("play.create", Some(501))).is_err());
        assert!(spending.admit(&intent("play.create", Some(500))).is_ok());
        assert!(spending.admit(&intent("submissions.evaluate", None)).is_err());
        spending.caps.unknown_price = UnknownPrice::Allow;
        assert!(spending.admit(&intent("submissions.evaluate", None)).is_ok());
        spending.caps = Spend::default();
        assert!(spending.admit(&intent("submissions.evaluate", None)).is_ok(), "no cap, no refusal");
    }

    #[test]
    fn the_ledger_names_what_was_started_and_holds_no_token() {
        let (_folder, spending) = spending(Spend::default());
        let play = intent("play.create", Some(240_000));
        let mark = spending.admit(&play).expect("no cap");
        spending.settle(&play, mark, &answered(r#"{"session_id":"s1","player_token":"pt_secret"}"#));
        let rows = rows(&spending);
        assert_eq!((rows.len(), rows[0].state, rows[0].micro), (1, State::Started, Some(240_000)));
        assert_eq!(rows[0].made.get("session_id").map(String::as_str), Some("s1"));
        let text = std::fs::read_to_string(spending.ledger.expect("a ledger").path()).expect("the file");
        assert!(!text.contains("pt_secret"));
    }

    #[test]
    fn a_closed_run_counts_what_it_cost() {
        let (_folder, spending) = spending(Spend { per_profile: Some(Micro(5_000_000)), ..Spend::default() });
        let open = intent("rollout_runs.open", Some(4_000_000));
        let mark = spending.admit(&open).expect("within the cap");
        spending.settle(&open, mark, &answered(r#"{"run_id":"r1","estimated_credits":4.0}"#));
        assert!(spending.admit(&open).is_err());
        let close = intent("rollout_runs.close", Some(0));
        spending.settle(&close, None, &answered(r#"{"run_id":"r1","status":"closed","credits_used":0.25}"#));
        assert_eq!(rows(&spending)[0].micro, Some(250_000));
        assert!(spending.admit(&open).is_ok());
    }

    #[test]
    fn a_long_ledger_is_folded_together_and_its_sums_stay() {
        // L-01
        let (_folder, spending) = spending(Spend { per_profile: Some(Micro(20_000)), ..Spend::default() });
        let play = intent("play.create", Some(1));
        let ledger = spending.ledger.clone().expect("a ledger");
        let rows: Vec<_> =
            (0..10_000).map(|mark| spending.row(&play, mark, State::Started, Some(1))).collect();
        ledger.lock().and_then(|mut ledger| ledger.replace(&rows)).expect("written");
        spending.admit(&play).expect("within the cap");
        let rows = ledger.read::<Row>().expect("rows").rows;
        assert!(rows.len() <= KEPT + 3, "{}", rows.len());
        assert_eq!(rows.iter().filter_map(|row| row.micro).sum::<u64>(), 10_001);
        assert!(spending.admit(&intent("play.create", Some(10_000))).is_err());
    }

    #[test]
    fn without_a_ledger_only_caps_over_several_actions_refuse() {
        let (_folder, mut spending) = spending(Spend { per_action: Some(Micro(10)), ..Spend::default() });
        spending.ledger = None;
        assert_eq!(spending.admit(&intent("play.create", Some(5))), Ok(None));
        spending.caps.per_day = Some(Micro(10));
        assert!(spending.admit(&intent("play.create", Some(5))).is_err());
    }
}
