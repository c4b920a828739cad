//! How fast a recording is played.

use std::time::Duration;

/// Speeds, as quarters of the real one.
const SPEEDS: [u32; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];
/// A wait that is longer becomes this long, unless whole waits are wanted.
const LONGEST: Duration = Duration::from_secs(1);
/// Moments that follow faster than this are not all shown.
const LEAST: Duration = Duration::from_millis(16);

/// Speed, and what is done about long waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// A place in [`SPEEDS`].
    speed: usize,
    /// Whether waits last as long as they did.
    pub whole_waits: bool,
}

impl Default for Pace {
    fn default() -> Self {
        Self { speed: 2, whole_waits: false }
    }
}

impl Pace {
    /// The next speed, or the one before; stops at the ends.
    pub fn change(&mut self, faster: bool) {
        self.speed =
            if faster { (self.speed + 1).min(SPEEDS.len() - 1) } else { self.speed.saturating_sub(1) };
    }

    /// How many times the real speed.
    pub fn factor(self) -> f64 {
        f64::from(SPEEDS[self.speed]) / 4.0
    }

    /// How long a moment stays that lasted so long, and how many moments on the next one is.
    pub fn wait(self, lasted: Duration) -> (Duration, usize) {
        let lasted = if self.whole_waits { lasted } else { lasted.min(LONGEST) };
        let wait = lasted * 4 / SPEEDS[self.speed];
        if wait >= LEAST {
            return (wait, 1);
        }
        let moments = LEAST.as_micros() / wait.as_micros().max(500);
        (LEAST, usize::try_from(moments).unwrap_or(1).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_go_from_a_quarter_to_sixty_four() {
        let mut pace = Pace::default();
        assert!((pace.factor() - 1.0).abs() < 1e-9);
        (0..20).for_each(|_| pace.change(true));
        assert!((pace.factor() - 64.0).abs() < 1e-9);
        (0..20).for_each(|_| pace.change(false));
        assert!((pace.factor() - 0.25).abs() < 1e-9);
    }

    #[test]
    fn long_waits_become_a_second_unless_whole_ones_are_wanted() {
        let mut pace = Pace::default();
        assert_eq!(pace.wait(Duration::from_secs(30)), (Duration::from_secs(1), 1));
        assert_eq!(pace.wait(Duration::from_millis(400)), (Duration::from_millis(400), 1));
        pace.whole_waits = true;
        assert_eq!(pace.wait(Duration::from_secs(30)), (Duration::from_secs(30), 1));
        pace.change(true);
        assert_eq!(pace.wait(Duration::from_secs(30)), (Duration::from_secs(15), 1));
    }

    #[test]
    fn what_follows_too_fast_is_not_all_shown() {
        let pace = Pace::default();
        assert_eq!(pace.wait(Duration::from_millis(4)), (LEAST, 4));
        assert_eq!(pace.wait(Duration::ZERO), (LEAST, 32));
    }
}
