//! The facts about a server, read from `facts.json` or from an event's own `facts`.

use crate::base::bytes::Writer;
use crate::base::json_text::Text;
use crate::policy::compiled::Depots;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

#[derive(Debug, Default, Deserialize)]
pub struct FactsDocument {
    pub case_sensitive: Option<bool>,
    pub unicode: Option<bool>,
    #[serde(default)]
    pub server_id: Option<String>,
    /// Encoded as in `gate.policy`; empty if unknown.
    #[serde(default)]
    pub depots: Names,
}

/// Encoded with `Depots::write`. Depots of the types that users map come first; the directories of
/// others are left out.
#[derive(Debug, Default)]
pub struct Names(pub Vec<u8>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(NamesVisitor)
    }
}

/// A value of another shape counts as unknown.
#[derive(Default, Deserialize)]
struct Depot<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Option<&'a RawValue>,
    #[serde(borrow, default)]
    directories: Option<&'a RawValue>,
}

impl Depot<'_> {
    /// `p4 help depot` lists the types.
    fn is_mapped(&self) -> bool {
        let kind = self.kind.map(|kind| kind.get().trim_matches('"'));
        kind.is_some_and(|kind| ["local", "stream", "remote", "graph"].contains(&kind))
    }

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
