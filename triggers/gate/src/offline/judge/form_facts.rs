//! The facts for judging forms and submits, read from `facts.json` or from an event's own `facts`.

use crate::base::json_text::Text;
use crate::facts::form_facts::{Marks, SpannedFiles, WideLine};
use crate::facts::known_depots::{Depot, depots_of_json};
use crate::judge::baseline::entries;
use serde::Deserialize;
use serde_json::value::RawValue;

/// A key that is missing is None.
#[derive(Default, Deserialize)]
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

    pub fn depots(&self) -> Result<Option<Vec<Depot>>, String> {
        self.depots.map(|json| depots_of_json(json.get())).transpose().map_err(problem)
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

/// As `p4warden-index span` writes it.
#[derive(Deserialize)]
struct View<'a> {
    files: u64,
    #[serde(borrow, default)]
    wide: Vec<WideDocument<'a>>,
}

#[derive(Deserialize)]
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
