//! The clocks of the machine, and the date in the server's time zone.

use rustix::time::{ClockId, Timespec, clock_gettime};
use std::sync::LazyLock;

pub trait Clock {
    /// Nanoseconds since the machine started, time asleep included.
    fn since_boot_ns(&self) -> u64;
    /// Wall-clock time in nanoseconds since the Unix epoch.
    fn wall_ns(&self) -> u64;
    /// Identifier of the machine's current boot, 36 ASCII characters; 36 zero bytes if the kernel
    /// gives none.
    fn boot_id(&self) -> [u8; 36];
    /// By how much `since_boot_ns` is ahead in the time namespace of this process.
    fn namespace_ns(&self) -> i64;
}

#[derive(Clone, Copy, Debug)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn since_boot_ns(&self) -> u64 {
        nanoseconds(clock_gettime(ClockId::Boottime))
    }

    fn wall_ns(&self) -> u64 {
        nanoseconds(clock_gettime(ClockId::Realtime))
    }

    /// Documented in the kernel's Documentation/admin-guide/sysctl/kernel.rst.
    fn boot_id(&self) -> [u8; 36] {
        let text = std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        text.first_chunk().copied().unwrap_or([0; 36])
    }

    /// Documented in time_namespaces(7); 0 on a kernel without them.
    fn namespace_ns(&self) -> i64 {
        let text = std::fs::read_to_string("/proc/self/timens_offsets").unwrap_or_default();
        offset_ns(&text).unwrap_or(0)
    }
}

fn offset_ns(offsets: &str) -> Option<i64> {
    let line = offsets.lines().find_map(|line| line.strip_prefix("boottime"))?;
    let mut numbers = line.split_whitespace().map(str::parse::<i64>);
    let (seconds, ns) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    seconds.checked_mul(1_000_000_000)?.checked_add(ns)
}

fn nanoseconds(time: Timespec) -> u64 {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    seconds.saturating_mul(1_000_000_000).saturating_add(u64::try_from(time.tv_nsec).unwrap_or(0))
}

/// In seconds since the Unix epoch.
pub fn epoch_s(wall_ns: u64) -> i64 {
    i64::try_from(wall_ns / 1_000_000_000).unwrap_or(i64::MAX)
}

/// The time zone for local dates: that of the environment variable `TZ`, which a trigger process
/// inherits from p4d, or the machine's zone if `TZ` is unset or empty. UTC if the zone cannot be
/// read. Its file is read once, however many dates a user sends.
pub fn zone() -> &'static tz::TimeZone {
    static ZONE: LazyLock<tz::TimeZone> = LazyLock::new(|| {
        let name = std::env::var("TZ").ok().filter(|name| !name.is_empty());
        let zone = name.map_or_else(tz::TimeZone::local, |name| tz::TimeZone::from_posix_tz(&name));
        zone.unwrap_or_else(|_| tz::TimeZone::utc())
    });
    &ZONE
}

/// As `YYYY-MM-DD`; `9999-12-31` if the time cannot be converted.
pub fn day(wall_ns: u64, zone: tz::TimeZoneRef<'_>) -> String {
    day_of(epoch_s(wall_ns), zone)
}

/// As `day`, in seconds since the Unix epoch.
pub fn day_of(time_s: i64, zone: tz::TimeZoneRef<'_>) -> String {
    let local = tz::DateTime::from_timespec(time_s, 0, zone);
    local.map_or_else(
        |_| "9999-12-31".to_owned(),
        |date| format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.month_day()),
    )
}

/// The earliest and the latest time, in seconds since the Unix epoch, of a date in a revision
/// (`2026/01/31`, `2026/01/31:12:00:00`) in a time zone; they differ in the hour that the end of
/// summer time repeats. None if the text is no such date.
pub fn times_of(date: &[u8], zone: tz::TimeZoneRef<'_>) -> Option<[u64; 2]> {
    let text = str::from_utf8(date).ok()?;
    let mut parts = text.split(['/', ':']);
    let year = parts.next()?.parse().ok()?;
    let mut next = || parts.next().map_or(Some(0), |part| part.parse::<u8>().ok());
    let (month, day, hour, minute, second) = (next()?, next()?, next()?, next()?, next()?);
    if parts.next().is_some() {
        return None;
    }
    let found = tz::DateTime::find(year, month, day, hour, minute, second, 0, zone).ok()?;
    let times = [found.earliest()?, found.latest()?].map(|time| u64::try_from(time.unix_time()));
    let [earliest_s, latest_s] = times;
    Some([earliest_s.ok()?, latest_s.ok()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_offset_of_a_time_namespace_is_that_of_the_boot_clock() {
        let text = "monotonic           7         8\nboottime          -86400  5\n";
        assert_eq!(offset_ns(text), Some(-86_399_999_999_995));
        for odd in ["", "boottime", "boottime 1", "boottime x 0", "boottime 9999999999999 0"] {
            assert_eq!(offset_ns(odd), None);
        }
    }

    #[test]
    fn a_date_in_a_revision_is_local() -> Result<(), tz::Error> {
        let zone = tz::TimeZone::from_posix_tz("EST5EDT,M3.2.0,M11.1.0")?;
        let times = |text: &str| times_of(text.as_bytes(), zone.as_ref());
        assert_eq!(times("2026/01/31"), Some([1_769_835_600; 2]));
        assert_eq!(times("2026/01/31:01:00:00"), Some([1_769_839_200; 2]));
        assert_eq!(times("2026/11/01:01:30:00"), Some([1_793_511_000, 1_793_514_600]));
        for text in ["2026/13/01", "2026/01/01:00:00:00:00", "x/1/1", "", "2026/0a/01"] {
            assert_eq!(times(text), None, "{text}");
        }
        Ok(())
    }

    #[test]
    fn a_day_starts_at_local_midnight() -> Result<(), tz::Error> {
        let zone = tz::TimeZone::from_posix_tz("EST5EDT,M3.2.0,M11.1.0")?;
        let day = |seconds: u64| day(seconds * 1_000_000_000, zone.as_ref());
        assert_eq!(day(1_798_693_199), "2026-12-30");
        assert_eq!(day(1_798_693_200), "2026-12-31");
        assert_eq!(super::day(u64::MAX, tz::TimeZone::utc().as_ref()), "2554-07-21");
        Ok(())
    }
}
