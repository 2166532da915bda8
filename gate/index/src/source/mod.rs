//! Checkpoints and journals of a Perforce server, from 2010 on, as records.
//!
//! The format is documented nowhere; it is inferred from checkpoints of 2015.1 and 2017.1, and
//! tables have the fields of the published schema. Fields are read by their position, and
//! those that later versions add at the end are passed over.

mod fields;
mod files;
mod records;
mod table;

pub use fields::Fields;
pub use files::{Part, open, parts};
pub use records::{MAX_RECORD_BYTES, Record, Records};
pub use table::{Head, Kind, TABLES, Table, head};
