//! The part of `gate.policy` with the names of the server's depots, stored one after another.

use crate::base::bytes::{Reader, Writer};

/// Iterator over the depot names in `gate.policy`; depots of the types that users map (local,
/// stream, remote, graph) come first. Copyable and lazy, because few events need the names.
#[derive(Clone, Copy, Debug)]
pub struct Depots<'a>(Reader<'a>);

impl<'a> Depots<'a> {
    /// Creates the iterator over depot names written with `write`; None if there are no names,
    /// because the depots are then unknown.
    #[must_use]
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        (!bytes.is_empty()).then(|| Depots(Reader::new(bytes)))
    }

    /// Appends one depot name to the list in `gate.policy`.
    pub fn write(to: &mut Writer, name: &[u8]) {
        to.bytes(name);
    }
}

impl<'a> Iterator for Depots<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        self.0.bytes().ok()
    }
}
