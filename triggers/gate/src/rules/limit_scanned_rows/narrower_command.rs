//! Proposal of a cheaper command in place of one that would read too many records: what changed
//! since a changelist, only opened files, only the newest changelists.

use crate::base::text::with_separators;
use crate::contract::rule_result::Allows;
use crate::paths::depot_path::{path_and_revision, path_of};
use crate::paths::revision::{EVERYTHING, Range, Revision, revision_of, until_today};
use crate::rules::limit_scanned_rows::argument::Scan;
use crate::rules::limit_scanned_rows::changes::numbers_of;
use crate::rules::limit_scanned_rows::mapped_file::has_mapped_file;
use crate::rules::limit_scanned_rows::request::Request;
use crate::rules::limit_scanned_rows::unit;
use p4warden_index::estimate::changes::ChangeRange;

/// A sentence with a cheaper command that the policy allows; None if there is none.
pub fn narrower_command(request: &Request<'_>, allows: Allows<'_>) -> Option<String> {
    let path = request.word.map_or(&b"//..."[..], path_of);
    let path = if path.is_empty() { b"//..." } else { path };
    if has_mapped_file(&request.scan, path) == Some(false) {
        return None;
    }
    from_a_changelist(request, allows).or_else(|| match request.scan.event.name.main_name {
        b"fstat" => with_options(request, "-Ro", "To see only your opened files", allows),
        b"changes" => {
            with_options(request, "-m 20", "To see only the newest 20 changelists", allows)
        }
        _ => None,
    })
}

fn with_options(
    request: &Request<'_>,
    options: &str,
    purpose: &str,
    allows: Allows<'_>,
) -> Option<String> {
    let event = request.scan.event;
    let args = event.args.unwrap_or_default().trim_ascii();
    let proposal = [options.as_bytes(), args].join(&b' ');
    let proposal = proposal.trim_ascii();
    let command = request.shown_with(proposal)?;
    allows(proposal).then(|| format!("{purpose}: {command}"))
}

/// The same command for changelists from a later one on.
fn from_a_changelist(request: &Request<'_>, allows: Allows<'_>) -> Option<String> {
    let word = str::from_utf8(request.word.unwrap_or_default()).ok()?;
    let (path, _) = path_and_revision(word.as_bytes());
    let (path, revision) = word.split_at_checked(path.len())?;
    if request.words.count() > 1 {
        return None;
    }
    let (range, end, purpose) = match revision {
        "" | "#head" | "@now" if is_synced(&request.scan) => (
            EVERYTHING,
            ",#head",
            "To bring only what changed since N, the changelist that you last synced completely",
        ),
        _ => {
            let (range, end) = range_and_end(&request.scan, revision)?;
            (range, end, "To ask only from a later changelist N on")
        }
    };
    let (first, records) = earliest_within(&request.scan, range, request.limit)?;
    let from = |change: &str| format!("{path}@{change}{end}");
    if !allows(&request.with_argument(from(&first.to_string()).as_bytes())) {
        return None;
    }
    let (command, unit) = (request.shown(&from("N"))?, unit(&request.scan));
    let records = with_separators(records);
    Some(format!(
        "{purpose}: {command} (allowed from N = {first} on, which is at most {records} {unit})"
    ))
}

/// Whether the command is a sync of a client that has files. The changelists bring all that is missing
/// only if the client's view is the same as then, so as far as known.
fn is_synced(scan: &Scan<'_>) -> bool {
    let is_synced = |name| {
        let has_files = scan.client(name)?.entry.have != Some(0);
        Some(has_files && scan.index.has_view_of_checkpoint(name).ok()?)
    };
    let name = scan.event.name;
    let brings_files = name.main_name == b"sync" && name.addition != "-k";
    brings_files && scan.event.client.and_then(is_synced) == Some(true)
}

/// The range of changelists from a single one on, and the text of its end, such as `,@now`.
fn range_and_end<'r>(scan: &Scan<'_>, revision: &'r str) -> Option<(Range<'r>, &'r str)> {
    let (_, end) = revision.split_at_checked(revision.find(',')?)?;
    let is_operator = |c| matches!(c, '<' | '>' | '=');
    match revision_of(until_today(revision.as_bytes(), scan.event.day)) {
        Revision::Range(range) if !revision.contains(is_operator) => Some((range, end)),
        _ => None,
    }
}

/// The earliest changelist in a range from which on there are at most `limit` records of files, and
/// their number.
fn earliest_within(scan: &Scan<'_>, range: Range<'_>, limit: u64) -> Option<(u64, u64)> {
    let ChangeRange { first, last } = numbers_of(scan, range)?;
    let records = |first| {
        let count = scan.index.count_changes(ChangeRange { first, last }).ok().flatten();
        count.map(|count| count.at_most)
    };
    let newest = scan.index.newest_change().ok()??;
    let (mut too_early, mut enough) = (first, last.map_or(newest, |last| last.min(newest)));
    if records(enough)? > limit {
        return None;
    }
    while enough.saturating_sub(too_early) > 1 {
        let middle = too_early + (enough - too_early) / 2;
        if records(middle)? > limit { too_early = middle } else { enough = middle }
    }
    let records = records(enough)?;
    (records > 0).then_some((enough, records))
}
