//! Estimate of the records that p4d reads for a file argument whose options or revision name
//! changelists or a label.

use crate::paths::argument_reads::ArgumentReads;
use crate::paths::revision::{Point, Range, Revision, is_after, plain_date, revision_of};
use crate::rules::limit_scanned_rows::argument::Scan;
use p4warden_index::estimate::changes::ChangeRange;
use p4warden_index::estimate::count::Estimate;

/// Estimates the number of records that p4d reads for a file argument: those of its path, which
/// `of_path` estimates, or fewer; None if unknown.
pub fn rows_within(
    scan: &Scan<'_>,
    reads: ArgumentReads<'_>,
    of_path: impl FnOnce() -> Option<Estimate>,
) -> Option<Estimate> {
    match reads {
        ArgumentReads::Path => of_path(),
        ArgumentReads::Narrow => Some(Estimate::exact(0)),
        ArgumentReads::Unknown => None,
        // For a path with fewer revisions p4d may look at every changelist.
        ArgumentReads::Latest(most) => {
            of_path().filter(|rows| rows.at_least >= most).map(|_| Estimate::exact(most))
        }
        ArgumentReads::Changelists(range) => rows_of_range(scan, range, of_path),
        ArgumentReads::ChangelistRecords(range) => changelists(scan, range, u64::MAX),
        ArgumentReads::Label(name) => rows_of_label(scan, name, of_path),
    }
}

fn rows_of_range(
    scan: &Scan<'_>,
    range: Range<'_>,
    of_path: impl FnOnce() -> Option<Estimate>,
) -> Option<Estimate> {
    let in_range = scan.index.count_changes(numbers_of(scan, range)?).ok()??;
    Some(of_path()?.lower(bounded(scan, range, in_range)))
}

/// The number of changelists in a range, at most `most`.
pub fn changelists(scan: &Scan<'_>, range: Range<'_>, most: u64) -> Option<Estimate> {
    let dates = range;
    let range = numbers_of(scan, range)?;
    let is_counted = scan.index.newest_changelist().ok()? > 0;
    let counted = || scan.index.count_changelists(range).ok()?;
    let numbers = || {
        let newest = scan.index.newest_change().ok()??;
        let last = range.last.map_or(newest, |last| last.min(newest));
        Some(Estimate::exact((last + 1).saturating_sub(range.first.max(1))))
    };
    // A checkpoint without db.change may still have the server's counter of changelists.
    let count = if is_counted { counted() } else { numbers() };
    Some(bounded(scan, dates, count?).capped(most))
}

/// The index finds the changelists of a period only up to the next block of `step` records.
fn bounded(scan: &Scan<'_>, range: Range<'_>, count: Estimate) -> Estimate {
    let has_date =
        [Some(range.first), range.last].iter().any(|end| matches!(end, Some(Point::Date(_))));
    if !has_date {
        return count;
    }
    let at_least = count.at_most.saturating_sub(2 * scan.index.head.step);
    Estimate::between(at_least.min(count.at_least), count.at_most)
}

/// The files of a static label; an automatic one stands for its revision.
fn rows_of_label(
    scan: &Scan<'_>,
    name: &[u8],
    of_path: impl FnOnce() -> Option<Estimate>,
) -> Option<Estimate> {
    let label = scan.index.label(name).ok()??;
    if label.revision.is_empty() {
        return Some(of_path()?.capped(label.files));
    }
    match revision_of(&label.revision) {
        Revision::Range(range) => rows_of_range(scan, range, of_path),
        // A label of a label is not followed.
        Revision::UpTo(Point::Name(_)) | Revision::AtMost(Point::Name(_)) | Revision::Unclear => {
            None
        }
        _ => of_path(),
    }
}

/// The numbers of a range's changelists; None if an end is a label without a known changelist.
pub fn numbers_of(scan: &Scan<'_>, range: Range<'_>) -> Option<ChangeRange> {
    // A time later than all changelists leaves only future ones; a time before all leaves none.
    let none = u64::MAX;
    let first = match range.first {
        Point::Change(change) => change,
        Point::Date(date) if is_after(date, &(scan.event.day)()) => none,
        Point::Date(date) => {
            let [time_s, _] = (scan.event.times_of)(&plain_date(date))?;
            scan.index.head.changes?;
            scan.index.first_change_since(time_s).ok()?.unwrap_or(none)
        }
        Point::Name(name) => change_of_label(scan, name)?,
    };
    let last = match range.last {
        None => None,
        Some(Point::Change(change)) => Some(change),
        Some(Point::Date(date)) if is_after(date, &(scan.event.day)()) => None,
        Some(Point::Date(date)) => {
            let [_, time_s] = (scan.event.times_of)(&plain_date(date))?;
            scan.index.head.changes?;
            Some(scan.index.last_change_until(time_s).ok()?.unwrap_or(0))
        }
        Some(Point::Name(_)) => None,
    };
    Some(ChangeRange { first, last })
}

/// The changelist that an automatic label names.
fn change_of_label(scan: &Scan<'_>, name: &[u8]) -> Option<u64> {
    match revision_of(&scan.index.label(name).ok()??.revision) {
        Revision::UpTo(Point::Change(change)) => Some(change),
        _ => None,
    }
}
