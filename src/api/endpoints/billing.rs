//! Credits.

use crate::api::model::{Balance, UsageEntry};
use crate::api::{Call, Endpoint, List};

/// Gets the balance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GetBalance;

impl Endpoint for GetBalance {
    type Reply = Balance;
    const NAME: &'static str = "get balance";

    fn call(&self) -> Call {
        Call::get("/auth/balance")
    }
}

/// Lists what was spent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ListUsage {
    /// Filters, sent as they are.
    pub filters: Vec<(String, String)>,
}

impl List for ListUsage {
    type Item = UsageEntry;
    const NAME: &'static str = "list usage";
    const COLLECTION: &'static str = "entries";

    fn call(&self) -> Call {
        Call::get("/auth/usage").filters(&self.filters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_have_the_sdks_shape() {
        // SDK 3.4.0 resources.py `Billing`.
        assert_eq!(GetBalance.call().target(), "/auth/balance");
        assert_eq!(ListUsage::default().call().target(), "/auth/usage");
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
