//! The facts about a server that the gate needs, read from `facts.json` or from an event's own
//! `facts`.

use super::text::Text;
use crate::base::bytes::Writer;
use crate::policy::compiled::Depots;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// The facts about a server that the gate reads from JSON in the form of `facts.json`; all other
/// facts in the JSON are ignored.
#[derive(Debug, Default, Deserialize)]
pub struct FactsDocument {
    /// Whether the server distinguishes upper and lower case in names, according to the facts; None
    /// if unknown.
    pub case_sensitive: Option<bool>,
    /// Whether the server is known to be in unicode mode; false if the mode is unknown.
    #[serde(default)]
    pub unicode: bool,
    /// The server's `server.id`; None if unknown.
    #[serde(default)]
    pub server_id: Option<String>,
    /// Names of the server's depots, encoded as in `gate.policy`; empty if unknown.
    #[serde(default)]
    pub depots: Names,
}

/// The depot names of `facts.json`: the keys of its `depots` object, encoded with `Depots::write`.
/// Depots of the types that users map (local, stream, remote, graph) come first.
#[derive(Debug, Default)]
pub struct Names(pub Vec<u8>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(NamesVisitor)
    }
}

/// A depot of `facts.json`, of which only the type is read.
#[derive(Default, Deserialize)]
struct Depot<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Option<&'a RawValue>,
}

/// Whether users map a depot's files into clients, judged by the depot's type; `p4 help depot`
/// lists the types.
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
