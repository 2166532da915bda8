//! Proposes a line in place of one whose path is too long.
//!
//! Existing files keep their names, so a directory above a file's long path is mapped: the nearest
//! one that is short enough, if it names at least `MIN_DIRECTORIES`. The author of a new path can
//! choose a shorter one; the paper that measured the cost gives the same advice (its own example maps
//! `//epiph/MAN/jsrc/...` to `//my-client/com/our-company/epiphany-project/...`).

use crate::base::visible::visible_excerpt;
use crate::forms::leading_paths::{Kind, LeadingPath, depot_of};
use crate::forms::view_lines::{Side, ViewPath};
use crate::paths::depot_path::literal_start;
use crate::paths::view_words::{joined_line, split_flag, words};
use crate::proposals::placeholders::SHORT;

const MIN_DIRECTORIES: usize = 2;

/// The largest allowed numbers of bytes in a path before its first wildcard.
pub struct LengthLimits<'l> {
    /// By the depot's name.
    pub of_depot: &'l dyn Fn(&[u8]) -> usize,
    pub of_client: Option<usize>,
    pub unicode: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShorterLine {
    pub line: String,
    /// A further sentence about the line, with its full stop before it, or empty.
    pub remark: String,
    /// Whether each file keeps its place in the client, and in a branch its place in the other half.
    pub keeps_place: bool,
    /// Most bytes of a name in place of `SHORT`; None without it.
    pub short_bytes: Option<usize>,
}

/// The line to write for a path that is too long: in place of its line, or for a new file. All its
/// paths keep their limits.
///
/// `client` is that of the view for the line, for an event without a form.
pub fn shorter_line(
    path: &LeadingPath<'_>,
    client: &[u8],
    limits: &LengthLimits<'_>,
) -> Option<ShorterLine> {
    let limit = (limits.of_depot)(path.depot());
    let words = match &path.kind {
        Kind::Depot(line) => of_view(line, limit, limits)?,
        Kind::OwnPaths(kind, subpath, _) => {
            let stream = path.path.strip_suffix(*subpath)?;
            let shorter = with_placeholder(&path.path, limit)?;
            vec![kind.to_vec(), shorter.strip_prefix(stream)?.to_vec()]
        }
        Kind::NewFile(action) => of_new_file(path, action, client, limits)?,
        Kind::Client(_) | Kind::Root(_) | Kind::Map(..) => return None,
    };
    let slices: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
    let line = joined_line(&slices, limits.unicode)?;
    let remark = match (&path.kind, slices.as_slice()) {
        (Kind::Depot(old), [depot_path, client_path]) => {
            remark(old, split_flag(depot_path).1, client_path, limits.unicode)
        }
        _ => String::new(),
    };
    let has_placeholder = match &path.kind {
        Kind::Depot(line) => line.side == Some(Side::Right),
        _ => true,
    };
    let shorter = with_placeholder(&path.path, limit).filter(|_| has_placeholder);
    let short_bytes = shorter.map(|path| limit + SHORT.len() - literal_start(&path).len());
    let keeps_place = keeps_place(path, &slices);
    Some(ShorterLine { line, remark, keeps_place, short_bytes })
}

fn keeps_place(path: &LeadingPath<'_>, words: &[&[u8]]) -> bool {
    match &path.kind {
        Kind::NewFile(_) => false,
        Kind::Depot(line) if line.line.field == "Paths" => false,
        Kind::Depot(line) => match (line.client_path.as_deref(), words) {
            (Some(right), [left, _]) => moved(&line.path, split_flag(left).1, right).is_some(),
            _ => true,
        },
        Kind::OwnPaths(..) | Kind::Client(_) | Kind::Root(_) | Kind::Map(..) => true,
    }
}

fn of_view(line: &ViewPath<'_>, limit: usize, limits: &LengthLimits<'_>) -> Option<Vec<Vec<u8>>> {
    let fits = |path: &[u8]| literal_start(path).len() <= (limits.of_depot)(depot_of(path));
    let flagged = |path: &[u8]| [line.flag.mark().as_bytes(), path].concat();
    if line.line.field == "Paths" {
        let mut words = words(line.text);
        let (kind, own, depot_path) = (words.next()?, words.next()?, words.next()?);
        // A directory cannot be imported as a single file of the stream.
        let above = above(&line.path, limit).filter(|_| own.ends_with(b"..."))?;
        let revision = depot_path.get(line.path.len()..)?;
        return Some(vec![kind.to_vec(), own.to_vec(), [&above, revision].concat()]);
    }
    if let Some(right) = &line.client_path {
        let above = above(&line.path, limit)?;
        let client = of_client(&line.path, &above, right, limits.of_client)?;
        return Some(vec![flagged(&above), client]);
    }
    match line.side {
        Some(Side::Left) => {
            let above = above(&line.path, limit)?;
            let target = moved(&line.path, &above, line.other_path?).filter(|path| fits(path))?;
            Some(vec![flagged(&above), target])
        }
        Some(Side::Right) => {
            let source = line.other_path.filter(|path| fits(path))?;
            Some(vec![source.to_vec(), with_placeholder(&line.path, limit)?])
        }
        None => Some(vec![flagged(&above(&line.path, limit)?)]),
    }
}

