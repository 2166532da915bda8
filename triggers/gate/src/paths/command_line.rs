//! Parser of the text of a command's arguments (p4d's `%args%`): finds the file arguments in every
//! possible reading of the text.
//!
//! p4d reads options up to the first word that is not one (Options::Parse, support/options.cc of
//! Perforce's C++ API): `-m10` or `-m 10`, several letters in one word, `--max=10` or `--max 10`.
//! In `%args%` the words are joined by blanks: a word that contains a blank looks like two words,
//! and an empty word disappears (`-T '' //...` arrives as `-T //...`) or leaves a second blank.
//! Therefore one text can have several readings, and so has an option that stands several times.

use crate::paths::argument_words::{Word, Words};
use crate::paths::command_bounds::{CommandBounds, Repeated, SeenOptions};
use crate::paths::option_reader::{GivenOption, GivenValue, OptionName, option_word, options_in};

/// Number of different sets of options that are told apart at one word of the arguments. Ordinary
/// arguments have one reading; further readings count as one, with the options of all with which the
/// command reads more than without.
const MAX_READINGS: usize = 4;

/// Stands for the letter of a long option without one; its value is then its name.
const WITHOUT_LETTER: u8 = b'-';

#[derive(Clone, Debug, Default)]
pub struct CommandLine<'a> {
    /// The readings of the arguments' text, one for each set of options and first word behind them.
    pub readings: Vec<Reading<'a>>,
}

#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// The words after the command's options.
    pub words: Words<'a>,
    pub seen: SeenOptions<'a>,
}

impl<'a> CommandLine<'a> {
    /// `bounds` are the command's.
    pub fn read(bounds: &CommandBounds, args: &'a [u8]) -> Self {
        Self::by(bounds, args, false)
    }

    /// With the options that any reading has seen before a word: no number of readings hides one.
    pub fn with_all_options(bounds: &CommandBounds, args: &'a [u8]) -> Self {
        Self::by(bounds, args, true)
    }

    fn by(bounds: &CommandBounds, args: &'a [u8], is_united: bool) -> Self {
        let mut line = CommandLine::default();
        for repeated in Repeated::WAYS {
            let ways = OptionReadings::from(bounds, Words::of(args), is_united);
            if !(Reader { bounds, repeated }).read(ways, &mut line) {
                break;
            }
        }
        line
    }

    /// Of more readings, those with the earliest words remain.
    fn add(&mut self, bounds: &CommandBounds, words: Words<'a>, seen: SeenOptions<'a>) {
        let is_full = self.readings.len() >= MAX_READINGS;
        let is_same = |reading: &Reading<'_>| {
            reading.seen == seen
                && (is_full || reading.words.count_before() == words.count_before())
        };
        let same = self.readings.iter().position(is_same);
        let place = same.unwrap_or(self.readings.len()).min(MAX_READINGS);
        match self.readings.get_mut(place) {
            Some(reading) => {
                if same.is_none() {
                    reading.seen.add(&bounds.widening(&seen));
                }
                if words.count_before() < reading.words.count_before() {
                    reading.words = words;
                }
            }
            None if is_full => {
                self.readings.push(Reading { words, seen: bounds.widening(&seen) });
            }
            None => self.readings.push(Reading { words, seen }),
        }
    }
}

struct Reader<'t> {
    bounds: &'t CommandBounds,
    repeated: Repeated,
}

