//! Whether a time is within the hours of a selector, and when that may change.

use crate::policy::hours::{Hours, Zone};

const SECONDS_PER_DAY: i64 = 86_400;
const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
/// 1 January 1970 was a Thursday.
const FIRST_WEEKDAY: i64 = 3;

/// Times are in seconds since the Unix epoch. None beyond the known changes of the zone.
pub fn includes(hours: &Hours, time_s: i64) -> Option<bool> {
    let local_s = local_s(&hours.zone, time_s)?;
    let (day, second) = (local_s.div_euclid(SECONDS_PER_DAY), local_s.rem_euclid(SECONDS_PER_DAY));
    let begins_on = |day| hours.days.contains(&weekday(day));
    let is_over_midnight = hours.to_s <= hours.from_s;
    let is_of_today =
        begins_on(day) && second >= hours.from_s && (is_over_midnight || second < hours.to_s);
    Some(is_of_today || (is_over_midnight && begins_on(day - 1) && second < hours.to_s))
}

/// The times after `time_s`, in the next eight days, at which `includes` may have another answer.
pub fn edges(hours: &Hours, time_s: i64) -> Vec<i64> {
    let Some(local_s) = local_s(&hours.zone, time_s) else { return Vec::new() };
    let last_s = time_s + 8 * SECONDS_PER_DAY;
    let is_near = |start_s: i64| start_s > time_s - SECONDS_PER_DAY && start_s <= last_s;
    let changes = || hours.zone.changes.iter().filter(|(start_s, _)| is_near(*start_s));
    let today_s = local_s - local_s.rem_euclid(SECONDS_PER_DAY);
    let mut times: Vec<i64> = changes().map(|(start_s, _)| *start_s).collect();
    for offset_s in
        hours.zone.offset_s(time_s).into_iter().chain(changes().map(|(_, offset_s)| *offset_s))
    {
        for day in 0..=9 {
            let midnight_s = today_s + day * SECONDS_PER_DAY - offset_s;
            times.extend([midnight_s + hours.from_s, midnight_s + hours.to_s]);
        }
    }
    times.retain(|edge_s| *edge_s > time_s && *edge_s <= last_s);
    times
}

/// Such as `Saturday 2026-11-28 18:00 (Europe/Berlin)`; None beyond the known changes of the zone.
pub fn in_words(zone: &Zone, time_s: i64) -> Option<String> {
    let local_s = local_s(zone, time_s)?;
    let date = tz::UtcDateTime::from_timespec(local_s, 0).ok()?;
    let (year, month, day) = (date.year(), date.month(), date.month_day());
    let (hour, minute) = (date.hour(), date.minute());
    let weekday = WEEKDAYS.get(usize::from(weekday(local_s.div_euclid(SECONDS_PER_DAY))))?;
    Some(format!("{weekday} {year:04}-{month:02}-{day:02} {hour:02}:{minute:02} ({})", zone.name))
}

fn local_s(zone: &Zone, time_s: i64) -> Option<i64> {
    Some(time_s + zone.offset_s(time_s)?)
}

/// 0 is Monday.
fn weekday(days_since_epoch: i64) -> u8 {
    u8::try_from((days_since_epoch + FIRST_WEEKDAY).rem_euclid(7)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::LazyLock;

    /// 1 January 2026, and two years later.
    const SPAN_S: std::ops::Range<i64> = 1_767_225_600..1_830_297_600;

    fn berlin() -> tz::TimeZone {
        tz::TimeZone::from_posix_tz("CET-1CEST,M3.5.0,M10.5.0/3").unwrap()
    }

    fn offset_s(time_s: i64) -> i64 {
        let berlin = berlin();
        let local = tz::DateTime::from_timespec(time_s, 0, berlin.as_ref()).unwrap();
        local.local_time_type().ut_offset().into()
    }

    static ZONE: LazyLock<Zone> = LazyLock::new(zone);

    /// The clock changes at whole hours.
    fn zone() -> Zone {
        let mut changes = vec![(SPAN_S.start, offset_s(SPAN_S.start))];
        for time_s in SPAN_S.step_by(3600) {
            let offset_s = offset_s(time_s);
            if changes.last().is_some_and(|(_, last_s)| *last_s != offset_s) {
                changes.push((time_s, offset_s));
            }
        }
        Zone { name: "Europe/Berlin".to_owned(), changes, until_s: SPAN_S.end }
    }

    /// By the calendar of another library.
    fn plainly(hours: &Hours, time_s: i64) -> bool {
        let berlin = berlin();
        let local = tz::DateTime::from_timespec(time_s, 0, berlin.as_ref()).unwrap();
        let second = i64::from(local.hour()) * 3600 + i64::from(local.minute()) * 60;
        let second = second + i64::from(local.second());
        let today = (local.week_day() + 6) % 7;
        let yesterday = (today + 6) % 7;
        if hours.from_s < hours.to_s {
            return hours.days.contains(&today) && (hours.from_s..hours.to_s).contains(&second);
        }
        (hours.days.contains(&today) && second >= hours.from_s)
            || (hours.days.contains(&yesterday) && second < hours.to_s)
    }

    fn some_hours() -> impl Strategy<Value = Hours> {
        let days = proptest::collection::vec(0_u8..7, 1..4);
        (days, 0..96_i64, 1..97_i64).prop_filter_map("no time", |(days, from, to)| {
            let (from_s, to_s) = (from * 900, to * 900);
            (from_s != to_s).then(|| Hours { days, from_s, to_s, zone: ZONE.clone() })
        })
    }

    #[test]
    fn the_clock_changed_four_times_in_two_years() {
        assert_eq!(zone().changes.len(), 5);
        assert_eq!(zone().offset_s(SPAN_S.start - 1), None);
        assert_eq!(zone().offset_s(SPAN_S.end), None);
        let words = in_words(&zone(), 1_774_746_000);
        assert_eq!(words.as_deref(), Some("Sunday 2026-03-29 03:00 (Europe/Berlin)"));
    }

    proptest! {
        #[test]
        fn a_time_is_within_hours_by_the_clock_on_the_wall(
            hours in some_hours(),
            time_s in SPAN_S,
            near in 0..4_usize,
            distance_s in -90_000..90_000_i64,
        ) {
            let change_s = hours.zone.changes.get(near + 1).map_or(time_s, |(start_s, _)| *start_s);
            for time_s in [time_s, change_s + distance_s] {
                prop_assert_eq!(includes(&hours, time_s), Some(plainly(&hours, time_s)));
            }
        }

        #[test]
        fn nothing_changes_between_two_edges(
            hours in some_hours(),
            near in 0..4_usize,
            distance_s in -90_000..9_000_i64,
        ) {
            let now_s = hours.zone.changes.get(near + 1).map_or(0, |(start_s, _)| *start_s);
            let now_s = now_s + distance_s;
            let mut edges = edges(&hours, now_s);
            edges.sort_unstable();
            let now = includes(&hours, now_s);
            let end_s = edges.into_iter().find(|edge_s| includes(&hours, *edge_s) != now);
            let quarter_s = now_s - now_s.rem_euclid(900) + 900;
            let mut quarters = (quarter_s..=now_s + 8 * SECONDS_PER_DAY).step_by(900);
            let first_s = quarters.find(|time_s| includes(&hours, *time_s) != now);
            prop_assert_eq!(end_s, first_s);
        }
    }
}
