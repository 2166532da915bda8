//! The checkpoint index for one event, opened when a rule first needs it.

use p4warden_index::file::index::Index;
use std::cell::OnceCell;
use std::fmt;
use std::rc::Rc;

/// None if there is no index; the error says why it cannot be used.
pub type Opened = Result<Option<Rc<Index>>, String>;

/// A checkpoint index that is opened at its first use.
pub struct LazyIndex<'a> {
    open: &'a dyn Fn() -> Opened,
    opened: OnceCell<Opened>,
}

impl<'a> LazyIndex<'a> {
    pub fn new(open: &'a dyn Fn() -> Opened) -> Self {
        LazyIndex { open, opened: OnceCell::new() }
    }

    /// An index that is open already; None for none.
    pub fn of(index: Option<Rc<Index>>) -> Self {
        LazyIndex { open: &|| Ok(None), opened: OnceCell::from(Ok(index)) }
    }

    /// The index; None if there is none, or if it cannot be used.
    pub fn get(&self) -> Option<&Index> {
        self.opened.get_or_init(self.open).as_ref().ok()?.as_deref()
    }

    /// What kept a rule from using it, so far.
    pub fn damage(&self) -> Option<&str> {
        match self.opened.get()? {
            Ok(index) => index.as_ref()?.damage(),
            Err(problem) => Some(problem),
        }
    }
}

impl fmt::Debug for LazyIndex<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("LazyIndex").finish_non_exhaustive()
    }
}
