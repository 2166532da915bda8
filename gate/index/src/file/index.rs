//! Reads an index.

use crate::base::order::Case;
use crate::file::client::Client;
use crate::file::delta::{Delta, delta_path};
use crate::file::head::{Head, MAGIC};
use crate::file::place::Place;
use crate::file::saved::Saved;
use crate::file::stream::Stream;
use crate::file::tree::Tree;
use crate::file::trees::{Damaged, Trees};
use std::fs::File;
use std::path::Path;
use std::rc::Rc;

/// An index that is open.
#[derive(Clone)]
pub struct Index {
    trees: Trees,
    /// The head of the index.
    pub head: Rc<Head>,
    /// Tells this index from others: a delta belongs to one.
    pub id: u32,
    /// The changes by journals since then, as far as they are known.
    pub delta: Option<Delta>,
    /// Clients and streams that were saved lately.
    pub saved: Option<Saved>,
}

impl Index {
    /// Opens an index, and reads its head.
    pub fn open(path: &Path) -> Result<Self, Damaged> {
        Self::of_file(File::open(path)?)
    }

    /// Reads the head of an index that is open.
    pub fn of_file(file: File) -> Result<Self, Damaged> {
        let (trees, text) = Trees::open(file, MAGIC)?;
        let head = Head::read(&text).ok_or(Damaged::Changed)?;
        let trees = trees.folding(head.case.folds());
        let id = crc32fast::hash(&text);
        Ok(Index { trees, head: Rc::new(head), id, delta: None, saved: None })
    }

    /// Adds what journals changed since; a delta that belongs to another index says nothing.
    #[must_use]
    pub fn with_delta(self, delta: Option<Delta>) -> Self {
        let own = delta.filter(|delta| delta.head.index_id == self.id);
        let delta = own.map(|delta| delta.folding(self.folds()));
        Index { delta, ..self }
    }

    /// Adds the delta beside an index, where there is one that belongs to it.
    #[must_use]
    pub fn with_delta_beside(self, path: &Path) -> Self {
        let delta = File::open(delta_path(path)).ok().and_then(|file| Delta::of_file(file).ok());
        self.with_delta(delta)
    }

    /// Adds the notes of clients and streams that were saved lately.
    #[must_use]
    pub fn with_saved(self, saved: Option<Saved>) -> Self {
        Index { saved, ..self }
    }

    /// Up to when the server is known, in seconds since the epoch; None where nothing tells it.
    #[must_use]
    pub fn known_to_s(&self) -> Option<u64> {
        self.delta.as_ref().map(|delta| delta.head.time_s).max(self.head.time_s)
    }

    /// Compares paths as a server does that tells cases apart, or does not; None where the order
    /// of the index is another's.
    #[must_use]
    pub fn for_server(&self, folds: bool) -> Option<Self> {
        let fits = self.head.case == Case::Either || self.head.case.folds() == folds;
        let delta = self.delta.as_ref().map(|delta| delta.folding(folds));
        fits.then(|| Index { trees: self.trees.folding(folds), delta, ..self.clone() })
    }

    /// Whether it can be that of a server with a `server.id`; an index or a server without one fits.
    #[must_use]
    pub fn is_of(&self, server_id: Option<&str>) -> bool {
        match (&self.head.server_id, server_id) {
            (Some(own), Some(other)) => own == other.as_bytes(),
            _ => true,
        }
    }

    /// Whether paths and names are compared with their letters folded.
    #[must_use]
    pub fn folds(&self) -> bool {
        self.trees.folds
    }

    /// How many keys of a tree come before a point; `is_before` holds for those and no others.
    pub fn rank(&self, tree: Tree, is_before: impl Fn(&[u8]) -> bool) -> Result<u64, Damaged> {
        self.trees.rank(tree, is_before)
    }

    /// Facts of the checkpoint about a client; None where the index does not name it.
    pub fn client_of_checkpoint(&self, name: &[u8]) -> Result<Option<Client>, Damaged> {
        let found = self.trees.value(self.head.clients, name)?;
        found.map(|value| Client::read(&value).ok_or(Damaged::Changed)).transpose()
    }

    /// Facts about a stream; None where neither the index nor the delta names it.
    pub fn stream(&self, name: &[u8]) -> Result<Option<Stream>, Damaged> {
        let of_delta = self.delta.as_ref().map(|delta| delta.stream(name)).transpose()?;
        if let Some(Some(stream)) = of_delta {
            return Ok(Some(stream));
        }
        let found = self.trees.value(self.head.streams, name)?;
        found.map(|value| Stream::read(&value).ok_or(Damaged::Changed)).transpose()
    }

    /// Facts about a depot, or about a directory at a depot's top: `//depot/` or `//depot/main/`.
    /// None where it has no files, and the server no such depot.
    pub fn place(&self, path: &[u8]) -> Result<Option<Place>, Damaged> {
        let found = self.trees.value(self.head.places, path)?;
        found.map(|value| Place::read(&value).ok_or(Damaged::Changed)).transpose()
    }

    /// Some of the samples that begin with a literal, the first ones.
    pub fn some_samples(&self, tree: Tree, literal: &[u8]) -> Result<Vec<Vec<u8>>, Damaged> {
        self.trees.some_keys(tree, literal)
    }

    /// Hands over every entry of a tree, in order, with its key as it was written.
    pub fn each(&self, tree: Tree, told: impl FnMut(&[u8], &[u8])) -> Result<(), Damaged> {
        self.trees.each(tree, told)
    }
}
