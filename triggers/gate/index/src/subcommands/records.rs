use crate::assemble::file_reader::FileReader;
use crate::base::fault::Fault;
use crate::base::options::Options;
use crate::source::checkpoint::with_journals;
use crate::source::ends::FileRole;
use crate::subcommands::record_lines::RecordLines;
use std::ffi::OsString;
use std::path::PathBuf;

/// Runs `p4warden-index records`. Prints the records of the tables named by `--tables`, without an
/// index and its order of names. The last record of the last journal may be incomplete; it is then
/// left out.
pub fn run(words: &[OsString]) -> Result<(), Fault> {
    let options = Options::read(words, &[], &["tables", "journal"])?;
    let checkpoint: Vec<PathBuf> = options.words.iter().map(PathBuf::from).collect();
    let journals: Vec<PathBuf> = options.all("journal").map(PathBuf::from).collect();
    let mut lines = RecordLines::of(options.needed("tables")?)?;
    let files = with_journals(&checkpoint, &journals, FileRole::LastJournal)?;
    let mut reader = FileReader::of(&files);
    let result = files.iter().try_for_each(|(part, role)| reader.read(part, *role, &mut lines));
    lines.flush()?;
    result
}
