//! Text that cannot be shown as it is has one notation, also used by `core/printable.py`: `\xNN` is
//! a byte that is not UTF-8 or a character below U+0100, `\uNNNN` and `\UNNNNNNNN` are other
//! characters.

pub use p4warden_index::base::text::decoded;
use p4warden_index::base::text::push_bytes;
use std::borrow::Cow;
use std::fmt::Write;

/// In characters, in refusals in bytes; a long name must not push the rest out of sight.
pub(super) const MAX_ITEM_CHARACTERS: usize = 160;
pub const CUT: &str = "... (cut)";
const MAX_CHARACTER_BYTES: usize = 4;

pub fn printable(text: &[u8]) -> String {
    let mut to = String::with_capacity(text.len());
    if text.iter().all(is_printable) {
        to.extend(text.iter().map(|byte| char::from(*byte)));
        return to;
    }
    for chunk in text.utf8_chunks() {
        chunk.valid().chars().for_each(|c| push(&mut to, c));
        push_bytes(&mut to, chunk.invalid());
    }
    to
}

pub fn cut(text: &[u8]) -> String {
    let start = text.get(..=MAX_ITEM_CHARACTERS).unwrap_or(text);
    shorten(printable(start).into()).into_owned()
}

/// Valid UTF-8, cut to `MAX_ITEM_CHARACTERS`.
pub fn short_name(text: &[u8]) -> Cow<'_, str> {
    // This cut of the name by bytes may split a character; the cut by characters below removes the
    // remains.
    let start = text.get(..=MAX_ITEM_CHARACTERS * MAX_CHARACTER_BYTES).unwrap_or(text);
    shorten(decoded(start))
}

/// Whether `short_name` has the whole of it.
pub fn is_short(text: &[u8]) -> bool {
    decoded(text).chars().nth(MAX_ITEM_CHARACTERS).is_none()
}

fn shorten(text: Cow<'_, str>) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_ITEM_CHARACTERS) {
        Some((end, _)) => Cow::Owned(text.get(..end).unwrap_or_default().to_owned() + CUT),
        None => text,
    }
}

/// Formats a duration in nanoseconds as exact decimal seconds, such as `1.5`.
pub fn seconds(ns: u64) -> String {
    let text = format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Formats a duration in nanoseconds as seconds with one decimal, rounded up.
pub fn tenths(ns: u64) -> String {
    let tenths = ns.div_ceil(100_000_000);
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// Rounded up, such as `30 minutes`.
pub fn wait_in_words(ns: u64) -> String {
    let seconds = ns.div_ceil(1_000_000_000);
    let (number, unit) = match seconds {
        0..120 => (seconds, "second"),
        120..7_200 => (seconds.div_ceil(60), "minute"),
        7_200..172_800 => (seconds.div_ceil(3_600), "hour"),
        _ => (seconds.div_ceil(86_400), "day"),
    };
    format!("{number} {unit}{}", if number == 1 { "" } else { "s" })
}

fn is_printable(byte: &u8) -> bool {
    matches!(byte, 0x20..=0x7e)
}

fn push(to: &mut String, c: char) {
    // `write!` to a string in memory cannot fail, so its result is ignored.
    let _ = match u32::from(c) {
        0x20..=0x7e => {
            to.push(c);
            Ok(())
        }
        code @ 0..=0xff => write!(to, "\\x{code:02x}"),
        code @ 0x100..=0xffff => write!(to, "\\u{code:04x}"),
        code => write!(to, "\\U{code:08x}"),
    };
}

/// None for any other text than digits, and beyond 64 bits.
pub fn number(digits: &[u8]) -> Option<u64> {
    let is_digits = digits.iter().all(u8::is_ascii_digit);
    str::from_utf8(digits).ok().filter(|_| is_digits)?.parse().ok()
}

/// Rounds an estimate down to three significant digits.
pub fn round_down(number: u64) -> u64 {
    let unit = 10_u64.pow(number.checked_ilog10().unwrap_or(0).saturating_sub(2));
    number / unit * unit
}

pub fn with_separators(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_rounded_and_grouped_by_thousands() {
        assert_eq!(with_separators(round_down(12_412_345)), "12,400,000");
        assert_eq!(with_separators(round_down(999)), "999");
        assert_eq!(with_separators(round_down(0)), "0");
        assert_eq!(with_separators(round_down(u64::MAX)), "18,400,000,000,000,000,000");
    }

    #[test]
    fn seconds_are_exact_and_tenths_are_rounded_up() {
        assert_eq!(seconds(1_234_000_000), "1.234");
        assert_eq!(seconds(2_000_000_000), "2");
        assert_eq!(seconds(1), "0.000000001");
        assert_eq!(tenths(1_200_000_001), "1.3");
        assert_eq!(tenths(10_000_000_000), "10.0");
    }

    #[test]
    fn a_wait_in_words_is_rounded_up() {
        let of_seconds = |seconds: u64| wait_in_words(seconds * 1_000_000_000);
        assert_eq!(wait_in_words(300_000_000), "1 second");
        assert_eq!(wait_in_words(1_200_000_001), "2 seconds");
        assert_eq!(of_seconds(119), "119 seconds");
        assert_eq!(of_seconds(120), "2 minutes");
        assert_eq!(of_seconds(121), "3 minutes");
        assert_eq!(of_seconds(1_800), "30 minutes");
        assert_eq!(of_seconds(7_200), "2 hours");
        assert_eq!(of_seconds(172_800), "2 days");
        assert_eq!(of_seconds(200_000), "3 days");
    }
}
