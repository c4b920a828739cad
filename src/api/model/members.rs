//! The tolerant reader behind the models: the members of an object, each taken once, the rest kept as it came.

use std::fmt;

use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor};
use serde::ser::{Error as _, SerializeMap};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

/// JSON kept as the text it came as, so that its numbers keep their digits.
#[derive(Clone)]
pub struct Json(Box<RawValue>);

impl Json {
    /// Takes text that is JSON.
    ///
    /// # Errors
    /// When it is not.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text).map(Self)
    }

    /// The text.
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// Reads it as a type.
    ///
    /// # Errors
    /// When it has another shape.
    pub fn decode<'a, T: Deserialize<'a>>(&'a self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.get())
    }

    /// The raw value, for a request.
    pub fn into_raw(self) -> Box<RawValue> {
        self.0
    }
}

impl Default for Json {
    fn default() -> Self {
        Self(RawValue::NULL.to_owned())
    }
}

impl From<Box<RawValue>> for Json {
    fn from(raw: Box<RawValue>) -> Self {
        Self(raw)
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self)
    }
}

/// The members of an object that a model does not read, or could not, in their order. `Debug` prints their names
/// only: any of them may hold a token.
#[derive(Clone, Default, PartialEq)]
pub struct Extra(Vec<(String, Json)>);

impl Extra {
    /// A member by its name.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// A member read as a type; `None` if it is missing or has another shape.
    pub fn decode<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        self.get(name)?.decode().ok()
    }

    /// All members.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sets a member.
    pub fn insert(&mut self, name: &str, value: Json) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    /// Takes a member out.
    pub fn remove(&mut self, name: &str) -> Option<Json> {
        let index = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(index).1)
    }
}

impl fmt::Debug for Extra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|(name, _)| name)).finish()
    }
}

/// An answer that nobody reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ignored;

impl<'de> Deserialize<'de> for Ignored {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self)
    }
}

/// The members of an object that were not taken yet.
pub(super) struct Members(Vec<(String, Json)>);

impl Members {
    /// Takes a member: its default when it is missing or null, and also when it has another shape, in which case it
    /// stays among the rest.
    pub(super) fn take<T: DeserializeOwned + Default>(&mut self, names: &[&str]) -> T {
        for name in names {
            let Some(index) = self.0.iter().position(|(known, _)| known == name) else { continue };
            let json = &self.0[index].1;
            let value = if json.get() == "null" { Some(T::default()) } else { json.decode().ok() };
            if let Some(value) = value {
                self.0.remove(index);
                return value;
            }
        }
        T::default()
    }

    pub(super) fn rest(self) -> Extra {
        Extra(self.0)
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

/// Writes a member unless it is null.
pub(super) fn put<M: SerializeMap>(map: &mut M, name: &str, value: &impl Serialize) -> Result<(), M::Error> {
    let raw = to_raw_value(value).map_err(M::Error::custom)?;
    if raw.get() == "null" { Ok(()) } else { map.serialize_entry(name, &raw) }
}

pub(super) fn put_all<M: SerializeMap>(map: &mut M, extra: &Extra) -> Result<(), M::Error> {
    extra.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))
}

/// Defines a model: a struct whose members have defaults, with what is unknown in `extra`. `or "name"` gives a
/// second name that the wire may use.
macro_rules! model {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $( $(#[$field_meta:meta])* pub $field:ident: $type:ty $(= or $($alias:literal),+)? ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Default)]
        $vis struct $name {
            $( $(#[$field_meta])* pub $field: $type, )*
            /// What else came.
            pub extra: $crate::api::model::Extra,
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let mut members = $crate::api::model::members::Members::deserialize(deserializer)?;
                Ok(Self {
                    $( $field: members.take(&[stringify!($field) $(, $($alias),+)?]), )*
                    extra: members.rest(),
                })
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap as _;
                let mut map = serializer.serialize_map(None)?;
                $( $crate::api::model::members::put(&mut map, stringify!($field), &self.$field)?; )*
                $crate::api::model::members::put_all(&mut map, &self.extra)?;
                map.end()
            }
        }
    };
}
pub(super) use model;

#[cfg(test)]
mod tests {
    use super::*;

    model! {
        /// A test's model.
        struct Thing {
            /// A text.
            pub name: String,
            /// A number.
            pub size: Option<u64> = or "bytes",
            /// A list.
            pub tags: Vec<String>,
        }
    }

    fn read(text: &str) -> Thing {
        serde_json::from_str(text).expect("an object")
    }

    #[test]
    fn null_and_missing_are_defaults_and_extras_stay_as_they_came() {
        // H-07, H-09.
        let thing = read(r#"{"tags":null,"id":12345678901234567890123,"name":"a","rate":1.10}"#);
        assert_eq!((thing.name.as_str(), thing.size, thing.tags.len()), ("a", None, 0));
        assert_eq!(thing.extra.get("id").map(Json::get), Some("12345678901234567890123"));
        let written = serde_json::to_string(&thing).expect("JSON");
        assert_eq!(written, r#"{"name":"a","tags":[],"id":12345678901234567890123,"rate":1.10}"#);
        assert_eq!(read(&written), thing);
    }

    #[test]
    fn a_member_of_another_shape_is_kept_raw_and_the_rest_is_read() {
        let thing = read(r#"{"name":"a","size":"many","tags":{"x":1}}"#);
        assert_eq!((thing.size, thing.name.as_str()), (None, "a"));
        assert_eq!(thing.extra.decode::<String>("size").as_deref(), Some("many"));
        assert!(thing.extra.get("tags").is_some());
        assert_eq!(read(r#"{"bytes":3}"#).size, Some(3));
    }

    #[test]
    fn only_an_object_is_a_model() {
        for text in ["[]", "[1]", "1", "\"a\"", "true"] {
            assert!(serde_json::from_str::<Thing>(text).is_err(), "{text}");
        }
        assert_eq!(
            serde_json::from_value::<Thing>(serde_json::json!({"name":"b"})).expect("a thing").name,
            "b"
        );
    }
}
