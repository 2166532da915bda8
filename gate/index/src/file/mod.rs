//! An index: a file that is read block by block, so that a question costs a few of them.

pub mod blocks;
pub mod client;
pub mod head;
pub mod index;
pub mod tree;

pub use client::{Client, ViewLine, Wide};
pub use head::Head;
pub use index::{Damaged, Index};
