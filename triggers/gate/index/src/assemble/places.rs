use crate::assemble::tables::Depot;
use crate::base::numbers::{put_number, take_number};
use crate::base::order::{begins_with, without_end};
use crate::file::blocks::BlockOutput;
use crate::file::directory_entry::DirectoryEntry;
use crate::file::tree::{Tree, TreeWriter};
use crate::sorted::merge::Merge;
use crate::sorted::run::Run;
use crate::sorted::sorter::Sorter;
use std::io::{self, Write};

/// After the path in a sort key: NUL and a byte for the counted table.
const TAIL: usize = 2;

/// The records below one depot or top-level directory, during a pass over sorted paths.
#[derive(Debug)]
struct OpenDirectory {
    /// In the path of the depot (`//depot/`, 3) or top-level directory (`//depot/main/`, 4).
    slashes: usize,
    path: Vec<u8>,
    order_path: Vec<u8>,
    records: u64,
}

#[derive(Debug)]
pub struct OpenDirectories {
    open: [OpenDirectory; 2],
    /// Last byte of the sort keys, which tells the counts of files and of revisions apart.
    mark: u8,
}

impl OpenDirectories {
    /// `table` is 0 for files, 1 for revisions.
    pub fn new(table: usize) -> Self {
        let directory =
            |slashes| OpenDirectory { slashes, path: vec![], order_path: vec![], records: 0 };
        OpenDirectories { open: [directory(3), directory(4)], mark: b'0' + table as u8 }
    }

    /// `order_path` is the spelling that is compared, in lower case on a server that ignores case.
    pub fn pass(
        &mut self,
        path: &[u8],
        order_path: &[u8],
        records: u64,
        to: &mut Sorter,
    ) -> io::Result<()> {
        for directory in &mut self.open {
            if directory.path.is_empty() || !begins_with(order_path, &directory.order_path) {
                directory.close(self.mark, to)?;
                directory.open(path, order_path);
            }
            directory.records += records;
        }
        Ok(())
    }

    pub fn finish(mut self, to: &mut Sorter) -> io::Result<()> {
        self.open.iter_mut().try_for_each(|directory| directory.close(self.mark, to))
    }
}

impl OpenDirectory {
    fn open(&mut self, path: &[u8], order_path: &[u8]) {
        let mut slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        let bytes = slashes.nth(self.slashes - 1).map_or(0, |(at, _)| at + 1);
        self.path = path.get(..bytes).unwrap_or_default().to_vec();
        self.order_path = order_path.get(..bytes).unwrap_or_default().to_vec();
        self.records = 0;
    }

    fn close(&mut self, mark: u8, to: &mut Sorter) -> io::Result<()> {
        if self.path.is_empty() {
            return Ok(());
        }
        let mut key = std::mem::take(&mut self.path);
        key.extend([0, mark]);
        let mut value = Vec::new();
        put_number(&mut value, self.records);
        to.push([&key, b""], Some(&value))
    }
}

/// Depots without files are listed as well.
pub fn note_depots(depots: &[Depot], to: &mut Sorter) -> io::Result<()> {
    for depot in depots {
        let key = [b"//", &depot.name[..], b"/\x002"].concat();
        let directory =
            DirectoryEntry { depot: Some((depot.kind, depot.map.clone())), counts: [0; 2] };
        to.push([&key, b""], Some(&directory.bytes()))?;
    }
    Ok(())
}

/// Returns the position of the tree.
pub fn write(runs: &[Run], folds: bool, out: &mut BlockOutput<impl Write>) -> io::Result<Tree> {
    let (mut merge, mut tree) = (Merge::new(runs, folds)?, TreeWriter::default());
    let mut last = Entry::default();
    while merge.advance()? {
        let order_path = without_end(merge.order_key(), TAIL);
        if last.order_path != order_path {
            last.write(&mut tree, out)?;
            let (path, order_path) = (without_end(merge.key(), TAIL).to_vec(), order_path.to_vec());
            last = Entry { path, order_path, ..Entry::default() };
        }
        last.take(merge.key().last(), merge.value());
    }
    last.write(&mut tree, out)?;
    tree.finish(out)
}

#[derive(Debug, Default)]
struct Entry {
    path: Vec<u8>,
    order_path: Vec<u8>,
    entry: DirectoryEntry,
}

impl Entry {
    fn take(&mut self, mark: Option<&u8>, mut value: &[u8]) {
        match mark {
            Some(b'2') => {
                self.entry.depot = DirectoryEntry::read(value).and_then(|directory| directory.depot)
            }
            Some(b'1') => self.entry.counts[1] = take_number(&mut value).unwrap_or(0),
            _ => self.entry.counts[0] = take_number(&mut value).unwrap_or(0),
        }
    }

    fn write(&self, tree: &mut TreeWriter, out: &mut BlockOutput<impl Write>) -> io::Result<()> {
        if self.path.is_empty() {
            return Ok(());
        }
        tree.push(out, &self.path, &self.entry.bytes())
    }
}
