//! Colours by role, for every depth of colour, on dark and light backgrounds alike.
//!
//! Views name a [`Role`], never a colour. Text keeps the terminal's own foreground and background; the colours
//! added are of middle lightness, so they read on both. A background is never set without a foreground, and
//! nothing is said by colour alone: seats have glyphs too, changes have marks. [`asciify`] turns a finished
//! screen into plain ASCII for terminals without Unicode.

mod ascii;
mod suit;

use std::sync::Arc;

use ratatui::style::{Color, Modifier, Style};

pub use self::ascii::asciify;
pub use self::suit::Suit;
use super::render::Renderers;

/// How many colours the terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ColorDepth {
    /// Bold, underline and reverse video only.
    None,
    /// The sixteen named colours.
    Ansi16,
    /// The 256-colour table.
    Ansi256,
    /// 24 bits.
    True,
}

impl ColorDepth {
    /// Reads `NO_COLOR`, `TERM` and `COLORTERM` through `lookup`. Without positive evidence of more, 16 colours.
    pub fn detect(lookup: impl Fn(&str) -> Option<String>) -> Self {
        let get = |name| lookup(name).unwrap_or_default();
        let term = get("TERM");
        if !get("NO_COLOR").is_empty()
            || matches!(term.as_str(), "" | "dumb" | "unknown")
            || term.ends_with("-m")
        {
            return Self::None;
        }
        if ["vt100", "vt102", "vt220", "vt320"].iter().any(|old| term.starts_with(old)) {
            return Self::None;
        }
        if term == "linux" {
            return Self::Ansi16;
        }
        // `screen` passes COLORTERM on from the terminal around it, but cannot show what that promises.
        let bit_24 =
            matches!(get("COLORTERM").as_str(), "truecolor" | "24bit") && !term.starts_with("screen");
        let known = ["xterm-kitty", "xterm-ghostty", "alacritty", "wezterm", "foot"];
        if bit_24 || term.contains("direct") || known.iter().any(|name| term.starts_with(name)) {
            Self::True
        } else if term.contains("256") {
            Self::Ansi256
        } else {
            Self::Ansi16
        }
    }
}

/// What a piece of the screen is, for the theme to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Role {
    /// Plain text.
    #[default]
    Text,
    /// Text that stands out without colour.
    Strong,
    /// What is secondary.
    Dim,
    /// The one accent colour.
    Accent,
    /// The name of the screen.
    Title,
    /// The name of a part.
    Heading,
    /// Rules and axes.
    Border,
    /// The selected row.
    Selected,
    /// A key to press.
    Key,
    /// Credits.
    Money,
    /// Went well, went up.
    Good,
    /// Went wrong, went down.
    Bad,
    /// Wants attention.
    Warn,
    /// Worth knowing.
    Info,
    /// Differs from a moment ago.
    Changed,
    /// A seat's own colour.
    Seat(u8),
    /// A body in a seat's own colour: foreground and background.
    SeatFill(u8),
    /// A line of a chart.
    Series(u8),
    /// Something to eat.
    Food,
    /// A card: the text is its rank and the glyph of its suit.
    Suit(Suit),
}

/// A colour at each depth.
struct Ink {
    rgb: (u8, u8, u8),
    indexed: u8,
    ansi: Color,
}

const fn ink(rgb: u32, indexed: u8, ansi: Color) -> Ink {
    Ink { rgb: ((rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8), indexed, ansi }
}

/// Hues that stay apart with any common colour blindness as far as equal lightness allows; the first four best.
/// Of the sixteen, plain blue is lost on black and yellow on white: bright blue leads, yellow comes late.
const SEATS: [Ink; 8] = [
    ink(0x2F_7F_D8, 33, Color::LightBlue),
    ink(0xD9_73_0D, 166, Color::Red),
    ink(0x1A_93_6B, 29, Color::Green),
    ink(0xC8_5C_9D, 169, Color::Magenta),
    ink(0x1D_96_B8, 37, Color::Cyan),
    ink(0xD6_45_3C, 160, Color::LightRed),
    ink(0x8F_82_12, 100, Color::Yellow),
    ink(0x86_68_D0, 98, Color::LightMagenta),
];
const GREY: Ink = ink(0x87_87_87, 245, Color::DarkGray);
const RULE: Ink = ink(0x7C_7C_7C, 243, Color::DarkGray);
const BLUE: Ink = ink(0x2F_7F_D8, 33, Color::LightBlue);
const CYAN: Ink = ink(0x1D_96_B8, 37, Color::Cyan);
const GREEN: Ink = ink(0x1A_93_6B, 29, Color::Green);
const RED: Ink = ink(0xD6_45_3C, 160, Color::Red);
const ORANGE: Ink = ink(0xD9_73_0D, 166, Color::LightRed);
const AMBER: Ink = ink(0xB8_86_0B, 136, Color::Magenta);

const SEAT_GLYPHS: [&str; 8] = ["●", "○", "◆", "◇", "■", "□", "▲", "△"];
/// What [`asciify`] makes of them.
const ASCII_SEAT_GLYPHS: [&str; 8] = ["O", "X", "#", "@", "%", "&", "^", "="];

/// The colours and glyphs of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    /// How many colours to use.
    pub depth: ColorDepth,
    /// Draw with ASCII only: [`asciify`] must be the last step of a frame.
    pub ascii: bool,
    /// Renderers that are files.
    pub renderers: Option<Arc<Renderers>>,
}

