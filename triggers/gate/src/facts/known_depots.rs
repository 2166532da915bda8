use crate::base::json_text::Text;
use crate::base::patterns::{folded_name, is_same};
use crate::facts::depots::ByName;
use serde::Deserialize;
use serde::de::Error;
use serde_json::value::RawValue;
use std::cell::OnceCell;
use std::collections::BTreeSet;
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
    /// Of `directories`, those that submits may still transfer.
    pub in_flight: u64,
    /// As `//depot/main`, mainlines first; None if unknown.
    pub streams: Option<Vec<Vec<u8>>>,
    /// None if the server was not asked.
    pub confirmed_directories: Option<Vec<Vec<u8>>>,
}

impl<'f> KnownDepots<'f> {
    pub fn of(depots: Vec<Depot>) -> Self {
        KnownDepots { read: None, depots: OnceCell::from(depots) }
    }

    pub fn read_by(read: impl Fn() -> Vec<Depot> + 'f) -> Self {
        KnownDepots { read: Some(Box::new(read)), depots: OnceCell::new() }
    }

    /// In the order of `facts.json`; empty if unknown.
    pub fn all(&self) -> &[Depot] {
        self.depots.get_or_init(|| self.read.as_ref().map(|read| read()).unwrap_or_default())
    }

    /// Compares names as the server does.
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

    /// Adds top directories that submits may still transfer, unless the present ones are unknown.
    pub fn add_in_flight(&mut self, names: &[&[u8]], case_sensitive: bool) {
        let mut known = self.folded_directories(case_sensitive);
        let Some(directories) = &mut self.directories else { return };
        for name in names {
            if known.insert(folded_name(name, case_sensitive).into_owned()) {
                directories.push(name.to_vec());
                self.directory_count += 1;
                self.in_flight += 1;
            }
        }
    }

    /// Its known top directories.
    pub fn folded_directories(&self, case_sensitive: bool) -> BTreeSet<Vec<u8>> {
        let names =
            [&self.directories, &self.confirmed_directories].into_iter().flatten().flatten();
        names.map(|name| folded_name(name, case_sensitive).into_owned()).collect()
    }
}

impl fmt::Debug for KnownDepots<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_list().entries(self.all()).finish()
    }
}

/// From the `depots` of facts: an object with an object for each depot.
pub fn depots_of_json(json: &str) -> Result<Vec<Depot>, serde_json::Error> {
    let ByName(objects) = serde_json::from_str(json)?;
    let depot = |(name, object): (&RawValue, &RawValue)| {
        let name: Text<'_> = serde_json::from_str(name.get())?;
        let depot = serde_json::from_str::<DepotDocument<'_>>(object.get());
        let depot = depot.map_err(|error| {
            serde_json::Error::custom(format!("depots.{}: {error}", name.escape_ascii()))
        });
        Ok(depot?.depot(&name))
    };
    objects.into_iter().map(depot).collect()
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct DepotDocument<'a> {
    #[serde(default, rename = "type")]
    kind: Text<'a>,
    directories: Option<Vec<Text<'a>>>,
    #[serde(default)]
    count: u64,
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
            ..Depot::default()
        }
    }
}
