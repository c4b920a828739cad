//! Names of files that a server chooses, made fit for a folder of ours.

use std::collections::HashSet;

/// The longest name in bytes; file systems take 255, and a counter may follow.
const MAX_LEN: usize = 200;

/// Names that mean devices on Windows, with any ending.
const RESERVED: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];

/// The name that a `Content-Disposition` gives, made safe; else the fallback.
pub(super) fn choose(header: Option<&str>, fallback: &str) -> String {
    let given = header.and_then(disposition).and_then(|name| safe(&name));
    given.or_else(|| safe(fallback)).unwrap_or_else(|| "export".to_owned())
}

/// Names that were used, so that one file does not replace another.
#[derive(Debug, Default)]
pub(super) struct Used(HashSet<String>);

impl Used {
    /// The name, with a counter if it was used; some file systems do not tell capitals apart.
    pub(super) fn free(&mut self, name: &str) -> String {
        let (stem, ending) = split(name);
        let numbered = (2..).map(|count| format!("{stem}_{count}{ending}"));
        std::iter::once(name.to_owned())
            .chain(numbered)
            .find(|name| self.0.insert(name.to_lowercase()))
            .expect("there is always another number")
    }
}

/// The file name of a `Content-Disposition`: that of `filename*` if it can be read (RFC 6266), else of `filename`.
fn disposition(header: &str) -> Option<String> {
    let mut plain = None;
    let mut extended = None;
    for parameter in parameters(header) {
        let Some((name, value)) = parameter.split_once('=') else { continue };
        let (name, value) = (name.trim().to_ascii_lowercase(), unquote(value.trim()));
        match name.as_str() {
            "filename" => plain = Some(value),
            "filename*" => extended = decode(&value),
            _ => {}
        }
    }
    extended.or(plain)
}

