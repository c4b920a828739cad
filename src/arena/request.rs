//! Strict reading of request bodies and queries: each field is taken by name and type, what is left over is
//! refused, and every refusal names its field.

use std::ops::RangeInclusive;

use axum::http::{HeaderMap, header};
use serde_json::{Map, Value};

use super::error::ArenaError;

/// The fields of a body or query that nobody has taken yet.
#[derive(Debug, Default)]
pub struct Fields(Map<String, Value>);

impl Fields {
    /// Reads a JSON object. No body at all is the empty object: calls without fields may send none.
    pub fn from_body(headers: &HeaderMap, body: &[u8]) -> Result<Self, ArenaError> {
        if body.is_empty() {
            return Ok(Self::default());
        }
        let kind =
            headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let essence = kind.split(';').next().unwrap_or_default().trim();
        // A page in a browser can post other types across origins without asking.
        if !essence.eq_ignore_ascii_case("application/json") {
            return Err(ArenaError::new(
                axum::http::StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "UNSUPPORTED_MEDIA_TYPE",
                "a body must have the content type `application/json`",
            ));
        }
        match serde_json::from_slice(body) {
            Ok(Value::Object(fields)) => Ok(Self(fields)),
            Ok(_) => Err(ArenaError::malformed("the body must be a JSON object")),
            Err(error) => Err(ArenaError::malformed(format!("the body is not JSON: {error}"))),
        }
    }

    /// Reads a query string. A repeated key becomes a list.
    pub fn from_query(query: Option<&str>) -> Result<Self, ArenaError> {
        let pairs: Vec<(String, String)> = match query {
            None | Some("") => Vec::new(),
            Some(query) => axum::extract::Query::try_from_uri(
                &format!("/?{query}").parse().map_err(|_| ArenaError::malformed("the query is malformed"))?,
            )
            .map(|axum::extract::Query(pairs)| pairs)
            .map_err(|_| ArenaError::malformed("the query is malformed"))?,
        };
        let mut fields = Map::new();
        for (key, value) in pairs {
            match fields.get_mut(&key) {
                None => _ = fields.insert(key, Value::from(value)),
                Some(Value::Array(list)) => list.push(Value::from(value)),
                Some(one) => *one = Value::Array(vec![one.take(), Value::from(value)]),
            }
        }
        Ok(Self(fields))
    }

    /// Reads an object within a body.
    pub fn from_object(object: Map<String, Value>) -> Self {
        Self(object)
    }

