//! The clocks, and the server's local day.

use rustix::time::{ClockId, Timespec, clock_gettime};

/// Where the time comes from.
pub trait Clock {
    /// Nanoseconds since the machine started, sleep included; it never goes back.
    fn since_boot_ns(&self) -> u64;
    /// Nanoseconds since the epoch, as the machine is set.
    fn wall_ns(&self) -> u64;
    /// Which start of the machine this is; zeros if it does not say.
    fn boot_id(&self) -> [u8; 36];
}

/// The machine's own clocks.
#[derive(Clone, Copy, Debug)]
pub struct System;

impl Clock for System {
    fn since_boot_ns(&self) -> u64 {
        nanoseconds(clock_gettime(ClockId::Boottime))
    }

    fn wall_ns(&self) -> u64 {
        nanoseconds(clock_gettime(ClockId::Realtime))
    }

    /// Reads the kernel's own name for it (Documentation/admin-guide/sysctl/kernel.rst).
    fn boot_id(&self) -> [u8; 36] {
        let text = std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        text.first_chunk().copied().unwrap_or([0; 36])
    }
}

fn nanoseconds(time: Timespec) -> u64 {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    seconds.saturating_mul(1_000_000_000).saturating_add(u64::try_from(time.tv_nsec).unwrap_or(0))
}

/// The server's time zone: `TZ` as p4d has it, else the machine's, else universal time.
#[must_use]
pub fn zone() -> tz::TimeZone {
    let named = std::env::var("TZ").ok().filter(|name| !name.is_empty());
    let zone = named.map_or_else(tz::TimeZone::local, |name| tz::TimeZone::from_posix_tz(&name));
    zone.unwrap_or_else(|_| tz::TimeZone::utc())
}

/// The day in a time zone, `YYYY-MM-DD`.
#[must_use]
pub fn day(wall_ns: u64, zone: tz::TimeZoneRef<'_>) -> String {
    let seconds = i64::try_from(wall_ns / 1_000_000_000).unwrap_or(i64::MAX);
    let local = tz::DateTime::from_timespec(seconds, 0, zone);
    local.map_or_else(
        |_| "9999-12-31".to_owned(),
        |date| format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.month_day()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

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
