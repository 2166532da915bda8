//! The checkpoint index and the notes of saved forms.

pub mod blocks;
pub mod change_trees;
pub mod client;
pub mod directory_entry;
pub mod head;
pub mod index;
pub mod saved_forms;
pub mod stream;
pub mod stream_view;
pub mod tree;
pub mod trees;
pub mod user;
pub mod view_line;
