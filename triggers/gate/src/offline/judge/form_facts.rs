//! The facts for judging forms and submits, read from `facts.json` or from an event's own `facts`.

use crate::base::json_text::{self, Text};
use crate::facts::form_facts::{Marks, SpannedFiles, WideLine};
use crate::facts::known_depots::{Depot, KnownDepots};
use crate::judge::baseline::entries;
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

pub(super) const NO_DEPOTS: &str = "depots is not an object";

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
    /// Words after `as of` about an outdated list of depots.
    pub depots_as_of: Option<String>,
}

impl<'a> FormFactsDocument<'a> {
    pub fn read(json: &'a [u8]) -> Result<Self, String> {
        serde_json::from_slice(json).map_err(problem)
    }

    pub fn depots(&self) -> Result<Option<KnownDepots>, String> {
        let depots = self.depots.map(RawValue::get);
        if depots.is_some_and(|json| !json_text::is_object(json.as_bytes())) {
            return Err(format!("facts: {NO_DEPOTS}"));
        }
        let depots = depots.map(serde_json::from_str);
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

    /// Whether the files are only counted: an index may name the wide lines.
    pub fn lacks_wide_lines(&self) -> bool {
        self.view.as_ref().is_some_and(|view| view.wide.is_none())
    }

    pub fn used_directories(&self) -> Option<Vec<Vec<u8>>> {
        Some(self.used.as_ref()?.iter().map(|name| name.to_vec()).collect())
    }
}

fn problem(error: serde_json::Error) -> String {
    format!("facts: {}", json_text::problem(&error))
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
    wide: Option<Vec<WideDocument<'a>>>,
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
        let wide_lines = self.wide.iter().flatten().map(wide_line).collect();
        SpannedFiles { files: self.files, wide_lines }
    }
}

fn directory((path, files): &(Text<'_>, u64)) -> (Vec<u8>, u64) {
    (path.to_vec(), *files)
}
