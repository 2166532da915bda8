//! Names with blanks among the words of a command's arguments: such a name looks like several words.

use crate::paths::argument_words::{Word, Words};
use crate::paths::depot_path::{has_wildcard, path_of};
use p4warden_index::estimate::local_syntax::is_absolute;

/// Number of words of a command's arguments beyond which the command counts as too long to judge; a
/// trigger line has at most half as many.
pub const MAX_WORDS: usize = 131_072;
/// Length in bytes above which no local path names a file: Linux opens none (PATH_MAX), and Windows
/// allows less.
const MAX_LOCAL_BYTES: usize = 4_096;

/// Joins a word to the words behind it, for each word of a command's arguments in turn. It looks at
/// each word once, so the work is linear.
#[derive(Clone, Copy, Debug)]
pub struct JoinedWords<'a> {
    ahead: Words<'a>,
    /// The first word behind the present one that does not go on with a path.
    last: Option<Word<'a>>,
}

/// An absolute path that looks like several words.
#[derive(Clone, Copy, Debug)]
pub struct JoinedPath<'a> {
    /// The text of the path, with its revision.
    pub text: &'a [u8],
    /// Its last word, the only one with a wildcard or a revision.
    pub last: Word<'a>,
}

impl<'a> JoinedWords<'a> {
    /// Begins before the first word.
    pub fn new(words: Words<'a>) -> Self {
        JoinedWords { ahead: words, last: None }
    }

    /// Joins a word that is an absolute path without a wildcard to the following words up to the
    /// first with a wildcard; the words must come in turn. None if there is no such path, for
    /// example because another path in depot syntax begins before the wildcard, or if a local path
    /// would be longer than any file's.
    pub fn from(&mut self, word: &Word<'a>) -> Option<JoinedPath<'a>> {
        if !is_absolute(word.text) || !is_open(word.text) {
            return None;
        }
        let last = self.last_behind(word.number)?;
        let goes_on = !last.text.starts_with(b"//") && has_wildcard(path_of(last.text));
        let text = word.joined_to(&last);
        let fits = text.len() <= MAX_LOCAL_BYTES || text.starts_with(b"//");
        (goes_on && fits).then_some(JoinedPath { text, last })
    }

    fn last_behind(&mut self, number: usize) -> Option<Word<'a>> {
        let is_behind = |last: &Word<'_>| last.number > number;
        if !self.last.as_ref().is_some_and(is_behind) {
            self.last = self.ahead.find(|next| {
                next.number > number && (!is_open(next.text) || next.text.starts_with(b"//"))
            });
        }
        self.last
    }
}

/// The words in depot syntax that may go on, behind a wildcard, in the next word, each with the text
/// of both; the next word does not begin as a path of its own.
pub fn joined_behind_wildcards(words: Words<'_>) -> impl Iterator<Item = (Word<'_>, &[u8])> {
    let mut ahead = words;
    ahead.next();
    words.zip(ahead).filter_map(|(word, next)| {
        let path = path_of(word.text);
        let goes_on = word.text.starts_with(b"//")
            && has_wildcard(path)
            && path.len() == word.text.len()
            && !next.text.starts_with(b".")
            && !is_absolute(next.text);
        goes_on.then(|| (word, word.joined_to(&next)))
    })
}

/// Whether a path may go on in the next word.
fn is_open(text: &[u8]) -> bool {
    path_of(text).len() == text.len() && !has_wildcard(text)
}
