use crate::base::order::{begins_with, is_same};
use memchr::{memchr, memchr_iter};

/// Levels below the client's root for which synced files are counted.
const DEPTHS: usize = 4;
/// Per client and level.
const PER_LEVEL: usize = 3;
const SLASHES_OF_ROOT: usize = 3;

/// Counts one client's synced files by directory, for sorted paths in client syntax.
#[derive(Debug, Default)]
pub struct SyncedDirectories {
    depths: [Depth; DEPTHS],
    /// Of the previous file, as compared, cut to the deepest level that is counted.
    directory: Vec<u8>,
    /// Files in subdirectories count for the deepest counted level as well.
    is_deepest: bool,
    /// Files in `directory` not yet added to the levels.
    pending_files: u64,
}

#[derive(Debug, Default)]
struct Depth {
    path: Vec<u8>,
    order_path: Vec<u8>,
    files: u64,
    /// Each with its number of files, largest number first.
    largest_directories: Vec<(u64, Vec<u8>)>,
}

impl SyncedDirectories {
    /// Counts nothing and returns false unless the path lies in the same directory as the file
    /// before (or below it on the deepest counted level); the caller then has to call `pass`.
    pub fn pass_same(&mut self, order_path: &[u8]) -> bool {
        let is_below = !self.directory.is_empty() && begins_with(order_path, &self.directory);
        let name = order_path.get(self.directory.len()..).unwrap_or_default();
        let is_same = is_below && (self.is_deepest || memchr(b'/', name).is_none());
        self.pending_files += u64::from(is_same);
        is_same
    }

    pub fn pass(&mut self, path: &[u8], order_path: &[u8]) {
        self.settle();
        self.pending_files = 1;
        let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at + 1);
        let mut ends = ends.skip(SLASHES_OF_ROOT - 1);
        ends.next();
        for depth in &mut self.depths {
            depth.turn_to(path, order_path, ends.next().unwrap_or(0));
        }
        let (bytes, is_deepest) = counted_directory(path);
        replace(&mut self.directory, order_path, bytes);
        self.is_deepest = is_deepest;
    }

    fn settle(&mut self) {
        for depth in &mut self.depths {
            depth.files += self.pending_files;
        }
        self.pending_files = 0;
    }

    /// Nearest to the client's root first and, on the same level, largest number first.
    pub fn finish(mut self) -> Vec<(u64, Vec<u8>)> {
        self.settle();
        let depths = self.depths.into_iter().flat_map(|mut depth| {
            depth.close();
            depth.largest_directories
        });
        depths.collect()
    }
}

impl Depth {
    /// Makes the first `bytes` bytes of the path this level's current directory.
    fn turn_to(&mut self, path: &[u8], order_path: &[u8], bytes: usize) {
        if !is_same(&self.order_path, order_path.get(..bytes).unwrap_or_default()) {
            self.close();
            replace(&mut self.path, path, bytes);
            replace(&mut self.order_path, order_path, bytes);
        }
    }

    fn close(&mut self) {
        let files = std::mem::take(&mut self.files);
        let place = self.largest_directories.partition_point(|(more, _)| *more >= files);
        if self.path.is_empty() || place == PER_LEVEL {
            return;
        }
        self.largest_directories.insert(place, (files, self.path.clone()));
        self.largest_directories.truncate(PER_LEVEL);
    }
}

/// Cut to the deepest level that is counted, and whether the directory is on that level; 0 if the
/// path is not in client syntax.
fn counted_directory(path: &[u8]) -> (usize, bool) {
    let slashes = memchr_iter(b'/', path).skip(SLASHES_OF_ROOT - 1);
    let (mut bytes, mut levels) = (0, 0);
    for at in slashes.take(1 + DEPTHS) {
        (bytes, levels) = (at + 1, levels + 1);
    }
    (bytes, levels > DEPTHS)
}

fn replace(old: &mut Vec<u8>, text: &[u8], bytes: usize) {
    old.clear();
    old.extend_from_slice(text.get(..bytes).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_directories_of_each_depth_are_kept() {
        let mut directories = SyncedDirectories::default();
        for (directory, files) in
            [("a/x/", 1), ("a/y/", 2), ("b/", 1), ("c/", 2), ("d/z/", 5), ("", 9)]
        {
            for number in 0..files {
                let path = format!("//ws/{directory}{number}");
                if !directories.pass_same(path.as_bytes()) {
                    directories.pass(path.as_bytes(), path.as_bytes());
                }
            }
        }
        let largest = directories.finish();
        let largest: Vec<_> =
            largest.iter().map(|(_, path)| String::from_utf8_lossy(path)).collect();
        assert_eq!(
            largest,
            ["//ws/d/", "//ws/a/", "//ws/c/", "//ws/d/z/", "//ws/a/y/", "//ws/a/x/"]
        );
    }
}
