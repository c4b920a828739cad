//! Conversations with an endpoint, tools included: one request after the other, each with all that was said.

use std::time::Duration;

use serde_json::Value;
use tokio::sync::mpsc;

use super::super::spec::{Endpoint, Limits};
use super::request::{Asker, Fault};
use super::stream::ToolCall;

/// An endpoint, ready to be asked.
#[derive(Clone)]
pub struct Chat(Asker);

impl std::fmt::Debug for Chat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Chat(..)")
    }
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatReply {
    /// What the model said.
    pub text: String,
    /// What it wants to be called, in its order.
    pub tool_calls: Vec<ToolCall>,
    /// The endpoint cut it at its limit of tokens.
    pub is_cut: bool,
}

impl Chat {
    /// Reads the key; `patience` is for one answer, with all repetitions.
    ///
    /// # Errors
    /// There is no key in the named variable, or no connection can be made at all.
    pub fn new(endpoint: &Endpoint, patience: Duration) -> Result<Self, String> {
        Asker::new(endpoint, &Limits { turn: patience, ..Limits::for_models() }).map(Self)
    }

    /// Asks. `request` has `messages`, and `tools` where there are any; the model and what streaming needs are added.
    ///
    /// # Errors
    /// Why there is no answer, after what may be repeated was repeated.
    pub async fn ask(&self, request: Value) -> Result<ChatReply, String> {
        // Nobody listens for the pieces.
        let (pieces, _) = mpsc::channel(1);
        match self.0.converse(request, &pieces).await {
            Ok(reply) => {
                let named = reply.tool_calls.into_iter().filter(|call| !call.name.is_empty());
                Ok(ChatReply { text: reply.text, tool_calls: named.collect(), is_cut: reply.is_cut })
            }
            Err(Fault::Refused(why) | Fault::Broken { why, .. }) => Err(why),
            Err(Fault::TooLong) => Err("the answer is too long".to_owned()),
        }
    }
}
