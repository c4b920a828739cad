//! Answers for people: tables that fit the width, records with a line for each member. Pure text in, text out.

use jiff::Timestamp;
use serde_json::Value;

use super::method::{Cell, Column, View};
use crate::api::model::{Extra, Json};
use crate::text;

/// Members whose values are never shown, only printed as JSON where it is asked for.
const MASKED: [&str; 3] = ["player_token", "key", "token"];

/// What is shown instead.
const MASK: &str = "\"***\"";

/// The widest a cell of a table gets where there is room for everything.
const WIDEST: usize = 60;

/// Between two columns.
const GAP: usize = 2;

/// One answer.
pub(super) fn answer(view: View, answer: &Json, width: Option<usize>) -> String {
    let answer = &masked(answer);
    match view {
        View::Done(words) => format!("{words}\n"),
        View::Table(_) => match answer.decode::<Vec<Json>>() {
            Ok(items) => rows(view, &items, width),
            Err(_) => record(answer, width),
        },
        View::Rows(member, columns) => with_rows(answer, member, columns, width),
        View::Record => record(answer, width),
        View::Brief(members) => brief(answer, members, width),
    }
}

/// The named members of one object; all of it where none of them is there.
fn brief(answer: &Json, members: &[&str], width: Option<usize>) -> String {
    let whole: Extra = answer.decode().unwrap_or_default();
    let mut some = Extra::default();
    for path in members {
        if let Some(json) = reach(&whole, path) {
            some.insert(path.rsplit('.').next().unwrap_or(path), json);
        }
    }
    if some.is_empty() { record(answer, width) } else { lines(&some, width) }
}

/// The same JSON with secrets masked, however deep they are. Text that could not hold one stays as it is.
fn masked(json: &Json) -> Json {
    if !MASKED.iter().any(|name| json.get().contains(&format!("{name}\""))) {
        return json.clone();
    }
    let mut out = String::new();
    mask(json, 0, &mut out);
    Json::parse(&out).unwrap_or_default()
}

fn mask(json: &Json, depth: usize, out: &mut String) {
    let text = json.get();
    // What is nested deeper than anything honest is not shown at all.
    if depth > 60 {
        out.push_str(MASK);
    } else if let Ok(members) = json.decode::<Extra>() {
        out.push('{');
        for (index, (name, value)) in members.iter().enumerate() {
            out.push_str(if index == 0 { "" } else { "," });
            out.extend([Value::from(name).to_string().as_str(), ":"]);
            if MASKED.contains(&name) { out.push_str(MASK) } else { mask(value, depth + 1, out) }
        }
        out.push('}');
    } else if let (true, Ok(items)) = (text.starts_with('['), json.decode::<Vec<Json>>()) {
        out.push('[');
        for (index, item) in items.iter().enumerate() {
            out.push_str(if index == 0 { "" } else { "," });
            mask(item, depth + 1, out);
        }
        out.push(']');
    } else {
        out.push_str(text);
    }
}

/// A list.
pub(super) fn rows(view: View, rows: &[Json], width: Option<usize>) -> String {
    let (View::Table(columns) | View::Rows(_, columns)) = view else {
        return rows.iter().map(|row| record(&masked(row), width)).collect::<Vec<_>>().join("\n");
    };
    table(columns, rows, width, Timestamp::now())
}

/// The rows in a member, under the other members.
fn with_rows(answer: &Json, member: &str, columns: &[Column], width: Option<usize>) -> String {
    let Ok(mut members) = answer.decode::<Extra>() else { return record(answer, width) };
    let Some(items) = members.remove(member).and_then(|json| json.decode::<Vec<Json>>().ok()) else {
        return record(answer, width);
    };
    let head = lines(&members, width);
    let gap = if head.is_empty() { "" } else { "\n" };
    format!("{head}{gap}{}", table(columns, &items, width, Timestamp::now()))
}

/// Rows under a head line. Columns that no row has anything for are left out.
fn table(columns: &[Column], rows: &[Json], width: Option<usize>, now: Timestamp) -> String {
    if rows.is_empty() {
        return "nothing\n".into();
    }
    let members: Vec<Extra> = rows.iter().map(|row| masked(row).decode().unwrap_or_default()).collect();
    let mut drawn: Vec<(Column, Vec<String>)> = Vec::new();
    for column in columns {
        let cells: Vec<String> = members.iter().map(|row| cell(*column, row, now)).collect();
        if cells.iter().any(|cell| !cell.is_empty()) {
            drawn.push((*column, cells));
        }
    }
    if drawn.is_empty() {
        let line = |row: &Json| text::excerpt(row.get(), width.unwrap_or(200)).into_owned();
        return rows.iter().flat_map(|row| [line(row), "\n".to_owned()]).collect();
    }
    let widths = fit(&drawn, width);
    let mut out = String::new();
    let titles = drawn.iter().map(|(column, _)| (column.kind, title(*column)));
    push_row(&mut out, titles, &widths);
    for index in 0..rows.len() {
        let cells = drawn.iter().map(|(column, cells)| (column.kind, cells[index].clone()));
        push_row(&mut out, cells, &widths);
    }
    out
}

