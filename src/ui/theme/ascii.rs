//! The last step of a frame on terminals without Unicode.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Replaces every symbol of the area that is not printable ASCII by the nearest one that is.
pub fn asciify(buffer: &mut Buffer, area: Rect) {
    let area = area.intersection(buffer.area);
    for y in area.top()..area.bottom() {
        for x in area.left()..area.right() {
            let cell = &mut buffer[(x, y)];
            let symbol = cell.symbol();
            if !symbol.bytes().all(|byte| (0x20..0x7F).contains(&byte)) {
                let plain = symbol.chars().next().map_or(' ', ascii);
                cell.set_char(plain);
            }
        }
    }
}

/// What becomes of the symbols that our own screens use.
const PLAIN: [(&str, char); 25] = [
    ("━═≡", '='),
    ("─╌−–—╴╶╸╺▄", '-'),
    ("│┃║╎╷╵╻╹▏▕┤├▌▍▎▐", '|'),
    ("▁▂", '_'),
    ("▃░·…", '.'),
    ("▅▒△", '='),
    ("▆▇▓✓★•⬤♦", '*'),
    ("█▉▊▋◆", '#'),
    ("◇", '@'),
    ("■", '%'),
    ("□", '&'),
    ("▲↑", '^'),
    ("▼▽↓▾", 'v'),
    ("◀◂←‹", '<'),
    ("▶▸→›", '>'),
    ("●◉◎", 'O'),
    ("○", 'X'),
    ("◌∘", 'o'),
    ("✗×✕", 'x'),
    ("†", '+'),
    // A diamond's letter comes with its role: the glyph is food elsewhere.
    ("♥", 'h'),
    ("♠", 's'),
    ("♣", 'c'),
    ("⏎", '/'),
    ("‘’", '\''),
];

fn ascii(letter: char) -> char {
    if let Some((_, plain)) = PLAIN.iter().find(|(symbols, _)| symbols.contains(letter)) {
        return *plain;
    }
    match letter {
        ' '..='~' => letter,
        '\u{2801}'..='\u{28FF}' => dots(letter),
        '\u{2800}' | '\u{A0}' | '\u{2009}' | '\u{202F}' => ' ',
        '\u{2500}'..='\u{257F}' | '±' => '+',
        '“' | '”' => '"',
        '\u{2400}'..='\u{241F}' => '^',
        _ => '?',
    }
}

/// A braille cell as the stroke that lies nearest: dots high, low, or both.
fn dots(letter: char) -> char {
    let bits = u32::from(letter) - 0x2800;
    let (high, low) = (bits & 0b0001_1011 != 0, bits & 0b1110_0100 != 0);
    match (high, low) {
        (true, true) => ':',
        (true, false) => '\'',
        _ => '.',
    }
}

#[cfg(test)]
mod tests {
    use ratatui::style::Style;

    use super::*;

    #[test]
    fn a_screen_becomes_plain_ascii_and_keeps_its_columns() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 24, 1));
        buffer.set_string(0, 0, "│▲ é東京 ⠉⣀⢸ ━┓ ▇ −1 …", Style::new());
        asciify(&mut buffer, Rect::new(0, 0, 90, 9));
        let text: String = buffer.content.iter().map(ratatui::buffer::Cell::symbol).collect();
        assert_eq!(text, "|^ ?? ?  '.: =+ * -1 .  ");
    }
}
