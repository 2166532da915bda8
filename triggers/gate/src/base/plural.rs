//! Counts with their nouns, and numbers in sentences.

use crate::base::text::{round_down, with_separators};

/// Such as `3,000 rules`.
#[must_use]
pub fn amount(number: usize, one: &str) -> String {
    let number_text = with_separators(number as u64);
    format!("{number_text} {one}{}", if number == 1 { "" } else { "s" })
}

/// Such as `at most 1 is allowed`.
#[must_use]
pub fn at_most(number: u64) -> String {
    let verb = if number == 1 { "is" } else { "are" };
    format!("at most {} {verb} allowed", with_separators(number))
}

/// For the middle of a sentence: `one`, or digits.
#[must_use]
pub fn spelled(number: u64) -> String {
    if number == 1 { "one".to_owned() } else { number.to_string() }
}

/// An estimate, such as `12,400,000`.
#[must_use]
pub fn about(number: u64) -> String {
    with_separators(round_down(number))
}
