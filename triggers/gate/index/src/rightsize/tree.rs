use crate::base::order::folded_key;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directory {
    /// In depot syntax, ending with a slash.
    pub path: Vec<u8>,
    /// On the server, needed by the client or not.
    pub files: u64,
    /// Directly in the directory.
    pub has_needed: bool,
    /// All needed files below it would keep their client paths.
    pub is_allowed: bool,
}

impl Directory {
    /// Such as `//depot/main/...`.
    #[must_use]
    pub fn depot_side(&self) -> Vec<u8> {
        [&self.path[..], b"..."].concat()
    }
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
            open.push((place, path));
        }
        Tree { directories, ..tree }
    }

    #[must_use]
    pub fn depot_sides(&self, places: &[usize]) -> Vec<Vec<u8>> {
        let directories = places.iter().filter_map(|place| self.directories.get(*place));
        directories.map(Directory::depot_side).collect()
    }
}
