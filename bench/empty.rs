//! A program that does nothing at all, not even what Rust does before `main`: what starting any
//! program of its libc costs.
#![no_main]

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    0
}
