//! Lists that come in pages: as a stream of rows, whole, or one page at a time.

use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use futures_util::{Stream, StreamExt, stream};

use super::call::List;
use super::error::{Error, ErrorKind};
use super::http::Client;
use super::model::{BadItem, Json, Listing, Page, read_row};

/// The most rows that the API sends at once.
pub const MAX_PAGE: u32 = 100;

/// How much of a list to fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageOptions {
    /// Rows a page, 1 to 100.
    pub page_size: u32,
    /// Rows at most; 0 sends nothing.
    pub max_items: Option<usize>,
}

impl Default for PageOptions {
    fn default() -> Self {
        Self { page_size: MAX_PAGE, max_items: None }
    }
}

impl PageOptions {
    /// What is sent on every page: computed once, not reduced for the last page.
    fn limit(self) -> u32 {
        self.max_items.map_or(self.page_size, |max| {
            u32::try_from(max).map_or(self.page_size, |max| max.min(self.page_size))
        })
    }
}

/// A whole list.
#[derive(Debug, Clone, PartialEq)]
pub struct All<T> {
    /// The good rows.
    pub items: Vec<T>,
    /// What was left out, one notice each, and whether the list ended early.
    pub notices: Vec<Error>,
}

impl Client {
    /// Streams a list's rows, fetching pages as they are wanted.
    ///
    /// An error for which [`Error::is_notice`] is true concerns one row, or says that the server repeated a cursor;
    /// the rows around it are good. After any other error the stream ends.
    pub fn pages<'a, L: List + Sync>(
        &'a self,
        list: &'a L,
        options: PageOptions,
    ) -> impl Stream<Item = Result<L::Item, Error>> + Send + use<'a, L> {
        stream::unfold(Walk::new(options), move |mut walk| async move {
            let row = walk.next(self, list).await?;
            Some((row, walk))
        })
    }

    /// Fetches a whole list.
    ///
    /// # Errors
    /// The first error that is not a notice.
    pub async fn all<L: List + Sync>(&self, list: &L, options: PageOptions) -> Result<All<L::Item>, Error> {
        let mut all = All { items: Vec::new(), notices: Vec::new() };
        let mut rows = std::pin::pin!(self.pages(list, options));
        while let Some(row) = rows.next().await {
            match row {
                Ok(item) => all.items.push(item),
                Err(error) if error.is_notice() => all.notices.push(error),
                Err(error) => return Err(error),
            }
        }
        Ok(all)
    }

    /// Fetches one page, from the start or from a cursor.
    ///
    /// # Errors
    /// See [`ErrorKind`]; a page size outside 1 to 100 is a local error.
    pub async fn page<L: List>(
        &self,
        list: &L,
        limit: u32,
        cursor: Option<&str>,
    ) -> Result<Listing<L::Item>, Error> {
        let raw = self.fetch(list, limit, cursor).await?;
        Listing::read(raw.get(), L::COLLECTION).map_err(|why| self.list_step::<L>(ErrorKind::Decode, why))
    }

    async fn fetch<L: List>(&self, list: &L, limit: u32, cursor: Option<&str>) -> Result<Json, Error> {
        if !(1..=MAX_PAGE).contains(&limit) {
            let why = format!("the page size must be from 1 to {MAX_PAGE}, not {limit}");
            return Err(self.list_step::<L>(ErrorKind::Argument, why));
        }
        let mut call = list.call().named(L::NAME).rule(L::OPERATION);
        if call.query.iter().any(|(name, _)| name == "limit") {
            call.fail("`limit` is set by the page size".into());
        }
        self.raw(call.query("limit", limit).query("cursor", cursor)).await.map(Json::from)
    }

    fn list_step<L: List>(&self, kind: ErrorKind, why: String) -> Error {
        self.step(L::NAME, false, &[self.settings().key.expose()]).error(kind, why)
    }
}

/// Where a walk through the pages is.
struct Walk {
    options: PageOptions,
    rows: VecDeque<(usize, Json)>,
    cursor: Option<String>,
    /// Cursors that were followed, and digests of the pages that came.
    followed: HashSet<String>,
    seen: HashSet<u64>,
    given: usize,
    repeated: bool,
    done: bool,
}

impl Walk {
    fn new(options: PageOptions) -> Self {
        Self {
            options,
            rows: VecDeque::new(),
            cursor: None,
            followed: HashSet::new(),
            seen: HashSet::new(),
            given: 0,
            repeated: false,
            done: options.max_items == Some(0) && (1..=MAX_PAGE).contains(&options.page_size),
        }
    }

    async fn next<L: List>(&mut self, client: &Client, list: &L) -> Option<Result<L::Item, Error>> {
        loop {
            if self.options.max_items.is_some_and(|max| self.given >= max && max > 0) {
                return None;
            }
            if let Some((index, row)) = self.rows.pop_front() {
                self.given += 1;
                return Some(read_row(&row, index).map_err(|bad| bad_row::<L>(client, &bad)));
            }
            if std::mem::take(&mut self.repeated) {
                let why = "the server repeated a page: the list may be cut short".to_owned();
                return Some(Err(client.list_step::<L>(ErrorKind::Partial, why)));
            }
            if self.done {
                return None;
            }
            if let Err(error) = self.turn(client, list).await {
                self.done = true;
                return Some(Err(error));
            }
        }
    }

    /// Fetches the next page and works out whether it is the last.
    async fn turn<L: List>(&mut self, client: &Client, list: &L) -> Result<(), Error> {
        if !(1..=MAX_PAGE).contains(&self.options.page_size) {
            let why = format!("the page size must be from 1 to {MAX_PAGE}, not {}", self.options.page_size);
            return Err(client.list_step::<L>(ErrorKind::Argument, why));
        }
        let raw = client.fetch(list, self.options.limit(), self.cursor.as_deref()).await?;
        let page = Page::read(raw.get(), L::COLLECTION)
            .map_err(|why| client.list_step::<L>(ErrorKind::Decode, why))?;
        let old = !self.seen.insert(digest(&page.rows));
        // An empty page ends the list even if it names another.
        self.cursor = page.next_cursor.filter(|_| !page.rows.is_empty());
        if let Some(cursor) = &self.cursor {
            self.repeated = !self.followed.insert(cursor.clone());
        }
        self.done = self.cursor.is_none() || self.repeated;
        // The same rows again under a repeated cursor: nothing new was sent.
        if !(self.repeated && old) {
            self.rows = page.rows.into_iter().enumerate().collect();
        }
        Ok(())
    }
}

fn digest(rows: &[Json]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for row in rows {
        row.get().hash(&mut hasher);
    }
    hasher.finish()
}

fn bad_row<L: List>(client: &Client, bad: &BadItem) -> Error {
    let why = format!("row {} is left out, {}: {}", bad.index + 1, bad.why, bad.excerpt);
    client.list_step::<L>(ErrorKind::Partial, why)
}
