//! Straight-line grammars: reading, price, and the check that one stands for a text.
//!
//! Sizes are added up from the bottom first, so that a grammar that doubles itself thirty times is refused without being
//! expanded; cycles are found before that.

use serde_json::{Map, Value, json};

use crate::arena::tasks::answer::{self, Fuel, Refusal};

/// The cost of a reference.
const REFERENCE_COST: usize = 2;
/// The cost of a rule.
pub(super) const RULE_COST: usize = 2;

/// A part of a rule.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item {
    Literal(String),
    /// To the rule with this number.
    Reference(usize),
}

/// Rules by number.
#[derive(Debug)]
pub(super) struct Grammar {
    pub(super) rules: Vec<Vec<Item>>,
    pub(super) start: usize,
}

impl Grammar {
    /// Reads an answer; all references lead to rules that there are.
    pub(super) fn read(action: &Value) -> Result<Self, Refusal> {
        let members = answer::members(action, "submit")?;
        let (named, start) = (answer::object(members, "rules")?, answer::text(members, "start")?);
        let numbers: std::collections::HashMap<&str, usize> =
            named.keys().enumerate().map(|(number, name)| (name.as_str(), number)).collect();
        let find = |name: &str| {
            let number = numbers.get(name).copied();
            number.ok_or_else(|| Refusal::Answer(format!("there is no rule `{}`", shortened(name))))
        };
        let item = |rule: &str, item: &Value| match item {
            Value::String(text) => Ok(Item::Literal(text.clone())),
            Value::Object(reference) if reference.len() == 1 => match reference.get("r") {
                Some(Value::String(name)) => Ok(Item::Reference(find(name)?)),
                _ => Err(bad_item(rule)),
            },
            _ => Err(bad_item(rule)),
        };
        let rule = |(name, items): (&String, &Value)| {
            let items = items.as_array().ok_or_else(|| bad_item(name))?;
            items.iter().map(|part| item(name, part)).collect()
        };
        let rules = named.iter().map(rule).collect::<Result<_, _>>()?;
        Ok(Self { rules, start: find(start)? })
    }

    /// As an answer.
    pub(super) fn answer(&self) -> Value {
        let name = |number: usize| if number == self.start { "S".to_owned() } else { format!("R{number}") };
        let item = |item: &Item| match item {
            Item::Literal(text) => json!(text),
            Item::Reference(number) => json!({ "r": name(*number) }),
        };
        let rules: Map<String, Value> = (self.rules.iter().enumerate())
            .map(|(number, items)| (name(number), items.iter().map(item).collect()))
            .collect();
        json!({ "action": "submit", "start": name(self.start), "rules": rules })
    }

    /// What it costs, unused rules included.
    pub(super) fn cost(&self) -> usize {
        let item = |item: &Item| match item {
            Item::Literal(text) => text.len(),
            Item::Reference(_) => REFERENCE_COST,
        };
        self.rules.iter().map(|items| RULE_COST + items.iter().map(item).sum::<usize>()).sum()
    }

    /// Whether it stands for the text.
    pub(super) fn check(&self, text: &str, fuel: &mut Fuel) -> Result<(), Refusal> {
        let sizes = self.sizes(fuel)?;
        if sizes[self.start] != text.len() {
            let (found, wanted) = (sizes[self.start], text.len());
            return Err(Refusal::Answer(format!(
                "the grammar gives {found} bytes and the text has {wanted}"
            )));
        }
        let mut rest = text;
        let mut open = vec![self.rules[self.start].iter()];
        while let Some(items) = open.last_mut() {
            fuel.spend(4)?;
            match items.next() {
                None => _ = open.pop(),
                Some(Item::Literal(literal)) => {
                    fuel.spend(literal.len() / 8)?;
                    rest = rest.strip_prefix(literal.as_str()).ok_or_else(|| {
                        Refusal::Answer(format!(
                            "the text is another from byte {} on",
                            text.len() - rest.len()
                        ))
                    })?;
                }
                // What is empty may hide any number of rules that are empty, too.
                Some(Item::Reference(rule)) if sizes[*rule] > 0 => open.push(self.rules[*rule].iter()),
                Some(Item::Reference(_)) => {}
            }
        }
        Ok(())
    }

    /// The bytes that each rule stands for, as many as a number can hold.
    fn sizes(&self, fuel: &mut Fuel) -> Result<Vec<usize>, Refusal> {
        let mut users = vec![Vec::new(); self.rules.len()];
        let mut waits_for = vec![0usize; self.rules.len()];
        for (number, items) in self.rules.iter().enumerate() {
            fuel.spend(items.len())?;
            for item in items {
                if let Item::Reference(rule) = item {
                    users[*rule].push(number);
                    waits_for[number] += 1;
                }
            }
        }
        let mut sizes: Vec<usize> = (self.rules.iter())
            .map(|items| {
                let literal = |item: &Item| if let Item::Literal(text) = item { text.len() } else { 0 };
                items.iter().map(literal).sum()
            })
            .collect();
        let mut ready: Vec<usize> = (0..self.rules.len()).filter(|&rule| waits_for[rule] == 0).collect();
        let mut done = 0;
        while let Some(rule) = ready.pop() {
            done += 1;
            for &user in &users[rule] {
                sizes[user] = sizes[user].saturating_add(sizes[rule]);
                waits_for[user] -= 1;
                if waits_for[user] == 0 {
                    ready.push(user);
                }
            }
        }
        if done < self.rules.len() {
            return Err(Refusal::answer("some rules refer to themselves through others"));
        }
        Ok(sizes)
    }
}

fn bad_item(rule: &str) -> Refusal {
    let rule = shortened(rule);
    Refusal::Answer(format!("rule `{rule}` must be a list of texts and of `{{\"r\":\"NAME\"}}`"))
}

/// A name as far as it fits a message.
fn shortened(name: &str) -> String {
    name.chars().take(20).collect()
}
