use crate::assemble::rows::VIEW_TAIL;
use crate::base::numbers::{last_ordered, ordered};
use crate::base::order::{begins_with, compare, without_end};
use crate::ranges::range::Extent;
use crate::ranges::union::Term;
use crate::sorted::merge::Merge;
use crate::sorted::run::Run;
use crate::sorted::sorter::Sorter;
use std::io;

/// Adds the terms whose sum is the number of records that the view of a client spans.
pub fn add_ranges(ranges: &mut Sorter, client: u32, terms: &[Term]) -> io::Result<()> {
    let mut key = Vec::new();
    for Term { range, is_minus } in terms {
        key.clear();
        key.extend_from_slice(&range.literal);
        // The kind and the sign distinguish several ranges of a client with the same literal.
        key.extend([0, b'0' + range.extent as u8, b'0' + u8::from(*is_minus)]);
        ranges.push([&key, &ordered(client)], Some(b""))?;
    }
    Ok(())
}

/// After the literal: NUL, extent, sign, client number.
const TAIL: usize = VIEW_TAIL + 2;

/// Counts the records in the ranges of all clients' views, during one pass over a table.
#[derive(Debug)]
pub struct RangeCounter {
    questions: Merge,
    has_next: bool,
    /// Those with whose literals the current path begins, shortest first.
    open_ranges: Vec<OpenRange>,
    /// The index is the client number.
    totals: Vec<i64>,
}

#[derive(Debug)]
struct OpenRange {
    literal: Vec<u8>,
    /// Of all paths before the first that begins with `literal`.
    count_before: u64,
    direct_count: u64,
    exact_count: u64,
    clients: Vec<(u32, Extent, bool)>,
}

impl RangeCounter {
    pub fn new(runs: &[Run], clients: usize) -> io::Result<Self> {
        // By their bytes: on a server that ignores case, the literals are in lower case.
        let mut questions = Merge::new(runs, false)?;
        let has_next = questions.advance()?;
        Ok(RangeCounter { questions, has_next, open_ranges: Vec::new(), totals: vec![0; clients] })
    }

    /// `records` is the number of the path's records, `before` that of all earlier paths.
    pub fn pass(&mut self, path: &[u8], records: u64, before: u64) -> io::Result<()> {
        while self.open_ranges.last().is_some_and(|open| !begins_with(path, &open.literal)) {
            self.settle(before);
        }
        while self.has_next && compare(self.literal(), path).is_le() {
            if path.starts_with(self.literal()) {
                self.open_next(before);
            }
            self.has_next = self.questions.advance()?;
        }
        let directory_bytes = path.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
        for open in self.open_ranges.iter_mut().rev() {
            if open.literal.len() < directory_bytes {
                break;
            }
            open.direct_count += records;
            if open.literal.len() == path.len() {
                open.exact_count += records;
            }
        }
        Ok(())
    }

    /// By client number; `all` is the number of records in the table.
    pub fn totals(mut self, all: u64) -> Vec<u64> {
        while !self.open_ranges.is_empty() {
            self.settle(all);
        }
        self.totals.into_iter().map(|total| total.max(0) as u64).collect()
    }

    fn literal(&self) -> &[u8] {
        without_end(self.questions.key(), TAIL)
    }

    fn open_next(&mut self, count_before: u64) {
        let key = self.questions.key();
        let Some((literal, tail)) = key.split_last_chunk::<TAIL>() else { return };
        let extent = match tail {
            [0, b'0', ..] => Extent::Below,
            [0, b'1', ..] => Extent::Directly,
            _ => Extent::Exactly,
        };
        let Some(client) = last_ordered(key) else { return };
        let client = (client, extent, tail.get(2) == Some(&b'1'));
        match self.open_ranges.last_mut().filter(|open| open.literal == literal) {
            Some(open) => open.clients.push(client),
            None => {
                let (literal, clients) = (literal.to_vec(), vec![client]);
                self.open_ranges.push(OpenRange {
                    literal,
                    count_before,
                    direct_count: 0,
                    exact_count: 0,
                    clients,
                });
            }
        }
    }

    /// Closes the longest open literal; `before` is the number of records passed so far.
    fn settle(&mut self, before: u64) {
        let Some(open) = self.open_ranges.pop() else { return };
        for (client, extent, is_minus) in open.clients {
            let count = match extent {
                Extent::Below => before - open.count_before,
                Extent::Directly => open.direct_count,
                Extent::Exactly => open.exact_count,
            } as i64;
            if let Some(total) = self.totals.get_mut(client as usize) {
                *total += if is_minus { -count } else { count };
            }
        }
    }
}
