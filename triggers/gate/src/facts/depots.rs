//! The depots of a server with their first top directories.

use crate::base::json_text::Text;
use crate::base::patterns::is_same;
use crate::facts::sorted_lines::SortedLines;
use crate::paths::depot_path::literal_start;
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// As many as a refusal proposes.
pub const MAX_DIRECTORIES: usize = 3;

/// Types of depots with files that people map into clients (p4 help depot).
pub const MAPPED_TYPES: [&[u8]; 4] = [b"local", b"stream", b"remote", b"graph"];

/// Depots of `MAPPED_TYPES` come first; only these have directories.
#[derive(Clone, Debug, Default)]
pub struct DepotList<'t> {
    depots: Vec<Depot<'t>>,
    lines: Option<SortedLines<'t>>,
}

#[derive(Clone, Debug)]
struct Depot<'t> {
    name: Text<'t>,
    directories: Directories<'t>,
}

#[derive(Clone, Copy, Debug)]
enum Directories<'t> {
    None,
    /// In the depot's object.
    Of(&'t RawValue),
    /// In the line with this key, which has its quotes.
    InLine(&'t RawValue),
}

impl<'t> DepotList<'t> {
    /// From an object with the type of each depot; the directories are in `lines`.
    pub fn of_types(types: &'t str, lines: SortedLines<'t>) -> Result<Self, serde_json::Error> {
        let list = DepotList::of(serde_json::from_str(types)?, |key, kind| {
            if is_mapped(kind) { Directories::InLine(key) } else { Directories::None }
        });
        Ok(DepotList { lines: Some(lines), ..list? })
    }

    fn of(
        ByName(objects): ByName<'t>,
        directories: impl Fn(&'t RawValue, &'t RawValue) -> Directories<'t>,
    ) -> Result<Self, serde_json::Error> {
        let (mut depots, mut others) = (Vec::new(), Vec::new());
        for (key, object) in objects {
            let name = serde_json::from_str(key.get())?;
            let depot = Depot { name, directories: directories(key, object) };
            let is_mapped = !matches!(depot.directories, Directories::None);
            if is_mapped { depots.push(depot) } else { others.push(depot) }
        }
        depots.append(&mut others);
        Ok(DepotList { depots, lines: None })
    }

    /// Without directories.
    pub fn add(&mut self, name: Vec<u8>) {
        self.depots.push(Depot { name: name.into(), directories: Directories::None });
    }

    pub fn is_empty(&self) -> bool {
        self.depots.is_empty()
    }

    /// Empty also if the depot's line cannot be read: then no directory is proposed.
    fn first_directories(&self, depot: &Depot<'_>) -> Vec<Vec<u8>> {
        let line = match depot.directories {
            Directories::None => return Vec::new(),
            Directories::Of(object) => return directories_of(object.get()).unwrap_or_default(),
            Directories::InLine(key) => {
                self.lines.and_then(|lines| lines.value(key.get().as_bytes()).ok()?)
            }
        };
        let object = line.and_then(|line| String::from_utf8(line).ok());
        object.and_then(|object| directories_of(&object)).unwrap_or_default()
    }
}

impl<'de: 't, 't> Deserialize<'de> for DepotList<'t> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let list = DepotList::of(ByName::deserialize(from)?, |_, object| {
            let fields: DepotFields<'_> = serde_json::from_str(object.get()).unwrap_or_default();
            if fields.kind.is_some_and(is_mapped) {
                Directories::Of(object)
            } else {
                Directories::None
            }
        });
        list.map_err(D::Error::custom)
    }
}

/// A value of another shape counts as unknown.
#[derive(Default, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct DepotFields<'a> {
    #[serde(rename = "type")]
    kind: Option<&'a RawValue>,
    directories: Option<&'a RawValue>,
}

fn is_mapped(kind: &RawValue) -> bool {
    MAPPED_TYPES.contains(&kind.get().trim_matches('"').as_bytes())
}

fn directories_of(object: &str) -> Option<Vec<Vec<u8>>> {
    let fields: DepotFields<'_> = serde_json::from_str(object).ok()?;
    let names: Vec<Text<'_>> = serde_json::from_str(fields.directories?.get()).ok()?;
    Some(names.iter().take(MAX_DIRECTORIES).map(|name| name.to_vec()).collect())
}

/// The names and the values of the depots of facts, both as JSON.
pub(super) struct ByName<'t>(pub Vec<(&'t RawValue, &'t RawValue)>);

impl<'de: 't, 't> Deserialize<'de> for ByName<'t> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(InOrder).map(ByName)
    }
}

struct InOrder;

impl<'de> Visitor<'de> for InOrder {
    type Value = Vec<(&'de RawValue, &'de RawValue)>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("depots by name")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut from: M) -> Result<Self::Value, M::Error> {
        let mut objects = Vec::new();
        while let Some(object) = from.next_entry()? {
            objects.push(object);
        }
        Ok(objects)
    }
}

/// Iterates over the names.
#[derive(Clone, Copy, Debug)]
pub struct Depots<'a> {
    list: &'a DepotList<'a>,
    next: usize,
}

impl<'a> Depots<'a> {
    /// None if the list is empty: then the depots are unknown.
    pub fn of(list: &'a DepotList<'a>) -> Option<Self> {
        (!list.is_empty()).then_some(Depots { list, next: 0 })
    }

    /// As depot paths such as `//depot/main/`: the first of each depot whose files a path may name.
    pub fn directories(
        self,
        path: &[u8],
        case_sensitive: bool,
    ) -> impl Iterator<Item = Vec<u8>> + use<'a, '_> {
        let literal = literal_start(path);
        let near = move |depot: &&Depot<'_>| {
            let root = [b"//", &*depot.name, b"/"].concat();
            let [one, other] =
                [&root, literal].map(|text| text.get(..root.len().min(literal.len())));
            one.zip(other).is_some_and(|(one, other)| is_same(one, other, case_sensitive))
        };
        self.list.depots.iter().filter(near).flat_map(move |depot| {
            let names = self.list.first_directories(depot).into_iter();
            let names = names.filter(|name| !name.is_empty());
            names.map(|name| [b"//", &*depot.name, b"/", &name, b"/"].concat())
        })
    }
}

impl<'a> Iterator for Depots<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let depot = self.list.depots.get(self.next)?;
        self.next += 1;
        Some(&depot.name)
    }
}
