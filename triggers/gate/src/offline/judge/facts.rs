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
    /// Whether the server is in unicode mode; None if unknown.
    pub unicode: Option<bool>,
    /// The server's `server.id`; None if unknown.
    #[serde(default)]
    pub server_id: Option<String>,
    /// The server's depots, encoded as in `gate.policy`; empty if unknown.
    #[serde(default)]
    pub depots: Names,
}

/// The depots of `facts.json`: the keys of its `depots` object with the first top directories of
/// each, encoded with `Depots::write`. Depots of the types that users map (local, stream, remote,
/// graph) come first; the directories of others are left out.
#[derive(Debug, Default)]
pub struct Names(pub Vec<u8>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(NamesVisitor)
    }
}

/// A depot of `facts.json`, of which only the type and the top directories are read; a value of
/// another shape counts as unknown.
#[derive(Default, Deserialize)]
struct Depot<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Option<&'a RawValue>,
    #[serde(borrow, default)]
    directories: Option<&'a RawValue>,
}

impl Depot<'_> {
    /// Whether users map the depot's files into clients, judged by the depot's type; `p4 help
    /// depot` lists the types.
    fn is_mapped(&self) -> bool {
        let kind = self.kind.map(|kind| kind.get().trim_matches('"'));
        kind.is_some_and(|kind| ["local", "stream", "remote", "graph"].contains(&kind))
    }

    /// The names of the depot's top directories; empty if they are unknown.
    fn directories(&self) -> Vec<Text<'_>> {
        let names = self.directories.map(|names| serde_json::from_str(names.get()));
        names.and_then(Result::ok).unwrap_or_default()
    }
}

struct NamesVisitor;

impl<'de> Visitor<'de> for NamesVisitor {
    type Value = Names;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("depots by name")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut from: M) -> Result<Names, M::Error> {
        let (mut mapped_depots, mut others) = (Writer::default(), Writer::default());
        while let Some((name, depot)) = from.next_entry::<Text<'_>, &RawValue>()? {
            let depot: Depot<'_> = serde_json::from_str(depot.get()).unwrap_or_default();
            if depot.is_mapped() {
                let directories = depot.directories();
                let names: Vec<_> = directories.iter().map(|name| &**name).collect();
                Depots::write(&mut mapped_depots, &name, &names);
            } else {
                Depots::write(&mut others, &name, &[]);
            }
        }
        mapped_depots.raw(&others.0);
        Ok(Names(mapped_depots.0))
    }
}
