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
//! println!("{} credits", client.send(&GetBalance::new()).await?.credits);
//! # Ok(())
//! # }
//! ```

mod base_url;
mod call;
mod clean;
mod connect;
mod download;
pub mod endpoints;
mod error;
mod guard;
mod http;
mod key;
pub mod model;
mod money;
mod pages;
pub mod reconnect;
mod request;
mod rules;
mod retry;
mod settings;
mod socket;
mod wait;

pub use self::base_url::{BaseUrl, BaseUrlError};
pub use self::call::{Call, Endpoint, List, QueryValue, Quote, Timeout};
pub use self::download::{DownloadProgress, Downloaded};
pub use self::error::{Error, ErrorKind};
pub use self::guard::{Guard, Guarded, Intent, Outcome, Refusal};
pub use self::http::Client;
pub use self::key::{ApiKey, KeyError};
pub use self::money::{AmountError, Micro};
pub use self::pages::{All, MAX_PAGE, PageOptions};
pub use self::request::{Arg, Field, FieldValue, Kind, Place, Request};
pub use self::rules::{RULES, Resend, Rule};
pub use self::settings::{Notice, Observer, ProxyRules, Settings};
pub use self::socket::{Closed, JsonSlice, Message, MessageKind, PlaySocket, SocketError, Verdict};
pub use self::wait::{Patience, WaitEvent, WaitOptions, age};
