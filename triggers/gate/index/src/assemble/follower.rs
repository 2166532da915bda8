use crate::base::order::without_end;
use crate::sorted::merge::Merge;
use crate::sorted::run::Run;
use std::io;

/// Reads a sorted table in step with another that is sorted by the same names.
#[derive(Debug)]
pub struct Follower {
    merge: Merge,
    has_next: bool,
    tail: usize,
}

impl Follower {
    /// Each key consists of a name and `tail` further bytes.
    pub fn new(runs: &[Run], folds: bool, tail: usize) -> io::Result<Self> {
        let mut merge = Merge::new(runs, folds)?;
        let has_next = merge.advance()?;
        Ok(Follower { merge, has_next, tail })
    }

    /// The names must ascend from call to call.
    pub fn each_of(&mut self, name: &[u8], mut visit: impl FnMut(&[u8], &[u8])) -> io::Result<()> {
        while self.has_next {
            match without_end(self.merge.order_key(), self.tail).cmp(name) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => visit(self.merge.key(), self.merge.value()),
                std::cmp::Ordering::Greater => return Ok(()),
            }
            self.has_next = self.merge.advance()?;
        }
        Ok(())
    }
}
