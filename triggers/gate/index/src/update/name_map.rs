use crate::assemble::unfinished_file::FileOutput;
use crate::base::order::folded_key;
use crate::file::delta::Delta;
use crate::file::tree::{Tree, TreeWriter};
use crate::file::trees::IndexError;
use std::collections::BTreeMap;
use std::io;

/// By name as compared, each with its original name.
pub type NameMap<T> = BTreeMap<Vec<u8>, (Vec<u8>, T)>;

/// Inserts an empty value if there is none.
pub fn row_of<'n, T: Default>(rows: &'n mut NameMap<T>, name: &[u8], folds: bool) -> &'n mut T {
    let row = rows.entry(folded_key(name, folds));
    &mut row.or_insert_with(|| (name.to_vec(), T::default())).1
}

/// Entries that `read` cannot decode are left out.
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
