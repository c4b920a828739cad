//! What is folded in trees of JSON.

use std::collections::BTreeSet;

/// Nodes remembered; beyond them a fold has no effect.
const MAX_NODES: usize = 10_000;

/// Which nodes of a tree are open. Paths are JSON pointers (`/account/positions`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folds {
    /// Nodes above this depth are open unless closed by hand.
    pub depth: usize,
    /// Opened by hand: shown with all their members.
    pub open: BTreeSet<String>,
    /// Closed by hand.
    pub closed: BTreeSet<String>,
}

impl Default for Folds {
    fn default() -> Self {
        Self { depth: 2, open: BTreeSet::new(), closed: BTreeSet::new() }
    }
}

impl Folds {
    /// Closes the node if it is shown open, else opens it.
    pub fn toggle(&mut self, path: &str, is_open: bool) {
        let (from, to) =
            if is_open { (&mut self.open, &mut self.closed) } else { (&mut self.closed, &mut self.open) };
        from.remove(path);
        if to.len() < MAX_NODES {
            to.insert(path.to_owned());
        }
    }

    /// Opens everything that a place lies in.
    pub fn reveal(&mut self, path: &str) {
        for (at, _) in path.match_indices('/').skip(1) {
            self.toggle(&path[..at], false);
        }
    }

    /// Whether the node's members are shown.
    pub fn is_open(&self, path: &str, depth: usize) -> bool {
        !self.closed.contains(path) && (depth < self.depth || self.open.contains(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revealing_a_place_opens_what_it_lies_in() {
        let mut folds = Folds { depth: 0, ..Folds::default() };
        folds.toggle("/a", true);
        folds.reveal("/a/3/b");
        assert!(folds.is_open("/a", 0) && folds.is_open("/a/3", 1) && !folds.is_open("/a/3/b", 2));
    }
}
