//! One line of `judge`: an event as JSON.

use crate::event::Event;
use crate::judge::pressure;
use crate::pressure::Level;
use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// An event of a command, as it was written.
pub struct Line<'a> {
    /// The event's own name, as JSON; it is given back as it is.
    pub id: Option<&'a str>,
    /// The command, with or without `user-`.
    pub command: Text<'a>,
    /// When it happened, if it says.
    pub time_ns: Option<u64>,
    names: Document<'a>,
    args: Option<Vec<u8>>,
    pressure: Option<Level>,
}

/// Bytes of a string. What is no UTF-8 comes as surrogate escapes (PEP 383) and is bytes again.
#[derive(Debug, Default)]
pub struct Text<'a>(Cow<'a, [u8]>);

#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    event: Option<Text<'a>>,
    #[serde(borrow)]
    command: Option<Text<'a>>,
    #[serde(borrow)]
    user: Option<Text<'a>>,
    #[serde(borrow)]
    groups: Option<Vec<Text<'a>>>,
    #[serde(borrow)]
    client: Option<Text<'a>>,
    #[serde(borrow)]
    ip: Option<Text<'a>>,
    #[serde(borrow)]
    prog: Option<Text<'a>>,
    #[serde(borrow)]
    args: Option<Vec<Text<'a>>>,
    #[serde(borrow)]
    pressure: Option<&'a RawValue>,
    #[serde(borrow)]
    time: Option<&'a RawValue>,
    facts: Option<FactsDocument>,
}

/// What the gate needs of the facts.
#[derive(Debug, Deserialize)]
pub struct FactsDocument {
    /// Whether the server tells `A` from `a`.
    pub case_sensitive: Option<bool>,
}

impl<'a> Line<'a> {
    /// Reads a line; the error says what is wrong with it.
    pub fn parse(line: &'a [u8]) -> Result<Self, String> {
        let mut names: Document =
            serde_json::from_slice(line).map_err(|error| error.to_string())?;
        if names.event.as_deref() != Some(b"command") {
            return Err("its event is not command".to_owned());
        }
        let command = names.command.take().ok_or("a command event names its command")?;
        let level = names.pressure.map(|raw| raw.get().trim_matches('"').as_bytes());
        Ok(Line {
            id: names.id.map(RawValue::get),
            command,
            time_ns: names.time.map(|raw| nanoseconds(raw.get())).transpose()?,
            args: names.args.take().map(|words| joined(&words)),
            pressure: pressure(level)?,
            names,
        })
    }

    /// The event, with what the line itself does not say.
    #[must_use]
    pub fn event<'e>(
        &'e self,
        command: &'e [u8],
        day: &'e dyn Fn() -> String,
        case_sensitive: bool,
    ) -> Event<'e> {
        let names = &self.names;
        let facts = names.facts.as_ref().and_then(|facts| facts.case_sensitive);
        Event {
            command,
            user: named(names.user.as_ref()),
            groups: names.groups.iter().flatten().map(|group| &**group).collect(),
            client: named(names.client.as_ref()),
            ip: named(names.ip.as_ref()),
            prog: named(names.prog.as_ref()),
            args: self.args.as_deref(),
            pressure: self.pressure,
            day,
            case_sensitive: facts.unwrap_or(case_sensitive),
        }
    }
}

/// A name; an empty one is absent, as it is in a trigger's arguments.
fn named<'e>(text: Option<&'e Text<'_>>) -> Option<&'e [u8]> {
    text.map(|text| &**text).filter(|name| !name.is_empty())
}

/// The arguments as p4d's `%args%` has them.
fn joined(words: &[Text<'_>]) -> Vec<u8> {
    let words: Vec<&[u8]> = words.iter().map(|word| &**word).collect();
    words.join(&b' ')
}

/// Reads decimal seconds, exactly; what is finer than a nanosecond is cut off.
fn nanoseconds(number: &str) -> Result<u64, String> {
    let wrong = || format!("its time {number} is no decimal number of seconds since the epoch");
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let exponent = exponent.parse::<i64>().ok().and_then(|exponent| exponent.checked_add(9));
    let shift = exponent.and_then(|exponent| exponent.checked_sub(fraction.len() as i64));
    scaled(&digits, shift.ok_or_else(wrong)?).ok_or_else(wrong)
}

/// A number of so many more digits, or so many fewer.
fn scaled(digits: &str, shift: i64) -> Option<u64> {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let Ok(more) = u32::try_from(shift) else {
        let kept = digits.len().checked_sub(usize::try_from(shift.unsigned_abs()).ok()?);
        return digits.get(..kept.unwrap_or(0)).map(|kept| kept.parse().unwrap_or(0));
    };
    digits.parse::<u64>().ok()?.checked_mul(10_u64.checked_pow(more)?)
}

impl std::ops::Deref for Text<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_bytes(TextVisitor).map(|text| Text(without_escapes(text)))
    }
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

/// The bytes that surrogate escapes stand for: `\udcXX`, which JSON's reader hands on as the three
/// bytes ED B2..B3 XX.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact() {
        assert_eq!(nanoseconds("1700000000.123456789"), Ok(1_700_000_000_123_456_789));
        assert_eq!(nanoseconds("0.1"), Ok(100_000_000));
        assert_eq!(nanoseconds("7"), Ok(7_000_000_000));
        assert_eq!(nanoseconds("1.7e9"), Ok(1_700_000_000_000_000_000));
        assert_eq!(nanoseconds("25E-9"), Ok(25));
        assert_eq!(nanoseconds("0.12345678999"), Ok(123_456_789));
        assert_eq!(nanoseconds("1e-400"), Ok(0));
        for wrong in ["-1", "\"1\"", "null", "99999999999999", "1e99", "1e99999999999999999999"] {
            assert!(nanoseconds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn surrogate_escapes_are_bytes_again() -> Result<(), String> {
        let line = br#"{"event": "command", "command": "fstat", "user": "a\udcff\udc80\u00e9"}"#;
        let line = Line::parse(line)?;
        assert_eq!(named(line.names.user.as_ref()), Some(&b"a\xff\x80\xc3\xa9"[..]));
        Ok(())
    }

    #[test]
    fn what_is_no_command_event_is_told() {
        let error = |line: &str| Line::parse(line.as_bytes()).err().unwrap_or_default();
        assert_eq!(error(r#"{"event": "form-save"}"#), "its event is not command");
        assert_eq!(error(r#"{"event": "command"}"#), "a command event names its command");
        assert!(error(r#"{"event": "command", "command": 7}"#).contains("invalid type"));
    }
}
