use crate::base::numbers::{ORDERED_BYTES, from_ordered, put_number, take_number};
use crate::base::order::{folded_key, shared_bytes};
use crate::rightsize::client_view::{ClientView, Rival};
use crate::rightsize::directory_lines::DirectoryLines;
use crate::rightsize::needed_files::{ClientNeeds, NeededFile, NeededFiles};
use crate::sorted::run::Run;
use crate::sorted::sorter::Sorter;
use std::collections::BTreeSet;
use std::io;

/// Contains files needed by a client, or is above such a directory, or is a needed file in a
/// directory with few of them, for a line of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NeededDirectory {
    /// Index in the list of selected clients.
    pub client: usize,
    /// In depot syntax; of a directory, ending with a slash.
    pub path: Vec<u8>,
    /// Directly in the directory, and too many for lines of their own.
    pub has_needed: bool,
    /// A view of only this directory, with the overlays, dittos and exclusions that change parts of
    /// it, maps all needed files below it to their current client paths.
    pub is_allowed: bool,
    /// They would take client paths of needed files from the directory's line.
    pub rivals: BTreeSet<Rival>,
}

impl NeededDirectory {
    #[must_use]
    pub fn read(key: &[u8], mut value: &[u8]) -> Option<Self> {
        let (number, path) = key.split_first_chunk()?;
        let flags = take_number(&mut value)?;
        let rivals = std::iter::from_fn(|| {
            let row = usize::try_from(take_number(&mut value)?).ok()?;
            let end = memchr::memchr(0, value)?;
            let (directory, rest) = (value.get(..end)?, value.get(end + 1..)?);
            value = rest;
            Some(Rival { row, directory: directory.to_vec() })
        });
        Some(NeededDirectory {
            client: from_ordered(number) as usize,
            path: path.to_vec(),
            has_needed: flags & HAS_NEEDED != 0,
            is_allowed: flags & IS_ALLOWED != 0,
            rivals: rivals.collect(),
        })
    }
}

/// Directly in a directory.
const MAX_EXACT_LINES: usize = 10;
const HAS_NEEDED: u64 = 1;
const IS_ALLOWED: u64 = 2;

/// Of the files that each client needs, as far as its current view maps them, and all directories
/// above, sorted by client and path. A file that the client has at another client path than its
/// view maps it to, because the view was edited since, is needed where the view maps it: the next
/// sync moves it there. Also counts each client's files.
pub fn directories(
    files: &[Run],
    clients: &mut [ClientNeeds],
    folds: bool,
    output: Sorter,
) -> io::Result<Vec<Run>> {
    let mut files = NeededFiles::new(files, folds)?;
    let mut open = OpenDirectories { output, open_directories: Vec::new(), client: None };
    while files.advance()? {
        let Some(file) = files.file() else {
            continue;
        };
        let Some(client) = clients.get_mut(file.client()) else {
            continue;
        };
        let kept_row = client.view.row_of(file.depot, file.client_path);
        let places = match kept_row {
            Some(row) => vec![(row, file.client_path.to_vec())],
            None => client.view.places_of(file.depot),
        };
        if places.is_empty() {
            client.outside_count += 1;
        } else if files.is_used(client) {
            client.needed_count += 1;
            client.moved_count += u64::from(kept_row.is_none());
            for (row, place) in &places {
                open.pass(&client.view, &NeededFile { client_path: place, ..file }, *row)?;
            }
        } else {
            client.unused_count += 1;
        }
    }
    open.close_to(0)?;
    open.output.into_runs()
}

/// Those that contain the current needed file, outermost first.
struct OpenDirectories {
    output: Sorter,
    open_directories: Vec<OpenDirectory>,
    client: Option<[u8; ORDERED_BYTES]>,
}

