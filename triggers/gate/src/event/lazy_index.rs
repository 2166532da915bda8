//! The checkpoint index for one event, opened when a rule first needs it.

use p4warden_index::file::index::Index;
use std::cell::OnceCell;
use std::fmt;
use std::rc::Rc;

/// A checkpoint index that is opened at its first use.
pub struct LazyIndex<'a> {
    open: Option<&'a dyn Fn() -> Option<Rc<Index>>>,
    opened: OnceCell<Option<Rc<Index>>>,
}

impl<'a> LazyIndex<'a> {
    /// An index that `open` opens; it returns None if there is none, or if it cannot be used.
    #[must_use]
    pub fn new(open: &'a dyn Fn() -> Option<Rc<Index>>) -> Self {
        LazyIndex { open: Some(open), opened: OnceCell::new() }
    }

    /// An index that is open already; None for none.
    #[must_use]
    pub fn of(index: Option<Rc<Index>>) -> Self {
        LazyIndex { open: None, opened: OnceCell::from(index) }
    }

    /// The index; None if there is none, or if it cannot be used.
    #[must_use]
    pub fn get(&self) -> Option<&Index> {
        self.opened.get_or_init(|| self.open.and_then(|open| open())).as_deref()
    }
}

impl fmt::Debug for LazyIndex<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("LazyIndex").finish_non_exhaustive()
    }
}
