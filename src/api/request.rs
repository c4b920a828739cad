//! Typed requests made from a list of their fields.
//!
//! The list is data, too ([`Request::FIELDS`]): the command line makes its flags from it, so that whatever the
//! library can ask for can be asked for from a shell, under the same names and with the same words.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Call;
use super::model::{Extra, Json};

/// A request that knows its fields.
pub trait Request: Sized {
    /// What the request does: the words of its documentation.
    const ABOUT: &'static str;
    /// Its fields in their order.
    const FIELDS: &'static [Field];

    /// Makes a request from the values of its fields; what is no field of it is sent as it is.
    ///
    /// # Errors
    /// When a required field is missing or a value has the wrong type; says which.
    fn from_members(members: Extra) -> Result<Self, String>;

    /// Adds all members that are not part of the path to a call.
    fn put(&self, call: Call) -> Call;
}

/// A field of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Its name on the wire.
    pub name: &'static str,
    /// What it means: the words of its documentation.
    pub about: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// Where it goes and whether it must be there.
    pub place: Place,
}

/// Where a field goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Into the path or a header: always needed.
    Path,
    /// Into the body or the query, always.
    Required,
    /// Into the body or the query, if it is set.
    Optional,
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// Text that acts for a seat and must not be shown.
    Secret,
    /// A whole number from 0.
    Integer,
    /// A number.
    Number,
    /// `true` or `false`.
    Bool,
    /// Texts.
    Texts,
    /// Any JSON.
    Json,
    /// A list of any JSON.
    Jsons,
}

/// A type that a field may have.
pub trait FieldValue: Serialize + DeserializeOwned {
    /// What it holds.
    const KIND: Kind;

    /// Why it cannot be sent, if it cannot.
    fn fault(&self) -> Option<&'static str> {
        None
    }
}

macro_rules! values {
    ($($type:ty = $kind:ident),* $(,)?) => {$(
        impl FieldValue for $type {
            const KIND: Kind = Kind::$kind;
        }
        impl Arg<$type> for $type {
            fn arg(self) -> $type {
                self
            }
        }
    )*};
}

/// What may be given for a field of type `T`: the value itself, and text for text and identifiers.
pub trait Arg<T> {
    /// The value.
    fn arg(self) -> T;
}

values! {
    String = Text,
    bool = Bool,
    u32 = Integer,
    u64 = Integer,
    Vec<String> = Texts,
    Json = Json,
    Vec<Json> = Jsons,
}

impl FieldValue for f64 {
    const KIND: Kind = Kind::Number;

    fn fault(&self) -> Option<&'static str> {
        (!self.is_finite()).then_some("is not a finite number")
    }
}

impl Arg<f64> for f64 {
    fn arg(self) -> f64 {
        self
    }
}

impl Arg<String> for &str {
    fn arg(self) -> String {
        self.to_owned()
    }
}

impl Arg<Vec<String>> for &[&str] {
    fn arg(self) -> Vec<String> {
        self.iter().map(|&text| text.to_owned()).collect()
    }
}

impl<const N: usize> Arg<Vec<String>> for [&str; N] {
    fn arg(self) -> Vec<String> {
        self.as_slice().arg()
    }
}

/// Adds one member, unless its value cannot be sent.
pub(super) fn put<T: FieldValue>(mut call: Call, name: &'static str, value: &T) -> Call {
    match value.fault() {
        None => call.member(name, value),
        Some(why) => {
            call.fail(format!("`{name}` {why}"));
            call
        }
    }
}

/// Takes a field out of the members.
pub(super) fn take<T: FieldValue>(members: &mut Extra, name: &str) -> Result<Option<T>, String> {
    let Some(json) = members.remove(name).filter(|json| json.get() != "null") else { return Ok(None) };
    json.decode().map(Some).map_err(|error| format!("`{name}`: {error}"))
}

/// A required field.
pub(super) fn require<T: FieldValue>(members: &mut Extra, name: &str) -> Result<T, String> {
    take(members, name)?.ok_or_else(|| format!("`{name}` is needed"))
}

