//! The text of a limit: `50 per 1s`, and its meaning.

use crate::rate::gcra::Rate;

/// The longest time a policy can name. Far above any use, far below where the sums end.
const LONGEST_NS: u64 = 1_000 * 86_400 * 1_000_000_000;

/// Reads `N per Dms|s|m|h|d` and a burst; None if the text has another form, or is out of range.
#[must_use]
pub fn rate(allow: &str, burst: u64) -> Option<Rate> {
    let (count, period) = allow.split_once(" per ")?;
    let (count, period_ns) = (whole(count)?, duration_ns(period)?);
    if count == 0 || burst == 0 || period_ns == 0 {
        return None;
    }
    let interval_ns = period_ns.div_ceil(count);
    let tolerance_ns = (burst - 1).checked_mul(interval_ns)?;
    (tolerance_ns <= LONGEST_NS).then_some(Rate { interval_ns, tolerance_ns })
}

/// Reads a duration such as `250ms`, `2s`, `5m`, `1h` or `1d`.
#[must_use]
pub fn duration_ns(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at_checked(digits)?;
    let unit_ns = match unit {
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60 * 1_000_000_000,
        "h" => 3_600 * 1_000_000_000,
        "d" => 86_400 * 1_000_000_000,
        _ => return None,
    };
    whole(number)?.checked_mul(unit_ns).filter(|ns| *ns <= LONGEST_NS)
}

/// Reads a whole number; `str::parse` would take a sign as well.
fn whole(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
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
    fn units_are_literal() {
        assert_eq!(duration_ns("250ms"), Some(250_000_000));
        assert_eq!(duration_ns("1d"), Some(86_400_000_000_000));
        for wrong in ["", "s", "1", "1 s", "-1s", "+1s", "1w", "99999999999999999999d", "9000000d"]
        {
            assert_eq!(duration_ns(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_is_no_limit_is_none() {
        for wrong in ["50/1s", "0 per 1s", "1 per 0s", "x per 1s", "1 per s"] {
            assert_eq!(rate(wrong, 1), None, "{wrong}");
        }
        assert_eq!(rate("1 per 1s", 0), None);
        assert_eq!(rate("1 per 1d", u64::MAX), None);
    }
}
