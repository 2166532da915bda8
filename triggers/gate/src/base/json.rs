//! Writer of JSON objects in UTF-8; gives the same bytes as `line` in `core/json_lines.py`.

use crate::base::text::short_name;
use std::fmt::Write as _;

#[derive(Debug)]
pub struct Object<'t> {
    output: &'t mut String,
    is_empty: bool,
}

impl<'t> Object<'t> {
    pub fn new(output: &'t mut String) -> Self {
        output.push('{');
        Object { output, is_empty: true }
    }

    pub fn text(&mut self, name: &str, value: &str) -> &mut Self {
        self.name(name);
        quote(self.output, value);
        self
    }

    pub fn short_text(&mut self, name: &str, value: Option<&[u8]>) -> &mut Self {
        match value {
            Some(value) => self.text(name, &short_name(value)),
            None => self.raw(name, "null"),
        }
    }

    pub fn maybe(&mut self, name: &str, value: Option<&str>) -> &mut Self {
        match value {
            Some(value) => self.text(name, value),
            None => self.raw(name, "null"),
        }
    }

    /// A text as `quote_bytes` writes it.
    pub fn bytes(&mut self, name: &str, value: Option<&[u8]>) -> &mut Self {
        match value {
            Some(value) => {
                self.name(name);
                quote_bytes(self.output, value);
                self
            }
            None => self.raw(name, "null"),
        }
    }

    pub fn number(&mut self, name: &str, value: u64) -> &mut Self {
        self.name(name);
        let _ = write!(self.output, "{value}");
        self
    }

    pub fn maybe_number(&mut self, name: &str, value: Option<u64>) -> &mut Self {
        match value {
            Some(value) => self.number(name, value),
            None => self.raw(name, "null"),
        }
    }

    /// `json` is the value as JSON text.
    pub fn raw(&mut self, name: &str, json: &str) -> &mut Self {
        self.name(name);
        self.output.push_str(json);
        self
    }

    pub fn texts(&mut self, name: &str, values: impl IntoIterator<Item: AsRef<str>>) -> &mut Self {
        self.name(name);
        array(self.output, values, |to, value| quote(to, value.as_ref()));
        self
    }

    pub fn list<T>(
        &mut self,
        name: &str,
        entries: impl IntoIterator<Item = T>,
        fill: impl Fn(&mut Object<'_>, T),
    ) -> &mut Self {
        self.name(name);
        array(self.output, entries, |to, entry| {
            let mut object = Object::new(to);
            fill(&mut object, entry);
            object.finish();
        });
        self
    }

    pub fn finish(&mut self) {
        self.output.push('}');
    }

    fn name(&mut self, name: &str) {
        self.output.push_str(if self.is_empty { "\"" } else { ", \"" });
        self.output.push_str(name);
        self.output.push_str("\": ");
        self.is_empty = false;
    }
}

pub fn object_text(fill: impl FnOnce(&mut Object<'_>)) -> String {
    let mut text = String::new();
    let mut object = Object::new(&mut text);
    fill(&mut object);
    object.finish();
    text
}

pub fn array<T>(
    to: &mut String,
    entries: impl IntoIterator<Item = T>,
    write: impl Fn(&mut String, T),
) {
    to.push('[');
    for (index, entry) in entries.into_iter().enumerate() {
        to.push_str(if index == 0 { "" } else { ", " });
        write(to, entry);
    }
    to.push(']');
}

/// Also escapes what JSON allows and can distort displayed text: DEL, the control characters of C1,
/// line and paragraph separators, and those that embed, override or isolate a text direction, or end
/// this.
pub fn quote(to: &mut String, text: &str) {
    to.push('"');
    put_text(to, text);
    to.push('"');
}

fn put_text(to: &mut String, text: &str) {
    let mut rest = text;
    while let Some((start, c)) = rest.char_indices().find(|(_, c)| is_escaped(*c)) {
        let (before, after) = rest.split_at(start);
        to.push_str(before);
        escape(to, c);
        rest = after.get(c.len_utf8()..).unwrap_or_default();
    }
    to.push_str(rest);
}

fn is_escaped(c: char) -> bool {
    matches!(c, '"' | '\\' | '\0'..='\u{1f}' | '\x7f'..='\u{9f}')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escape(to: &mut String, c: char) {
    let letter = match c {
        '"' | '\\' => c,
        '\u{8}' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\u{c}' => 'f',
        '\r' => 'r',
        _ => {
            let _ = write!(to, "\\u{:04x}", u32::from(c));
            return;
        }
    };
    to.extend(['\\', letter]);
}

/// A JSON string in printable ASCII, as `json.dumps` of Python writes it.
pub fn ascii_json(text: &[u8]) -> String {
    let mut json = String::new();
    quote_bytes(&mut json, text);
    ascii(&json)
}

/// JSON with its characters that are not in printable ASCII, which only strings have, as escapes.
pub fn ascii(json: &str) -> String {
    let mut ascii = String::with_capacity(json.len());
    for c in json.chars() {
        if matches!(c, ' '..='~') {
            ascii.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(ascii, "\\u{unit:04x}");
            }
        }
    }
    ascii
}

/// A byte that is not UTF-8 becomes the surrogate escape `\udcNN`, as Python reads it, so that no
/// two texts become equal.
pub fn quote_bytes(to: &mut String, text: &[u8]) {
    to.push('"');
    for chunk in text.utf8_chunks() {
        put_text(to, chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(to, "\\udc{byte:02x}");
        }
    }
    to.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::decoded;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_text_is_written_in_one_line_and_read_unchanged(value: String) {
            let mut line = String::new();
            Object::new(&mut line).text("a", &value).number("b", 1).finish();
            prop_assert!(!line.contains(|c: char| c.is_control()));
            let document: serde_json::Value = serde_json::from_str(&line)?;
            prop_assert_eq!(document.get("a").and_then(|a| a.as_str()), Some(value.as_str()));
        }

        #[test]
        fn what_json_must_escape_is_escaped_as_python_does(value in "[\\x00-\\x7e]*") {
            let mut quoted = String::new();
            quote(&mut quoted, &value);
            prop_assert_eq!(quoted, serde_json::to_string(&value)?);
        }

        #[test]
        fn any_bytes_are_quoted_in_one_line(value: Vec<u8>) {
            let mut line = String::new();
            quote(&mut line, &decoded(&value));
            prop_assert!(!line.contains(|c: char| c.is_control()));
            prop_assert_eq!(serde_json::from_str::<String>(&line)?, decoded(&value));
        }
    }
}
