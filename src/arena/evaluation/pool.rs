//! Who an evaluation's opponents are: a choice of the league, of the account's own rated submissions, or of both. Pure.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::rating::percentile;
use crate::arena::league::{self, Wanted};
use crate::arena::record::rfc3339;
use crate::arena::store::submissions::SubmissionRow;

/// Own submissions in a pool at most: each is a process of its own, and the newest tell most.
pub const MOST_OWN: usize = 32;

/// Whose submissions are opponents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The league's.
    System,
    /// The account's own.
    Own,
    /// Both.
    Both,
}

impl Origin {
    /// The words for them.
    pub const WORDS: [&str; 3] = ["system", "own", "both"];

    /// Reads the word; `both` when it is none.
    pub fn from_word(word: &str) -> Self {
        match word {
            "system" => Self::System,
            "own" => Self::Own,
            _ => Self::Both,
        }
    }

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Own => "own",
            Self::Both => "both",
        }
    }

    /// Whether own submissions are wanted.
    pub fn has_own(self) -> bool {
        self != Self::System
    }
}

/// Which opponents are wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Opponents {
    /// Whose.
    pub origin: Origin,
    /// Which of them; its band does not count.
    pub wanted: Wanted,
}

impl Opponents {
    /// The whole league.
    pub fn system() -> Self {
        Self { origin: Origin::System, wanted: Wanted::any() }
    }

    /// In the words of the request; what was not said is left out.
    pub fn json(&self) -> Value {
        let Wanted { models, providers, created_after, created_before, .. } = &self.wanted;
        let mut json = json!({ "opponent_source": self.origin.as_str() });
        let mut put = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                json[key] = value;
            }
        };
        put("opponent_models", (!models.is_empty()).then(|| json!(models)));
        put("opponent_providers", (!providers.is_empty()).then(|| json!(providers)));
        put("opponent_created_after", created_after.map(|at| rfc3339(at).into()));
        put("opponent_created_before", created_before.map(|at| rfc3339(at).into()));
        json
    }

    fn fits(&self, row: &SubmissionRow) -> bool {
        let Wanted { models, providers, created_after, created_before, .. } = &self.wanted;
        let is_one_of = |list: &[String], label: &Option<String>| {
            list.is_empty() || label.as_ref().is_some_and(|label| list.contains(label))
        };
        let at = Timestamp::from_millisecond(row.created_at).unwrap_or_default();
        is_one_of(models, &row.model)
            && is_one_of(providers, &row.provider)
            && created_after.is_none_or(|after| at >= after)
            && created_before.is_none_or(|before| at < before)
    }
}

/// An opponent with the rating that it keeps while the evaluation runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opponent {
    /// Its submission.
    pub submission_id: String,
    /// The built-in player that it is; nothing for a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player: Option<String>,
    /// Its rating.
    pub elo: f64,
    /// Who generated it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The model that generated it; the name of a built-in player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// The opponents of an evaluation, weakest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pool(Vec<Opponent>);

impl Pool {
    /// Those of the league and of `own` that fit; `own` are rated submissions of the game without the one that is evaluated.
    pub fn choose(slug: &str, opponents: &Opponents, own: &[SubmissionRow]) -> Self {
        let wanted = Wanted { band: None, ..opponents.wanted.clone() };
        let league = if opponents.origin == Origin::Own { Vec::new() } else { league::pool(slug, &wanted) };
        let built_in = league.into_iter().map(|(entry, _)| Opponent {
            submission_id: entry.submission_id.clone(),
            player: Some(entry.player.clone()),
            elo: entry.elo,
            provider: Some(league::PROVIDER.to_owned()),
            model: Some(entry.player.clone()),
        });
        let fitting = own.iter().filter(|row| opponents.origin.has_own() && opponents.fits(row));
        let programs = fitting.take(MOST_OWN).filter_map(|row| {
            Some(Opponent {
                submission_id: row.submission_id.clone(),
                player: None,
                elo: row.standing?.elo,
                provider: row.provider.clone(),
                model: row.model.clone(),
            })
        });
        let mut pool: Vec<Opponent> = built_in.chain(programs).collect();
        pool.sort_by(|a, b| a.elo.total_cmp(&b.elo).then_with(|| a.submission_id.cmp(&b.submission_id)));
        Self(pool)
    }

