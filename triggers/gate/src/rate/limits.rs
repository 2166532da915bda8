//! Parser of a rate such as `50/s` and of a duration such as `5m` in a policy.

use crate::base::text;
use crate::rate::gcra::Rate;

/// Maximum duration that a policy can state: 1,000 days, far above any use and far below overflow.
pub const LONGEST_NS: u64 = 1_000 * 86_400 * 1_000_000_000;

/// Such as `1/5m` (units ms, s, m, h, d); None if malformed or out of range. ` per ` in place of
/// the slash is accepted for older policies.
pub fn rate(allow: &str, burst: u64) -> Option<Rate> {
    let (count, period) = split(allow)?;
    let (count, period_ns) = (text::number(count.as_bytes())?, period_ns(period)?);
    if count == 0 || burst == 0 || period_ns == 0 {
        return None;
    }
    let interval_ns = period_ns.div_ceil(count);
    let tolerance_ns = (burst - 1).checked_mul(interval_ns)?;
    (tolerance_ns <= LONGEST_NS).then_some(Rate { interval_ns, tolerance_ns })
}

/// The number and the period in ns of a rate that a policy's schema accepts, even if no rate has
/// them.
pub fn parts(allow: &str) -> Option<(u64, u64)> {
    let (count, period) = split(allow)?;
    let period = if starts_with_digit(period) { period } else { &format!("1{period}") };
    Some((
        text::number(count.as_bytes()).filter(|count| *count < 10_000_000)?,
        spelled_duration_ns(period)?,
    ))
}

/// Also for a duration that is too long, and for a unit in words, as a policy's author may write
/// it; None for more digits than the policy's schema accepts.
pub fn spelled_duration_ns(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at_checked(text.find(|c: char| !c.is_ascii_digit())?)?;
    let unit = unit.trim_start().to_ascii_lowercase();
    let is_short = |short: &str| match short {
        "ms" => unit.starts_with("ms") || unit.starts_with("milli"),
        short => unit.starts_with(short),
    };
    let (short, _, _) = UNITS.iter().find(|(short, _, _)| is_short(short))?;
    let number = text::number(number.as_bytes()).filter(|number| *number < 1_000_000)?;
    unit_ns(short)?.checked_mul(number)
}

pub fn count(allow: &str) -> Option<u64> {
    text::number(split(allow)?.0.as_bytes())
}

/// `50/s` for `50 per 1s`; any other text stays unchanged.
pub fn notation(allow: &str) -> String {
    let Some((count, period)) = split(allow) else { return allow.to_owned() };
    let short = period.strip_prefix('1').filter(|unit| !starts_with_digit(unit));
    format!("{count}/{}", short.unwrap_or(period))
}

/// In the largest unit that is exact: `one every 30 minutes` for `1/1800s`. A text without a valid
/// period is returned unchanged.
pub fn in_words(allow: &str) -> String {
    let words = || {
        let (count, period) = split(allow)?;
        let unit_at = period.find(|c: char| !c.is_ascii_digit())?;
        let (number, unit) = period.split_at_checked(unit_at)?;
        let number = if number.is_empty() { 1 } else { text::number(number.as_bytes())? };
        let (number, unit) = in_largest_unit(number, unit)?;
        Some(match (count, number) {
            ("1", 1) => format!("one every {unit}"),
            ("1", number) => format!("one every {number} {unit}s"),
            (count, 1) => format!("{count} per {unit}"),
            (count, number) => format!("{count} every {number} {unit}s"),
        })
    };
    words().unwrap_or_else(|| allow.to_owned())
}

/// In the largest unit that is exact: `2 hours` for `120m`. Any other text is returned unchanged.
pub fn duration_in_words(text: &str) -> String {
    let words = || {
        let (number, unit) = text.split_at_checked(text.find(|c: char| !c.is_ascii_digit())?)?;
        let (number, unit) = in_largest_unit(text::number(number.as_bytes())?, unit)?;
        Some(format!("{number} {unit}{}", if number == 1 { "" } else { "s" }))
    };
    words().unwrap_or_else(|| text.to_owned())
}

/// Symbol, name, and the number of such units that makes the next larger one.
const UNITS: [(&str, &str, u64); 5] = [
    ("ms", "millisecond", 1_000),
    ("s", "second", 60),
    ("m", "minute", 60),
    ("h", "hour", 24),
    ("d", "day", u64::MAX),
];

/// None if `unit` is not a unit of durations.
fn in_largest_unit(number: u64, unit: &str) -> Option<(u64, &'static str)> {
    let from = UNITS.iter().skip_while(|(short, _, _)| *short != unit);
    let mut number = number;
    for (_, name, larger) in from {
        if number == 0 || !number.is_multiple_of(*larger) {
            return Some((number, name));
        }
        number /= larger;
    }
    None
}

fn split(allow: &str) -> Option<(&str, &str)> {
    allow.split_once(" per ").or_else(|| allow.split_once('/'))
}

fn period_ns(text: &str) -> Option<u64> {
    if starts_with_digit(text) { duration_ns(text) } else { duration_ns(&format!("1{text}")) }
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// None if the text is malformed or out of range.
pub fn duration_ns(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at_checked(digits)?;
    text::number(number.as_bytes())?.checked_mul(unit_ns(unit)?).filter(|ns| *ns <= LONGEST_NS)
}

fn unit_ns(unit: &str) -> Option<u64> {
    match unit {
        "ms" => Some(1_000_000),
        "s" => Some(1_000_000_000),
        "m" => Some(60 * 1_000_000_000),
        "h" => Some(3_600 * 1_000_000_000),
        "d" => Some(86_400 * 1_000_000_000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_rounded_up() {
        let third = rate("3 per 1s", 1).map(|rate| rate.interval_ns);
        assert_eq!(third, Some(333_333_334));
        let burst = rate("50 per 1s", 500).map(|rate| rate.tolerance_ns);
        assert_eq!(burst, Some(499 * 20_000_000));
    }

    #[test]
    fn both_notations_give_the_same_rate() {
        for (old, new) in [("50 per 1s", "50/s"), ("1 per 5s", "1/5s"), ("1 per 100ms", "1/100ms")]
        {
            assert_eq!(rate(old, 3), rate(new, 3), "{old}");
            assert!(rate(new, 3).is_some(), "{new}");
            assert_eq!(notation(old), new);
            assert_eq!(notation(new), new);
        }
    }

    #[test]
    fn durations_require_a_number_with_a_known_unit() {
        assert_eq!(duration_ns("250ms"), Some(250_000_000));
        assert_eq!(duration_ns("1d"), Some(86_400_000_000_000));
        for wrong in ["", "s", "1", "1 s", "-1s", "+1s", "1w", "99999999999999999999d", "9000000d"]
        {
            assert_eq!(duration_ns(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_invalid_rate_is_none() {
        for wrong in ["50", "50/", "/s", "0 per 1s", "1 per 0s", "x per 1s", "1/-1s", "1/5"] {
            assert_eq!(rate(wrong, 1), None, "{wrong}");
        }
        assert_eq!(rate("1 per 1s", 0), None);
        assert_eq!(rate("1 per 1d", u64::MAX), None);
    }
}
