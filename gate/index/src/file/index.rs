//! Reading of an index file, with its delta and its notes of saved forms.

use crate::base::checksum::checksum;
use crate::base::order::Case;
use crate::file::client::Client;
use crate::file::delta::{Delta, delta_path};
use crate::file::head::{Head, MAGIC};
use crate::file::place::Place;
use crate::file::saved::Saved;
use crate::file::stream::Stream;
use crate::file::tree::Tree;
use crate::file::trees::{Damaged, Trees};
use crate::file::user::User;
use std::fs::File;
use std::path::Path;
use std::rc::Rc;

/// An open index file, with its delta and its notes of saved forms, if there are any.
#[derive(Clone)]
pub struct Index {
    trees: Trees,
    /// The head of the index file: its source, totals and the positions of its trees.
    pub head: Rc<Head>,
    /// Number that identifies this index; a delta belongs to exactly one index.
    pub id: u32,
    /// The changes that journals made since the checkpoint, if a delta exists.
    pub delta: Option<Delta>,
    /// Notes of client and stream forms saved recently; None if there is no file of notes.
    pub saved: Option<Saved>,
}

impl Index {
    /// Opens an index file and reads its head, without the delta or notes beside it.
    pub fn open(path: &Path) -> Result<Self, Damaged> {
        Self::of_file(File::open(path)?)
    }

    /// Creates an index from an open index file, whose head is read and checked.
    pub fn of_file(file: File) -> Result<Self, Damaged> {
        let (trees, text) = Trees::open(file, MAGIC)?;
        let head = Head::read(&text).ok_or(Damaged::Changed)?;
        let trees = trees.folding(head.case.folds());
        let id = checksum(&text);
        Ok(Index { trees, head: Rc::new(head), id, delta: None, saved: None })
    }

    /// Adds a delta; one that belongs to another index is ignored.
    #[must_use]
    pub fn with_delta(self, delta: Option<Delta>) -> Self {
        let own = delta.filter(|delta| delta.head.index_id == self.id);
        let delta = own.map(|delta| delta.folding(self.folds()));
        Index { delta, ..self }
    }

    /// Adds the delta in the same directory, if it exists and belongs to this index.
    #[must_use]
    pub fn with_delta_beside(self, path: &Path) -> Self {
        let delta = File::open(delta_path(path)).ok().and_then(|file| Delta::of_file(file).ok());
        self.with_delta(delta)
    }

    /// Adds the notes of recently saved clients and streams.
    #[must_use]
    pub fn with_saved(self, saved: Option<Saved>) -> Self {
        Index { saved, ..self }
    }

    /// Time up to which changes on the server are included, in seconds since the Unix epoch; None
    /// if unknown.
    #[must_use]
    pub fn known_to_s(&self) -> Option<u64> {
        self.delta.as_ref().map(|delta| delta.head.time_s).max(self.head.time_s)
    }

    /// Returns the index with paths compared without case (`folds`) or with case; None if the index
    /// is sorted in the other order.
    #[must_use]
    pub fn for_server(&self, folds: bool) -> Option<Self> {
        let fits = self.head.case == Case::Either || self.head.case.folds() == folds;
        let delta = self.delta.as_ref().map(|delta| delta.folding(folds));
        fits.then(|| Index { trees: self.trees.folding(folds), delta, ..self.clone() })
    }

    /// Whether the index can belong to the server with a given `server.id`; true if either lacks
    /// the ID.
    #[must_use]
    pub fn is_of(&self, server_id: Option<&str>) -> bool {
        match (&self.head.server_id, server_id) {
            (Some(own), Some(other)) => own == other.as_bytes(),
            _ => true,
        }
    }

    /// Whether the index's server compares paths and names without case.
    #[must_use]
    pub fn folds(&self) -> bool {
        self.trees.folds
    }

    /// Number of keys in a tree before a boundary; `is_before` is true for exactly these keys.
    pub fn rank(&self, tree: Tree, is_before: impl Fn(&[u8]) -> bool) -> Result<u64, Damaged> {
        self.trees.rank(tree, is_before)
    }

    /// Looks up a client as of the checkpoint; None if the index does not contain it.
    pub fn client_of_checkpoint(&self, name: &[u8]) -> Result<Option<Client>, Damaged> {
        let value = self.trees.value(self.head.clients, name)?;
        value.map(|value| Client::read(&value).ok_or(Damaged::Changed)).transpose()
    }

    /// Looks up a stream; None if neither the index nor the delta contains it.
    pub fn stream(&self, name: &[u8]) -> Result<Option<Stream>, Damaged> {
        let of_delta = self.delta.as_ref().map(|delta| delta.stream(name)).transpose()?;
        if let Some(Some(stream)) = of_delta {
            return Ok(Some(stream));
        }
        let value = self.trees.value(self.head.streams, name)?;
        value.map(|value| Stream::read(&value).ok_or(Damaged::Changed)).transpose()
    }

    /// Looks up a depot or a top-level directory: `//depot/` or `//depot/main/`. None if it has no
    /// files and is not a depot of the server.
    pub fn place(&self, path: &[u8]) -> Result<Option<Place>, Damaged> {
        let value = self.trees.value(self.head.places, path)?;
        value.map(|value| Place::read(&value).ok_or(Damaged::Changed)).transpose()
    }

    /// The directories that contain most of the files of a user's clients, as of the checkpoint.
    pub fn user_directories(&self, name: &[u8]) -> Result<Vec<Vec<u8>>, Damaged> {
        let Some(value) = self.trees.value(self.head.users, name)? else {
            return Ok(Vec::new());
        };
        User::read(&value).map(|user| user.directories).ok_or(Damaged::Changed)
    }

    /// The first few samples that begin with a literal.
    pub fn some_samples(&self, tree: Tree, literal: &[u8]) -> Result<Vec<Vec<u8>>, Damaged> {
        self.trees.some_keys(tree, literal)
    }

    /// Calls a function for every entry of a tree, in order, with its original key.
    pub fn each(&self, tree: Tree, visit: impl FnMut(&[u8], &[u8])) -> Result<(), Damaged> {
        self.trees.each(tree, visit)
    }
}