/// Makes a request type: its fields, a constructor with what is needed, a setter for each option, `param` for what
/// this version does not know, and [`Request`].
macro_rules! request {
    (
        #[doc = $about:literal] $(#[doc = $more:literal])*
        $vis:vis struct $name:ident {
            $(path { $( $(#[doc = $path_doc:literal])+ $path:ident : $path_type:ty ),+ $(,)? })?
            $(required { $( $(#[doc = $need_doc:literal])+ $need:ident : $need_type:ty ),+ $(,)? })?
            $(optional { $( $(#[doc = $opt_doc:literal])+ $opt:ident : $opt_type:ty ),+ $(,)? })?
        }
    ) => {
        #[doc = $about] $(#[doc = $more])*
        #[derive(Debug, Clone, PartialEq, Default)]
        $vis struct $name {
            $($( $(#[doc = $path_doc])+ pub $path: $path_type, )+)?
            $($( $(#[doc = $need_doc])+ pub $need: $need_type, )+)?
            $($( $(#[doc = $opt_doc])+ pub $opt: Option<$opt_type>, )+)?
            /// Members that this version does not know, sent as they are.
            pub extra: $crate::api::model::Extra,
        }

        impl $name {
            /// The request with what it needs and nothing else.
            $vis fn new(
                $($( $path: impl $crate::api::request::Arg<$path_type>, )+)?
                $($( $need: impl $crate::api::request::Arg<$need_type>, )+)?
            ) -> Self {
                Self {
                    $($( $path: $path.arg(), )+)?
                    $($( $need: $need.arg(), )+)?
                    ..Self::default()
                }
            }

            $($(
                $(#[doc = $opt_doc])+
                #[must_use]
                $vis fn $opt(mut self, $opt: impl $crate::api::request::Arg<$opt_type>) -> Self {
                    self.$opt = Some($opt.arg());
                    self
                }
            )+)?

            /// Sends a member that this version does not know; it replaces one of the same name.
            #[must_use]
            $vis fn param(mut self, name: &str, value: $crate::api::model::Json) -> Self {
                self.extra.insert(name, value);
                self
            }
        }

        impl $crate::api::request::Request for $name {
            const ABOUT: &'static str = concat!($about $(, "\n", $more)*);
            const FIELDS: &'static [$crate::api::request::Field] = &[
                $($( $crate::api::request::Field {
                    name: stringify!($path),
                    about: concat!($($path_doc, "\n"),+),
                    kind: <$path_type as $crate::api::request::FieldValue>::KIND,
                    place: $crate::api::request::Place::Path,
                }, )+)?
                $($( $crate::api::request::Field {
                    name: stringify!($need),
                    about: concat!($($need_doc, "\n"),+),
                    kind: <$need_type as $crate::api::request::FieldValue>::KIND,
                    place: $crate::api::request::Place::Required,
                }, )+)?
                $($( $crate::api::request::Field {
                    name: stringify!($opt),
                    about: concat!($($opt_doc, "\n"),+),
                    kind: <$opt_type as $crate::api::request::FieldValue>::KIND,
                    place: $crate::api::request::Place::Optional,
                }, )+)?
            ];

            #[allow(unused_mut, reason = "a request may have no fields")]
            fn from_members(mut members: $crate::api::model::Extra) -> Result<Self, String> {
                Ok(Self {
                    $($( $path: $crate::api::request::require(&mut members, stringify!($path))?, )+)?
                    $($( $need: $crate::api::request::require(&mut members, stringify!($need))?, )+)?
                    $($( $opt: $crate::api::request::take(&mut members, stringify!($opt))?, )+)?
                    extra: members,
                })
            }

            #[allow(unused_mut, reason = "a request may have no fields")]
            fn put(&self, mut call: $crate::api::Call) -> $crate::api::Call {
                $($( call = $crate::api::request::put(call, stringify!($need), &self.$need); )+)?
                $($(
                    if let Some(value) = &self.$opt {
                        call = $crate::api::request::put(call, stringify!($opt), value);
                    }
                )+)?
                for (name, value) in self.extra.iter() {
                    call = call.raw_member(name, value.clone().into_raw());
                }
                call
            }
        }
    };
}
pub(super) use request;

#[cfg(test)]
mod tests {
    use super::*;

    request! {
        /// Does something.
        ///
        /// At length.
        pub(super) struct Ask {
            path {
                /// Which.
                run_id: String,
            }
            required {
                /// How many.
                count: u32,
            }
            optional {
                /// A share.
                share: f64,
                /// Names.
                tags: Vec<String>,
            }
        }
    }

    #[test]
    fn a_request_is_built_from_what_it_needs_and_what_is_set() {
        let ask =
            Ask::new("r1", 3).share(0.5).param("x", Json::parse("12345678901234567890123").expect("JSON"));
        let call = ask.put(Call::post("/asks").object());
        assert_eq!(
            call.body_text().as_deref(),
            Some(r#"{"count":3,"share":0.5,"x":12345678901234567890123}"#)
        );
        assert!(Ask::new("r1", 3).share(f64::NAN).put(Call::post("/asks")).fault().is_some());
    }

    #[test]
    fn its_fields_are_known_with_their_words() {
        let fields: Vec<_> =
            Ask::FIELDS.iter().map(|field| (field.name, field.about.trim(), field.kind)).collect();
        assert_eq!(
            fields,
            [
                ("run_id", "Which.", Kind::Text),
                ("count", "How many.", Kind::Integer),
                ("share", "A share.", Kind::Number),
                ("tags", "Names.", Kind::Texts),
            ]
        );
        assert_eq!(Ask::ABOUT, " Does something.\n\n At length.");
    }

    #[test]
    fn members_make_a_request_or_say_which_is_wrong() {
        let read = |text: &str| Ask::from_members(serde_json::from_str(text).expect("an object"));
        let ask =
            read(r#"{"run_id":"r1","count":3,"tags":["a"],"new":1.50,"share":null}"#).expect("a request");
        assert_eq!(ask, Ask::new("r1", 3).tags(["a"]).param("new", Json::parse("1.50").expect("JSON")));
        assert_eq!(read(r#"{"run_id":"r1"}"#), Err("`count` is needed".into()));
        assert!(read(r#"{"run_id":"r1","count":-1}"#).is_err_and(|why| why.starts_with("`count`: ")));
    }
}
