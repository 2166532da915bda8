//! Program that does nothing, and skips even Rust's start-up before `main`: a lower bound for the
//! time that any program of the same libc needs to start.
#![no_main]

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    0
}
