//! Cursor pages: `limit` 1 to 100, opaque cursors, a stable order.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

use super::error::ArenaError;
use super::request::Fields;

/// What page is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// Rows at most.
    pub limit: usize,
    /// The key of the last row of the page before.
    pub after: Option<String>,
}

impl PageRequest {
    /// Takes `limit` and `cursor` out of a query.
    pub fn take(query: &mut Fields) -> Result<Self, ArenaError> {
        Self::take_up_to(query, 100)
    }

    /// The same with another largest page, which is also the default.
    pub fn take_up_to(query: &mut Fields, most: usize) -> Result<Self, ArenaError> {
        let limit = query.query_whole("limit", 1..=most as u64)?.map_or(most, |limit| limit as usize);
        let after = query.text("cursor")?.map(|cursor| decode(&cursor)).transpose()?;
        Ok(Self { limit, after })
    }

    /// The cursor as one or more whole numbers.
    pub fn after_numbers<const N: usize>(&self) -> Result<Option<[i64; N]>, ArenaError> {
        let Some(after) = &self.after else { return Ok(None) };
        let numbers: Option<Vec<i64>> = after.split('.').map(|part| part.parse().ok()).collect();
        numbers.and_then(|numbers| numbers.try_into().ok()).map(Some).ok_or_else(refuse)
    }
}

/// A page as it goes out: `{"<collection>":[…],"next_cursor":"…"}`. `rows` may hold one more than the limit,
/// which tells that there is a next page.
pub fn page<T>(
    collection: &str,
    request: &PageRequest,
    mut rows: Vec<T>,
    key: impl Fn(&T) -> String,
    json: impl Fn(T) -> Value,
) -> Value {
    let more = rows.len() > request.limit;
    rows.truncate(request.limit);
    let next = rows.last().filter(|_| more).map(|row| URL_SAFE_NO_PAD.encode(key(row)));
    let mut page = Map::new();
    page.insert(collection.to_owned(), rows.into_iter().map(json).collect());
    if let Some(next) = next {
        page.insert("next_cursor".to_owned(), Value::from(next));
    }
    Value::Object(page)
}

fn decode(cursor: &str) -> Result<String, ArenaError> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| refuse())?;
    String::from_utf8(bytes).map_err(|_| refuse())
}

fn refuse() -> ArenaError {
    ArenaError::invalid("cursor", "is not one that the arena gave out")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(total: usize, limit: usize) -> Vec<usize> {
        let (mut seen, mut cursor) = (Vec::new(), None::<String>);
        loop {
            let query =
                cursor.as_ref().map_or(format!("limit={limit}"), |c| format!("limit={limit}&cursor={c}"));
            let request = PageRequest::take(&mut Fields::from_query(Some(&query)).unwrap()).unwrap();
            let start = request.after_numbers::<1>().unwrap().map_or(0, |[last]| last as usize + 1);
            let rows: Vec<usize> = (start..total).take(request.limit + 1).collect();
            let page = page("rows", &request, rows, ToString::to_string, Value::from);
            seen.extend(page["rows"].as_array().unwrap().iter().map(|row| row.as_u64().unwrap() as usize));
            match page.get("next_cursor") {
                Some(next) => cursor = Some(next.as_str().unwrap().to_owned()),
                None => return seen,
            }
        }
    }

    #[test]
    fn pages_of_any_size_add_up_to_the_list() {
        for total in [0, 1, 2, 5, 100, 101] {
            for limit in [1, 2, 3, 100] {
                assert_eq!(walk(total, limit), (0..total).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn foreign_cursors_and_sizes_are_refused() {
        for query in ["limit=0", "limit=101", "cursor=!!"] {
            PageRequest::take(&mut Fields::from_query(Some(query)).unwrap()).unwrap_err();
        }
        let request = PageRequest { limit: 1, after: Some("1.x".to_owned()) };
        assert!(request.after_numbers::<2>().is_err());
    }
}
