//! Formats arbitrary bytes as a JSON string.

use std::fmt::Write;

/// Appends arbitrary bytes as a JSON string.
pub fn quote(to: &mut String, value: &[u8]) {
    to.push('"');
    for chunk in value.utf8_chunks() {
        chunk.valid().chars().for_each(|c| character(to, c));
        if !chunk.invalid().is_empty() {
            character(to, char::REPLACEMENT_CHARACTER);
        }
    }
    to.push('"');
}

fn character(to: &mut String, c: char) {
    match c {
        '"' | '\\' => to.extend(['\\', c]),
        ' '..='~' => to.push(c),
        '\n' => to.push_str("\\n"),
        '\t' => to.push_str("\\t"),
        _ => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| {
            // Writing to a `String` cannot fail.
            let _ = write!(to, "\\u{unit:04x}");
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_make_one_line_of_json(value: Vec<u8>) {
            let mut line = String::new();
            quote(&mut line, &value);
            prop_assert!(line.bytes().all(|byte| (b' '..=b'~').contains(&byte)));
            prop_assert_eq!(serde_json::from_str::<String>(&line)?, String::from_utf8_lossy(&value));
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        let mut line = String::new();
        quote(&mut line, b"a\xff\x80\xc3\xa9\xf0\x9f\x98\x80\"\\\n");
        assert_eq!(line, r#""a\ufffd\ufffd\u00e9\ud83d\ude00\"\\\n""#);
    }
}
