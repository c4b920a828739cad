//! What a question may say, read strictly: a boolean is no number, `1.5` and `1.0` are no integers.

use serde::Deserialize;

use crate::api::model::Json;
use crate::arena::error::ArenaError;
use crate::arena::request::Fields;

/// Samples when nobody says.
const DEFAULT_SAMPLES: u32 = 30;

/// Most samples of a candidate.
const MAX_SAMPLES: u32 = 100;

/// Most matches of one question: about a minute with the slowest players.
const MAX_BRANCHES: usize = 4096;

/// What both questions may say.
#[derive(Debug, Clone, PartialEq)]
pub struct Knobs {
    /// The seat that is scored.
    pub seat: Option<String>,
    /// Samples of each candidate, 1 to 100.
    pub samples: u32,
    /// Ticks of each sample at most, 1 or more.
    pub max_ticks: u32,
    /// The lowest percentile of players.
    min_percentile: Option<f64>,
    /// The highest.
    max_percentile: Option<f64>,
    /// Every sample draws its players for itself.
    pub random_opponents: bool,
}

impl Knobs {
    /// Takes what `complete` may say; `samples` is the name of that field. `cap` is how many ticks an episode of the run
    /// may have: more is clamped to it, none or 0 means it.
    ///
    /// # Errors
    /// Names the field that is wrong.
    pub fn take(fields: &mut Fields, samples: &str, cap: u32) -> Result<Self, ArenaError> {
        let seat = fields.text("seat")?.filter(|seat| !seat.is_empty());
        let samples = fields.whole(samples, 0..=u64::from(MAX_SAMPLES))?.filter(|samples| *samples > 0);
        let max_ticks = fields.whole("max_ticks", 0..=u64::MAX)?.filter(|ticks| *ticks > 0);
        let min_percentile = fields.number("min_percentile", 0.0..=1.0)?;
        let max_percentile = fields.number("max_percentile", 0.0..=1.0)?;
        if fields.word("opponent_source", &["system", "own", "both", ""])? == Some("own") {
            let problem =
                "cannot be `own`: your submissions play evaluations, no rollouts; use `system` or `both`";
            return Err(ArenaError::invalid("opponent_source", problem));
        }
        let random_opponents = match fields.take("random_opponents") {
            None => false,
            Some(value) => value
                .as_bool()
                .ok_or_else(|| ArenaError::invalid("random_opponents", "must be `true` or `false`"))?,
        };
        let knobs = Self {
            seat,
            samples: samples.map_or(DEFAULT_SAMPLES, |samples| samples as u32),
            max_ticks: max_ticks.map_or(cap, |ticks| ticks.min(u64::from(cap)) as u32),
            min_percentile,
            max_percentile,
            random_opponents,
        };
        knobs.band(None)?;
        Ok(knobs)
    }

    /// The band of players; each end that is not named is the episode's.
    ///
    /// # Errors
    /// The lower end is above the upper one.
    pub fn band(&self, episode: Option<[f64; 2]>) -> Result<Option<[f64; 2]>, ArenaError> {
        if self.min_percentile.is_none() && self.max_percentile.is_none() {
            return Ok(episode);
        }
        let [low, high] = episode.unwrap_or([0.0, 1.0]);
        let band = [self.min_percentile.unwrap_or(low), self.max_percentile.unwrap_or(high)];
        if band[0] > band[1] {
            let problem =
                format!("must not be above `max_percentile`, and the band is {} to {}", band[0], band[1]);
            return Err(ArenaError::invalid("min_percentile", problem));
        }
        Ok(Some(band))
    }

    /// Ticks that so many candidates may play: what is claimed.
    ///
    /// # Errors
    /// They are more matches than one question may have.
    pub fn claim(&self, candidates: usize) -> Result<u64, ArenaError> {
        let branches = candidates.saturating_mul(self.samples as usize);
        if branches > MAX_BRANCHES {
            let problem = format!(
                "{candidates} candidates with {} samples each are {branches} matches, at most {MAX_BRANCHES} are played: ask \
                 for fewer",
                self.samples
            );
            return Err(ArenaError::malformed(problem));
        }
        Ok(branches as u64 * u64::from(self.max_ticks))
    }
}

/// What `score-actions` may say.
#[derive(Debug)]
pub struct ActionKnobs {
    /// As for `complete`.
    pub common: Knobs,
    /// What the client wants scored.
    pub candidates: Vec<Json>,
    /// Candidates are added up to this count; 0 adds none.
    pub max_actions: usize,
    /// Rows that are answered, 0 for all.
    pub top_n: u32,
    /// Share of rows that is answered, 0 for all.
    pub top_percentile: f64,
}

/// The one member that must keep the text of its numbers.
#[derive(Deserialize)]
struct Raw {
    candidate_actions: Option<Vec<Json>>,
}

