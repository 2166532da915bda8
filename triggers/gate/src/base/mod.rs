//! The lowest layer of the gate's modules, for example for binary files, printable text, name
//! patterns, faults, clocks and the memory allocator. It contains nothing about Perforce commands.

pub mod bytes;
pub mod clock;
pub mod fault;
pub mod heap;
pub mod patterns;
pub mod text;
pub mod visible;
