//! A client in an index.

use crate::base::numbers::{put_number, put_text, take_number, take_text};

/// Number of files and revisions below which a client's view is not stored; the totals then stand
/// for every part of the view.
pub const MIN_WIDE: u64 = 500;
/// Flag bit in an encoded client: the client belongs to a stream. `WIDE`, the next bit: its view is
/// stored.
const OF_STREAM: u64 = 1;
const WIDE: u64 = 2;
/// Flag bit in an encoded client: the directories of its files are stored.
const HAD: u64 = 4;

/// A line of a client's view that includes files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewLine {
    /// Number of the line in the view, counting also excluding lines.
    pub number: u64,
    /// The path in depot syntax.
    pub depot: Vec<u8>,
    /// The path in client syntax.
    pub client: Vec<u8>,
}

/// The data of an index about a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// Number of files and number of revisions that the client's view spans, each counted once.
    pub totals: [u64; 2],
    /// Number of files that the client has synced; None if the checkpoint does not contain them
    /// (readonly and partitioned clients, and clients of other servers).
    pub have: Option<u64>,
    /// The stream that determines the client's view; None if it has no stream.
    pub stream: Option<OfStream>,
    /// Directories in client syntax that contain most of the client's synced files, nearest to the
    /// root first; empty for a client with few files and revisions.
    pub had: Vec<Vec<u8>>,
    /// The client's Root, AltRoots and view; None for a client with few files and revisions.
    pub wide: Option<Wide>,
    /// Time at which the totals were counted.
    pub counted: Counted,
}

/// Time at which the totals of a client were counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counted {
    /// Counted at the checkpoint; changes in a delta are not included.
    #[default]
    AtCheckpoint,
    /// Counted when the delta was written.
    AtUpdate,
    /// Not counted; the totals have to be computed from the view.
    Never,
}

/// The stream of a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfStream {
    /// Name of the stream.
    pub name: Vec<u8>,
    /// Time at which the client was last saved or used, in seconds since the Unix epoch. The server
    /// regenerates the client's view at the first use after the stream was saved.
    pub used_s: u64,
}

/// The data stored only for clients with many files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wide {
    /// The client's Root, then its AltRoots.
    pub roots: Vec<Vec<u8>>,
    /// The lines of the view that include files, in order.
    pub view: Vec<ViewLine>,
}

impl Client {
    /// Encodes the client.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut to = Vec::new();
        self.totals.iter().for_each(|total| put_number(&mut to, *total));
        put_number(&mut to, self.have.map_or(0, |have| have + 1));
        let marks = [
            (self.stream.is_some(), OF_STREAM),
            (self.wide.is_some(), WIDE),
            (!self.had.is_empty(), HAD),
        ];
        put_number(&mut to, marks.iter().filter(|(is_set, _)| *is_set).map(|(_, mark)| mark).sum());
        if let Some(stream) = &self.stream {
            put_text(&mut to, &stream.name);
            put_number(&mut to, stream.used_s);
        }
        if !self.had.is_empty() {
            put_number(&mut to, self.had.len() as u64);
            self.had.iter().for_each(|directory| put_text(&mut to, directory));
        }
        if let Some(wide) = &self.wide {
            put_number(&mut to, wide.roots.len() as u64);
            wide.roots.iter().for_each(|root| put_text(&mut to, root));
            for line in &wide.view {
                put_number(&mut to, line.number);
                put_text(&mut to, &line.depot);
                put_text(&mut to, &line.client);
            }
        }
        to
    }

    /// Decodes a client; None if the bytes are invalid.
    #[must_use]
    pub fn read(mut from: &[u8]) -> Option<Self> {
        let from = &mut from;
        let totals = [take_number(from)?, take_number(from)?];
        let have = take_number(from)?.checked_sub(1);
        let marks = take_number(from)?;
        let stream = if marks & OF_STREAM == 0 { None } else { Some(OfStream::read(from)?) };
        let mut had = Vec::new();
        for _ in 0..if marks & HAD == 0 { 0 } else { take_number(from)? } {
            had.push(take_text(from)?.to_vec());
        }
        let wide = if marks & WIDE == 0 { None } else { Some(Wide::read(from)?) };
        Some(Client { totals, have, stream, had, wide, counted: Counted::AtCheckpoint })
    }
}

impl OfStream {
    fn read(from: &mut &[u8]) -> Option<Self> {
        Some(OfStream { name: take_text(from)?.to_vec(), used_s: take_number(from)? })
    }
}

impl Wide {
    fn read(from: &mut &[u8]) -> Option<Self> {
        let mut wide = Wide::default();
        for _ in 0..take_number(from)? {
            wide.roots.push(take_text(from)?.to_vec());
        }
        while !from.is_empty() {
            let number = take_number(from)?;
            let (depot, client) = (take_text(from)?.to_vec(), take_text(from)?.to_vec());
            wide.view.push(ViewLine { number, depot, client });
        }
        Some(wide)
    }
}
