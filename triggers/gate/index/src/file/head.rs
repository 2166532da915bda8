use crate::base::numbers::{put_number, put_text, take_number, take_text};
use crate::base::order::Case;
use crate::file::change_trees::ChangeTrees;
use crate::file::tree::Tree;

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
    /// The values are the lines of streams.
    pub stream_views: Tree,
    /// None if the checkpoint has no records of `db.revcx`.
    pub changes: Option<ChangeTrees>,
}

impl Head {
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
        let others = [&self.clients, &self.places, &self.streams, &self.users, &self.stream_views];
        trees.chain(others).for_each(|tree| tree.put(&mut to));
        put_number(&mut to, u64::from(self.changes.is_some()));
        self.changes.unwrap_or_default().put(&mut to);
        to
    }

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
        let directory_samples = [Tree::take(from)?, Tree::take(from)?];
        let mut tree = || Tree::take(from);
        let (clients, places, streams) = (tree()?, tree()?, tree()?);
        let (users, stream_views) = (tree()?, tree()?);
        let has_changes = take_number(from)? > 0;
        let changes = Some(ChangeTrees::take(from)?).filter(|_| has_changes);
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
            stream_views,
            changes,
        })
    }
}

const CASES: [Case; 3] = [Case::Sensitive, Case::Folded, Case::Either];
