//! Estimate, from the checkpoint index, of the number of records that p4d reads for a file
//! argument.
//!
//! None always means "unknown", for example for a client that the index lacks, a local path outside
//! of the client's roots, a depot of type `remote`, or a damaged index.

use crate::base::patterns::is_same;
use crate::event::command_event::Event;
use crate::paths::depot_path::has_wildcard;
use p4warden_index::estimate::count::{Estimate, Table};
use p4warden_index::estimate::local_syntax::client_path;
use p4warden_index::file::client::{Client, CountTime};
use p4warden_index::file::index::Index;
use p4warden_index::ranges::range::{Extent, Range, range};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

/// Numbers of the depot types `remote` and `graph` in the checkpoint index; the files of such
/// depots are in other tables or on another server.
pub const ELSEWHERE: [u64; 2] = [1, 7];

/// The way in which a p4 command reads records: of files or of revisions, and limited to the
/// client's view or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The kind of records that the p4 command reads: files or revisions.
    pub table: Table,
    /// Whether the p4 command is limited to the client's view, even for arguments in depot syntax.
    pub goes_by_view: bool,
}

/// Data for estimating the number of records that p4d reads for the file arguments of a command:
/// the checkpoint index, the event, and the kind of records.
pub struct Scan<'a> {
    /// Index of the server's checkpoint, in which records are counted.
    pub index: &'a Index,
    /// The command event whose file arguments are estimated.
    pub event: &'a Event<'a>,
    /// The kind of records that the event's command reads, and whether the client's view limits
    /// them.
    pub access: Access,
    /// The event's own client as found in the checkpoint index, kept after the first lookup.
    own_client: OnceCell<Option<Rc<Client>>>,
}

/// A file argument of a command, resolved to depot or client syntax.
#[derive(Debug)]
pub enum Syntax<'a> {
    /// A file argument in depot syntax, such as `//depot/main/...`.
    Depot(&'a [u8]),
    /// A file argument in client syntax, such as `//ann-ws/src/...`: the client's name, and the
    /// whole path.
    Client(&'a [u8], Cow<'a, [u8]>),
}

impl<'a> Scan<'a> {
    /// Creates the context for estimating the file arguments of a command event.
    #[must_use]
    pub fn new(index: &'a Index, event: &'a Event<'a>, access: Access) -> Self {
        Scan { index, event, access, own_client: OnceCell::new() }
    }

    /// Estimates the number of records that p4d reads for the path of a file argument; None if
    /// unknown.
    #[must_use]
    pub fn rows(&self, path: &[u8]) -> Option<Estimate> {
        match self.syntax_of(path)? {
            Syntax::Depot(path) if self.access.goes_by_view => self.rows_of_view(Some(path)),
            Syntax::Depot(path) => {
                let range = range(path, self.index.folds());
                let count = self.index.estimate(self.access.table, &range).ok()?;
                (count.likely > 0 || !self.is_elsewhere(&range)).then_some(count)
            }
            Syntax::Client(name, path) => {
                if self.access.goes_by_view && !self.is_same(name, self.event.client?) {
                    return None;
                }
                self.rows_of(name, Some(&path))
            }
        }
    }

    /// Estimates the number of records that p4d reads for the whole view of the event's client, or
    /// for the part of the view that an argument covers; None if unknown.
    #[must_use]
    pub fn rows_of_view(&self, argument: Option<&[u8]>) -> Option<Estimate> {
        self.rows_of(self.event.client?, argument)
    }

    /// Determines the syntax of a file argument's path, and converts a local path to client syntax;
    /// None if that is impossible, or if the path's first name is that of neither a depot with
    /// counted files nor a client in the index.
    #[must_use]
    pub fn syntax_of<'p>(&'p self, path: &'p [u8]) -> Option<Syntax<'p>> {
        let Some(rest) = path.strip_prefix(b"//") else {
            let name = self.event.client?;
            return self.local(name, path).map(|path| Syntax::Client(name, Cow::Owned(path)));
        };
        let name = rest.split(|byte| *byte == b'/').next().unwrap_or_default();
        if has_wildcard(name) {
            return Some(Syntax::Depot(path));
        }
        if self.is_depot(name)? {
            return Some(Syntax::Depot(path));
        }
        self.client(name).map(|_| Syntax::Client(name, Cow::Borrowed(path)))
    }

