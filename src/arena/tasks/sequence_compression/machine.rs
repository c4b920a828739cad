//! A stack language of twelve operations on lists of numbers.

use serde_json::{Value, json};

use crate::arena::tasks::answer::{self, Fuel, Refusal};

/// How many times as long as the sequence a list may become.
const LONGEST: usize = 8;

/// One token of a program.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Number(i64),
    /// Letters as numbers from 0 to 7.
    Text(Vec<u8>),
    Index,
    Add,
    Mul,
    Mod,
    Xor,
    Shift,
    Concat,
    Repeat,
    Pick,
    If,
}

const WORDS: &[(&str, Token)] = &[
    ("index", Token::Index),
    ("add", Token::Add),
    ("mul", Token::Mul),
    ("mod", Token::Mod),
    ("xor", Token::Xor),
    ("shift", Token::Shift),
    ("concat", Token::Concat),
    ("repeat", Token::Repeat),
    ("pick", Token::Pick),
    ("if", Token::If),
];

impl Token {
    fn read(value: &Value) -> Option<Self> {
        if let Some(number) = value.as_i64() {
            return Some(Self::Number(number));
        }
        let word = value.as_str()?;
        if let Some((_, token)) = WORDS.iter().find(|(known, _)| *known == word) {
            return Some(token.clone());
        }
        let is_text = !word.is_empty() && word.bytes().all(|letter| (b'A'..=b'H').contains(&letter));
        is_text.then(|| Self::Text(word.bytes().map(|letter| letter - b'A').collect()))
    }

    fn json(&self) -> Value {
        match self {
            Self::Number(number) => json!(number),
            Self::Text(symbols) => json!(letters(symbols)),
            other => {
                WORDS.iter().find(|(_, token)| token == other).map_or(Value::Null, |(word, _)| json!(word))
            }
        }
    }

    fn cost(&self) -> usize {
        if let Self::Text(symbols) = self { symbols.len() } else { 1 }
    }
}

/// Symbols as letters.
pub(super) fn letters(symbols: &[u8]) -> String {
    symbols.iter().map(|symbol| char::from(b'A' + symbol % 8)).collect()
}

/// A program, not checked.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Program(pub(super) Vec<Token>);

impl Program {
    /// Reads an answer.
    pub(super) fn read(action: &Value) -> Result<Self, Refusal> {
        let tokens = answer::list(answer::members(action, "submit")?, "program")?;
        let token = |(at, value)| {
            let problem = || {
                Refusal::Answer(format!(
                    "token {at} is no operation, no whole number and no text of letters from A to H"
                ))
            };
            Token::read(value).ok_or_else(problem)
        };
        tokens.iter().enumerate().map(token).collect::<Result<_, _>>().map(Self)
    }

    /// As an answer.
    pub(super) fn answer(&self) -> Value {
        json!({ "action": "submit", "program": self.0.iter().map(Token::json).collect::<Vec<_>>() })
    }

    /// What it costs.
    pub(super) fn cost(&self) -> usize {
        self.0.iter().map(Token::cost).sum()
    }

    /// The first `length` symbols that it makes.
    pub(super) fn run(&self, length: usize, fuel: &mut Fuel) -> Result<Vec<u8>, Refusal> {
        let mut machine = Machine { stack: Vec::new(), length, fuel };
        for (at, token) in self.0.iter().enumerate() {
            machine.step(token).map_err(|fault| match fault {
                Fault::Time => Refusal::Time,
                Fault::Problem(problem) => Refusal::Answer(format!("token {at}: {problem}")),
            })?;
        }
        match machine.stack.last() {
            Some(list) if !list.is_empty() => {
                let symbols = list.iter().cycle().take(length);
                Ok(symbols.map(|number| number.rem_euclid(8) as u8).collect())
            }
            _ => Err(Refusal::answer("the program leaves nothing on the stack")),
        }
    }
}

/// Why a step cannot be done.
enum Fault {
    Problem(&'static str),
    Time,
}

struct Machine<'a> {
    stack: Vec<Vec<i64>>,
    length: usize,
    fuel: &'a mut Fuel,
}

impl Machine<'_> {
    fn step(&mut self, token: &Token) -> Result<(), Fault> {
        let list = match token {
            Token::Number(number) => vec![*number],
            Token::Text(symbols) => symbols.iter().map(|symbol| i64::from(*symbol)).collect(),
            Token::Index => (0..self.length as i64).collect(),
            Token::Add => self.combine(|a, b| Some(a.wrapping_add(b)))?,
            Token::Mul => self.combine(|a, b| Some(a.wrapping_mul(b)))?,
            Token::Mod => self.combine(i64::checked_rem_euclid)?,
            Token::Xor => self.combine(|a, b| Some(a ^ b))?,
            Token::Shift => self.combine(|a, b| (0..64).contains(&b).then(|| a >> b))?,
            Token::Concat => {
                let (upper, mut lower) = (self.pop()?, self.pop()?);
                self.room(lower.len() + upper.len())?;
                lower.extend(upper);
                lower
            }
            Token::Repeat => {
                let (count, list) = (self.pop()?, self.pop()?);
                let [count] = count[..] else { return Err(Fault::Problem("the count must be one number")) };
                let count = usize::try_from(count).map_err(|_| Fault::Problem("the count is below 0"))?;
                self.room(list.len().saturating_mul(count))?;
                list.repeat(count)
            }
            Token::Pick => {
                let (places, list) = (self.pop()?, self.pop()?);
                if list.is_empty() && !places.is_empty() {
                    return Err(Fault::Problem("there is nothing to pick from"));
                }
                let place = |place: &i64| list[place.rem_euclid(list.len() as i64) as usize];
                places.iter().map(place).collect()
            }
            Token::If => {
                let (which, middle, lowest) = (self.pop()?, self.pop()?, self.pop()?);
                none_empty(&[&which, &middle, &lowest])?;
                let choose = |at| around(if around(&which, at) == 0 { &middle } else { &lowest }, at);
                (0..self.length).map(choose).collect()
            }
        };
        self.room(list.len())?;
        self.fuel.spend(8 + list.len() * 4).map_err(|_| Fault::Time)?;
        self.stack.push(list);
        Ok(())
    }

    fn pop(&mut self) -> Result<Vec<i64>, Fault> {
        self.stack.pop().ok_or(Fault::Problem("the stack is empty"))
    }

    fn room(&self, length: usize) -> Result<(), Fault> {
        // Few short lists would do no harm, but many long ones on the stack would.
        if length > self.length * LONGEST || self.stack.len() > 256 {
            return Err(Fault::Problem("the list is too long, or the stack too high"));
        }
        Ok(())
    }

    fn combine(&mut self, with: fn(i64, i64) -> Option<i64>) -> Result<Vec<i64>, Fault> {
        let (upper, lower) = (self.pop()?, self.pop()?);
        none_empty(&[&upper, &lower])?;
        let number = |at| with(around(&lower, at), around(&upper, at));
        let list: Option<Vec<i64>> = (0..self.length).map(number).collect();
        list.ok_or(Fault::Problem("a number is divided by 0, or shifted too far"))
    }
}

fn around(list: &[i64], at: usize) -> i64 {
    list[at % list.len()]
}

/// Lists that are to be repeated must have something to repeat.
fn none_empty(lists: &[&Vec<i64>]) -> Result<(), Fault> {
    let is_empty = lists.iter().any(|list| list.is_empty());
    if is_empty { Err(Fault::Problem("a list is empty")) } else { Ok(()) }
}
