//! Compares two recordings tick by tick: where the seats first saw something else, and where they first did.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::iter::Peekable;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::curves::{Chart, Curves};
use super::moments::{Moment, Moments, Told};

/// The longest text of a value that is told.
const LONGEST: usize = 300;
/// Steps of the score curves.
const STEPS: usize = 120;

/// What came of comparing two recordings.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Comparison {
    /// The two.
    pub sides: [Side; 2],
    /// Ticks that are in both.
    pub common: u64,
    /// The first difference of what each seat saw.
    pub observations: BTreeMap<String, Difference>,
    /// The first difference of what each seat did.
    pub actions: BTreeMap<String, Difference>,
}

/// One of the two.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Side {
    /// The file.
    pub file: PathBuf,
    /// The session.
    pub session_id: String,
    /// Ticks that are in it.
    pub ticks: u64,
    /// Its first and its last tick.
    pub range: Option<(u64, u64)>,
    /// The newest scores.
    pub scores: BTreeMap<String, f64>,
    /// Its score curves, over the moments.
    pub chart: Chart,
}

/// Where two values are not the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The tick.
    pub tick: u64,
    /// The place in the value, as a JSON pointer; empty for the whole of it.
    pub path: String,
    /// The value of the first, as JSON; nothing where there is none.
    pub a: Option<String>,
    /// The value of the second.
    pub b: Option<String>,
}

impl Comparison {
    /// The first tick at which anything differs.
    pub fn first(&self) -> Option<u64> {
        self.observations.values().chain(self.actions.values()).map(|difference| difference.tick).min()
    }
}

/// Compares two files.
///
/// # Errors
/// When one is no recording, or cannot be read.
pub fn files(a: &Path, b: &Path) -> io::Result<Comparison> {
    let named = |path: &Path| {
        Moments::open(path).map_err(|why| io::Error::other(format!("`{}`: {why}", path.display())))
    };
    let (one, two) = (named(a)?, named(b)?);
    let ids = [one.header().session_id.clone(), two.header().session_id.clone()];
    let mut comparison = compare(moments_of(one), moments_of(two))?;
    for ((side, id), file) in comparison.sides.iter_mut().zip(ids).zip([a, b]) {
        (side.session_id, side.file) = (id, file.to_owned());
    }
    Ok(comparison)
}

fn moments_of(told: Moments) -> impl Iterator<Item = io::Result<Moment>> {
    told.filter_map(|told| match told {
        Ok(Told::Moment(moment)) => Some(Ok(*moment)),
        Ok(Told::Outcome { .. }) => None,
        Err(why) => Some(Err(why)),
    })
}

/// Compares two rows of moments, each in the order of its ticks. Of several moments of a tick the first counts.
///
/// # Errors
/// Those of the rows.
pub fn compare(
    a: impl Iterator<Item = io::Result<Moment>>,
    b: impl Iterator<Item = io::Result<Moment>>,
) -> io::Result<Comparison> {
    let mut comparison = Comparison::default();
    let mut gathered = [Gathered::default(), Gathered::default()];
    let (mut a, mut b) = (Ticks::new(a), Ticks::new(b));
    loop {
        let (left, right) = (a.peek()?, b.peek()?);
        let take_left = left.is_some_and(|left| right.is_none_or(|right| left <= right));
        let take_right = right.is_some_and(|right| left.is_none_or(|left| right <= left));
        let left = if take_left { a.take()? } else { None };
        let right = if take_right { b.take()? } else { None };
        for (gathered, moment) in gathered.iter_mut().zip([&left, &right]) {
            if let Some(moment) = moment {
                gathered.add(moment);
            }
        }
        match (left, right) {
            (Some(left), Some(right)) => comparison.look(&left, &right),
            (None, None) => break,
            _ => {}
        }
    }
    comparison.sides = gathered.map(Gathered::side);
    Ok(comparison)
}

