//! The load of the server: levels, read from p4d's own pressure levels or derived from the kernel's
//! pressure measure, and the sessions that wait for locks.

use crate::base::json_text::Text;
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

/// How a policy measures the load.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measures<'a> {
    #[serde(default)]
    medium: Option<u8>,
    #[serde(default)]
    high: Option<u8>,
    /// The server's `rt.monitorfile`.
    #[serde(borrow, default)]
    pub monitor_file: Option<Text<'a>>,
}

impl Measures<'_> {
    /// None if the policy does not use the kernel's pressure measure.
    pub fn thresholds(&self) -> Option<Thresholds> {
        Some(Thresholds { medium: self.medium?, high: self.high? })
    }
}

/// Percentages of the time in which tasks are stalled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thresholds {
    pub medium: u8,
    pub high: u8,
}

/// The load of the server at one event; None for an unknown part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    pub level: Option<Level>,
    /// Sessions that wait for a lock on a table.
    pub lock_waiters: Option<u64>,
}

impl Load {
    pub const LOW: Load = Load { level: Some(Level::Low), lock_waiters: Some(0) };
    pub const UNKNOWN: Load = Load { level: None, lock_waiters: None };
}

/// From which load on a limit applies.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(from = "LeastLoadDocument")]
pub enum LeastLoad {
    /// `Low` for a limit that always applies.
    Level(Level),
    LockWaiters(u64),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum LeastLoadDocument {
    Level(Level),
    LockWaiters(LockWaiters),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LockWaiters {
    lock_waiters: u64,
}

impl From<LeastLoadDocument> for LeastLoad {
    fn from(document: LeastLoadDocument) -> Self {
        match document {
            LeastLoadDocument::Level(level) => LeastLoad::Level(level),
            LeastLoadDocument::LockWaiters(one) => LeastLoad::LockWaiters(one.lock_waiters),
        }
    }
}

impl LeastLoad {
    pub const NONE: LeastLoad = LeastLoad::Level(Level::Low);

    /// None if that part of the load is unknown.
    pub fn is_reached(self, load: Load) -> Option<bool> {
        match self {
            LeastLoad::NONE => Some(true),
            LeastLoad::Level(least) => load.level.map(|level| level >= least),
            LeastLoad::LockWaiters(least) => load.lock_waiters.map(|waiters| waiters >= least),
        }
    }
}

impl Level {
    /// Parses a load level as p4d writes it: `low`, `medium` or `high`, in any case, in trigger
    /// variables, `0` to `2` in real-time counters (p4 help monitor). None for any other text.
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
    pub fn number(self) -> u8 {
        self as u8
    }

    pub fn word(self) -> &'static str {
        match self {
            Level::Low => "low",
            Level::Medium => "medium",
            Level::High => "high",
        }
    }
}

/// None if p4d passed none that is a known level.
pub fn worst_of(values: [Option<&[u8]>; 2]) -> Option<Level> {
    values.into_iter().flatten().filter_map(Level::parse).max()
}

/// The load level that follows, by given thresholds, from the 10-second average (cut to whole
/// percent) in the line `some` of one of the kernel's pressure files
/// (Documentation/accounting/psi.rst); low if the text has none.
///
/// That line looks like `some avg10=1.53 avg60=0.87 avg300=0.30 total=2345`.
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
    fn a_limit_applies_from_its_least_load_on() {
        let read = |json: &str| serde_json::from_str::<LeastLoad>(json).ok();
        let load = |level, lock_waiters| Load { level, lock_waiters };
        for (json, load, expected) in [
            ("\"medium\"", load(Some(Level::High), None), Some(true)),
            ("\"medium\"", load(Some(Level::Low), Some(9)), Some(false)),
            ("\"medium\"", load(None, Some(9)), None),
            ("{\"lock_waiters\": 5}", load(None, Some(5)), Some(true)),
            ("{\"lock_waiters\": 5}", load(Some(Level::High), Some(4)), Some(false)),
            ("{\"lock_waiters\": 5}", Load { lock_waiters: None, ..Load::LOW }, None),
        ] {
            assert_eq!(read(json).map(|least| least.is_reached(load)), Some(expected), "{json}");
        }
        assert_eq!(LeastLoad::NONE.is_reached(Load::UNKNOWN), Some(true));
        for json in ["\"most\"", "{}", "{\"lock_waiters\": -1}", "{\"lock_waiters\": 1, \"x\": 1}"]
        {
            assert_eq!(read(json), None, "{json}");
        }
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
