//! Where a user types that he wants to go.

/// A place as it is typed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// A tick.
    Tick(u64),
    /// So far into it, from 0 to 100.
    Percent(f64),
    /// So many moments on, or back.
    By(isize),
}

/// Reads `217`, `50%`, `+10` or `-10`.
///
/// # Errors
/// What may be typed.
pub fn read_goal(text: &str) -> Result<Goal, &'static str> {
    const MAY: &str = "type a tick (217), a share (50%), or a way (+10, -10)";
    let text = text.trim().replace('−', "-");
    if let Some(number) = text.strip_suffix('%') {
        let percent: f64 = number.trim().replace(',', ".").parse().map_err(|_| MAY)?;
        return if (0.0..=100.0).contains(&percent) {
            Ok(Goal::Percent(percent))
        } else {
            Err("0 % to 100 %")
        };
    }
    if text.starts_with(['+', '-']) {
        return text.parse().map(Goal::By).map_err(|_| MAY);
    }
    text.parse().map(Goal::Tick).map_err(|_| MAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_shares_and_ways_are_read() {
        assert_eq!(read_goal(" 217 "), Ok(Goal::Tick(217)));
        assert_eq!(read_goal("50%"), Ok(Goal::Percent(50.0)));
        assert_eq!(read_goal("12.5 %"), Ok(Goal::Percent(12.5)));
        assert_eq!(read_goal("+10"), Ok(Goal::By(10)));
        assert_eq!(read_goal("−10"), Ok(Goal::By(-10)));
        for wrong in ["", "x", "101%", "-1%", "NaN%", "+", "1e9", "99999999999999999999999"] {
            assert!(read_goal(wrong).is_err(), "{wrong}");
        }
    }
}
