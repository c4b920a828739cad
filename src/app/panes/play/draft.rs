//! An action being written by hand: checked, completed, and recalled from what was played before.

use std::sync::Arc;

use serde_json::Value;

use crate::app::editor::Editor;
use crate::app::schema::Schema;

/// An action being written.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The text.
    pub editor: Editor,
    /// The tick it is meant for; sending it to another needs a second Enter.
    pub tick: u64,
    /// The editor has the keys.
    pub open: bool,
    /// A text that does not fit the schema; Enter sends it all the same if it is still that.
    pub warned: Option<String>,
    offers: Option<Offers>,
    /// How far back in the history it is, and what was written before.
    recalled: Option<(usize, String)>,
}

/// What may stand at the cursor; each Tab puts the next one there.
#[derive(Debug, Clone)]
struct Offers {
    from: usize,
    options: Vec<String>,
    nth: usize,
}

/// What there is to say of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is an action.
    Action,
    /// It is none, or not yet.
    Unread(String),
    /// It is one, and does not fit the game's schema.
    Misfit {
        /// What does not fit.
        why: String,
        /// In which line, from 0.
        line: Option<usize>,
    },
}

impl Draft {
    /// A text to change.
    pub fn new(text: &str, tick: u64) -> Self {
        Self { editor: Editor::lines(text), tick, open: true, warned: None, offers: None, recalled: None }
    }

    /// What there is to say of it.
    pub fn verdict(&self, schema: Option<&Schema>) -> Verdict {
        let text = self.editor.text();
        if let Err(why) = read_action(&text) {
            return Verdict::Unread(why);
        }
        let fault = schema.zip(serde_json::from_str(&text).ok());
        match fault.and_then(|(schema, value)| schema.check(&value)) {
            None => Verdict::Action,
            Some(fault) => Verdict::Misfit { why: fault.to_string(), line: fault.line(&text) },
        }
    }

    /// Something was typed: offers and history begin anew.
    pub fn touched(&mut self) {
        (self.offers, self.recalled) = (None, None);
    }

    /// What Tab offers at the moment, and which of it is in the text.
    pub fn offers(&self) -> Option<(&[String], usize)> {
        self.offers.as_ref().map(|offers| (offers.options.as_slice(), offers.nth))
    }

    /// Puts what may come next at the cursor, or the next of what may. In place of nothing come whole actions.
    pub fn complete(&mut self, schema: Option<&Schema>, actions: impl Iterator<Item = String>) {
        let at = self.editor.offset();
        if let Some(offers) = &mut self.offers {
            let put = offers.options[offers.nth].len();
            offers.nth = (offers.nth + 1) % offers.options.len();
            let (from, next) = (offers.from, offers.options[offers.nth].clone());
            self.editor.replace(from, from + put, &next);
            return;
        }
        let text = self.editor.text();
        let offers = if text.trim().is_empty() {
            let mut options: Vec<String> = Vec::new();
            for action in actions {
                if !options.contains(&action) {
                    options.push(action);
                }
            }
            self.editor.set("");
            Offers { from: 0, options, nth: 0 }
        } else {
            let Some(found) = schema.and_then(|schema| schema.complete(&text, at)) else { return };
            Offers { from: found.from, options: found.options, nth: 0 }
        };
        let Some(first) = offers.options.first() else { return };
        let to = if offers.from == 0 { 0 } else { at };
        self.editor.replace(offers.from, to, first);
        self.recalled = None;
        self.offers = Some(offers);
    }

    /// Goes to an older action of the history, or back to a newer one and at last to what was being written.
    pub fn recall<'a>(&mut self, history: impl DoubleEndedIterator<Item = &'a str>, older: bool) {
        self.offers = None;
        let (back, own) = self.recalled.take().unwrap_or_else(|| (0, self.editor.text()));
        let history: Vec<&str> = history.rev().collect();
        let back = if older { (back + 1).min(history.len()) } else { back.saturating_sub(1) };
        match back.checked_sub(1).and_then(|nth| history.get(nth)) {
            Some(text) => {
                self.editor.set(text);
                self.recalled = Some((back, own));
            }
            None => self.editor.set(&own),
        }
    }
}

/// Reads a written action: an object, or a list of objects.
///
/// # Errors
/// What is wrong with it and where.
pub fn read_action(text: &str) -> Result<Arc<str>, String> {
    let value: Value = serde_json::from_str(text).map_err(|why| match why.classify() {
        serde_json::error::Category::Eof => "not finished yet".to_owned(),
        _ => why.to_string(),
    })?;
    match &value {
        Value::Object(_) => Ok(text.trim().into()),
        Value::Array(items) if items.iter().all(Value::is_object) => Ok(text.trim().into()),
        Value::Array(_) => Err("every item of the list must be an object".into()),
        _ => Err("an action is an object, or a list of objects".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_history_is_walked_and_what_was_written_is_not_lost() {
        let mut draft = Draft::new("{\"mine\":", 1);
        let history = ["{\"a\":1}", "{\"b\":2}"];
        let mut step = |older| {
            draft.recall(history.into_iter(), older);
            draft.editor.text()
        };
        assert_eq!([step(true), step(true), step(true)], ["{\"b\":2}", "{\"a\":1}", "{\"a\":1}"]);
        assert_eq!([step(false), step(false), step(false)], ["{\"b\":2}", "{\"mine\":", "{\"mine\":"]);
    }

    #[test]
    fn tab_offers_one_thing_after_the_other() {
        let schema = Schema::read(r#"{"properties":{"dir":{"enum":["up","down"]}}}"#).unwrap();
        let mut draft = Draft::new("{\"dir\": ", 1);
        let tab = |draft: &mut Draft| {
            draft.complete(Some(&schema), ["{}".to_owned(), "[]".to_owned(), "{}".to_owned()].into_iter());
            draft.editor.text()
        };
        assert_eq!(tab(&mut draft), "{\"dir\": \"up\"");
        assert_eq!(tab(&mut draft), "{\"dir\": \"down\"");
        assert_eq!(tab(&mut draft), "{\"dir\": \"up\"");
        draft.touched();
        assert_eq!(tab(&mut draft), "{\"dir\": \"up\"", "a comma has to come first");
        let mut empty = Draft::new(" ", 1);
        assert_eq!([tab(&mut empty), tab(&mut empty), tab(&mut empty)], ["{}", "[]", "{}"]);
    }

    #[test]
    fn only_objects_and_lists_of_objects_are_actions() {
        for good in ["{}", "[]", r#"[{"a":1}]"#, r#" {"action":"drop","column":3} "#] {
            assert_eq!(&*read_action(good).unwrap(), good.trim());
        }
        for (bad, why) in [
            ("", "not finished"),
            ("[{", "not finished"),
            ("[1]", "every item"),
            ("3", "an action is"),
            ("\"x\"", "an action is"),
            ("{\"a\":}", "line 1"),
            ("[[{}]]", "every item"),
        ] {
            assert!(read_action(bad).unwrap_err().contains(why), "{bad}");
        }
    }

    #[test]
    fn numbers_beyond_a_double_are_sent_as_written() {
        assert_eq!(
            &*read_action(r#"{"id":12345678901234567890123}"#).unwrap(),
            r#"{"id":12345678901234567890123}"#
        );
    }
}