    /// Takes a field as it is; `null` counts as absent.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        self.0.shift_remove(name).filter(|value| !value.is_null())
    }

    /// Whether a field is there; `null` counts as absent.
    pub fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| !value.is_null())
    }

    /// Takes text.
    pub fn text(&mut self, name: &str) -> Result<Option<String>, ArenaError> {
        self.take(name)
            .map(|value| match value {
                Value::String(text) => Ok(text),
                _ => Err(ArenaError::invalid(name, "must be a string")),
            })
            .transpose()
    }

    /// Takes text that must be there and not be empty.
    pub fn required_text(&mut self, name: &str) -> Result<String, ArenaError> {
        match self.text(name)? {
            Some(text) if !text.trim().is_empty() => Ok(text),
            _ => Err(ArenaError::invalid(name, "is required and must not be empty")),
        }
    }

    /// Takes one of a few words.
    pub fn word(&mut self, name: &str, words: &[&'static str]) -> Result<Option<&'static str>, ArenaError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        match words.iter().find(|word| **word == text) {
            Some(word) => Ok(Some(word)),
            None => Err(ArenaError::invalid(name, format_args!("must be one of `{}`", words.join("`, `")))),
        }
    }

    /// Takes a whole number in a range.
    pub fn whole(&mut self, name: &str, range: RangeInclusive<u64>) -> Result<Option<u64>, ArenaError> {
        let refuse = || {
            let (low, high) = (range.start(), range.end());
            ArenaError::invalid(name, format_args!("must be a whole number from {low} to {high}"))
        };
        let Some(value) = self.take(name) else { return Ok(None) };
        let number = match &value {
            Value::Number(number) => number.as_u64(),
            _ => None,
        };
        number.filter(|number| range.contains(number)).map(Some).ok_or_else(refuse)
    }

    /// Takes a whole number that a query spells in decimals.
    pub fn query_whole(&mut self, name: &str, range: RangeInclusive<u64>) -> Result<Option<u64>, ArenaError> {
        if let Some(Value::String(text)) = self.0.get(name) {
            let parsed = text.parse::<u64>().map_or(Value::from(text.as_str()), Value::from);
            self.0.insert(name.to_owned(), parsed);
        }
        self.whole(name, range)
    }

    /// Takes `true` or `false`.
    pub fn flag(&mut self, name: &str) -> Result<Option<bool>, ArenaError> {
        self.take(name)
            .map(|value| match value {
                Value::Bool(flag) => Ok(flag),
                Value::String(word) if word == "true" => Ok(true),
                Value::String(word) if word == "false" => Ok(false),
                _ => Err(ArenaError::invalid(name, "must be `true` or `false`")),
            })
            .transpose()
    }

    /// Takes a list of strings; a query that names it once gives one string.
    pub fn texts(&mut self, name: &str) -> Result<Option<Vec<String>>, ArenaError> {
        let refuse = || ArenaError::invalid(name, "must be a list of strings");
        let items = match self.take(name) {
            None => return Ok(None),
            Some(Value::Array(items)) => items,
            Some(one @ Value::String(_)) => vec![one],
            Some(_) => return Err(refuse()),
        };
        items
            .into_iter()
            .map(|item| if let Value::String(text) = item { Ok(text) } else { Err(refuse()) })
            .collect::<Result<_, _>>()
            .map(Some)
    }

    /// Takes a number in a range.
    pub fn number(&mut self, name: &str, range: RangeInclusive<f64>) -> Result<Option<f64>, ArenaError> {
        let Some(value) = self.take(name) else { return Ok(None) };
        value.as_f64().filter(|number| range.contains(number)).map(Some).ok_or_else(|| {
            let (low, high) = (range.start(), range.end());
            ArenaError::invalid(name, format_args!("must be a number from {low} to {high}"))
        })
    }

    /// Takes a JSON object.
    pub fn object(&mut self, name: &str) -> Result<Option<Value>, ArenaError> {
        self.take(name)
            .map(|value| {
                if value.is_object() {
                    Ok(value)
                } else {
                    Err(ArenaError::invalid(name, "must be an object"))
                }
            })
            .transpose()
    }

    /// Ends the reading: whatever nobody took, for somebody else to read.
    pub fn into_rest(self) -> Map<String, Value> {
        self.0
    }

    /// Ends the reading: whatever nobody took is refused.
    pub fn finish(self) -> Result<(), ArenaError> {
        match self.0.keys().next() {
            None => Ok(()),
            Some(name) => Err(ArenaError::invalid(name, "is not a field of this request")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(json: &str) -> Fields {
        let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, "application/json".parse().unwrap())]);
        Fields::from_body(&headers, json.as_bytes()).unwrap()
    }

    fn message<T: std::fmt::Debug>(result: Result<T, ArenaError>) -> String {
        result.unwrap_err().message().to_owned()
    }

    #[test]
    fn refusals_name_the_field_and_the_range() {
        assert_eq!(
            message(fields(r#"{"seats":9}"#).whole("seats", 0..=8)),
            "`seats` must be a whole number from 0 to 8"
        );
        assert_eq!(
            message(fields(r#"{"seats":1.5}"#).whole("seats", 0..=8)).split('`').nth(1),
            Some("seats")
        );
        assert_eq!(
            message(fields(r#"{"seats":"2"}"#).whole("seats", 0..=8)).split('`').nth(1),
            Some("seats")
        );
        assert_eq!(message(fields(r#"{"vs_ai":1}"#).flag("vs_ai")), "`vs_ai` must be `true` or `false`");
        assert_eq!(message(fields(r#"{"ai":["x",1]}"#).texts("ai")), "`ai` must be a list of strings");
        assert_eq!(message(fields(r#"{"new":1}"#).finish()), "`new` is not a field of this request");
    }

    #[test]
    fn null_is_absent() {
        let mut fields = fields(r#"{"game":null}"#);
        assert_eq!(fields.text("game").unwrap(), None);
        fields.finish().unwrap();
    }

    #[test]
    fn a_query_repeats_keys_into_lists() {
        let mut fields = Fields::from_query(Some("tags=a&tags=b%20c&limit=7&active=true")).unwrap();
        assert_eq!(fields.texts("tags").unwrap().unwrap(), ["a", "b c"]);
        assert_eq!(fields.query_whole("limit", 1..=100).unwrap(), Some(7));
        assert_eq!(fields.flag("active").unwrap(), Some(true));
        fields.finish().unwrap();
        let mut bad = Fields::from_query(Some("limit=x")).unwrap();
        assert_eq!(
            message(bad.query_whole("limit", 1..=100)),
            "`limit` must be a whole number from 1 to 100"
        );
    }

    #[test]
    fn a_body_needs_its_type_and_no_body_is_an_empty_object() {
        Fields::from_body(&HeaderMap::new(), b"").unwrap().finish().unwrap();
        let plain = HeaderMap::from_iter([(header::CONTENT_TYPE, "text/plain".parse().unwrap())]);
        assert_eq!(Fields::from_body(&plain, b"{}").unwrap_err().code(), "UNSUPPORTED_MEDIA_TYPE");
    }
}
