//! `generator_identification`: say which generator made which series.
//!
//! `family` has the generators, `classify` tells them apart by what they leave behind.

mod classify;
mod family;

use serde_json::{Value, json};

use self::family::FAMILIES;
use super::answer::{self, Fuel, Refusal};
use super::level::Level;
use super::prompt::{ONE_ACTION, POINTS, Section, UNREADABLE};
use super::{Instance, Kind, Score, Variant, VariantSpec};
use crate::arena::engine::rng::Pcg;

/// The variant.
pub(super) struct GeneratorIdentification;

static SPEC: VariantSpec = VariantSpec {
    name: "generator_identification",
    kind: Kind::Identification,
    weight: 1.0,
    version: 1,
    title: "Generator identification",
    is_exact: true,
    rules: &[
        Section {
            title: "Problem",
            sentences: &[
                [
                    "Each entry of `series` is a short row of whole numbers that one of the `generators` made.",
                    "The `generators` made the short rows of whole numbers in `series`, one of them each row.",
                    "In `series` there are short rows of whole numbers, each by one of the `generators`.",
                ],
                [
                    "`generators` says of each what it does; all but the chaotic one add noise of about `noise`.",
                    "What each does is told in `generators`, and each but the chaotic one adds noise of about `noise`.",
                    "Noise of about `noise` is added by all but the chaotic one; the rest of what they do stands in `generators`.",
                ],
                [
                    "One may have made several rows, another none.",
                    "A generator may come more than once, or not at all.",
                    "Not all of them need to occur, and some may occur again.",
                ],
                [
                    "Name the generator of every row.",
                    "Say of each row which generator made it.",
                    "Tell for all rows where they are from.",
                ],
            ],
        },
        Section {
            title: "Answer",
            sentences: &[
                ONE_ACTION,
                [
                    "Its form is `{\"action\":\"identify\",\"names\":[\"walk\",\"noise\"]}`, with a name for each row in their order.",
                    "Send `{\"action\":\"identify\",\"names\":[\"walk\",\"noise\"]}`, as many names as rows and in the same order.",
                    "It looks like `{\"action\":\"identify\",\"names\":[\"walk\",\"noise\"]}`, a name a row, in order.",
                ],
            ],
        },
        Section {
            title: "Scoring",
            sentences: &[
                POINTS,
                [
                    "The share of right names counts beyond what guessing would get.",
                    "What counts is the share of right names, less what guessing gives.",
                    "Right names count as a share, from what a guess would reach upwards.",
                ],
                UNREADABLE,
            ],
        },
    ],
};

struct Rows {
    /// By number in [`FAMILIES`].
    offered: Vec<usize>,
    noise: i64,
    series: Vec<Vec<i64>>,
    /// Places in `offered`.
    made_by: Vec<usize>,
}

impl Variant for GeneratorIdentification {
    fn spec(&self) -> &'static VariantSpec {
        &SPEC
    }

    fn draw(&self, seed: u64, level: Level) -> Box<dyn Instance> {
        let mut rng = Pcg::new(seed);
        let mut offered: Vec<usize> = (0..FAMILIES.len()).collect();
        rng.shuffle(&mut offered);
        offered.truncate(level.between(4, FAMILIES.len() as i64) as usize);
        let count = level.between(8, 16);
        let length = level.length(40, 24).max(12);
        let noise = level.between(4, 60);
        let made_by: Vec<usize> = (0..count).map(|_| rng.below(offered.len() as u64) as usize).collect();
        let make = |by: &usize| (FAMILIES[offered[*by]].make)(&mut rng, length, noise);
        let series = made_by.iter().map(make).collect();
        Box::new(Rows { offered, noise, series, made_by })
    }
}

impl Rows {
    fn names(&self) -> Vec<&'static str> {
        self.offered.iter().map(|family| FAMILIES[*family].name).collect()
    }

    fn answer(names: &[&str]) -> Value {
        json!({ "action": "identify", "names": names })
    }
}

impl Instance for Rows {
    fn observation(&self) -> Value {
        let generators: serde_json::Map<String, Value> = (self.offered.iter())
            .map(|family| (FAMILIES[*family].name.to_owned(), json!(FAMILIES[*family].about)))
            .collect();
        json!({ "generators": generators, "noise": self.noise, "series": self.series })
    }

    fn score(&self, action: &Value, _: &mut Fuel) -> Result<Score, Refusal> {
        let members = answer::members(action, "identify")?;
        let found = answer::names(members, "names", self.series.len(), &self.names())?;
        let right = found.iter().zip(&self.made_by).filter(|(found, made_by)| found == made_by).count();
        Ok(Score::above_chance(right, self.series.len(), 1.0 / self.offered.len() as f64))
    }

    fn reference(&self) -> Value {
        let names = self.names();
        let found = self.series.iter().map(|series| classify::family(series, &names, self.noise));
        Self::answer(&found.collect::<Vec<_>>())
    }

    /// Rows that go up are a trend, the rest is noise; whatever is not offered is the first that is.
    fn naive(&self) -> Value {
        let names = self.names();
        let name = |series: &Vec<i64>| {
            let guess = if series.last() > series.first() { "trend" } else { "noise" };
            names.iter().copied().find(|name| *name == guess).unwrap_or(names[0])
        };
        Self::answer(&self.series.iter().map(name).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn right_names_count_beyond_chance() {
        // arena.md §10.2.
        let rows =
            Rows { offered: vec![0, 1], noise: 1, series: vec![vec![1]; 4], made_by: vec![0, 0, 1, 1] };
        let names = rows.names();
        let score = |names: &[&str]| rows.score(&Rows::answer(names), &mut Fuel::default());
        let [a, b] = names[..] else { panic!("two are offered") };
        assert_eq!(score(&[a, a, b, b]), Ok(Score { points: 1.0, solved: true }));
        assert_eq!(score(&[a, a, b, a]), Ok(Score { points: 0.5, solved: false }));
        assert_eq!(score(&[a, a, a, a]), Ok(Score { points: 0.0, solved: false }));
        for wrong in [&[a, a, b][..], &[a, a, b, "nobody"], &[a, a, b, FAMILIES[2].name]] {
            assert!(matches!(score(wrong), Err(Refusal::Answer(_))), "{wrong:?}");
        }
    }
}
