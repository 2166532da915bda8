//! A client in an index.

use crate::base::numbers::{put_number, put_text, take_number, take_text};

/// The views of clients with fewer files and revisions are not kept; their totals answer for every
/// part of them.
pub const MIN_WIDE: u64 = 500;
/// Marks of a client's value: it is of a stream, it is wide.
const OF_STREAM: u64 = 1;
const WIDE: u64 = 2;
/// The directories of its files are known.
const HAD: u64 = 4;

/// A line of a client's view that includes files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewLine {
    /// Its number in the view, excluding lines counted.
    pub number: u64,
    /// The path in depot syntax.
    pub depot: Vec<u8>,
    /// The path in client syntax.
    pub client: Vec<u8>,
}

/// Facts of an index about a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// How many files and how many revisions its view spans, each counted once.
    pub totals: [u64; 2],
    /// How many files it has; None where the checkpoint does not know (readonly and partitioned
    /// clients, and those of other servers).
    pub have: Option<u64>,
    /// The stream that its view is made of; None for a client of none.
    pub stream: Option<OfStream>,
    /// Directories in client syntax that hold most of the files that it has, those nearest to its
    /// root first; none for a client with few files and revisions.
    pub had: Vec<Vec<u8>>,
    /// Its Root and AltRoots, and its view; None for a client with few files and revisions.
    pub wide: Option<Wide>,
    /// When its totals were counted.
    pub counted: Counted,
}

/// When the totals of a client were counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counted {
    /// Of the checkpoint; what a delta adds to them is not in them.
    #[default]
    AtCheckpoint,
    /// When a delta was written.
    AtUpdate,
    /// They were not; its view tells them.
    Never,
}

/// The stream of a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfStream {
    /// Its name.
    pub name: Vec<u8>,
    /// When the client was saved or used last, in seconds since the epoch: the server makes its
    /// view anew at the first use after the stream was saved.
    pub used_s: u64,
}

/// Facts kept only of a client with many files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wide {
    /// Its Root, then its AltRoots.
    pub roots: Vec<Vec<u8>>,
    /// The lines of its view that include files, in their order.
    pub view: Vec<ViewLine>,
}

impl Client {
    /// Writes it.
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

    /// Reads it; None where it is no client.
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
