//! Tasks: issuing them, scoring replies, prices.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::Answer;
use crate::arena::Arena;
use crate::arena::error::ArenaError;
use crate::arena::guard::Caller;
use crate::arena::reply::Reply;
use crate::arena::request::Fields;
use crate::arena::tasks::level::Difficulty;
use crate::arena::tasks::{Kind, VARIANTS, Variant, Wish, find};

/// The largest weight: more than enough to prefer one variant.
const MOST_WEIGHT: f64 = 1_000_000.0;
/// How long a prompt may be when nobody says, and the least that can be said, in bytes.
const PROMPT_BYTES: u64 = 1_048_576;
const LEAST_PROMPT_BYTES: u64 = 65_536;
/// Replies that are scored at once.
const MOST_REPLIES: usize = 64;

/// `POST /tasks`.
pub(super) async fn create(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    let mut fields = Fields::from_body(&headers, &body)?;
    let count = fields.whole("n", 1..=16)?.unwrap_or(1) as usize;
    let wish = Wish {
        difficulty: fields.number("difficulty", 0.0..=1.0)?.map_or(Difficulty::DEFAULT, Difficulty::nearest),
        weights: weights(&mut fields)?,
        randomize_prompt: fields.flag("randomize_prompt")?.unwrap_or(false),
        max_prompt_bytes: (fields.whole("max_prompt_bytes", LEAST_PROMPT_BYTES..=u64::MAX)?)
            .unwrap_or(PROMPT_BYTES)
            .try_into()
            .unwrap_or(usize::MAX),
    };
    fields.finish()?;
    let issued = arena.desk().issue(&account_id, wish, count, Timestamp::now()).await?;
    Ok(Reply(StatusCode::CREATED, issued))
}

/// `POST /tasks/score`.
pub(super) async fn score(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    let mut fields = Fields::from_body(&headers, &body)?;
    let task_id = fields.required_text("task_id")?;
    let Some(Value::Array(replies)) = fields.take("responses") else {
        return Err(ArenaError::invalid("responses", "must be a list of strings"));
    };
    fields.finish()?;
    if !(1..=MOST_REPLIES).contains(&replies.len()) {
        let problem = format!("has {} replies: from 1 to {MOST_REPLIES} are scored at once", replies.len());
        return Err(ArenaError::invalid("responses", problem));
    }
    let text = |reply| match reply {
        Value::String(text) => Ok(text),
        _ => Err(ArenaError::invalid("responses", "must be a list of strings")),
    };
    let replies = replies.into_iter().map(text).collect::<Result<_, _>>()?;
    Ok(Reply::ok(arena.desk().score(&account_id, task_id, replies, Timestamp::now()).await?))
}

/// `GET /tasks/info`.
pub(super) async fn info(RawQuery(query): RawQuery) -> Answer {
    let mut query = Fields::from_query(query.as_deref())?;
    let difficulty = match query.text("difficulty")? {
        None => Difficulty::DEFAULT,
        Some(text) => {
            let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
            let problem = || ArenaError::invalid("difficulty", "must be a number from 0 to 1");
            Difficulty::nearest(number.ok_or_else(problem)?)
        }
    };
    query.finish()?;
    let variants = VARIANTS.iter().map(|variant| {
        let spec = variant.spec();
        json!({
            "name": spec.name,
            "kind": spec.kind.as_str(),
            "weight": spec.weight,
            "generate_price": difficulty.generate_price(),
            "score_price": difficulty.score_price(),
        })
    });
    Ok(Reply::ok(json!({ "variants": variants.collect::<Vec<_>>(), "difficulty": difficulty })))
}

/// The variants that are drawn from: those named, of the kinds named, with the weights given.
fn weights(fields: &mut Fields) -> Result<Vec<(&'static dyn Variant, f32)>, ArenaError> {
    let (names, kinds) = (fields.texts("variants")?, fields.texts("kinds")?);
    let given = fields.object("weights")?;
    for name in names.iter().flatten() {
        known("variants", name)?;
    }
    if let Some(kind) = kinds.iter().flatten().find(|kind| !Kind::WORDS.contains(&kind.as_str())) {
        let problem = format!("names `{kind}`: there are `{}`", Kind::WORDS.join("`, `"));
        return Err(ArenaError::invalid("kinds", problem));
    }
    let given = given.as_ref().and_then(Value::as_object);
    for (name, weight) in given.into_iter().flatten() {
        known("weights", name)?;
        if !weight.as_f64().is_some_and(|weight| (0.0..=MOST_WEIGHT).contains(&weight)) {
            let problem = format!("must be numbers from 0 to {MOST_WEIGHT}: look at `{name}`");
            return Err(ArenaError::invalid("weights", problem));
        }
    }
    let is_wanted = |variant: &dyn Variant| {
        let spec = variant.spec();
        let is_named = |list: &Option<Vec<String>>, word: &str| {
            list.as_ref().is_none_or(|list| list.iter().any(|named| named == word))
        };
        is_named(&names, spec.name) && is_named(&kinds, spec.kind.as_str())
    };
    let weight = |variant: &'static dyn Variant| {
        let given = given.and_then(|given| given.get(variant.spec().name)?.as_f64());
        (variant, given.map_or(variant.spec().weight, |weight| weight as f32))
    };
    let left: Vec<_> = VARIANTS.iter().copied().filter(|variant| is_wanted(*variant)).map(weight).collect();
    if !left.iter().any(|(_, weight)| *weight > 0.0) {
        let problem =
            "leave nothing to draw from: name more `variants` or `kinds`, or give one a weight above 0";
        return Err(ArenaError::malformed(format!("`variants`, `kinds` and `weights` {problem}")));
    }
    Ok(left)
}

fn known(field: &str, name: &str) -> Result<(), ArenaError> {
    if find(name).is_some() {
        return Ok(());
    }
    let names: Vec<&str> = VARIANTS.iter().map(|variant| variant.spec().name).collect();
    let name: String = name.chars().take(40).collect();
    Err(ArenaError::invalid(field, format!("names `{name}`: there are `{}`", names.join("`, `"))))
}
