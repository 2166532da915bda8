//! The text of a command's arguments -> its options and its files, as far as that can be told.
//!
//! p4d reads options up to the first word that is none (Options::Parse, support/options.cc of
//! Perforce's C++ API): `-m10` or `-m 10`, letters in one word, `--max=10` or `--max 10`. In `%args%`
//! the words stand with blanks between, so a word with a blank in it looks like two.

use crate::paths::command_options::{Options, options_of, takes_value};

/// The words of a text; a quote ends a word as well, for p4d drops quotes from a trigger's words.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    rest: &'a [u8],
    number: usize,
}

/// What a command's arguments ask for.
#[derive(Clone, Copy, Debug)]
pub struct CommandLine<'a> {
    /// Whether an option bounds what the command looks at, whatever its files are.
    pub is_bounded: bool,
    /// The words behind the options, each with its number among all words.
    pub files: Words<'a>,
}

impl<'a> CommandLine<'a> {
    /// Reads the arguments of a command, named without `user-`.
    #[must_use]
    pub fn read(command: &[u8], args: &'a [u8]) -> Self {
        let options = options_of(command);
        let mut line = CommandLine { is_bounded: false, files: Words::of(args) };
        loop {
            let mut ahead = line.files;
            match ahead.next() {
                Some((_, word)) if word.len() > 1 && word.starts_with(b"-") => {
                    line.is_bounded |= read_option(&options, word, &mut ahead);
                }
                _ => return line,
            }
            line.files = ahead;
        }
    }
}

impl<'a> Words<'a> {
    /// The words of a text.
    #[must_use]
    pub fn of(text: &'a [u8]) -> Self {
        Words { rest: text, number: 0 }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.rest.iter().position(|byte| !is_between(*byte))?;
        let rest = self.rest.get(start..)?;
        let end = rest.iter().position(|byte| is_between(*byte)).unwrap_or(rest.len());
        let (word, rest) = rest.split_at_checked(end)?;
        (self.rest, self.number) = (rest, self.number + 1);
        Some((self.number, word))
    }
}

/// Takes an option's value if it is a word of its own; tells whether the option bounds the command.
fn read_option(options: &Options, word: &[u8], ahead: &mut Words<'_>) -> bool {
    if let Some(long) = word.strip_prefix(b"--") {
        if takes_value(long) {
            ahead.next();
        }
        return false;
    }
    let mut letters = word.get(1..).unwrap_or_default();
    let mut bounds = false;
    while let Some((letter, rest)) = letters.split_first() {
        bounds |= options.is_bounded_by(*letter, rest);
        match options.kind(*letter) {
            Some(b':') if rest.is_empty() => {
                ahead.next();
                break;
            }
            Some(_) => break,
            None => letters = rest,
        }
    }
    bounds
}

fn is_between(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r' | b'"')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn files<'a>(command: &str, args: &'a str) -> Vec<&'a str> {
        let line = CommandLine::read(command.as_bytes(), args.as_bytes());
        line.files.filter_map(|(_, word)| str::from_utf8(word).ok()).collect()
    }

    fn is_bounded(command: &str, args: &str) -> bool {
        CommandLine::read(command.as_bytes(), args.as_bytes()).is_bounded
    }

    #[test]
    fn values_of_options_are_no_files() {
        assert_eq!(files("fstat", "-T //x -F a*b -m 10 -e 12 f"), ["f"]);
        assert_eq!(files("fstat", "-m10 -Ofm //a"), ["//a"]);
        assert_eq!(files("files", "-em 10 //a //b"), ["//a", "//b"]);
        assert_eq!(files("files", "-e //a"), ["//a"]);
        assert_eq!(files("changes", "-m1 -s submitted -u ann -c ws //a"), ["//a"]);
        assert_eq!(files("sync", "--parallel threads=4 --max=3 -q //a"), ["//a"]);
        assert_eq!(files("newer", "-m 10 //a"), ["10", "//a"]);
    }

    #[test]
    fn options_end_at_the_first_word_that_is_none() {
        assert_eq!(files("fstat", "f -m //..."), ["f", "-m", "//..."]);
        assert_eq!(files("fstat", "- -m //..."), ["-", "-m", "//..."]);
        assert_eq!(files("fstat", "\"//a b\" c"), ["//a", "b", "c"]);
        assert_eq!(files("fstat", "-m"), [""; 0]);
    }

    #[test]
    fn some_options_bound_the_command() {
        assert!(is_bounded("fstat", "-Op -Rs -e 42 //..."));
        assert!(is_bounded("fstat", "-Rco //..."));
        assert!(!is_bounded("fstat", "-Rch //..."));
        assert!(!is_bounded("fstat", "-T e -Oe -c 1 //..."));
        assert!(!is_bounded("files", "-e //..."));
    }

    proptest! {
        #[test]
        fn no_text_is_too_much(command in "fstat|files|grep|other", args: Vec<u8>) {
            let line = CommandLine::read(command.as_bytes(), &args);
            prop_assert!(line.files.count() <= args.len());
        }
    }
}
