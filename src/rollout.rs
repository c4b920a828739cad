//! The SDK's client-side algorithms on top of [`api`](crate::api): what a model is shown and how its answer is read,
//! episodes from reset to end, batched stepping, scoring of actions, transcripts of generated code.
