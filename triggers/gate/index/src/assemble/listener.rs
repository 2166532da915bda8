use crate::base::fault::Fault;
use crate::base::order::Case;
use crate::source::files::Part;
use crate::source::records::{Record, Records};
use crate::source::table::Table;

/// Hears what is read for an index while it is read. A function hears the progress alone.
pub trait Listener {
    /// The bytes read of the stored files, and their total.
    fn progress(&mut self, read_bytes: u64, of_bytes: u64);

    fn wants(&self, _table: Table) -> bool {
        false
    }

    /// Before the records of a file.
    fn part(&mut self, _part: &Part) {}

    /// Also of tables that it does not want, and notes.
    fn record(&mut self, _records: &Records, _record: &Record) -> Result<(), Fault> {
        Ok(())
    }

    /// After the checkpoint, before the journals.
    fn case(&mut self, _case: Case) {}
}

impl<F: FnMut(u64, u64)> Listener for F {
    fn progress(&mut self, read_bytes: u64, of_bytes: u64) {
        self(read_bytes, of_bytes);
    }
}
