use crate::base::numbers::{put_number, put_text, take_number, take_text};
use crate::base::order::Case;
use crate::file::change_trees::ChangeTrees;
use crate::file::position::Position;
use crate::file::tree::Tree;
use crate::file::trees::Magic;

/// Ends with the number of the file format.
pub const MAGIC: &Magic = b"p4warden index 7";
/// An index without the lines of streams.
pub const WITHOUT_STREAM_VIEWS: &Magic = b"p4warden index 6";
/// An index without the owners of clients.
pub const WITHOUT_OWNERS: &Magic = b"p4warden index 5";
/// An index without owners and without counts of changelists and labels.
pub const WITHOUT_CHANGES: &Magic = b"p4warden index 4";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Records per sample; the estimated number of records in one path range is wrong by less.
    pub step: u64,
    pub server_id: Option<Vec<u8>>,
    pub case: Case,
    /// The server's counter: the number of the last changelist; None if not found.
    pub change: Option<u64>,
    /// Of the checkpoint or of the last transaction in the journals read with it, in seconds since
    /// the Unix epoch; None if not found.
    pub time_s: Option<u64>,
    /// Files, deleted files included, and revisions.
    pub totals: [u64; 2],
    /// Every `step`-th file and every `step`-th revision, in path order.
    pub samples: [Tree; 2],
    /// The same among those directly in the same directory.
    pub directory_samples: [Tree; 2],
    pub clients: Tree,
    /// Depots and their top-level directories.
    pub places: Tree,
    pub streams: Tree,
    /// The values are the depot directories with the most synced files of the user's clients.
    pub users: Tree,
    /// Where the next update continues; None without a journal, or if the last one is empty or a
    /// pipe.
    pub read_to: Option<Position>,
    /// None if the checkpoint has no records of `db.revcx`, or an earlier version wrote the index.
    pub changes: Option<ChangeTrees>,
    /// The values are the lines of streams; None if an earlier version wrote the index.
    pub stream_views: Option<Tree>,
    /// False if an earlier version wrote the index.
    pub has_owners: bool,
}

impl Head {
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
        self.stream_views.unwrap_or_default().put(&mut to);
        if let Some(position) = self.read_to {
            position.put(&mut to);
        }
        to
    }

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
        let stream_views = if magic == MAGIC { Some(Tree::take(from)?) } else { None };
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
            stream_views,
            has_owners: magic == MAGIC || magic == WITHOUT_STREAM_VIEWS,
        })
    }
}

const CASES: [Case; 3] = [Case::Sensitive, Case::Folded, Case::Either];
