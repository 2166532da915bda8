//! Builds a checkpoint index from the checkpoints and journals of one server.

use crate::assemble::file_reader;
use crate::assemble::index_writer::IndexContents;
use crate::assemble::journal_place::position;
use crate::assemble::tables::Tables;
use crate::base::order::Case;
use crate::base::trouble::Trouble;
use crate::file::head::Head;
use crate::file::position::Position;
use crate::sorted::temporary_folder::TemporaryFolder;
use crate::source::checkpoint::{parts, with_journals};
use crate::source::ends::FileRole;
use crate::source::files::Part;
use std::io;
use std::path::{Path, PathBuf};

/// The checkpoints and journals from which a checkpoint index is built, with known settings of
/// their server.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Path of a checkpoint file or of the folder of a parallel checkpoint, or paths of its files.
    pub checkpoints: Vec<PathBuf>,
    /// Paths of the journals written after the checkpoint, oldest first.
    pub journals: Vec<PathBuf>,
    /// The server's `server.id`, to store in the checkpoint index; None if unknown.
    pub server_id: Option<String>,
    /// The server's case setting; None if it has to be determined from the sort order of the
    /// checkpoint's tables.
    pub case: Option<Case>,
}

/// Result of building a checkpoint index: the head of the file, and a note if the last journal's
/// last record is incomplete.
#[derive(Debug)]
pub struct BuiltIndex {
    /// The head of the checkpoint index: its totals, settings and the positions of its trees.
    pub head: Head,
    /// At most one note, a line of text: the incomplete last record of the last journal was left
    /// out.
    pub notes: Vec<String>,
}

/// Builds a checkpoint index under a temporary name and renames it to `output` when it is complete.
///
/// Temporary files without names are created in the directory of `output`. If the only source is
/// one checkpoint file, its `db.have` records are only summarized; the checkpoint is read a second
/// time if the summary is not valid, for example because these records are out of order. `progress`
/// is called with the number of bytes read and the total number of bytes.
pub fn build(
    sources: &Sources,
    output: &Path,
    mut progress: impl FnMut(u64, u64),
) -> Result<BuiltIndex, Trouble> {
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).to_owned();
    let trouble = |error| Trouble::of_file(output, &error);
    let temporary_folder = TemporaryFolder::in_folder(folder.clone());
    let new_tables = || Tables::new(temporary_folder.clone()).map_err(trouble);
    let mut tables = new_tables()?;
    if is_one_file(sources)? {
        tables.have = tables.have.without_records();
    }
    let mut sorted = read_tables(sources, tables, &mut progress)?;
    if sorted.tables.have.lacks_records() {
        sorted = read_tables(sources, new_tables()?, &mut progress)?;
    }
    let SortedTables { tables, case, notes, read_to } = sorted;
    let server_id = sources.server_id.as_ref().map(|id| id.clone().into_bytes());
    let contents = IndexContents { tables, case, server_id, read_to, temporary_folder };
    let head = contents.write(&folder, output).map_err(trouble)?;
    Ok(BuiltIndex { head, notes })
}

/// Whether the only source is one checkpoint file (not a pipe): p4d usually writes its tables in
/// sorted order, and the file can be read a second time if they are unsorted.
fn is_one_file(sources: &Sources) -> Result<bool, Trouble> {
    let checkpoints = parts(&sources.checkpoints)?;
    let is_file = |part: &Part| part.stored_bytes > 0 && !part.is_one_of_many;
    Ok(sources.journals.is_empty() && matches!(checkpoints.as_slice(), [part] if is_file(part)))
}

/// Result of reading all checkpoints and journals, such as the kept records and the server's case
/// setting.
pub struct SortedTables {
    /// The records kept from the checkpoints and journals, by database table.
    pub tables: Tables,
    /// The server's case setting, as given or as the sort order of the tables reveals it.
    pub case: Case,
    /// At most one note, a line of text: the incomplete last record of the last journal was left
    /// out.
    pub notes: Vec<String>,
    /// Position up to which the last journal was read, where the next update continues; None if
    /// there was no journal, or the last one is empty or a pipe.
    pub read_to: Option<Position>,
}

/// Reads the records of the checkpoints into `tables`, determines their sort order unless the
/// server's case setting is given, then reads the records of the journals.
pub fn read_tables(
    sources: &Sources,
    mut tables: Tables,
    mut progress: impl FnMut(u64, u64),
) -> Result<SortedTables, Trouble> {
    let files = with_journals(&sources.checkpoints, &sources.journals, FileRole::LastJournal)?;
    let of_bytes = files.iter().map(|(part, _)| part.stored_bytes).sum();
    let mut progress = |read_bytes| progress(read_bytes, of_bytes);
    let mut read_progress = ReadProgress { notes: Vec::new(), before_bytes: 0 };
    let (checkpoint, journals): (Vec<_>, Vec<_>) =
        files.iter().partition(|(_, role)| role.is_checkpoint());
    for (part, role) in checkpoint {
        read_progress.part(part, *role, &mut tables, &mut progress)?;
    }
    let (mut tables, case) = tables.decide(sources.case).map_err(|error| write_error(&error))?;
    let mut read_to = None;
    for (part, role) in journals {
        let bytes = read_progress.part(part, *role, &mut tables, &mut progress)?;
        if *role == FileRole::LastJournal && part.stored_bytes > 0 {
            read_to = position(&part.path, bytes)?;
        }
    }
    Ok(SortedTables { tables, case, notes: read_progress.notes, read_to })
}

/// The error that records could not be written to a temporary file.
#[must_use]
pub fn write_error(error: &io::Error) -> Trouble {
    Trouble::File(format!("cannot write a temporary file: {error}"))
}

struct ReadProgress {
    notes: Vec<String>,
    before_bytes: u64,
}

impl ReadProgress {
    fn part(
        &mut self,
        part: &Part,
        role: FileRole,
        tables: &mut Tables,
        progress: &mut impl FnMut(u64),
    ) -> Result<u64, Trouble> {
        let before = self.before_bytes;
        let read_to = file_reader::read(part, role, tables, |bytes| progress(before + bytes))?;
        self.notes.extend(read_to.note);
        self.before_bytes += part.stored_bytes;
        Ok(read_to.bytes)
    }
}
