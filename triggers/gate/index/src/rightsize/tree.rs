use crate::base::order::folded_key;

/// A directory with more files, or one or two levels below its depot, may be refused by a policy,
/// so that files directly in it need lines of their own.
pub(super) const NARROW_FILES: u64 = 1000;
const TOP_SLASHES: usize = 5;

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
pub fn side(path: &[u8]) -> Vec<u8> {
    if is_file(path) { path.to_vec() } else { [path, b"..."].concat() }
}

impl Directory {
    pub fn is_file(&self) -> bool {
        is_file(&self.path)
    }

    /// Not more than a policy's limit, and deep enough, so that files directly in it need no lines
    /// of their own.
    fn is_narrow(&self) -> bool {
        let slashes = self.path.iter().filter(|byte| **byte == b'/').count();
        self.is_allowed && self.files <= NARROW_FILES && slashes > TOP_SLASHES
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
    children: Vec<Vec<usize>>,
    /// Indexes in `directories`.
    pub depots: Vec<usize>,
}

impl Tree {
    /// `directories` are sorted by path; the parent of every directory below a depot must be
    /// included.
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

    pub fn files(&self, places: &[usize]) -> u64 {
        self.of(places).map(|directory| directory.files).sum()
    }

    /// By which choices are compared: a line of a file counts as two, so that it is chosen only
    /// where no line of a directory can be.
    pub fn lines(&self, places: &[usize]) -> u64 {
        self.of(places).map(|one| if one.is_file() { 2 } else { 1 }).sum()
    }

    pub fn has_file(&self, places: &[usize]) -> bool {
        self.of(places).any(Directory::is_file)
    }

    pub fn is_allowed(&self, place: usize) -> bool {
        self.of(&[place]).any(|directory| directory.is_allowed)
    }

    /// The directories and files that contain all that is needed of a directory; none if only the
    /// directory itself does.
    pub fn parts(&self, place: usize) -> &[usize] {
        let children = self.children.get(place).map_or(&[][..], Vec::as_slice);
        let is_whole =
            |one: &Directory| one.has_needed || (one.is_narrow() && self.has_file(children));
        if self.of(&[place]).any(is_whole) { &[] } else { children }
    }

    /// Of any choice; None if a needed file is in no allowed directory.
    pub fn least_files(&self) -> Option<u64> {
        let mut least: Vec<Option<u64>> = vec![None; self.directories.len()];
        let sum = |places: &[usize], least: &[Option<u64>]| {
            places.iter().try_fold(0_u64, |sum, place| Some(sum + least.get(*place).copied()??))
        };
        for (place, directory) in self.directories.iter().enumerate().rev() {
            let parts = self.parts(place);
            let of_parts = if parts.is_empty() { None } else { sum(parts, &least) };
            let own = directory.is_allowed.then_some(directory.files);
            *least.get_mut(place)? = own.into_iter().chain(of_parts).min();
        }
        sum(&self.depots, &least)
    }

    /// Directly contains needed files although neither it nor a directory above it is allowed.
    pub fn unmappable_directory(&self) -> Option<&Directory> {
        let mut pending = self.depots.clone();
        while let Some(place) = pending.pop() {
            let parts = self.parts(place);
            match self.directories.get(place).filter(|directory| !directory.is_allowed) {
                Some(directory) if parts.is_empty() => return Some(directory),
                Some(_) => pending.extend(parts.iter().rev()),
                None => {}
            }
        }
        None
    }

    fn of(&self, places: &[usize]) -> impl Iterator<Item = &Directory> {
        places.iter().filter_map(|place| self.directories.get(*place))
    }

    pub fn paths(&self, places: &[usize]) -> Vec<Vec<u8>> {
        self.of(places).map(|directory| directory.path.clone()).collect()
    }
}
