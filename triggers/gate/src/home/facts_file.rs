//! The facts about the server, `facts.json`.
//!
//! The start of the file is enough for most events. A file of another layout than `p4warden
//! refresh` writes is read whole.

use crate::base::fault::Fault;
use crate::facts::depots::DepotList;
use crate::facts::document::{AFTER_TYPES, FactsDocument, FirstLine, LAST_LINE};
use crate::facts::known_depots::{Depot, depots_of_json};
use crate::facts::sorted_lines::SortedLines;
use crate::home::folder::{FACTS, Home, TrustedFile};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::cell::OnceCell;

/// Enough for the first line with the types of some 100 depots.
const FIRST_BYTES: u64 = 4096;

#[derive(Debug)]
pub struct FactsFile {
    pub case_sensitive: bool,
    /// False if the mode is unknown.
    pub unicode: bool,
    pub server_id: Option<String>,
    /// False if unknown.
    pub limit_view: bool,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Missing,
    Whole(TrustedFile, Vec<u8>),
    Lines {
        open_file: TrustedFile,
        start: Vec<u8>,
        types_start: usize,
        /// With its line end; read when the depots are first needed.
        first_line: OnceCell<Vec<u8>>,
    },
}

impl FactsFile {
    /// The facts of an unknown server if the file is missing; a fault if it cannot be trusted or is
    /// damaged.
    pub fn open(home: &Home) -> Result<Self, Fault> {
        let Some(open_file) = home.open_unless_missing(FACTS)? else {
            return Ok(FactsFile::unknown());
        };
        let start = open_file.part(0, open_file.bytes.min(FIRST_BYTES))?;
        match FirstLine::read(&start) {
            Some(line) if ends_whole(&open_file, &start)? => {
                let FirstLine { case_sensitive, unicode, server_id, limit_view, types_start } =
                    line;
                let first_line = OnceCell::new();
                let content = Content::Lines { open_file, start, types_start, first_line };
                Ok(FactsFile { case_sensitive, unicode, server_id, limit_view, content })
            }
            _ => FactsFile::of_whole(open_file),
        }
    }

    /// Names are then compared with case, and messages are in ASCII.
    #[must_use]
    pub fn unknown() -> Self {
        FactsFile::of(FactsDocument::default())
    }

    fn of_whole(open_file: TrustedFile) -> Result<Self, Fault> {
        let content = open_file.content()?;
        let facts = FactsFile::of(document(&open_file, &content)?);
        Ok(FactsFile { content: Content::Whole(open_file, content), ..facts })
    }

    fn of(document: FactsDocument<'_>) -> Self {
        FactsFile {
            case_sensitive: document.case_sensitive.unwrap_or(true),
            unicode: document.unicode.unwrap_or(false),
            server_id: document.server_id,
            limit_view: document.limit_view.unwrap_or(false),
            content: Content::Missing,
        }
    }

    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self.content, Content::Missing)
    }

    /// Of the layout in lines only the first line is read.
    pub fn depots(&self) -> Result<DepotList<'_>, Fault> {
        match &self.content {
            Content::Missing => Ok(DepotList::default()),
            Content::Whole(open_file, content) => Ok(document(open_file, content)?.depots),
            Content::Lines { open_file, start, types_start, first_line } => {
                let line = match first_line.get() {
                    Some(line) => line,
                    None => {
                        let line = whole_line(open_file, start.clone())?;
                        first_line.get_or_init(|| line)
                    }
                };
                let types = line.get(*types_start..).unwrap_or_default();
                let types =
                    types.strip_suffix(AFTER_TYPES).and_then(|text| str::from_utf8(text).ok());
                let lines = SortedLines {
                    file: &open_file.file,
                    start: line.len() as u64,
                    end: open_file.bytes.saturating_sub(LAST_LINE.len() as u64 - 1),
                };
                let types = types.ok_or_else(|| damaged(open_file, "its first line is damaged"))?;
                DepotList::of_types(types, lines)
                    .map_err(|error| damaged(open_file, &error.to_string()))
            }
        }
    }

    /// With all their directories; reads the whole file.
    pub fn known_depots(&self) -> Result<Vec<Depot>, Fault> {
        match &self.content {
            Content::Missing => Ok(Vec::new()),
            Content::Whole(open_file, content) => all_depots(open_file, content),
            Content::Lines { open_file, .. } => all_depots(open_file, &open_file.content()?),
        }
    }

    /// Reads every part of the file.
    pub fn check(&self) -> Result<(), Fault> {
        match &self.content {
            Content::Missing => Ok(()),
            Content::Whole(open_file, _) | Content::Lines { open_file, .. } => {
                document(open_file, &open_file.content()?).map(drop)
            }
        }
    }
}

/// Whether the file has its last line.
fn ends_whole(open_file: &TrustedFile, start: &[u8]) -> Result<bool, Fault> {
    if start.len() as u64 == open_file.bytes {
        return Ok(start.ends_with(LAST_LINE));
    }
    let length = LAST_LINE.len() as u64;
    Ok(open_file.part(open_file.bytes - length, length)? == LAST_LINE)
}

/// The first line of a file, of which `start` is read already, with its line end.
fn whole_line(open_file: &TrustedFile, start: Vec<u8>) -> Result<Vec<u8>, Fault> {
    let (mut line, mut searched) = (start, 0);
    loop {
        if let Some(end) = memchr::memchr(b'\n', line.get(searched..).unwrap_or_default()) {
            line.truncate(searched + end + 1);
            return Ok(line);
        }
        searched = line.len();
        let left = open_file.bytes.saturating_sub(searched as u64);
        if left == 0 {
            return Ok(line);
        }
        line.extend(open_file.part(searched as u64, left.min(searched as u64))?);
    }
}

fn document<'t>(open_file: &TrustedFile, content: &'t [u8]) -> Result<FactsDocument<'t>, Fault> {
    serde_json::from_slice(content).map_err(|error| damaged(open_file, &error.to_string()))
}

fn all_depots(open_file: &TrustedFile, content: &[u8]) -> Result<Vec<Depot>, Fault> {
    let document: OfDepots<'_> =
        serde_json::from_slice(content).map_err(|error| damaged(open_file, &error.to_string()))?;
    let depots = document.depots.map(|json| depots_of_json(json.get())).transpose();
    Ok(depots.map_err(|error| damaged(open_file, &error.to_string()))?.unwrap_or_default())
}

#[derive(Deserialize)]
struct OfDepots<'t> {
    #[serde(borrow)]
    depots: Option<&'t RawValue>,
}

fn damaged(open_file: &TrustedFile, problem: &str) -> Fault {
    open_file.fault(&format!("it cannot be read: {problem}; run p4warden refresh"))
}
