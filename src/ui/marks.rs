//! What became of a seat, and what is at a moment: one mark for each, the same everywhere and never by colour alone.

use crate::tape::MarkerKind;

use super::theme::Role;

/// What became of a seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fate {
    /// The mark with its word; empty while nothing happened to it.
    pub word: &'static str,
    /// Its colour.
    pub role: Role,
}

/// What became of a seat. Failing (its player broke), being out (by the game's rules) and having lost (the match was
/// played to its end) are three things.
pub fn fate(failed: bool, eliminated: bool, outcome: &str) -> Fate {
    let (word, role) = match outcome {
        // A server may take a seat that failed out of the game; that it failed is what is to be known.
        _ if failed => ("✗ failed", Role::Bad),
        "won" | "win" => ("★ won", Role::Good),
        _ if eliminated => ("† out", Role::Warn),
        "lost" | "loss" => ("▽ lost", Role::Dim),
        "draw" | "drawn" => ("= draw", Role::Dim),
        _ => ("", Role::Dim),
    };
    Fate { word, role }
}

/// The glyph of a marker, its form in ASCII, and its colour.
pub fn glyph(kind: MarkerKind) -> (&'static str, &'static str, Role) {
    match kind {
        MarkerKind::Rise => ("▲", "^", Role::Good),
        MarkerKind::Fall => ("▼", "v", Role::Warn),
        MarkerKind::Rejected => ("!", "!", Role::Bad),
        MarkerKind::Disagreed => ("≠", "#", Role::Info),
        MarkerKind::Eliminated => ("†", "t", Role::Warn),
        MarkerKind::Failed => ("✗", "x", Role::Bad),
        MarkerKind::Gap => ("▽", "~", Role::Warn),
        MarkerKind::Ended => ("◆", "E", Role::Strong),
        MarkerKind::Bookmark => ("⚑", "B", Role::Accent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_out_and_lost_are_three_marks() {
        let words = [fate(true, true, "lost"), fate(false, true, "lost"), fate(false, false, "lost")];
        assert_eq!(words.map(|fate| fate.word), ["✗ failed", "† out", "▽ lost"]);
        assert_eq!(fate(false, false, "").word, "");
    }

    #[test]
    fn every_marker_has_a_mark_of_its_own_in_both_forms() {
        use MarkerKind as K;
        let kinds = [
            K::Rise,
            K::Fall,
            K::Rejected,
            K::Disagreed,
            K::Eliminated,
            K::Failed,
            K::Gap,
            K::Ended,
            K::Bookmark,
        ];
        let mut glyphs: Vec<&str> = kinds.iter().map(|kind| glyph(*kind).0).collect();
        let mut plain: Vec<&str> = kinds.iter().map(|kind| glyph(*kind).1).collect();
        for all in [&mut glyphs, &mut plain] {
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), kinds.len());
        }
        assert!(plain.iter().all(|mark| mark.is_ascii()));
    }
}
