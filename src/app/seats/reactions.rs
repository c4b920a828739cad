//! What is done when a policy fails: plain data, chosen by the user with the command.
//!
//! ```text
//!   --on-crash restart   --on-garbage ask   --on-timeout safe   … then the flags and the command of the policy
//! ```
//!
//! A reaction is tried as often as [`Reactions`]'s limits say; after that the human gets the seat.

use crate::policy::FLAGS;

/// How a policy failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Failure {
    /// Its process ended with an error or by a signal.
    Crash,
    /// Its process left on its own, or closed its pipes.
    End,
    /// It answered something that is no action.
    Garbage,
    /// The server refused its action.
    Refused,
    /// It is beyond its soft limit; its answer may still come.
    Late,
    /// It is beyond its hard limit and was ended.
    TimeOut,
    /// It could not be started; trying again would not help.
    NotStarted,
}

/// What is done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reaction {
    /// The policy is stopped; the seat waits for the human.
    Stop,
    /// The policy is started again.
    Restart,
    /// The human gets the seat.
    Hand,
    /// A safe action is played for this turn; the policy goes on with the next.
    Safe,
    /// The policy is asked the same turn again.
    Ask,
    /// Nothing: its answer is awaited.
    Wait,
}

impl Reaction {
    const NAMES: [(Self, &'static str); 6] = [
        (Self::Stop, "stop"),
        (Self::Restart, "restart"),
        (Self::Hand, "hand"),
        (Self::Safe, "safe"),
        (Self::Ask, "ask"),
        (Self::Wait, "wait"),
    ];

    /// The word for it in flags.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(reaction, _)| *reaction == self).map_or("", |(_, name)| name)
    }
}

/// The reaction to each failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reactions {
    /// To a process that ended with an error.
    pub crash: Reaction,
    /// To a process that left.
    pub end: Reaction,
    /// To an answer that is no action.
    pub garbage: Reaction,
    /// To a refused action.
    pub refused: Reaction,
    /// To an answer that is late.
    pub late: Reaction,
    /// To one that did not come.
    pub timeout: Reaction,
}

impl Default for Reactions {
    fn default() -> Self {
        Self {
            crash: Reaction::Restart,
            end: Reaction::Restart,
            garbage: Reaction::Ask,
            refused: Reaction::Ask,
            late: Reaction::Wait,
            timeout: Reaction::Safe,
        }
    }
}

impl Reactions {
    /// The most tries of a reaction before the human gets the seat, and how many good turns make it forgotten.
    pub const FORGOTTEN_AFTER: u64 = 20;

    /// What is done about a failure.
    pub fn to(&self, failure: Failure) -> Reaction {
        match failure {
            Failure::Crash => self.crash,
            Failure::End => self.end,
            Failure::Garbage => self.garbage,
            Failure::Refused => self.refused,
            Failure::Late => self.late,
            Failure::TimeOut => self.timeout,
            Failure::NotStarted => Reaction::Hand,
        }
    }

    /// How often a reaction is tried before the human gets the seat.
    pub fn tries(failure: Failure) -> u32 {
        match failure {
            Failure::Refused => 2,
            Failure::Late => u32::MAX,
            _ => 1,
        }
    }

