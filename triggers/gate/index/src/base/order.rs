//! Comparison of sort keys, and the two possible sort orders of a server's database tables: by
//! bytes, or by bytes after conversion of ASCII letters to lower case ("folded order").

use std::cmp::Ordering;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// Tables are sorted by bytes.
    Sensitive,
    /// Tables are sorted by keys with ASCII letters in lower case.
    Folded,
    /// Both sort orders fit the tables of the checkpoint.
    Either,
}

impl Case {
    /// False if undetermined.
    pub fn folds(self) -> bool {
        self == Case::Folded
    }

    /// In JSON output.
    pub fn name(self) -> &'static str {
        match self {
            Case::Sensitive => "sensitive",
            Case::Folded => "folded",
            Case::Either => "either",
        }
    }
}

/// Adjacent records that contradict each possible sort order; those that contradict both are not
/// counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Breaks {
    /// Evidence of a case-insensitive server.
    pub byte_order_breaks: u64,
    /// Evidence of a case-sensitive server.
    pub folded_order_breaks: u64,
}

impl Breaks {
    pub fn add(&mut self, other: Breaks) {
        self.byte_order_breaks += other.byte_order_breaks;
        self.folded_order_breaks += other.folded_order_breaks;
    }

    /// Case-sensitive if both orders are contradicted equally often.
    pub fn case(self) -> Case {
        match (self.byte_order_breaks, self.folded_order_breaks) {
            (0, 0) => Case::Either,
            (bytes, folded) if bytes <= folded => Case::Sensitive,
            _ => Case::Folded,
        }
    }
}

/// A text behind all paths that begin with this one, in either order.
pub fn behind(path: &[u8]) -> Vec<u8> {
    [path, b"\xff"].concat()
}

/// Length of the longest common beginning.
pub fn shared_bytes(one: &[u8], other: &[u8]) -> usize {
    let (eights, other_eights) = (one.as_chunks::<8>().0, other.as_chunks::<8>().0);
    for (at, (eight, other)) in eights.iter().zip(other_eights).enumerate() {
        let unequal_bits = u64::from_le_bytes(*eight) ^ u64::from_le_bytes(*other);
        if unequal_bits != 0 {
            return at * 8 + (unequal_bits.trailing_zeros() / 8) as usize;
        }
    }
    let equal_bytes = eights.len().min(other_eights.len()) * 8;
    let rest = one.iter().skip(equal_bytes).zip(other.iter().skip(equal_bytes));
    equal_bytes + rest.take_while(|(one, other)| one == other).count()
}

/// Eight bytes at a time: musl's function compares byte by byte, which took a quarter of the time
/// for building a checkpoint index.
pub fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && shared_bytes(one, other) == one.len()
}

pub fn begins_with(text: &[u8], start: &[u8]) -> bool {
    text.get(..start.len()).is_some_and(|front| is_same(front, start))
}

/// As a server compares names.
pub fn is_same_name(one: &[u8], other: &[u8], folds: bool) -> bool {
    if folds { one.eq_ignore_ascii_case(other) } else { is_same(one, other) }
}

/// Likewise.
pub fn begins_with_name(text: &[u8], start: &[u8], folds: bool) -> bool {
    text.get(..start.len()).is_some_and(|front| is_same_name(front, start, folds))
}

pub fn compare(one: &[u8], other: &[u8]) -> Ordering {
    let shared = shared_bytes(one, other);
    one.get(shared).cmp(&other.get(shared))
}

/// Empty if the key is shorter.
pub fn without_end(key: &[u8], bytes: usize) -> &[u8] {
    key.len().checked_sub(bytes).and_then(|end| key.get(..end)).unwrap_or_default()
}

/// A sort key in two parts, such as a path and the suffix that distinguishes its records, so that
/// they need not be copied together.
pub type Parts<'k> = [&'k [u8]; 2];

