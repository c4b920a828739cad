//! What is said of each seat of an episode.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Seat;
use crate::api::request::{Arg, FieldValue, Kind};

/// One value a seat, in the server's order. A seat that is named without a value is kept, too.
#[derive(Clone, PartialEq)]
pub struct BySeat<T>(Vec<(Seat, Option<T>)>);

impl<T> BySeat<T> {
    /// The value of a seat.
    pub fn get(&self, seat: &Seat) -> Option<&T> {
        self.entry(seat)?.as_ref()
    }

    /// What is said of a seat: `None` if it is not named, `Some(&None)` if it is named without a value.
    pub fn entry(&self, seat: &Seat) -> Option<&Option<T>> {
        self.0.iter().find(|(known, _)| known == seat).map(|(_, value)| value)
    }

    /// Sets the value of a seat.
    pub fn insert(&mut self, seat: Seat, value: T) {
        self.put(seat, Some(value));
    }

    /// The seats with their values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Seat, Option<&T>)> {
        self.0.iter().map(|(seat, value)| (seat, value.as_ref()))
    }

    /// True when no seat is named.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many seats are named.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    fn put(&mut self, seat: Seat, value: Option<T>) {
        match self.0.iter_mut().find(|(known, _)| *known == seat) {
            Some((_, old)) => *old = value,
            None => self.0.push((seat, value)),
        }
    }
}

impl<T> Default for BySeat<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: fmt::Debug> fmt::Debug for BySeat<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.iter().map(|(seat, value)| (seat.as_str(), value))).finish()
    }
}

impl<T> FromIterator<(Seat, T)> for BySeat<T> {
    fn from_iter<I: IntoIterator<Item = (Seat, T)>>(values: I) -> Self {
        let mut map = Self::default();
        map.extend(values);
        map
    }
}

impl<T, const N: usize> From<[(&str, T); N]> for BySeat<T> {
    fn from(values: [(&str, T); N]) -> Self {
        values.into_iter().map(|(seat, value)| (seat.into(), value)).collect()
    }
}

impl<T> Extend<(Seat, T)> for BySeat<T> {
    fn extend<I: IntoIterator<Item = (Seat, T)>>(&mut self, values: I) {
        values.into_iter().for_each(|(seat, value)| self.insert(seat, value));
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for BySeat<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Read<T> {
            type Value = BySeat<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with a member for each seat")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<BySeat<T>, A::Error> {
                let mut values = BySeat::default();
                while let Some((seat, value)) = map.next_entry::<String, Option<T>>()? {
                    values.put(seat.into(), value);
                }
                Ok(values)
            }
        }
        deserializer.deserialize_map(Read(PhantomData))
    }
}

impl<T: Serialize> Serialize for BySeat<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(seat, value)| (seat, value)))
    }
}

impl<T: Serialize + DeserializeOwned> FieldValue for BySeat<T> {
    const KIND: Kind = Kind::Json;
}

impl<T> Arg<Self> for BySeat<T> {
    fn arg(self) -> Self {
        self
    }
}

impl<T, const N: usize> Arg<BySeat<T>> for [(&str, T); N] {
    fn arg(self) -> BySeat<T> {
        self.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::model::Json;

    #[test]
    fn values_by_seat_keep_order_digits_and_silence() {
        let text = r#"{"p2":1.50,"p0":null,"p10":123456789012345678901}"#;
        let map: BySeat<Json> = serde_json::from_str(text).expect("a map");
        assert_eq!(serde_json::to_string(&map).expect("JSON"), text);
        assert_eq!((map.len(), map.get(&"p2".into()).map(Json::get)), (3, Some("1.50")));
        assert_eq!((map.get(&"p0".into()), map.entry(&"p0".into())), (None, Some(&None)));
        assert_eq!(map.entry(&"p1".into()), None);
        assert!(serde_json::from_str::<BySeat<f64>>(r#"{"p0":"many"}"#).is_err());
        assert!(serde_json::from_str::<BySeat<f64>>("[1]").is_err());
    }
}
