//! The tree of directories that contain files needed by a client, with all directories above.

use crate::base::order::folded;

/// A directory of the depot, as a candidate for a line of a narrower client view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directory {
    /// The directory's path in depot syntax, ending with a slash.
    pub path: Vec<u8>,
    /// Number of files below the directory, needed or not.
    pub files: u64,
    /// Whether a needed file lies directly in the directory.
    pub has_needed: bool,
    /// Whether a view line may name the directory, because all needed files keep their client
    /// paths.
    pub is_allowed: bool,
}

impl Directory {
    /// The depot side of a view line that maps the directory.
    #[must_use]
    pub fn depot_side(&self) -> Vec<u8> {
        [&self.path[..], b"..."].concat()
    }
}

/// Directories, parents before children, with the indexes of their children.
#[derive(Debug, Default)]
pub struct Tree {
    /// The directories, sorted by depot path.
    pub directories: Vec<Directory>,
    /// For each directory the indexes of its direct subdirectories, in order.
    pub children: Vec<Vec<usize>>,
    /// Indexes in `directories` of the top-level ones, which are depots.
    pub depots: Vec<usize>,
}

impl Tree {
    /// Builds the tree from directories sorted by path; the parent of each must be included, except
    /// `//`.
    #[must_use]
    pub fn new(directories: Vec<Directory>, folds: bool) -> Self {
        let mut tree = Tree { children: vec![Vec::new(); directories.len()], ..Tree::default() };
        let mut open: Vec<(usize, Vec<u8>)> = Vec::new();
        for (place, directory) in directories.iter().enumerate() {
            let path = folded(&directory.path, folds);
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
}