impl ActionKnobs {
    /// Takes all fields. `body` is the text that they were read from.
    ///
    /// # Errors
    /// Names the field that is wrong; there is nothing to score.
    pub fn take(fields: &mut Fields, body: &[u8], cap: u32) -> Result<Self, ArenaError> {
        let candidates = match fields.take("candidate_actions") {
            None => Vec::new(),
            Some(_) => serde_json::from_slice::<Raw>(body)
                .ok()
                .and_then(|raw| raw.candidate_actions)
                .ok_or_else(|| ArenaError::invalid("candidate_actions", "must be a list of actions"))?,
        };
        let max_actions = fields.whole("max_actions", 0..=super::candidates::MAX_CANDIDATES as u64)?;
        let max_actions = max_actions.unwrap_or_default() as usize;
        if candidates.is_empty() && max_actions == 0 {
            let problem = "must name at least one action, unless `max_actions` lets the arena choose them";
            return Err(ArenaError::invalid("candidate_actions", problem));
        }
        Ok(Self {
            common: Knobs::take(fields, "samples_per_action", cap)?,
            candidates,
            max_actions,
            top_n: fields.whole("top_n", 0..=u64::from(u32::MAX))?.unwrap_or_default() as u32,
            top_percentile: fields.number("top_percentile", 0.0..=1.0)?.unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, header};

    use super::*;

    fn fields(json: &str) -> Fields {
        let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, "application/json".parse().unwrap())]);
        Fields::from_body(&headers, json.as_bytes()).unwrap()
    }

    fn knobs(json: &str) -> Result<Knobs, ArenaError> {
        let mut fields = fields(json);
        let knobs = Knobs::take(&mut fields, "samples", 500)?;
        fields.finish()?;
        Ok(knobs)
    }

    fn action_knobs(json: &str) -> Result<ActionKnobs, ArenaError> {
        let mut fields = fields(json);
        let knobs = ActionKnobs::take(&mut fields, json.as_bytes(), 500)?;
        fields.finish()?;
        Ok(knobs)
    }

    /// The checks of the SDK's `_validate_complete_params`, which mirrors the platform's.
    #[test]
    fn wire_types_are_checked() {
        for (bad, field) in [
            (r#"{"samples":true}"#, "samples"),
            (r#"{"samples":1.5}"#, "samples"),
            (r#"{"samples":1.0}"#, "samples"),
            (r#"{"samples":-1}"#, "samples"),
            (r#"{"samples":101}"#, "samples"),
            (r#"{"max_ticks":-1}"#, "max_ticks"),
            (r#"{"max_ticks":"9"}"#, "max_ticks"),
            (r#"{"min_percentile":true}"#, "min_percentile"),
            (r#"{"min_percentile":1.01}"#, "min_percentile"),
            (r#"{"min_percentile":0.6,"max_percentile":0.5}"#, "min_percentile"),
            (r#"{"max_percentile":-0.1}"#, "max_percentile"),
            (r#"{"opponent_source":"league"}"#, "opponent_source"),
            (r#"{"opponent_source":"own"}"#, "opponent_source"),
            (r#"{"random_opponents":"true"}"#, "random_opponents"),
            (r#"{"random_opponents":1}"#, "random_opponents"),
            (r#"{"seat":0}"#, "seat"),
            (r#"{"tail_samples":3}"#, "tail_samples"),
        ] {
            let error = knobs(bad).unwrap_err();
            assert!(error.message().starts_with(&format!("`{field}`")), "{bad}: {}", error.message());
        }
    }

    #[test]
    fn nothing_and_zero_are_the_defaults_and_ticks_are_clamped() {
        for json in ["{}", r#"{"samples":0,"max_ticks":0,"opponent_source":"","seat":""}"#] {
            let knobs = knobs(json).unwrap();
            assert_eq!((knobs.samples, knobs.max_ticks, knobs.seat.as_deref()), (30, 500, None));
            assert!(!knobs.random_opponents);
        }
        let knobs =
            knobs(r#"{"samples":100,"max_ticks":18446744073709551615,"opponent_source":"both"}"#).unwrap();
        assert_eq!((knobs.samples, knobs.max_ticks), (100, 500));
    }

    #[test]
    fn ends_of_the_band_that_are_not_named_are_the_episodes() {
        let band = |json, episode| knobs(json).unwrap().band(episode);
        assert_eq!(band("{}", None).unwrap(), None);
        assert_eq!(band("{}", Some([0.2, 0.4])).unwrap(), Some([0.2, 0.4]));
        assert_eq!(band(r#"{"min_percentile":0.3}"#, Some([0.2, 0.4])).unwrap(), Some([0.3, 0.4]));
        assert_eq!(band(r#"{"min_percentile":0.3}"#, None).unwrap(), Some([0.3, 1.0]));
        assert_eq!(band(r#"{"max_percentile":0}"#, None).unwrap(), Some([0.0, 0.0]));
        assert!(band(r#"{"min_percentile":0.5}"#, Some([0.2, 0.4])).is_err());
    }

    #[test]
    fn the_claim_is_the_worst_case_and_bounded() {
        let knobs = knobs(r#"{"samples":30,"max_ticks":40}"#).unwrap();
        assert_eq!(knobs.claim(7).unwrap(), 7 * 30 * 40);
        assert!(knobs.claim(128).is_ok());
        assert!(knobs.claim(137).unwrap_err().message().contains("4110 matches"));
    }

    #[test]
    fn actions_keep_the_text_of_their_numbers() {
        let knobs = action_knobs(r#"{"candidate_actions":[{"x":1.50},[{"x":2}]],"top_n":1}"#).unwrap();
        let texts: Vec<&str> = knobs.candidates.iter().map(Json::get).collect();
        assert_eq!(texts, [r#"{"x":1.50}"#, r#"[{"x":2}]"#]);
    }

    #[test]
    fn something_must_be_scored() {
        for bad in
            ["{}", r#"{"candidate_actions":[]}"#, r#"{"candidate_actions":{"a":1}}"#, r#"{"max_actions":0}"#]
        {
            let error = action_knobs(bad).unwrap_err();
            assert!(error.message().starts_with("`candidate_actions`"), "{bad}: {}", error.message());
        }
        assert_eq!(action_knobs(r#"{"max_actions":5}"#).unwrap().max_actions, 5);
        for bad in [r#"{"max_actions":129}"#, r#"{"max_actions":true}"#] {
            assert!(action_knobs(bad).unwrap_err().message().starts_with("`max_actions`"));
        }
    }
}
