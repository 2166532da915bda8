//! The narrowest view that keeps a client's files where they are. May use `assemble` and the
//! rooms above it in `rooms.cfg`.

pub mod client_view;
pub mod counts;
pub mod fewest_lines;
pub mod needed;
pub mod proposals;
pub mod tree;
