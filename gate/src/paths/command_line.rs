//! Parser of the text of a command's arguments (p4d's `%args%`): finds the file arguments in every
//! possible reading of the text.
//!
//! p4d reads options up to the first word that is not one (Options::Parse, support/options.cc of
//! Perforce's C++ API): `-m10` or `-m 10`, several letters in one word, `--max=10` or `--max 10`.
//! In `%args%` the words are joined by blanks: a word that contains a blank looks like two words,
//! and an empty word disappears (`-T '' //...` arrives as `-T //...`) or leaves a second blank.
//! Therefore one text can have several readings.

use crate::paths::command_options::{Options, options_of, takes_value};
use crate::paths::scan_bounds::{is_always_bounded, is_bounded_by};

/// Iterator over the words of the text of a command's arguments. A quotation mark also ends a word,
/// because p4d removes quotation marks from a trigger's words.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    rest: &'a [u8],
    number: usize,
}

/// One word of the text of a command's arguments.
#[derive(Clone, Copy, Debug)]
pub struct Word<'a> {
    /// Number of the word among the words of the command's arguments, counted from 1.
    pub number: usize,
    /// Text of one word of a command's arguments, without surrounding blanks and quotation marks.
    pub text: &'a [u8],
    /// The rest of the text of the command's arguments, from the start of this word on.
    remaining_text: &'a [u8],
}

/// The file arguments of a command, under every possible reading of its options.
#[derive(Clone, Debug, Default)]
pub struct CommandLine<'a> {
    /// The words that may be file arguments, according to those possible readings of the arguments'
    /// text in which neither the command itself nor an option bounds the number of records that the
    /// command reads; None if there is no such reading.
    pub files: Option<Words<'a>>,
    /// The words that may be file arguments, according to those possible readings of the arguments'
    /// text in which the command itself or one of its options bounds the number of records that it
    /// reads; None if there is no such reading.
    pub bounded_words: Option<Words<'a>>,
    /// Words that are values of the command's options, according to possible readings of the
    /// arguments' text in which neither the command nor an option bounds the number of records
    /// read. Such a word is a file argument only if the option's real value was an empty word,
    /// which p4d drops from `%args%`.
    pub values: Vec<Word<'a>>,
}

impl<'a> CommandLine<'a> {
    /// Parses the text of a command's arguments; `command` is its name without the prefix `user-`.
    #[must_use]
    pub fn read(command: &[u8], args: &'a [u8]) -> Self {
        let options = options_of(command);
        let mut line = CommandLine::default();
        let mut ways = OptionReadings::default();
        ways.add(Words::of(args), is_always_bounded(command));
        while let Some((words, is_bounded)) = ways.open_readings.pop() {
            let mut ahead = words;
            match ahead.next() {
                Some(word) if word.text.len() > 1 && word.text.starts_with(b"-") => {
                    let option = read_option(command, &options, word.text);
                    let is_bounded = is_bounded || option.is_bound;
                    if option.takes_a_word {
                        line.take_value(ahead, is_bounded, &mut ways);
                    } else {
                        ways.add(ahead, is_bounded);
                    }
                }
                _ => line.end_options(words, is_bounded),
            }
        }
        line
    }

    /// The words after the command's options, from the earliest position that any reading of the
    /// options gives.
    pub fn words(&self) -> impl Iterator<Item = Word<'a>> + Clone + use<'a> {
        let places = self.files.into_iter().chain(self.bounded_words);
        places.min_by_key(|words| words.number).into_iter().flatten()
    }

    /// Continues the parsing of a command's options after an option's value. If a gap in the text
    /// shows that the real value may have been an empty word, also continues before the word that
    /// looks like the value; otherwise, unless the number of records read is bounded, adds that
    /// word to `values`.
    fn take_value(&mut self, before: Words<'a>, is_bounded: bool, ways: &mut OptionReadings<'a>) {
        let mut behind = before;
        let value = behind.next();
        ways.add(behind, is_bounded);
        if before.has_a_gap() {
            ways.add(before, is_bounded);
        } else if !is_bounded {
            self.values.extend(value);
        }
    }

    /// Records the position at which the files begin among a command's arguments; the earliest
    /// position is kept, separately for readings with and without a bound on the records read.
    fn end_options(&mut self, files: Words<'a>, is_bounded: bool) {
        let earliest = if is_bounded { &mut self.bounded_words } else { &mut self.files };
        if earliest.is_none_or(|earliest| files.number < earliest.number) {
            *earliest = Some(files);
        }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.rest.iter().position(|byte| !is_between(*byte))?;
        let remaining_text = self.rest.get(start..)?;
        let end = remaining_text
            .iter()
            .position(|byte| is_between(*byte))
            .unwrap_or(remaining_text.len());
        let (text, rest) = remaining_text.split_at_checked(end)?;
        (self.rest, self.number) = (rest, self.number + 1);
        Some(Word { number: self.number, text, remaining_text })
    }
}

impl<'a> Words<'a> {
    /// Creates an iterator over the words of a command's arguments, split at white space and
    /// quotation marks.
    #[must_use]
    pub fn of(text: &'a [u8]) -> Self {
        Words { rest: text, number: 0 }
    }

    /// Whether more than one blank or a quotation mark precedes the next word of a command's
    /// arguments, so that an empty word may be missing there.
    fn has_a_gap(&self) -> bool {
        let between = self.rest.iter().take_while(|byte| is_between(**byte));
        between.clone().count() > 1 || between.clone().any(|byte| *byte == b'"')
    }
}

