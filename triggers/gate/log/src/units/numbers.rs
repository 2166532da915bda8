/// A larger number in a log is reduced to it, so that sums do not overflow.
const MOST: i64 = 1 << 50;

/// Exactly `N`, skipping all other characters. A minus sign counts only directly after `+` or `/`,
/// as in `0ms+-25ms`.
pub fn whole_numbers<const N: usize>(text: &[u8]) -> Option<[i64; N]> {
    let mut numbers = [0_i64; N];
    let mut places = numbers.iter_mut();
    let mut rest = text;
    while let Some(first) = rest.iter().position(u8::is_ascii_digit) {
        let (before, number) = rest.split_at_checked(first)?;
        let mut sum = 0_i64;
        rest = number;
        while let [digit @ b'0'..=b'9', more @ ..] = rest {
            sum = (sum * 10 + i64::from(digit - b'0')).min(MOST);
            rest = more;
        }
        let is_negative = matches!(before, [.., b'+' | b'/', b'-']);
        *places.next()? = if is_negative { -sum } else { sum };
    }
    places.next().is_none().then_some(numbers)
}

/// None for other text than digits.
pub fn natural(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0_u64, |sum, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        sum.checked_mul(10)?.checked_add(digit)
    })
}

/// Parses `9s`, `9.99s` or `.999s`; None for other text or more than 9 decimals.
pub fn seconds_ns(text: &[u8]) -> Option<u64> {
    let text = text.strip_suffix(b"s").filter(|text| !text.is_empty())?;
    let dot = text.iter().position(|byte| *byte == b'.').unwrap_or(text.len());
    let (whole_part, fraction) = text.split_at_checked(dot)?;
    let fraction = fraction.strip_prefix(b".").unwrap_or(b"0");
    let whole_part = if whole_part.is_empty() { 0 } else { natural(whole_part)? };
    let digits = u32::try_from(fraction.len()).ok().filter(|digits| *digits <= 9)?;
    let fraction_ns = natural(fraction)?.checked_mul(10_u64.pow(9 - digits))?;
    whole_part.checked_mul(1_000_000_000)?.checked_add(fraction_ns)
}

/// Parses `0`, `100B`, `197.8K` or `4.1P`; None for other text or more than one decimal.
pub fn size_bytes(text: &[u8]) -> Option<u64> {
    let (digits, shift) = match text.split_last()? {
        (b'B', digits) => (digits, 0),
        (b'K', digits) => (digits, 10),
        (b'M', digits) => (digits, 20),
        (b'G', digits) => (digits, 30),
        (b'T', digits) => (digits, 40),
        (b'P', digits) => (digits, 50),
        _ => (text, 0),
    };
    let dot = digits.iter().position(|byte| *byte == b'.').unwrap_or(digits.len());
    let (whole_part, tenth) = digits.split_at_checked(dot)?;
    let tenth = match tenth {
        [] => 0,
        [b'.', digit] if digit.is_ascii_digit() => u64::from(digit - b'0'),
        _ => return None,
    };
    let unit = 1_u64 << shift;
    natural(whole_part)?.checked_mul(unit)?.checked_add(tenth * unit / 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_between_words_are_read() {
        assert_eq!(whole_numbers(b"0ms+0ms/0ms+-25ms"), Some([0, 0, 0, -25]));
        assert_eq!(whole_numbers(b"pages in+out+cached 1558725+0+96"), Some([1_558_725, 0, 96]));
        assert_eq!(whole_numbers::<2>(b"1+2+3"), None);
        assert_eq!(whole_numbers::<3>(b"1+2"), None);
        assert_eq!(whole_numbers(b"himarks 64836-5"), Some([64_836, 5]));
        assert_eq!(whole_numbers(b"99999999999999999999"), Some([1 << 50]));
    }

    #[test]
    fn seconds_are_read_in_three_notations() {
        assert_eq!(seconds_ns(b"9s"), Some(9_000_000_000));
        assert_eq!(seconds_ns(b".009s"), Some(9_000_000));
        assert_eq!(seconds_ns(b"60.9s"), Some(60_900_000_000));
        for wrong in [&b"s"[..], b".s", b"1", b"1.2.3s", b"-1s", b"1.1234567891s", b"x"] {
            assert_eq!(seconds_ns(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn sizes_are_read_with_their_units() {
        assert_eq!(size_bytes(b"0"), Some(0));
        assert_eq!(size_bytes(b"100B"), Some(100));
        assert_eq!(size_bytes(b"2.5K"), Some(2_560));
        assert_eq!(size_bytes(b"1.5M"), Some(1_572_864));
        assert_eq!(size_bytes(b"4.1P"), Some((4 << 50) + (1 << 50) / 10));
        for wrong in [&b""[..], b"K", b"1.25K", b"1.K", b"99999999P"] {
            assert_eq!(size_bytes(wrong), None, "{wrong:?}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_are_read_without_a_panic(text: Vec<u8>) {
            let _ = (whole_numbers::<4>(&text), natural(&text), seconds_ns(&text), size_bytes(&text));
        }

        #[test]
        fn written_seconds_are_read_unchanged(ns in 0_u64..4_000_000_000_000) {
            let text = format!("{}.{:09}s", ns / 1_000_000_000, ns % 1_000_000_000);
            prop_assert_eq!(seconds_ns(text.as_bytes()), Some(ns));
        }
    }
}
