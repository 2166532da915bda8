//! The question that a command asks, and its shape: what rates by `args` and `shape` count. Users
//! can spell one question in many ways; all spellings have one hash.
//!
//! Both are sets of hashed parts, so neither order nor repetition matters. Each word is hashed
//! once, and a relative name continues the hash of its directory, so that the work is that of
//! sorting the words, however long the directory is.

mod hashed_path;
mod options;
mod paths;

use crate::base::bytes::put_text;
use crate::base::patterns::folded_name;
use crate::paths::argument_words::Words;
use crate::paths::revision::{plain_revision, without_zeros};
use options::{CommandOption, OptionName, letters_of_output};
use paths::{Kind, Paths};
use siphasher::sip128::{Hasher128, SipHasher13};
use std::hash::Hasher;

/// Main names of the commands whose arguments name no files, but numbers of changelists or specs.
const WITHOUT_FILES: &str = "branch branches change client clients counter counters depot depots \
    describe fix group groups job key keys label renameclient renameuser review spec stream \
    streamlog switch user users";

#[derive(Clone, Copy)]
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
    /// The server's local date `YYYY-MM-DD`.
    pub day: &'a dyn Fn() -> String,
}

struct NamedFile<'a> {
    kind: Kind,
    hash: u128,
    revision: &'a [u8],
}

/// Of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hashes {
    /// Of its files, with names made absolute, and of the options that select something. Options of
    /// output and limits do not count, nor does the command's name.
    pub question: u128,
    /// Of its kind: its name, the letters of its options, and the kinds of its paths with the kinds
    /// of their revisions.
    pub shape: u128,
}

/// Hashes of a command's options and files, in any order.
struct Parts {
    start: SipHasher13,
    /// With the command's name.
    of_kind: SipHasher13,
    asked: Vec<u128>,
    kinds: Vec<u128>,
}

impl Request<'_> {
    pub fn names_something(&self) -> bool {
        options::read(self.command, self.args).1.next().is_some()
    }

    pub fn hashes(&self, key: &[u8; 16]) -> Hashes {
        let start = SipHasher13::new_with_key(key);
        let mut of_kind = start;
        put_text(&mut of_kind, self.command);
        let mut parts = Parts { start, of_kind, asked: Vec::new(), kinds: Vec::new() };
        let (options, words) = self.read();
        self.add_options(&options, &mut parts);
        self.add_files(words, &mut parts);
        Hashes { question: of_set(start, parts.asked), shape: of_set(of_kind, parts.kinds) }
    }

    fn read(&self) -> (Vec<CommandOption<'_>>, Words<'_>) {
        let (mut options, words) = options::read(self.command, self.args);
        options.extend(options::read(self.command, self.addition.as_bytes()).0);
        (options, words)
    }

    fn add_options(&self, options: &[CommandOption<'_>], parts: &mut Parts) {
        let of_output = letters_of_output(self.command);
        // The last value of each letter: repetitions are no parts of their own.
        let mut values: [Option<&[u8]>; 256] = [None; 256];
        for option in options {
            let value = match option.name {
                OptionName::Letter(letter) => values.get_mut(usize::from(letter)),
                OptionName::Long(_) => None,
            };
            let last = value.and_then(|value| value.replace(option.value));
            if last == Some(option.value) {
                continue;
            }
            if last.is_none() {
                parts.kinds.push(self.hash_of(&parts.of_kind, option, b""));
            }
            if !option.is_of_output(of_output) {
                parts.asked.push(self.hash_of(&parts.start, option, option.value));
            }
        }
    }

    fn add_files(&self, words: Words<'_>, parts: &mut Parts) {
        let (mut kind, mut last_kind) = (Vec::new(), Vec::new());
        let (mut revision, mut plain): (&[u8], Vec<u8>) = (b"", self.plain_revision(b""));
        let start = parts.start;
        self.each_file(&start, words, |file| {
            if file.revision != revision {
                (revision, plain) = (file.revision, self.plain_revision(file.revision));
            }
            let mut hasher = start;
            hasher.write_u128(file.hash);
            put_text(&mut hasher, &folded_name(&plain, self.case_sensitive));
            parts.asked.push(hasher.finish128().as_u128());
            kind.clear();
            kind.push(file.kind as u8);
            add_without_numbers(&plain, &mut kind);
            if kind != last_kind {
                let mut hasher = parts.of_kind;
                put_text(&mut hasher, &kind);
                parts.kinds.push(hasher.finish128().as_u128());
                last_kind.clone_from(&kind);
            }
        });
    }

    /// For diff no revision is the one that the client has.
    fn plain_revision(&self, revision: &[u8]) -> Vec<u8> {
        match plain_revision(revision, self.day) {
            plain if plain.is_empty() && !revision.is_empty() && self.command == b"diff" => {
                b"#head".to_vec()
            }
            plain => plain,
        }
    }

    fn each_file<'w>(
        &self,
        start: &SipHasher13,
        mut words: Words<'w>,
        mut use_file: impl FnMut(NamedFile<'w>),
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
        put_text(&mut hasher, &folded_name(&without_zeros(word), self.case_sensitive));
        NamedFile { kind: Kind::Word, hash: hasher.finish128().as_u128(), revision: b"" }
    }

    fn hash_of(&self, start: &SipHasher13, option: &CommandOption<'_>, value: &[u8]) -> u128 {
        let mut hasher = *start;
        match option.name {
            OptionName::Letter(letter) => hasher.write_u8(letter),
            OptionName::Long(name) => put_text(&mut hasher, name),
        }
        put_text(&mut hasher, &folded_name(&without_zeros(value), self.case_sensitive));
        hasher.finish128().as_u128()
    }
}

