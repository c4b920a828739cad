//! Unified diffs as models write them: what counts are the lines of a hunk, not the numbers in its head, which models
//! get wrong. A hunk must fit at exactly one place.

/// The hunks of one file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FilePatch<'a> {
    /// The file, without the `b/` of a diff.
    pub(super) path: &'a str,
    hunks: Vec<Hunk<'a>>,
}

/// Lines that must stand together, and what stands there afterwards.
#[derive(Debug, PartialEq, Eq, Default)]
struct Hunk<'a> {
    old: Vec<&'a str>,
    new: Vec<&'a str>,
}

/// Reads a diff of one file or several.
pub(super) fn read(diff: &str) -> Result<Vec<FilePatch<'_>>, String> {
    let mut files: Vec<FilePatch<'_>> = Vec::new();
    let mut lines = diff.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("--- ") && lines.peek().is_some_and(|next| next.starts_with("+++ ")) {
            let named = lines.next().unwrap_or_default().trim_start_matches("+++ ");
            let path = named.split_whitespace().next().unwrap_or_default();
            if path == "/dev/null" {
                return Err("files cannot be deleted".to_owned());
            }
            let path = path.strip_prefix("b/").or_else(|| path.strip_prefix("a/")).unwrap_or(path);
            files.push(FilePatch { path, hunks: Vec::new() });
            continue;
        }
        let Some(file) = files.last_mut() else { continue };
        if line.starts_with("@@") {
            file.hunks.push(Hunk::default());
            continue;
        }
        let Some(hunk) = file.hunks.last_mut() else { continue };
        match line.split_at_checked(1) {
            Some(("-", old)) => hunk.old.push(old),
            Some(("+", new)) => hunk.new.push(new),
            Some((" ", both)) => {
                hunk.old.push(both);
                hunk.new.push(both);
            }
            // Models leave out the blank before an empty line.
            None => {
                hunk.old.push("");
                hunk.new.push("");
            }
            Some(("\\", _)) => {}
            Some(_) => {
                return Err(format!("this line of a hunk begins with neither ` `, `-` nor `+`: {line}"));
            }
        }
    }
    if files.is_empty() || files.iter().any(|file| file.hunks.is_empty()) {
        return Err(
            "it is no unified diff: it needs `--- a/FILE`, `+++ b/FILE` and a hunk after `@@`".to_owned()
        );
    }
    Ok(files)
}

/// The text after all hunks.
pub(super) fn apply(text: &str, file: &FilePatch<'_>) -> Result<String, String> {
    let mut lines: Vec<&str> = text.lines().collect();
    for (n, hunk) in file.hunks.iter().enumerate() {
        let place = place(&lines, &hunk.old).map_err(|why| format!("hunk {} {why}", n + 1))?;
        lines.splice(place..place + hunk.old.len(), hunk.new.iter().copied());
    }
    let mut text = lines.join("\n");
    if !text.is_empty() {
        text.push('\n');
    }
    Ok(text)
}

/// Where the lines stand; at the end when there are none.
fn place(lines: &[&str], wanted: &[&str]) -> Result<usize, &'static str> {
    if wanted.is_empty() {
        return Ok(lines.len());
    }
    let mut places =
        lines.windows(wanted.len()).enumerate().filter(|(_, part)| *part == wanted).map(|(at, _)| at);
    match (places.next(), places.next()) {
        (Some(place), None) => Ok(place),
        (Some(_), Some(_)) => Err("fits at several places: give it more lines around the change"),
        (None, _) => Err("does not fit: its lines are not in the file"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patched(text: &str, diff: &str) -> Result<String, String> {
        let files = read(diff)?;
        apply(text, &files[0])
    }

    #[test]
    fn hunks_fit_by_their_lines_whatever_their_heads_say() {
        let diff = "--- a/f\n+++ b/f\n@@ -90,9 +1 @@ def\n a\n\n-b\n+B\n@@\n-d\n+D\n+E\n";
        assert_eq!(patched("a\n\nb\nc\nd\n", diff).unwrap(), "a\n\nB\nc\nD\nE\n");
        assert_eq!(patched("", "--- /dev/null\n+++ b/f\n@@\n+x\n").unwrap(), "x\n");
    }

    #[test]
    fn what_does_not_fit_says_so() {
        for (text, diff, why) in [
            ("a\na\n", "--- f\n+++ f\n@@\n-a\n+b\n", "several places"),
            ("a\n", "--- f\n+++ f\n@@\n-b\n", "does not fit"),
            ("a\n", "--- f\n+++ f\n", "no unified diff"),
            ("a\n", "nonsense", "no unified diff"),
            ("a\n", "--- f\n+++ /dev/null\n@@\n-a\n", "deleted"),
            ("a\n", "--- f\n+++ f\n@@\n*a\n", "neither"),
        ] {
            let error = patched(text, diff).unwrap_err();
            assert!(error.contains(why), "{diff}: {error}");
        }
    }
}
