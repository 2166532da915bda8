//! Parser of the times of events in the input of `judge`: decimal numbers of seconds since the Unix
//! epoch.

use serde_json::value::RawValue;

/// Finer digits than nanoseconds are cut off.
pub(super) fn nanoseconds(number: Option<&RawValue>) -> Result<Option<u64>, String> {
    number.map(|number| parsed(number.get())).transpose()
}

fn parsed(number: &str) -> Result<u64, String> {
    let wrong = || "time is not a number of seconds since the epoch".to_owned();
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole_part, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole_part}{fraction}");
    let exponent = exponent.parse::<i64>().ok().and_then(|exponent| exponent.checked_add(9));
    let shift = exponent.and_then(|exponent| exponent.checked_sub(fraction.len() as i64));
    scale(&digits, shift.ok_or_else(wrong)?).ok_or_else(wrong)
}

/// A negative `shift` cuts digits off the end.
fn scale(digits: &str, shift: i64) -> Option<u64> {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if shift >= 0 {
        let factor = 10_u64.checked_pow(u32::try_from(shift).ok()?)?;
        return digits.parse::<u64>().ok()?.checked_mul(factor);
    }
    let surplus = usize::try_from(shift.unsigned_abs()).ok()?;
    let kept_digits = digits.get(..digits.len().saturating_sub(surplus))?;
    if kept_digits.is_empty() { Some(0) } else { kept_digits.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_to_the_nanosecond() {
        assert_eq!(parsed("1700000000.123456789"), Ok(1_700_000_000_123_456_789));
        assert_eq!(parsed("0.1"), Ok(100_000_000));
        assert_eq!(parsed("7"), Ok(7_000_000_000));
        assert_eq!(parsed("1.7e9"), Ok(1_700_000_000_000_000_000));
        assert_eq!(parsed("25E-9"), Ok(25));
        assert_eq!(parsed("0.12345678999"), Ok(123_456_789));
        assert_eq!(parsed("1e-400"), Ok(0));
        for wrong in ["-1", "\"1\"", "null"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_time_that_is_too_large_is_an_error() {
        for text in ["99999999999999", "99999999999999.1234567891", "1e99", "1e99999999999999999"] {
            assert!(parsed(text).is_err(), "{text}");
        }
    }
}
