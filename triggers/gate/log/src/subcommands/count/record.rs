//! A line of the log as a JSON object, most of whose texts are parts of the line.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// Of a field that a line has twice, the last counts.
#[derive(Debug)]
pub(super) struct Record<'l>(Vec<(Value<'l>, Value<'l>)>);

#[derive(Debug)]
enum Value<'l> {
    Text(Cow<'l, str>),
    Number(f64),
    Bool(bool),
    Other,
}

impl<'l> Record<'l> {
    /// None for any other line than an object in UTF-8.
    pub fn of(line: &'l [u8]) -> Option<Self> {
        serde_json::from_str(str::from_utf8(line).ok()?).ok()
    }

    pub fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// Empty for another value than a text.
    pub fn text(&self, name: &str) -> &str {
        if let Some(Value::Text(text)) = self.value(name) { text } else { "" }
    }

    pub fn number(&self, name: &str, most: f64) -> Option<f64> {
        let Some(Value::Number(number)) = self.value(name) else { return None };
        Some(*number).filter(|number| (0.0..=most).contains(number))
    }

    pub fn is_true(&self, name: &str) -> bool {
        matches!(self.value(name), Some(Value::Bool(true)))
    }

    fn value(&self, name: &str) -> Option<&Value<'l>> {
        let is_named = |key: &Value<'l>| matches!(key, Value::Text(text) if text == name);
        self.0.iter().rev().find(|(key, _)| is_named(key)).map(|(_, value)| value)
    }
}

impl<'de: 'l, 'l> Deserialize<'de> for Record<'l> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(RecordVisitor)
    }
}

impl<'de: 'l, 'l> Deserialize<'de> for Value<'l> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ValueVisitor)
    }
}

struct RecordVisitor;

impl<'de> Visitor<'de> for RecordVisitor {
    type Value = Record<'de>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::with_capacity(32);
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Record(fields))
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value<'de>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Value::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Value::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Value::Number(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Value::Number(number as f64))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Value::Number(number as f64))
    }

    fn visit_bool<E>(self, is_true: bool) -> Result<Self::Value, E> {
        Ok(Value::Bool(is_true))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Value::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Other)
    }
}
