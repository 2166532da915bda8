use crate::assemble::clients::Row;
use crate::base::numbers::{ORDERED_BYTES, ordered, put_number, take_number};
use crate::base::order::folded_key;
use crate::estimate::view::directory_in_depot;
use crate::file::blocks::BlockOutput;
use crate::file::tree::{Tree, TreeWriter};
use crate::file::user::User;
use crate::sorted::merge::Merge;
use crate::sorted::run::Run;
use crate::sorted::sorter::Sorter;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// For one user.
const MAX_DIRECTORIES_PER_LEVEL: usize = 3;
const MAX_DIRECTORIES: usize = 12;
/// After the path in a sort key (user name, depot path, client): NUL and client number.
const TAIL: usize = 1 + ORDERED_BYTES;

/// Under the name of the client's owner. Directories that are not mapped as a whole by one view
/// line alone are left out.
pub fn note(row: &Row, number: u32, folds: bool, to: &mut Sorter) -> io::Result<()> {
    let owner = &row.domain.owner;
    if owner.is_empty() || owner.contains(&0) {
        return Ok(());
    }
    for (files, directory) in &row.synced_directories {
        if let Some(path) = directory_in_depot(&row.mapping.view, directory, folds) {
            let key = [&owner[..], b"\0", &path, b"\0", &ordered(number)].concat();
            let mut value = Vec::new();
            put_number(&mut value, *files);
            to.push([&key, b""], Some(&value))?;
        }
    }
    Ok(())
}

/// On each level the directories with the most synced files.
pub fn write(runs: &[Run], folds: bool, out: &mut BlockOutput<impl Write>) -> io::Result<Tree> {
    let (mut merge, mut tree) = (Merge::new(runs, folds)?, TreeWriter::default());
    let mut last = Directories::default();
    while merge.advance()? {
        let Some((owner, path)) = parts(merge.key()) else { continue };
        if folded_key(&last.owner, folds) != folded_key(owner, folds) {
            last.write(&mut tree, out)?;
            last = Directories { owner: owner.to_vec(), files: BTreeMap::new() };
        }
        let files = take_number(&mut merge.value()).unwrap_or(0);
        let (_, sum) =
            last.files.entry(folded_key(path, folds)).or_insert_with(|| (path.to_vec(), 0));
        *sum += files;
    }
    last.write(&mut tree, out)?;
    tree.finish(out)
}

/// User name and depot path; None if the key is invalid.
fn parts(key: &[u8]) -> Option<(&[u8], &[u8])> {
    let front = key.get(..key.len().checked_sub(TAIL)?)?;
    let end = memchr::memchr(0, front)?;
    Some((front.get(..end)?, front.get(end + 1..)?))
}

/// For each path as compared, the path as first spelled and its number of synced files.
#[derive(Default)]
struct Directories {
    owner: Vec<u8>,
    files: BTreeMap<Vec<u8>, (Vec<u8>, u64)>,
}

impl Directories {
    fn write(&self, tree: &mut TreeWriter, out: &mut BlockOutput<impl Write>) -> io::Result<()> {
        if self.files.is_empty() {
            return Ok(());
        }
        let depth = |path: &[u8]| path.iter().filter(|byte| **byte == b'/').count();
        let mut ranking: Vec<_> = self.files.values().collect();
        ranking.sort_by_key(|(path, files)| (depth(path), Reverse(*files)));
        let mut of_depth = BTreeMap::new();
        ranking.retain(|(path, _)| {
            let number = of_depth.entry(depth(path)).or_insert(0);
            *number += 1;
            *number <= MAX_DIRECTORIES_PER_LEVEL
        });
        let directories =
            ranking.into_iter().take(MAX_DIRECTORIES).map(|(path, _)| path.clone()).collect();
        tree.push(out, &self.owner, &User { directories }.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assemble::rows::Domain;
    use crate::file::client::ClientMapping;
    use crate::file::view_line::ViewLine;
    use crate::sorted::temporary_folder::TemporaryFolder;

    #[test]
    fn synced_directories_of_all_clients_of_a_user_are_noted() -> io::Result<()> {
        let mut sorter = Sorter::new(TemporaryFolder::of_system(), false);
        let view = |name: &str| ViewLine {
            depot: b"//depot/...".to_vec(),
            client: format!("//{name}/...").into_bytes(),
            ..ViewLine::default()
        };
        let row = |name: &str, synced_directories: &[(u64, &str)]| Row {
            domain: Domain { owner: b"ann".to_vec(), ..Domain::default() },
            mapping: ClientMapping { view: vec![view(name)], ..ClientMapping::default() },
            synced_directories: synced_directories
                .iter()
                .map(|(files, path)| (*files, path.as_bytes().to_vec()))
                .collect(),
            ..Row::default()
        };
        note(&row("a", &[(5, "//a/x/"), (4, "//a/y/"), (3, "//a/z/q/")]), 0, false, &mut sorter)?;
        note(&row("b", &[(2, "//b/y/"), (1, "//other/z/")]), 1, false, &mut sorter)?;
        let mut rows = Vec::new();
        let mut merge = Merge::new(&sorter.into_runs()?, false)?;
        while merge.advance()? {
            let (owner, path) = parts(merge.key()).unwrap_or_default();
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            rows.push((text(owner), text(path), take_number(&mut merge.value())));
        }
        let ann = |path: &str, files| ("ann".to_owned(), path.to_owned(), Some(files));
        let expected = [
            ann("//depot/x/", 5),
            ann("//depot/y/", 4),
            ann("//depot/y/", 2),
            ann("//depot/z/q/", 3),
        ];
        assert_eq!(rows, expected);
        Ok(())
    }
}
