//! Whether a model keeps what it reads; for tests.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads JSON as a model, writes it, and expects the same JSON, to the last digit of whole numbers.
pub(crate) fn keeps<T: DeserializeOwned + Serialize>(text: &str) {
    let model: T = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let written = serde_json::to_string(&model).expect("JSON");
    let value = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    assert!(same(&value(text), &value(&written)), "{text}\nbecame\n{written}");
    let digits = |text: &str| text.split(|c: char| !c.is_ascii_digit()).map(str::len).max();
    assert_eq!(digits(text), digits(&written), "{written}");
}

/// Equal as JSON, where `2` and `2.0` are one number.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        (Value::Number(a), Value::Number(b)) => {
            a == b || a.as_f64() == b.as_f64() && (a.is_f64() || b.is_f64())
        }
        _ => a == b,
    }
}