    /// All of them in a line, for the log.
    pub fn words(&self) -> String {
        FLAG_NAMES
            .iter()
            .map(|(flag, failure, _)| {
                format!("{} → {}", flag.trim_start_matches("--on-"), self.to(*failure).name())
            })
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Takes the flags of reactions out of what stands before a command; gives the words that are left.
    ///
    /// # Errors
    /// What is wrong with a flag.
    pub fn take(words: Vec<String>) -> Result<(Self, Vec<String>), String> {
        let mut reactions = Self::default();
        let mut left = Vec::new();
        let mut words = words.into_iter().peekable();
        while let Some(word) = words.next_if(|word| word.starts_with("--") && word != "--") {
            let (flag, joined) = match word.split_once('=') {
                Some((flag, value)) => (flag, Some(value.to_owned())),
                None => (word.as_str(), None),
            };
            if !flag.starts_with("--on-") {
                let value = joined.is_none() && takes_value(flag);
                left.push(word);
                left.extend(words.next_if(|_| value));
                continue;
            }
            let Some(value) = joined.or_else(|| words.next()) else {
                return Err(format!("`{flag}` needs a reaction after it"));
            };
            reactions.set(flag, &value)?;
        }
        left.extend(words);
        Ok((reactions, left))
    }

    fn set(&mut self, flag: &str, value: &str) -> Result<(), String> {
        let Some((_, failure, allowed)) = FLAG_NAMES.iter().find(|(name, ..)| *name == flag) else {
            let names: Vec<_> = FLAG_NAMES.iter().map(|(name, ..)| *name).collect();
            return Err(format!("`{flag}` is no flag; there are {}", names.join(", ")));
        };
        let Some(reaction) = allowed.iter().find(|reaction| reaction.name() == value) else {
            let names: Vec<_> = allowed.iter().map(|reaction| reaction.name()).collect();
            return Err(format!("`{flag} {value}`: it is one of {}", names.join(", ")));
        };
        match failure {
            Failure::Crash | Failure::NotStarted => self.crash = *reaction,
            Failure::End => self.end = *reaction,
            Failure::Garbage => self.garbage = *reaction,
            Failure::Refused => self.refused = *reaction,
            Failure::Late => self.late = *reaction,
            Failure::TimeOut => self.timeout = *reaction,
        }
        Ok(())
    }
}

const DEAD: &[Reaction] = &[Reaction::Stop, Reaction::Restart, Reaction::Hand, Reaction::Safe];
const WRONG: &[Reaction] =
    &[Reaction::Stop, Reaction::Restart, Reaction::Hand, Reaction::Safe, Reaction::Ask];
const SLOW: &[Reaction] =
    &[Reaction::Stop, Reaction::Restart, Reaction::Hand, Reaction::Safe, Reaction::Wait];

/// The flags, what each is about, and what it takes.
const FLAG_NAMES: &[(&str, Failure, &[Reaction])] = &[
    ("--on-crash", Failure::Crash, DEAD),
    ("--on-end", Failure::End, DEAD),
    ("--on-garbage", Failure::Garbage, WRONG),
    ("--on-refused", Failure::Refused, WRONG),
    ("--on-late", Failure::Late, SLOW),
    ("--on-timeout", Failure::TimeOut, DEAD),
];

/// Whether a flag of a policy has its value in the next word. One that is not known has none: it is refused later.
fn takes_value(flag: &str) -> bool {
    FLAGS.lines().filter_map(|line| line.strip_prefix(flag)).any(|rest| {
        let mut letters = rest.chars();
        letters.next() == Some(' ') && letters.next().is_some_and(|c| c != ' ')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(text: &str) -> Result<(Reactions, String), String> {
        let words = text.split(' ').map(str::to_owned).collect();
        Reactions::take(words).map(|(reactions, left)| (reactions, left.join(" ")))
    }

    #[test]
    fn the_page_for_authors_lists_the_flags_as_they_are() {
        let page = include_str!("../../../assets/policies/README.md");
        for (flag, failure, allowed) in FLAG_NAMES {
            let row = page.lines().find(|line| line.starts_with(&format!("| `{flag}` |"))).expect(flag);
            let names: Vec<String> =
                allowed.iter().map(|reaction| format!("`{}`", reaction.name())).collect();
            let usual = Reactions::default().to(*failure).name();
            assert!(row.ends_with(&format!("| {} | `{usual}` |", names.join(" "))), "{row}");
        }
    }

    #[test]
    fn flags_of_reactions_are_taken_wherever_they_stand_before_the_command() {
        let (reactions, left) =
            take("--on-crash stop --dir x --fresh --on-timeout=hand --turn-ms 5 bot --on-crash hand")
                .unwrap();
        assert_eq!((reactions.crash, reactions.timeout), (Reaction::Stop, Reaction::Hand));
        assert_eq!(reactions.garbage, Reaction::Ask, "the rest is as always");
        assert_eq!(
            left, "--dir x --fresh --turn-ms 5 bot --on-crash hand",
            "what follows the command is its own"
        );
        assert_eq!(take("--dir --on-crash bot").unwrap().1, "--dir --on-crash bot", "a value is no flag");
        assert_eq!(take("-- --on-crash").unwrap().1, "-- --on-crash");
    }

    #[test]
    fn what_is_no_reaction_is_refused_with_what_there_is() {
        assert!(take("--on-crash maybe bot").unwrap_err().contains("one of stop, restart, hand, safe"));
        assert!(
            take("--on-crash ask bot").unwrap_err().contains("--on-crash ask"),
            "the dead answer nothing"
        );
        assert!(take("--on-fire stop bot").unwrap_err().contains("--on-garbage"));
        assert!(take("--on-late").unwrap_err().contains("needs a reaction"));
    }

    #[test]
    fn they_are_told_in_a_line() {
        assert_eq!(
            Reactions::default().words(),
            "crash → restart, end → restart, garbage → ask, refused → ask, late → wait, timeout → safe"
        );
    }
}