impl Theme {
    /// A theme for a terminal.
    pub const fn new(depth: ColorDepth, ascii: bool) -> Self {
        Self { depth, ascii, renderers: None }
    }

    /// A theme for the terminal that the environment describes; ASCII where the locale is not UTF-8.
    pub fn detect(lookup: impl Fn(&str) -> Option<String>) -> Self {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
            .iter()
            .filter_map(|name| lookup(name))
            .find(|value| !value.is_empty())
            .unwrap_or_default()
            .to_ascii_lowercase();
        let ascii = !(locale.contains("utf-8") || locale.contains("utf8"));
        Self::new(ColorDepth::detect(lookup), ascii)
    }

    /// The style of a role.
    pub fn style(&self, role: Role) -> Style {
        let plain = Style::new();
        match role {
            Role::Text => plain,
            Role::Strong | Role::Heading => plain.add_modifier(Modifier::BOLD),
            Role::Dim => self.faint(&GREY),
            Role::Border => self.faint(&RULE),
            Role::Accent => self.coloured(&BLUE),
            Role::Title | Role::Key => self.coloured(&BLUE).add_modifier(Modifier::BOLD),
            Role::Selected => self.selected(),
            Role::Money => self.coloured(&AMBER),
            Role::Good => self.coloured(&GREEN),
            Role::Bad => self.coloured(&RED),
            Role::Warn => self.coloured(&ORANGE),
            Role::Info => self.coloured(&CYAN),
            Role::Changed => self.coloured(&AMBER).add_modifier(Modifier::BOLD),
            Role::Food => self.coloured(&RED).add_modifier(Modifier::BOLD),
            Role::Seat(seat) => self.coloured(&SEATS[usize::from(seat) % SEATS.len()]),
            Role::SeatFill(seat) => self.filled(&SEATS[usize::from(seat) % SEATS.len()]),
            Role::Series(nth) => self.coloured(&SEATS[usize::from(nth) % SEATS.len()]),
            // Four colours, taken from the palette that any eye tells apart; spades are the text's own.
            Role::Suit(Suit::Spades) => plain.add_modifier(Modifier::BOLD),
            Role::Suit(Suit::Diamonds) => self.coloured(&SEATS[0]).add_modifier(Modifier::BOLD),
            Role::Suit(Suit::Hearts) => self.coloured(&SEATS[1]).add_modifier(Modifier::BOLD),
            Role::Suit(Suit::Clubs) => self.coloured(&SEATS[2]).add_modifier(Modifier::BOLD),
        }
    }

    /// The style of a seat.
    pub fn seat(&self, seat: u8) -> Style {
        self.style(Role::Seat(seat))
    }

