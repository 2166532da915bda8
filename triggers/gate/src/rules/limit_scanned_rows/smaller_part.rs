//! Proposal of a smaller part of a file argument that would read too many records: a directory that
//! the client has files from, otherwise one that the user's clients have files from, otherwise
//! another one.
//!
//! Each proposal lies within the argument and is estimated like an argument, so the limit allows
//! it.

use crate::base::patterns::is_same;
use crate::proposals::line::{Demand, Line};
use crate::rules::limit_scanned_rows::argument::{Scan, Syntax};
use p4warden_index::estimate::view::ranges_of_depot_argument;
use p4warden_index::file::client::ViewLine;
use p4warden_index::ranges::range::split;

/// Proposes a part of a file argument that reads at most `limit` records; returns the path and at most
/// how many, or None if no such part is found.
///
/// Without an argument (None) the command reads the whole client, and a part of the client's files
/// is proposed.
#[must_use]
pub fn smaller_part(
    scan: &Scan<'_>,
    argument: Option<&[u8]>,
    limit: u64,
) -> Option<(Vec<u8>, u64)> {
    match argument.map(|path| scan.syntax_of(path)) {
        Some(Some(Syntax::Depot(path))) => in_depot(scan, path, limit),
        Some(Some(Syntax::Client(name, path))) => in_client(scan, name, &path, limit),
        Some(None) => None,
        None => {
            let name = scan.event.client?;
            in_client(scan, name, &[b"//", name, b"/..."].concat(), limit)
        }
    }
}

fn in_depot(scan: &Scan<'_>, path: &[u8], limit: u64) -> Option<(Vec<u8>, u64)> {
    let index = scan.index;
    let own = scan.event.client.and_then(|name| index.synced_in_depot(name).ok());
    let of_user = || scan.event.user.and_then(|user| index.user_directories(user).ok());
    let fitting = |directory: &Vec<u8>| fitting_part(scan, path, directory, limit);
    let by_use = own.unwrap_or_default().iter().find_map(fitting);
    let by_use = by_use.or_else(|| of_user().unwrap_or_default().iter().find_map(fitting));
    by_use.or_else(|| {
        let client = scan.event.client.and_then(|name| scan.client(name));
        let by_view = client.filter(|_| scan.access.goes_by_view);
        // For commands that no client view limits.
        let all = vec![ViewLine { number: 0, depot: b"//...".to_vec(), client: b"//...".to_vec() }];
        let view = by_view.as_ref().map_or(&all, |client| &client.entry.mapping.view);
        let starts = ranges_of_depot_argument(view, path, index.folds());
        starts.iter().find_map(|range| {
            fitting(&range.literal).or_else(|| {
                let narrower =
                    index.narrower_path(scan.access.table, &range.literal, limit).ok()??;
                fitting(&narrower.strip_suffix(b"...")?.to_vec())
            })
        })
    })
}

fn in_client(scan: &Scan<'_>, name: &[u8], path: &[u8], limit: u64) -> Option<(Vec<u8>, u64)> {
    let known = scan.client(name)?;
    let client = &known.entry;
    let fitting = |directory: &Vec<u8>| fitting_part(scan, path, directory, limit);
    let by_use = client.synced_directories.iter().find_map(fitting);
    let (view, folds) = (&client.mapping.view, scan.index.folds());
    let of_user = || {
        let directories = scan.index.user_directories(scan.event.user?).ok()?;
        let fitting = |directory: &Vec<u8>, line: &ViewLine| {
            fitting(&common_starts((&line.depot, &line.client), directory, folds)?.1)
        };
        directories.iter().find_map(|one| view.iter().find_map(|line| fitting(one, line)))
    };
    by_use.or_else(of_user).or_else(|| {
        view.iter().find_map(|line| {
            let sides = (&*line.client, &*line.depot);
            let (client_start, depot) = common_starts(sides, split(path).0, folds)?;
            fitting(&client_start).or_else(|| {
                let part = scan.index.narrower_path(scan.access.table, &depot, limit).ok()??;
                let rest = part.strip_suffix(b"...")?.get(depot.len()..)?;
                fitting(&[&client_start, rest].concat())
            })
        })
    })
}

/// The file argument narrowed to a directory, and at most how many records it reads; None if the
/// directory is not within the argument or does not have between 1 and `limit` records.
fn fitting_part(
    scan: &Scan<'_>,
    argument: &[u8],
    directory: &[u8],
    limit: u64,
) -> Option<(Vec<u8>, u64)> {
    let folds = scan.index.folds();
    let (start, rest) = split(argument);
    let is_below = remainder(directory, start, folds).is_some_and(|names| !names.is_empty());
    // The start of a view line may end within a name, and has the spelling to propose.
    let part = if rest == b"..." && is_below {
        [directory, rest].concat()
    } else {
        let demand = Demand { is_enough: &|_| true, client: None, case_sensitive: !folds };
        Line::argument(argument).toward(directory, &demand)?.path().to_vec()
    };
    let rows = scan.rows(&part)?;
    (rows.at_least > 0 && rows.at_most <= limit).then_some((part, rows.at_most))
}

/// The starts of the paths on both sides of a view line, of those that it maps below a directory on
/// the first side. None if the line maps nothing there, or if a side has a wildcard other than a final
/// `...`.
fn common_starts(
    (one, other): (&[u8], &[u8]),
    directory: &[u8],
    folds: bool,
) -> Option<(Vec<u8>, Vec<u8>)> {
    let ((one, b"..."), (other, b"...")) = (split(one), split(other)) else { return None };
    match remainder(directory, one, folds) {
        Some(rest) => Some((directory.to_vec(), [other, rest].concat())),
        None => remainder(one, directory, folds).map(|_| (one.to_vec(), other.to_vec())),
    }
}

/// The rest of a path behind its start, which is compared without case if `folds`; None if the path
/// does not begin with the start.
fn remainder<'p>(path: &'p [u8], start: &[u8], folds: bool) -> Option<&'p [u8]> {
    let (front, rest) = path.split_at_checked(start.len())?;
    is_same(front, start, !folds).then_some(rest)
}
