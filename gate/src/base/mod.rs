//! The lowest room: bytes, printable text, name patterns, faults, clocks and the memory allocator.
//! Contains nothing about Perforce's commands, and uses no other room.

pub mod bytes;
pub mod clock;
pub mod fault;
pub mod heap;
pub mod patterns;
pub mod text;
pub mod visible;