impl OpenDirectories {
    /// `row` is the index of the line in the current view that maps the file.
    fn pass(&mut self, view: &ClientView, file: &NeededFile<'_>, row: usize) -> io::Result<()> {
        if self.client.as_ref() != Some(file.number) {
            self.close_to(0)?;
            self.client = Some(*file.number);
        }
        let order_path = folded_key(file.depot, view.folds);
        let is_above = |open: &&OpenDirectory| {
            shared_bytes(&open.order_path, &order_path) == open.order_path.len()
        };
        let levels = self.open_directories.iter().take_while(is_above).count();
        self.close_to(levels)?;
        let from = self.open_directories.last().map_or(2, |open| open.path.len());
        for (at, _) in file.depot.iter().enumerate().skip(from).filter(|(_, byte)| **byte == b'/') {
            let part = |path: &[u8]| path.get(..=at).unwrap_or_default().to_vec();
            self.open_directories.push(OpenDirectory::new(
                view,
                part(file.depot),
                part(&order_path),
            ));
        }
        self.open_directories.iter_mut().for_each(|open| open.pass(view, file, row));
        if let Some(open) = self.open_directories.last_mut() {
            open.pass_own(view, file);
        }
        Ok(())
    }

    /// Writes all but the `levels` outermost directories, innermost first.
    fn close_to(&mut self, levels: usize) -> io::Result<()> {
        for open in self.open_directories.drain(levels..).rev() {
            let client = self.client.unwrap_or_default();
            self.output.push([&client, &open.path], Some(&open.value()))?;
            for (path, is_allowed) in &open.own_files {
                let mut value = Vec::new();
                put_number(&mut value, HAS_NEEDED | if *is_allowed { IS_ALLOWED } else { 0 });
                self.output.push([&client, path], Some(&value))?;
            }
        }
        Ok(())
    }
}

struct OpenDirectory {
    path: Vec<u8>,
    order_path: Vec<u8>,
    /// For a view of only this directory.
    lines: DirectoryLines,
    /// Needed files directly in the directory, and whether a line for only the file keeps it in its
    /// places; empty if there are too many.
    own_files: Vec<(Vec<u8>, bool)>,
    has_needed: bool,
    is_allowed: bool,
    rivals: BTreeSet<Rival>,
}

impl OpenDirectory {
    fn new(view: &ClientView, path: Vec<u8>, order_path: Vec<u8>) -> Self {
        let lines = view.directory_lines(&path);
        let (is_allowed, rivals) = (!lines.mapping.is_empty(), BTreeSet::new());
        let own_files = Vec::new();
        OpenDirectory { path, order_path, lines, own_files, has_needed: false, is_allowed, rivals }
    }

    fn pass_own(&mut self, view: &ClientView, file: &NeededFile<'_>) {
        if self.has_needed {
            return;
        }
        let lines = view.directory_lines(file.depot);
        let has_row = |row| view.has_row(&lines, row);
        let is_kept = view.row_among(&has_row, file.depot, file.client_path).is_some();
        match self.own_files.last_mut() {
            Some((path, is_allowed)) if path == file.depot => *is_allowed &= is_kept,
            _ => self.own_files.push((file.depot.to_vec(), is_kept)),
        }
        if self.own_files.len() > MAX_EXACT_LINES {
            (self.has_needed, self.own_files) = (true, Vec::new());
        }
    }

    /// The file keeps its client path if a view of only this directory contains `row`, because no
    /// later line is added. Otherwise another of its lines must map the file to the same client
    /// path; the lines between that one and `row` that match this path become rivals. If the
    /// current view has dittos, all files are checked, because an exclusion that a line cancels
    /// today may apply to a file when that line is left out.
    fn pass(&mut self, view: &ClientView, file: &NeededFile<'_>, row: usize) {
        let has_row = |row| view.has_row(&self.lines, row);
        if !self.is_allowed || (has_row(row) && !view.has_dittos) {
            return;
        }
        match view.row_among(&has_row, file.depot, file.client_path) {
            Some(kept_row) => self.rivals.extend(view.rivals(kept_row + 1..row, file.client_path)),
            None => (self.is_allowed, self.rivals) = (false, BTreeSet::new()),
        }
    }

    fn value(&self) -> Vec<u8> {
        let flag = |is_set, flag| if is_set { flag } else { 0 };
        let mut value = Vec::new();
        put_number(
            &mut value,
            flag(self.has_needed, HAS_NEEDED) | flag(self.is_allowed, IS_ALLOWED),
        );
        for rival in &self.rivals {
            put_number(&mut value, rival.row as u64);
            value.extend_from_slice(&rival.directory);
            value.push(0);
        }
        value
    }
}