impl Comparison {
    fn look<'m>(&mut self, a: &'m Moment, b: &'m Moment) {
        self.common += 1;
        let seats =
            |a: BTreeSet<String>, b: BTreeSet<String>| a.intersection(&b).cloned().collect::<Vec<_>>();
        // A player's recording knows one seat only, which is no difference.
        for seat in seats(a.observations.keys().cloned().collect(), b.observations.keys().cloned().collect())
        {
            if self.observations.contains_key(&seat) {
                continue;
            }
            let seen = |moment: &'m Moment| moment.observations.get(&seat).map(|raw| &**raw);
            if let Some(found) = difference(a.tick, seen(a), seen(b)) {
                self.observations.insert(seat, found);
            }
        }
        for seat in seats(a.actions.keys().cloned().collect(), b.actions.keys().cloned().collect()) {
            if self.actions.contains_key(&seat) {
                continue;
            }
            let action = |moment: &Moment| moment.actions[&seat].action.clone();
            if let Some(found) = difference(a.tick, action(a).as_deref(), action(b).as_deref()) {
                self.actions.insert(seat, found);
            }
        }
    }
}

/// The first difference of two values; their texts are compared before they are parsed.
fn difference(tick: u64, a: Option<&RawValue>, b: Option<&RawValue>) -> Option<Difference> {
    let text = |raw: Option<&RawValue>| raw.map(|raw| raw.get().to_owned());
    if text(a) == text(b) {
        return None;
    }
    let value = |raw: Option<&RawValue>| raw.and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok());
    let (a, b) = (value(a), value(b));
    let mut path = String::new();
    let (a, b) = descend(&mut path, a.as_ref(), b.as_ref())?;
    Some(Difference { tick, path, a: a.map(shown), b: b.map(shown) })
}

type Pair<'v> = (Option<&'v Value>, Option<&'v Value>);

/// Goes down to the first place where they differ.
fn descend<'v>(path: &mut String, a: Option<&'v Value>, b: Option<&'v Value>) -> Option<Pair<'v>> {
    match (a, b) {
        (Some(Value::Object(one)), Some(Value::Object(two))) => {
            let names = one.keys().chain(two.keys().filter(|name| !one.contains_key(*name)));
            names.into_iter().find_map(|name| {
                let step = name.replace('~', "~0").replace('/', "~1");
                step_into(path, &step, one.get(name), two.get(name))
            })
        }
        (Some(Value::Array(one)), Some(Value::Array(two))) => (0..one.len().max(two.len()))
            .find_map(|place| step_into(path, &place.to_string(), one.get(place), two.get(place))),
        (a, b) if a == b => None,
        differ => Some(differ),
    }
}

fn step_into<'v>(
    path: &mut String,
    step: &str,
    a: Option<&'v Value>,
    b: Option<&'v Value>,
) -> Option<Pair<'v>> {
    let length = path.len();
    path.push('/');
    path.push_str(step);
    let found = descend(path, a, b);
    if found.is_none() {
        path.truncate(length);
    }
    found
}

fn shown(value: &Value) -> String {
    crate::text::excerpt(&crate::text::clean(&value.to_string()), LONGEST).into_owned()
}

/// Moments with the first of each tick only.
struct Ticks<I: Iterator<Item = io::Result<Moment>>> {
    moments: Peekable<I>,
    last: Option<u64>,
}

impl<I: Iterator<Item = io::Result<Moment>>> Ticks<I> {
    fn new(moments: I) -> Self {
        Self { moments: moments.peekable(), last: None }
    }

    /// The tick of the next moment.
    fn peek(&mut self) -> io::Result<Option<u64>> {
        loop {
            match self.moments.peek() {
                Some(Ok(moment)) if self.last.is_some_and(|last| moment.tick <= last) => self.moments.next(),
                Some(Ok(moment)) => return Ok(Some(moment.tick)),
                Some(Err(_)) => return Err(self.moments.next().and_then(Result::err).unwrap_or_else(gone)),
                None => return Ok(None),
            };
        }
    }

