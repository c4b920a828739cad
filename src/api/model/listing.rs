//! A page of a list. One bad row does not spoil the others.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::{Extra, Json};
use crate::api::clean;

/// Rows, what was wrong with the others, and where the next page begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing<T> {
    /// The good rows.
    pub items: Vec<T>,
    /// The bad ones.
    pub bad: Vec<BadItem>,
    /// Where to go on; `None` on the last page.
    pub next_cursor: Option<String>,
}

/// A row that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadItem {
    /// Its place on the page, from 0.
    pub index: usize,
    /// What is wrong.
    pub why: String,
    /// How it begins, cleaned.
    pub excerpt: String,
}

impl<T> Default for Listing<T> {
    fn default() -> Self {
        Self { items: Vec::new(), bad: Vec::new(), next_cursor: None }
    }
}

impl<T: DeserializeOwned> Listing<T> {
    /// Reads `{"<collection>": […], "next_cursor": …}`. A null or missing collection is empty; a bare list is
    /// taken for the collection, and so is an only list under another name.
    ///
    /// # Errors
    /// When there is no list to be found where one should be.
    pub fn read(text: &str, collection: &str) -> Result<Self, String> {
        let page = Page::read(text, collection)?;
        let mut listing = Self { next_cursor: page.next_cursor, ..Self::default() };
        for (index, row) in page.rows.iter().enumerate() {
            match read_row(row, index) {
                Ok(item) => listing.items.push(item),
                Err(bad) => listing.bad.push(bad),
            }
        }
        Ok(listing)
    }
}

/// Where a list that comes whole is, if its object holds several.
const WHOLE: [&str; 2] = ["evaluations", "providers"];

/// A list that comes whole: bare, or as a list in an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows<T> {
    /// The good rows.
    pub items: Vec<T>,
    /// The bad ones.
    pub bad: Vec<BadItem>,
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Rows<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Json::deserialize(deserializer)?;
        let members = json.decode::<Extra>().unwrap_or_default();
        let name = WHOLE.into_iter().find(|name| members.get(name).is_some());
        let listing = Listing::read(json.get(), name.unwrap_or_default()).map_err(D::Error::custom)?;
        Ok(Self { items: listing.items, bad: listing.bad })
    }
}

impl<T: Serialize> Serialize for Rows<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.items.serialize(serializer)
    }
}

/// Reads one row.
pub(crate) fn read_row<T: DeserializeOwned>(row: &Json, index: usize) -> Result<T, BadItem> {
    row.decode().map_err(|error| BadItem {
        index,
        why: error.to_string(),
        excerpt: clean::line(row.get(), 120),
    })
}

/// The rows of a page, unread.
pub(crate) struct Page {
    pub(crate) rows: Vec<Json>,
    pub(crate) next_cursor: Option<String>,
}

impl Page {
    pub(crate) fn read(text: &str, collection: &str) -> Result<Self, String> {
        let wrong = |error: serde_json::Error| format!("the answer has an unexpected shape: {error}");
        if text.trim_start().starts_with('[') {
            return Ok(Self { rows: serde_json::from_str(text).map_err(wrong)?, next_cursor: None });
        }
        if text.trim() == "null" {
            return Ok(Self { rows: Vec::new(), next_cursor: None });
        }
        let members: Extra = serde_json::from_str(text).map_err(wrong)?;
        Ok(Self {
            rows: rows(&members, collection)?,
            next_cursor: members.get("next_cursor").and_then(cursor),
        })
    }
}

fn rows(members: &Extra, collection: &str) -> Result<Vec<Json>, String> {
    match members.get(collection) {
        Some(json) if json.get() == "null" => Ok(Vec::new()),
        Some(json) => json.decode().map_err(|error| format!("`{collection}` is not a list: {error}")),
        None => {
            let mut lists = members.iter().filter(|(_, json)| json.get().starts_with('['));
            match (lists.next(), lists.next()) {
                (Some((_, json)), None) => json.decode().map_err(|error| error.to_string()),
                _ => Ok(Vec::new()),
            }
        }
    }
}

/// Cursors are opaque, numbers included; an empty one is none.
fn cursor(json: &Json) -> Option<String> {
    let text = match json.decode::<Value>().ok()? {
        Value::String(text) => text,
        Value::Number(_) => json.get().to_owned(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::model::Game;

    fn games(text: &str) -> Listing<Game> {
        Listing::read(text, "games").expect("a list")
    }

    #[test]
    fn a_bad_row_is_reported_and_the_others_are_read() {
        // H-09.
        let listing =
            games(r#"{"games":[{"slug":"a"},"x\u001b[2J",null,{"slug":"b","tags":null}],"next_cursor":"c"}"#);
        assert_eq!(listing.items.iter().map(|game| game.slug.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(listing.bad.iter().map(|bad| bad.index).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(listing.next_cursor.as_deref(), Some("c"));
    }

    #[test]
    fn null_missing_and_bare_lists_are_lists() {
        assert_eq!(games(r#"{"games":null,"next_cursor":""}"#), Listing::default());
        assert_eq!(games("{}"), Listing::default());
        assert_eq!(games("null"), Listing::default());
        assert_eq!(games(r#"[{"slug":"a"}]"#).items.len(), 1);
        assert_eq!(games(r#"{"items":[{"slug":"a"}],"next_cursor":12345678901234567890123}"#).items.len(), 1);
        assert!(Listing::<Game>::read(r#"{"games":3}"#, "games").is_err());
        assert!(Listing::<Game>::read("3", "games").is_err());
    }

    #[test]
    fn a_whole_list_comes_bare_or_wrapped() {
        // H-09. Container shapes: protocol.md §2.7, §2.8.
        for text in [r#"[{"slug":"a"},5]"#, r#"{"evaluations":[{"slug":"a"},5],"count":2}"#] {
            let rows: Rows<Game> = serde_json::from_str(text).expect("a list");
            assert_eq!((rows.items[0].slug.as_str(), rows.bad[0].index), ("a", 1), "{text}");
        }
        assert!(serde_json::from_str::<Rows<Game>>("3").is_err());
    }
}
