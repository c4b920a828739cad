//! How hard a match is: the config's member `difficulty` of the games that have one.

use serde::Deserialize;

/// From 0 to 1 on the wire; kept in whole per mille, so that no state and no size depends on a float.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "f64")]
pub struct Difficulty(u16);

/// What stands for 1.
const WHOLE: u32 = 1000;

impl Difficulty {
    /// From 0 to 1000.
    pub fn per_mille(self) -> u32 {
        u32::from(self.0)
    }

    /// `span` times the difficulty, rounded, half up.
    pub fn share_of(self, span: u32) -> u32 {
        (span * self.per_mille() + WHOLE / 2) / WHOLE
    }
}

/// What a game is played at when nobody says: 0.45.
impl Default for Difficulty {
    fn default() -> Self {
        Self(450)
    }
}

impl TryFrom<f64> for Difficulty {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        if (0.0..=1.0).contains(&value) {
            Ok(Self((value * f64::from(WHOLE)).round() as u16))
        } else {
            Err("`difficulty` must be a number from 0 to 1".into())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn it_is_read_in_per_mille() {
        let read = |value| serde_json::from_value::<Difficulty>(value);
        for (value, per_mille) in
            [(json!(0), 0), (json!(0.45), 450), (json!(1), 1000), (json!(0.1234), 123), (json!(-0.0), 0)]
        {
            assert_eq!(read(value).unwrap().per_mille(), per_mille);
        }
        for bad in [json!(-0.1), json!(1.001), json!("0.5"), json!(null), json!([0.5])] {
            assert!(read(bad.clone()).is_err(), "{bad}");
        }
    }

    #[test]
    fn shares_are_rounded_half_up() {
        let share = |value: f64, span| Difficulty::try_from(value).unwrap().share_of(span);
        assert_eq!(
            [share(0.45, 8), share(0.45, 18), share(1.0, 18), share(0.5, 1), share(0.0, 9)],
            [4, 8, 18, 1, 0]
        );
    }
}
