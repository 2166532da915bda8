//! Sorted entries in blocks and, above several blocks, levels of inner blocks. An inner block
//! contains the first key, position and length of each block below it.

use crate::base::numbers::{put_number, take_number};
use crate::file::blocks::{BlockOutput, Span, UnfinishedBlock};
use std::io::{self, Write};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// Its length is 0 if the tree is empty.
    pub root: Span,
    pub inner_levels: u64,
    pub entries: u64,
}

#[derive(Debug, Default)]
pub struct TreeWriter {
    levels: Vec<Level>,
    entries: u64,
}

#[derive(Debug, Default)]
struct Level {
    unfinished_block: UnfinishedBlock,
    last_block: Span,
    blocks: u64,
}

impl TreeWriter {
    /// The keys have to come in sorted order.
    pub fn push(
        &mut self,
        out: &mut BlockOutput<impl Write>,
        key: &[u8],
        value: &[u8],
    ) -> io::Result<()> {
        self.entries += 1;
        self.push_at(0, out, key, value)
    }

    pub fn finish(mut self, out: &mut BlockOutput<impl Write>) -> io::Result<Tree> {
        let mut depth = 0;
        loop {
            self.write(depth, out)?;
            let Some(level) = self.levels.get(depth) else {
                return Ok(Tree::default());
            };
            if level.blocks == 1 {
                let (root, entries) = (level.last_block, self.entries);
                return Ok(Tree { root, inner_levels: depth as u64, entries });
            }
            depth += 1;
        }
    }

    fn push_at(
        &mut self,
        depth: usize,
        out: &mut BlockOutput<impl Write>,
        key: &[u8],
        value: &[u8],
    ) -> io::Result<()> {
        if self.levels.len() == depth {
            self.levels.push(Level::default());
        }
        let Some(level) = self.levels.get_mut(depth) else {
            return Ok(());
        };
        level.unfinished_block.push(key, value);
        if level.unfinished_block.is_full() { self.write(depth, out) } else { Ok(()) }
    }

    fn write(&mut self, depth: usize, out: &mut BlockOutput<impl Write>) -> io::Result<()> {
        let Some(level) = self.levels.get_mut(depth) else {
            return Ok(());
        };
        if level.unfinished_block.is_empty() {
            return Ok(());
        }
        level.last_block = level.unfinished_block.write(out)?;
        level.blocks += 1;
        let (key, mut value) = (std::mem::take(&mut level.unfinished_block.first_key), Vec::new());
        put_span(&mut value, level.last_block);
        self.push_at(depth + 1, out, &key, &value)
    }
}

pub fn put_span(to: &mut Vec<u8>, place: Span) {
    put_number(to, place.offset);
    put_number(to, place.bytes);
}

pub fn take_span(from: &mut &[u8]) -> Option<Span> {
    Some(Span { offset: take_number(from)?, bytes: take_number(from)? })
}

impl Tree {
    pub fn put(self, to: &mut Vec<u8>) {
        put_span(to, self.root);
        put_number(to, self.inner_levels);
        put_number(to, self.entries);
    }

    pub fn take(from: &mut &[u8]) -> Option<Self> {
        let root = take_span(from)?;
        Some(Tree { root, inner_levels: take_number(from)?, entries: take_number(from)? })
    }
}
