//! The program's memory.
//!
//! musl's allocator asks the kernel for pages for nearly every size of text and gives them back at
//! the end: about a tenth of the cost of a decision (measured as whole processes). dlmalloc asks once.

#![allow(unsafe_code)] // An allocator is an unsafe trait; all it does is handed on.

use dlmalloc::GlobalDlmalloc;
use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicI32, Ordering};

/// dlmalloc, and an answer for when there is no memory: Rust would end with a signal, and a text
/// that p4d shows to the user.
#[derive(Debug, Default)]
pub struct Heap {
    /// The exit code to end with; before anything is known the one that p4d takes a signal for.
    answer: AtomicI32,
}

impl Heap {
    /// A heap that answers "go on".
    #[must_use]
    pub const fn new() -> Self {
        Heap { answer: AtomicI32::new(0) }
    }

    /// From here on a process without memory ends with this exit code.
    pub fn answer(&self, code: u8) {
        self.answer.store(code.into(), Ordering::Relaxed);
    }

    fn or_end(&self, pointer: *mut u8) -> *mut u8 {
        if pointer.is_null() {
            std::process::exit(self.answer.load(Ordering::Relaxed));
        }
        pointer
    }
}

// SAFETY: every promise is dlmalloc's own.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is handed on, here and below.
        self.or_end(unsafe { GlobalDlmalloc.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        self.or_end(unsafe { GlobalDlmalloc.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { GlobalDlmalloc.dealloc(pointer, layout) };
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as above.
        self.or_end(unsafe { GlobalDlmalloc.realloc(pointer, layout, bytes) })
    }
}
