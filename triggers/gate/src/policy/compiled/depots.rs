//! The depots of `gate.policy` with their first top directories, one depot after another.

use crate::base::bytes::{Reader, Writer};

/// As many as a refusal proposes.
pub const MAX_DIRECTORIES: usize = 3;

/// Depots of the types that users map (local, stream, remote, graph) come first.
#[derive(Clone, Copy, Debug)]
pub struct Depots<'a>(Reader<'a>);

impl<'a> Depots<'a> {
    /// None if `bytes` is empty: then the depots are unknown.
    #[must_use]
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        (!bytes.is_empty()).then(|| Depots(Reader::new(bytes)))
    }

    pub fn write(to: &mut Writer, name: &[u8], directories: &[&[u8]]) {
        let first = directories.get(..MAX_DIRECTORIES).unwrap_or(directories);
        to.bytes(name).bytes(&first.join(&b'/'));
    }

    /// As depot paths such as `//depot/main/`.
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
