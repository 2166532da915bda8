//! Chooses the fewest allowed directories that contain every file a client needs, and together at
//! most a given number of files. The solution is exact, by dynamic programming over the tree of
//! directories: for every directory and every number of view lines up to a limit, the choice with
//! the fewest files among the directory and those below it.

use crate::rightsize::tree::Tree;
use std::cmp::Ordering;
use std::rc::Rc;

/// Each directory counts as one view line, each single file as two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// On the server, needed by the client or not.
    pub files: u64,
    /// Indexes in `Tree::directories`, ascending.
    pub places: Vec<usize>,
}

/// With any number of view lines; None if a needed file is in no allowed directory.
#[must_use]
pub fn least_files(tree: &Tree) -> Option<u64> {
    let mut least: Vec<Option<u64>> = vec![None; tree.directories.len()];
    for (place, directory) in tree.directories.iter().enumerate().rev() {
        let own_files = directory.is_allowed.then_some(directory.files);
        let inner_files =
            if directory.has_needed { None } else { sum(tree.children.get(place)?, &least) };
        let fewest = own_files.into_iter().chain(inner_files).min();
        *least.get_mut(place)? = fewest;
    }
    sum(&tree.depots, &least)
}

fn sum(places: &[usize], least: &[Option<u64>]) -> Option<u64> {
    places.iter().try_fold(0_u64, |sum, place| {
        least.get(*place).copied().flatten().map(|files| sum.saturating_add(files))
    })
}

/// Directly contains needed files although neither it nor a directory above it is allowed.
#[must_use]
pub fn unmappable_directory(tree: &Tree) -> Option<usize> {
    let mut is_held: Vec<bool> = tree.directories.iter().map(|one| one.is_allowed).collect();
    for (place, directory) in tree.directories.iter().enumerate() {
        if is_held.get(place) == Some(&true) {
            for child in tree.children.get(place).into_iter().flatten() {
                is_held.get_mut(*child).into_iter().for_each(|flag| *flag = true);
            }
        } else if directory.has_needed {
            return Some(place);
        }
    }
    None
}

/// For each number of view lines from 1 to `max_lines`, with the fewest files; of choices with
/// equally many files, the one whose depot paths are first in byte order.
#[must_use]
pub fn choices_by_lines(tree: &Tree, max_lines: usize) -> Vec<Option<Choice>> {
    let mut tables: Vec<Table> = vec![Table::default(); tree.directories.len()];
    for (place, directory) in tree.directories.iter().enumerate().rev() {
        let mut table = Table::default();
        if !directory.has_needed
            && let Some(children) = tree.children.get(place)
        {
            table = join(tree, children, &mut tables, max_lines);
        }
        if directory.is_allowed && directory.lines() <= max_lines {
            let own = BestLines { files: directory.files, lines: Rc::new(Lines::One(place)) };
            table.offer(tree, directory.lines(), own);
        }
        if let Some(slot) = tables.get_mut(place) {
            *slot = table;
        }
    }
    let table = join(tree, &tree.depots, &mut tables, max_lines);
    let choice = |best: &BestLines| Choice { files: best.files, places: best.lines.places() };
    (1..=max_lines).map(|lines| table.get(lines).map(choice)).collect()
}

/// At most `max_files` files (None: no limit); of choices with equally many lines the one with the
/// fewest files.
#[must_use]
pub fn fewest_lines(tree: &Tree, max_files: Option<u64>, max_lines: usize) -> Option<Choice> {
    let is_within = |choice: &Choice| max_files.is_none_or(|most| choice.files <= most);
    if max_files.is_some_and(|most| least_files(tree).is_none_or(|least| least > most)) {
        return None;
    }
    // Most clients need no more than 4 view lines, and small tables take little time.
    let mut cap = 4;
    loop {
        let choice =
            choices_by_lines(tree, cap.min(max_lines)).into_iter().flatten().find(is_within);
        if choice.is_some() || cap >= max_lines {
            return choice;
        }
        cap *= 4;
    }
}

/// Sets share parts in memory, because the same parts occur in many tables.
#[derive(Debug)]
enum Lines {
    One(usize),
    Both(Rc<Lines>, Rc<Lines>),
}

impl Lines {
    fn places(&self) -> Vec<usize> {
        let (mut places, mut rest) = (Vec::new(), vec![self]);
        while let Some(lines) = rest.pop() {
            match lines {
                Lines::One(place) => places.push(*place),
                Lines::Both(front, behind) => rest.extend([&**behind, &**front]),
            }
        }
        places
    }
}

#[derive(Clone, Debug)]
struct BestLines {
    files: u64,
    lines: Rc<Lines>,
}

/// By number of view lines; index 0 stands for one line.
#[derive(Clone, Debug, Default)]
struct Table(Vec<Option<BestLines>>);

impl Table {
    fn get(&self, lines: usize) -> Option<&BestLines> {
        self.0.get(lines.checked_sub(1)?)?.as_ref()
    }

