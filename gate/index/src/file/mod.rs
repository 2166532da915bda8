//! An index: a file that is read block by block. May use `base`.

pub mod blocks;
pub mod client;
pub mod head;
pub mod index;
pub mod place;
pub mod tree;
