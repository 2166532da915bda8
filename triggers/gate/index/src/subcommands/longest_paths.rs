use crate::source::table::{Head, Kind, Table};
use std::borrow::Cow;
use std::collections::BTreeSet;

const MAX_PATHS: usize = 20;

/// The longest depot paths of a checkpoint and journals.
#[derive(Debug, Default)]
pub struct LongestPaths {
    heads: BTreeSet<(usize, Vec<u8>)>,
    /// Checkpoints of old server releases do not contain `db.revhx`.
    revisions: BTreeSet<(usize, Vec<u8>)>,
}

impl LongestPaths {
    pub fn take<'b>(&mut self, head: Head, path: impl FnOnce() -> Option<Cow<'b, [u8]>>) {
        let longest = match head.table {
            Table::RevHx => &mut self.heads,
            Table::Rev => &mut self.revisions,
            _ => return,
        };
        if head.kind != Kind::Delete
            && let Some(path) = path()
        {
            keep(longest, &path);
        }
    }

    /// With their lengths in bytes, longest first.
    pub fn all(&self) -> impl Iterator<Item = &(usize, Vec<u8>)> {
        if self.heads.is_empty() { &self.revisions } else { &self.heads }.iter().rev()
    }
}

fn keep(longest: &mut BTreeSet<(usize, Vec<u8>)>, path: &[u8]) {
    if longest.len() < MAX_PATHS || longest.first().is_some_and(|(bytes, _)| path.len() > *bytes) {
        longest.insert((path.len(), path.to_vec()));
    }
    if longest.len() > MAX_PATHS {
        longest.pop_first();
    }
}
