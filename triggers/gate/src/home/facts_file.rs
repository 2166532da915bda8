//! The facts about the server, `facts.json`.
//!
//! The start of the file is enough for most events.

use crate::base::fault::Fault;
use crate::base::sums::{CHANGED, SummedFile, without_sums};
use crate::facts::depots::DepotList;
use crate::facts::document::{AFTER_LINES, AFTER_TYPES, FirstLine};
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
    Lines {
        open_file: TrustedFile,
        start: Vec<u8>,
        types_start: usize,
        /// With its line end; read when the depots are first needed.
        first_line: OnceCell<Vec<u8>>,
    },
}

impl FactsFile {
    /// The facts of an unknown server if the file is missing; a fault if it cannot be trusted or its
    /// start is damaged.
    pub fn open(home: &Home) -> Result<Self, Fault> {
        let Some(open_file) = home.open_unless_missing(FACTS)? else {
            return Ok(FactsFile::unknown());
        };
        let start = part(&open_file, FIRST_BYTES)?;
        let line = FirstLine::read(&start).ok_or_else(|| damaged(&open_file, CHANGED))?;
        let FirstLine { case_sensitive, unicode, server_id, limit_view, types_start } = line;
        let content = Content::Lines { open_file, start, types_start, first_line: OnceCell::new() };
        Ok(FactsFile { case_sensitive, unicode, server_id, limit_view, content })
    }

    /// Names are then compared with case, and messages are in ASCII.
    pub fn unknown() -> Self {
        FactsFile {
            case_sensitive: true,
            unicode: false,
            server_id: None,
            limit_view: false,
            content: Content::Missing,
        }
    }

    pub fn is_missing(&self) -> bool {
        matches!(self.content, Content::Missing)
    }

    /// Only the first line is read.
    pub fn depots(&self) -> Result<DepotList<'_>, Fault> {
        let Content::Lines { open_file, start, types_start, first_line } = &self.content else {
            return Ok(DepotList::default());
        };
        let line = match first_line.get() {
            Some(line) => line,
            None => {
                let line = whole_line(open_file, start.clone())?;
                first_line.get_or_init(|| line)
            }
        };
        let types = line.get(*types_start..).unwrap_or_default();
        let types = types.strip_suffix(AFTER_TYPES).and_then(|text| str::from_utf8(text).ok());
        let types = types.ok_or_else(|| damaged(open_file, CHANGED))?;
        let file = summed(open_file)?;
        let end = file.bytes.saturating_sub(AFTER_LINES.len() as u64);
        let lines = SortedLines { file, start: line.len() as u64, end };
        DepotList::of_types(types, lines).map_err(|error| damaged(open_file, &error.to_string()))
    }

    /// With all their directories; reads the whole file.
    pub fn known_depots(&self) -> Result<Vec<Depot>, Fault> {
        let Content::Lines { open_file, .. } = &self.content else { return Ok(Vec::new()) };
        let content = whole(open_file)?;
        let document: Result<OfDepots<'_>, _> = serde_json::from_slice(&content);
        let depots = document.and_then(|document| {
            document.depots.map(|json| depots_of_json(json.get())).transpose()
        });
        depots
            .map(Option::unwrap_or_default)
            .map_err(|error| damaged(open_file, &error.to_string()))
    }

    /// Reads every part of the file.
    pub fn check(&self) -> Result<(), Fault> {
        self.known_depots().map(drop)
    }
}

fn part(open_file: &TrustedFile, bytes: u64) -> Result<Vec<u8>, Fault> {
    let part = summed(open_file)?.part(0, bytes);
    part.map_err(|error| damaged(open_file, &error.to_string()))
}

fn summed(open_file: &TrustedFile) -> Result<SummedFile<'_>, Fault> {
    let summed = SummedFile::of(&open_file.file, open_file.bytes);
    summed.ok_or_else(|| damaged(open_file, CHANGED))
}

fn whole(open_file: &TrustedFile) -> Result<Vec<u8>, Fault> {
    without_sums(open_file.content()?).map_err(|problem| damaged(open_file, &problem))
}

/// The first line of a file, of which `line` is read already, with its line end.
fn whole_line(open_file: &TrustedFile, mut line: Vec<u8>) -> Result<Vec<u8>, Fault> {
    loop {
        if let Some(end) = memchr::memchr(b'\n', &line) {
            line.truncate(end + 1);
            return Ok(line);
        }
        let longer = part(open_file, 2 * line.len() as u64)?;
        if longer.len() == line.len() {
            return Ok(line);
        }
        line = longer;
    }
}

#[derive(Deserialize)]
struct OfDepots<'t> {
    #[serde(borrow)]
    depots: Option<&'t RawValue>,
}

fn damaged(open_file: &TrustedFile, problem: &str) -> Fault {
    open_file.fault(&format!("it cannot be read: {problem}; run p4warden refresh"))
}
