//! The directories that hold files a client needs, with all directories above them.

use crate::base::order::folded;

/// A directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directory {
    /// Its path in depot syntax, with the slash at its end.
    pub path: Vec<u8>,
    /// How many files lie below it, needed or not.
    pub files: u64,
    /// Whether a needed file lies directly in it.
    pub has_needed: bool,
    /// Whether a view line may name it.
    pub is_allowed: bool,
}

impl Directory {
    /// The depot side of a view line that maps it.
    #[must_use]
    pub fn depot_side(&self) -> Vec<u8> {
        [&self.path[..], b"..."].concat()
    }
}

/// Directories, each before those below it, with the places of their children.
#[derive(Debug, Default)]
pub struct Tree {
    /// The directories in the order of their paths.
    pub directories: Vec<Directory>,
    /// For each directory the places of those directly below it, in their order.
    pub children: Vec<Vec<usize>>,
    /// The places of directories that no other contains: depots.
    pub depots: Vec<usize>,
}

impl Tree {
    /// Takes directories in the order of their paths; every directory above one of them is there
    /// as well, except `//`.
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