    /// As it is kept.
    pub fn to_json(&self) -> Value {
        json!(self.0)
    }

    /// Reads one that was kept; empty when it is none.
    pub fn from_json(json: Value) -> Self {
        serde_json::from_value(json).unwrap_or(Self(Vec::new()))
    }

    /// All of them, weakest first.
    pub fn all(&self) -> &[Opponent] {
        &self.0
    }

    /// Their ratings by their submissions.
    pub fn ratings(&self) -> BTreeMap<&str, f64> {
        self.0.iter().map(|opponent| (opponent.submission_id.as_str(), opponent.elo)).collect()
    }

    /// The share of them that is rated lower, ties half.
    pub fn percentile(&self, elo: f64) -> f64 {
        percentile(elo, self.0.iter().map(|opponent| opponent.elo))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::store::submissions::{Stage, Standing};

    fn own(id: &str, elo: f64, model: Option<&str>) -> SubmissionRow {
        SubmissionRow {
            seq: 1,
            submission_id: id.to_owned(),
            account_id: "a".into(),
            game: "connect_four".into(),
            game_version: "1".into(),
            score_version: "arena-1".into(),
            language: "python".into(),
            provider: Some("lab".into()),
            provider_source: None,
            model: model.map(str::to_owned),
            branch_config: None,
            job_id: None,
            stage: Stage::Ready,
            failure: None,
            standing: Some(Standing { elo, error: 40.0, percentile: 0.5, matches: 10, failure_rate: 0.0 }),
            created_at: 1_000,
            deleted_at: None,
        }
    }

    fn ids(pool: &Pool) -> Vec<&str> {
        pool.all().iter().map(|opponent| opponent.submission_id.as_str()).collect()
    }

    #[test]
    fn the_source_decides_whose_submissions_play() {
        let mine = [own("s1", 1200.0, Some("m")), own("s2", 800.0, None)];
        let of = |origin| {
            let opponents = Opponents { origin, ..Opponents::system() };
            Pool::choose("connect_four", &opponents, &mine)
        };
        let league = league::of("connect_four").len();
        assert_eq!(of(Origin::System).all().len(), league);
        assert_eq!(ids(&of(Origin::Own)), ["s2", "s1"], "weakest first");
        let both = of(Origin::Both);
        assert_eq!(both.all().len(), league + 2);
        assert!(both.all().is_sorted_by(|a, b| a.elo <= b.elo));
        assert_eq!(Pool::from_json(both.to_json()), both);
    }

    #[test]
    fn filters_hold_for_the_league_and_for_own_submissions() {
        let mine = [own("s1", 1200.0, Some("m")), own("s2", 800.0, None)];
        let with = |change: &dyn Fn(&mut Wanted)| {
            let mut opponents = Opponents { origin: Origin::Both, ..Opponents::system() };
            change(&mut opponents.wanted);
            Pool::choose("connect_four", &opponents, &mine)
        };
        let pool = with(&|wanted| wanted.models = vec!["m".into(), "ab2".into()]);
        assert_eq!(
            pool.all().iter().filter_map(|one| one.model.as_deref()).collect::<Vec<_>>(),
            ["m", "ab2"]
        );
        assert_eq!(ids(&with(&|wanted| wanted.providers = vec!["lab".into()])), ["s2", "s1"]);
        // 1970 is before every entry of the league.
        let before = Timestamp::from_second(1_000).unwrap();
        assert_eq!(ids(&with(&|wanted| wanted.created_before = Some(before))), ["s2", "s1"]);
        assert!(!ids(&with(&|wanted| wanted.created_after = Some(before))).contains(&"s1"));
    }

    #[test]
    fn the_request_is_kept_in_its_own_words() {
        let mut opponents = Opponents::system();
        assert_eq!(opponents.json(), json!({ "opponent_source": "system" }));
        opponents.wanted.models = vec!["ab2".into()];
        opponents.wanted.created_after = Some(Timestamp::from_second(0).unwrap());
        assert_eq!(
            opponents.json(),
            json!({ "opponent_source": "system", "opponent_models": ["ab2"], "opponent_created_after": "1970-01-01T00:00:00.000Z" })
        );
    }
}
