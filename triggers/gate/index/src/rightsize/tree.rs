//! The tree of depot directories that contain files needed by a client, and of all directories
//! above them.

use crate::base::order::folded_key;

/// A depot directory, as a candidate for a line of the narrower view proposed to a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directory {
    /// The directory's path in depot syntax, ending with a slash.
    pub path: Vec<u8>,
    /// Number of files on the server below the directory, needed by the client or not.
    pub files: u64,
    /// Whether a file that the client needs lies directly in the directory.
    pub has_needed: bool,
    /// Whether a line of the proposed view may map the directory, that is, whether all needed files
    /// below it would keep their client paths.
    pub is_allowed: bool,
}

impl Directory {
    /// The depot side of a view line that maps the directory, such as `//depot/main/...`.
    #[must_use]
    pub fn depot_side(&self) -> Vec<u8> {
        [&self.path[..], b"..."].concat()
    }
}

/// The depot directories that contain a client's needed files, and all directories above them, as a
/// tree.
#[derive(Debug, Default)]
pub struct Tree {
    /// The directories, sorted by depot path, so that parents precede their subdirectories.
    pub directories: Vec<Directory>,
    /// For each directory the indexes in `directories` of its direct subdirectories, ascending.
    pub children: Vec<Vec<usize>>,
    /// Indexes in the list `directories` of the depots, which are the roots of the tree.
    pub depots: Vec<usize>,
}

impl Tree {
    /// Builds the tree from directories sorted by path; the parent of every directory below a depot
    /// must be included. `folds` states whether paths are compared without case.
    #[must_use]
    pub fn new(directories: Vec<Directory>, folds: bool) -> Self {
        let mut tree = Tree { children: vec![Vec::new(); directories.len()], ..Tree::default() };
        let mut open: Vec<(usize, Vec<u8>)> = Vec::new();
        for (place, directory) in directories.iter().enumerate() {
            let path = folded_key(&directory.path, folds);
            while open.last().is_some_and(|(_, above)| !path.starts_with(above)) {
                open.pop();
            }
            match open.last().and_then(|(above, _)| tree.children.get_mut(*above)) {
                Some(children) => children.push(place),
                None => tree.depots.push(place),
            }
            open.push((place, path));
        }
        Tree { directories, ..tree }
    }

    /// The depot sides of the view lines that map the directories with the given indexes.
    #[must_use]
    pub fn depot_sides(&self, places: &[usize]) -> Vec<Vec<u8>> {
        let directories = places.iter().filter_map(|place| self.directories.get(*place));
        directories.map(Directory::depot_side).collect()
    }
}
