//! `market_prediction`: say what a share of the arena's own market pays in the end, from its marks and its news.

use serde_json::{Value, json};

use super::answer::{self, Fuel, Refusal};
use super::level::Level;
use super::prompt::{ONE_ACTION, POINTS, Section, UNREADABLE};
use super::{Instance, Kind, Score, Variant, VariantSpec};
use crate::arena::engine::Rules;
use crate::arena::engine::events::NoEvents;
use crate::arena::engine::rng::Pcg;
use crate::arena::engine::seats::{Seat, SeatMap};
use crate::arena::games::market_simulator::bots::filter::{Filter, Model};
use crate::arena::games::market_simulator::bots::is_lively;
use crate::arena::games::market_simulator::observe::View;
use crate::arena::games::market_simulator::{Config, MarketSimulator, STOCKS, State};

/// The variant.
pub(super) struct MarketPrediction;

static SPEC: VariantSpec = VariantSpec {
    name: "market_prediction",
    kind: Kind::Prediction,
    weight: 1.0,
    version: 1,
    title: "Market prediction",
    is_exact: false,
    rules: &[
        Section {
            title: "Problem",
            sentences: &[
                [
                    "`marks` are the prices that a house quoted for a share, one a tick, the last one being now.",
                    "A house quoted the prices in `marks` for a share, one every tick, and the last is the present one.",
                    "In `marks` you find what a house quoted for a share from tick to tick up to now.",
                ],
                [
                    "The share has a hidden value that changes by small steps, now and then by a jump, and perhaps with a drift.",
                    "Behind it is a hidden value which moves a little every tick, jumps now and then and may drift.",
                    "What it is really worth is hidden, and moves: by small steps, by a rare jump, perhaps by a drift.",
                ],
                [
                    "Prices follow that value, either slowly and smoothly, or at once but wandering about it.",
                    "A price either runs after the value slowly and smoothly, or sits on it at once but wanders.",
                    "Either prices close in on the value slowly and smoothly, or they are there at once and wander about it.",
                ],
                [
                    "Each entry of `news` has a `tick` and an `estimate` of the value at that time, which is off by about 0.25.",
                    "The entries of `news` say with `estimate` what the value was at `tick`, give or take 0.25.",
                    "By `news` you learn an `estimate` of the value at a `tick`, typically 0.25 away from it.",
                ],
                [
                    "Say what the value will be after `ahead` more ticks.",
                    "Predict the value `ahead` ticks from now.",
                    "Give the value that is reached in `ahead` further ticks.",
                ],
            ],
        },
        Section {
            title: "Answer",
            sentences: &[
                ONE_ACTION,
                [
                    "Its form is `{\"action\":\"predict\",\"value\":101.25}`.",
                    "Send `{\"action\":\"predict\",\"value\":101.25}`, with your number.",
                    "It looks like `{\"action\":\"predict\",\"value\":101.25}`.",
                ],
            ],
        },
        Section {
            title: "Scoring",
            sentences: &[
                POINTS,
                [
                    "They are the share by which your error is smaller than that of the last price.",
                    "What counts is how much nearer you come than the last price does, as a share.",
                    "Your error is compared with that of the last price, and the share that you save counts.",
                ],
                UNREADABLE,
            ],
        },
    ],
};

/// Ticks that are shown.
const SHOWN: u32 = 200;
/// The least error of the last price, in cents: below it a forecast could gain nothing but luck.
const LEAST_ERROR: i64 = 50;

struct Market {
    /// In cents.
    marks: Vec<i64>,
    /// Ticks and estimates in cents.
    news: Vec<(u32, i64)>,
    ahead: u32,
    settlement: i64,
    /// What the filter that knows the constants of the market says, in cents.
    filtered: f64,
}

impl Variant for MarketPrediction {
    fn spec(&self) -> &'static VariantSpec {
        &SPEC
    }

    fn draw(&self, seed: u64, level: Level) -> Box<dyn Instance> {
        let mut rng = Pcg::new(seed);
        loop {
            let market = market(&mut rng, level);
            if (market.settlement - market.last()).abs() >= LEAST_ERROR {
                return Box::new(market);
            }
        }
    }
}

fn view(state: &State) -> View<'_> {
    MarketSimulator::view(state, Seat::new(0))
}