    /// Looks up a client in the checkpoint index: the event's own client or one named in a path.
    /// None if the index lacks it or is damaged.
    #[must_use]
    pub fn client(&self, name: &[u8]) -> Option<Rc<Client>> {
        let find = || self.index.client(name).ok().flatten().map(Rc::new);
        if self.event.client == Some(name) {
            self.own_client.get_or_init(find).clone()
        } else {
            find()
        }
    }

    fn rows_of(&self, name: &[u8], argument: Option<&[u8]>) -> Option<Estimate> {
        let client = self.client(name)?;
        if client.count_time == CountTime::AtSave && !self.is_whole_view(name, argument) {
            return None;
        }
        let count = self.index.count_in_view(self.access.table, name, &client, argument).ok()?;
        let is_elsewhere = || {
            client.count_time == CountTime::AtSave || self.any_elsewhere(name, &client, argument)
        };
        (count.likely > 0 || !is_elsewhere()).then_some(count)
    }

    fn is_whole_view(&self, name: &[u8], argument: Option<&[u8]>) -> bool {
        let own = [b"//", name, b"/..."].concat();
        argument.is_none_or(|path| path == b"//..." || self.is_same(path, &own))
    }

    /// Whether a client's view maps, below an argument, files that may be in a depot of type
    /// `remote` or `graph`, which the index does not count.
    fn any_elsewhere(&self, name: &[u8], client: &Client, argument: Option<&[u8]>) -> bool {
        let ranges = self.index.ranges_in_view(name, client, argument);
        ranges.iter().any(|range| self.is_elsewhere(range))
    }

    /// Whether a range may contain files of a depot of type `remote` or `graph`, which the index
    /// does not count. A range that does not name its depot may, if the server's depots are
    /// unknown.
    ///
    /// A count above 0 is used even then, as a lower bound, so that a range with files of other
    /// depots stays subject to limits.
    fn is_elsewhere(&self, range: &Range) -> bool {
        let rest = range.literal.strip_prefix(b"//").unwrap_or_default();
        let mut names = rest.split(|byte| *byte == b'/');
        match (names.next().unwrap_or_default(), names.next()) {
            (name, Some(_)) => self.is_depot(name).is_none(),
            (start, None) if range.extent == Extent::Below => {
                let has_start = |name: &[u8]| {
                    name.get(..start.len()).is_some_and(|front| self.is_same(front, start))
                };
                let mut depots = self.event.depots.into_iter().flatten();
                let is_elsewhere = |name: &[u8]| has_start(name) && self.is_depot(name).is_none();
                self.event.depots.is_none() || depots.any(is_elsewhere)
            }
            _ => false,
        }
    }

    /// Whether a name is a depot's; None if the index cannot be read, or if the depot's type is
    /// `remote` or `graph`. Users choose clients' names, so a depot takes precedence over a client
    /// of the same name.
    fn is_depot(&self, name: &[u8]) -> Option<bool> {
        let in_index = self.index.place(&[b"//", name, b"/"].concat()).ok()?;
        let depot = in_index.as_ref().and_then(|place| place.depot.as_ref());
        if depot.is_some_and(|(kind, _)| ELSEWHERE.contains(kind)) {
            return None;
        }
        let in_facts =
            self.event.depots.is_some_and(|mut all| all.any(|one| self.is_same(one, name)));
        Some(in_index.is_some() || in_facts)
    }

    /// Converts a path in local syntax to client syntax; None if that is impossible, for example
    /// because the client is not in the index or its roots do not contain the path.
    fn local(&self, name: &[u8], path: &[u8]) -> Option<Vec<u8>> {
        let client = self.client(name)?;
        client_path(name, &client.mapping.roots, path, self.event.directory)
    }

    fn is_same(&self, one: &[u8], other: &[u8]) -> bool {
        is_same(one, other, !self.index.folds())
    }
}
