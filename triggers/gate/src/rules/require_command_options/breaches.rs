//! In which way a command breaks the rule, by each reading of its arguments.

use super::settings::{COPIES_NOTHING, Settings, shown};
use crate::event::command_event::Event;
use crate::paths::argument_words::{Word, Words};
use crate::paths::command_bounds::CommandBounds;
use crate::paths::command_line::{CommandLine, Reading};
use crate::paths::command_synonyms::contains_addition;
use crate::paths::depot_path::path_and_revision;
use crate::paths::revision::{Point, Range, Revision, revision_of};

/// Of a command against the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breach {
    Lacks(u8),
    LacksNumber,
    /// With the number that `-m` has; None for `-m 0`, and for no number.
    IsAbove(Option<u64>),
    Has(u8),
}

impl Settings {
    pub fn breaches(
        &self,
        event: &Event<'_>,
        options: &CommandBounds,
        reading: &Reading<'_>,
    ) -> Vec<Breach> {
        let is_seen = |letter| {
            options.saw(&reading.seen, letter) || event.name.addition.as_bytes() == [b'-', letter]
        };
        let of_sync = event.name.main_name == b"sync";
        let copies_nothing = COPIES_NOTHING
            .iter()
            .any(|letter| is_seen(*letter) && self.forbidden.iter().all(|one| one.0 != *letter));
        if options.is_explained(&reading.seen)
            || of_sync && (copies_nothing || removes_files(reading.words))
        {
            return Vec::new();
        }
        let lacks = self.required.iter().map(|letter| letter.0).filter(|one| !is_seen(*one));
        let mut breaches: Vec<_> = lacks.map(Breach::Lacks).collect();
        let most = reading.seen.most;
        let is_above = |max: u64| {
            most.is_none_or(|most| most > max)
                && !(event.name.main_name == b"changes" && are_within(max, reading.words))
        };
        if self.max.is_some_and(is_above) {
            let is_there = options.saw(&reading.seen, b'm');
            breaches.push(if is_there { Breach::IsAbove(most) } else { Breach::LacksNumber });
        }
        let has = self.forbidden.iter().map(|letter| letter.0).filter(|one| is_seen(*one));
        breaches.extend(has.map(Breach::Has));
        breaches
    }

    /// The forbidden options in any reading, however many there are.
    pub fn has_in_any_reading(
        &self,
        event: &Event<'_>,
        options: &CommandBounds,
        args: &[u8],
    ) -> Vec<Breach> {
        if self.forbidden.is_empty() {
            return Vec::new();
        }
        let line = CommandLine::with_all_options(options, args);
        let breaches = line.readings.iter().map(|reading| self.breaches(event, options, reading));
        let breaches: Vec<Breach> = breaches.flatten().collect();
        let letters = self.forbidden.iter().map(|letter| Breach::Has(letter.0));
        letters.filter(|has| breaches.contains(has)).collect()
    }

    /// Whether an option that is lacking stands behind a word that only looks like the first file
    /// argument: a value with a blank, such as a filter, looks like two words.
    pub fn may_be_later(
        &self,
        command: &[u8],
        args: &[u8],
        reading: &Reading<'_>,
        breaches: &[Breach],
    ) -> bool {
        let mut files = reading.words;
        let options = Words::of(args).take(files.count_before());
        may_have_a_blank(command, options)
            && !files.next().is_some_and(|word| is_certainly_a_file(word.text))
            && breaches.iter().any(|breach| match breach {
                Breach::Lacks(letter) => contains_addition(args, &shown(*letter)),
                Breach::LacksNumber => contains_addition(args, "-m"),
                Breach::IsAbove(_) | Breach::Has(_) => false,
            })
    }
}

/// Whether the value of one of the options may have a blank: no number, no state of a changelist and
/// no setting of parallel transfers has one.
fn may_have_a_blank<'a>(command: &[u8], words: impl Iterator<Item = Word<'a>>) -> bool {
    let mut option: &[u8] = b"";
    for word in words {
        let is_of_one_word = matches!(option, b"--max" | b"--parallel" | b"--status")
            || !option.starts_with(b"--")
                && (option.ends_with(b"m") || command == b"changes" && option.ends_with(b"s"));
        if !word.text.starts_with(b"-") && !is_of_one_word {
            return true;
        }
        option = word.text;
    }
    false
}

/// No name has such a start, and as the rest of a text it would be rare.
fn is_certainly_a_file(word: &[u8]) -> bool {
    [&b"//"[..], b"...", b"@", b"#"].iter().any(|start| word.starts_with(start))
}

/// Whether the only file argument is of at most `max` changelists, such as `@=N` or `//depot/...@N,M`.
fn are_within(max: u64, mut words: Words<'_>) -> bool {
    let Some(word) = words.next().filter(|_| words.next().is_none()) else { return false };
    let (_, revision) = path_and_revision(word.text);
    let Revision::Range(Range { first: Point::Change(first), last: Some(Point::Change(last)) }) =
        revision_of(revision)
    else {
        return false;
    };
    last.checked_sub(first).is_some_and(|more| more < max)
}

/// Whether all file arguments are at `#none`.
fn removes_files(words: Words<'_>) -> bool {
    let is_at_none = |word| revision_of(path_and_revision(word).1) == Revision::Nothing;
    words.clone().next().is_some() && words.into_iter().all(|word| is_at_none(word.text))
}