pub fn shared_length(text: &[u8], [front, tail]: Parts<'_>) -> usize {
    let shared = shared_bytes(text, front);
    if shared < front.len() {
        return shared;
    }
    shared + shared_bytes(text.get(shared..).unwrap_or_default(), tail)
}

pub fn rest_after([front, tail]: Parts<'_>, bytes: usize) -> Parts<'_> {
    let of_tail = bytes.saturating_sub(front.len());
    [front.get(bytes..).unwrap_or_default(), tail.get(of_tail..).unwrap_or_default()]
}

/// Whether `next` sorts before `previous`, in byte order and in folded order; `shared` is the
/// length of their common beginning.
pub fn breaks(previous: &[u8], next: Parts<'_>, shared: usize) -> (bool, bool) {
    let old = previous.get(shared..).unwrap_or_default();
    let [front, tail] = rest_after(next, shared);
    let Some(old_byte) = old.first() else {
        return (false, false);
    };
    let Some(byte) = front.first().or(tail.first()) else {
        return (true, true);
    };
    let (folded, old_folded) = (byte.to_ascii_lowercase(), old_byte.to_ascii_lowercase());
    if folded != old_folded {
        return (byte < old_byte, folded < old_folded);
    }
    let folded = front.iter().chain(tail).map(u8::to_ascii_lowercase);
    (byte < old_byte, folded.lt(old.iter().map(u8::to_ascii_lowercase)))
}

/// As keys are compared.
pub fn folded_key(text: &[u8], folds: bool) -> Vec<u8> {
    if folds { text.to_ascii_lowercase() } else { text.to_vec() }
}

/// Names come in byte order while the case setting is unknown: if they are not in folded order as
/// well, the server is case-sensitive. The tables of a checkpoint may fit both orders, and names
/// added by a journal may then decide.
#[derive(Debug)]
pub struct Watch {
    is_needed: bool,
    /// In lower case.
    previous_name: Vec<u8>,
    /// The names so far, in lower case, are not strictly ascending.
    pub is_of_bytes: bool,
}

impl Watch {
    pub fn of(case: Case) -> Self {
        Watch { is_needed: case == Case::Either, previous_name: Vec::new(), is_of_bytes: false }
    }

    /// The names have to come in byte order, each once.
    pub fn pass(&mut self, name: &[u8]) {
        if self.is_needed {
            let folded = name.to_ascii_lowercase();
            self.is_of_bytes |= folded <= self.previous_name;
            self.previous_name = folded;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn comparisons_of_split_keys_equal_comparisons_of_whole_keys(
            one in "a{0,9}[aB_/\\.]{0,9}",
            other in "a{0,9}[aB_/\\.]{0,9}",
        ) {
            let (one, other) = (one.as_bytes(), other.as_bytes());
            let shared = shared_bytes(one, other);
            prop_assert_eq!(one.get(..shared), other.get(..shared));
            let folded = other.to_ascii_lowercase() < one.to_ascii_lowercase();
            prop_assert_eq!(compare(one, other), one.cmp(other));
            prop_assert_eq!(is_same(one, other), one == other);
            prop_assert_eq!(begins_with(one, other), one.starts_with(other));
            let (front, tail) = other.split_at(other.len() / 2);
            prop_assert_eq!(shared_length(one, [front, tail]), shared);
            prop_assert_eq!(rest_after([front, tail], shared).concat(), &other[shared..]);
            prop_assert_eq!(breaks(one, [front, tail], shared), (other < one, folded));
        }
    }

    #[test]
    fn the_case_handling_with_fewer_order_breaks_is_chosen() {
        let breaks = |byte_order_breaks, folded_order_breaks| {
            Breaks { byte_order_breaks, folded_order_breaks }.case()
        };
        assert_eq!(breaks(0, 0), Case::Either);
        assert_eq!(breaks(0, 3), Case::Sensitive);
        assert_eq!(breaks(3, 1), Case::Folded);
        assert_eq!(breaks(2, 2), Case::Sensitive);
    }
}
