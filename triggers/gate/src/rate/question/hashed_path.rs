//! Directories as hashes: one state of a hash for each directory from the root down, so that a
//! name below continues the state, and `..` returns to an earlier one.

use crate::base::bytes::put_text;
use p4warden_index::estimate::local_syntax::{is_absolute, is_of_windows};
use siphasher::sip128::SipHasher13;
use std::borrow::Cow;

#[derive(Clone, Debug)]
pub struct HashedPath {
    pub states: Vec<SipHasher13>,
    /// Number of states that `..` leaves.
    pub roots: usize,
    /// Whether `\` separates names, and case is ignored.
    pub is_windows: bool,
    pub folds: bool,
}

impl HashedPath {
    pub fn root(mut start: SipHasher13, kind: &[u8], folds: bool) -> Self {
        put_text(&mut start, kind);
        HashedPath { states: vec![start], roots: 1, is_windows: false, folds }
    }

    /// The root of a path on the user's machine, such as the drive `C:` or the share
    /// `\\host\share`, and the rest of the path.
    pub fn root_of(start: SipHasher13, path: &[u8], folds: bool) -> (Self, &[u8]) {
        if !is_of_windows(path) {
            let kind: &[u8] = if is_absolute(path) { b"/" } else { b"relative" };
            return (Self::root(start, kind, folds), path);
        }
        let share = path.strip_prefix(br"\\");
        let (mut rest, root_names) = share.map_or((path, 1), |names| (names, 2));
        let kind: &[u8] = if share.is_some() { b"share" } else { b"drive" };
        let mut hashed = HashedPath { is_windows: true, ..Self::root(start, kind, true) };
        for _ in 0..root_names {
            let end = rest.iter().position(|byte| is_separator(*byte, true)).unwrap_or(rest.len());
            hashed.add(rest.get(..end).unwrap_or_default());
            rest = rest.get(end + 1..).unwrap_or_default();
        }
        hashed.roots = hashed.states.len();
        (hashed, rest)
    }

    pub fn add(&mut self, name: &[u8]) {
        let last = self.states.last().copied().unwrap_or_default();
        self.states.push(with_name(last, name, self.folds));
    }

    /// The state of the hash for a path below the first `count` directories.
    pub fn below(&self, count: usize, path: &[u8]) -> SipHasher13 {
        let mut above = count.min(self.states.len());
        let top = |above: usize| self.states.get(above.saturating_sub(1)).copied();
        if !path.is_empty() && !path.iter().any(|byte| matches!(byte, b'/' | b'\\' | b'.')) {
            return with_name(top(above).unwrap_or_default(), path, self.folds);
        }
        let mut own = Vec::new();
        for name in path.split(|byte| is_separator(*byte, self.is_windows)) {
            match name {
                b"" | b"." => {}
                b".." if own.is_empty() => above = above.saturating_sub(1).max(self.roots),
                b".." => drop(own.pop()),
                name => {
                    let last = own.last().or_else(|| self.states.get(above.saturating_sub(1)));
                    own.push(with_name(last.copied().unwrap_or_default(), name, self.folds));
                }
            }
        }
        let last = own.last().or_else(|| self.states.get(above.saturating_sub(1)));
        last.copied().unwrap_or_default()
    }
}

pub fn is_separator(byte: u8, is_windows: bool) -> bool {
    byte == b'/' || (is_windows && byte == b'\\')
}

/// Continues a hash with a name. Of the codes of special characters, only `%2A` has a letter; a
/// wildcard with a number, such as `%%1`, is `*`.
fn with_name(mut state: SipHasher13, name: &[u8], folds: bool) -> SipHasher13 {
    let name = without_numbers(name);
    let name = &*name;
    let name = match folds {
        true if name.iter().any(u8::is_ascii_uppercase) => name.to_ascii_lowercase().into(),
        true => Cow::Borrowed(name),
        false => with_code(name),
    };
    put_text(&mut state, &name);
    state
}

fn without_numbers(name: &[u8]) -> Cow<'_, [u8]> {
    let is_numbered = |at: &[u8]| matches!(at, [b'%', b'%', b'0'..=b'9']);
    if !name.windows(3).any(is_numbered) {
        return name.into();
    }
    let (mut to, mut rest) = (Vec::with_capacity(name.len()), name);
    while let Some((first, behind)) = rest.split_first() {
        let wildcard = rest.get(..3).filter(|at| is_numbered(at));
        to.push(if wildcard.is_some() { b'*' } else { *first });
        rest = if wildcard.is_some() { rest.get(3..).unwrap_or_default() } else { behind };
    }
    to.into()
}

fn with_code(name: &[u8]) -> Cow<'_, [u8]> {
    if !name.windows(3).any(|code| code == b"%2a") {
        return name.into();
    }
    let mut to = name.to_vec();
    for at in 2..to.len() {
        if to.get(at - 2..=at) == Some(b"%2a")
            && let Some(letter) = to.get_mut(at)
        {
            *letter = b'A';
        }
    }
    to.into()
}
