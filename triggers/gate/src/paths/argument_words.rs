//! The words of the text of a command's arguments (p4d's `%args%`).

use crate::paths::revision::{ends_with_day, is_time};

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
    pub fn of(text: &'a [u8]) -> Self {
        Words { rest: text, number: 0 }
    }

    pub fn count_before(&self) -> usize {
        self.number
    }

    /// Of the whole text, what precedes the next word.
    pub fn text_before(&self, text: &'a [u8]) -> &'a [u8] {
        text.get(..text.len().saturating_sub(self.rest.len())).unwrap_or_default().trim_ascii_end()
    }

    /// Whether a word may have vanished before the next one: an empty one or one of quotation marks.
    pub fn has_a_gap(&self) -> bool {
        let between = self.rest.iter().take_while(|byte| is_between(**byte));
        between.clone().count() > usize::from(self.number > 0)
            || between.clone().any(|byte| *byte == b'"')
    }

    pub fn behind_an_empty_word(self) -> Self {
        let is_gap = self.has_a_gap();
        Words { rest: self.rest.get(usize::from(is_gap)..).unwrap_or_default(), ..self }
    }
}

impl<'a> Word<'a> {
    /// From the start of this word to the end of the later word `last`.
    pub fn joined_to(&self, last: &Word<'a>) -> &'a [u8] {
        let end =
            self.remaining_text.len().saturating_sub(last.remaining_text.len()) + last.text.len();
        self.remaining_text.get(..end).unwrap_or(self.text)
    }
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