/// The line maps this file alone. One for its directory would hide the files that are there, and an
/// overlay (`+`) would make them read-only: of overlaid directories only the last is writable
/// (Perforce User's Guide). None for a path with an encoded character, such as %40: `p4 add` needs
/// the option -f for such a file, `p4 revert` the code.
fn of_new_file(
    path: &LeadingPath<'_>,
    action: &[u8],
    client: &[u8],
    limits: &LengthLimits<'_>,
) -> Option<Vec<Vec<u8>>> {
    if action != b"add" || path.path.contains(&b'%') {
        return None;
    }
    let shorter = with_placeholder(&path.path, (limits.of_depot)(path.depot()))?;
    let right = [b"//", client, b"/", below_first(&path.path)].concat();
    limits.of_client.is_none_or(|limit| right.len() <= limit).then(|| vec![shorter, right])
}

/// The client path for a directory above a line's depot path: as many levels up, or the same, or as in
/// the depot.
fn of_client(left: &[u8], above: &[u8], right: &[u8], limit: Option<usize>) -> Option<Vec<u8>> {
    let is_within = |path: &Vec<u8>| limit.is_none_or(|limit| literal_start(path).len() <= limit);
    if let Some(moved) = moved(left, above, right) {
        return Some(moved).filter(is_within);
    }
    // Below a directory of the same name, the depot's directories would repeat it.
    let repeats = last_name(left) == last_name(right);
    let same = [directory(right), b"..."].concat();
    let mirrored = || [b"//", depot_of(right), b"/", below_first(above)].concat();
    let same = Some(same).filter(|_| !repeats).filter(is_within);
    same.or_else(|| Some(mirrored()).filter(is_within))
}

/// Where the files of a proposed line lie in the client; empty if the line keeps them there.
fn remark(old: &ViewPath<'_>, above: &[u8], client_path: &[u8], unicode: bool) -> String {
    let Some(right) = old.client_path.as_deref().filter(|_| old.line.field == "View") else {
        return String::new();
    };
    let rest = directory(&old.path).strip_prefix(directory(above)).unwrap_or_default();
    let new = [directory(client_path), rest].concat();
    if new == directory(right) {
        return String::new();
    }
    format!(". With the line below, its files move to {}", visible_excerpt(&new, unicode))
}

/// A path to everything below the nearest directory above that is short enough.
fn above(path: &[u8], limit: usize) -> Option<Vec<u8>> {
    let nearest = nearest(directory(path), limit)?;
    let slashes = nearest.iter().filter(|byte| **byte == b'/').count();
    (slashes >= MIN_DIRECTORIES + b"///".len()).then(|| [nearest, b"..."].concat())
}

/// The path with `SHORT` in place of its last directories, of as few as possible.
fn with_placeholder(path: &[u8], limit: usize) -> Option<Vec<u8>> {
    let directory = directory(path);
    let last = path.get(directory.len()..)?;
    let ending = [SHORT.as_bytes(), b"/", last].concat();
    let nearest = nearest(directory, limit.checked_sub(literal_start(&ending).len())?)?;
    Some([nearest, &ending].concat())
}

/// The path of the directory above `right`, as many levels up as `above` is above `left`; None if the
/// directories that are cut off differ on the two sides.
fn moved(left: &[u8], above: &[u8], right: &[u8]) -> Option<Vec<u8>> {
    let cut_off = directory(left).strip_prefix(directory(above))?;
    let rest = directory(right).strip_suffix(cut_off).filter(|rest| rest.ends_with(b"/"))?;
    // Something must be above the client's or depot's own directory.
    let has_directory = rest.iter().filter(|byte| **byte == b'/').count() > b"///".len();
    has_directory.then(|| [rest, b"..."].concat())
}

/// The nearest of a directory and those above it whose path has at most so many bytes.
fn nearest(directory: &[u8], most_bytes: usize) -> Option<&[u8]> {
    let room = directory.get(..directory.len().min(most_bytes))?;
    let end = room.iter().rposition(|byte| *byte == b'/').filter(|end| *end >= 2)?;
    directory.get(..=end)
}

/// A path's text before the first wildcard, up to its last slash.
fn directory(path: &[u8]) -> &[u8] {
    let literal = literal_start(path);
    let end = literal.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
    literal.get(..end).unwrap_or_default()
}

/// The name of a path's last complete directory, or else of its depot or client.
fn last_name(path: &[u8]) -> Option<&[u8]> {
    directory(path).strip_suffix(b"/")?.rsplit(|byte| *byte == b'/').next()
}

/// The text after the name of a path's depot or client.
fn below_first(path: &[u8]) -> &[u8] {
    let rest = path.get(2..).unwrap_or_default();
    let slash = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
    rest.get(slash + 1..).unwrap_or_default()
}