    fn take(&mut self) -> io::Result<Option<Moment>> {
        let moment = self.moments.next().transpose()?;
        self.last = moment.as_ref().map(|moment| moment.tick).or(self.last);
        Ok(moment)
    }
}

fn gone() -> io::Error {
    io::Error::other("cannot be read")
}

/// What is gathered of one side.
#[derive(Default)]
struct Gathered {
    curves: Curves,
    ticks: Vec<u32>,
    side: Side,
}

impl Gathered {
    fn add(&mut self, moment: &Moment) {
        let nth = self.ticks.len();
        self.ticks.push(u32::try_from(moment.tick).unwrap_or(u32::MAX));
        self.side.ticks += 1;
        self.side.range = Some((self.side.range.map_or(moment.tick, |(first, _)| first), moment.tick));
        self.curves
            .score(nth, &moment.scores.iter().map(|(player, score)| (player.clone(), *score)).collect());
    }

    fn side(self) -> Side {
        let last = self.ticks.len().saturating_sub(1);
        let tick = |nth: usize| self.ticks.get(nth).map_or(0, |tick| u64::from(*tick));
        let chart =
            if self.ticks.is_empty() { Chart::default() } else { self.curves.chart(0, last, STEPS, tick) };
        Side { scores: self.curves.scores(), chart, ..self.side }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tape::moments::Played;

    fn raw(value: &Value) -> Box<RawValue> {
        RawValue::from_string(value.to_string()).unwrap()
    }

    fn moment(tick: u64, observation: &Value, action: &Value, score: f64) -> Moment {
        let played = Played { action: Some(raw(action)), latency_ms: None, driver: None };
        Moment {
            moment: 0,
            tick,
            t_ms: 0,
            observations: [("p0".to_owned(), raw(observation))].into(),
            actions: [("p0".to_owned(), played)].into(),
            scores: [("p0".to_owned(), score)].into(),
        }
    }

    #[test]
    fn the_first_difference_is_told_with_its_place_and_both_values() {
        let a = (1..9).map(|tick| Ok(moment(tick, &json!({"b": [1, {"x/y": tick}]}), &json!([]), 0.0)));
        let b = (1..12)
            .map(|tick| Ok(moment(tick, &json!({"b": [1, {"x/y": tick.min(4)}]}), &json!([tick / 6]), 1.0)));
        let compared = compare(a, b).unwrap();
        let expected =
            Difference { tick: 5, path: "/b/1/x~1y".into(), a: Some("5".into()), b: Some("4".into()) };
        assert_eq!(compared.observations["p0"], expected);
        let expected = Difference { tick: 1, path: "/0".into(), a: None, b: Some("0".into()) };
        assert_eq!(compared.actions["p0"], expected);
        assert_eq!((compared.first(), compared.common), (Some(1), 8));
        assert_eq!((compared.sides[0].ticks, compared.sides[1].range), (8, Some((1, 11))));
        assert_eq!(compared.sides[1].chart.curves[0].scores.len(), 11);
    }

    #[test]
    fn a_different_way_of_writing_the_same_and_missing_ticks_are_no_difference() {
        let a = [1, 2, 2, 4].map(|tick| Ok(moment(tick, &json!({"a": 1, "b": 2}), &json!(1), 0.0)));
        let b = [2, 3, 4, 4, 3].map(|tick| Ok(moment(tick, &json!({"b": 2, "a": 1}), &json!(1), 0.0)));
        let compared = compare(a.into_iter(), b.into_iter()).unwrap();
        assert_eq!((compared.first(), compared.common), (None, 2));
        let none = compare(std::iter::empty(), std::iter::empty()).unwrap();
        assert_eq!((none.first(), none.common), (None, 0));
    }
}
