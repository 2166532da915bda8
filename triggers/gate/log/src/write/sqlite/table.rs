//! The page tree of one SQLite table, from rows in the order of their row numbers.

use super::record::{Record, varint};
use super::{PAGE_BYTES, Pages};
use std::io::Result;

const LEAF: u8 = 0x0D;
const INTERIOR: u8 = 0x05;
const LEAF_HEAD_BYTES: usize = 8;
const INTERIOR_HEAD_BYTES: usize = 12;
/// Maximum number of bytes of a row that are stored in its leaf page ("Database File Format", 1.6).
const MAX_LOCAL: usize = PAGE_BYTES - 35;
const MIN_LOCAL: usize = (PAGE_BYTES - 12) * 32 / 255 - 23;

#[derive(Debug)]
pub struct Table {
    root: u32,
    leaf: Page,
    row: u64,
    /// Finished pages, each with the number of the last row in it.
    leaf_pages: Vec<(u32, u64)>,
    cell: Vec<u8>,
    payload: Vec<u8>,
}

impl Table {
    pub fn new(root: u32) -> Self {
        let leaf = Page::new(LEAF_HEAD_BYTES);
        Table { root, leaf, row: 0, leaf_pages: Vec::new(), cell: Vec::new(), payload: Vec::new() }
    }

    pub fn add(&mut self, record: &Record, pages: &mut Pages) -> Result<()> {
        self.add_at(self.row + 1, record, pages)
    }

    /// The row number must be higher than all previous ones.
    pub fn add_at(&mut self, row: u64, record: &Record, pages: &mut Pages) -> Result<()> {
        self.payload.clear();
        record.write(&mut self.payload);
        self.cell.clear();
        varint(&mut self.cell, self.payload.len() as u64);
        varint(&mut self.cell, row);
        let local = local(self.payload.len());
        let (start, overflow) =
            self.payload.split_at_checked(local).unwrap_or((&self.payload, b""));
        self.cell.extend_from_slice(start);
        if !overflow.is_empty() {
            self.cell.extend_from_slice(&pages.overflow(overflow)?.to_be_bytes());
        }
        if !self.leaf.fits(self.cell.len()) {
            let page = pages.add(self.leaf.finish(LEAF, None))?;
            self.leaf_pages.push((page, self.row));
        }
        self.leaf.put(&self.cell);
        self.row = row;
        Ok(())
    }

    /// The topmost page is written as the root page.
    pub fn finish(mut self, pages: &mut Pages) -> Result<()> {
        if self.leaf_pages.is_empty() {
            return pages.put(self.root, self.leaf.finish(LEAF, None));
        }
        let page = pages.add(self.leaf.finish(LEAF, None))?;
        let mut children = self.leaf_pages;
        children.push((page, self.row));
        while children.len() > MAX_CHILDREN {
            let mut parents = Vec::new();
            for group in groups(&children) {
                let page = pages.add(interior(group).finish(INTERIOR, last(group)))?;
                parents.push((page, group.last().map_or(0, |(_, row)| *row)));
            }
            children = parents;
        }
        pages.put(self.root, interior(&children).finish(INTERIOR, last(&children)))
    }
}

/// So many fit even with the longest row numbers.
const MAX_CHILDREN: usize = (PAGE_BYTES - INTERIOR_HEAD_BYTES) / (4 + 9 + 2);

/// Of nearly equal size, so that each interior page has at least two children.
fn groups(children: &[(u32, u64)]) -> Vec<&[(u32, u64)]> {
    let count = children.len().div_ceil(MAX_CHILDREN);
    let mut rest = children;
    let group = |groups_left: usize| {
        let (group, others) = rest.split_at(rest.len().div_ceil(groups_left));
        rest = others;
        group
    };
    (1..=count).rev().map(group).collect()
}

/// The last child is no entry: `Page::finish` writes its number into the page's header.
fn interior(children: &[(u32, u64)]) -> Page {
    let mut page = Page::new(INTERIOR_HEAD_BYTES);
    let mut cell = Vec::new();
    for (child, row) in children.iter().take(children.len().saturating_sub(1)) {
        cell.clear();
        cell.extend_from_slice(&child.to_be_bytes());
        varint(&mut cell, *row);
        page.put(&cell);
    }
    page
}

fn last(children: &[(u32, u64)]) -> Option<u32> {
    children.last().map(|(page, _)| *page)
}

fn local(payload: usize) -> usize {
    if payload <= MAX_LOCAL {
        return payload;
    }
    let local_bytes = MIN_LOCAL + (payload - MIN_LOCAL) % (PAGE_BYTES - 4);
    if local_bytes <= MAX_LOCAL { local_bytes } else { MIN_LOCAL }
}

/// Cell pointers are added from the front, cell contents from the end.
#[derive(Debug)]
struct Page {
    bytes: Vec<u8>,
    head: usize,
    pointers: usize,
    content: usize,
}

impl Page {
    fn new(head: usize) -> Self {
        Page { bytes: vec![0; PAGE_BYTES], head, pointers: head, content: PAGE_BYTES }
    }

    fn fits(&self, cell: usize) -> bool {
        self.pointers + 2 + cell <= self.content
    }

    fn put(&mut self, cell: &[u8]) {
        self.content -= cell.len();
        let (pointers, content) = (self.pointers, self.content);
        self.write(content, cell);
        self.write(pointers, &(content as u16).to_be_bytes());
        self.pointers += 2;
    }

    fn finish(&mut self, kind: u8, right: Option<u32>) -> Vec<u8> {
        let cells = ((self.pointers - self.head) / 2) as u16;
        self.write(0, &[kind]);
        self.write(3, &cells.to_be_bytes());
        self.write(5, &(self.content as u16).to_be_bytes());
        if let Some(right) = right {
            self.write(8, &right.to_be_bytes());
        }
        std::mem::replace(self, Page::new(self.head)).bytes
    }

    fn write(&mut self, at: usize, bytes: &[u8]) {
        if let Some(place) = self.bytes.get_mut(at..at + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_interior_page_has_at_least_two_children() {
        // Groups of equal size would leave one page for the last.
        const UNEVEN: usize = 1_189_191;
        for pages in [MAX_CHILDREN + 1, 2 * MAX_CHILDREN + 1, UNEVEN] {
            let children = vec![(0, 0); pages];
            let groups = groups(&children);
            assert!(groups.iter().all(|group| (2..=MAX_CHILDREN).contains(&group.len())));
            assert_eq!(groups.concat().len(), pages);
        }
    }
}