/// One stock of a match in which nobody trades but the house and the crowd.
fn market(rng: &mut Pcg, level: Level) -> Market {
    // The two stocks take turns in the news.
    const NEWS: u32 = 20;
    let shown = (SHOWN * u32::from(level.percent) / 100).max(NEWS);
    let ahead = level.between(20, 100) as u32;
    let (seed, stock) = (rng.next_u64(), rng.below(STOCKS as u64) as usize);
    let mut state = MarketSimulator::init(&Config {}, 2, shown + ahead, seed).expect("two seats are allowed");
    let mut filters = [Filter::new(&Model::SLUGGISH), Filter::new(&Model::JITTERY)];
    let (mut marks, mut news, mut filtered) = (vec![view(&state).mark(stock)], Vec::new(), 0.0);
    for tick in 1..=shown + ahead {
        MarketSimulator::apply(&mut state, &SeatMap::default(), &mut NoEvents);
        if tick <= shown {
            let view = view(&state);
            marks.push(view.mark(stock));
            let new = view.news().iter().filter(|news| news.tick == tick && news.stock == stock);
            news.extend(new.map(|news| (tick, news.estimate)));
            for filter in &mut filters {
                filter.look(&view, stock);
            }
        }
        if tick == shown {
            // Which of the two it is can be seen by how lively the marks are.
            filtered = filters[usize::from(is_lively(&view(&state), stock) == Some(true))].ahead(ahead);
        }
    }
    let settlement = view(&state).settlement().map_or(0, |settlement| settlement[stock]);
    Market { marks, news, ahead, settlement, filtered }
}

fn units(cents: i64) -> f64 {
    cents as f64 / 100.0
}

impl Market {
    fn last(&self) -> i64 {
        self.marks.last().copied().unwrap_or_default()
    }

    fn error(&self, cents: f64) -> f64 {
        (cents - self.settlement as f64).abs()
    }

    fn answer(cents: f64) -> Value {
        json!({ "action": "predict", "value": cents.round() / 100.0 })
    }
}

impl Instance for Market {
    fn observation(&self) -> Value {
        let news =
            self.news.iter().map(|(tick, estimate)| json!({ "estimate": units(*estimate), "tick": tick }));
        let marks = self.marks.iter().map(|mark| units(*mark));
        json!({ "ahead": self.ahead, "marks": marks.collect::<Vec<_>>(), "news": news.collect::<Vec<_>>() })
    }

    fn score(&self, action: &Value, _: &mut Fuel) -> Result<Score, Refusal> {
        let value = answer::members(action, "predict")?.get("value").and_then(Value::as_f64);
        let value = value.ok_or_else(|| Refusal::answer("`value` must be a number"))?;
        let (error, naive) = (self.error(value * 100.0), self.error(self.last() as f64));
        // Half a cent for the rounding of what the filter would have said.
        Ok(Score::share(naive - error, naive, error <= self.error(self.filtered) + 0.5))
    }

    fn reference(&self) -> Value {
        Self::answer(self.filtered)
    }

    fn naive(&self) -> Value {
        Self::answer(self.last() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_what_is_saved_of_the_last_prices_error() {
        // arena.md §10.2.
        let market =
            Market { marks: vec![10_000], news: vec![], ahead: 20, settlement: 10_100, filtered: 10_040.0 };
        let score =
            |value| market.score(&json!({ "action": "predict", "value": value }), &mut Fuel::default());
        assert_eq!(score(json!(101)), Ok(Score { points: 1.0, solved: true }));
        assert_eq!(score(json!(100.5)), Ok(Score { points: 0.5, solved: true }));
        assert_eq!(score(json!(100.25)), Ok(Score { points: 0.25, solved: false }));
        for value in [json!(100), json!(99), json!(1e300), json!(-1e300)] {
            assert_eq!(score(value), Ok(Score { points: 0.0, solved: false }));
        }
        for wrong in [json!("101"), json!(null), json!([101])] {
            assert!(matches!(score(wrong), Err(Refusal::Answer(_))));
        }
    }

    #[test]
    fn a_filter_with_the_markets_constants_gains_on_the_last_price() {
        let mean = (0..60)
            .map(|seed| {
                let market =
                    MarketPrediction.draw(seed, Level::new(crate::arena::tasks::Difficulty::DEFAULT));
                market.score(&market.reference(), &mut Fuel::default()).unwrap().points
            })
            .sum::<f64>()
            / 60.0;
        assert!(mean > 0.2, "{mean}");
    }
}
