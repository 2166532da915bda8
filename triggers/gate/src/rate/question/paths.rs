//! The file arguments of a command as absolute paths.

use super::Request;
use super::hashed_path::{HashedPath, is_separator};
use crate::base::patterns::is_same;
use crate::paths::argument_words::{Word, Words};
use p4warden_index::estimate::local_syntax::{encoded, has_drive, is_of_windows};
use siphasher::sip128::{Hasher128, SipHasher13};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Depot,
    Client,
    Local,
    /// Not a path: a number or name, as in `describe 12`.
    Word,
}

pub struct Paths<'a> {
    start: SipHasher13,
    case_sensitive: bool,
    client: Option<&'a [u8]>,
    depots: HashedPath,
    directory: HashedPath,
    /// The working directory's path, as an argument would spell it; empty if it has no blanks.
    text_with_blanks: Vec<u8>,
    /// For each directory in that text, the offset behind its separator and its number of states.
    ends: Vec<(usize, usize)>,
}

impl<'a> Paths<'a> {
    pub fn new(start: SipHasher13, request: &Request<'a>) -> Self {
        let folds = !request.case_sensitive;
        let text = encoded(request.directory.unwrap_or_default());
        let (mut directory, rest) = HashedPath::root_of(start, &text, folds);
        let (mut end, mut ends) = (text.len() - rest.len(), Vec::new());
        let is_windows = directory.is_windows;
        for name in rest.split(|byte| is_separator(*byte, is_windows)) {
            match name {
                b"" | b"." => {}
                b".." => directory.states.truncate(directory.roots.max(directory.states.len() - 1)),
                name => directory.add(name),
            }
            end += name.len() + 1;
            ends.push((end, directory.states.len()));
        }
        Paths {
            start,
            case_sensitive: request.case_sensitive,
            client: request.client,
            depots: HashedPath::root(start, b"//", folds),
            directory,
            text_with_blanks: if text.contains(&b' ') { text } else { Vec::new() },
            ends,
        }
    }

    /// Kind, hash of the path, and revision.
    pub fn next<'w>(&self, words: &mut Words<'w>) -> Option<(Kind, u128, &'w [u8])> {
        let word = words.next()?;
        if let Some((count, bytes)) = self.shared_directories(&word) {
            let rest = word.remaining_text.get(bytes..).unwrap_or_default();
            let end = Words::of(rest).next().filter(|next| next.remaining_text.len() == rest.len());
            let text = end.map_or(&b""[..], |next| next.text);
            *words = Words::of(rest.get(text.len()..).unwrap_or_default());
            let (path, revision) = split_revision(text);
            return Some((Kind::Local, finish(self.directory.below(count, path)), revision));
        }
        let (path, revision) = split_revision(word.text);
        let (kind, state) = self.resolve(if path.is_empty() { b"//..." } else { path });
        Some((kind, finish(state), revision))
    }

    fn resolve(&self, path: &[u8]) -> (Kind, SipHasher13) {
        let whole = |start: &HashedPath, path: &[u8]| start.below(start.states.len(), path);
        if let Some(rest) = path.strip_prefix(b"//") {
            let name = rest.split(|byte| *byte == b'/').find(|name| !name.is_empty());
            let name = name.unwrap_or_default();
            let is_own = self.client.is_some_and(|own| is_same(own, name, self.case_sensitive));
            return (if is_own { Kind::Client } else { Kind::Depot }, whole(&self.depots, rest));
        }
        let has_drive = self.directory.is_windows && self.directory.roots == 2;
        let state = match path {
            _ if is_of_windows(path) => self.of_root(path),
            [b'/' | b'\\', ..] if has_drive => self.directory.below(2, path),
            [b'\\', ..] if self.directory.is_windows => whole(
                &HashedPath { is_windows: true, ..HashedPath::root(self.start, b"\\", true) },
                path,
            ),
            [b'/', ..] => self.of_root(path),
            _ => whole(&self.directory, path),
        };
        (Kind::Local, state)
    }

    fn of_root(&self, path: &[u8]) -> SipHasher13 {
        let (root, rest) = HashedPath::root_of(self.start, path, !self.case_sensitive);
        root.below(root.states.len(), rest)
    }

    /// If an absolute path begins with directories of the working directory that have blanks, so
    /// that it looks like several words: the number of states of these directories, and the bytes
    /// of the text that name them.
    fn shared_directories(&self, word: &Word<'_>) -> Option<(usize, usize)> {
        let (own, text) = (&self.text_with_blanks, word.remaining_text);
        if own.is_empty() || !(text.starts_with(b"/") || is_of_windows(text) || has_drive(text)) {
            return None;
        }
        let HashedPath { is_windows, folds, .. } = self.directory;
        let is_same = |(one, other): &(&u8, &u8)| {
            one == other
                || folds && one.eq_ignore_ascii_case(other)
                || is_separator(**one, is_windows) && is_separator(**other, is_windows)
        };
        let shared_bytes = text.iter().zip(own).take_while(is_same).count();
        let is_whole = shared_bytes == own.len()
            && text.get(shared_bytes).is_none_or(|next| {
                is_separator(*next, is_windows) || matches!(next, b' ' | b'#' | b'@')
            });
        let bytes = shared_bytes + usize::from(is_whole);
        let shared_count = self.ends.partition_point(|(end, _)| *end <= bytes);
        let (end, count) = *self.ends.get(shared_count.checked_sub(1)?)?;
        (end > word.text.len()).then_some((count, end.min(shared_bytes)))
    }
}

/// The path in a file argument, and its revision, which starts at the first `#` or `@`; in file
/// names these are encoded (`p4 help revisions`).
fn split_revision(word: &[u8]) -> (&[u8], &[u8]) {
    let end = word.iter().position(|byte| matches!(byte, b'#' | b'@'));
    word.split_at_checked(end.unwrap_or(word.len())).unwrap_or_default()
}

fn finish(state: SipHasher13) -> u128 {
    state.finish128().as_u128()
}
