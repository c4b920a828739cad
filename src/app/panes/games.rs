//! The catalogue: list, tags, and the rules of what is selected.

use std::collections::BTreeMap;

use crate::api::model::{Game, GameDetail, GameSlug, Listing, Tags};
use crate::app::list::ListState;
use crate::app::remote::Remote;

/// State of the Games pane.
#[derive(Debug, Default)]
pub struct GamesPane {
    /// All games.
    pub games: Remote<Listing<Game>>,
    /// Tags with counts.
    pub tags: Remote<Tags>,
    /// Records with rules, by slug; asked for when first selected.
    pub details: BTreeMap<GameSlug, Remote<Box<GameDetail>>>,
    /// Filter and selection.
    pub list: ListState,
    /// Only games with this tag.
    pub tag: Option<String>,
    /// The rules are open over the whole width.
    pub reading: bool,
    /// First line of the rules on screen.
    pub scroll: usize,
}

impl GamesPane {
    /// All games that were loaded.
    pub fn items(&self) -> &[Game] {
        self.games.value().map_or(&[], |listing| &listing.items)
    }

    /// The selected game, as the list has it.
    pub fn selected(&self) -> Option<&Game> {
        self.items().get(self.list.selected()?)
    }

    /// A game's row, by slug.
    pub fn row(&self, slug: &str) -> Option<&Game> {
        self.items().iter().find(|game| game.slug.as_str() == slug)
    }

    /// A game's record with its rules, if it was loaded.
    pub fn detail(&self, slug: &str) -> Option<&GameDetail> {
        self.loading(slug)?.value().map(AsRef::as_ref)
    }

    /// How the loading of a game's record goes.
    pub fn loading(&self, slug: &str) -> Option<&Remote<Box<GameDetail>>> {
        self.details.get(&GameSlug::from(slug))
    }

    /// Filters again, after the items, the filter or the tag changed.
    pub fn refresh(&mut self) {
        let tag = self.tag.clone();
        let games: Vec<(usize, &Game)> = self
            .games
            .value()
            .map_or(&[][..], |listing| &listing.items)
            .iter()
            .enumerate()
            .filter(|(_, game)| tag.as_ref().is_none_or(|tag| game.tags.contains(tag)))
            .collect();
        self.list.refresh_some(games.iter().map(|(nth, game)| {
            let text = format!("{} {} {}", game.slug.as_str(), game.name, game.tags.join(" "));
            (*nth, game.slug.as_str(), text)
        }));
        self.scroll = 0;
    }

    /// Tags that occur, with how many of the loaded games have them, the most common first.
    pub fn facets(&self) -> Vec<(&str, usize)> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for tag in self.items().iter().flat_map(|game| &game.tags) {
            *counts.entry(tag).or_default() += 1;
        }
        let mut facets: Vec<_> = counts.into_iter().collect();
        facets.sort_by_key(|&(tag, count)| (std::cmp::Reverse(count), tag));
        facets
    }

    /// Goes on to the next tag; after the last one all games are shown again.
    pub fn next_tag(&mut self) {
        let facets: Vec<String> = self.facets().into_iter().map(|(tag, _)| tag.to_owned()).collect();
        let next = match &self.tag {
            None => facets.first(),
            Some(tag) => facets.iter().skip_while(|other| *other != tag).nth(1),
        };
        self.tag = next.cloned();
        self.refresh();
    }
}
