//! Texts for people, and lines of JSON: always printable ASCII, whatever users chose.

use std::fmt::Write;

const MAX_ITEM_CHARACTERS: usize = 160;

/// The text in printable ASCII; all else becomes `\x..`, `\u....` or `\U........`, and a byte that
/// is no UTF-8 what Python makes of it, `\udc..`.
#[must_use]
pub fn printable(text: &[u8]) -> String {
    let mut printed = String::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        chunk.valid().chars().for_each(|c| push(&mut printed, c));
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(printed, "\\udc{byte:02x}");
        }
    }
    printed
}

/// The text at a length a dialog can show, in printable ASCII.
#[must_use]
pub fn cut(text: &[u8]) -> String {
    let mut printed = printable(text);
    if printed.len() > MAX_ITEM_CHARACTERS {
        printed.truncate(MAX_ITEM_CHARACTERS);
        printed.push_str("... (cut)");
    }
    printed
}

/// Nanoseconds as exact decimal seconds: `1.5`.
#[must_use]
pub fn seconds(ns: u64) -> String {
    let text = format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Nanoseconds as seconds for people: one decimal, never less than it is.
#[must_use]
pub fn tenths(ns: u64) -> String {
    let tenths = ns.div_ceil(100_000_000);
    format!("{}.{}", tenths / 10, tenths % 10)
}

fn push(printed: &mut String, c: char) {
    let code = u32::from(c);
    let _ = match code {
        0x20..=0x7e => write!(printed, "{c}"),
        0..=0xff => write!(printed, "\\x{code:02x}"),
        0x100..=0xffff => write!(printed, "\\u{code:04x}"),
        _ => write!(printed, "\\U{code:08x}"),
    };
}

/// One JSON object, written field by field.
#[derive(Debug)]
pub struct Object(String);

impl Default for Object {
    fn default() -> Self {
        Object("{".to_owned())
    }
}

impl Object {
    /// Adds a text, made printable and cut.
    pub fn text(&mut self, name: &str, value: &[u8]) -> &mut Self {
        self.raw(name, &quoted(&cut(value)))
    }

    /// Adds a text if there is one.
    pub fn optional(&mut self, name: &str, value: Option<&[u8]>) -> &mut Self {
        if let Some(value) = value {
            self.text(name, value);
        }
        self
    }

    /// Adds a number.
    pub fn number(&mut self, name: &str, value: u64) -> &mut Self {
        self.raw(name, &value.to_string())
    }

    /// Adds what is JSON already.
    pub fn raw(&mut self, name: &str, json: &str) -> &mut Self {
        if self.0.len() > 1 {
            self.0.push_str(", ");
        }
        let _ = write!(self.0, "\"{name}\": {json}");
        self
    }

    /// The object without a line end.
    #[must_use]
    pub fn finish(&self) -> String {
        format!("{}}}", self.0)
    }
}

/// A text that is printable ASCII already, as JSON.
#[must_use]
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_not_ascii_is_escaped_as_python_does() {
        assert_eq!(
            printable("aé€😀\n".as_bytes()),
            "a\\xe9\\u20ac\\U0001f600\\x0a"
        );
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

    proptest! {
        #[test]
        fn any_bytes_make_one_line_of_valid_json(value: Vec<u8>) {
            let mut object = Object::default();
            let line = object.text("a", &value).number("b", 1).finish();
            prop_assert!(line.bytes().all(|byte| (0x20..0x7f).contains(&byte)));
            let parsed: serde_json::Value = serde_json::from_str(&line)?;
            let wanted = cut(&value);
            prop_assert_eq!(parsed.get("a").and_then(|a| a.as_str()), Some(wanted.as_str()));
        }
    }
}
