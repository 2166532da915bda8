//! Counts with their nouns, and numbers in sentences.

use crate::base::text::{round_down, with_separators};

/// Such as `3,000 rules`.
pub fn amount(number: usize, one: &str) -> String {
    amount_of(number as u64, one, &format!("{one}s"))
}

/// `amount` with an irregular plural.
pub fn amount_of(number: u64, one: &str, several: &str) -> String {
    format!("{} {}", with_separators(number), if number == 1 { one } else { several })
}

/// `amount` with its verb, such as `1 rule is`.
pub fn amount_with_verb(number: usize, one: &str) -> String {
    format!("{} {}", amount(number, one), verb(number as u64))
}

pub fn verb(number: u64) -> &'static str {
    if number == 1 { "is" } else { "are" }
}

/// Words about a limit: `at most 1 is allowed`, `at most 1,000 are allowed`.
pub fn at_most(number: u64) -> String {
    format!("at most {} {} allowed", with_separators(number), verb(number))
}

/// For the middle of a sentence: `one`, or digits.
pub fn spelled(number: u64) -> String {
    if number == 1 { "one".to_owned() } else { number.to_string() }
}

/// An estimate, such as `12,400,000`.
pub fn about(number: u64) -> String {
    with_separators(round_down(number))
}