fn of_set(mut hasher: SipHasher13, mut parts: Vec<u128>) -> u128 {
    parts.sort_unstable();
    parts.dedup();
    parts.iter().for_each(|part| hasher.write_u128(*part));
    hasher.finish128().as_u128()
}

/// Adds a revision with `N` for each run of digits, so that `#9` and `#10` are equal.
fn add_without_numbers(revision: &[u8], to: &mut Vec<u8>) {
    for (at, byte) in revision.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| revision.get(before));
        match byte {
            b'0'..=b'9' if before.is_some_and(u8::is_ascii_digit) => {}
            b'0'..=b'9' => to.push(b'N'),
            byte => to.push(*byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::command_bounds::CommandBounds;
    use crate::paths::command_line::CommandLine;
    use crate::paths::command_options::{COMMANDS, Options, options_of};

    /// All spellings of one option with the value `5` or the flags `ol`.
    fn spellings(options: &Options, letter: u8, kind: Option<u8>) -> Vec<String> {
        let (short, long) = (char::from(letter), options.long_names(letter));
        let (value, mut to) = match kind {
            None => ("", vec![format!("-{short}")]),
            Some(b'.') => ("ol", vec![format!("-{short}ol")]),
            Some(_) => ("5", vec![format!("-{short}5"), format!("-{short} 5")]),
        };
        for name in long {
            match kind {
                None => to.push(format!("--{name}")),
                Some(_) => to.extend([format!("--{name}={value}"), format!("--{name} {value}")]),
            }
        }
        to
    }

    fn check(command: &str, spelled: &[String]) {
        let bounds = CommandBounds::of(command.as_bytes());
        let read = |args: &str| {
            let line = CommandLine::read(&bounds, args.as_bytes());
            let reading = line.readings.first().map(|one| (one.seen, one.words));
            let request = Request {
                command: command.as_bytes(),
                addition: "",
                args: args.as_bytes(),
                directory: None,
                client: None,
                case_sensitive: true,
                day: &String::new,
            };
            let seen = reading.map(|(seen, words)| {
                let words: Vec<_> =
                    words.map(|word| String::from_utf8_lossy(word.text).into_owned()).collect();
                (format!("{seen:?}"), words)
            });
            (line.readings.len(), seen, request.hashes(&[7; 16]))
        };
        let [first, others @ ..] = spelled else { return };
        let expected = read(first);
        for other in others {
            assert_eq!(read(other), expected, "{command} {first} and {other}");
        }
    }

    #[test]
    fn every_spelling_of_an_option_is_read_alike() {
        let mut count = 0;
        for command in COMMANDS.iter().flat_map(|(names, _, _)| names.split(' ')) {
            let options = options_of(command.as_bytes());
            for (letter, kind) in options.all() {
                let alone: Vec<String> = spellings(&options, letter, kind)
                    .iter()
                    .map(|spelled| format!("{spelled} //depot/main/..."))
                    .collect();
                check(command, &alone);
                count += alone.len();
                for (flag, _) in
                    options.all().filter(|(flag, kind)| kind.is_none() && *flag != letter)
                {
                    let flag = char::from(flag);
                    let glued = alone.iter().filter(|one| !one.starts_with("--"));
                    let glued = glued.map(|one| format!("-{flag}{}", one.get(1..).unwrap_or("")));
                    let apart = alone.iter().flat_map(|one| {
                        [format!("-{flag} {one}"), one.replace(" //", &format!(" -{flag} //"))]
                    });
                    check(command, &glued.chain(apart).collect::<Vec<_>>());
                }
            }
        }
        assert!(count > 700, "{count}");
    }
}
