//! Writing of JSON lines: always printable ASCII, whatever users chose.

use crate::base::text::{cut, push};
use crate::event::finding::Amount;
use std::fmt::Write;

/// Writer for one JSON object, appended field by field to a text.
#[derive(Debug)]
pub struct Object<'t> {
    to: &'t mut String,
    empty: bool,
}

impl<'t> Object<'t> {
    /// Starts a JSON object at the end of `to`.
    pub fn new(to: &'t mut String) -> Self {
        to.push('{');
        Object { to, empty: true }
    }

    /// Adds a string field, converted to printable ASCII.
    pub fn text(&mut self, name: &str, value: &str) -> &mut Self {
        self.name(name);
        quote(self.to, value);
        self
    }

    /// Adds a user-chosen name as a string field, cut to a fixed length; None becomes null.
    pub fn chosen(&mut self, name: &str, value: Option<&[u8]>) -> &mut Self {
        match value {
            Some(value) => self.text(name, &cut(value)),
            None => self.raw(name, "null"),
        }
    }

    /// Adds a string field; None becomes null.
    pub fn maybe(&mut self, name: &str, value: Option<&str>) -> &mut Self {
        match value {
            Some(value) => self.text(name, value),
            None => self.raw(name, "null"),
        }
    }

    /// Adds a number field to the JSON object.
    pub fn number(&mut self, name: &str, value: u64) -> &mut Self {
        self.name(name);
        let _ = write!(self.to, "{value}");
        self
    }

    /// Adds an amount as a number, or as a string if the amount is a text.
    pub fn amount(&mut self, name: &str, value: &Amount) -> &mut Self {
        match value {
            Amount::Number(number) => self.number(name, *number),
            Amount::Text(text) => self.text(name, text),
            Amount::Nothing => self.raw(name, "null"),
        }
    }

    /// Adds a field whose value is already JSON.
    pub fn raw(&mut self, name: &str, json: &str) -> &mut Self {
        self.name(name);
        self.to.push_str(json);
        self
    }

    /// Adds a field with a list of strings.
    pub fn texts(&mut self, name: &str, values: &[&str]) -> &mut Self {
        self.name(name);
        self.to.push('[');
        for (index, value) in values.iter().enumerate() {
            self.to.push_str(if index == 0 { "" } else { ", " });
            quote(self.to, value);
        }
        self.to.push(']');
        self
    }

    /// Adds a field with a list of objects, each written by `fill`.
    pub fn list<T>(
        &mut self,
        name: &str,
        entries: impl IntoIterator<Item = T>,
        fill: impl Fn(&mut Object<'_>, T),
    ) -> &mut Self {
        self.name(name);
        self.to.push('[');
        for (index, entry) in entries.into_iter().enumerate() {
            self.to.push_str(if index == 0 { "" } else { ", " });
            let mut object = Object::new(self.to);
            fill(&mut object, entry);
            object.finish();
        }
        self.to.push(']');
        self
    }

    /// Closes the JSON object.
    pub fn finish(&mut self) {
        self.to.push('}');
    }

    fn name(&mut self, name: &str) {
        self.to.push_str(if self.empty { "\"" } else { ", \"" });
        self.to.push_str(name);
        self.to.push_str("\": ");
        self.empty = false;
    }
}

/// Appends a text as a JSON string.
pub fn quote(to: &mut String, text: &str) {
    to.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => to.extend(['\\', c]),
            '\n' => to.push_str("\\n"),
            ' '..='~' => to.push(c),
            // `push` writes an escape that begins with a backslash; JSON requires that backslash
            // doubled.
            c => {
                to.push('\\');
                push(to, c);
            }
        }
    }
    to.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_text_makes_one_line_of_valid_json(value: String) {
            let mut line = String::new();
            Object::new(&mut line).text("a", &value).finish();
            prop_assert!(line.bytes().all(|byte| (0x20..0x7f).contains(&byte)));
            let parsed: serde_json::Value = serde_json::from_str(&line)?;
            prop_assert!(parsed.get("a").is_some_and(serde_json::Value::is_string));
        }

        #[test]
        fn any_bytes_make_one_line_of_valid_json(value: Vec<u8>) {
            let mut line = String::new();
            Object::new(&mut line).chosen("a", Some(&value)).number("b", 1).finish();
            prop_assert!(line.bytes().all(|byte| (0x20..0x7f).contains(&byte)));
            let parsed: serde_json::Value = serde_json::from_str(&line)?;
            let wanted = cut(&value);
            prop_assert_eq!(parsed.get("a").and_then(|a| a.as_str()), Some(wanted.as_str()));
        }
    }
}
