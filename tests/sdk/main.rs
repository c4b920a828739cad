//! Our algorithms against the official Python SDK's, input by input. `.ci/sdk-diff.sh` runs this; a plain `cargo test`
//! does not, since it needs the SDK.

mod oracle;
mod pure;
mod wire;