fn title(column: Column) -> String {
    let name = column.members[0].rsplit('.').next().unwrap_or_default();
    name.replace('_', " ").to_uppercase()
}

/// Widths that show everything, or the widest columns cut until all fit.
fn fit(drawn: &[(Column, Vec<String>)], width: Option<usize>) -> Vec<usize> {
    let widest = |column: &Column, cells: &[String]| {
        let cells = cells.iter().map(|cell| text::width(cell)).max().unwrap_or(0);
        cells.max(text::width(&title(*column)))
    };
    let mut widths: Vec<usize> = drawn.iter().map(|(column, cells)| widest(column, cells)).collect();
    let Some(room) = width else { return widths };
    for column in &mut widths {
        *column = (*column).min(WIDEST.max(room / 2));
    }
    let gaps = GAP * widths.len().saturating_sub(1);
    while widths.iter().sum::<usize>() + gaps > room {
        let Some(largest) = widths.iter_mut().max().filter(|largest| **largest > 4) else { break };
        *largest -= 1;
    }
    widths
}

fn push_row(out: &mut String, cells: impl Iterator<Item = (Cell, String)>, widths: &[usize]) {
    let mut line = String::new();
    for (index, ((kind, cell), width)) in cells.zip(widths).enumerate() {
        if index > 0 {
            line.push_str(&" ".repeat(GAP));
        }
        let cell = text::fit(&cell, *width);
        line.push_str(&match kind {
            Cell::Number => text::pad_left(&cell, *width),
            Cell::Text | Cell::Time => text::pad(&cell, *width),
        });
    }
    out.push_str(line.trim_end());
    out.push('\n');
}

fn cell(column: Column, row: &Extra, now: Timestamp) -> String {
    let Some(json) = column.members.iter().find_map(|path| reach(row, path)) else { return String::new() };
    if column.kind == Cell::Time
        && let Some(age) = age(&json, now)
    {
        return age;
    }
    short(&json)
}

/// A member, also of a nested object; null is nothing.
fn reach(row: &Extra, path: &str) -> Option<Json> {
    let (name, rest) = path.split_once('.').map_or((path, None), |(name, rest)| (name, Some(rest)));
    let json = row.get(name).filter(|json| json.get() != "null")?;
    match rest {
        None => Some(json.clone()),
        Some(rest) => reach(&json.decode().ok()?, rest),
    }
}

/// How long ago a time is; what is still to come stays as it is.
fn age(json: &Json, now: Timestamp) -> Option<String> {
    let at: Timestamp = json.decode().ok()?;
    let seconds = now.as_second() - at.as_second();
    // Clocks disagree by a little (P-06).
    let words = text::ago(seconds.max(0).unsigned_abs());
    match words.as_str() {
        _ if seconds < -60 => None,
        "now" => Some(words),
        _ => Some(format!("{words} ago")),
    }
}

/// A value on one line: text without quotes, a list of words with commas, a number as it was written.
pub(super) fn short(json: &Json) -> String {
    match json.decode::<Value>() {
        Ok(Value::String(words)) => text::excerpt(&words, 200).into_owned(),
        Ok(Value::Bool(yes)) => if yes { "yes" } else { "no" }.to_owned(),
        Ok(Value::Array(items)) if items.iter().all(Value::is_string) => {
            let words: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            text::excerpt(&words.join(", "), 200).into_owned()
        }
        _ => text::excerpt(json.get(), 200).into_owned(),
    }
}

/// One object, a line for each member.
fn record(answer: &Json, width: Option<usize>) -> String {
    match answer.decode::<Extra>() {
        Ok(members) if members.is_empty() => "done\n".into(),
        Ok(members) => lines(&members, width),
        Err(_) => format!("{}\n", text::clean_lines(&pretty(answer))),
    }
}

fn lines(members: &Extra, width: Option<usize>) -> String {
    let longest = members.iter().map(|(name, _)| text::width(name)).max().unwrap_or(0).min(28);
    let room = width.unwrap_or(160).saturating_sub(longest + GAP).max(20);
    let mut out = String::new();
    for (name, json) in members.iter() {
        let label = text::pad(&text::excerpt(name, longest), longest);
        let value = value(json, room);
        if value.contains('\n') {
            out.extend([label.trim_end(), "\n"]);
            for line in value.lines() {
                out.extend(["  ", line, "\n"]);
            }
        } else {
            out.extend([label.as_str(), "  ", &value, "\n"]);
        }
    }
    out
}

