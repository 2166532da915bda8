//! Text for messages and for lines of JSON: always printable ASCII, whatever users chose.

use std::fmt::Write;

/// Maximum length of an item that a user chose, in characters; the rest is cut off, so that a long
/// name cannot push the remaining message out of sight.
pub(super) const MAX_ITEM_CHARACTERS: usize = 160;
pub(super) const CUT: &str = "... (cut)";

/// Converts a text to printable ASCII. Other characters become `\x..`, `\u....` or `\U........`; a
/// byte that is not UTF-8 becomes `\udc..`, as in Python's surrogate escapes.
#[must_use]
pub fn printable(text: &[u8]) -> String {
    let mut printed = String::with_capacity(text.len());
    if text.iter().all(is_printable) {
        printed.extend(text.iter().map(|byte| char::from(*byte)));
        return printed;
    }
    for chunk in text.utf8_chunks() {
        chunk.valid().chars().for_each(|c| push(&mut printed, c));
        for byte in chunk.invalid() {
            // Writing to a `String` cannot fail.
            let _ = write!(printed, "\\udc{byte:02x}");
        }
    }
    printed
}

/// Converts a text to printable ASCII and cuts it to a length that a dialog can show.
#[must_use]
pub fn cut(text: &[u8]) -> String {
    let start = text.get(..=MAX_ITEM_CHARACTERS).unwrap_or(text);
    let mut printed = printable(start);
    if printed.len() > MAX_ITEM_CHARACTERS {
        printed.truncate(MAX_ITEM_CHARACTERS);
        printed.push_str(CUT);
    }
    printed
}

/// Formats nanoseconds as exact decimal seconds, such as `1.5`.
#[must_use]
pub fn seconds(ns: u64) -> String {
    let text = format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Formats nanoseconds as seconds with one decimal, rounded up.
#[must_use]
pub fn tenths(ns: u64) -> String {
    let tenths = ns.div_ceil(100_000_000);
    format!("{}.{}", tenths / 10, tenths % 10)
}

fn is_printable(byte: &u8) -> bool {
    matches!(byte, 0x20..=0x7e)
}

pub(crate) fn push(printed: &mut String, c: char) {
    let code = u32::from(c);
    let _ = match code {
        0x20..=0x7e => {
            printed.push(c);
            Ok(())
        }
        0..=0xff => write!(printed, "\\x{code:02x}"),
        0x100..=0xffff => write!(printed, "\\u{code:04x}"),
        _ => write!(printed, "\\U{code:08x}"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_ascii_is_escaped_as_python_does() {
        assert_eq!(printable("aé€😀\n".as_bytes()), "a\\xe9\\u20ac\\U0001f600\\x0a");
        assert_eq!(printable(b"\xff"), "\\udcff");
    }

    #[test]
    fn seconds_are_exact_and_tenths_are_never_less() {
        assert_eq!(seconds(1_234_000_000), "1.234");
        assert_eq!(seconds(2_000_000_000), "2");
        assert_eq!(seconds(1), "0.000000001");
        assert_eq!(tenths(1_200_000_001), "1.3");
        assert_eq!(tenths(10_000_000_000), "10.0");
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(cut(&[b'a'; 160]), "a".repeat(160));
        assert_eq!(cut(&[b'a'; 161]), "a".repeat(160) + CUT);
    }
}
