//! Whether a time is within the hours of a selector, and when that may change.

use crate::policy::hours::{Hours, Zone};

const SECONDS_PER_DAY: i64 = 86_400;
const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
/// 1 January 1970 was a Thursday.
const FIRST_WEEKDAY: i64 = 3;

/// Times are in seconds since the Unix epoch. None beyond the known changes of the zone.
#[must_use]
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
#[must_use]
pub fn edges(hours: &Hours, time_s: i64) -> Vec<i64> {
    let Some(local_s) = local_s(&hours.zone, time_s) else { return Vec::new() };
    let last_s = time_s + 8 * SECONDS_PER_DAY;
    let is_near = |start_s: i64| start_s > time_s - SECONDS_PER_DAY && start_s <= last_s;
    let changes = || hours.zone.changes.iter().filter(|(start_s, _)| is_near(*start_s));
    let today_s = local_s - local_s.rem_euclid(SECONDS_PER_DAY);
    let mut times: Vec<i64> = changes().map(|(start_s, _)| *start_s).collect();
    let offsets: Vec<i64> = hours.zone.offset_s(time_s).into_iter().collect();
    for offset_s in offsets.into_iter().chain(changes().map(|(_, offset_s)| *offset_s)) {
        for day in 0..=9 {
            let midnight_s = today_s + day * SECONDS_PER_DAY - offset_s;
            times.extend([midnight_s + hours.from_s, midnight_s + hours.to_s]);
        }
    }
    times.retain(|edge_s| *edge_s > time_s && *edge_s <= last_s);
    times
}

/// Such as `Saturday 2026-11-28 18:00 (Europe/Berlin)`; None beyond the known changes of the zone.
#[must_use]
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
