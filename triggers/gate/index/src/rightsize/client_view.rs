use crate::ranges::range::split;
use crate::rightsize::lines_by_start::LinesByStart;
use crate::rightsize::view_row::{ADDS, ViewRow};

/// Would take client paths of needed files from an earlier view line, so that a proposed view must
/// not contain both.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rival {
    /// Index in `ClientView::rows`.
    pub row: usize,
    /// The directory, ending with a slash, of the depot path that belongs by this line (a mapping
    /// or an exclusion) to a client path that an earlier line maps.
    pub directory: Vec<u8>,
}

/// With all lines, also exclusions and lines that are internal to the server (flag 3 in `db.view`).
#[derive(Clone, Debug, Default)]
pub struct ClientView {
    rows: Vec<ViewRow>,
    pub folds: bool,
    /// Dittos (`&`) map files to further client paths.
    pub has_dittos: bool,
    by_depot: LinesByStart,
    by_client: LinesByStart,
}

impl ClientView {
    /// A later line takes precedence over earlier ones.
    #[must_use]
    pub fn new(rows: Vec<ViewRow>, folds: bool) -> Self {
        let by = |side: fn(&ViewRow) -> &[u8]| {
            let lines = rows.iter().enumerate().filter(|(_, row)| !row.is_of_server());
            LinesByStart::new(lines.map(|(number, row)| (split(side(row)).0, number)), folds)
        };
        let (by_depot, by_client) = (by(|row| &row.depot), by(|row| &row.client));
        let has_dittos = rows.iter().any(|row| row.flag == ADDS);
        ClientView { rows, folds, has_dittos, by_depot, by_client }
    }

    #[must_use]
    pub fn rows(&self) -> &[ViewRow] {
        &self.rows
    }

    /// Without overlays, lines internal to the server, and lines whose depot path cannot be
    /// determined.
    pub fn rivals(
        &self,
        rows: std::ops::Range<usize>,
        client: &[u8],
    ) -> impl Iterator<Item = Rival> {
        let lines = self.lines_by_client(client).filter(move |(row, _)| rows.contains(row));
        lines.filter_map(|(row, line)| {
            let path = self.depot_path_taken_over(line, client)??;
            let slash = path.iter().rposition(|byte| *byte == b'/')?;
            Some(Rival { row, directory: path.get(..=slash)?.to_vec() })
        })
    }

    /// The last line first; without lines internal to the server.
    pub(super) fn lines_by_depot(&self, depot: &[u8]) -> impl Iterator<Item = (usize, &ViewRow)> {
        self.lines(self.by_depot.matching(depot, |row| self.side(row, |row| &row.depot)))
    }

    pub(super) fn lines_by_client(&self, client: &[u8]) -> impl Iterator<Item = (usize, &ViewRow)> {
        self.lines(self.by_client.matching(client, |row| self.side(row, |row| &row.client)))
    }

    fn lines(&self, rows: impl Iterator<Item = usize>) -> impl Iterator<Item = (usize, &ViewRow)> {
        rows.filter_map(|number| Some((number, self.rows.get(number)?)))
    }

    fn side(&self, row: usize, side: fn(&ViewRow) -> &[u8]) -> &[u8] {
        self.rows.get(row).map(side).unwrap_or_default()
    }
}
