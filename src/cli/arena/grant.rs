//! `gert arena grant`: credits for an account of the arena, and what it may spend a day.

use std::path::PathBuf;

use jiff::Timestamp;

use crate::arena::command::{LOCAL_EMAIL, default_database};
use crate::arena::credits::Credits;
use crate::arena::store::{StoreError, accounts, ledger, open};
use crate::cli::{Failure, print};

/// What `gert arena grant` takes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// How many; less than nothing takes them away
    #[arg(allow_negative_numbers = true, required_unless_present = "daily_limit", value_parser = credits)]
    credits: Option<Credits>,
    /// What the account may spend a day (UTC), or `none`
    #[arg(long, value_name = "CREDITS", value_parser = limit)]
    daily_limit: Option<Limit>,
    /// Whose [default: the account of the key that `gert arena` prints]
    #[arg(long, value_name = "EMAIL", default_value = LOCAL_EMAIL, hide_default_value = true)]
    account: String,
    /// The database file [default: arena.db in the data folder]
    #[arg(long, value_name = "FILE")]
    db: Option<PathBuf>,
}

/// A day's limit, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Limit(Option<Credits>);

/// Why nothing was granted.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("there is no data folder: name the database with `--db`")]
    NoDataFolder,
    #[error("the arena has no account `{0}`: start `gert arena` once, or register it")]
    NoAccount(String),
}

/// Writes it and says what the account has now.
pub(super) fn run(args: &Args) -> Result<i32, Failure> {
    let path = args.db.clone().or_else(default_database).ok_or(Error::NoDataFolder)?;
    let mut connection = open::beside(&path)?;
    let work = connection.transaction().map_err(StoreError::from)?;
    let account = accounts::by_email(&work, &args.account)?;
    let account = account.ok_or_else(|| Error::NoAccount(args.account.clone()))?.account_id;
    if let Some(amount) = args.credits {
        ledger::grant(&work, &account, amount, Timestamp::now(), "granted by hand")?;
    }
    if let Some(Limit(limit)) = args.daily_limit {
        ledger::limit_day(&work, &account, limit)?;
    }
    let free = ledger::free(&work, &account)?;
    work.commit().map_err(StoreError::from)?;
    print(&format!("{}: {free} credits are free\n", args.account))?;
    Ok(0)
}

/// A decimal of at most six places, as whole micro-credits: no float in between.
fn credits(text: &str) -> Result<Credits, String> {
    let wrong = || "must be a number of credits with at most six decimals, such as 12.5".to_owned();
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if digits.is_empty() || part.len() > 6 || whole.len() > 9 || !is_number(whole) || !is_number(part) {
        return Err(wrong());
    }
    let micro: i64 = format!("0{whole}{part:0<6}").parse().map_err(|_| wrong())?;
    Ok(Credits(sign * micro))
}

fn limit(text: &str) -> Result<Limit, String> {
    if text == "none" {
        return Ok(Limit(None));
    }
    let limit = credits(text)?;
    if limit.0 < 0 {
        Err("must not be below 0; `none` lifts the limit".to_owned())
    } else {
        Ok(Limit(Some(limit)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_exact() {
        for (text, micro) in
            [("1000", 1_000_000_000), ("0.0004", 400), ("-12.5", -12_500_000), (".5", 500_000)]
        {
            assert_eq!(credits(text), Ok(Credits(micro)), "{text}");
        }
        for text in ["", "-", "1e3", "0.0000001", "1.2.3", "ten", "99999999999", "+5"] {
            assert!(credits(text).is_err(), "{text}");
        }
        assert_eq!(limit("none"), Ok(Limit(None)));
        assert!(limit("-1").is_err());
    }
}
