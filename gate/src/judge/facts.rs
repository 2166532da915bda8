//! What the gate needs of the facts about a server: `facts.json`, or an event's own.

use super::text::Text;
use crate::bytes::Writer;
use crate::flat::Depots;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use std::fmt;

/// The facts, as they were written.
#[derive(Debug, Default, Deserialize)]
pub struct FactsDocument {
    /// Whether the server tells `A` from `a`.
    pub case_sensitive: Option<bool>,
    /// The names of the server's depots.
    #[serde(default)]
    pub depots: Names,
}

/// The names in an object, as `Depots::write` puts them.
#[derive(Debug, Default)]
pub struct Names(pub Vec<u8>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(NamesVisitor)
    }
}

struct NamesVisitor;

impl<'de> Visitor<'de> for NamesVisitor {
    type Value = Names;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("depots by name")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut from: M) -> Result<Names, M::Error> {
        let mut names = Writer::default();
        while let Some((name, _)) = from.next_entry::<Text<'_>, IgnoredAny>()? {
            Depots::write(&mut names, &name);
        }
        Ok(Names(names.0))
    }
}
