//! Rows of a delta, ordered by their comparable names.

use crate::assemble::fresh::FreshFile;
use crate::base::order::folded;
use crate::file::delta::Delta;
use crate::file::tree::{Tree, TreeWriter};
use crate::file::trees::Damaged;
use std::collections::BTreeMap;
use std::io;

/// Rows by their comparable names, each with its original name.
pub type Named<T> = BTreeMap<Vec<u8>, (Vec<u8>, T)>;

/// Returns the row of a name; inserts an empty row if there is none.
pub fn named<'n, T: Default>(rows: &'n mut Named<T>, name: &[u8], folds: bool) -> &'n mut T {
    let row = rows.entry(folded(name, folds));
    &mut row.or_insert_with(|| (name.to_vec(), T::default())).1
}

/// Reads the rows of a tree of clients or streams from an older delta.
pub fn of_delta<T>(
    old: Option<(&Delta, Tree)>,
    folds: bool,
    read: impl Fn(&[u8]) -> Option<T>,
) -> Result<Named<T>, Damaged> {
    let mut rows = Named::new();
    if let Some((old, tree)) = old {
        old.each(tree, |name, value| {
            if let Some(row) = read(value) {
                rows.insert(folded(name, folds), (name.to_vec(), row));
            }
        })?;
    }
    Ok(rows)
}

/// Writes the rows, in order of their names, as a tree of the delta file.
pub fn write<T>(
    rows: Named<T>,
    bytes: impl Fn(&T) -> Vec<u8>,
    out: &mut FreshFile,
) -> io::Result<Tree> {
    let mut tree = TreeWriter::default();
    for (name, row) in rows.into_values() {
        tree.push(out, &name, &bytes(&row))?;
    }
    tree.finish(out)
}
