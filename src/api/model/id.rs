//! Identifiers, each its own type, and the token that acts for a seat.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::api::request::{Arg, FieldValue, Kind};

/// Reads a string, or a whole number as its digits: some servers number their things.
struct Text;

impl serde::de::Visitor<'_> for Text {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an identifier")
    }

    fn visit_str<E>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_u64<E>(self, number: u64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_i64<E>(self, number: i64) -> Result<String, E> {
        Ok(number.to_string())
    }
}

macro_rules! text_type {
    ($(#[$meta:meta])* $name:ident = $kind:ident) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(String);

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(Text).map(Self)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl FieldValue for $name {
            const KIND: Kind = Kind::$kind;
        }

        impl Arg<$name> for $name {
            fn arg(self) -> $name {
                self
            }
        }

        impl Arg<$name> for &$name {
            fn arg(self) -> $name {
                self.clone()
            }
        }

        impl Arg<$name> for &str {
            fn arg(self) -> $name {
                self.into()
            }
        }
    };
}

macro_rules! id {
    ($(#[$meta:meta])* $name:ident) => {
        text_type! { $(#[$meta])* $name = Text }

        impl $name {
            /// The identifier as it is on the wire.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// True when the server gave none.
            pub fn is_empty(&self) -> bool {
                self.0.is_empty()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({:?})", stringify!($name), self.0)
            }
        }
    };
}

id! {
    /// A play session.
    SessionId
}
id! {
    /// A game of the catalogue.
    GameSlug
}
id! {
    /// A job: a build, an evaluation, a generation or an export.
    JobId
}
id! {
    /// A submission: the code of a player.
    SubmissionId
}
id! {
    /// A provider: a model endpoint that the organisation registered.
    ProviderId
}
id! {
    /// A rollout run: a lease for many episodes.
    RunId
}
id! {
    /// An episode of a rollout run.
    EpisodeId
}
id! {
    /// A seat of an episode, `p0` to `p{N-1}`.
    Seat
}
id! {
    /// A task that was drawn.
    TaskId
}
id! {
    /// A seat in a session. Rollouts and play name seats differently; never convert one into the other.
    PlayerId
}

text_type! {
    /// Acts for one seat. `Debug` prints `***`; there is no `Display`.
    PlayerToken = Secret
}

impl PlayerToken {
    /// The token itself: for a header or a first socket message, never for a text that is shown.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// True when the server gave none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for PlayerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_keeps_its_digits() {
        let id: SessionId = serde_json::from_str("9007199254740993").expect("an id");
        assert_eq!(id.as_str(), "9007199254740993");
        assert!(serde_json::from_str::<SessionId>("1.5").is_err());
        assert!(serde_json::from_str::<SessionId>("[]").is_err());
    }

    #[test]
    fn a_token_is_not_printed() {
        assert_eq!(format!("{:?}", PlayerToken::from("pt_secret")), "***");
    }
}
