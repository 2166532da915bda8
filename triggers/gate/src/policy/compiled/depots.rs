//! The part of `gate.policy` with the names of the server's depots and of their first top
//! directories, stored one depot after another.

use crate::base::bytes::{Reader, Writer};

/// Maximum number of top directories of a depot in `gate.policy`: as many as a refusal proposes.
pub const MAX_DIRECTORIES: usize = 3;

/// Iterator over the depot names in `gate.policy`; depots of the types that users map (local,
/// stream, remote, graph) come first. Copyable and lazy, because few events need the names.
#[derive(Clone, Copy, Debug)]
pub struct Depots<'a>(Reader<'a>);

impl<'a> Depots<'a> {
    /// Creates the iterator over depot names written with `write`; None if `bytes` is empty,
    /// because the depots are then unknown.
    #[must_use]
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        (!bytes.is_empty()).then(|| Depots(Reader::new(bytes)))
    }

    /// Appends one depot to the bytes of the depot list of `gate.policy`: its name, and the names
    /// of its first top directories, at most `MAX_DIRECTORIES`.
    pub fn write(to: &mut Writer, name: &[u8], directories: &[&[u8]]) {
        let first = directories.get(..MAX_DIRECTORIES).unwrap_or(directories);
        to.bytes(name).bytes(&first.join(&b'/'));
    }

    /// Iterates over the stored top directories of all depots, as depot paths such as
    /// `//depot/main/`.
    pub fn directories(self) -> impl Iterator<Item = Vec<u8>> {
        let mut from = self;
        std::iter::from_fn(move || from.next_with_directories()).flat_map(|(depot, names)| {
            let names = names.split(|byte| *byte == b'/').filter(|name| !name.is_empty());
            names.map(move |name| [b"//", depot, b"/", name, b"/"].concat())
        })
    }

    fn next_with_directories(&mut self) -> Option<(&'a [u8], &'a [u8])> {
        Some((self.0.bytes().ok()?, self.0.bytes().ok()?))
    }
}

impl<'a> Iterator for Depots<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        self.next_with_directories().map(|(name, _)| name)
    }
}
