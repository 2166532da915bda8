//! Module `file`: the checkpoint index and its delta file, which are read block by block. Uses the
//! modules `ranges` and `base`.

pub mod blocks;
pub mod changed;
pub mod client;
pub mod delta;
pub mod head;
pub mod index;
pub mod place;
pub mod position;
pub mod saved;
pub mod stream;
pub mod tree;
pub mod trees;
pub mod user;
