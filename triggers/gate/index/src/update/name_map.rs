//! Maps of clients or streams by name, used by an update of a checkpoint index; reading them from
//! the old delta file and writing them to the new one.

use crate::assemble::unfinished_file::FileOutput;
use crate::base::order::folded_key;
use crate::file::delta::Delta;
use crate::file::tree::{Tree, TreeWriter};
use crate::file::trees::IndexError;
use std::collections::BTreeMap;
use std::io;

/// Clients or streams in the order in which the server compares their names (key: the name as
/// compared), each with its original name.
pub type NameMap<T> = BTreeMap<Vec<u8>, (Vec<u8>, T)>;

/// Returns the value for the client or stream `name` in the map `rows`; first inserts an empty
/// value if there is none. With `folds` names are compared without case.
pub fn row_of<'n, T: Default>(rows: &'n mut NameMap<T>, name: &[u8], folds: bool) -> &'n mut T {
    let row = rows.entry(folded_key(name, folds));
    &mut row.or_insert_with(|| (name.to_vec(), T::default())).1
}

/// Reads the clients or the streams in the old delta file, given with the position of their tree;
/// the result is empty if `old` is None. Entries that `read` cannot decode are left out.
pub fn of_delta<T>(
    old: Option<(&Delta, Tree)>,
    folds: bool,
    read: impl Fn(&[u8]) -> Option<T>,
) -> Result<NameMap<T>, IndexError> {
    let mut rows = NameMap::new();
    if let Some((old, tree)) = old {
        old.each(tree, |name, value| {
            if let Some(row) = read(value) {
                rows.insert(folded_key(name, folds), (name.to_vec(), row));
            }
        })?;
    }
    Ok(rows)
}

/// Writes a collection of clients or streams as a tree of the delta file, in the order of the
/// names; returns the tree's position.
pub fn write<T>(
    rows: NameMap<T>,
    bytes: impl Fn(&T) -> Vec<u8>,
    out: &mut FileOutput,
) -> io::Result<Tree> {
    let mut tree = TreeWriter::default();
    for (name, row) in rows.into_values() {
        tree.push(out, &name, &bytes(&row))?;
    }
    tree.finish(out)
}
