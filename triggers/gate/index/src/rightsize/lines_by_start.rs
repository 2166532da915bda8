use crate::base::order::folded_key;
use std::cmp::Ordering;

/// One side of a view's lines, sorted by the literal text before the first wildcard (the start of
/// the line). The texts are not copied: a function passed to `matching` returns them.
#[derive(Clone, Debug, Default)]
pub(super) struct LinesByStart {
    /// Indexes in the view, sorted by start; of lines with the same start the earlier one is first.
    lines: Vec<usize>,
    /// Sorted by text.
    starts: Vec<Start>,
    folds: bool,
}

#[derive(Clone, Debug)]
struct Start {
    /// Index in `LinesByStart::lines` of the first line with this start.
    first: usize,
    bytes: usize,
    /// Index in `LinesByStart::starts` of the longest shorter start with which this one begins.
    above: Option<usize>,
}

impl LinesByStart {
    pub(super) fn new<'t>(lines: impl Iterator<Item = (&'t [u8], usize)>, folds: bool) -> Self {
        let mut lines: Vec<_> =
            lines.map(|(start, line)| (folded_key(start, folds), line)).collect();
        lines.sort();
        let mut sorted = LinesByStart { folds, ..LinesByStart::default() };
        // Stack: the last start and those with which it begins, shortest first.
        let mut open: Vec<(usize, Vec<u8>)> = Vec::new();
        for (text, line) in lines {
            while open.last().is_some_and(|(_, start)| !text.starts_with(start)) {
                open.pop();
            }
            if open.last().is_none_or(|(_, start)| *start != text) {
                let (first, above) = (sorted.lines.len(), open.last().map(|(at, _)| *at));
                sorted.starts.push(Start { first, bytes: text.len(), above });
                open.push((sorted.starts.len() - 1, text));
            }
            sorted.lines.push(line);
        }
        sorted
    }

    /// The largest index first. `text_of` returns the side by which the lines are sorted.
    pub(super) fn matching<'t>(
        &self,
        path: &[u8],
        text_of: impl Fn(usize) -> &'t [u8],
    ) -> impl Iterator<Item = usize> {
        let text = |start: &Start| {
            let line = self.lines.get(start.first);
            line.and_then(|line| text_of(*line).get(..start.bytes)).unwrap_or_default()
        };
        // It is the last start that does not sort after the path, or one with which that start
        // begins.
        let behind = self.starts.partition_point(|start| self.compare(text(start), path).is_le());
        let mut next = behind.checked_sub(1);
        let mut groups: Vec<&[usize]> = Vec::new();
        while let Some((at, start)) = next.and_then(|at| Some((at, self.starts.get(at)?))) {
            if !groups.is_empty() || self.begins_with(path, text(start)) {
                groups.push(self.lines_of(at));
            }
            next = start.above;
        }
        std::iter::from_fn(move || {
            let group = groups.iter_mut().max_by_key(|group| group.last().copied())?;
            let (last, rest) = group.split_last()?;
            *group = rest;
            Some(*last)
        })
    }

    fn lines_of(&self, at: usize) -> &[usize] {
        let first = |at: usize| self.starts.get(at).map_or(self.lines.len(), |start| start.first);
        self.lines.get(first(at)..first(at + 1)).unwrap_or_default()
    }

    fn compare(&self, one: &[u8], other: &[u8]) -> Ordering {
        if !self.folds {
            return one.cmp(other);
        }
        one.iter().map(u8::to_ascii_lowercase).cmp(other.iter().map(u8::to_ascii_lowercase))
    }

    fn begins_with(&self, path: &[u8], start: &[u8]) -> bool {
        let front = path.get(..start.len());
        front.is_some_and(|front| self.compare(front, start).is_eq())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_matching_lines_are_those_with_whose_start_the_path_begins(
            starts in prop::collection::vec("[aAb/]{0,4}", 0..12),
            path in "[aAb/]{0,6}",
            folds in prop::bool::ANY,
        ) {
            let lines = starts.iter().enumerate().map(|(line, start)| (start.as_bytes(), line));
            let sorted = LinesByStart::new(lines, folds);
            let indexes: Vec<usize> =
                sorted.matching(path.as_bytes(), |line| starts[line].as_bytes()).collect();
            let key = |text: &str| if folds { text.to_lowercase() } else { text.to_owned() };
            let is_start = |line: &usize| key(&path).starts_with(&key(&starts[*line]));
            let expected: Vec<usize> = (0..starts.len()).rev().filter(is_start).collect();
            prop_assert_eq!(indexes, expected);
        }
    }
}
