//! The parts of a request, such as user and client, by which a rate limit counts separately.

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use std::fmt;

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    User,
    Client,
    Ip,
    Program,
    /// The question that the command asks, however it is spelled.
    Args,
    /// The command's name, the letters of its options, and the kinds of its paths.
    Shape,
}

const ALL: [Part; 6] = [Part::User, Part::Client, Part::Ip, Part::Program, Part::Args, Part::Shape];

/// A set, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts(u8);

impl Parts {
    pub fn of(parts: &[Part]) -> Self {
        let bits = (0..).zip(ALL).filter(|(_, part)| parts.contains(part)).map(|(bit, _)| 1 << bit);
        Parts(bits.sum())
    }

    pub fn iter(self) -> impl Iterator<Item = Part> {
        let member = move |(bit, part): (u32, Part)| (self.0 >> bit & 1 == 1).then_some(part);
        (0..).zip(ALL).filter_map(member)
    }

    pub fn first(self) -> Self {
        Parts(self.0 & self.0.wrapping_neg())
    }
}

impl<'de> Deserialize<'de> for Parts {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_seq(PartsVisitor)
    }
}

struct PartsVisitor;

impl<'de> Visitor<'de> for PartsVisitor {
    type Value = Parts;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a list of parts")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Parts, A::Error> {
        let mut parts = Parts(0);
        while let Some(part) = from.next_element()? {
            parts.0 |= Parts::of(&[part]).0;
        }
        Ok(parts)
    }
}
