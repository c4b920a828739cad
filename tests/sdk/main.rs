//! Our algorithms against the official Python SDK's, input by input. `.ci/sdk-diff.sh` runs this; a plain `cargo test`
//! does not, since it needs the SDK.

#![expect(
    clippy::unwrap_used,
    reason = "a step that fails is a test that fails, also in shared harness code"
)]

mod oracle;
mod pure;
mod wire;
