//! How observations are looked at: the user's choices for a game's fields, what is folded, what is searched for, what
//! an observation is compared with.

mod views;

pub use self::views::{Choice, Form, GameView, Views};
