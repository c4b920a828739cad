//! Providers: model endpoints that an organisation registered in the dashboard.

use std::collections::BTreeMap;

use super::ProviderId;
use super::members::model;

model! {
    /// A provider.
    pub struct Provider {
        /// Its name for requests.
        pub provider_id: ProviderId = or "id",
        /// Its name for people.
        pub name: Option<String>,
        /// Which of its models may be used.
        pub allowed_models: Option<Vec<String>>,
        /// Which of them play which game, where that differs.
        pub models_by_game: Option<BTreeMap<String, Vec<String>>>,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::model::Rows;
    use crate::api::model::check::keeps;

    #[test]
    fn the_shapes_of_the_sdks_tests_are_kept() {
        // SDK 3.4.0 tests/test_client.py test_providers_list_returns_list; README `allowed_models`.
        keeps::<Rows<Provider>>(r#"[{"provider_id":"p7","name":"mine"}]"#);
        keeps::<Rows<Provider>>(r#"[{"provider_id":"p7","name":"mine","allowed_models":["m-1"]}]"#);
    }
}
