//! Parser of the text of a command's arguments (p4d's `%args%`): finds the file arguments in every
//! possible reading of the text.
//!
//! p4d reads options up to the first word that is not one (Options::Parse, support/options.cc of
//! Perforce's C++ API): `-m10` or `-m 10`, several letters in one word, `--max=10` or `--max 10`.
//! In `%args%` the words are joined by blanks: a word that contains a blank looks like two words,
//! and an empty word disappears (`-T '' //...` arrives as `-T //...`) or leaves a second blank.
//! Therefore one text can have several readings.

use crate::paths::command_bounds::{CommandBounds, Reads, SeenOptions};
use crate::paths::command_options::{Options, options_of};
use crate::paths::revision::{ends_with_day, is_time};

/// Number of different sets of options that are told apart at one word of the arguments. Ordinary
/// arguments have one reading; beyond this number a reading counts as one without options.
const MAX_READINGS: usize = 4;

/// Stands for the letter of a long option without one; its value is then its name.
const WITHOUT_LETTER: u8 = b'-';

/// A quotation mark also ends a word, because p4d removes them from a trigger's words.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    rest: &'a [u8],
    number: usize,
}

#[derive(Clone, Copy, Debug)]
pub struct Word<'a> {
    /// Counted from 1.
    pub number: usize,
    /// Without surrounding blanks and quotation marks.
    pub text: &'a [u8],
    /// The text from the start of this word on.
    pub remaining_text: &'a [u8],
}

#[derive(Clone, Debug, Default)]
pub struct CommandLine<'a> {
    /// The readings of the arguments' text, one for each set of options; that of several with the
    /// same options in which the words after the options begin earliest.
    pub readings: Vec<Reading<'a>>,
    /// Words that are values of the command's options, according to possible readings of the
    /// arguments' text in which neither the command nor an option bounds the number of records
    /// read. Such a word is a file argument only if the option's real value was an empty word,
    /// which p4d drops from `%args%`.
    pub values: Vec<Word<'a>>,
}

#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// The words after the command's options.
    pub words: Words<'a>,
    pub seen: SeenOptions<'a>,
}

impl<'a> CommandLine<'a> {
    /// `command` is the main name.
    #[must_use]
    pub fn read(command: &[u8], bounds: &CommandBounds, args: &'a [u8]) -> Self {
        Self::by(OptionReadings::from(Words::of(args)), command, bounds)
    }

    /// With the options that any reading has seen before a word: no number of readings hides one.
    #[must_use]
    pub fn with_all_options(command: &[u8], bounds: &CommandBounds, args: &'a [u8]) -> Self {
        let ways = OptionReadings { is_united: true, ..OptionReadings::from(Words::of(args)) };
        Self::by(ways, command, bounds)
    }

    fn by(mut ways: OptionReadings<'a>, command: &[u8], bounds: &CommandBounds) -> Self {
        let options = options_of(command);
        let mut line = CommandLine::default();
        while let Some(Reading { words, mut seen }) = ways.next() {
            let mut ahead = words;
            match ahead.next() {
                Some(word) if word.text == b"--" => line.end_options(ahead, seen),
                Some(word) if word.text.len() > 1 && word.text.starts_with(b"-") => {
                    match read_option(bounds, &options, &word, &mut seen) {
                        Some(letter) => line.take_value(bounds, letter, ahead, seen, &mut ways),
                        None => ways.add(Reading { words: ahead, seen }),
                    }
                }
                _ => line.end_options(words, seen),
            }
        }
        line
    }

