//! The question that a command asks, and its shape: what rates by `args` and `shape` count. Users
//! can spell one question in many ways; all spellings have one hash.
//!
//! Both are sets of hashed parts, so neither order nor repetition matters. Each word is hashed
//! once, and a relative name continues the hash of its directory, so that the work is that of
//! sorting the words, however long the directory is.

mod options;
mod paths;
mod place;

use crate::base::bytes::put_text;
use crate::base::patterns::folded_name;
use crate::paths::command_line::Words;
use options::{CommandOption, OptionName};
use paths::{Kind, Paths};
use siphasher::sip128::{Hasher128, SipHasher13};
use std::hash::Hasher;

/// Main names of the commands whose arguments name no files, but numbers of changelists or specs.
const WITHOUT_FILES: &str = "branch branches change client clients counter counters depot depots \
    describe fix group groups job key keys label renameclient renameuser review spec stream \
    streamlog switch user users";

#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub command: &'a [u8],
    /// Added by a synonym of the command; empty if none.
    pub addition: &'static str,
    /// Joined by blanks.
    pub args: &'a [u8],
    /// On the user's machine.
    pub directory: Option<&'a [u8]>,
    pub client: Option<&'a [u8]>,
    pub case_sensitive: bool,
}

struct NamedFile<'a> {
    kind: Kind,
    hash: u128,
    revision: &'a [u8],
}

impl Request<'_> {
    #[must_use]
    pub fn names_something(&self) -> bool {
        options::read(self.command, self.args).1.next().is_some()
    }

    /// Hash of what the command asks: its files, with names made absolute, and the options that
    /// select something. Options of output and limits do not count, nor does the command's name.
    #[must_use]
    pub fn question(&self, key: &[u8; 16]) -> u128 {
        let start = SipHasher13::new_with_key(key);
        let (options, words) = self.read();
        let asking = options.iter().filter(|option| !option.is_of_output(self.command));
        let mut parts: Vec<u128> =
            asking.map(|option| self.hash_of(&start, option, option.value)).collect();
        self.each_file(&start, words, |file| {
            let revision = plain_revision(file.revision, self.command);
            let revision = folded_name(&revision, self.case_sensitive);
            let mut hasher = start;
            hasher.write_u128(file.hash);
            put_text(&mut hasher, &revision);
            parts.push(hasher.finish128().as_u128());
        });
        of_set(start, parts)
    }

    /// Hash of the command's kind: its name, the letters of its options, and the kinds of its
    /// paths with the kinds of their revisions.
    #[must_use]
    pub fn shape(&self, key: &[u8; 16]) -> u128 {
        let mut start = SipHasher13::new_with_key(key);
        put_text(&mut start, self.command);
        let (options, words) = self.read();
        let mut parts: Vec<u128> =
            options.iter().map(|option| self.hash_of(&start, option, b"")).collect();
        self.each_file(&start, words, |file| {
            let mut hasher = start;
            hasher.write_u8(file.kind as u8);
            let revision = plain_revision(file.revision, self.command);
            put_text(&mut hasher, &revision_without_numbers(&revision));
            parts.push(hasher.finish128().as_u128());
        });
        of_set(start, parts)
    }

    fn read(&self) -> (Vec<CommandOption<'_>>, Words<'_>) {
        let (mut options, words) = options::read(self.command, self.args);
        options.extend(options::read(self.command, self.addition.as_bytes()).0);
        (options, words)
    }

    fn each_file(
        &self,
        start: &SipHasher13,
        mut words: Words<'_>,
        mut use_file: impl FnMut(NamedFile<'_>),
    ) {
        if WITHOUT_FILES.split_whitespace().any(|name| name.as_bytes() == self.command) {
            let added = options::read(self.command, self.addition.as_bytes()).1;
            added.chain(words).for_each(|word| use_file(self.named_word(start, word.text)));
            return;
        }
        let paths = Paths::new(*start, self);
        while let Some((kind, hash, revision)) = paths.next(&mut words) {
            use_file(NamedFile { kind, hash, revision });
        }
    }

    fn named_word<'w>(&self, start: &SipHasher13, word: &[u8]) -> NamedFile<'w> {
        let mut hasher = *start;
        put_text(&mut hasher, &folded_name(&revision_without_zeros(word), self.case_sensitive));
        NamedFile { kind: Kind::Word, hash: hasher.finish128().as_u128(), revision: b"" }
    }

    fn hash_of(&self, start: &SipHasher13, option: &CommandOption<'_>, value: &[u8]) -> u128 {
        let mut hasher = *start;
        match option.name {
            OptionName::Letter(letter) => hasher.write_u8(letter),
            OptionName::Long(name) => put_text(&mut hasher, name),
        }
        put_text(&mut hasher, &folded_name(&revision_without_zeros(value), self.case_sensitive));
        hasher.finish128().as_u128()
    }
}

fn of_set(mut hasher: SipHasher13, mut parts: Vec<u128>) -> u128 {
    parts.sort_unstable();
    parts.dedup();
    parts.iter().for_each(|part| hasher.write_u128(*part));
    hasher.finish128().as_u128()
}

/// A revision in its plain spelling: none for `#head`, `@12,12` for `@=12` and `@12,@12`, and a date
/// without its midnight. For diff no revision is the one that the client has.
fn plain_revision(revision: &[u8], command: &[u8]) -> Vec<u8> {
    let revision = revision_without_zeros(revision);
    match &revision[..] {
        b"#head" if command != b"diff" => Vec::new(),
        [b'@', b'=', one @ ..] => [b"@", one, b",", one].concat(),
        [mark, ends @ ..] => {
            let ends = ends.splitn(2, |byte| *byte == b',').map(|end| {
                let end = end.strip_prefix(&[*mark]).unwrap_or(end);
                end.strip_suffix(b":0:0:0").unwrap_or(end)
            });
            [&[*mark][..], &ends.collect::<Vec<_>>().join(&b',')].concat()
        }
        [] => Vec::new(),
    }
}

/// A revision or value without the leading zeros of its numbers, if it consists of numbers only,
/// such as `@2024/01/02,@0099`; a label's name may have zeros that count.
fn revision_without_zeros(revision: &[u8]) -> Vec<u8> {
    let is_numeric = |byte: &u8| byte.is_ascii_digit() || b"#@,/:=<>".contains(byte);
    if !revision.iter().all(is_numeric) {
        return revision.to_vec();
    }
    let mut to = Vec::with_capacity(revision.len());
    for (at, byte) in revision.iter().enumerate() {
        let is_digit = |at: usize| revision.get(at).is_some_and(u8::is_ascii_digit);
        let begins = !to.last().is_some_and(u8::is_ascii_digit);
        if *byte != b'0' || !begins || !is_digit(at + 1) {
            to.push(*byte);
        }
    }
    to
}

/// A revision with `N` for each run of digits, so that `#9` and `#10` are equal.
fn revision_without_numbers(revision: &[u8]) -> Vec<u8> {
    let mut to = Vec::with_capacity(revision.len());
    for byte in revision {
        match byte {
            b'0'..=b'9' if to.last() == Some(&b'N') => {}
            b'0'..=b'9' => to.push(b'N'),
            byte => to.push(*byte),
        }
    }
    to
}
