//! Opens and parses the checkpoints and journals of a Perforce server, from 2010 on. The format is
//! undocumented; it is inferred from checkpoints of 2015.1 and 2017.1. Tables have the fields of
//! the published schema. Fields are identified by position, so fields that later versions add at
//! the end do no harm.

pub mod checkpoint;
pub mod digest;
pub mod ends;
pub mod fields;
pub mod files;
pub mod header;
pub mod nearby;
pub mod parallel_folder;
pub mod records;
pub mod table;