    /// The glyph of a seat, one column wide: so that no seat is told by colour alone.
    pub fn seat_glyph(&self, seat: u8) -> &'static str {
        let glyphs = if self.ascii { ASCII_SEAT_GLYPHS } else { SEAT_GLYPHS };
        glyphs[usize::from(seat) % glyphs.len()]
    }

    /// The seat's colour alone, for cells that need it as a background; `None` without colours.
    pub fn seat_color(&self, seat: u8) -> Option<Color> {
        self.color(&SEATS[usize::from(seat) % SEATS.len()])
    }

    /// A share of 255 as a colour, dark to light in steps that any eye tells apart; `None` with few colours.
    pub fn heat(&self, level: u8) -> Option<Color> {
        // Black through violet and red to a light yellow: lightness rises all the way.
        const STOPS: [(u8, u8, u8); 6] =
            [(20, 18, 40), (72, 26, 110), (150, 40, 110), (214, 74, 68), (246, 148, 46), (250, 228, 140)];
        let at = f64::from(level) / 255.0 * (STOPS.len() - 1) as f64;
        let (low, part) = (at.floor() as usize, at.fract());
        let (one, two) = (STOPS[low], STOPS[(low + 1).min(STOPS.len() - 1)]);
        let mix =
            |one: u8, two: u8| (f64::from(one) + (f64::from(two) - f64::from(one)) * part).round() as u8;
        self.pixel(mix(one.0, two.0), mix(one.1, two.1), mix(one.2, two.2))
    }

    /// A colour of somebody else's picture; `None` with few colours.
    pub fn pixel(&self, r: u8, g: u8, b: u8) -> Option<Color> {
        let step = |part: u8| (u16::from(part) * 5 + 127) / 255;
        match self.depth {
            ColorDepth::None | ColorDepth::Ansi16 => None,
            ColorDepth::Ansi256 => Some(Color::Indexed((16 + 36 * step(r) + 6 * step(g) + step(b)) as u8)),
            ColorDepth::True => Some(Color::Rgb(r, g, b)),
        }
    }

    fn color(&self, ink: &Ink) -> Option<Color> {
        match self.depth {
            ColorDepth::None => None,
            ColorDepth::Ansi16 => Some(ink.ansi),
            ColorDepth::Ansi256 => Some(Color::Indexed(ink.indexed)),
            ColorDepth::True => Some(Color::Rgb(ink.rgb.0, ink.rgb.1, ink.rgb.2)),
        }
    }

    fn coloured(&self, ink: &Ink) -> Style {
        self.color(ink).map_or(Style::new(), |color| Style::new().fg(color))
    }

    /// Where only the terminal's palette is known, its own dimming is readable on any background; its grey may not be.
    fn faint(&self, ink: &Ink) -> Style {
        match self.depth {
            ColorDepth::None | ColorDepth::Ansi16 => Style::new().add_modifier(Modifier::DIM),
            ColorDepth::Ansi256 | ColorDepth::True => self.coloured(ink),
        }
    }

    fn filled(&self, ink: &Ink) -> Style {
        let style = match self.depth {
            ColorDepth::None => Style::new().add_modifier(Modifier::REVERSED),
            ColorDepth::Ansi16 if matches!(ink.ansi, Color::Red | Color::Magenta) => {
                Style::new().fg(Color::White).bg(ink.ansi)
            }
            ColorDepth::Ansi16 => Style::new().fg(Color::Black).bg(ink.ansi),
            ColorDepth::Ansi256 => Style::new().fg(Color::Indexed(231)).bg(Color::Indexed(ink.indexed)),
            ColorDepth::True => {
                Style::new().fg(Color::Rgb(255, 255, 255)).bg(Color::Rgb(ink.rgb.0, ink.rgb.1, ink.rgb.2))
            }
        };
        style.add_modifier(Modifier::BOLD)
    }

    fn selected(&self) -> Style {
        let style = match self.depth {
            ColorDepth::None | ColorDepth::Ansi16 => Style::new().add_modifier(Modifier::REVERSED),
            ColorDepth::Ansi256 => Style::new().fg(Color::Indexed(231)).bg(Color::Indexed(25)),
            ColorDepth::True => Style::new().fg(Color::Rgb(255, 255, 255)).bg(Color::Rgb(0x2B, 0x5C, 0x9E)),
        };
        style.add_modifier(Modifier::BOLD)
    }
}

/// The glyph of a seat where the theme is not at hand; [`asciify`] turns it into the ASCII one.
pub fn seat_glyph(seat: u8) -> &'static str {
    SEAT_GLYPHS[usize::from(seat) % SEAT_GLYPHS.len()]
}

