//! Where two recordings differ.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::tape::compare::{self, Comparison, Difference, Side};

use super::words::{scores, word};
use super::{Done, Failed, print};

/// Prints where they differ.
pub(super) fn run(a: &Path, b: &Path, as_json: bool) -> Done {
    let compared = compare::files(a, b).map_err(|why| Failed::Local(why.to_string()))?;
    if as_json { print(&format!("{}\n", document(&compared))) } else { print(&words(&compared)) }
}

fn words(compared: &Comparison) -> String {
    // Writing to a string cannot fail.
    let mut words = String::new();
    for (name, side) in ["a", "b"].iter().zip(&compared.sides) {
        let ticks =
            side.range.map_or_else(|| "no ticks".into(), |(first, last)| format!("ticks {first} to {last}"));
        let (file, session) = (word(&side.file.display().to_string(), 300), word(&side.session_id, 40));
        _ = write!(words, "{name}  {file}\n   session {session}, {ticks}, scores {}\n", scores(&side.scores));
    }
    _ = write!(words, "\n{} ticks are in both\n", compared.common);
    for (what, differences) in [("saw", &compared.observations), ("did", &compared.actions)] {
        if differences.is_empty() && compared.common > 0 {
            _ = write!(words, "\nno seat {what} anything else\n");
        }
        for (seat, difference) in differences {
            words.push_str(&difference_words(&word(seat, 24), what, difference));
        }
    }
    words.push_str(&curves(&compared.sides));
    words
}

fn difference_words(seat: &str, what: &str, difference: &Difference) -> String {
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".into());
    let place = if difference.path.is_empty() { "as a whole".into() } else { word(&difference.path, 200) };
    format!(
        "\n{seat} first {what} something else at tick {}: {place}\n  a  {}\n  b  {}\n",
        difference.tick,
        value(&difference.a),
        value(&difference.b)
    )
}

/// A few points of each score curve.
fn curves(sides: &[Side; 2]) -> String {
    const POINTS: usize = 9;
    let mut words = String::new();
    for (name, side) in ["a", "b"].iter().zip(sides) {
        for curve in &side.chart.curves {
            let count = curve.scores.len();
            let places = (0..POINTS.min(count)).map(|nth| nth * (count - 1) / (POINTS.min(count) - 1).max(1));
            let point = |place: usize| {
                let span = curve.scores[place]?;
                Some(format!("{}:{}", side.chart.ticks[place], crate::text::decimal(span.last, 2)))
            };
            let points: Vec<String> = places.filter_map(point).collect();
            _ = writeln!(words, "{name} {}  {}", word(&curve.player, 12), points.join("  "));
        }
    }
    if words.is_empty() { words } else { format!("\nscores (tick:score)\n{words}") }
}

fn document(compared: &Comparison) -> Value {
    let differences = |of: &BTreeMap<String, Difference>| json!(of);
    let side = |side: &Side| {
        let curves: BTreeMap<&str, Vec<Option<f64>>> = side
            .chart
            .curves
            .iter()
            .map(|curve| {
                (curve.player.as_str(), curve.scores.iter().map(|span| span.map(|span| span.last)).collect())
            })
            .collect();
        json!({"file": side.file, "session_id": side.session_id, "ticks": side.ticks, "range": side.range,
            "scores": side.scores, "curve_ticks": side.chart.ticks, "curves": curves})
    };
    json!({
        "first": compared.first(), "common": compared.common,
        "observations": differences(&compared.observations), "actions": differences(&compared.actions),
        "a": side(&compared.sides[0]), "b": side(&compared.sides[1]),
    })
}
