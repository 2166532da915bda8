use tz::{DateTime, TimeZone};

/// Length in bytes of a date and time in a text log, `YYYY/MM/DD HH:MM:SS`.
pub const LENGTH: usize = 19;
const MINUTE: usize = 16;
const NEAR_S: u64 = 300;
const SECOND_NS: u64 = 1_000_000_000;

/// The times must be passed in the order of the log.
#[derive(Debug)]
pub struct LocalTime {
    zone: TimeZone,
    minute: [u8; MINUTE],
    minute_s: u64,
    latest_s: u64,
}

impl LocalTime {
    pub fn new(zone: TimeZone) -> Self {
        LocalTime { zone, minute: [0; MINUTE], minute_s: 0, latest_s: 0 }
    }

    /// Nanoseconds since the Unix epoch; None if the text is not a valid time of the form
    /// `YYYY/MM/DD HH:MM:SS`. A time that occurs twice because clocks are set back is taken as the
    /// first occurrence, unless the second is at most `NEAR_S` seconds after the latest time
    /// converted before. A minute skipped when clocks are set forward is taken as the minute after
    /// the change.
    pub fn read_ns(&mut self, text: &[u8; LENGTH]) -> Option<u64> {
        let (minute, second) = text.split_first_chunk::<MINUTE>()?;
        let [b':', tens, ones] = second else {
            return None;
        };
        let second = u64::from(digits(&[*tens, *ones])?);
        if second > 60 {
            return None;
        }
        // A leap second counts as second 59, because time zone rules ignore leap seconds.
        let second = second.min(59);
        if self.minute != *minute {
            self.minute_s = self.seconds_of(minute)?;
            self.minute = *minute;
        }
        let seconds = self.minute_s + second;
        self.latest_s = self.latest_s.max(seconds);
        seconds.checked_mul(SECOND_NS)
    }

    fn seconds_of(&self, minute: &[u8; MINUTE]) -> Option<u64> {
        let [y1, y2, y3, y4, b'/', m1, m2, b'/', d1, d2, b' ', h1, h2, b':', n1, n2] = minute
        else {
            return None;
        };
        let two = |tens: &u8, ones: &u8| digits(&[*tens, *ones]);
        let (year, month) = (digits(&[*y1, *y2, *y3, *y4])?, two(m1, m2)?);
        let (day, hour, minute) = (two(d1, d2)?, two(h1, h2)?, two(n1, n2)?);
        let [month, day, hour, minute] = [month, day, hour, minute].map(|n| n as u8);
        let year = i32::from(year);
        let times = DateTime::find(year, month, day, hour, minute, 0, 0, self.zone.as_ref());
        let times = times.ok()?;
        let unix = |date: DateTime| u64::try_from(date.unix_time()).ok();
        let earliest = unix(times.earliest()?)?;
        let latest = unix(times.latest()?)?;
        Some(if latest <= self.latest_s + NEAR_S { latest } else { earliest })
    }
}

fn digits(text: &[u8]) -> Option<u16> {
    crate::units::numbers::natural(text).and_then(|number| u16::try_from(number).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn eastern() -> Result<LocalTime, tz::Error> {
        Ok(LocalTime::new(TimeZone::from_posix_tz("EST5EDT,M3.2.0,M11.1.0")?))
    }

    fn read_s(time: &mut LocalTime, text: &str) -> Option<u64> {
        time.read_ns(text.as_bytes().first_chunk()?).map(|ns| ns / SECOND_NS)
    }

    #[test]
    fn log_times_are_read_as_local_times() -> Result<(), tz::Error> {
        let mut time = eastern()?;
        assert_eq!(read_s(&mut time, "2024/06/19 12:25:31"), Some(1_718_814_331));
        assert_eq!(read_s(&mut time, "2024/12/19 12:25:31"), Some(1_734_629_131));
        assert_eq!(read_s(&mut time, "2024/12/19 12:25:60"), Some(1_734_629_159));
        for wrong in ["2024-06-19 12:25:31", "2024/13/19 12:25:31", "2024/06/19 12:25:3x"] {
            assert_eq!(read_s(&mut time, wrong), None, "{wrong}");
        }
        for second in 61..=99 {
            assert_eq!(read_s(&mut time, &format!("2024/12/19 12:25:{second}")), None);
        }
        Ok(())
    }

    #[test]
    fn a_step_back_within_a_repeated_hour_gives_the_second_occurrence() -> Result<(), tz::Error> {
        let mut time = eastern()?;
        assert_eq!(read_s(&mut time, "2024/11/03 01:00:00"), Some(1_730_610_000));
        assert_eq!(read_s(&mut time, "2024/11/03 01:59:59"), Some(1_730_613_599));
        // Between the time above and the next one, the clock was set back by an hour.
        assert_eq!(read_s(&mut time, "2024/11/03 01:00:00"), Some(1_730_613_600));
        assert_eq!(read_s(&mut time, "2024/11/03 01:04:00"), Some(1_730_613_840));
        assert_eq!(read_s(&mut time, "2024/11/03 02:00:00"), Some(1_730_617_200));
        Ok(())
    }

    #[test]
    fn a_time_in_a_skipped_hour_is_the_moment_of_the_clock_change() -> Result<(), tz::Error> {
        assert_eq!(read_s(&mut eastern()?, "2024/03/10 02:30:00"), Some(1_710_054_000));
        Ok(())
    }

    proptest! {
        #[test]
        fn arbitrary_text_is_read_as_a_time_without_a_panic(text: [u8; LENGTH]) {
            LocalTime::new(TimeZone::utc()).read_ns(&text);
        }
    }
}
