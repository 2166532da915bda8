//! The facts about a server that the gate needs: `facts.json`, or an event's own.

use super::text::Text;
use crate::base::bytes::Writer;
use crate::policy::compiled::Depots;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// The facts, as they were written.
#[derive(Debug, Default, Deserialize)]
pub struct FactsDocument {
    /// Whether the server tells `A` from `a`.
    pub case_sensitive: Option<bool>,
    /// The server's `server.id`.
    #[serde(default)]
    pub server_id: Option<String>,
    /// The names of the server's depots.
    #[serde(default)]
    pub depots: Names,
}

/// The names in an object, as `Depots::write` puts them, those of depots that people map first.
#[derive(Debug, Default)]
pub struct Names(pub Vec<u8>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(NamesVisitor)
    }
}

/// The facts about a depot.
#[derive(Default, Deserialize)]
struct Depot<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Option<&'a RawValue>,
}

/// Whether people map a depot's files into clients; `p4 help depot` lists the types.
fn is_mapped(depot: &RawValue) -> bool {
    let depot: Depot<'_> = serde_json::from_str(depot.get()).unwrap_or_default();
    let kind = depot.kind.map(|kind| kind.get().trim_matches('"'));
    kind.is_some_and(|kind| ["local", "stream", "remote", "graph"].contains(&kind))
}

struct NamesVisitor;

impl<'de> Visitor<'de> for NamesVisitor {
    type Value = Names;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("depots by name")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut from: M) -> Result<Names, M::Error> {
        let (mut mapped, mut others) = (Writer::default(), Writer::default());
        while let Some((name, depot)) = from.next_entry::<Text<'_>, &RawValue>()? {
            Depots::write(if is_mapped(depot) { &mut mapped } else { &mut others }, &name);
        }
        mapped.raw(&others.0);
        Ok(Names(mapped.0))
    }
}
