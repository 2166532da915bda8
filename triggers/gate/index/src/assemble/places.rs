use crate::assemble::tables::Depot;
use crate::base::numbers::{put_number, take_number};
use crate::base::order::begins_with;
use crate::file::blocks::BlockOutput;
use crate::file::place as file;
use crate::file::tree::{Tree, TreeWriter};
use crate::sorted::merge::Merge;
use crate::sorted::run::Run;
use crate::sorted::sorter::Sorter;
use std::io::{self, Write};

/// The records below one depot or top-level directory, during a pass over sorted paths.
#[derive(Debug)]
struct Place {
    /// In the path of the depot (`//depot/`, 3) or top-level directory (`//depot/main/`, 4).
    slashes: usize,
    path: Vec<u8>,
    order_path: Vec<u8>,
    records: u64,
}

#[derive(Debug)]
pub struct Places {
    open_places: [Place; 2],
    /// Last byte of the sort keys, which tells the counts of files and of revisions apart.
    mark: u8,
}

impl Places {
    /// `table` is 0 for files, 1 for revisions.
    #[must_use]
    pub fn new(table: usize) -> Self {
        let place = |slashes| Place { slashes, path: vec![], order_path: vec![], records: 0 };
        Places { open_places: [place(3), place(4)], mark: b'0' + table as u8 }
    }

    /// `order_path` is the spelling that is compared, in lower case on a server that ignores case.
    pub fn pass(
        &mut self,
        path: &[u8],
        order_path: &[u8],
        records: u64,
        to: &mut Sorter,
    ) -> io::Result<()> {
        for place in &mut self.open_places {
            if place.path.is_empty() || !begins_with(order_path, &place.order_path) {
                place.close(self.mark, to)?;
                place.open(path, order_path);
            }
            place.records += records;
        }
        Ok(())
    }

    pub fn finish(mut self, to: &mut Sorter) -> io::Result<()> {
        self.open_places.iter_mut().try_for_each(|place| place.close(self.mark, to))
    }
}

impl Place {
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
        let place = file::Place { depot: Some((depot.kind, depot.map.clone())), counts: [0; 2] };
        to.push([&key, b""], Some(&place.bytes()))?;
    }
    Ok(())
}

/// Returns the position of the tree.
pub fn write(runs: &[Run], folds: bool, out: &mut BlockOutput<impl Write>) -> io::Result<Tree> {
    let (mut merge, mut tree) = (Merge::new(runs, folds)?, TreeWriter::default());
    let mut last = PlaceEntry::default();
    while merge.advance()? {
        let order_path = front(merge.order_key());
        if last.order_path != order_path {
            last.write(&mut tree, out)?;
            let (path, order_path) = (front(merge.key()).to_vec(), order_path.to_vec());
            last = PlaceEntry { path, order_path, ..PlaceEntry::default() };
        }
        last.take(merge.key().last(), merge.value());
    }
    last.write(&mut tree, out)?;
    tree.finish(out)
}

#[derive(Debug, Default)]
struct PlaceEntry {
    path: Vec<u8>,
    order_path: Vec<u8>,
    place: file::Place,
}

impl PlaceEntry {
    fn take(&mut self, mark: Option<&u8>, mut value: &[u8]) {
        match mark {
            Some(b'2') => self.place.depot = file::Place::read(value).and_then(|place| place.depot),
            Some(b'1') => self.place.counts[1] = take_number(&mut value).unwrap_or(0),
            _ => self.place.counts[0] = take_number(&mut value).unwrap_or(0),
        }
    }

    fn write(&self, tree: &mut TreeWriter, out: &mut BlockOutput<impl Write>) -> io::Result<()> {
        if self.path.is_empty() {
            return Ok(());
        }
        tree.push(out, &self.path, &self.place.bytes())
    }
}

/// The key ends with NUL and a byte for the counted table.
fn front(key: &[u8]) -> &[u8] {
    key.len().checked_sub(2).and_then(|end| key.get(..end)).unwrap_or_default()
}
