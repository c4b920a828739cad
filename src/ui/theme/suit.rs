//! The suits of playing cards: each with a glyph, a letter for terminals without it, and a colour of its own.

/// A suit. The order is that of a pack: clubs, diamonds, hearts, spades.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Suit {
    /// Clubs.
    Clubs,
    /// Diamonds.
    Diamonds,
    /// Hearts.
    Hearts,
    /// Spades.
    Spades,
}

impl Suit {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Clubs, Self::Diamonds, Self::Hearts, Self::Spades];

    /// Reads a letter, `c`, `d`, `h` or `s` in either case, or a glyph.
    pub fn read(sign: char) -> Option<Self> {
        Self::ALL.into_iter().find(|suit| suit.letter() == sign.to_ascii_lowercase() || suit.glyph() == sign)
    }

    /// One column wide.
    pub fn glyph(self) -> char {
        match self {
            Self::Clubs => '♣',
            Self::Diamonds => '♦',
            Self::Hearts => '♥',
            Self::Spades => '♠',
        }
    }

    /// In ASCII.
    pub fn letter(self) -> char {
        match self {
            Self::Clubs => 'c',
            Self::Diamonds => 'd',
            Self::Hearts => 'h',
            Self::Spades => 's',
        }
    }
}
