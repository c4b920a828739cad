//! The platform's REST and WebSocket API, typed. Also a library for others: it uses nothing else of this crate.
//!
//! A request is a value ([`Endpoint`], or [`List`] for pages) that makes a [`Call`]; a [`Client`] sends it, sends
//! it again where that is safe, and decodes the answer tolerantly into the types of [`model`]. Sockets come from
//! [`Client::connect_player`] and [`Client::spectate`]; [`reconnect`] decides what follows when one is lost.
//! Failures are an [`Error`] with an [`ErrorKind`]. Nothing here prints, reads configuration or keeps state.
//!
//! [`Endpoint`]: crate::api::Endpoint
//! [`List`]: crate::api::List
//! [`Call`]: crate::api::Call
//! [`Client`]: crate::api::Client
//! [`model`]: crate::api::model
//! [`Client::connect_player`]: crate::api::Client::connect_player
//! [`Client::spectate`]: crate::api::Client::spectate
//! [`reconnect`]: crate::api::reconnect
//! [`Error`]: crate::api::Error
//! [`ErrorKind`]: crate::api::ErrorKind
//!
//! ```no_run
//! use gert::api::{Client, Settings, endpoints::GetBalance};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! // The key in `GERT_API_KEY`, the address in `GERT_BASE_URL` or the platform's own.
//! let client = Client::new(Settings::from_env(None, None)?)?;
//! println!("{} credits", client.send(&GetBalance).await?.credits);
//! # Ok(())
//! # }
//! ```

mod base_url;
mod call;
mod clean;
mod connect;
pub mod endpoints;
mod error;
mod http;
mod key;
pub mod model;
mod pages;
pub mod reconnect;
mod resend;
mod retry;
mod settings;
mod socket;

pub use self::base_url::{BaseUrl, BaseUrlError};
pub use self::call::{Call, Endpoint, List, QueryValue, Timeout};
pub use self::error::{Error, ErrorKind};
pub use self::http::Client;
pub use self::key::{ApiKey, KeyError};
pub use self::pages::{All, MAX_PAGE, PageOptions};
pub use self::resend::{RULES, Resend, Rule};
pub use self::settings::{Notice, Observer, ProxyRules, Settings};
pub use self::socket::{Closed, JsonSlice, Message, MessageKind, PlaySocket, SocketError, Verdict};
