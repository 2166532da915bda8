//! Proposal of a smaller part of a file argument that would read too many records: a directory that
//! the client has files from, otherwise one that the user's clients have files from, otherwise
//! another one.
//!
//! Each proposal lies within the argument and is estimated like an argument, so the limit allows
//! it.

use crate::base::patterns::is_same;
use crate::proposals::line::{Demand, Line};
use crate::rules::scanned_argument::{Scan, Syntax};
use p4warden_index::estimate::view::ranges_of_depot_argument;
use p4warden_index::file::client::{Client, ViewLine};
use p4warden_index::ranges::range::split;

/// Proposes a part of a file argument that reads at most `limit` records; returns the path and the
/// estimated number of its records, or None if no such part is found.
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
        let starts = match &by_view {
            Some(client) => {
                ranges_of_depot_argument(&client.entry.mapping.view, path, index.folds())
            }
            None => ranges_of_depot_argument(&[line_of_all_depots()], path, index.folds()),
        };
        starts.iter().find_map(|range| {
            fitting(&range.literal).or_else(|| {
                let (narrower, _) =
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
    let of_user = || {
        let directories = scan.index.user_directories(scan.event.user?).ok()?;
        directories
            .iter()
            .flat_map(|directory| client_directories(client, directory, scan.index.folds()))
            .find_map(|part| fitting(&part))
    };
    by_use.or_else(of_user).or_else(|| {
        client.mapping.view.iter().find_map(|line| {
            let (depot, client_start) = common_starts(line, split(path).0, scan.index.folds())?;
            fitting(&client_start).or_else(|| {
                let (part, _) =
                    scan.index.narrower_path(scan.access.table, &depot, limit).ok()??;
                let rest = part.strip_suffix(b"...")?.get(depot.len()..)?;
                fitting(&[&client_start, rest].concat())
            })
        })
    })
}

/// A view line that maps every depot, `//... //...`, for commands that no client view limits.
fn line_of_all_depots() -> ViewLine {
    ViewLine { number: 0, depot: b"//...".to_vec(), client: b"//...".to_vec() }
}

/// The file argument narrowed to a directory, with the estimated number of its records; None if the
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
    (rows.likely > 0 && rows.at_most <= limit).then_some((part, rows.likely))
}

/// Maps a depot directory through a client's view to directories in client syntax, one for each
/// view line that maps a part of it and has no wildcard but a final `...`.
fn client_directories(client: &Client, directory: &[u8], folds: bool) -> Vec<Vec<u8>> {
    let lines = client.mapping.view.iter().filter_map(|line| {
        let ((depot, depot_rest), (start, rest)) = (split(&line.depot), split(&line.client));
        if depot_rest != b"..." || rest != b"..." {
            return None;
        }
        match remainder(directory, depot, folds) {
            Some(remainder) => Some([start, remainder].concat()),
            None => remainder(depot, directory, folds).map(|_| start.to_vec()),
        }
    });
    lines.collect()
}

/// The common starts of the depot paths and of the client paths that a view line maps below a
/// directory in client syntax. None if the line maps nothing there, or if a side has a wildcard
/// other than a final `...`.
fn common_starts(line: &ViewLine, directory: &[u8], folds: bool) -> Option<(Vec<u8>, Vec<u8>)> {
    let ((depot, depot_rest), (start, rest)) = (split(&line.depot), split(&line.client));
    if depot_rest != b"..." || rest != b"..." {
        return None;
    }
    match remainder(directory, start, folds) {
        Some(remainder) => Some(([depot, remainder].concat(), directory.to_vec())),
        None => remainder(start, directory, folds).map(|_| (depot.to_vec(), start.to_vec())),
    }
}

/// The rest of a path behind its start, which is compared without case if `folds`; None if the path
/// does not begin with the start.
fn remainder<'p>(path: &'p [u8], start: &[u8], folds: bool) -> Option<&'p [u8]> {
    let (front, rest) = path.split_at_checked(start.len())?;
    is_same(front, start, !folds).then_some(rest)
}
