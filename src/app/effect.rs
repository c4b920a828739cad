//! What should happen next: values that the runtime carries out.

use crate::client::Request;
use crate::policy::{PolicySpec, Run};

/// Something to do outside of the state.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Ask the client task.
    Send(Request),
    /// Start a policy.
    StartPolicy(Run, PolicySpec),
    /// Tell a running policy something.
    TellPolicy(Run, Tell),
    /// End a policy and everything it started.
    StopPolicy(Run),
    /// Put text on the terminal's clipboard.
    Copy(String),
    /// Turn mouse reports on or off.
    SetMouse(bool),
    /// Start an arena in this process and use it.
    OpenArena,
    /// Use this key from now on.
    UseKey(Secret),
    /// Keep how the user wants games drawn: the text of `views.json`.
    KeepViews(String),
    /// Stop to the shell until it says go on.
    Suspend,
    /// Read the files that say how games are drawn again.
    ReadRenderers,
    /// Draw every cell again.
    Redraw,
    /// End the program.
    Exit,
}

/// What a policy is told.
#[derive(Debug, Clone, PartialEq)]
pub enum Tell {
    /// A match begins.
    Hello(crate::policy::Hello),
    /// Its turn.
    Observe(crate::policy::Turn),
    /// Its answer was refused.
    Reject {
        /// The turn's id.
        id: u64,
        /// Why.
        reasons: Vec<String>,
    },
    /// The match is over.
    End(serde_json::Value),
}

/// A key on its way; prints `***`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}
