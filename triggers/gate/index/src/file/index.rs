use crate::base::checksum::checksum;
use crate::base::order::Case;
use crate::file::change_trees::Label;
use crate::file::client::Client;
use crate::file::delta::{Delta, delta_path};
use crate::file::head::{Head, MAGIC, WITHOUT_CHANGES, WITHOUT_OWNERS, WITHOUT_STREAM_VIEWS};
use crate::file::place::Place;
use crate::file::saved_forms::SavedForms;
use crate::file::stream::Stream;
use crate::file::stream_view::StreamView;
use crate::file::tree::Tree;
use crate::file::trees::{IndexError, Trees};
use crate::file::user::User;
use std::fs::File;
use std::path::Path;
use std::rc::Rc;

#[derive(Clone)]
pub struct Index {
    trees: Trees,
    pub head: Rc<Head>,
    /// Checksum of the head; a delta file that states another number belongs to another index.
    pub id: u32,
    pub delta: Option<Delta>,
    pub saved_forms: Option<SavedForms>,
}

impl Index {
    /// Does not open the delta file and the notes of saved forms.
    pub fn open(path: &Path) -> Result<Self, IndexError> {
        Self::of_file(File::open(path)?)
    }

    /// Fails if the file cannot be read, is no index or is truncated, or if its head is damaged.
    pub fn of_file(file: File) -> Result<Self, IndexError> {
        let formats = [MAGIC, WITHOUT_STREAM_VIEWS, WITHOUT_OWNERS, WITHOUT_CHANGES];
        let (trees, text, magic) = Trees::open(file, &formats)?;
        let head = Head::read(&text, magic).ok_or(IndexError::Damaged)?;
        let trees = trees.with_folding(head.case.folds());
        let id = checksum(&text);
        Ok(Index { trees, head: Rc::new(head), id, delta: None, saved_forms: None })
    }

    /// Without a delta file if it belongs to another index.
    #[must_use]
    pub fn with_delta(self, delta: Option<Delta>) -> Self {
        let own = delta.filter(|delta| delta.head.index_id == self.id);
        let delta = own.map(|delta| delta.with_folding(self.folds()));
        Index { delta, ..self }
    }

    /// A delta file that is missing, unreadable or damaged, or of another index, is ignored.
    #[must_use]
    pub fn with_delta_beside(self, path: &Path) -> Self {
        let delta = File::open(delta_path(path)).ok().and_then(|file| Delta::of_file(file).ok());
        self.with_delta(delta)
    }

    #[must_use]
    pub fn with_saved(self, saved_forms: Option<SavedForms>) -> Self {
        Index { saved_forms, ..self }
    }

    /// Up to this time changes are included, in seconds since the Unix epoch; None if unknown.
    #[must_use]
    pub fn known_to_s(&self) -> Option<u64> {
        self.delta.as_ref().map(|delta| delta.head.time_s).max(self.head.time_s)
    }

    /// None if the index is of a server with the other case setting.
    #[must_use]
    pub fn for_server(&self, folds: bool) -> Option<Self> {
        let fits = self.head.case == Case::Either || self.head.case.folds() == folds;
        let delta = self.delta.as_ref().map(|delta| delta.with_folding(folds));
        fits.then(|| Index { trees: self.trees.with_folding(folds), delta, ..self.clone() })
    }

    /// The error states why the index belongs to another server.
    pub fn of_this_server(self, folds: bool, server_id: Option<&str>) -> Result<Self, String> {
        self.of_server(server_id)?.of_case(folds)
    }

    fn of_server(self, server_id: Option<&str>) -> Result<Self, String> {
        if self.is_of(server_id) {
            return Ok(self);
        }
        let own = server_id.unwrap_or_default();
        Err(format!("the index belongs to another server; this server's ID is {own}"))
    }

    pub fn of_case(self, folds: bool) -> Result<Self, String> {
        self.for_server(folds).ok_or_else(|| {
            let own = self.head.case.name();
            format!("belongs to another server: its case handling is {own}, this server's is not")
        })
    }

    /// True if the ID of the index or of the server is unknown.
    #[must_use]
    pub fn is_of(&self, server_id: Option<&str>) -> bool {
        match (&self.head.server_id, server_id) {
            (Some(own), Some(other)) => own == other.as_bytes(),
            _ => true,
        }
    }

    #[must_use]
    pub fn folds(&self) -> bool {
        self.trees.folds
    }

    /// Number of keys before a boundary.
    pub fn rank(&self, tree: Tree, is_before: impl Fn(&[u8]) -> bool) -> Result<u64, IndexError> {
        self.trees.rank(tree, is_before)
    }

    pub fn client_of_checkpoint(&self, name: &[u8]) -> Result<Option<Client>, IndexError> {
        let value = self.trees.value(self.head.clients, name)?;
        value.map(|value| Client::read(&value).ok_or(IndexError::Damaged)).transpose()
    }

    /// First in the delta file, then in the checkpoint index.
    pub fn stream(&self, name: &[u8]) -> Result<Option<Stream>, IndexError> {
        let of_delta = self.delta.as_ref().map(|delta| delta.stream(name)).transpose()?;
        if let Some(Some(stream)) = of_delta {
            return Ok(Some(stream));
        }
        let value = self.trees.value(self.head.streams, name)?;
        value.map(|value| Stream::read(&value).ok_or(IndexError::Damaged)).transpose()
    }

    /// First in the delta file, then in the checkpoint index.
    pub fn stream_view(&self, name: &[u8]) -> Result<Option<StreamView>, IndexError> {
        let Some(tree) = self.head.stream_views else { return Ok(None) };
        let of_delta = self.delta.as_ref().map(|delta| delta.stream_view(name)).transpose()?;
        if let Some(Some(view)) = of_delta {
            return Ok(Some(view));
        }
        let value = self.trees.value(tree, name)?;
        value.map(|value| StreamView::read(&value).ok_or(IndexError::Damaged)).transpose()
    }

    /// The path is such as `//depot/` or `//depot/main/`.
    pub fn place(&self, path: &[u8]) -> Result<Option<Place>, IndexError> {
        let value = self.trees.value(self.head.places, path)?;
        value.map(|value| Place::read(&value).ok_or(IndexError::Damaged)).transpose()
    }

    pub fn user_directories(&self, name: &[u8]) -> Result<Vec<Vec<u8>>, IndexError> {
        let Some(value) = self.trees.value(self.head.users, name)? else {
            return Ok(Vec::new());
        };
        User::read(&value).map(|user| user.directories).ok_or(IndexError::Damaged)
    }

    pub fn label_of_checkpoint(&self, name: &[u8]) -> Result<Option<Label>, IndexError> {
        let Some(changes) = self.head.changes else { return Ok(None) };
        let value = self.trees.value(changes.labels, name)?;
        value.map(|value| Label::read(&value).ok_or(IndexError::Damaged)).transpose()
    }

    /// Value of the last key before a boundary.
    pub fn last_before(
        &self,
        tree: Tree,
        is_before: impl Fn(&[u8]) -> bool,
    ) -> Result<Option<Vec<u8>>, IndexError> {
        self.trees.last_before(tree, is_before)
    }

    /// Samples that begin with `literal`, from one block, the first that may contain such; in lower
    /// case if case is ignored.
    pub fn some_samples(&self, tree: Tree, literal: &[u8]) -> Result<Vec<Vec<u8>>, IndexError> {
        self.trees.some_keys(tree, literal)
    }

    /// In order, with the original keys.
    pub fn each(&self, tree: Tree, visit: impl FnMut(&[u8], &[u8])) -> Result<(), IndexError> {
        self.trees.each(tree, visit)
    }
}
