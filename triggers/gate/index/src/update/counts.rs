//! A checkpoint index does not contain every record, so the first operation on a record reveals
//! whether it existed at the checkpoint: a record that is added is new, a record that is replaced
//! or deleted existed.

use crate::assemble::directories::sample_key;
use crate::assemble::unfinished_file::FileOutput;
use crate::base::numbers::{last_ordered, ordered, put_number, take_number};
use crate::file::change_trees::{put_signed, take_signed};
use crate::file::tree::{Tree, TreeWriter};
use crate::sorted::merge::Merge;
use crate::sorted::sorter::Sorter;
use crate::sorted::temporary_folder::TemporaryFolder;
use crate::source::table::Kind;
use std::io;

/// At the end of a sort key: NUL and the number of the journal operation.
const ORDER_BYTES: usize = 8;

/// Of one table (files or revisions).
#[derive(Debug)]
pub struct Changes {
    sorter: Sorter,
    temporary_folder: TemporaryFolder,
    folds: bool,
    number: u32,
}

/// Of one revision, or of the head revisions of one file (in `db.revhx` or `db.revdx`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct State {
    /// At the checkpoint.
    was_present: bool,
    /// After the journal operations.
    is_present: bool,
    /// Twice the revision number of the file's head revision, plus 1 if it is in `db.revdx`; 0 if
    /// there is none or it is unknown, and for a revision.
    head: u64,
    /// Formed like `head`, of the head revision before.
    previous_head: u64,
}

impl Changes {
    #[must_use]
    pub fn new(temporary_folder: &TemporaryFolder, folds: bool) -> Self {
        let sorter = Sorter::new(temporary_folder.clone(), folds);
        Changes { sorter, temporary_folder: temporary_folder.clone(), folds, number: 1 }
    }

    /// As the state before all new operations.
    pub fn push_old(&mut self, key: &[u8], value: &[u8]) -> io::Result<()> {
        let number = ordered(0);
        let value = [b"s", value].concat();
        self.sorter.push([key, &order_bytes(number)], Some(&value))
    }

    /// The record's key is `key` followed by `tail`; `head` as in `State::head`.
    pub fn push(&mut self, key: &[u8], tail: &[u8], kind: Kind, head: u64) -> io::Result<()> {
        let mut value = match kind {
            Kind::Delete => b"d".to_vec(),
            Kind::Replace => b"r".to_vec(),
            _ => b"p".to_vec(),
        };
        put_number(&mut value, head);
        let tail = [tail, &order_bytes(ordered(self.number))].concat();
        self.number = self.number.saturating_add(1);
        self.sorter.push([key, &tail], Some(&value))
    }

    /// The numbers ascend from 1.
    #[must_use]
    pub fn next_number(&self) -> u32 {
        self.number
    }

    /// By path and by directory. `tail` is the length of the part of a key after the path.
    pub fn write(
        self,
        numbers: &std::ops::Range<u32>,
        tail: usize,
        out: &mut FileOutput,
    ) -> io::Result<[Tree; 2]> {
        let mut merge = Merge::new(&self.sorter.into_runs()?, self.folds)?;
        let mut by_directory = Sorter::new(self.temporary_folder.clone(), self.folds);
        let mut writer = CountWriter { tail, ..CountWriter::default() };
        while merge.advance()? {
            let (key, order_key) = (merge.key(), merge.order_key());
            let number = last_ordered(key).unwrap_or(0);
            if number > 0 && !numbers.contains(&number) {
                continue;
            }
            if front(order_key) != writer.order_key {
                writer.finish(out, &mut by_directory)?;
                (writer.key, writer.order_key) = (front(key).to_vec(), front(order_key).to_vec());
            }
            writer.state = state_after(writer.state, merge.value());
        }
        writer.finish(out, &mut by_directory)?;
        writer.finish_path(&mut by_directory)?;
        Ok([writer.tree.finish(out)?, self::by_directory(by_directory, self.folds, out)?])
    }
}

#[derive(Default)]
struct CountWriter {
    tree: TreeWriter,
    tail: usize,
    key: Vec<u8>,
    order_key: Vec<u8>,
    state: Option<State>,
    sum: i64,
    path: Vec<u8>,
    path_sum: i64,
}

