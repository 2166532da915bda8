//! Checkpoints and journals of a Perforce server, from 2010 on, as records. May use `base`.
//!
//! The format is documented nowhere; it is inferred from checkpoints of 2015.1 and 2017.1, and
//! tables have the fields of the published schema. Fields are read by their position, and
//! those that later versions add at the end are passed over.

pub mod fields;
pub mod files;
pub mod records;
pub mod table;
