//! The words of a line of a form field, and the flag of a view line.

use crate::base::visible::visible_text;
use crate::paths::depot_path::span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    Include,
    Exclude,
    Overlay,
    Ditto,
}

impl Flag {
    pub fn mark(self) -> &'static str {
        match self {
            Flag::Include => "",
            Flag::Exclude => "-",
            Flag::Overlay => "+",
            Flag::Ditto => "&",
        }
    }
}

/// Splits a line of a form field into words as the server does; a line of blanks has none.
///
/// A quote counts at the start of a word only, the next quote ends the word, and a word may follow
/// it without a blank. There are no escapes, and only ASCII blanks separate words, so a no-break
/// space is part of a name (SpecWords::Split, support/specdata.cc of Perforce's C++ API).
pub fn words(line: &[u8]) -> Words<'_> {
    Words(line)
}

/// Empty for a line of blanks.
pub fn first_word(line: &[u8]) -> &[u8] {
    words(line).next().unwrap_or_default()
}

#[derive(Clone, Copy, Debug)]
pub struct Words<'a>(&'a [u8]);

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.0.iter().position(|byte| !is_blank(byte))?;
        let text = self.0.get(start..)?;
        let Some(quoted) = text.strip_prefix(b"\"") else {
            let end = text.iter().position(is_blank).unwrap_or(text.len());
            let (word, rest) = text.split_at_checked(end)?;
            self.0 = rest;
            return Some(word);
        };
        let mut halves = quoted.splitn(2, |byte| *byte == b'"');
        let word = halves.next();
        self.0 = halves.next().unwrap_or_default();
        word
    }
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\x0b' | b'\x0c' | b'\r')
}

/// The flag of a view line, and the path after it; `word` is the line's first word.
pub fn split_flag(word: &[u8]) -> (Flag, &[u8]) {
    match word {
        [b'-', path @ ..] => (Flag::Exclude, path),
        [b'+', path @ ..] => (Flag::Overlay, path),
        [b'&', path @ ..] => (Flag::Ditto, path),
        path => (Flag::Include, path),
    }
}

/// Joins the paths of a view line, quoting those with a space or `#`; None if that is unsafe.
///
/// It is unsafe if the server would read the line differently or refuse a path, or if a refusal
/// could not show the line unchanged: names come from users, and such a line is never proposed.
/// `unicode` is whether refusals may show visible characters beyond ASCII.
pub fn joined_line(words: &[&[u8]], unicode: bool) -> Option<String> {
    let is_accepted = |word: &&[u8]| {
        let path = split_flag(word).1;
        // `span` requires the `//` that a relative path, as in a stream's line, lacks.
        let of_relative = || span(&[b"//", path].concat()).is_ok();
        let is_path = if path.starts_with(b"//") { span(path).is_ok() } else { of_relative() };
        is_path && !path.contains(&b'"')
    };
    if !words.iter().all(is_accepted) {
        return None;
    }
    let quoted = words.iter().map(|word| {
        let quote: &[u8] = if word.contains(&b' ') || word.contains(&b'#') { b"\"" } else { b"" };
        [quote, word, quote].concat()
    });
    let line = quoted.collect::<Vec<_>>().join(&b' ');
    let is_whole = self::words(&line).eq(words.iter().copied());
    let text = visible_text(&line, unicode);
    (is_whole && text.as_bytes() == line).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::select;

    /// A word as a user may write it: quoted or not, with the blanks after it.
    fn written_word() -> impl Strategy<Value = (String, bool, String)> {
        let blanks =
            prop::collection::vec(select(vec![" ", "\t", "\n", "\x0b", "\x0c", "\r"]), 1..3);
        let plain = "[a/.*%#\u{a0}\u{1c}][a/.*%#\"\u{a0}\u{1c}]{0,6}";
        let quoted = "[a/.*%# \t\u{a0}]{0,6}";
        prop_oneof![
            (plain, Just(false), blanks.prop_map(|blanks| blanks.concat())),
            (quoted, Just(true), select(vec!["", " ", "\t "]).prop_map(str::to_owned)),
        ]
    }

    proptest! {
        #[test]
        fn the_words_of_a_line_are_those_written(
            parts in prop::collection::vec(written_word(), 0..7),
            leading in "[ \t]{0,2}",
            is_closed: bool,
        ) {
            let mut line = leading;
            for (word, is_quoted, blanks) in &parts {
                let quote = if *is_quoted { "\"" } else { "" };
                line += &format!("{quote}{word}{quote}{blanks}");
            }
            // The last quote of a line may be missing.
            if parts.last().is_some_and(|(_, is_quoted, blanks)| *is_quoted && blanks.is_empty()) && !is_closed {
                line.pop();
            }
            let expected: Vec<&[u8]> = parts.iter().map(|(word, ..)| word.as_bytes()).collect();
            prop_assert_eq!(words(line.as_bytes()).collect::<Vec<_>>(), expected, "{:?}", line);
        }
    }
}
