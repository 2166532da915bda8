//! The lowest layer of the gate, which contains nothing about Perforce commands.

pub mod addresses;
pub mod alarm;
pub mod bytes;
pub mod clock;
pub mod effort;
pub mod fault;
pub mod heap;
pub mod json;
pub mod json_text;
pub mod patterns;
pub mod plural;
pub mod processor_time;
pub mod sums;
pub mod text;
pub mod visible;
