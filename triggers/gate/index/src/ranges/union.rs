use crate::ranges::range::{Extent, Range};

/// A range whose number of records is added or subtracted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    pub range: Range,
    /// Other terms count its records twice.
    pub is_minus: bool,
}

/// Terms whose sum is the number of records in at least one of the ranges.
pub fn union(ranges: &[Range]) -> Vec<Term> {
    let trees = outermost_ranges(ranges, Extent::Below, |_| false);
    let directories = outermost_ranges(ranges, Extent::Directly, |range| is_covered(&trees, range));
    let files = outermost_ranges(ranges, Extent::Exactly, |range| {
        is_covered(&trees, range) || is_covered(&directories, range)
    });
    let counted_twice = directories.iter().flat_map(|directory| parts(&trees, directory));
    let minus = counted_twice.map(|range| Term { range, is_minus: true }).collect::<Vec<_>>();
    let plus = [trees, directories, files].into_iter().flatten();
    plus.map(|range| Term { range, is_minus: false }).chain(minus).collect()
}

/// Those of a given kind, sorted, that lie in no other one.
fn outermost_ranges(
    ranges: &[Range],
    extent: Extent,
    is_out: impl Fn(&Range) -> bool,
) -> Vec<Range> {
    let mut of_extent: Vec<&Range> = ranges.iter().filter(|one| one.extent == extent).collect();
    of_extent.sort_by(|one, other| order(one).cmp(&order(other)));
    let mut outermost: Vec<Range> = Vec::new();
    for range in of_extent {
        let is_inside = outermost.last().is_some_and(|last| last.has(&range.literal));
        if !is_inside && !is_out(range) {
            outermost.push(range.clone());
        }
    }
    outermost
}

/// Ranges of files directly in the same directory are adjacent.
fn order(range: &Range) -> (&[u8], &[u8]) {
    match range.extent {
        Extent::Directly => range.directory(),
        _ => (&range.literal, b""),
    }
}

/// Only the last of those that do not sort after the range can contain it.
fn is_covered(outermost: &[Range], range: &Range) -> bool {
    let is_directly = outermost.first().is_some_and(|one| one.extent == Extent::Directly);
    let key = if is_directly { range.directory() } else { (&range.literal[..], &b""[..]) };
    let behind = outermost.partition_point(|one| order(one) <= key);
    let candidate = behind.checked_sub(1).and_then(|at| outermost.get(at));
    candidate.is_some_and(|one| one.has(&range.literal))
}

/// The parts of `directory` that `trees` count as well.
fn parts<'r>(trees: &'r [Range], directory: &'r Range) -> impl Iterator<Item = Range> + 'r {
    let start = trees.partition_point(|one| one.literal < directory.literal);
    let inside = trees.iter().skip(start);
    let inside = inside.take_while(|one| one.literal.starts_with(&directory.literal));
    let twice_counted = inside.filter(|one| directory.has(&one.literal));
    twice_counted.map(|one| Range { literal: one.literal.clone(), extent: Extent::Directly })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ranges() -> impl Strategy<Value = Vec<Range>> {
        let extents = vec![Extent::Below, Extent::Directly, Extent::Exactly];
        let range = ("[ab/]{0,4}", prop::sample::select(extents));
        prop::collection::vec(range, 0..12).prop_map(|ranges| {
            let ranges = ranges.into_iter();
            ranges.map(|(text, extent)| Range { literal: text.into_bytes(), extent }).collect()
        })
    }

    proptest! {
        #[test]
        fn a_union_counts_each_path_of_overlapping_ranges_once(
            ranges in ranges(),
            path in "[ab/]{0,5}",
        ) {
            let signs = union(&ranges).into_iter().map(|term| {
                let count = i32::from(term.range.has(path.as_bytes()));
                if term.is_minus { -count } else { count }
            });
            let is_in_one = ranges.iter().any(|range| range.has(path.as_bytes()));
            prop_assert_eq!(signs.sum::<i32>(), i32::from(is_in_one));
        }
    }
}
