//! Finds the directories that contain most of a client's synced files, during an ordered pass over
//! the paths of `db.have`.

use crate::base::order::{begins_with, is_same};
use memchr::{memchr, memchr_iter};

/// Number of directory levels below the client's root that are counted.
const DEPTHS: usize = 4;
/// Number of directories with the most synced files kept per client and level.
const PER_LEVEL: usize = 3;
/// Number of slashes in a client path up to the client's root: `//client/`.
const SLASHES_OF_ROOT: usize = 3;

/// Counter of one client's synced files by directory, for paths in client syntax and in order.
#[derive(Debug, Default)]
pub struct SyncedDirectories {
    depths: [Depth; DEPTHS],
    /// The directory of the previous file in comparable form, cut to the deepest level that is
    /// counted.
    directory: Vec<u8>,
    /// Whether `directory` is on the deepest counted level, so that files below it count for it as
    /// well.
    is_deepest: bool,
    /// Number of files in `directory` not yet added to the counts of the levels.
    waiting: u64,
}

/// A client's directories on one level below its root.
#[derive(Debug, Default)]
struct Depth {
    path: Vec<u8>,
    order_path: Vec<u8>,
    files: u64,
    /// The directories with the most synced files on this level, with these numbers, largest first.
    largest: Vec<(u64, Vec<u8>)>,
}

impl SyncedDirectories {
    /// Adds `files` files to the current directory if the path lies in it; returns false, without
    /// counting, if it lies elsewhere.
    pub fn pass_same(&mut self, order_path: &[u8], files: u64) -> bool {
        let is_below = !self.directory.is_empty() && begins_with(order_path, &self.directory);
        let name = order_path.get(self.directory.len()..).unwrap_or_default();
        let is_same = is_below && (self.is_deepest || memchr(b'/', name).is_none());
        self.waiting += if is_same { files } else { 0 };
        is_same
    }

    /// Counts `files` files in one directory; `path` is the first of them as written, `order_path`
    /// its comparable form.
    pub fn pass(&mut self, path: &[u8], order_path: &[u8], files: u64) {
        self.settle();
        self.waiting = files;
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
            depth.files += self.waiting;
        }
        self.waiting = 0;
    }

    /// The largest directories with their numbers of files, nearest to the root first and, on the
    /// same level, those with most files first.
    pub fn finish(mut self) -> Vec<(u64, Vec<u8>)> {
        self.settle();
        let depths = self.depths.into_iter().flat_map(|mut depth| {
            depth.close();
            depth.largest
        });
        depths.collect()
    }
}

impl Depth {
    /// Makes the first `bytes` bytes of a path the current directory, after adding its files to the
    /// counts.
    fn turn_to(&mut self, path: &[u8], order_path: &[u8], bytes: usize) {
        if !is_same(&self.order_path, order_path.get(..bytes).unwrap_or_default()) {
            self.close();
            replace(&mut self.path, path, bytes);
            replace(&mut self.order_path, order_path, bytes);
        }
    }

    fn close(&mut self) {
        let files = std::mem::take(&mut self.files);
        let place = self.largest.partition_point(|(more, _)| *more >= files);
        if self.path.is_empty() || place == PER_LEVEL {
            return;
        }
        self.largest.insert(place, (files, self.path.clone()));
        self.largest.truncate(PER_LEVEL);
    }
}

/// Length in bytes of a file's directory, cut to the deepest level that is counted, and whether the
/// directory is on that level. 0 if the path is not in client syntax.
#[must_use]
pub fn counted_directory(path: &[u8]) -> (usize, bool) {
    let slashes = memchr_iter(b'/', path).skip(SLASHES_OF_ROOT - 1);
    let (mut bytes, mut levels) = (0, 0);
    for at in slashes.take(1 + DEPTHS) {
        (bytes, levels) = (at + 1, levels + 1);
    }
    (bytes, levels > DEPTHS)
}

/// Replaces the content of a buffer by the first `bytes` bytes of a text.
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
                if !directories.pass_same(path.as_bytes(), 1) {
                    directories.pass(path.as_bytes(), path.as_bytes(), 1);
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
