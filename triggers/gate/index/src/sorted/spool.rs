use crate::base::order::{Breaks, Parts, breaks, shared_length};
use crate::sorted::run::{Run, RunReader, RunWriter};
use crate::sorted::sorter::Sorter;
use crate::sorted::temporary_folder::TemporaryFolder;
use std::io;

/// Further entries are added to the last segment, which is sorted later if it is out of order.
const MAX_SEGMENTS: usize = 64;

/// A table's entries in the order of a checkpoint: usually sorted, but in an order that is known
/// only when all are read.
#[derive(Debug)]
pub struct Spool {
    writer: RunWriter,
    segments: Vec<Segment>,
    pub breaks: Breaks,
}

#[derive(Debug)]
struct Segment {
    start: u64,
    is_in_byte_order: bool,
    is_in_folded_order: bool,
}

impl Segment {
    fn at(start: u64) -> Self {
        Segment { start, is_in_byte_order: true, is_in_folded_order: true }
    }
}

impl Spool {
    pub fn new(temporary: &TemporaryFolder) -> io::Result<Self> {
        let (writer, segments) = (RunWriter::new(temporary.file()?), vec![Segment::at(0)]);
        Ok(Spool { writer, segments, breaks: Breaks::default() })
    }

    pub fn push(&mut self, key: Parts<'_>, value: Option<&[u8]>) -> io::Result<()> {
        let mut shared = shared_length(self.writer.previous(), key);
        let (of_bytes, of_folded) = breaks(self.writer.previous(), key, shared);
        if (of_bytes || of_folded) && self.note_break(of_bytes, of_folded) {
            shared = 0;
        }
        self.writer.push_sharing(shared, key, value)
    }

    /// A break of both orders starts a new segment, as long as there are fewer than `MAX_SEGMENTS`;
    /// a break of a single order is counted. Returns whether a segment was started.
    fn note_break(&mut self, of_bytes: bool, of_folded: bool) -> bool {
        let is_both = of_bytes && of_folded;
        if is_both && self.segments.len() < MAX_SEGMENTS {
            self.segments.push(Segment::at(self.writer.place()));
            self.writer.begin();
            return true;
        }
        if let Some(segment) = self.segments.last_mut() {
            segment.is_in_byte_order &= !of_bytes;
            segment.is_in_folded_order &= !of_folded;
        }
        self.breaks.byte_order_breaks += u64::from(of_bytes && !is_both);
        self.breaks.folded_order_breaks += u64::from(of_folded && !is_both);
        false
    }

    /// Oldest first; segments that are not in this order are sorted again.
    pub fn into_runs(mut self, temporary: &TemporaryFolder, folds: bool) -> io::Result<Vec<Run>> {
        let mut runs = Vec::new();
        let full_run = self.writer.run_from(0)?;
        let ends = self.segments.iter().skip(1).map(|segment| segment.start);
        let ends = ends.chain([full_run.range.end]);
        for (segment, end) in self.segments.iter().zip(ends) {
            let run = Run { file: full_run.file.clone(), range: segment.start..end };
            let is_sorted =
                if folds { segment.is_in_folded_order } else { segment.is_in_byte_order };
            if is_sorted {
                runs.push(run);
            } else {
                runs.extend(sort_run(run, temporary, folds)?);
            }
        }
        Ok(runs)
    }
}

fn sort_run(run: Run, temporary: &TemporaryFolder, folds: bool) -> io::Result<Vec<Run>> {
    let (mut reader, mut sorter) =
        (RunReader::new(run, folds)?, Sorter::new(temporary.clone(), folds));
    while reader.advance()? {
        sorter.push([&reader.key, b""], reader.is_live.then_some(&reader.value[..]))?;
    }
    sorter.into_runs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::order::Case;
    use crate::sorted::merge::Merge;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn spooled(keys: &[&str]) -> io::Result<Spool> {
        let mut spool = Spool::new(&TemporaryFolder::of_system())?;
        keys.iter().try_for_each(|key| spool.push([key.as_bytes(), b""], Some(b"")))?;
        Ok(spool)
    }

    #[test]
    fn the_case_handling_is_detected_from_the_order_of_keys() -> io::Result<()> {
        let case = |keys: &[&str]| Ok::<_, io::Error>(spooled(keys)?.breaks.case());
        assert_eq!(case(&["a", "b", "b", "c"])?, Case::Either);
        assert_eq!(case(&["B", "a", "c"])?, Case::Sensitive);
        assert_eq!(case(&["a", "B", "c"])?, Case::Folded);
        assert_eq!(case(&["x", "z", "a", "B", "c"])?, Case::Folded);
        Ok(())
    }

    proptest! {
        #[test]
        fn entries_in_any_order_are_sorted(keys in prop::collection::vec("[abAB]{0,3}", 0..300), folds: bool) {
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            let spool = spooled(&keys)?;
            let mut merge = Merge::new(&spool.into_runs(&TemporaryFolder::of_system(), folds)?, folds)?;
            let fold = |key: &&str| if folds { key.to_ascii_lowercase() } else { (*key).to_owned() };
            for key in keys.iter().map(fold).collect::<BTreeSet<_>>() {
                prop_assert!(merge.advance()?);
                prop_assert_eq!(merge.order_key(), key.as_bytes());
            }
            prop_assert!(!merge.advance()?);
        }
    }
}