    /// If a gap shows that the real value may have been an empty word, also continues before the
    /// word that looks like the value; otherwise, unless records are bounded, adds it to `values`.
    fn take_value(
        &mut self,
        bounds: &CommandBounds,
        letter: u8,
        before: Words<'a>,
        seen: SeenOptions<'a>,
        ways: &mut OptionReadings<'a>,
    ) {
        let with = |value: Option<Word<'a>>| {
            let mut seen = seen;
            if letter != WITHOUT_LETTER {
                bounds.note(&mut seen, letter, value.map_or(b"", |word| word.text));
            }
            seen
        };
        let mut behind = before;
        let value = behind.next();
        ways.add(Reading { words: behind, seen: with(value) });
        if before.has_a_gap() {
            ways.add(Reading { words: before, seen: with(None) });
        } else if !is_bounded(bounds, &with(value)) {
            self.values.extend(value);
        }
    }

    fn end_options(&mut self, words: Words<'a>, seen: SeenOptions<'a>) {
        let same = self.readings.iter_mut().find(|reading| reading.seen == seen);
        match same {
            Some(reading) if reading.words.number <= words.number => {}
            Some(reading) => reading.words = words,
            None => self.readings.push(Reading { words, seen }),
        }
    }
}

fn is_bounded(bounds: &CommandBounds, seen: &SeenOptions<'_>) -> bool {
    let reads = bounds.of_options(seen, true).unwrap_or_else(|| bounds.of_path());
    !matches!(reads, Reads::Files | Reads::Revisions | Reads::Latest)
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
        let end = end_of_revision(remaining_text, end);
        let (text, rest) = remaining_text.split_at_checked(end)?;
        (self.rest, self.number) = (rest, self.number + 1);
        Some(Word { number: self.number, text, remaining_text })
    }
}

impl<'a> Words<'a> {
    #[must_use]
    pub fn of(text: &'a [u8]) -> Self {
        Words { rest: text, number: 0 }
    }

    #[must_use]
    pub fn count_before(&self) -> usize {
        self.number
    }

    /// Whether an empty word may be missing before the next word.
    #[must_use]
    pub fn has_a_gap(&self) -> bool {
        let between = self.rest.iter().take_while(|byte| is_between(**byte));
        between.clone().count() > 1 || between.clone().any(|byte| *byte == b'"')
    }
}

impl<'a> Word<'a> {
    /// From the start of this word to the end of the later word `last`.
    #[must_use]
    pub fn joined_to(&self, last: &Word<'a>) -> &'a [u8] {
        let end =
            self.remaining_text.len().saturating_sub(last.remaining_text.len()) + last.text.len();
        self.remaining_text.get(..end).unwrap_or(self.text)
    }
}

/// The readings that go on, in the order of the words that they have consumed: each goes on one or
/// two words further.
struct OptionReadings<'a> {
    /// The number of words that those in turn have consumed.
    number: usize,
    /// By the number of words, modulo the length.
    open: [Vec<Reading<'a>>; 3],
    /// Whether those with as many words go on as one.
    is_united: bool,
}

impl<'a> OptionReadings<'a> {
    fn from(words: Words<'a>) -> Self {
        let (open, is_united) = (Default::default(), false);
        let mut ways = OptionReadings { number: words.number, open, is_united };
        ways.add(Reading { words, seen: SeenOptions::default() });
        ways
    }

    fn add(&mut self, reading: Reading<'a>) {
        let Reading { words, mut seen } = reading;
        let Some(others) = self.open.get_mut(words.number % 3) else { return };
        if let Some(other) = others.first_mut().filter(|_| self.is_united) {
            return other.seen.add(&seen);
        }
        let is_one = |seen: SeenOptions<'_>| others.iter().any(|other| other.seen == seen);
        if others.len() >= MAX_READINGS && !is_one(seen) {
            seen = SeenOptions::default();
        }
        if !is_one(seen) {
            others.push(Reading { words, seen });
        }
    }

    /// None if no reading goes on.
    fn next(&mut self) -> Option<Reading<'a>> {
        for _ in 0..self.open.len() {
            if let Some(reading) = self.open.get_mut(self.number % 3)?.pop() {
                return Some(reading);
            }
            self.number += 1;
        }
        None
    }
}

