//! Caps on spending.

use std::fmt;

use crate::api::Micro;

/// Caps on spending, enforced before anything is sent. Without a cap there is no limit of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spend {
    /// The most that one action may cost.
    pub per_action: Option<Micro>,
    /// The most that a day's actions may cost.
    pub per_day: Option<Micro>,
    /// The most that the profile may cost in all.
    pub per_profile: Option<Micro>,
    /// What happens to an action whose price nobody knows beforehand.
    pub unknown_price: UnknownPrice,
}

/// What happens to an action whose price nobody knows beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownPrice {
    /// It is done. The default where there is no cap.
    #[default]
    Allow,
    /// It is not done. The default once any cap is set.
    Refuse,
}

impl fmt::Display for UnknownPrice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "allow",
            Self::Refuse => "refuse",
        })
    }
}

impl Spend {
    /// True when there is a cap at all.
    pub fn has_cap(&self) -> bool {
        self.per_action.is_some() || self.per_day.is_some() || self.per_profile.is_some()
    }
}