/// The number of a seat from its id: `p3` is 3.
pub fn seat_number(id: &str) -> Option<u8> {
    let digits = id.strip_prefix('p')?;
    if digits.is_empty() || digits.len() > 2 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEPTHS: [ColorDepth; 4] =
        [ColorDepth::None, ColorDepth::Ansi16, ColorDepth::Ansi256, ColorDepth::True];

    fn roles() -> Vec<Role> {
        use Role::{
            Accent, Bad, Border, Changed, Dim, Food, Good, Heading, Info, Key, Money, Selected, Strong, Text,
            Title, Warn,
        };
        let fixed = [
            Text, Strong, Dim, Accent, Title, Heading, Border, Selected, Key, Money, Good, Bad, Warn, Info,
            Changed, Food,
        ];
        let seats = (0..8).flat_map(|seat| [Role::Seat(seat), Role::SeatFill(seat), Role::Series(seat)]);
        fixed.into_iter().chain(seats).chain(Suit::ALL.map(Role::Suit)).collect()
    }

    #[test]
    fn depth_follows_the_evidence_and_no_more() {
        let cases = [
            (&[("TERM", "xterm")][..], ColorDepth::Ansi16),
            (&[("TERM", "xterm-256color")], ColorDepth::Ansi256),
            (&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")], ColorDepth::True),
            (&[("TERM", "xterm-256color"), ("COLORTERM", "yes")], ColorDepth::Ansi256),
            (&[("TERM", "screen-256color"), ("COLORTERM", "truecolor")], ColorDepth::Ansi256),
            (&[("TERM", "xterm-kitty")], ColorDepth::True),
            (&[("TERM", "linux"), ("COLORTERM", "truecolor")], ColorDepth::Ansi16),
            (&[("TERM", "xterm-kitty"), ("NO_COLOR", "1")], ColorDepth::None),
            (&[("TERM", "xterm-256color"), ("NO_COLOR", "")], ColorDepth::Ansi256),
            (&[("TERM", "dumb"), ("COLORTERM", "truecolor")], ColorDepth::None),
            (&[], ColorDepth::None),
        ];
        for (env, depth) in cases {
            let lookup =
                |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
            assert_eq!(ColorDepth::detect(lookup), depth, "{env:?}");
        }
    }

    #[test]
    fn a_locale_without_utf_8_asks_for_ascii() {
        let theme =
            |value: &'static str| Theme::detect(move |name| (name == "LANG").then(|| value.to_owned()));
        assert!(theme("C").ascii);
        assert!(!theme("en_GB.UTF-8").ascii);
    }

    #[test]
    fn no_depth_uses_colours_beyond_its_own() {
        for depth in DEPTHS {
            for role in roles() {
                let style = Theme::new(depth, false).style(role);
                for color in [style.fg, style.bg].into_iter().flatten() {
                    let needs = match color {
                        Color::Rgb(..) => ColorDepth::True,
                        Color::Indexed(_) => ColorDepth::Ansi256,
                        _ => ColorDepth::Ansi16,
                    };
                    assert!(needs <= depth, "{role:?} at {depth:?} is {color:?}");
                }
                assert!(style.bg.is_none() || style.fg.is_some(), "{role:?} sets a background only");
            }
        }
    }

    #[test]
    fn coloured_text_reads_on_dark_and_light() {
        let theme = Theme::new(ColorDepth::True, false);
        for role in roles() {
            let style = theme.style(role);
            let (Some(Color::Rgb(r, g, b)), None) = (style.fg, style.bg) else { continue };
            let light = luminance(r, g, b);
            let (on_white, on_dark) =
                (1.05 / (light + 0.05), (light + 0.05) / (luminance(29, 31, 33) + 0.05));
            assert!(
                on_white >= 3.0 && on_dark >= 3.0,
                "{role:?}: {on_white:.2} on white, {on_dark:.2} on dark"
            );
        }
    }

    /// Relative luminance as WCAG 2 defines it.
    fn luminance(r: u8, g: u8, b: u8) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
    }

    #[test]
    fn seats_differ_in_colour_and_in_glyph() {
        for ascii in [false, true] {
            for depth in [ColorDepth::Ansi16, ColorDepth::Ansi256, ColorDepth::True] {
                let theme = Theme::new(depth, ascii);
                for one in 0..8 {
                    for two in 0..one {
                        assert_ne!(theme.seat(one), theme.seat(two), "{depth:?}");
                        assert_ne!(theme.seat_glyph(one), theme.seat_glyph(two));
                    }
                }
            }
        }
    }

    #[test]
    fn ascii_glyphs_are_what_a_screen_turns_the_others_into() {
        use ratatui::{buffer::Buffer, layout::Rect};
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 1));
        buffer.set_string(0, 0, (0..8).map(seat_glyph).collect::<String>(), Style::new());
        asciify(&mut buffer, Rect::new(0, 0, 8, 1));
        assert_eq!(buffer, Buffer::with_lines([ASCII_SEAT_GLYPHS.concat()]));
    }

    #[test]
    fn seat_ids_have_numbers() {
        assert_eq!(seat_number("p3"), Some(3));
        assert_eq!(["price", "p", "p-1", "p999", "3"].map(seat_number), [None; 5]);
    }
}
