//! The entry of a client in a checkpoint index, with data such as its view, totals, stream and
//! roots.

use crate::base::numbers::{put_number, put_text, take_number, take_text};
use crate::base::order::shared_bytes;

/// Flag bit in an encoded client: the client belongs to a stream.
const OF_STREAM: u64 = 1;
/// Flag bit in an encoded client: the directories with the most synced files are stored with the
/// client.
const HAS_DIRECTORIES: u64 = 2;

/// A line of a client's view that includes files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewLine {
    /// Position, from 0, of the view line in the client's whole view, in which exclusion lines
    /// count as well; in the view of a saved form they are not counted.
    pub number: u64,
    /// The left side of the view line, in depot syntax (`//depot/...`).
    pub depot: Vec<u8>,
    /// The right side of the view line, in client syntax (`//client/...`).
    pub client: Vec<u8>,
}

/// Data about one client from a checkpoint index, its delta file or the note of a saved form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// Number of files and number of revisions that the client's view spans; a file mapped by
    /// several view lines counts once.
    pub totals: [u64; 2],
    /// Number of files that the client had synced at the checkpoint; None if unknown, such as for
    /// readonly and partitioned clients and clients bound to other servers, whose `db.have` records
    /// the checkpoint does not contain.
    pub have: Option<u64>,
    /// The stream that determines the client's view; None if the client has no stream.
    pub stream: Option<ClientStream>,
    /// Directories in client syntax with the most synced files of the client, up to three on each
    /// of the first four levels below the client's root, nearest to the root first. Empty for a
    /// client whose view spans few files and revisions.
    pub synced_directories: Vec<Vec<u8>>,
    /// The client's Root and AltRoots, and the lines of its view that include files.
    pub mapping: ClientMapping,
    /// When the client's `totals` were counted.
    pub count_time: CountTime,
}

/// When the totals of a client's files and revisions were counted, if at all, and so whether
/// changes in the delta file have to be added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CountTime {
    /// Totals counted at the checkpoint; changes in a delta file are not included.
    #[default]
    AtCheckpoint,
    /// Totals of a client in the delta file, counted at the last update; all changes in the delta
    /// file are included.
    AtUpdate,
    /// Files counted when a form was saved whose view is too long to be noted: the view is unknown.
    /// The number of revisions is at least that of the files.
    AtSave,
    /// No totals: the client's numbers of files and revisions have to be estimated from its view.
    Never,
}

/// The stream that determines a client's view, as stored with the client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientStream {
    /// Name of the client's stream, such as `//depot/main`.
    pub name: Vec<u8>,
    /// Time at which the client was last saved or used, as recorded in the checkpoint, or in the
    /// journal that changed the client's stream; in seconds since the Unix epoch. The server
    /// regenerates the client's view at the first use after its stream was saved.
    pub used_s: u64,
}

/// The roots of a client and the lines of its view that include files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientMapping {
    /// The client's Root and AltRoots in this order, without those that are not set.
    pub roots: Vec<Vec<u8>>,
    /// The lines of the client's view that include files, in the order of the view.
    pub view: Vec<ViewLine>,
}

impl Client {
    /// Encodes the client as the value of its entry in a checkpoint index.
    #[must_use]
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
        if !self.synced_directories.is_empty() {
            put_number(&mut to, self.synced_directories.len() as u64);
            self.synced_directories.iter().for_each(|directory| put_text(&mut to, directory));
        }
        self.mapping.put(&mut to);
        to
    }

    /// Decodes the value of a client's entry in a checkpoint index; None if the bytes are invalid.
    #[must_use]
    pub fn read(mut from: &[u8]) -> Option<Self> {
        let from = &mut from;
        let totals = [take_number(from)?, take_number(from)?];
        let have = take_number(from)?.checked_sub(1);
        let marks = take_number(from)?;
        let stream = if marks & OF_STREAM == 0 { None } else { Some(ClientStream::read(from)?) };
        let mut synced_directories = Vec::new();
        for _ in 0..if marks & HAS_DIRECTORIES == 0 { 0 } else { take_number(from)? } {
            synced_directories.push(take_text(from)?.to_vec());
        }
        let mapping = ClientMapping::read(from)?;
        Some(Client {
            totals,
            have,
            stream,
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
    fn put(&self, to: &mut Vec<u8>) {
        put_number(to, self.roots.len() as u64);
        self.roots.iter().for_each(|root| put_text(to, root));
        let mut last = &ViewLine::default();
        for line in &self.view {
            put_number(to, line.number);
            put_path(to, &line.depot, &last.depot, &last.depot);
            put_path(to, &line.client, &last.client, &line.depot);
            last = line;
        }
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let mut mapping = ClientMapping::default();
        for _ in 0..take_number(from)? {
            mapping.roots.push(take_text(from)?.to_vec());
        }
        let first = ViewLine::default();
        while !from.is_empty() {
            let last = mapping.view.last().unwrap_or(&first);
            let number = take_number(from)?;
            let depot = take_path(from, &last.depot, &last.depot)?;
            let client = take_path(from, &last.client, &depot)?;
            mapping.view.push(ViewLine { number, depot, client });
        }
        Some(mapping)
    }
}

/// Appends to `to` the encoded path of a view line: the lengths of the beginning that it shares
/// with `begins_as` and of the end that it shares with `ends_as`, then the text between them.
fn put_path(to: &mut Vec<u8>, path: &[u8], begins_as: &[u8], ends_as: &[u8]) {
    let shared = shared_bytes(path, begins_as);
    let rest = path.get(shared..).unwrap_or_default();
    let pairs = rest.iter().rev().zip(ends_as.iter().rev());
    let ending = pairs.take_while(|(one, other)| one == other).count();
    put_number(to, shared as u64);
    put_number(to, ending as u64);
    put_text(to, rest.get(..rest.len() - ending).unwrap_or_default());
}

/// Decodes a path that `put_path` encoded with the same `begins_as` and `ends_as`; None if the
/// bytes are invalid.
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
            lines in prop::collection::vec(("//[ab/]{0,9}[.]{0,3}", "//[abw/]{0,9}[.]{0,3}"), 0..6),
            root: Vec<u8>,
        ) {
            let line = |(depot, client): (String, String)| ViewLine {
                number: 7,
                depot: depot.into_bytes(),
                client: client.into_bytes(),
            };
            let view = lines.into_iter().map(line).collect();
            let mapping = ClientMapping { roots: vec![root], view };
            let client = Client { totals: [3, 4], mapping, ..Client::default() };
            prop_assert_eq!(Client::read(&client.bytes()), Some(client));
        }

        #[test]
        fn reading_a_client_from_arbitrary_bytes_does_not_panic(bytes: Vec<u8>) {
            let _ = Client::read(&bytes);
        }
    }
}
