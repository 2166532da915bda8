//! Chooses directories that contain every file a client needs: from the depots down, a directory is
//! replaced by those in use below it where that saves the most files for a line.

use crate::rightsize::tree::{NARROW_FILES, Tree};

/// Of a proposed view, whatever its `max_files`.
const MAX_LINES: u64 = 100;
/// Of a view without a limit on its files, which is narrowed to the files in use.
const FEW_LINES: u64 = 10;
/// Without a limit a further line has to save this part of the files, at least, and lines of files
/// as many as make a directory wide.
const WORTH_A_LINE: u64 = 10;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// On the server, needed by the client or not.
    pub files: u64,
    /// Indexes in `Tree::directories`, ascending.
    pub places: Vec<usize>,
}

/// A directory of the choice, and those that could replace it; none if nothing could.
#[derive(Debug)]
struct Chosen {
    place: usize,
    parts: Vec<usize>,
    saved_files: u64,
    added_lines: u64,
}

impl Chosen {
    fn of(tree: &Tree, (place, end): (usize, usize)) -> Self {
        let parts = firsts(&whole(tree, tree.parts(end)).unwrap_or_default());
        let saved_files = tree.files(&[place]).saturating_sub(tree.files(&parts));
        let added_lines = tree.lines(&parts).saturating_sub(tree.lines(&[place]));
        let parts = if added_lines > 0 { parts } else { Vec::new() };
        Chosen { place, parts, saved_files, added_lines }
    }

    /// Whether it saves more files for each further line, or as many with fewer lines.
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        let gain = |one: &Self, of: &Self| one.saved_files.saturating_mul(of.added_lines);
        gain(self, other).cmp(&gain(other, self)).then(other.parts.len().cmp(&self.parts.len()))
    }
}

/// At most `max_files` files, or without a limit close to the files in use.
pub fn choice(tree: &Tree, max_files: Option<u64>) -> Option<Choice> {
    let mut chosen = all_of(tree, &tree.depots)?;
    loop {
        let files = files_of(tree, &chosen);
        if max_files.is_some_and(|most| files <= most) {
            break;
        }
        let lines = tree.lines(&chosen.iter().map(|one| one.place).collect::<Vec<_>>());
        let is_worth = |one: &Chosen| match max_files {
            Some(_) => lines + one.added_lines <= MAX_LINES,
            None => {
                let worth = files.saturating_mul(one.added_lines);
                lines + one.added_lines <= FEW_LINES
                    && one.saved_files.saturating_mul(WORTH_A_LINE) >= worth
                    && (one.saved_files >= NARROW_FILES || !tree.has_file(&one.parts))
            }
        };
        let splits = chosen.iter().enumerate();
        let splits = splits.filter(|(_, one)| !one.parts.is_empty() && is_worth(one));
        let Some((at, _)) = splits.max_by(|(_, one), (_, other)| one.order(other)) else { break };
        let parts = chosen.swap_remove(at).parts;
        chosen.extend(all_of(tree, &parts)?);
    }
    let files = files_of(tree, &chosen);
    let mut places: Vec<usize> = chosen.iter().map(|one| one.place).collect();
    places.sort_unstable();
    let is_within = tree.lines(&places) <= MAX_LINES && max_files.is_none_or(|most| files <= most);
    is_within.then_some(Choice { files, places })
}

fn files_of(tree: &Tree, chosen: &[Chosen]) -> u64 {
    chosen.iter().map(|one| tree.files(&[one.place])).sum()
}

fn firsts(pairs: &[(usize, usize)]) -> Vec<usize> {
    pairs.iter().map(|(first, _)| *first).collect()
}

fn all_of(tree: &Tree, places: &[usize]) -> Option<Vec<Chosen>> {
    let pairs = whole(tree, places)?.into_iter();
    Some(pairs.map(|pair| Chosen::of(tree, pair)).collect())
}

/// Of each of the directories the allowed one with the fewest files that still contains all that is
/// in use of it, and the last one that does; several where none is allowed. None if a needed file
/// is in no allowed directory, and without directories.
fn whole(tree: &Tree, places: &[usize]) -> Option<Vec<(usize, usize)>> {
    let (mut pending, mut found) = (places.to_vec(), Vec::new());
    while let Some(place) = pending.pop() {
        let (mut best, mut end) = (None, place);
        loop {
            let is_better = best.is_none_or(|best| tree.files(&[end]) < tree.files(&[best]));
            best = if tree.is_allowed(end) && is_better { Some(end) } else { best };
            match tree.parts(end) {
                [only] if !tree.has_file(&[*only]) => end = *only,
                _ => break,
            }
        }
        match (best, tree.parts(end)) {
            (Some(best), _) => found.push((best, end)),
            (None, []) => return None,
            (None, parts) => pending.extend(parts),
        }
    }
    (!found.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rightsize::tree::{Directory, side};

    /// With numbers of files; a directory without a deeper one is in use itself.
    fn tree(directories: &[(&str, u64)]) -> Tree {
        let directory = |(path, files): &(&str, u64)| Directory {
            path: path.as_bytes().to_vec(),
            files: *files,
            has_needed: !directories
                .iter()
                .any(|(other, _)| other != path && other.starts_with(path)),
            is_allowed: path.matches('/').count() > 3,
        };
        Tree::new(directories.iter().map(directory).collect(), false)
    }

    fn chosen(tree: &Tree, max_files: Option<u64>) -> Option<(u64, Vec<String>)> {
        let choice = choice(tree, max_files)?;
        let paths = tree.paths(&choice.places).into_iter();
        Some((choice.files, paths.map(|path| String::from_utf8(side(&path)).unwrap()).collect()))
    }

    fn of(files: u64, paths: &[&str]) -> Option<(u64, Vec<String>)> {
        Some((files, paths.iter().map(|path| (*path).to_owned()).collect()))
    }

    #[test]
    fn as_few_lines_as_the_limit_allows_or_as_few_files_as_ten_lines_do() {
        let tree = tree(&[
            ("//d/", 4000),
            ("//d/a/", 3000),
            ("//d/a/b/", 2000),
            ("//d/a/b/c/", 10),
            ("//d/a/b/d/", 1000),
            ("//d/a/b/d/e/", 1000),
            ("//d/x/", 100),
            ("//d/x/y/", 99),
            ("//d/x/z/", 1),
        ]);
        assert_eq!(chosen(&tree, Some(3000)), of(2100, &["//d/a/b/...", "//d/x/..."]));
        let narrow = of(1110, &["//d/a/b/c/...", "//d/a/b/d/...", "//d/x/..."]);
        assert_eq!(chosen(&tree, Some(2000)), narrow);
        assert_eq!(chosen(&tree, None), narrow);
        assert_eq!(chosen(&tree, Some(1109)), None);
    }

    #[test]
    fn a_tree_of_5000_levels_does_not_overflow_the_stack() {
        let path = |depth: usize| [&b"//d/"[..], &b"x/".repeat(depth)].concat();
        let directory = |depth| Directory {
            path: path(depth),
            files: 9,
            has_needed: depth == 4999,
            is_allowed: depth == 4999,
        };
        let tree = Tree::new((0..5000).map(directory).collect(), false);
        assert_eq!(choice(&tree, Some(9)), Some(Choice { files: 9, places: vec![4999] }));
        assert_eq!(choice(&tree, Some(8)), None);
    }
}
