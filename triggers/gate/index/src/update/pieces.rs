//! Which journals to read for an update: the rotated ones written since the last update or, without
//! one, since the checkpoint, then the live one.

use crate::assemble::journal_place::is_of;
use crate::base::fault::Fault;
use crate::file::position::Position;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A journal, or its last part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Plain or gzip.
    pub path: PathBuf,
    /// In the journal's uncompressed text.
    pub start: u64,
    /// Its last record may be incomplete.
    pub is_growing: bool,
}

#[derive(Clone, Debug)]
pub struct Journals {
    /// The server is writing it.
    pub live_path: PathBuf,
    /// Without their suffix `.NUMBER` or `.NUMBER.gz`.
    pub rotated_path: PathBuf,
}

impl Journals {
    /// Oldest first. Fails if no journal contains the position (for example because it was
    /// truncated, replaced or deleted), or if a number is missing between the rotated journals.
    pub fn journals_after(&self, place: Position) -> Result<Vec<Piece>, Fault> {
        if is_of(&self.live_path, place)? {
            return Ok(vec![self.live_from(place.offset)]);
        }
        let rotated = self.rotated_journals()?;
        for (index, (_, path)) in rotated.iter().enumerate().rev() {
            if is_of(path, place)? {
                let mut pieces = self.journals_from(rotated.get(index..).unwrap_or_default())?;
                if let Some(first) = pieces.first_mut() {
                    first.start = place.offset;
                }
                return Ok(pieces);
            }
        }
        let (live, rotated) = (self.live_path.display(), self.rotated_path.display());
        Err(Fault::File(format!(
            "{live}: neither it nor a rotated journal {rotated}.N continues where the last update stopped; \
             make the index again from a new checkpoint"
        )))
    }

    /// Those modified since `time_s` (seconds since the Unix epoch), oldest first, and the live
    /// one. Fails if a number is missing between the rotated journals.
    pub fn journals_since(&self, time_s: u64) -> Result<Vec<Piece>, Fault> {
        let mut rotated = self.rotated_journals()?;
        let is_older = |path: &Path| {
            let about = std::fs::metadata(path).map_err(|error| Fault::of_file(path, &error))?;
            Ok(u64::try_from(about.mtime()).is_ok_and(|written_s| written_s < time_s))
        };
        let mut first = rotated.len();
        while let Some((_, path)) = first.checked_sub(1).and_then(|at| rotated.get(at)) {
            if is_older(path)? {
                break;
            }
            first -= 1;
        }
        self.journals_from(&rotated.split_off(first))
    }

    /// Whole journals, then the live one. Fails if a number is missing between them.
    fn journals_from(&self, rotated: &[(u64, PathBuf)]) -> Result<Vec<Piece>, Fault> {
        for pair in rotated.windows(2) {
            if let [(one, path), (next, _)] = pair
                && one + 1 != *next
            {
                let path = path.display();
                let problem = format!(
                    "{path}: the journal after it is missing; make the index again from a new checkpoint"
                );
                return Err(Fault::File(problem));
            }
        }
        let rotated = rotated.iter().map(|(_, path)| path.clone());
        let rotated_pieces = rotated.map(|path| Piece { path, start: 0, is_growing: false });
        Ok(rotated_pieces.chain([self.live_from(0)]).collect())
    }

    fn live_from(&self, start: u64) -> Piece {
        Piece { path: self.live_path.clone(), start, is_growing: true }
    }

    fn rotated_journals(&self) -> Result<Vec<(u64, PathBuf)>, Fault> {
        let folder = self.rotated_path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let fault = |error: &std::io::Error| Fault::of_file(folder, error);
        let Some(start) = self.rotated_path.file_name().and_then(|name| name.to_str()) else {
            return Ok(Vec::new());
        };
        let mut journals = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(|error| fault(&error))? {
            let entry = entry.map_err(|error| fault(&error))?;
            let name = entry.file_name();
            let number = name.to_str().and_then(|name| number_of(name, start));
            journals.extend(number.map(|number| (number, entry.path())));
        }
        journals.sort();
        // While a journal is being compressed, it exists with and without `.gz`.
        journals.dedup_by_key(|(number, _)| *number);
        Ok(journals)
    }
}

/// `start` is the name without number.
fn number_of(name: &str, start: &str) -> Option<u64> {
    let number = name.strip_prefix(start)?.strip_prefix('.')?;
    let number = number.strip_suffix(".gz").unwrap_or(number);
    number.bytes().all(|byte| byte.is_ascii_digit()).then_some(())?;
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_rotated_journal_is_read_from_its_name() {
        assert_eq!(number_of("p4_1.jnl.12", "p4_1.jnl"), Some(12));
        assert_eq!(number_of("p4_1.jnl.12.gz", "p4_1.jnl"), Some(12));
        for other in ["p4_1.jnl", "p4_1.jnl.", "p4_1.jnl.1x", "p4_1.jnl.12.md5", "p4_2.jnl.12"] {
            assert_eq!(number_of(other, "p4_1.jnl"), None, "{other}");
        }
    }
}
