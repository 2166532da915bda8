//! Strings in JSON, as bytes that need not be UTF-8.

use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};
use std::borrow::Cow;
use std::fmt;

/// Surrogate escapes (PEP 383) stand for bytes that are not UTF-8.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Text<'a>(Cow<'a, [u8]>);

impl std::ops::Deref for Text<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for Text<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Text(Cow::Owned(bytes))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_bytes(TextVisitor).map(|text| Text(without_escapes(text)))
    }
}

/// An error in a line that the caller wrote: the line's number, which is 1, is left out.
pub fn problem(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(problem, _)| problem.to_owned())
}

/// Unlike an array, which can be read as a record too.
pub fn is_object(json: &[u8]) -> bool {
    json.trim_ascii_start().first() == Some(&b'{')
}

/// An empty name counts as absent, as in a trigger's arguments.
pub fn given<'s>(name: &'s Option<Text<'_>>) -> Option<&'s [u8]> {
    name.as_deref().filter(|name| !name.is_empty())
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Cow<'de, [u8]>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a string")
    }

    fn visit_borrowed_bytes<E: Error>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(bytes))
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(Cow::Owned(bytes.to_vec()))
    }
}

/// The JSON parser yields such an escape as three bytes, `\udcff` as ED B3 BF.
fn without_escapes(text: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    if !text.contains(&0xED) {
        return text;
    }
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), &*text);
    while let Some((first, after)) = rest.split_first() {
        if let [0xED, high @ (0xB2 | 0xB3), low, tail @ ..] = rest {
            bytes.push(((high & 1) << 6) | (low & 0x3F) | 0x80);
            rest = tail;
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    Cow::Owned(bytes)
}
