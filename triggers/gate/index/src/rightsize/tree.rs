use crate::base::order::folded_key;

/// A directory, or a single file that may have a line of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directory {
    /// In depot syntax; of a directory, ending with a slash.
    pub path: Vec<u8>,
    /// On the server, needed by the client or not.
    pub files: u64,
    /// Directly in the directory.
    pub has_needed: bool,
    /// All needed files below it would keep their client paths.
    pub is_allowed: bool,
}

/// Of a view row, for a file or a directory with its slash.
#[must_use]
pub fn side(path: &[u8]) -> Vec<u8> {
    if is_file(path) { path.to_vec() } else { [path, b"..."].concat() }
}

impl Directory {
    /// Such as `//depot/main/...`.
    #[must_use]
    pub fn depot_side(&self) -> Vec<u8> {
        side(&self.path)
    }

    #[must_use]
    pub fn is_file(&self) -> bool {
        is_file(&self.path)
    }

    /// By which choices are compared: a line of a file counts as two, so that it is chosen only
    /// where no line of a directory can be.
    #[must_use]
    pub fn lines(&self) -> usize {
        if self.is_file() { 2 } else { 1 }
    }
}

/// Not a directory, whose path ends with a slash.
pub(super) fn is_file(path: &[u8]) -> bool {
    !path.ends_with(b"/")
}

#[derive(Debug, Default)]
pub struct Tree {
    /// Sorted by depot path, so that parents precede their subdirectories.
    pub directories: Vec<Directory>,
    /// Indexes in `directories`, ascending.
    pub children: Vec<Vec<usize>>,
    /// Indexes in `directories`.
    pub depots: Vec<usize>,
}

impl Tree {
    /// `directories` are sorted by path; the parent of every directory below a depot must be
    /// included.
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
            if !directory.is_file() {
                open.push((place, path));
            }
        }
        Tree { directories, ..tree }
    }

    #[must_use]
    pub fn lines(&self, places: &[usize]) -> usize {
        let directories = places.iter().filter_map(|place| self.directories.get(*place));
        directories.map(Directory::lines).sum()
    }

    #[must_use]
    pub fn depot_sides(&self, places: &[usize]) -> Vec<Vec<u8>> {
        let directories = places.iter().filter_map(|place| self.directories.get(*place));
        directories.map(Directory::depot_side).collect()
    }
}
