//! `baseline.json`, the findings that specs had at the last census.

use crate::base::fault::Fault;
use crate::base::sums::{CHANGED, SummedFile};
use crate::facts::form_facts::Marks;
use crate::facts::sorted_lines::SortedLines;
use crate::home::folder::{BASELINE, Home};
use crate::judge::baseline::entries;
use std::fmt::Display;
use std::fs::File;

const HEAD: &[u8] = b"{\"format\": 3, \"specs\": {\n";
const END: &[u8] = b"\n}";

#[derive(Debug)]
pub struct BaselineFile {
    file: File,
    file_bytes: u64,
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
        let file_bytes = file.metadata().map_err(|error| error.to_string())?.len();
        let baseline = BaselineFile { file, file_bytes };
        let head = baseline.summed()?.part(0, HEAD.len() as u64);
        if head.map_err(|error| error.to_string())? != HEAD {
            return Err("it was written by another release".to_owned());
        }
        Ok(baseline)
    }

    /// Of a spec with this key in quotes; empty if the file does not list it. Reads a few parts of
    /// the file, whose lines are sorted.
    pub fn marks(&self, quoted_key: &str) -> Result<Marks, String> {
        let file = self.summed()?;
        let end = file.bytes.saturating_sub(END.len() as u64 - 1);
        let lines = SortedLines { file, start: HEAD.len() as u64, end };
        let json = lines.value(quoted_key.as_bytes()).map_err(|error| error.to_string())?;
        json.map_or(Ok(Marks::new()), |json| entries(&json).map_err(|error| error.to_string()))
    }

    fn summed(&self) -> Result<SummedFile<'_>, String> {
        SummedFile::of(&self.file, self.file_bytes).ok_or_else(|| CHANGED.to_owned())
    }
}
