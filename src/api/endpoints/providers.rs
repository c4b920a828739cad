//! Providers.

use crate::api::model::{Provider, Rows};
use crate::api::request::request;
use crate::api::{Call, Endpoint};

request! {
    /// Lists the organisation's providers: its own model endpoints. They are registered in the dashboard only.
    ///
    /// Free. The server may be silent for 30 s.
    pub struct ListProviders {}
}

impl Endpoint for ListProviders {
    type Reply = Rows<Provider>;
    const NAME: &'static str = "list providers";
    const OPERATION: &'static str = "providers.list";

    fn call(&self) -> Call {
        Call::get("/org/providers").fields(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_request_has_the_sdks_shape() {
        // SDK 3.4.0 resources.py `Providers`.
        assert_eq!(ListProviders::new().call().target(), "/org/providers");
    }
}
