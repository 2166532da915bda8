//! The head of an index: its source, its totals, and the positions of its trees.

use crate::base::numbers::{put_number, put_text, take_number, take_text};
use crate::base::order::Case;
use crate::file::position::Position;
use crate::file::tree::Tree;
use crate::file::trees::Magic;

/// File signature of an index, ending with the format number.
pub const MAGIC: &Magic = b"p4warden index 4";

/// The head of an index file: data about the index as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Number of records between two samples; the error of an estimate for a range is smaller.
    pub step: u64,
    /// The server's `server.id`; None if the builder of the index was not told it.
    pub server_id: Option<Vec<u8>>,
    /// The case setting of the server, as its tables reveal it.
    pub case: Case,
    /// The server's counter `change`: the number of the last changelist; None if not found.
    pub change: Option<u64>,
    /// Time of the last transaction or of the checkpoint, in seconds since the Unix epoch.
    pub time_s: Option<u64>,
    /// Number of files, including deleted ones, and number of revisions.
    pub totals: [u64; 2],
    /// Samples: every `step`-th file and revision, sorted by path.
    pub samples: [Tree; 2],
    /// Samples by directory: every `step`-th file and revision among those directly in the same
    /// directory.
    pub in_directories: [Tree; 2],
    /// Tree of the clients, by name.
    pub clients: Tree,
    /// Tree of the depots and their top-level directories, by path.
    pub places: Tree,
    /// Tree of the streams, by name.
    pub streams: Tree,
    /// Tree of the users, by name, with the directories of most of their clients' files.
    pub users: Tree,
    /// Position at which the last journal ended; None if no journal was read.
    pub read_to: Option<Position>,
}

impl Head {
    /// Encodes the head as it is stored in an index file.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut to = Vec::new();
        put_number(&mut to, self.step);
        put_number(&mut to, u64::from(self.server_id.is_some()));
        put_text(&mut to, self.server_id.as_deref().unwrap_or_default());
        put_number(&mut to, CASES.iter().position(|case| *case == self.case).unwrap_or(0) as u64);
        for number in [self.change, self.time_s] {
            put_number(&mut to, number.map_or(0, |number| number.saturating_add(1)));
        }
        self.totals.iter().for_each(|total| put_number(&mut to, *total));
        let trees = self.samples.iter().chain(&self.in_directories);
        let others = [&self.clients, &self.places, &self.streams, &self.users];
        trees.chain(others).for_each(|tree| tree.put(&mut to));
        if let Some(position) = self.read_to {
            position.put(&mut to);
        }
        to
    }

    /// Decodes the head of an index file; None if the bytes are invalid.
    #[must_use]
    pub fn read(mut from: &[u8]) -> Option<Self> {
        let from = &mut from;
        let step = take_number(from).filter(|step| *step > 0)?;
        let is_named = take_number(from)? > 0;
        let server_id = Some(take_text(from)?.to_vec()).filter(|_| is_named);
        let case = *CASES.get(usize::try_from(take_number(from)?).ok()?)?;
        let change = take_number(from)?.checked_sub(1);
        let time_s = take_number(from)?.checked_sub(1);
        let totals = [take_number(from)?, take_number(from)?];
        let samples = [Tree::take(from)?, Tree::take(from)?];
        let in_directories = [Tree::take(from)?, Tree::take(from)?];
        let mut tree = || Tree::take(from);
        let (clients, places, streams, users) = (tree()?, tree()?, tree()?, tree()?);
        let read_to = if from.is_empty() { None } else { Some(Position::take(from)?) };
        Some(Head {
            step,
            server_id,
            case,
            change,
            time_s,
            totals,
            samples,
            in_directories,
            clients,
            places,
            streams,
            users,
            read_to,
        })
    }
}

const CASES: [Case; 3] = [Case::Sensitive, Case::Folded, Case::Either];