impl Reader<'_> {
    /// Adds all readings; returns whether one has an option several times.
    fn read<'a>(&self, mut ways: OptionReadings<'a, '_>, to: &mut CommandLine<'a>) -> bool {
        let (mut repeats, mut after_gaps) = (false, Vec::new());
        while let Some(Reading { words, mut seen }) = ways.next() {
            let Some((word, behind)) = option_word(words) else {
                to.add(self.bounds, words, seen);
                continue;
            };
            // A word that vanished before this one ended the options.
            if words.has_a_gap() {
                after_gaps.push(Reading { words, seen });
            }
            let (last, is_again) = self.note_word(&word, &mut seen);
            repeats |= is_again;
            match last {
                Some(letter) => repeats |= self.take_value(letter, behind, seen, &mut ways),
                None => ways.add(Reading { words: behind, seen }),
            }
        }
        for Reading { words, seen } in after_gaps {
            to.add(self.bounds, words, seen);
        }
        repeats
    }

    /// Also continues before the word that looks like the value, if the real one may have been an
    /// empty word: if a gap shows it, or if the word looks like an option or like a file. Returns
    /// whether the option stands there again.
    fn take_value<'a>(
        &self,
        letter: u8,
        before: Words<'a>,
        seen: SeenOptions<'a>,
        ways: &mut OptionReadings<'a, '_>,
    ) -> bool {
        let with = |value: Option<Word<'a>>| {
            let (mut seen, text) = (seen, value.map_or(&b""[..], |word| word.text));
            let is_again = letter != WITHOUT_LETTER
                && self.bounds.note(&mut seen, (letter, text), self.repeated);
            (seen, is_again)
        };
        let mut behind = before;
        let value = behind.next();
        let (seen, is_again) = with(value);
        ways.add(Reading { words: behind, seen });
        let is_other = |word: Word<'_>| word.text.starts_with(b"-") || word.text.starts_with(b"//");
        if before.has_a_gap() || value.is_some_and(is_other) {
            ways.add(Reading { words: before.behind_an_empty_word(), seen: with(None).0 });
        }
        is_again
    }

    /// Returns the letter of the last option if it takes the next word as its value, and whether an
    /// option stands there again.
    fn note_word<'a>(&self, word: &Word<'a>, seen: &mut SeenOptions<'a>) -> (Option<u8>, bool) {
        let (mut last, mut is_again) = (None, false);
        for GivenOption { name, value } in options_in(self.bounds.kinds(), word.text) {
            let (letter, value) = match (name, value) {
                (OptionName::Letter(letter), GivenValue::NextWord) => {
                    last = Some(letter);
                    continue;
                }
                (OptionName::Letter(letter), GivenValue::Attached(value)) => (letter, value),
                (OptionName::Letter(letter), GivenValue::None) => (letter, &b""[..]),
                (OptionName::Long(name), value) => {
                    last = (value == GivenValue::NextWord).then_some(WITHOUT_LETTER);
                    // Behind other words it may be a part of an option's value, such as
                    // `-e 'x --explain'`.
                    let is_certain = word.number == 1 || name != b"explain";
                    (WITHOUT_LETTER, if is_certain { name } else { b"" })
                }
            };
            is_again |= self.bounds.note(seen, (letter, value), self.repeated);
        }
        (last, is_again)
    }
}

/// The readings that go on, in the order of the words that they have consumed: each goes on one or
/// two words further.
struct OptionReadings<'a, 't> {
    bounds: &'t CommandBounds,
    /// The number of words that those in turn have consumed.
    number: usize,
    /// By the number of words, modulo the length.
    open: [Vec<Reading<'a>>; 3],
    /// Whether those with as many words go on as one.
    is_united: bool,
}

impl<'a, 't> OptionReadings<'a, 't> {
    fn from(bounds: &'t CommandBounds, words: Words<'a>, is_united: bool) -> Self {
        let (number, open) = (words.count_before(), Default::default());
        let mut ways = OptionReadings { bounds, number, open, is_united };
        ways.add(Reading { words, seen: SeenOptions::default() });
        ways
    }

    fn add(&mut self, reading: Reading<'a>) {
        let Reading { words, seen } = reading;
        let Some(others) = self.open.get_mut(words.count_before() % 3) else { return };
        if let Some(other) = others.first_mut().filter(|_| self.is_united) {
            return other.seen.add(&seen);
        }
        if others.iter().any(|other| other.seen == seen) {
            return;
        }
        let is_full = others.len() >= MAX_READINGS;
        match others.get_mut(MAX_READINGS) {
            Some(other) => other.seen.add(&self.bounds.widening(&seen)),
            None if is_full => others.push(Reading { words, seen: self.bounds.widening(&seen) }),
            None => others.push(reading),
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn files<'a>(command: &str, args: &'a str) -> Vec<&'a str> {
        let line = read(command, args.as_bytes());
        let first = line.readings.iter().min_by_key(|reading| reading.words.count_before());
        let files = first.into_iter().flat_map(|reading| reading.words);
        files.filter_map(|word| str::from_utf8(word.text).ok()).collect()
    }

    /// The text behind the options in each reading.
    fn readings(command: &str, args: &str) -> Vec<String> {
        let text = |reading: &Reading<'_>| {
            let words: Vec<_> = reading.words.map(|word| word.text).collect();
            String::from_utf8_lossy(&words.join(&b' ')).into_owned()
        };
        let bounds = CommandBounds::seeing(command.as_bytes(), b"aAbcdefmpqRTu");
        let line = CommandLine::read(&bounds, args.as_bytes());
        line.readings.iter().map(text).collect()
    }

