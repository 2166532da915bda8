//! `baseline.json`, the findings that specs had at the last census.

use crate::base::fault::Fault;
use crate::facts::form_facts::Marks;
use crate::facts::sorted_lines::SortedLines;
use crate::home::folder::{BASELINE, Home};
use crate::judge::baseline::entries;
use p4warden_index::base::checksum::crc_32;
use serde_json::value::RawValue;
use std::fmt::Display;
use std::fs::File;
use std::os::unix::fs::FileExt;

const HEAD: &[u8] = b"{\"format\": 3, \"specs\": {\n";
const END: &[u8] = b"\n}}\n";

#[derive(Debug)]
pub struct BaselineFile {
    file: File,
    bytes: u64,
}

impl BaselineFile {
    /// As `marks`; a fault if the file is missing, cannot be trusted or is damaged.
    pub fn marks_in(home: &Home, quoted_key: &str) -> Result<Marks, Fault> {
        let write = |problem: &dyn Display| {
            Fault::new(format!("{problem}; run p4warden census --write-baseline"))
        };
        let open_file = home.open(BASELINE).map_err(|fault| write(&fault))?;
        let path = home.file(BASELINE);
        let unreadable =
            |problem| write(&format!("{}: it cannot be read: {problem}", path.display()));
        let marks = BaselineFile::new(open_file.file).and_then(|file| file.marks(quoted_key));
        marks.map_err(unreadable)
    }

    pub fn new(file: File) -> Result<Self, String> {
        let bytes = file.metadata().map_err(|error| error.to_string())?.len();
        let baseline = BaselineFile { file, bytes };
        if baseline.part(0, HEAD.len())? != HEAD {
            return Err("it was written by another release".to_owned());
        }
        let end = bytes.saturating_sub(END.len() as u64);
        if baseline.part(end, END.len())? != END {
            return Err("it is cut short".to_owned());
        }
        Ok(baseline)
    }

    /// Of a spec with this key in quotes; empty if the file does not list it. Reads a few parts of
    /// the file, whose lines are sorted; an error if one of these lines is damaged.
    pub fn marks(&self, quoted_key: &str) -> Result<Marks, String> {
        let lines = SortedLines {
            file: &self.file,
            start: HEAD.len() as u64,
            end: self.bytes - END.len() as u64 + 1,
        };
        let is_whole = |key: &[u8], value: &[u8]| checked_entries(key, value).is_some();
        let value =
            lines.value(quoted_key.as_bytes(), is_whole).map_err(|error| error.to_string())?;
        let json = value.as_deref().and_then(|it| checked_entries(quoted_key.as_bytes(), it));
        json.map_or(Ok(Marks::new()), |json| entries(json).map_err(|error| error.to_string()))
    }

    fn part(&self, at: u64, bytes: usize) -> Result<Vec<u8>, String> {
        let mut part = vec![0; bytes.min(usize::try_from(self.bytes).unwrap_or(usize::MAX))];
        self.file.read_exact_at(&mut part, at).map_err(|error| error.to_string())?;
        Ok(part)
    }
}

/// Of a line's value, `[CHECKSUM, ENTRIES]`; None if the checksum of the line is another.
fn checked_entries<'v>(key: &[u8], value: &'v [u8]) -> Option<&'v [u8]> {
    let (checksum, entries): (u32, &RawValue) = serde_json::from_slice(value).ok()?;
    let entries = entries.get().as_bytes();
    (crc_32(&[key, b": ", entries].concat()) == checksum).then_some(entries)
}
