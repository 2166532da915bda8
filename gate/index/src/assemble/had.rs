//! Finds the directories that contain most of a client's synced files, during an ordered pass over
//! the paths of `db.have`.

/// Number of directory levels below the client's root that are counted.
const DEPTHS: usize = 4;
/// Number of directories kept per level.
const KEPT: usize = 3;
/// Number of slashes in a client path up to the client's root: `//client/`.
const SLASHES_OF_ROOT: usize = 3;

/// Counter of one client's files by directory.
#[derive(Debug, Default)]
pub struct Had {
    depths: [Depth; DEPTHS],
}

/// The directories of one level.
#[derive(Debug, Default)]
struct Depth {
    path: Vec<u8>,
    order_path: Vec<u8>,
    files: u64,
    /// The largest directories with their counts, largest first.
    largest: Vec<(u64, Vec<u8>)>,
}

impl Had {
    /// Counts a file: `path` is the original, `order_path` the comparable form.
    pub fn pass(&mut self, path: &[u8], order_path: &[u8]) {
        let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at + 1);
        let mut ends = ends.skip(SLASHES_OF_ROOT);
        for depth in &mut self.depths {
            let bytes = ends.next().unwrap_or(0);
            let directory = order_path.get(..bytes).unwrap_or_default();
            if depth.order_path != directory {
                depth.close();
                depth.path = path.get(..bytes).unwrap_or_default().to_vec();
                depth.order_path = directory.to_vec();
            }
            depth.files += 1;
        }
    }

    /// The largest directories, nearest to the root first and, on the same level, those with most
    /// files first.
    pub fn finish(self) -> Vec<Vec<u8>> {
        let depths = self.depths.into_iter().flat_map(|mut depth| {
            depth.close();
            depth.largest
        });
        depths.map(|(_, path)| path).collect()
    }
}

impl Depth {
    fn close(&mut self) {
        let (path, files) = (std::mem::take(&mut self.path), std::mem::take(&mut self.files));
        if path.is_empty() {
            return;
        }
        let place = self.largest.partition_point(|(more, _)| *more >= files);
        self.largest.insert(place, (files, path));
        self.largest.truncate(KEPT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_directories_of_each_depth_are_kept() {
        let mut had = Had::default();
        for (directory, files) in
            [("a/x/", 1), ("a/y/", 2), ("b/", 1), ("c/", 2), ("d/z/", 5), ("", 9)]
        {
            for number in 0..files {
                let path = format!("//ws/{directory}{number}");
                had.pass(path.as_bytes(), path.as_bytes());
            }
        }
        let found = had.finish();
        let found: Vec<_> = found.iter().map(|path| String::from_utf8_lossy(path)).collect();
        assert_eq!(found, ["//ws/d/", "//ws/a/", "//ws/c/", "//ws/d/z/", "//ws/a/y/", "//ws/a/x/"]);
    }
}