impl<'a> Word<'a> {
    /// The text of a command's arguments from the start of this word to the end of the later word
    /// `last`.
    #[must_use]
    pub fn joined_to(&self, last: &Word<'a>) -> &'a [u8] {
        let end =
            self.remaining_text.len().saturating_sub(last.remaining_text.len()) + last.text.len();
        self.remaining_text.get(..end).unwrap_or(self.text)
    }
}

/// The possible readings of a command's options that remain to be parsed. Of the readings that have
/// reached the same word, only one with a bound on the records that p4d reads and one without are
/// kept.
#[derive(Default)]
struct OptionReadings<'a> {
    open_readings: Vec<(Words<'a>, bool)>,
    /// For each number of words (the index): whether a reading that has consumed that many words
    /// was added with no bound on the records that p4d reads, and whether one was added with such a
    /// bound.
    visits: Vec<[bool; 2]>,
}

impl<'a> OptionReadings<'a> {
    fn add(&mut self, words: Words<'a>, is_bounded: bool) {
        if self.visits.len() <= words.number {
            self.visits.resize(words.number + 1, [false; 2]);
        }
        let visit = self.visits.get_mut(words.number);
        let visit = visit.and_then(|visit| visit.get_mut(usize::from(is_bounded)));
        if visit.is_some_and(|visit| !std::mem::replace(visit, true)) {
            self.open_readings.push((words, is_bounded));
        }
    }
}

struct OptionWord {
    /// Whether an option in the word bounds the number of records that the command reads.
    is_bound: bool,
    /// Whether the last option in the word takes the next word of the arguments as its value.
    takes_a_word: bool,
}

fn read_option(command: &[u8], options: &Options, word: &[u8]) -> OptionWord {
    if let Some(long) = word.strip_prefix(b"--") {
        return OptionWord { is_bound: false, takes_a_word: takes_value(long) };
    }
    let mut letters = word.get(1..).unwrap_or_default();
    let mut is_bound = false;
    while let Some((letter, rest)) = letters.split_first() {
        is_bound |= is_bounded_by(command, *letter, rest);
        match options.kind(*letter) {
            Some(kind) => {
                return OptionWord { is_bound, takes_a_word: kind == b':' && rest.is_empty() };
            }
            None => letters = rest,
        }
    }
    OptionWord { is_bound, takes_a_word: false }
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
        let files = line.files.or(line.bounded_words).into_iter().flatten();
        files.filter_map(|word| str::from_utf8(word.text).ok()).collect()
    }

    fn is_bounded(command: &str, args: &str) -> bool {
        CommandLine::read(command.as_bytes(), args.as_bytes()).files.is_none()
    }

    #[test]
    fn option_values_are_not_file_arguments() {
        assert_eq!(files("fstat", "-T //x -F a*b -m 10 -e 12 f"), ["f"]);
        assert_eq!(files("fstat", "-m10 -Ofm //a"), ["//a"]);
        assert_eq!(files("files", "-em 10 //a //b"), ["//a", "//b"]);
        assert_eq!(files("files", "-e //a"), ["//a"]);
        assert_eq!(files("changes", "-m1 -s submitted -u ann -c ws //a"), ["//a"]);
        assert_eq!(files("sync", "--parallel threads=4 --max=3 -q //a"), ["//a"]);
        assert_eq!(files("newer", "-m 10 //a"), ["10", "//a"]);
    }

    #[test]
    fn options_end_at_the_first_other_word() {
        assert_eq!(files("fstat", "f -m //..."), ["f", "-m", "//..."]);
        assert_eq!(files("fstat", "- -m //..."), ["-", "-m", "//..."]);
        assert_eq!(files("fstat", "\"//a b\" c"), ["//a", "b", "c"]);
        assert_eq!(files("fstat", "-m"), [""; 0]);
    }

    #[test]
    fn an_option_value_may_be_an_empty_word() {
        assert_eq!(files("fstat", "-T  //a -m 1 //b"), ["//a", "-m", "1", "//b"]);
        assert_eq!(files("fstat", "-T \" //a"), ["//a"]);
        assert_eq!(files("fstat", "-T  -F  -e5 //a"), ["//a"]);
        assert_eq!(files("fstat", "-T x -e 5 //a"), ["//a"]);
        assert!(is_bounded("fstat", "-T x -e 5 //a"));
        assert!(!is_bounded("fstat", "-T  x -e 5 //a"));
        assert!(!is_bounded("fstat", "-T  -F  -e5 //a"));
        let line = CommandLine::read(b"fstat", b"-T //a -m 1 //b");
        let values: Vec<_> = line.values.iter().map(|word| word.text).collect();
        assert_eq!(values, [&b"//a"[..], b"1"]);
    }

    #[test]
    fn options_that_bound_a_command_are_recognized() {
        assert!(is_bounded("fstat", "-Op -Rs -e 42 //..."));
        assert!(is_bounded("fstat", "-Rco //..."));
        assert!(!is_bounded("fstat", "-Rch //..."));
        assert!(!is_bounded("fstat", "-T e -Oe -m 1 //..."));
        assert!(!is_bounded("files", "-e //..."));
    }

    proptest! {
        #[test]
        fn files_and_values_are_at_most_twice_the_length_of_the_arguments(
            command in "fstat|files|grep|other",
            args: Vec<u8>,
        ) {
            let line = CommandLine::read(command.as_bytes(), &args);
            let count = line.files.map_or(0, Iterator::count) + line.values.len();
            prop_assert!(count <= 2 * args.len());
        }

        #[test]
        fn ambiguous_options_give_at_most_two_values_per_word(
            letters in prop::collection::vec("-[TFe] {1,2}", 0..300),
        ) {
            let args = letters.concat();
            let line = CommandLine::read(b"fstat", args.as_bytes());
            prop_assert!(line.values.len() <= 2 * letters.len());
        }
    }
}
