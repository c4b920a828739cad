//! What is told of a session that was played: a JSON line, a short line, a table.

use serde::Serialize;
use serde_json::json;

use crate::cli::policy::table::{Column, draw, millis};
use crate::seat::{FailureKind, Played, SeatCounts, SeatEnd, SeatReport};
use crate::text;

/// The JSON line of a session.
pub(super) fn line(nth: u64, seed: Option<u64>, game: &str, played: &Played) -> String {
    #[derive(Serialize)]
    struct Seat<'a> {
        player_id: &'a str,
        policy: &'a str,
        end: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        why: Option<&'a str>,
        score: Option<f64>,
        rank: Option<u64>,
        outcome: Option<&'a str>,
        #[serde(flatten)]
        counts: &'a SeatCounts,
        recording: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        recording_fault: Option<&'a str>,
    }
    let ending = played.ending.as_ref();
    let seat = |seat: &'_ SeatReport| {
        let id = seat.player_id.as_str();
        let (end, why) = match &seat.end {
            SeatEnd::Over => ("over", None),
            SeatEnd::Stopped { left: true } => ("left", None),
            SeatEnd::Stopped { left: false } => ("not_left", None),
            SeatEnd::Lost(why) => ("lost", Some(why.as_str())),
        };
        // Plain values and string keys always serialise.
        serde_json::to_value(Seat {
            player_id: id,
            policy: &seat.player,
            end,
            why,
            score: ending.and_then(|ending| ending.scores.get(id).copied()),
            rank: ending.and_then(|ending| ending.ranks.get(id)).map(|rank| *rank as u64),
            outcome: ending.and_then(|ending| ending.outcomes.get(id)).map(String::as_str),
            counts: &seat.counts,
            recording: seat.recording.as_ref().map(|path| path.display().to_string()),
            recording_fault: seat.recording_fault.as_deref(),
        })
        .unwrap_or_default()
    };
    json!({
        "nth": nth,
        "session_id": played.session_id.as_str(),
        "game": game,
        "seed": seed,
        "status": ending.and_then(|ending| ending.status.clone()),
        "completion_reason": ending.and_then(|ending| ending.reason.clone()),
        "ticks": ending.and_then(|ending| ending.ticks),
        "credits_used": ending.and_then(|ending| ending.credits),
        "took_ms": played.took.as_millis() as u64,
        "seats": played.seats.iter().map(seat).collect::<Vec<_>>(),
    })
    .to_string()
}

/// A line for people.
pub(super) fn short(played: &Played) -> String {
    let ending = played.ending.as_ref();
    let seat = |seat: &SeatReport| {
        let id = &seat.player_id;
        let outcome = ending.and_then(|ending| ending.outcomes.get(id)).cloned().unwrap_or_default();
        let score = ending.and_then(|ending| ending.scores.get(id));
        let score = score.map(|score| format!(" {}", text::decimal(*score, 4))).unwrap_or_default();
        let failure = seat.counts.failures.first();
        let failure = failure.map(|failure| format!(" ({}: {})", failure.kind.words(), failure.why));
        format!("{id} {outcome}{score}{}", failure.unwrap_or_default())
    };
    let reason = ending.and_then(|ending| ending.reason.clone()).unwrap_or_else(|| "not over".into());
    let seats: Vec<String> = played.seats.iter().map(seat).collect();
    text::clean(&format!("{}  {reason}  {}", played.session_id, seats.join("; "))).into_owned()
}

/// All sessions, a row a seat.
pub(super) fn table(played: &[Played]) -> String {
    let columns = [
        Column::Text("SESSION"),
        Column::Text("SEAT"),
        Column::Text("POLICY"),
        Column::Text("OUTCOME"),
        Column::Number("SCORE"),
        Column::Number("RANK"),
        Column::Number("TICKS"),
        Column::Number("TURNS"),
        Column::Number("P50 MS"),
        Column::Number("P99 MS"),
        Column::Number("REFUSED"),
        Column::Number("LATE"),
        Column::Text("FAILED"),
    ];
    let mut rows = Vec::new();
    for session in played {
        rows.extend(session.seats.iter().map(|seat| row(session, seat)));
    }
    let mut out = draw(&columns, &rows);
    let mut all = SeatCounts::default();
    played.iter().flat_map(|session| &session.seats).for_each(|seat| all.add(&seat.counts));
    if played.len() > 1 {
        out.push_str(&format!(
            "{} sessions, {} turns, p50 {} ms, p99 {} ms\n",
            played.len(),
            all.turns,
            millis(all.latency_ms.percentile(0.5)),
            millis(all.latency_ms.percentile(0.99))
        ));
    }
    if all.input_tokens + all.output_tokens > 0 {
        out.push_str(&format!("{} tokens in, {} tokens out\n", all.input_tokens, all.output_tokens));
    }
    out
}

fn row(session: &Played, seat: &SeatReport) -> Vec<String> {
    let ending = session.ending.as_ref();
    let id = &seat.player_id;
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".into());
    let counts = &seat.counts;
    let outcome = ending.and_then(|ending| ending.outcomes.get(id)).cloned();
    let outcome = outcome.or_else(|| ending.and_then(|ending| ending.reason.clone()));
    let failures = counts.failures.iter().map(|failure| failure.kind.words()).collect::<Vec<_>>();
    vec![
        text::clean(session.session_id.as_str()).into_owned(),
        text::clean(id).into_owned(),
        text::excerpt(&seat.player, 24).into_owned(),
        text::clean(&or_dash(outcome)).into_owned(),
        or_dash(ending.and_then(|ending| ending.scores.get(id)).map(|score| text::decimal(*score, 4))),
        or_dash(ending.and_then(|ending| ending.ranks.get(id)).map(|rank| text::decimal(*rank, 1))),
        or_dash(ending.and_then(|ending| ending.ticks).map(|ticks| ticks.to_string())),
        counts.turns.to_string(),
        millis(counts.latency_ms.percentile(0.5)),
        millis(counts.latency_ms.percentile(0.99)),
        counts.refused.to_string(),
        counts.late.to_string(),
        failures.join(", "),
    ]
}

/// A command of one of our seats cannot be run at all.
pub(super) fn not_started(played: &Played) -> bool {
    let mut failures = played.seats.iter().flat_map(|seat| &seat.counts.failures);
    failures.any(|failure| failure.kind == FailureKind::NotStarted)
}
