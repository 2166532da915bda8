//! The head of a checkpoint index: server settings, totals, and positions of the trees.

use crate::base::numbers::{put_number, put_text, take_number, take_text};
use crate::base::order::Case;
use crate::file::change_trees::ChangeTrees;
use crate::file::position::Position;
use crate::file::tree::Tree;
use crate::file::trees::Magic;

/// Signature at the start of a checkpoint index, ending with the number of the file format.
pub const MAGIC: &Magic = b"p4warden index 5";
/// Signature of an index without counts of changelists and labels.
pub const WITHOUT_CHANGES: &Magic = b"p4warden index 4";

/// The head of a checkpoint index: data about the checkpoint as a whole, and the positions of the
/// trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Number of records (files or revisions) per stored sample path; the estimated number of
    /// records in one path range is wrong by less than this number.
    pub step: u64,
    /// The server's `server.id`; None if it was not given when the checkpoint index was built.
    pub server_id: Option<Vec<u8>>,
    /// The case setting of the server, as given or as the sort order of its tables reveals it.
    pub case: Case,
    /// The server's counter `change`: the number of the last changelist; None if not found.
    pub change: Option<u64>,
    /// Time of the checkpoint or of the last transaction in the journals read with it, whichever is
    /// later, in seconds since the Unix epoch; None if not found.
    pub time_s: Option<u64>,
    /// Number of files in the checkpoint and the journals read with it, deleted files included, and
    /// number of revisions.
    pub totals: [u64; 2],
    /// Positions of the trees of sample paths: every `step`-th file and every `step`-th revision,
    /// in path order.
    pub samples: [Tree; 2],
    /// Positions of the trees of sample paths by directory: every `step`-th file, and every
    /// `step`-th revision, of those directly in the same directory.
    pub directory_samples: [Tree; 2],
    /// Position of the tree of clients, with client names as keys.
    pub clients: Tree,
    /// Position of the tree of depots and their top-level directories, with their paths as keys.
    pub places: Tree,
    /// Position of the tree of streams, with stream names as keys.
    pub streams: Tree,
    /// Position of the tree of users, with user names as keys and, as values, the depot directories
    /// with the most synced files of the clients that the user owns.
    pub users: Tree,
    /// Position up to which the last journal was read, where the next update continues; None if
    /// there was no journal, or the last one is empty or a pipe.
    pub read_to: Option<Position>,
    /// Positions of the trees about changelists and labels; None if the checkpoint has no records
    /// of `db.revcx`, or an earlier version wrote the index.
    pub changes: Option<ChangeTrees>,
}

impl Head {
    /// Encodes the head of a checkpoint index.
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
        let trees = self.samples.iter().chain(&self.directory_samples);
        let others = [&self.clients, &self.places, &self.streams, &self.users];
        trees.chain(others).for_each(|tree| tree.put(&mut to));
        put_number(&mut to, u64::from(self.changes.is_some()));
        self.changes.unwrap_or_default().put(&mut to);
        if let Some(position) = self.read_to {
            position.put(&mut to);
        }
        to
    }

    /// Decodes the head of a checkpoint index with this signature; None if the bytes are invalid.
    #[must_use]
    pub fn read(mut from: &[u8], magic: &Magic) -> Option<Self> {
        let from = &mut from;
        let step = take_number(from).filter(|step| *step > 0)?;
        let is_named = take_number(from)? > 0;
        let server_id = Some(take_text(from)?.to_vec()).filter(|_| is_named);
        let case = *CASES.get(usize::try_from(take_number(from)?).ok()?)?;
        let change = take_number(from)?.checked_sub(1);
        let time_s = take_number(from)?.checked_sub(1);
        let totals = [take_number(from)?, take_number(from)?];
        let samples = [Tree::take(from)?, Tree::take(from)?];
        let directory_samples = [Tree::take(from)?, Tree::take(from)?];
        let mut tree = || Tree::take(from);
        let (clients, places, streams, users) = (tree()?, tree()?, tree()?, tree()?);
        let changes = if magic == WITHOUT_CHANGES {
            None
        } else {
            let has_changes = take_number(from)? > 0;
            Some(ChangeTrees::take(from)?).filter(|_| has_changes)
        };
        let read_to = if from.is_empty() { None } else { Some(Position::take(from)?) };
        Some(Head {
            step,
            server_id,
            case,
            change,
            time_s,
            totals,
            samples,
            directory_samples,
            clients,
            places,
            streams,
            users,
            read_to,
            changes,
        })
    }
}

const CASES: [Case; 3] = [Case::Sensitive, Case::Folded, Case::Either];