/// What stands between semicolons outside quotes.
fn parameters(header: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut quoted, mut escaped) = (0, false, false);
    for (index, c) in header.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ';' if !quoted => {
                found.push(&header[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    found.push(&header[start..]);
    found
}

/// The text in quotes, if there are any; a backslash goes only before what needs it, since some send whole paths.
fn unquote(value: &str) -> String {
    let Some(inner) = value.strip_prefix('"') else { return value.to_owned() };
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    inner.replace("\\\\", "\\").replace("\\\"", "\"")
}

/// `charset'language'percent-encoded` (RFC 8187); other charsets than UTF-8 and Latin-1 are not read.
fn decode(value: &str) -> Option<String> {
    let mut parts = value.splitn(3, '\'');
    let (charset, _, text) = (parts.next()?, parts.next()?, parts.next()?);
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        if let (b'%', [high, low, ..]) = (first, tail) {
            let digit = |byte: u8| char::from(byte).to_digit(16);
            bytes.push((digit(*high)? * 16 + digit(*low)?) as u8);
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    match charset.to_ascii_lowercase().as_str() {
        "utf-8" => String::from_utf8(bytes).ok(),
        "iso-8859-1" => Some(bytes.into_iter().map(char::from).collect()),
        _ => None,
    }
}

/// The base name without what hides, misleads or is refused by some file system; `None` if nothing is left.
fn safe(name: &str) -> Option<String> {
    let base = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let visible = base.chars().filter(|c| !c.is_control() && !is_formatting(*c));
    let plain: String = visible.map(|c| if "<>:\"|?*".contains(c) { '_' } else { c }).collect();
    let name = bounded(plain.trim_matches(|c: char| c == '.' || c.is_whitespace()));
    if name.is_empty() {
        return None;
    }
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let port = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    let device = RESERVED.contains(&stem.as_str())
        || port.is_some_and(|number| number.chars().count() == 1 && "0123456789¹²³".contains(number));
    // Files in the making end with `.part`.
    let unfinished = name.to_ascii_lowercase().ends_with(".part");
    Some(format!("{}{name}{}", if device { "_" } else { "" }, if unfinished { "_" } else { "" }))
}

/// Zero-width and direction marks: they show nothing and can turn a name around.
fn is_formatting(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Cuts the stem, so that the ending stays.
fn bounded(name: &str) -> String {
    let (stem, ending) = split(name);
    let ending = &ending[..ending.floor_char_boundary(20)];
    let stem = &stem[..stem.floor_char_boundary(MAX_LEN - ending.len())];
    format!("{stem}{ending}")
}

/// The name before its last dot, and the rest.
fn split(name: &str) -> (&str, &str) {
    name.split_at(name.rfind('.').filter(|dot| *dot > 0).unwrap_or(name.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_from_every_form_of_the_header() {
        for (header, name) in [
            (
                r#"attachment; filename="agentic_branches_export_chunk_001.json""#,
                "agentic_branches_export_chunk_001.json",
            ),
            ("attachment; filename=data.json", "data.json"),
            ("attachment; filename=my data.json; size=3", "my data.json"),
            (r#"attachment; FileName = "a;b.json""#, "a;b.json"),
            (r#"attachment; filename="a\"b.json""#, "a_b.json"),
            ("attachment; filename*=UTF-8''r%C3%A9sum%C3%A9%20.json", "résumé .json"),
            ("attachment; filename=plain.json; filename*=UTF-8'en'better.json", "better.json"),
            ("attachment; filename*=iso-8859-1''%e9.json", "é.json"),
            ("attachment; filename*=koi8-r''%c1; filename=plain.json", "plain.json"),
            ("attachment; filename*=UTF-8''%zz; filename=plain.json", "plain.json"),
            ("attachment", "export_j7_001"),
            ("attachment; filename=", "export_j7_001"),
            (r#"attachment; filename="unended.json"#, "unended.json"),
        ] {
            assert_eq!(choose(Some(header), "export_j7_001"), name, "{header}");
        }
        assert_eq!(choose(None, "export_j7_001"), "export_j7_001");
        assert_eq!(choose(None, "../.."), "export");
    }

    #[test]
    fn a_name_never_leaves_the_folder_nor_hides_in_it() {
        // H-20.
        for (given, kept) in [
            ("../../.bashrc", Some("bashrc")),
            ("/etc/passwd", Some("passwd")),
            (r"C:\Windows\win.ini", Some("win.ini")),
            (r"..\..\x", Some("x")),
            ("..", None),
            (".", None),
            ("a/..", None),
            ("...", None),
            (" . ", None),
            ("", None),
            (".part", Some("part")),
            ("data.part", Some("data.part_")),
            ("data.json. .", Some("data.json")),
            ("a\x1b[31m\0\nb.json", Some("a[31mb.json")),
            ("a\u{202e}nosj.b", Some("anosj.b")),
            ("a:b*?.json", Some("a_b__.json")),
            ("con", Some("_con")),
            ("NUL.tar.gz", Some("_NUL.tar.gz")),
            ("com1.json", Some("_com1.json")),
            ("comma.json", Some("comma.json")),
            ("données 表.json", Some("données 表.json")),
        ] {
            assert_eq!(safe(given).as_deref(), kept, "{given:?}");
        }
    }

    #[test]
    fn a_long_name_keeps_its_ending() {
        // H-20.
        for long in [format!("{}.parquet", "x".repeat(5000)), format!("{}.json", "表".repeat(400))] {
            let name = safe(&long).expect("a name");
            assert!(
                name.len() <= MAX_LEN && name.ends_with(&long[long.rfind('.').expect("a dot")..]),
                "{name}"
            );
        }
        assert!(safe(&format!("a.{}", "é".repeat(300))).expect("a name").len() < 40);
    }

    #[test]
    fn a_name_is_used_once() {
        // H-20.
        let mut used = Used::default();
        let mut free = |name: &str| used.free(name);
        assert_eq!(free("a.json"), "a.json");
        assert_eq!(free("a.json"), "a_2.json");
        assert_eq!(free("A.JSON"), "A_3.JSON");
        assert_eq!((free("b"), free("b")), ("b".into(), "b_2".into()));
    }
}
