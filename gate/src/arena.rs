//! Memory for one decision, which is there from the start and is never given back.
//!
//! The system's allocator asks the kernel for a page for nearly every size of text, and gives each
//! back at the end: a third of what a decision costs (musl; measured as whole processes). Streams
//! and long arguments use it once the arena is full.

#![allow(unsafe_code)] // An allocator is an unsafe trait.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

const BYTES: usize = 64 << 10;
/// All of an empty arena is zeros, so that the program's file need not hold it.
const NO_ANSWER: i32 = 0;

/// The arena, with the system's allocator behind it.
#[derive(Debug)]
pub struct Arena {
    memory: UnsafeCell<[u8; BYTES]>,
    used: AtomicUsize,
    /// One more than the exit code to end with where there is no memory; otherwise Rust ends with
    /// a signal, and p4d takes that for "go on".
    answer: AtomicI32,
}

// SAFETY: `used` hands out each byte of `memory` once only, to whichever thread asks first.
unsafe impl Sync for Arena {}

impl Default for Arena {
    fn default() -> Self {
        Self::new()
    }
}

impl Arena {
    /// An empty arena.
    #[must_use]
    pub const fn new() -> Self {
        let (memory, used) = (UnsafeCell::new([0; BYTES]), AtomicUsize::new(0));
        Arena {
            memory,
            used,
            answer: AtomicI32::new(NO_ANSWER),
        }
    }

    /// From here on a process without memory ends with this exit code.
    pub fn answer(&self, code: u8) {
        self.answer.store(i32::from(code) + 1, Ordering::Relaxed);
    }

    /// Where the layout fits in, if it does.
    fn take(&self, layout: Layout) -> Option<usize> {
        let base = self.memory.get().addr();
        let place = |used: usize| {
            let start = (base + used).checked_next_multiple_of(layout.align())? - base;
            start
                .checked_add(layout.size())
                .filter(|end| *end <= BYTES)
                .map(|end| (start, end))
        };
        let next = |used| place(used).map(|(_, end)| end);
        let used = self
            .used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, next)
            .ok()?;
        place(used).map(|(start, _)| start)
    }

    fn holds(&self, pointer: *mut u8) -> bool {
        let base = self.memory.get().addr();
        (base..base + BYTES).contains(&pointer.addr())
    }

    fn or_end(&self, pointer: *mut u8) -> *mut u8 {
        let answer = self.answer.load(Ordering::Relaxed);
        if pointer.is_null() && answer != NO_ANSWER {
            std::process::exit(answer - 1);
        }
        pointer
    }
}

// SAFETY: what `take` returns is aligned, within `memory`, and no one else's for ever; all else is
// the system allocator's own, which gets back only what it handed out.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match self.take(layout) {
            // SAFETY: the start and the layout's size after it are within `memory`.
            Some(start) => unsafe { self.memory.get().cast::<u8>().add(start) },
            // SAFETY: the caller's promise is handed on.
            None => self.or_end(unsafe { System.alloc(layout) }),
        }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if !self.holds(pointer) {
            // SAFETY: it is not ours, so the system's allocator handed it out.
            unsafe { System.dealloc(pointer, layout) };
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        if !self.holds(pointer) {
            // SAFETY: as above.
            return self.or_end(unsafe { System.realloc(pointer, layout, bytes) });
        }
        // SAFETY: the caller promises that the new size, rounded up, does not overflow.
        let grown = unsafe { self.alloc(Layout::from_size_align_unchecked(bytes, layout.align())) };
        if !grown.is_null() {
            // SAFETY: both hold the smaller of the two sizes, and `alloc` never overlaps.
            unsafe { grown.copy_from_nonoverlapping(pointer, layout.size().min(bytes)) };
        }
        grown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_comes_from_the_arena_and_the_rest_from_the_system() {
        let arena = Arena::new();
        let layout = Layout::from_size_align(BYTES / 2 + 1, 16).unwrap_or(Layout::new::<u8>());
        // SAFETY: the layout's size is not zero, and each pointer is given back once, as it was got.
        unsafe {
            let (first, second) = (arena.alloc(layout), arena.alloc(layout));
            assert!(arena.holds(first) && first.addr().is_multiple_of(16));
            assert!(!second.is_null() && !arena.holds(second));
            arena.dealloc(second, layout);
            arena.dealloc(first, layout);
        }
    }

    #[test]
    fn growing_keeps_the_content() {
        let arena = Arena::new();
        let layout = Layout::new::<u64>();
        // SAFETY: as above; the memory is written before it is read.
        unsafe {
            let small = arena.alloc(layout);
            small.cast::<u64>().write(7);
            let big = arena.realloc(small, layout, 64);
            assert_eq!(big.cast::<u64>().read(), 7);
            assert!(arena.holds(big));
        }
    }
}
