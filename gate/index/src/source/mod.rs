//! Module `source`: parser of the checkpoints and journals of a Perforce server, from 2010 on. Uses
//! the module `base`.
//!
//! The format is undocumented; it is inferred from checkpoints of 2015.1 and 2017.1. Tables have
//! the fields of the published schema. Fields are read by position; fields added at the end by
//! later versions are skipped.

pub mod fields;
pub mod files;
pub mod records;
pub mod table;
