//! Hours of the week in a time zone, with the changes of the zone's clock, so that no file is read
//! to decide.

use serde::Deserialize;

/// Each interval belongs to the day on which it begins; one whose end is not after its start ends on
/// the next day.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hours {
    /// On which the interval begins; 0 is Monday.
    pub days: Vec<u8>,
    /// Seconds since midnight of the local clock, this one included.
    pub from_s: i64,
    /// Likewise, this one excluded.
    pub to_s: i64,
    pub zone: Zone,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Zone {
    pub name: String,
    /// In order of time: seconds since the Unix epoch, and the seconds by which local time is ahead of
    /// UTC from then on.
    pub changes: Vec<(i64, i64)>,
    /// Nothing is known of later changes.
    pub until_s: i64,
}

impl Zone {
    /// None before the first change and after the last known time.
    pub fn offset_s(&self, time_s: i64) -> Option<i64> {
        if time_s >= self.until_s {
            return None;
        }
        let later = self.changes.partition_point(|(start_s, _)| *start_s <= time_s);
        let (_, offset_s) = self.changes.get(later.checked_sub(1)?)?;
        Some(*offset_s)
    }
}
