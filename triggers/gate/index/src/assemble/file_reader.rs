use crate::assemble::listener::Listener;
use crate::base::fault::Fault;
use crate::source::ends::FileRole;
use crate::source::files::Part;
use crate::source::records::Records;
use std::cell::Cell;
use std::rc::Rc;

/// Records between two reports of progress.
const STEP: u64 = 1 << 16;

/// Of the bytes of several files, as stored.
pub struct FileReader {
    before_bytes: u64,
    of_bytes: u64,
    /// That the incomplete last record of the last journal was left out.
    pub notes: Vec<String>,
}

impl FileReader {
    pub fn of(files: &[(Part, FileRole)]) -> Self {
        let of_bytes = files.iter().map(|(part, _)| part.stored_bytes).sum();
        FileReader { before_bytes: 0, of_bytes, notes: Vec::new() }
    }

    pub fn read(
        &mut self,
        part: &Part,
        role: FileRole,
        listener: &mut impl Listener,
    ) -> Result<(), Fault> {
        listener.part(part);
        let read_bytes = Rc::new(Cell::new(0));
        let mut records = Records::of(part, role, Rc::clone(&read_bytes))?;
        let mut count = 0_u64;
        while let Some(record) = records.next(|table| listener.wants(table))? {
            listener.record(&records, &record)?;
            count += 1;
            if count.is_multiple_of(STEP) {
                listener.progress(self.before_bytes + read_bytes.get(), self.of_bytes);
            }
        }
        listener.progress(self.before_bytes + read_bytes.get(), self.of_bytes);
        self.before_bytes += part.stored_bytes;
        self.notes.extend(records.unfinished_at.map(|at| {
            let path = part.path.display();
            format!("{path}: byte {at}: the last record is incomplete and was left out")
        }));
        Ok(())
    }
}