/// A member of a record: short on its line, long as a block under it.
fn value(json: &Json, room: usize) -> String {
    if let Ok(words) = json.decode::<String>() {
        return text::clean_lines(&words).into_owned();
    }
    let line = short(json);
    if text::width(&line) <= room && !line.ends_with(text::ELLIPSIS) {
        return line;
    }
    text::clean_lines(&pretty(json)).into_owned()
}

/// JSON over several lines, tokens masked, numbers as they were written.
fn pretty(json: &Json) -> String {
    let mut out = String::new();
    indent(json, 0, &mut out);
    out
}

/// How deep JSON is taken apart.
const DEEPEST: usize = 6;

fn indent(json: &Json, depth: usize, out: &mut String) {
    let pad = "  ".repeat(depth + 1);
    if depth < DEEPEST && json.get().len() > 60 {
        if let Ok(members) = json.decode::<Extra>() {
            out.push_str("{\n");
            for (name, value) in members.iter() {
                out.extend([pad.as_str(), &Value::from(name).to_string(), ": "]);
                indent(value, depth + 1, out);
                out.push('\n');
            }
            out.extend(["  ".repeat(depth).as_str(), "}"]);
            return;
        }
        if let Ok(items) = json.decode::<Vec<Json>>() {
            out.push_str("[\n");
            for item in &items {
                out.push_str(&pad);
                indent(item, depth + 1, out);
                out.push('\n');
            }
            out.extend(["  ".repeat(depth).as_str(), "]"]);
            return;
        }
    }
    out.push_str(json.get());
}

#[cfg(test)]
mod tests {
    use super::super::method::{number, text as words, time};
    use super::*;

    const COLUMNS: &[Column] =
        &[words(&["slug"]), words(&["name"]), number(&["league.rated", "rated"]), time(&["created_at"])];

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    #[test]
    fn a_table_lines_up_also_with_wide_characters_and_cuts_what_does_not_fit() {
        // T-23
        let rows = [
            json(
                r#"{"slug":"chess","name":"チェス盤の上で戦う長い名前","league":{"rated":12},"created_at":"2026-11-29T10:00:00Z"}"#,
            ),
            json(r#"{"slug":"a\u001b[2Jb","name":null,"rated":3,"created_at":"soon"}"#),
        ];
        let now: Timestamp = "2026-11-29T12:00:00Z".parse().unwrap();
        insta::assert_snapshot!(table(COLUMNS, &rows, Some(44), now), @r"
        SLUG    NAME               RATED  CREATED AT
        chess   チェス盤の上で戦…     12  2 h ago
        a␛[2Jb                         3  soon
        ");
        assert_eq!(table(COLUMNS, &[], Some(44), now), "nothing\n");
    }

    #[test]
    fn a_record_keeps_digits_blocks_and_secrets() {
        let record = answer(
            View::Record,
            &json(
                r##"{"slug":"g","seed":12345678901234567890123,"player_token":"pt_x","prompt":"# A\nb","seats":[{"player_id":"p0","player_token":"pt_y","more":"xxxxxxxxxxxxxxxxxxxxxxxxx"}]}"##,
            ),
            Some(80),
        );
        insta::assert_snapshot!(record, @r##"
        slug          g
        seed          12345678901234567890123
        player_token  ***
        prompt
          # A
          b
        seats
          [
            {
              "player_id": "p0"
              "player_token": "***"
              "more": "xxxxxxxxxxxxxxxxxxxxxxxxx"
            }
          ]
        "##);
        assert!(!record.contains("pt_"));
        let seats = json(r#"{"seats":[{"player_id":"p0","player_token":"pt_y"}],"session":{"game":"g"}}"#);
        let brief = answer(View::Brief(&["session.game", "seats", "rank"]), &seats, Some(80));
        assert_eq!(brief, "game   g\nseats  [{\"player_id\":\"p0\",\"player_token\":\"***\"}]\n");
        let table = table(&[words(&["seats"])], &[seats], None, Timestamp::now());
        assert!(!table.contains("pt_"), "{table}");
    }

    #[test]
    fn a_time_to_come_is_no_negative_age() {
        // P-06
        let now: Timestamp = "2026-11-29T12:00:00Z".parse().unwrap();
        assert_eq!(age(&json("\"2026-11-29T12:00:30Z\""), now).as_deref(), Some("now"));
        assert_eq!(age(&json("\"2027-01-01T00:00:00Z\""), now), None);
        assert_eq!(age(&json("12"), now), None);
    }
}
