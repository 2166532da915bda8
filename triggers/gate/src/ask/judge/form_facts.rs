//! The facts for judging forms and submits, read from `facts.json` or from an event's own `facts`.

use crate::base::json_text::{self, Text};
use crate::facts::form_facts::{Marks, SpannedFiles, WideLine};
use crate::facts::known_depots::{Depot, depots_of_json};
use crate::judge::baseline::entries;
use p4warden_index::estimate::count::Estimate;
use serde::Deserialize;
use serde_json::value::RawValue;

pub(super) const NO_DEPOTS: &str = "depots is not an object";

/// A key that is missing is None.
#[derive(Clone, Default, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub struct FormFactsDocument<'a> {
    pub case_sensitive: Option<bool>,
    pub unicode: Option<bool>,
    pub server_id: Option<String>,
    pub limit_view: Option<bool>,
    depots: Option<&'a RawValue>,
    baseline: Option<&'a RawValue>,
    view: Option<View<'a>>,
    used: Option<Vec<Text<'a>>>,
    pub client_exists: Option<bool>,
    /// Words after `as of` about an outdated list of depots.
    pub depots_as_of: Option<String>,
}

impl<'a> FormFactsDocument<'a> {
    pub fn read(json: &'a [u8]) -> Result<Self, String> {
        serde_json::from_slice(json).map_err(problem)
    }

    pub fn depots(&self) -> Result<Option<Vec<Depot>>, String> {
        let depots = self.depots.map(RawValue::get);
        if depots.is_some_and(|json| !json_text::is_object(json.as_bytes())) {
            return Err(format!("facts: {NO_DEPOTS}"));
        }
        depots.map(depots_of_json).transpose().map_err(problem)
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

/// As an index would count them.
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
        SpannedFiles { files: Estimate::exact(self.files), wide_lines }
    }
}

fn directory((path, files): &(Text<'_>, u64)) -> (Vec<u8>, u64) {
    (path.to_vec(), *files)
}
