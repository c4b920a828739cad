//! What a command of the twin is: a request with its fields, and how its answer is shown.

use futures_util::future::BoxFuture;

use super::failure::Failure;
use super::{Context, work};
use crate::api::model::Extra;
use crate::api::{Endpoint, Field, List, Request};

/// A resource of the SDK: `gert games …`.
pub(super) struct Resource {
    /// Its name in kebab case.
    pub name: &'static str,
    /// What it is about.
    pub about: &'static str,
    /// Its methods.
    pub methods: &'static [Method],
}

/// A method of the SDK: `gert games list`.
pub(super) struct Method {
    /// Its name in kebab case.
    pub name: &'static str,
    /// Its row in the table of prices and rules.
    pub operation: &'static str,
    /// What it does.
    pub about: &'static str,
    /// The fields of its request.
    pub fields: &'static [Field],
    /// What it takes besides.
    pub more: &'static [Field],
    /// How its answer is shown to people.
    pub view: View,
    /// True for a list that comes in pages.
    pub pages: bool,
    /// True when asking again and again makes sense.
    pub watch: bool,
    /// Does it.
    pub run: Run,
}

/// Does what a method does, with the values of its fields.
pub(super) type Run = for<'a> fn(&'a Context, &'a Method, Extra) -> BoxFuture<'a, Result<(), Failure>>;

/// How an answer is shown to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum View {
    /// The answer is a list of rows.
    Table(&'static [Column]),
    /// The rows are a member of the answer; the other members come first.
    Rows(&'static str, &'static [Column]),
    /// One object, a line for each member.
    Record,
    /// Only these members of one object; a dot goes into an inner one.
    Brief(&'static [&'static str]),
    /// Nothing in the answer is of interest.
    Done(&'static str),
}

/// A column of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Column {
    /// The members it may come from; the first that is there counts. A dot goes into an object.
    pub members: &'static [&'static str],
    /// What it is.
    pub kind: Cell,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cell {
    /// Text, or anything else in short form.
    Text,
    /// A number, flush right.
    Number,
    /// A time, shown as its age.
    Time,
}

/// A column of text.
pub(super) const fn text(members: &'static [&'static str]) -> Column {
    Column { members, kind: Cell::Text }
}

/// A column of numbers.
pub(super) const fn number(members: &'static [&'static str]) -> Column {
    Column { members, kind: Cell::Number }
}

/// A column of times.
pub(super) const fn time(members: &'static [&'static str]) -> Column {
    Column { members, kind: Cell::Time }
}

/// A method that is one request.
pub(super) const fn one<E: Endpoint + Request + Send + Sync>(name: &'static str, view: View) -> Method {
    Method {
        name,
        operation: E::OPERATION,
        about: E::ABOUT,
        fields: E::FIELDS,
        more: &[],
        view,
        pages: false,
        watch: false,
        run: work::one::<E>,
    }
}

/// A method that lists.
pub(super) const fn list<L: List + Request + Send + Sync>(
    name: &'static str,
    columns: &'static [Column],
) -> Method {
    Method {
        name,
        operation: L::OPERATION,
        about: L::ABOUT,
        fields: L::FIELDS,
        more: &[],
        view: View::Table(columns),
        pages: true,
        watch: false,
        run: work::list::<L>,
    }
}

impl Method {
    /// All that it takes.
    pub(super) fn flags(&self) -> impl Iterator<Item = &'static Field> {
        self.fields.iter().chain(self.more)
    }

    /// The method with `--watch`.
    pub(super) const fn watched(self) -> Self {
        Self { watch: true, ..self }
    }
}