impl CountWriter {
    fn finish(&mut self, out: &mut FileOutput, by_directory: &mut Sorter) -> io::Result<()> {
        let Some(state) = self.state.take() else {
            return Ok(());
        };
        let path = self.key.len().checked_sub(self.tail).and_then(|end| self.key.get(..end));
        let path = path.unwrap_or_default().to_vec();
        if path != self.path {
            self.finish_path(by_directory)?;
            self.path = path;
        }
        let change = i64::from(state.is_present) - i64::from(state.was_present);
        self.path_sum += change;
        self.sum += change;
        let mut value = Vec::new();
        put_signed(&mut value, self.sum);
        state.put(&mut value);
        self.tree.push(out, &self.key, &value)
    }

    fn finish_path(&mut self, by_directory: &mut Sorter) -> io::Result<()> {
        let (path, change) = (std::mem::take(&mut self.path), std::mem::take(&mut self.path_sum));
        if change == 0 {
            return Ok(());
        }
        let (mut key, mut value) = (Vec::new(), Vec::new());
        sample_key(
            &mut key,
            &path,
            path.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1),
        );
        put_signed(&mut value, change);
        by_directory.push([&key, b""], Some(&value))
    }
}

fn by_directory(changes: Sorter, folds: bool, out: &mut FileOutput) -> io::Result<Tree> {
    let mut merge = Merge::new(&changes.into_runs()?, folds)?;
    let (mut tree, mut sum) = (TreeWriter::default(), 0);
    while merge.advance()? {
        sum += take_signed(&mut merge.value()).unwrap_or(0);
        let mut value = Vec::new();
        put_signed(&mut value, sum);
        tree.push(out, merge.key(), &value)?;
    }
    tree.finish(out)
}

impl State {
    fn put(self, to: &mut Vec<u8>) {
        put_number(to, u64::from(self.was_present) + 2 * u64::from(self.is_present));
        put_number(to, self.head);
        put_number(to, self.previous_head);
    }

    fn take(mut from: &[u8]) -> Option<Self> {
        let from = &mut from;
        take_signed(from)?;
        let marks = take_number(from)?;
        let (head, previous_head) = (take_number(from)?, take_number(from)?);
        Some(State { was_present: marks & 1 > 0, is_present: marks & 2 > 0, head, previous_head })
    }
}

/// `operation` is a value from `push` or `push_old`; `state` is None before the first.
fn state_after(state: Option<State>, operation: &[u8]) -> Option<State> {
    let (kind, mut rest) = operation.split_first()?;
    if *kind == b's' {
        return State::take(rest);
    }
    let head = take_number(&mut rest).unwrap_or(0);
    let state = state.unwrap_or(State { was_present: *kind != b'p', ..State::default() });
    if *kind != b'd' {
        let previous_head = if state.head == head { state.previous_head } else { state.head };
        return Some(State { is_present: true, head, previous_head, ..state });
    }
    if state.is_present && state.head != head {
        // An older head revision, which existed at the checkpoint unless a journal added it since.
        return Some(State {
            was_present: state.was_present || state.previous_head != head,
            ..state
        });
    }
    Some(State { is_present: false, head: 0, previous_head: 0, ..state })
}

fn order_bytes(number: [u8; 7]) -> [u8; ORDER_BYTES] {
    let [a, b, c, d, e, f, g] = number;
    [0, a, b, c, d, e, f, g]
}

fn front(key: &[u8]) -> &[u8] {
    key.len().checked_sub(ORDER_BYTES).and_then(|end| key.get(..end)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(operations: &[(&[u8], u64)]) -> i64 {
        let state = operations.iter().fold(None, |state, (kind, head)| {
            let mut value = kind.to_vec();
            put_number(&mut value, *head);
            state_after(state, &value)
        });
        state.map_or(0, |state| i64::from(state.is_present) - i64::from(state.was_present))
    }

    #[test]
    fn a_count_changes_by_the_first_and_the_last_operation_on_a_record() {
        assert_eq!(change(&[(b"p", 2)]), 1);
        assert_eq!(change(&[(b"r", 2)]), 0);
        assert_eq!(change(&[(b"d", 2)]), -1);
        assert_eq!(change(&[(b"p", 2), (b"d", 2)]), 0);
        assert_eq!(change(&[(b"d", 2), (b"p", 2)]), 0);
    }

    #[test]
    fn head_revisions_of_one_file_count_once_in_either_order() {
        assert_eq!(change(&[(b"d", 2), (b"p", 4)]), 0);
        assert_eq!(change(&[(b"p", 4), (b"d", 2)]), 0);
        assert_eq!(change(&[(b"p", 2), (b"p", 4), (b"d", 2)]), 1);
        assert_eq!(change(&[(b"p", 2), (b"d", 2), (b"p", 4), (b"d", 4)]), 0);
    }
}
