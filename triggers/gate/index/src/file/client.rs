use crate::base::numbers::{put_number, put_text, take_number, take_text};
use crate::base::order::shared_bytes;
use crate::file::view_line::ViewLine;

const OF_STREAM: u64 = 1;
const HAS_DIRECTORIES: u64 = 2;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// Files and revisions that the view spans, each counted once.
    pub totals: [u64; 2],
    /// Synced files at the checkpoint; None if unknown, such as for readonly and partitioned
    /// clients and clients bound to other servers, whose `db.have` records the checkpoint does not
    /// contain.
    pub have: Option<u64>,
    pub stream: Option<ClientStream>,
    /// Empty if the client has none.
    pub owner: Vec<u8>,
    /// In client syntax, up to three on each of the first four levels below the client's root,
    /// nearest to the root first. Empty for a client whose view spans few files and revisions.
    pub synced_directories: Vec<Vec<u8>>,
    pub mapping: ClientMapping,
    pub count_time: CountTime,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CountTime {
    #[default]
    AtCheckpoint,
    /// The view is too long for the note of the saved form, and unknown. The numbers are the bounds of
    /// that of files; the number of revisions is at least that of the files.
    AtSave([u64; 2]),
    /// The numbers have to be estimated from the view.
    Never,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientStream {
    /// Such as `//depot/main`.
    pub name: Vec<u8>,
    /// Last save or use of the client, in seconds since the Unix epoch. The server regenerates the
    /// client's view at the first use after its stream was saved.
    pub used_s: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientMapping {
    /// Root and AltRoots, without those that are not set.
    pub roots: Vec<Vec<u8>>,
    /// The lines that include files, in the order of the view.
    pub view: Vec<ViewLine>,
    pub exclusions: Vec<ViewLine>,
}

impl Client {
    pub fn is_counted_at_save(&self) -> bool {
        matches!(self.count_time, CountTime::AtSave(_))
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut to = Vec::new();
        self.totals.iter().for_each(|total| put_number(&mut to, *total));
        put_number(&mut to, self.have.map_or(0, |have| have + 1));
        let marks = [
            (self.stream.is_some(), OF_STREAM),
            (!self.synced_directories.is_empty(), HAS_DIRECTORIES),
        ];
        put_number(&mut to, marks.iter().filter(|(is_set, _)| *is_set).map(|(_, mark)| mark).sum());
        if let Some(stream) = &self.stream {
            put_text(&mut to, &stream.name);
            put_number(&mut to, stream.used_s);
        }
        put_text(&mut to, &self.owner);
        if !self.synced_directories.is_empty() {
            put_number(&mut to, self.synced_directories.len() as u64);
            self.synced_directories.iter().for_each(|directory| put_text(&mut to, directory));
        }
        self.mapping.put(&mut to);
        to
    }

    pub fn read(mut from: &[u8]) -> Option<Self> {
        let from = &mut from;
        let totals = [take_number(from)?, take_number(from)?];
        let have = take_number(from)?.checked_sub(1);
        let marks = take_number(from)?;
        let stream = if marks & OF_STREAM == 0 { None } else { Some(ClientStream::read(from)?) };
        let owner = take_text(from)?.to_vec();
        let mut synced_directories = Vec::new();
        for _ in 0..if marks & HAS_DIRECTORIES == 0 { 0 } else { take_number(from)? } {
            synced_directories.push(take_text(from)?.to_vec());
        }
        let mapping = ClientMapping::read(from)?;
        Some(Client {
            totals,
            have,
            stream,
            owner,
            synced_directories,
            mapping,
            count_time: CountTime::AtCheckpoint,
        })
    }
}

impl ClientStream {
    fn read(from: &mut &[u8]) -> Option<Self> {
        Some(ClientStream { name: take_text(from)?.to_vec(), used_s: take_number(from)? })
    }
}

impl ClientMapping {
    /// In the order of the view.
    pub fn all_lines(&self) -> Vec<&ViewLine> {
        let mut lines: Vec<_> = self.view.iter().chain(&self.exclusions).collect();
        lines.sort_by_key(|line| line.number);
        lines
    }

    pub fn line_count(&self) -> usize {
        self.view.len() + self.exclusions.len()
    }

    /// The next line of the view.
    pub fn add(&mut self, line: ViewLine) {
        let to = if line.includes() { &mut self.view } else { &mut self.exclusions };
        to.push(line);
    }

    fn put(&self, to: &mut Vec<u8>) {
        put_number(to, self.roots.len() as u64);
        self.roots.iter().for_each(|root| put_text(to, root));
        let mut last = &ViewLine::default();
        for line in self.all_lines() {
            put_number(to, line.number);
            put_number(to, line.flag);
            put_path(to, &line.depot, &last.depot, &last.depot);
            put_path(to, &line.client, &last.client, &line.depot);
            last = line;
        }
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let (mut roots, mut lines) = (Vec::new(), Vec::new());
        for _ in 0..take_number(from)? {
            roots.push(take_text(from)?.to_vec());
        }
        let before_first = ViewLine::default();
        while !from.is_empty() {
            let last = lines.last().unwrap_or(&before_first);
            let (number, flag) = (take_number(from)?, take_number(from)?);
            let depot = take_path(from, &last.depot, &last.depot)?;
            let client = take_path(from, &last.client, &depot)?;
            lines.push(ViewLine { number, flag, depot, client });
        }
        let (view, exclusions) = lines.into_iter().partition(ViewLine::includes);
        Some(ClientMapping { roots, view, exclusions })
    }
}

/// The lengths of the beginning that it shares with `begins_as` and of the end that it shares with
/// `ends_as`, then the text between them.
fn put_path(to: &mut Vec<u8>, path: &[u8], begins_as: &[u8], ends_as: &[u8]) {
    let shared = shared_bytes(path, begins_as);
    let rest = path.get(shared..).unwrap_or_default();
    let pairs = rest.iter().rev().zip(ends_as.iter().rev());
    let ending = pairs.take_while(|(one, other)| one == other).count();
    put_number(to, shared as u64);
    put_number(to, ending as u64);
    put_text(to, rest.get(..rest.len() - ending).unwrap_or_default());
}

fn take_path(from: &mut &[u8], begins_as: &[u8], ends_as: &[u8]) -> Option<Vec<u8>> {
    let mut number = || usize::try_from(take_number(from)?).ok();
    let (shared, ending) = (number()?, number()?);
    let own = take_text(from)?;
    let front = begins_as.get(..shared)?;
    let end = ends_as.get(ends_as.len().checked_sub(ending)?..)?;
    Some([front, own, end].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn written_clients_are_read_unchanged(
            lines in prop::collection::vec(
                (0_u64..3, "//[ab/]{0,9}[.]{0,3}", "//[abw/]{0,9}[.]{0,3}"),
                0..6,
            ),
            root: Vec<u8>,
            owner: Vec<u8>,
        ) {
            let mut mapping = ClientMapping { roots: vec![root], ..ClientMapping::default() };
            for (number, (flag, depot, client)) in (7..).zip(lines) {
                let (depot, client) = (depot.into_bytes(), client.into_bytes());
                mapping.add(ViewLine { number, flag, depot, client });
            }
            let client = Client { totals: [3, 4], owner, mapping, ..Client::default() };
            prop_assert_eq!(Client::read(&client.bytes()), Some(client));
        }

        #[test]
        fn reading_a_client_from_arbitrary_bytes_does_not_panic(bytes: Vec<u8>) {
            let _ = Client::read(&bytes);
        }
    }
}
