//! Load levels of the server, read from p4d's own pressure levels or derived from the kernel's
//! pressure measure.

use serde::Deserialize;

/// p4d's three levels of server load (p4 help triggers, 2023.1: `%pressureCPU%`, `%pressureMem%`).
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Also if the load is unknown.
    Low,
    /// Close to the limit.
    Medium,
    /// Beyond the limit.
    High,
}

/// Percentages of the time in which tasks are stalled.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub struct Thresholds {
    pub medium: u8,
    pub high: u8,
}

impl Level {
    /// Parses a load level as p4d writes it: `low`, `medium` or `high`, in any case, in trigger
    /// variables, `0` to `2` in real-time counters (p4 help monitor). None for any other text.
    #[must_use]
    pub fn parse(text: &[u8]) -> Option<Self> {
        match text {
            b"0" => Some(Level::Low),
            b"1" => Some(Level::Medium),
            b"2" => Some(Level::High),
            word if word.eq_ignore_ascii_case(b"low") => Some(Level::Low),
            word if word.eq_ignore_ascii_case(b"medium") => Some(Level::Medium),
            word if word.eq_ignore_ascii_case(b"high") => Some(Level::High),
            _ => None,
        }
    }

    /// 0 low, 1 medium, 2 high.
    #[must_use]
    pub fn number(self) -> u8 {
        self as u8
    }

    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Level::Low => "low",
            Level::Medium => "medium",
            Level::High => "high",
        }
    }
}

/// None if p4d passed none that is a known level.
#[must_use]
pub fn worst_of(values: [Option<&[u8]>; 2]) -> Option<Level> {
    values.into_iter().flatten().filter_map(Level::parse).max()
}

/// The load level that follows, by given thresholds, from the 10-second average (cut to whole
/// percent) in the line `some` of one of the kernel's pressure files
/// (Documentation/accounting/psi.rst); low if the text has none.
///
/// That line looks like `some avg10=1.53 avg60=0.87 avg300=0.30 total=2345`.
#[must_use]
pub fn of_kernel(text: &str, thresholds: Thresholds) -> Level {
    let some = text.lines().find(|line| line.starts_with("some "));
    let average =
        some.and_then(|line| line.split(' ').find_map(|word| word.strip_prefix("avg10=")));
    let percent = average.and_then(|number| number.split('.').next()?.parse::<u8>().ok());
    match percent {
        Some(percent) if percent >= thresholds.high => Level::High,
        Some(percent) if percent >= thresholds.medium => Level::Medium,
        _ => Level::Low,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "some avg10=41.53 avg60=0.87 avg300=0.30 total=2345\n\
                        full avg10=90.00 avg60=0.00 avg300=0.00 total=0\n";

    #[test]
    fn levels_are_read_as_words_or_numbers_and_the_worst_applies() {
        assert_eq!(worst_of([Some(b"low"), Some(b"1")]), Some(Level::Medium));
        assert_eq!(worst_of([Some(b"High"), None]), Some(Level::High));
        assert_eq!(worst_of([Some(b"banana"), None]), None);
    }

    #[test]
    fn kernel_pressure_is_read_from_the_some_line_in_whole_percent() {
        let thresholds = |medium, high| Thresholds { medium, high };
        assert_eq!(of_kernel(TEXT, thresholds(42, 80)), Level::Low);
        assert_eq!(of_kernel(TEXT, thresholds(41, 80)), Level::Medium);
        assert_eq!(of_kernel(TEXT, thresholds(20, 41)), Level::High);
        assert_eq!(of_kernel("", thresholds(0, 0)), Level::Low);
        assert_eq!(of_kernel("some avg10=x", thresholds(1, 2)), Level::Low);
    }
}
