//! Credits.

use crate::api::model::{Balance, UsageEntry};
use crate::api::request::request;
use crate::api::{Call, Endpoint, List};

request! {
    /// Gets the balance: credits that may be spent, and the plan.
    ///
    /// Free. The server may be silent for 30 s.
    pub struct GetBalance {}
}

impl Endpoint for GetBalance {
    type Reply = Balance;
    const NAME: &'static str = "get balance";
    const OPERATION: &'static str = "billing.balance";

    fn call(&self) -> Call {
        Call::get("/auth/balance").fields(self)
    }
}

request! {
    /// Lists what was spent, newest first.
    ///
    /// Free. The server may be silent for 30 s.
    pub struct ListUsage {}
}

impl List for ListUsage {
    type Item = UsageEntry;
    const NAME: &'static str = "list usage";
    const OPERATION: &'static str = "billing.usage";
    const COLLECTION: &'static str = "entries";

    fn call(&self) -> Call {
        Call::get("/auth/usage").fields(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_have_the_sdks_shape() {
        // SDK 3.4.0 resources.py `Billing`.
        assert_eq!(GetBalance::new().call().target(), "/auth/balance");
        assert_eq!(ListUsage::new().call().target(), "/auth/usage");
    }

    #[test]
    fn a_balance_and_an_entry_are_read_with_whatever_else_comes() {
        let balance: Balance =
            serde_json::from_str(r#"{"credits":10,"tier":"pro","org":"x"}"#).expect("a balance");
        assert_eq!((balance.credits.to_bits(), balance.tier.as_deref()), (10f64.to_bits(), Some("pro")));
        let entry: UsageEntry =
            serde_json::from_str(r#"{"id":"u_1","type":"session","amount":0.0168,"session_id":"s_1"}"#)
                .expect("an entry");
        assert_eq!((entry.kind.as_deref(), entry.credits), (Some("session"), Some(0.0168)));
    }
}
