//! The names of the server's depots, one behind the other.

use crate::base::bytes::{Reader, Writer};

/// The names, those of depots that people map first. An iterator that can be copied, for few events need it at all.
#[derive(Clone, Copy, Debug)]
pub struct Depots<'a>(Reader<'a>);

impl<'a> Depots<'a> {
    /// Names that were written with `write`; None where there are none, which no server has.
    #[must_use]
    pub fn read(written: &'a [u8]) -> Option<Self> {
        (!written.is_empty()).then(|| Depots(Reader::new(written)))
    }

    /// Adds a name.
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
