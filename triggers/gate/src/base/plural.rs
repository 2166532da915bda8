//! Counts with their nouns.

use crate::base::text::with_separators;

/// Such as `3,000 rules`.
#[must_use]
pub fn amount(number: usize, one: &str) -> String {
    amount_of(number as u64, one, &format!("{one}s"))
}

/// `amount` with an irregular plural.
#[must_use]
pub fn amount_of(number: u64, one: &str, several: &str) -> String {
    format!("{} {}", with_separators(number), if number == 1 { one } else { several })
}

/// Words about a limit: `at most 1 is allowed`, `at most 1,000 are allowed`.
#[must_use]
pub fn at_most(number: u64) -> String {
    format!(
        "at most {} {} allowed",
        with_separators(number),
        if number == 1 { "is" } else { "are" }
    )
}
