//! The lines of a view that may have a file in common with a further line, by directory names.
//!
//! A tree of path components; without it, each line would be compared with all lines before it.

use crate::paths::depot_path::{has_dots, literal_start};
use std::collections::BTreeMap;

/// The number of a directory of the tree.
type Directory = usize;

/// Paths of a view's lines, by number, and a search for those that may meet another path.
#[derive(Debug, Default)]
pub struct MeetingLines<'l> {
    /// The directories below each, by name; `true` for a name with a wildcard other than `...`.
    below: BTreeMap<(Directory, bool, &'l [u8]), Directory>,
    /// The number of directories with a literal name below each.
    literal_names: Vec<u64>,
    /// Lines with a `...` in a directory, by the literal text before it.
    open_lines: BTreeMap<(Directory, &'l [u8]), Vec<usize>>,
    /// Lines that end in a directory.
    lines: BTreeMap<Directory, Vec<usize>>,
    /// The number of directories that all searches so far have visited.
    pub steps: u64,
}

impl<'l> MeetingLines<'l> {
    /// Adds a line's path, without its flag, under the line's number.
    pub fn add(&mut self, path: &'l [u8], number: usize) {
        let mut directory = 0;
        for name in path.split(|byte| *byte == b'/') {
            let literal = literal_start(name);
            if has_dots(name) {
                self.open_lines.entry((directory, literal)).or_default().push(number);
                return;
            }
            let is_pattern = literal.len() < name.len();
            let next = self.below.len() + 1;
            let child = *self.below.entry((directory, is_pattern, name)).or_insert(next);
            if child == next && !is_pattern {
                self.literal_names.resize(self.literal_names.len().max(directory + 1), 0);
                if let Some(names) = self.literal_names.get_mut(directory) {
                    *names += 1;
                }
            }
            directory = child;
        }
        self.lines.entry(directory).or_default().push(number);
    }

    /// The numbers of the lines that may meet a path; the others certainly do not.
    pub fn beside(&mut self, path: &[u8]) -> Vec<usize> {
        let names: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
        let (mut found, mut places) = (Vec::new(), vec![(0, 0)]);
        while let Some((directory, depth)) = places.pop() {
            self.steps += 1;
            let Some(name) = names.get(depth) else {
                found.extend(self.lines.get(&directory).into_iter().flatten());
                continue;
            };
            let literal = literal_start(name);
            self.add_open_lines(&mut found, directory, literal);
            if has_dots(name) {
                self.add_below(&mut found, directory, literal);
            } else if literal.len() < name.len() {
                let all = self.children(directory, false, b"").chain(self.patterns(directory));
                places.extend(all.map(|below| (below, depth + 1)));
            } else {
                let same = self.below.get(&(directory, false, name)).copied();
                let all = self.patterns(directory).chain(same);
                places.extend(all.map(|below| (below, depth + 1)));
            }
        }
        found
    }

    /// Adds the open lines whose literal text begins with this one, or begins this one.
    fn add_open_lines(&self, to: &mut Vec<usize>, directory: Directory, literal: &[u8]) {
        let from = self.open_lines.range((directory, literal)..);
        let is_longer = |((at, start), _): &(&(Directory, &[u8]), &Vec<usize>)| {
            *at == directory && start.starts_with(literal)
        };
        to.extend(from.take_while(is_longer).flat_map(|(_, lines)| lines));
        let Some((_, mut most)) = literal.split_last() else { return };
        let first: &[u8] = b"";
        while let Some(((_, start), lines)) =
            self.open_lines.range((directory, first)..=(directory, most)).next_back()
        {
            let same = start.iter().zip(most).take_while(|(one, other)| one == other).count();
            // Texts that sort between the beginning of a text and the text itself have the same
            // beginning.
            let shorter = if same == start.len() {
                to.extend(lines);
                same.checked_sub(1)
            } else {
                Some(same)
            };
            let Some(shorter) = shorter.and_then(|bytes| most.get(..bytes)) else { return };
            most = shorter;
        }
    }

    /// Adds all lines below the directories whose names may begin with a literal text.
    fn add_below(&mut self, to: &mut Vec<usize>, directory: Directory, literal: &[u8]) {
        let mut places: Vec<Directory> = self.children(directory, false, literal).collect();
        places.extend(self.patterns(directory));
        self.steps += self.literal_names.get(directory).copied().unwrap_or(0);
        while let Some(place) = places.pop() {
            self.steps += 1;
            to.extend(self.lines.get(&place).into_iter().flatten());
            let first: &[u8] = b"";
            let open = self.open_lines.range((place, first)..(place + 1, first));
            to.extend(open.flat_map(|(_, lines)| lines));
            places.extend(self.children(place, false, b""));
            places.extend(self.patterns(place));
        }
    }

    fn patterns(&self, directory: Directory) -> impl Iterator<Item = Directory> {
        self.children(directory, true, b"")
    }

    /// The directories below one whose names begin with `start`.
    fn children<'s>(
        &'s self,
        directory: Directory,
        are_patterns: bool,
        start: &'s [u8],
    ) -> impl Iterator<Item = Directory> + use<'s, 'l> {
        let from = self.below.range((directory, are_patterns, start)..);
        let begins = move |((at, is_pattern, name), _): &(&(Directory, bool, &[u8]), _)| {
            (*at, *is_pattern) == (directory, are_patterns) && name.starts_with(start)
        };
        from.take_while(begins).map(|(_, below)| *below)
    }
}
