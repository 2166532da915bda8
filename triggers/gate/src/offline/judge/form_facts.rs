//! The facts for judging forms and submits, read from `facts.json` or from an event's own `facts`.

use crate::base::json_text::Text;
use crate::facts::form_facts::{Marks, SpannedFiles, WideLine};
use crate::facts::known_depots::{Depot, KnownDepots};
use crate::judge::baseline::entries;
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// A key that is missing is None.
#[derive(Clone, Default, Deserialize)]
pub struct FormFactsDocument<'a> {
    pub case_sensitive: Option<bool>,
    pub unicode: Option<bool>,
    pub server_id: Option<String>,
    #[serde(borrow)]
    depots: Option<&'a RawValue>,
    #[serde(borrow)]
    baseline: Option<&'a RawValue>,
    #[serde(borrow)]
    view: Option<View<'a>>,
    #[serde(borrow)]
    used: Option<Vec<Text<'a>>>,
    pub client_exists: Option<bool>,
}

impl<'a> FormFactsDocument<'a> {
    pub fn read(json: &'a [u8]) -> Result<Self, String> {
        serde_json::from_slice(json).map_err(problem)
    }

    pub fn depots(&self) -> Result<Option<KnownDepots>, String> {
        let depots = self.depots.map(|json| serde_json::from_str(json.get()));
        Ok(depots.transpose().map_err(problem)?.map(|Depots(depots)| depots))
    }

    pub fn baseline(&self) -> Result<Option<Marks>, String> {
        let marks = self.baseline.map(|json| entries(json.get().as_bytes())).transpose();
        let shape = "facts: baseline is not a list of [rule, place, item, value]";
        marks.map_err(|_| shape.to_owned())
    }

    pub fn spanned_files(&self) -> Option<SpannedFiles> {
        self.view.as_ref().map(View::spanned_files)
    }

    /// None for an empty list.
    pub fn used_directories(&self) -> Option<Vec<Vec<u8>>> {
        let directories = self.used.as_ref().filter(|directories| !directories.is_empty())?;
        Some(directories.iter().map(|name| name.to_vec()).collect())
    }
}

fn problem(error: serde_json::Error) -> String {
    format!("facts: {error}")
}

struct Depots(KnownDepots);

#[derive(Deserialize)]
struct DepotDocument<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow, default)]
    directories: Option<Vec<Text<'a>>>,
    #[serde(default)]
    count: u64,
}

impl DepotDocument<'_> {
    fn depot(&self, name: &[u8]) -> Depot {
        let names = self.directories.as_ref();
        Depot {
            name: name.to_vec(),
            kind: self.kind.to_vec(),
            directories: names.map(|names| names.iter().map(|name| name.to_vec()).collect()),
            directory_count: names.map_or(self.count, |names| names.len() as u64),
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
        Ok(Depots(KnownDepots(depots)))
    }
}

/// As `p4warden-index span` writes it.
#[derive(Clone, Deserialize)]
struct View<'a> {
    files: u64,
    #[serde(borrow, default)]
    wide: Vec<WideDocument<'a>>,
}

#[derive(Clone, Deserialize)]
struct WideDocument<'a> {
    line: usize,
    files: u64,
    #[serde(borrow, default)]
    narrower: Option<Vec<(Text<'a>, u64)>>,
}

impl View<'_> {
    fn spanned_files(&self) -> SpannedFiles {
        let wide_line = |wide: &WideDocument<'_>| WideLine {
            line: wide.line,
            files: wide.files,
            narrower_directories: wide.narrower.iter().flatten().map(directory).collect(),
        };
        SpannedFiles { files: self.files, wide_lines: self.wide.iter().map(wide_line).collect() }
    }
}

fn directory((path, files): &(Text<'_>, u64)) -> (Vec<u8>, u64) {
    (path.to_vec(), *files)
}
