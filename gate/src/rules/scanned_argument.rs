//! How many records a file argument makes the server look through, by the index of its checkpoint.
//!
//! None is always "not known": a client that the index lacks, a path that only the client's machine
//! resolves, a label. An index that is damaged says nothing.

use crate::base::patterns::is_same;
use crate::event::command_event::Event;
use crate::paths::depot_path::has_wildcard;
use p4warden_index::estimate::count::Table;
use p4warden_index::estimate::local::client_path;
use p4warden_index::file::client::Client;
use p4warden_index::file::index::Index;
use std::borrow::Cow;

/// Types of depots whose files are in other tables, or on another server: remote and graph.
const ELSEWHERE: [u64; 2] = [1, 7];

/// The records that a command looks through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Looks {
    /// The table.
    pub table: Table,
    /// Whether it goes by the client's view, also for arguments in depot syntax.
    pub goes_by_view: bool,
}

/// An argument without its revision, and the records that it spans.
pub struct Scan<'a> {
    /// The index.
    pub index: &'a Index,
    /// The event.
    pub event: &'a Event<'a>,
    /// The records that the command looks through.
    pub looks: Looks,
}

/// An argument in one of the two syntaxes.
#[derive(Debug)]
pub enum Named<'a> {
    /// In depot syntax.
    Depot(&'a [u8]),
    /// In the syntax of the client that is named.
    Client(&'a [u8], Cow<'a, [u8]>),
}

impl Scan<'_> {
    /// Estimates the records that a path spans.
    #[must_use]
    pub fn rows(&self, path: &[u8]) -> Option<u64> {
        match self.named(path)? {
            Named::Depot(path) if self.looks.goes_by_view => self.rows_of_view(Some(path)),
            Named::Depot(path) => self.index.count_path(self.looks.table, path).ok(),
            Named::Client(name, path) => {
                if self.looks.goes_by_view && !self.is_same(name, self.event.client?) {
                    return None;
                }
                self.rows_of(name, Some(&path))
            }
        }
    }

    /// Estimates the records of the client's view, or of the part that an argument meets.
    #[must_use]
    pub fn rows_of_view(&self, argument: Option<&[u8]>) -> Option<u64> {
        self.rows_of(self.event.client?, argument)
    }

    /// Tells the syntax of a path; a path of the client's machine becomes one in client syntax.
    #[must_use]
    pub fn named<'p>(&'p self, path: &'p [u8]) -> Option<Named<'p>> {
        let Some(below) = path.strip_prefix(b"//") else {
            let name = self.event.client?;
            return self.local(name, path).map(|path| Named::Client(name, Cow::Owned(path)));
        };
        let name = below.split(|byte| *byte == b'/').next().unwrap_or_default();
        if has_wildcard(name) {
            return Some(Named::Depot(path));
        }
        if self.is_depot(name)? {
            return Some(Named::Depot(path));
        }
        self.client(name).map(|_| Named::Client(name, Cow::Borrowed(path)))
    }

    /// The event's client, or another one that a path names.
    #[must_use]
    pub fn client(&self, name: &[u8]) -> Option<Client> {
        self.index.client(name).ok().flatten()
    }

    fn rows_of(&self, name: &[u8], argument: Option<&[u8]>) -> Option<u64> {
        let client = self.client(name)?;
        self.index.count_in_view(self.looks.table, name, &client, argument).ok()
    }

    /// Whether a name is a depot's; None where its files are elsewhere. Users choose clients' names,
    /// so a depot of the same name goes first.
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

    /// A path of the client's machine in client syntax. Of a narrow client no root is kept, and its
    /// total answers for every path.
    fn local(&self, name: &[u8], path: &[u8]) -> Option<Vec<u8>> {
        match self.client(name)?.wide {
            Some(wide) => client_path(name, &wide.roots, path, self.event.directory),
            None => Some([b"//", name, b"/..."].concat()),
        }
    }

    fn is_same(&self, one: &[u8], other: &[u8]) -> bool {
        is_same(one, other, !self.index.folds())
    }
}
