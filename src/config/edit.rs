//! Changes single settings in the file, leaving comments and order alone.

use toml_edit::{DocumentMut, InlineTable, Item, Key, Table, Value};

/// Sets what a dotted name says. Tables on the way are made.
pub(super) fn assign(document: &mut DocumentMut, path: &[Key], value: Value) -> Result<(), String> {
    let Some((last, parents)) = path.split_last() else { return Err("the name is empty".to_owned()) };
    let mut item = document.as_item_mut();
    for key in parents {
        let inline = item.is_inline_table();
        let Some(table) = item.as_table_like_mut() else { return Err(no_table(key)) };
        item = table.entry(key.get()).or_insert(empty_table(inline));
    }
    let Some(table) = item.as_table_like_mut() else { return Err(no_table(last)) };
    let Some(old) = table.get_mut(last.get()) else {
        table.insert(last.get(), Item::Value(value));
        return Ok(());
    };
    let Some(old) = old.as_value_mut() else { return Err(format!("`{}` is a table", last.get())) };
    // The comment behind the value.
    let decor = old.decor().clone();
    *old = value;
    *old.decor_mut() = decor;
    Ok(())
}

/// Removes what a dotted name says; false if it says nothing.
pub(super) fn remove(document: &mut DocumentMut, path: &[Key]) -> bool {
    let Some((last, parents)) = path.split_last() else { return false };
    let mut item = document.as_item_mut();
    for key in parents {
        match item.as_table_like_mut().and_then(|table| table.get_mut(key.get())) {
            Some(inner) => item = inner,
            None => return false,
        }
    }
    item.as_table_like_mut().and_then(|table| table.remove(last.get())).is_some()
}

fn no_table(key: &Key) -> String {
    format!("what holds `{}` is not a table", key.get())
}

fn empty_table(inline: bool) -> Item {
    if inline {
        return Item::Value(InlineTable::new().into());
    }
    let mut table = Table::new();
    // No header of its own unless it gets values of its own.
    table.set_implicit(true);
    Item::Table(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(text: &str, name: &str, value: &str) -> String {
        let mut document: DocumentMut = text.parse().unwrap();
        assign(&mut document, &Key::parse(name).unwrap(), value.parse().unwrap()).unwrap();
        document.to_string()
    }

    #[test]
    fn a_setting_is_changed_and_everything_else_stays() {
        let text =
            "# mine\nprofile = \"work\" # used\n\n[profiles.work] # the job\n# slow\ntimeout_seconds = 5\n";
        assert_eq!(
            after(text, "profiles.work.timeout_seconds", "60"),
            text.replace("timeout_seconds = 5", "timeout_seconds = 60")
        );
        assert_eq!(after(text, "profile", "\"x\""), text.replace("\"work\"", "\"x\""));
    }

    #[test]
    fn tables_on_the_way_are_made() {
        assert_eq!(after("", "profiles.work.read_only", "true"), "[profiles.work]\nread_only = true\n");
        assert_eq!(
            after("ui = { ascii = true }\n", "ui.mouse", "true"),
            "ui = { ascii = true , mouse = true }\n"
        );
        assert_eq!(
            after("[profiles.a]\nread_only = true\n", "profiles.a.spend.per_day", "5"),
            "[profiles.a]\nread_only = true\n\n[profiles.a.spend]\nper_day = 5\n"
        );
    }

    #[test]
    fn a_setting_is_removed() {
        let mut document: DocumentMut = "a = 1\n# b\nb = 2\n[t]\nc = 3\n".parse().unwrap();
        for (name, found) in [("b", true), ("t.c", true), ("t.d", false), ("x.y", false), ("a.b", false)] {
            assert_eq!(remove(&mut document, &Key::parse(name).unwrap()), found, "{name}");
        }
        assert_eq!(document.to_string(), "a = 1\n[t]\n");
    }
}
