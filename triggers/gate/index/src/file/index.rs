use crate::base::order::Case;
use crate::file::change_trees::Label;
use crate::file::client::Client;
use crate::file::directory_entry::DirectoryEntry;
use crate::file::head::Head;
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
    pub saved_forms: Option<SavedForms>,
}

impl Index {
    /// Does not open the notes of saved forms.
    pub fn open(path: &Path) -> Result<Self, IndexError> {
        Self::of_file(File::open(path)?)
    }

    /// Fails if the file cannot be read, is no index or is truncated, or if its head is damaged.
    pub fn of_file(file: File) -> Result<Self, IndexError> {
        let (trees, text) = Trees::open(file)?;
        let head = Head::read(&text).ok_or(IndexError::Damaged)?;
        let trees = trees.with_folding(head.case.folds());
        Ok(Index { trees, head: Rc::new(head), saved_forms: None })
    }

    /// Met so far.
    pub fn damage(&self) -> Option<&str> {
        self.trees.damage.get().map(String::as_str)
    }

    pub fn with_saved(self, saved_forms: Option<SavedForms>) -> Self {
        Index { saved_forms, ..self }
    }

    /// None if the index is of a server with the other case setting.
    pub fn for_server(&self, folds: bool) -> Option<Self> {
        let fits = self.head.case == Case::Either || self.head.case.folds() == folds;
        fits.then(|| Index { trees: self.trees.with_folding(folds), ..self.clone() })
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
    pub fn is_of(&self, server_id: Option<&str>) -> bool {
        match (&self.head.server_id, server_id) {
            (Some(own), Some(other)) => own == other.as_bytes(),
            _ => true,
        }
    }

    pub fn folds(&self) -> bool {
        self.trees.folds
    }

    /// Number of keys before a boundary.
    pub fn rank(&self, tree: Tree, is_before: impl Fn(&[u8]) -> bool) -> Result<u64, IndexError> {
        self.trees.rank(tree, is_before)
    }

    pub fn client_of_checkpoint(&self, name: &[u8]) -> Result<Option<Client>, IndexError> {
        self.entry(self.head.clients, name, Client::read)
    }

    pub fn stream(&self, name: &[u8]) -> Result<Option<Stream>, IndexError> {
        self.entry(self.head.streams, name, Stream::read)
    }

    pub fn stream_view(&self, name: &[u8]) -> Result<Option<StreamView>, IndexError> {
        self.entry(self.head.stream_views, name, StreamView::read)
    }

    /// The path is such as `//depot/` or `//depot/main/`.
    pub fn directory_entry(&self, path: &[u8]) -> Result<Option<DirectoryEntry>, IndexError> {
        self.entry(self.head.places, path, DirectoryEntry::read)
    }

    pub fn user_directories(&self, name: &[u8]) -> Result<Vec<Vec<u8>>, IndexError> {
        let user = self.entry(self.head.users, name, User::read)?;
        Ok(user.map_or(Vec::new(), |user| user.directories))
    }

    /// None also if its files are not in the index.
    pub fn label(&self, name: &[u8]) -> Result<Option<Label>, IndexError> {
        let Some(changes) = self.head.changes else { return Ok(None) };
        let label = self.entry(changes.labels, name, Label::read)?;
        Ok(label.filter(|label| label.files > 0 || !label.revision.is_empty()))
    }

    fn entry<T>(
        &self,
        tree: Tree,
        key: &[u8],
        read: impl Fn(&[u8]) -> Option<T>,
    ) -> Result<Option<T>, IndexError> {
        let value = self.trees.value(tree, key)?;
        value.map(|value| read(&value).ok_or(IndexError::Damaged)).transpose()
    }

    /// Value of the last key before a boundary.
    pub fn last_before(
        &self,
        tree: Tree,
        is_before: impl Fn(&[u8]) -> bool,
    ) -> Result<Option<Vec<u8>>, IndexError> {
        self.trees.last_before(tree, is_before)
    }

    /// The first sample that is not before `from`, if it begins with `literal`; in lower case if case is
    /// ignored, as both must be.
    pub fn sample_from(
        &self,
        tree: Tree,
        from: &[u8],
        literal: &[u8],
    ) -> Result<Option<Vec<u8>>, IndexError> {
        let sample = self.trees.first_from(tree, from.max(literal))?;
        Ok(sample.filter(|sample| sample.starts_with(literal)))
    }

    /// In order, with the original keys.
    pub fn each(&self, tree: Tree, visit: impl FnMut(&[u8], &[u8])) -> Result<(), IndexError> {
        self.trees.each(tree, visit)
    }
}
