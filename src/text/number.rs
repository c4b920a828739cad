//! Amounts and times as people read them. A space groups thousands, so no locale misreads a comma; the minus is
//! the typographic one, as wide as a plus.

/// Shown for what is not a number.
const NOT_A_NUMBER: &str = "–";

/// Credits with two places, or with four where two would hide the amount: `998.42`, `0.0052`.
pub fn credits(amount: f64) -> String {
    let fine = amount.abs() < 1.0 && (amount * 100.0 - (amount * 100.0).round()).abs() > 1e-6;
    if fine && amount.abs() < 0.000_05 {
        return if amount < 0.0 { "> −0.0001".to_owned() } else { "< 0.0001".to_owned() };
    }
    grouped(amount, if fine { 4 } else { 2 })
}

/// A number with a fixed count of places and thousands set apart: `10 122.40`.
pub fn grouped(value: f64, places: usize) -> String {
    if !value.is_finite() {
        return NOT_A_NUMBER.to_owned();
    }
    let text = format!("{:.places$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut out = String::with_capacity(text.len() + 8);
    if value < 0.0 && text.bytes().any(|byte| matches!(byte, b'1'..=b'9')) {
        out.push('−');
    }
    for (nth, digit) in whole.chars().enumerate() {
        if nth > 0 && (whole.len() - nth) % 3 == 0 {
            out.push(' ');
        }
        out.push(digit);
    }
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// As [`grouped`], with a plus on what is above zero.
pub fn signed(value: f64, places: usize) -> String {
    let text = grouped(value, places);
    let positive = value > 0.0 && value.is_finite() && text.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
    if positive { format!("+{text}") } else { text }
}

/// A number with at most `places` places and no zeros at the end: `3`, `0.1225`.
pub fn decimal(value: f64, places: usize) -> String {
    let text = grouped(value, places);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// How long ago something was, in its largest unit: `now`, `40 s`, `12 min`, `3 h`, `5 d`.
pub fn ago(seconds: u64) -> String {
    match seconds {
        0..2 => "now".to_owned(),
        2..90 => format!("{seconds} s"),
        90..5_400 => format!("{} min", seconds / 60),
        5_400..129_600 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// A span of time in its two largest units: `850 ms`, `9.4 s`, `2 min 05 s`, `1 h 04 min`, `3 d 02 h`.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return NOT_A_NUMBER.to_owned();
    }
    let whole = seconds.round() as u64;
    match whole {
        _ if seconds < 0.9995 => format!("{:.0} ms", seconds * 1000.0),
        _ if seconds < 9.95 => format!("{seconds:.1} s"),
        0..60 => format!("{whole} s"),
        60..3_600 => format!("{} min {:02} s", whole / 60, whole % 60),
        3_600..86_400 => format!("{} h {:02} min", whole / 3_600, whole % 3_600 / 60),
        86_400..2_592_000 => format!("{} d {:02} h", whole / 86_400, whole % 86_400 / 3_600),
        _ => format!("{} d", whole / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn credits_show_what_two_places_would_hide() {
        let cases = [
            (998.42, "998.42"),
            (0.0, "0.00"),
            (0.24, "0.24"),
            (0.0052, "0.0052"),
            (-0.0168, "−0.0168"),
            (0.000_01, "< 0.0001"),
            (12_345.6, "12 345.60"),
            (f64::NAN, "–"),
        ];
        for (amount, shown) in cases {
            assert_eq!(credits(amount), shown);
        }
    }

    #[test]
    fn thousands_stand_apart_and_zero_has_no_sign() {
        assert_eq!(grouped(10_122.4, 1), "10 122.4");
        assert_eq!(grouped(-1_234_567.0, 0), "−1 234 567");
        assert_eq!(grouped(999.0, 0), "999");
        assert_eq!(signed(1.218, 2), "+1.22");
        assert_eq!(signed(-1.28, 2), "−1.28");
        assert_eq!(signed(-0.001, 2), "0.00");
        assert_eq!(signed(0.001, 2), "0.00");
        assert_eq!(decimal(0.1225, 4), "0.1225");
        assert_eq!(decimal(3.0, 4), "3");
        assert_eq!(decimal(100.0, 0), "100");
    }

    #[test]
    fn times_read_as_people_say_them() {
        assert_eq!([0, 40, 750, 10_000, 500_000].map(ago), ["now", "40 s", "12 min", "2 h", "5 d"]);
        let spans = [0.012, 9.42, 42.0, 125.0, 3_840.0, 266_400.0].map(duration);
        assert_eq!(spans, ["12 ms", "9.4 s", "42 s", "2 min 05 s", "1 h 04 min", "3 d 02 h"]);
        assert_eq!(duration(59.7), "1 min 00 s");
        assert_eq!(duration(f64::INFINITY), "–");
    }

    proptest! {
        #[test]
        fn any_number_can_be_shown(value in any::<f64>(), places in 0_usize..6, seconds in any::<u64>()) {
            let _ = (credits(value), signed(value, places), decimal(value, places), duration(value), ago(seconds));
        }
    }
}