    fn offer(&mut self, tree: &Tree, lines: usize, best: BestLines) {
        if self.0.len() < lines {
            self.0.resize(lines, None);
        }
        if let Some(slot) = self.0.get_mut(lines - 1)
            && slot.as_ref().is_none_or(|current| order(tree, &best, current).is_lt())
        {
            *slot = Some(best);
        }
    }
}

fn order(tree: &Tree, one: &BestLines, other: &BestLines) -> Ordering {
    let texts = |best: &BestLines| tree.depot_sides(&best.lines.places());
    one.files.cmp(&other.files).then_with(|| texts(one).cmp(&texts(other)))
}

/// None of `places` contains another; their tables are emptied.
fn join(tree: &Tree, places: &[usize], tables: &mut [Table], max_lines: usize) -> Table {
    let mut places = places.iter();
    let mut take = |place: &usize| tables.get_mut(*place).map(std::mem::take).unwrap_or_default();
    let Some(first) = places.next() else {
        return Table::default();
    };
    places.fold(take(first), |table, place| join_pair(tree, &table, &take(place), max_lines))
}

fn join_pair(tree: &Tree, one: &Table, other: &Table, max_lines: usize) -> Table {
    let mut table = Table::default();
    for (front, best) in one.0.iter().enumerate() {
        for (behind, more) in other.0.iter().enumerate() {
            let lines = front + behind + 2;
            if lines > max_lines {
                break;
            }
            let (Some(best), Some(more)) = (best, more) else {
                continue;
            };
            let files = best.files.saturating_add(more.files);
            let current = table.get(lines).map(|current| current.files);
            if current.is_none_or(|current| files <= current) {
                let pair = Lines::Both(Rc::clone(&best.lines), Rc::clone(&more.lines));
                table.offer(tree, lines, BestLines { files, lines: Rc::new(pair) });
            }
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rightsize::tree::Directory;
    use proptest::prelude::*;

    /// Index of the parent (modulo its own index), number of files directly in it, `has_needed`,
    /// `is_allowed`.
    type Node = (usize, u64, bool, bool);

    fn name(number: usize) -> String {
        ["b", "a.", "a", "B", "a-b", "c", "aa", "-", "b+", "d", "0", "z"][number].to_owned()
    }

    fn tree(nodes: &[Node]) -> Tree {
        let mut paths: Vec<String> = Vec::new();
        for (number, (above, ..)) in nodes.iter().enumerate() {
            let front = if number == 0 { "//" } else { &paths[above % number] };
            paths.push(format!("{front}{}/", name(number)));
        }
        let directory = |(path, (_, _, has_needed, is_allowed)): (&String, &Node)| Directory {
            path: path.clone().into_bytes(),
            files: (0..nodes.len())
                .filter(|at| paths[*at].starts_with(path))
                .map(|at| nodes[at].1)
                .sum(),
            has_needed: *has_needed,
            is_allowed: *is_allowed,
        };
        let mut directories: Vec<_> = paths.iter().zip(nodes).map(directory).collect();
        let needed_directories: Vec<_> =
            directories.iter().filter(|one| one.has_needed).cloned().collect();
        directories.retain(|one| {
            needed_directories.iter().any(|needed| needed.path.starts_with(&one.path))
        });
        directories.sort_by(|one, other| one.path.cmp(&other.path));
        Tree::new(directories, false)
    }

    /// Tries every set of directories that contains all needed files.
    fn best_of_all(tree: &Tree, max_files: Option<u64>) -> Option<Choice> {
        let all = &tree.directories;
        let sets = (1_u32..1 << all.len())
            .map(|set| (0..all.len()).filter(|place| set >> place & 1 == 1).collect::<Vec<_>>());
        let is_apart = |places: &Vec<usize>| {
            places.iter().all(|one| {
                all[*one].is_allowed
                    && places
                        .iter()
                        .all(|other| one == other || !all[*one].path.starts_with(&all[*other].path))
            })
        };
        let holds_all = |places: &Vec<usize>| {
            let mut needed_directories = all.iter().filter(|directory| directory.has_needed);
            needed_directories
                .all(|needed| places.iter().any(|place| needed.path.starts_with(&all[*place].path)))
        };
        let files = |places: &Vec<usize>| places.iter().map(|place| all[*place].files).sum::<u64>();
        let texts = |places: &Vec<usize>| {
            places.iter().map(|place| all[*place].depot_side()).collect::<Vec<_>>()
        };
        sets.filter(is_apart)
            .filter(holds_all)
            .filter(|places| max_files.is_none_or(|most| files(places) <= most))
            .min_by_key(|places| (places.len(), files(places), texts(places)))
            .map(|places| Choice { files: files(&places), places })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]
        #[test]
        fn fewest_equals_the_best_choice_of_an_exhaustive_search(
            nodes in prop::collection::vec((0_usize..12, 0_u64..5, prop::bool::weighted(0.4), prop::bool::weighted(0.8)), 1..=12),
            max_files in prop::option::of(0_u64..30),
        ) {
            let tree = tree(&nodes);
            prop_assume!(!tree.directories.is_empty());
            prop_assert_eq!(fewest_lines(&tree, max_files, 12), best_of_all(&tree, max_files));
            let least = choices_by_lines(&tree, 12).into_iter().flatten().map(|choice| choice.files).min();
            prop_assert_eq!(least_files(&tree), least);
            prop_assert_eq!(unmappable_directory(&tree).is_none(), least.is_some());
        }
    }

    /// All forests with a given number of directories, as depths of the directories in preorder, 1
    /// for a depot (successors of level sequences by Beyer and Hedetniemi).
    fn shapes(directories: usize) -> Vec<Vec<usize>> {
        let mut levels: Vec<usize> = (0..=directories).collect();
        let mut forests = vec![levels[1..].to_vec()];
        while let Some(last) = levels.iter().rposition(|level| *level > 1) {
            let above = levels[..last].iter().rposition(|level| *level == levels[last] - 1);
            let from = above.unwrap();
            for at in last..levels.len() {
                levels[at] = levels[at - (last - from)];
            }
            forests.push(levels[1..].to_vec());
        }
        forests
    }

    /// The same in every run of the test.
    struct Numbers(u64);

    impl Numbers {
        fn number_below(&mut self, most: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) % most
        }
    }

    /// Every directory without subdirectories has needed files.
    fn of_shape(depths: &[usize], numbers: &mut Numbers) -> Tree {
        let mut directories: Vec<Directory> = Vec::new();
        let mut open: Vec<(usize, String)> = Vec::new();
        for (place, depth) in depths.iter().enumerate() {
            open.truncate(depth - 1);
            let path = format!("{}{}/", open.last().map_or("//", |(_, path)| path), name(place));
            let own = numbers.number_below(6);
            open.iter().for_each(|(above, _)| directories[*above].files += own);
            let is_leaf = depths.get(place + 1).is_none_or(|next| next <= depth);
            directories.push(Directory {
                path: path.clone().into_bytes(),
                files: own,
                has_needed: is_leaf || numbers.number_below(4) == 0,
                is_allowed: numbers.number_below(5) > 0,
            });
            open.push((place, path));
        }
        directories.sort_by(|one, other| one.path.cmp(&other.path));
        Tree::new(directories, false)
    }

    /// None within another.
    fn sets(tree: &Tree, places: &[usize]) -> Vec<Vec<usize>> {
        places.iter().fold(vec![Vec::new()], |sets, place| {
            let directory = &tree.directories[*place];
            let own = directory.is_allowed.then(|| vec![*place]);
            let is_open = !directory.has_needed && !tree.children[*place].is_empty();
            let inner_sets = if is_open { inner_sets_of(tree, *place) } else { Vec::new() };
            let more: Vec<_> = own.into_iter().chain(inner_sets).collect();
            sets.iter().flat_map(|set| more.iter().map(|one| [&set[..], one].concat())).collect()
        })
    }

    fn inner_sets_of(tree: &Tree, place: usize) -> Vec<Vec<usize>> {
        sets(tree, &tree.children[place])
    }

    #[test]
    fn fewest_is_optimal_for_all_tree_shapes_of_up_to_12_directories() {
        let (mut numbers, mut trees, mut choices) = (Numbers(7), 0, 0);
        for depths in (1..=12).flat_map(shapes) {
            let tree = of_shape(&depths, &mut numbers);
            let all = sets(&tree, &tree.depots);
            let files =
                |places: &[usize]| places.iter().map(|at| tree.directories[*at].files).sum::<u64>();
            let texts = |places: &[usize]| {
                places.iter().map(|at| tree.directories[*at].depot_side()).collect::<Vec<_>>()
            };
            for max_files in [None, Some(numbers.number_below(files(&tree.depots) + 2))] {
                let within =
                    all.iter().filter(|places| max_files.is_none_or(|most| files(places) <= most));
                let best = within.min_by_key(|places| (places.len(), files(places), texts(places)));
                let best =
                    best.map(|places| Choice { files: files(places), places: places.clone() });
                choices += usize::from(best.is_some());
                assert_eq!(fewest_lines(&tree, max_files, 12), best, "{depths:?} {max_files:?}");
            }
            trees += 1;
        }
        // There are as many forests of 1 to 12 directories as rooted trees with 2 to 13 nodes (OEIS
        // A000081).
        assert_eq!(trees, 1 + 2 + 4 + 9 + 20 + 48 + 115 + 286 + 719 + 1842 + 4766 + 12486);
        assert!(choices > trees / 2, "{choices} of {trees} trees have a choice");
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
        let choice = Choice { files: 9, places: vec![4999] };
        assert_eq!(fewest_lines(&tree, Some(9), 50), Some(choice));
        assert_eq!(fewest_lines(&tree, Some(8), 50), None);
    }
}
