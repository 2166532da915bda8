//! The memory allocator of `p4warden-gate`, which p4d starts for each event, and of `p4warden-log`.
//!
//! musl's own allocator calls the kernel for nearly every allocation, which takes about a tenth of
//! the time of the gate's decision (measured over whole processes); dlmalloc does so far less
//! often.

#![allow(unsafe_code)] // `GlobalAlloc` is an unsafe trait; every call is forwarded to dlmalloc.

use dlmalloc::GlobalDlmalloc;
use std::alloc::{GlobalAlloc, Layout};

/// Memory allocator: dlmalloc, plus a defined end of the process when memory runs out. By default
/// Rust would print a message, which p4d shows to the user, and end the process with a signal.
#[derive(Debug)]
pub struct Heap {
    /// Ends the process without taking memory.
    end: fn() -> !,
}

impl Heap {
    pub const fn new(end: fn() -> !) -> Self {
        Heap { end }
    }

    fn or_end(&self, pointer: *mut u8) -> *mut u8 {
        if pointer.is_null() {
            (self.end)();
        }
        pointer
    }
}

// SAFETY: dlmalloc upholds every guarantee that `GlobalAlloc` requires.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's guarantees for `alloc` are passed on to dlmalloc unchanged.
        self.or_end(unsafe { GlobalDlmalloc.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's guarantees for `alloc_zeroed` are passed on to dlmalloc unchanged.
        self.or_end(unsafe { GlobalDlmalloc.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's guarantees for `dealloc` are passed on to dlmalloc unchanged.
        unsafe { GlobalDlmalloc.dealloc(pointer, layout) };
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller's guarantees for `realloc` are passed on to dlmalloc unchanged.
        self.or_end(unsafe { GlobalDlmalloc.realloc(pointer, layout, bytes) })
    }
}
