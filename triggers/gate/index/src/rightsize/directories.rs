use crate::base::numbers::{ORDERED_BYTES, from_ordered};
use crate::base::order::{folded_key, shared_bytes};
use crate::estimate::client_view::{ClientView, Rows};
use crate::rightsize::needed_files::{ClientNeeds, NeededFile, NeededFiles};
use crate::sorted::run::Run;
use crate::sorted::sorter::Sorter;
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
    /// The client's lines, narrowed to the directory, map all needed files below it as its view
    /// does.
    pub is_allowed: bool,
}

impl NeededDirectory {
    pub fn read(key: &[u8], value: &[u8]) -> Option<Self> {
        let (number, path) = key.split_first_chunk()?;
        let has = |mark| value.contains(&mark);
        Some(NeededDirectory {
            client: from_ordered(number) as usize,
            path: path.to_vec(),
            has_needed: has(HAS_NEEDED),
            is_allowed: has(IS_ALLOWED),
        })
    }
}

/// Directly in a directory.
const MAX_EXACT_LINES: usize = 10;
const HAS_NEEDED: u8 = b'n';
const IS_ALLOWED: u8 = b'a';

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
    let mut open = OpenDirectories::new(output);
    while files.advance()? {
        let Some(file) = files.file() else { continue };
        let Some(client) = clients.get_mut(file.client()) else { continue };
        open.enter(&client.view, &file)?;
        let places = client.view.places_of(open.rows(), file.depot);
        let is_in_place =
            places.iter().any(|(_, place)| client.view.is_same(place, file.client_path));
        if places.is_empty() {
            client.outside_count += 1;
        } else if files.is_used(client) {
            client.needed_count += 1;
            client.moved_count += u64::from(!is_in_place);
            client.used_rows.extend(places.iter().map(|(row, _)| *row));
            open.take(file.depot, &places);
        } else {
            client.unused_count += 1;
        }
    }
    open.close_to(0)?;
    open.output.into_runs()
}

/// Those that contain the current file, outermost first.
struct OpenDirectories {
    output: Sorter,
    open_directories: Vec<OpenDirectory>,
    client: Option<[u8; ORDERED_BYTES]>,
    all_rows: Rows,
}

impl OpenDirectories {
    fn new(output: Sorter) -> Self {
        OpenDirectories { output, open_directories: Vec::new(), client: None, all_rows: Vec::new() }
    }

    /// Of the view, those that may match the current file.
    fn rows(&self) -> &[usize] {
        self.open_directories.last().map_or(&self.all_rows, |open| &open.rows)
    }

    fn enter(&mut self, view: &ClientView, file: &NeededFile<'_>) -> io::Result<()> {
        if self.client.as_ref() != Some(file.number) {
            self.close_to(0)?;
            self.client = Some(*file.number);
            self.all_rows = view.all_rows();
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
            let open = OpenDirectory::new(view, self.rows(), part(file.depot), part(&order_path));
            self.open_directories.push(open);
        }
        Ok(())
    }

    /// The current file is needed at these client paths.
    fn take(&mut self, depot: &[u8], places: &[(usize, Vec<u8>)]) {
        for open in &mut self.open_directories {
            open.is_needed = true;
            open.is_allowed &= places.iter().all(|(row, _)| open.lines.binary_search(row).is_ok());
        }
        if let Some(open) = self.open_directories.last_mut() {
            open.take_own(depot);
        }
    }

    /// Writes all but the `levels` outermost directories, innermost first.
    fn close_to(&mut self, levels: usize) -> io::Result<()> {
        let client = self.client.unwrap_or_default();
        for open in self.open_directories.drain(levels..).rev().filter(|open| open.is_needed) {
            self.output.push([&client, &open.path], Some(&open.value()))?;
            for path in &open.own_files {
                self.output.push([&client, path], Some(&[HAS_NEEDED, IS_ALLOWED]))?;
            }
        }
        Ok(())
    }
}

struct OpenDirectory {
    path: Vec<u8>,
    order_path: Vec<u8>,
    /// Of the view, those that may match a file below it.
    rows: Rows,
    /// Of these, those that a view of only this directory has.
    lines: Rows,
    /// Needed files directly in the directory; empty if there are too many.
    own_files: Vec<Vec<u8>>,
    has_needed: bool,
    is_allowed: bool,
    is_needed: bool,
}

impl OpenDirectory {
    fn new(view: &ClientView, above: &[usize], path: Vec<u8>, order_path: Vec<u8>) -> Self {
        let rows = view.rows_meeting(above, &path);
        let narrowed = view.narrowed_lines(&rows, &path);
        let (lines, is_allowed) = (narrowed.rows(), narrowed.is_mapped);
        let (own_files, has_needed, is_needed) = (Vec::new(), false, false);
        OpenDirectory {
            path,
            order_path,
            rows,
            lines,
            own_files,
            has_needed,
            is_allowed,
            is_needed,
        }
    }

    fn take_own(&mut self, depot: &[u8]) {
        if self.has_needed || self.own_files.last().is_some_and(|last| last == depot) {
            return;
        }
        self.own_files.push(depot.to_vec());
        if self.own_files.len() > MAX_EXACT_LINES {
            (self.has_needed, self.own_files) = (true, Vec::new());
        }
    }

    fn value(&self) -> Vec<u8> {
        let marks = [(self.has_needed, HAS_NEEDED), (self.is_allowed, IS_ALLOWED)];
        marks.iter().filter(|(is_set, _)| *is_set).map(|(_, mark)| *mark).collect()
    }
}
