//! Program that does nothing, and skips even Rust's start-up before `main`: a lower bound for the
//! start-up time of Rust programs linked with the same libc.
#![no_main]

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    0
}