    fn read<'a>(command: &str, args: &'a [u8]) -> CommandLine<'a> {
        let bounds = CommandBounds::of(command.as_bytes());
        CommandLine::read(&bounds, args)
    }

    /// Whether an option bounds the command in all readings.
    fn is_bounded(command: &str, args: &str) -> bool {
        let bounds = CommandBounds::of(command.as_bytes());
        let line = CommandLine::read(&bounds, args.as_bytes());
        let of_options = |reading: &Reading<'_>| bounds.of_options(&reading.seen, true);
        line.readings.iter().all(|reading| of_options(reading).is_some())
    }

    #[test]
    fn option_values_are_not_file_arguments() {
        assert_eq!(files("fstat", "-T x -F a*b -m 10 -e 12 f"), ["f"]);
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
        assert_eq!(files("fstat", "-m1 -- -m //..."), ["--", "-m", "//..."]);
        assert_eq!(files("fstat", "\"//a b\" c"), ["//a", "b", "c"]);
        assert_eq!(files("fstat", "-m"), [""; 0]);
    }

    #[test]
    fn an_option_value_may_be_an_empty_word() {
        assert_eq!(files("fstat", "-T  //a -m 1 //b"), ["//a", "-m", "1", "//b"]);
        assert_eq!(files("fstat", "-T \" //a"), ["//a"]);
        assert_eq!(files("fstat", "-T x -e 5 //a"), ["//a"]);
        assert!(is_bounded("fstat", "-T x -e 5 //a"));
        assert!(!is_bounded("fstat", "-T  x -e 5 //a"));
        assert!(!is_bounded("fstat", "-T  -F  -e5 //a"));
        assert_eq!(readings("fstat", "-T //a -m 1 //b"), ["//a -m 1 //b", "//b"]);
        assert_eq!(readings("opened", "-c -a"), ["", ""]);
    }

    #[test]
    fn a_word_that_vanished_before_an_option_ended_the_options() {
        assert_eq!(readings("sync", "-q  -p //a"), ["//a", "-p //a"]);
        assert_eq!(readings("sync", "\" -p //a"), ["//a", "-p //a"]);
        assert_eq!(readings("sync", " -p //a"), ["//a", "-p //a"]);
        assert_eq!(readings("sync", "-q -p //a"), ["//a"]);
        assert_eq!(readings("sync", "-q  //a"), ["//a"]);
    }

    #[test]
    fn a_repeated_option_has_its_first_its_last_and_all_values() {
        let most = |args: &str| -> Vec<_> {
            read("changes", args.as_bytes()).readings.iter().map(|one| one.seen.most).collect()
        };
        assert_eq!(most("-m 5 -m 50 //a"), [Some(5), Some(50)]);
        assert_eq!(most("-m5 --max 5 //a"), [Some(5)]);
        let bounds = |args: &str| {
            let bounds = CommandBounds::of(b"fstat");
            let line = CommandLine::read(&bounds, args.as_bytes());
            let read = line.readings.iter().map(|one| bounds.of_options(&one.seen, true).is_some());
            read.collect::<Vec<_>>()
        };
        assert_eq!(bounds("-Rc -Ro //a"), [false, true]);
        assert_eq!(bounds("-Or -Ro -Rc //a"), [true, true]);
    }

    #[test]
    fn no_number_of_readings_hides_an_option_that_makes_the_command_read_more() {
        let bounds = CommandBounds::of(b"dirs");
        for args in ["-S x -S -C -S -D -S -H -S -i //D", "-S -C -S -D -S -i -S -H  -S -i //D"] {
            let line = CommandLine::read(&bounds, args.as_bytes());
            assert!(line.readings.len() > MAX_READINGS);
            assert!(line.readings.iter().any(|one| bounds.ignores_case(&one.seen)), "{args}");
        }
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
        fn readings_stay_few(
            command in "fstat|files|grep|other",
            args in "(-[TFReWU0o]{1,2} {1,2}){0,300}|\\PC*",
        ) {
            let line = read(&command, args.as_bytes());
            prop_assert!(line.readings.len() <= MAX_READINGS + 1);
        }
    }
}