/// Returns the letter of the last if it takes the next word as its value.
fn read_option<'a>(
    bounds: &CommandBounds,
    options: &Options,
    word: &Word<'a>,
    seen: &mut SeenOptions<'a>,
) -> Option<u8> {
    if let Some(long) = word.text.strip_prefix(b"--") {
        let mut parts = long.splitn(2, |byte| *byte == b'=');
        let (name, value) = (parts.next().unwrap_or_default(), parts.next());
        let option = options.long(name);
        let letter = option.letter.unwrap_or(WITHOUT_LETTER);
        if letter == WITHOUT_LETTER {
            // Behind other words it may be a part of an option's value, such as `-e 'x --explain'`.
            let is_certain = word.number == 1 || name != b"explain";
            bounds.note(seen, WITHOUT_LETTER, if is_certain { name } else { b"" });
        } else if value.is_some() || !option.takes_value {
            bounds.note(seen, letter, value.unwrap_or_default());
        }
        return Some(letter).filter(|_| option.takes_value && value.is_none());
    }
    let mut letters = word.text.get(1..).unwrap_or_default();
    while let Some((letter, rest)) = letters.split_first() {
        match options.kind(*letter) {
            Some(b':') if rest.is_empty() => return Some(*letter),
            Some(_) => {
                bounds.note(seen, *letter, rest);
                return None;
            }
            None => bounds.note(seen, *letter, b""),
        }
        letters = rest;
    }
    None
}

/// The end of a word of a text, and of the words behind it if they go on with the time of a date in
/// its revision, such as `@2026/01/31 12:00:00,@now`.
fn end_of_revision(text: &[u8], mut end: usize) -> usize {
    let mut word = text.get(..end).unwrap_or_default();
    if !word.contains(&b'@') {
        return end;
    }
    while ends_with_day(word) {
        let rest = text.get(end..).unwrap_or_default();
        let start = rest.iter().position(|byte| !is_between(*byte)).unwrap_or(rest.len());
        let next = rest.get(start..).unwrap_or_default();
        let length = next.iter().position(|byte| is_between(*byte)).unwrap_or(next.len());
        word = next.get(..length).unwrap_or_default();
        if !is_time(word) {
            break;
        }
        end += start + length;
    }
    end
}

fn is_between(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r' | b'"')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn files<'a>(command: &str, args: &'a str) -> Vec<&'a str> {
        let line = read(command, args.as_bytes());
        let first = line.readings.iter().min_by_key(|reading| reading.words.number);
        let files = first.into_iter().flat_map(|reading| reading.words);
        files.filter_map(|word| str::from_utf8(word.text).ok()).collect()
    }

    fn read<'a>(command: &str, args: &'a [u8]) -> CommandLine<'a> {
        let bounds = CommandBounds::of(command.as_bytes());
        CommandLine::read(command.as_bytes(), &bounds, args)
    }

    fn is_bounded(command: &str, args: &str) -> bool {
        let bounds = CommandBounds::of(command.as_bytes());
        let line = CommandLine::read(command.as_bytes(), &bounds, args.as_bytes());
        line.readings.iter().all(|reading| super::is_bounded(&bounds, &reading.seen))
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
        assert_eq!(files("fstat", "-m1 -- -m //..."), ["-m", "//..."]);
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
        let line = read("fstat", b"-T //a -m 1 //b");
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
        fn files_and_values_stay_linear_in_the_length_of_the_arguments(
            command in "fstat|files|grep|other",
            args: Vec<u8>,
        ) {
            let line = read(&command, &args);
            let words: usize = line.readings.iter().map(|reading| reading.words.count()).sum();
            prop_assert!(words + line.values.len() <= 2 * (MAX_READINGS + 1) * args.len());
        }

        #[test]
        fn ambiguous_options_give_few_values_per_word(
            letters in prop::collection::vec("-[TFe] {1,2}", 0..300),
        ) {
            let args = letters.concat();
            let line = read("fstat", args.as_bytes());
            prop_assert!(line.values.len() <= 2 * (MAX_READINGS + 1) * letters.len());
        }
    }
}
