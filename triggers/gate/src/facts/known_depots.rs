use crate::base::json_text::Text;
use crate::base::patterns::is_same;
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::cell::OnceCell;
use std::fmt;

/// The depots of a server with all their top directories, read when a rule first needs them.
#[derive(Default)]
pub struct KnownDepots<'f> {
    read: Option<Box<dyn Fn() -> Vec<Depot> + 'f>>,
    depots: OnceCell<Vec<Depot>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Depot {
    pub name: Vec<u8>,
    /// `local`, `stream`, `spec`, ...
    pub kind: Vec<u8>,
    /// The top ones; None if unknown or too many to store.
    pub directories: Option<Vec<Vec<u8>>>,
    /// 0 if unknown.
    pub directory_count: u64,
    /// As `//depot/main`, mainlines first; None if unknown.
    pub streams: Option<Vec<Vec<u8>>>,
    /// None if the server was not asked.
    pub confirmed_directories: Option<Vec<Vec<u8>>>,
}

impl<'f> KnownDepots<'f> {
    #[must_use]
    pub fn of(depots: Vec<Depot>) -> Self {
        KnownDepots { read: None, depots: OnceCell::from(depots) }
    }

    #[must_use]
    pub fn read_by(read: impl Fn() -> Vec<Depot> + 'f) -> Self {
        KnownDepots { read: Some(Box::new(read)), depots: OnceCell::new() }
    }

    /// In the order of `facts.json`; empty if unknown.
    #[must_use]
    pub fn all(&self) -> &[Depot] {
        self.depots.get_or_init(|| self.read.as_ref().map(|read| read()).unwrap_or_default())
    }

    /// Compares names as the server does.
    #[must_use]
    pub fn named(&self, name: &[u8], case_sensitive: bool) -> Option<&Depot> {
        self.all().iter().find(|depot| is_same(&depot.name, name, case_sensitive))
    }
}

impl Depot {
    /// Sets its top directories, of which these are all.
    pub fn have(&mut self, directories: Vec<Vec<u8>>) {
        self.directory_count = directories.len() as u64;
        self.directories = Some(directories);
    }
}

impl fmt::Debug for KnownDepots<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_list().entries(self.all()).finish()
    }
}

/// From the `depots` of facts: an object with an object for each depot.
pub fn depots_of_json(json: &str) -> Result<Vec<Depot>, serde_json::Error> {
    serde_json::from_str(json).map(|Depots(depots)| depots)
}

struct Depots(Vec<Depot>);

#[derive(Deserialize)]
struct DepotDocument<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow, default)]
    directories: Option<Vec<Text<'a>>>,
    #[serde(default)]
    count: u64,
    #[serde(borrow, default)]
    streams: Option<Vec<Text<'a>>>,
}

impl DepotDocument<'_> {
    fn depot(&self, name: &[u8]) -> Depot {
        let names = self.directories.as_ref();
        let streams = self.streams.as_ref();
        Depot {
            name: name.to_vec(),
            kind: self.kind.to_vec(),
            directories: names.map(|names| names.iter().map(|name| name.to_vec()).collect()),
            directory_count: names.map_or(self.count, |names| names.len() as u64),
            streams: streams.map(|names| names.iter().map(|name| name.to_vec()).collect()),
            confirmed_directories: None,
        }
    }
}

impl<'de> Deserialize<'de> for Depots {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(DepotsVisitor)
    }
}

struct DepotsVisitor;

impl<'de> Visitor<'de> for DepotsVisitor {
    type Value = Depots;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("depots by name")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut from: M) -> Result<Depots, M::Error> {
        let mut depots = Vec::new();
        while let Some((name, json)) = from.next_entry::<Text<'de>, &'de RawValue>()? {
            let depot: DepotDocument<'_> = serde_json::from_str(json.get()).map_err(|error| {
                M::Error::custom(format!("depots.{}: {error}", name.escape_ascii()))
            })?;
            depots.push(depot.depot(&name));
        }
        Ok(Depots(depots))
    }
}
