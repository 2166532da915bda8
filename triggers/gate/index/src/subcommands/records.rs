use crate::assemble::listener::Listener;
use crate::base::fault::Fault;
use crate::base::options::Options;
use crate::source::checkpoint::with_journals;
use crate::source::ends::FileRole;
use crate::source::files::Part;
use crate::source::records::Records;
use crate::subcommands::record_lines::RecordLines;
use std::cell::Cell;
use std::ffi::OsString;
use std::path::PathBuf;
use std::rc::Rc;

/// After so many records the position is printed again.
const STEP: u64 = 1 << 14;

/// Runs `p4warden-index records`. Prints the records of the tables named by `--tables`, without an
/// index and its order of names. The last record of the last journal may be incomplete; it is then
/// left out.
pub fn run(words: &[OsString]) -> Result<(), Fault> {
    let options = Options::read(words, &[], &["tables", "journal"])?;
    let checkpoint: Vec<PathBuf> = options.words.iter().map(PathBuf::from).collect();
    let journals: Vec<PathBuf> = options.all("journal").map(PathBuf::from).collect();
    let mut lines = RecordLines::of(options.get("tables").unwrap_or_default())?;
    let files = with_journals(&checkpoint, &journals, FileRole::LastJournal)?;
    let of_bytes = files.iter().map(|(part, _)| part.stored_bytes).sum();
    let mut before_bytes = 0;
    for (part, role) in files {
        print(&part, role, [before_bytes, of_bytes], &mut lines)?;
        before_bytes += part.stored_bytes;
    }
    lines.flush()
}

fn print(
    part: &Part,
    role: FileRole,
    [before_bytes, of_bytes]: [u64; 2],
    lines: &mut RecordLines,
) -> Result<(), Fault> {
    let read_bytes = Rc::new(Cell::new(0));
    let mut records = Records::of(part, role, Rc::clone(&read_bytes))?;
    let mut count = 0_u64;
    lines.part(part);
    loop {
        let next = records.next(|table| lines.wants(table));
        let next = next.inspect_err(|_| drop(lines.flush()))?;
        let Some(record) = next else { return Ok(()) };
        lines.record(&records, &record)?;
        count += 1;
        if count.is_multiple_of(STEP) {
            lines.progress(before_bytes + read_bytes.get(), of_bytes);
        }
    }
}
