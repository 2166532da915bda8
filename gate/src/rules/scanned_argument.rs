//! Estimates the number of records that p4d reads for a file argument, from the checkpoint index.
//!
//! None always means "unknown": a client that the index lacks, a path that only the client's
//! machine resolves, a label, or a damaged index.

use crate::base::patterns::is_same;
use crate::event::command_event::Event;
use crate::paths::depot_path::has_wildcard;
use p4warden_index::estimate::count::Table;
use p4warden_index::estimate::local::client_path;
use p4warden_index::file::client::Client;
use p4warden_index::file::index::Index;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

/// Numbers of the depot types `remote` and `graph`, whose files are in other tables or on another
/// server.
const ELSEWHERE: [u64; 2] = [1, 7];

/// The records that a command reads: of files or revisions, by view or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The kind of records that the command reads: files or revisions.
    pub table: Table,
    /// Whether the command is limited to the client's view, even for arguments in depot syntax.
    pub goes_by_view: bool,
}

/// Context for estimating the records of a command's file arguments.
pub struct Scan<'a> {
    /// Index of the server's checkpoint, from which records are counted.
    pub index: &'a Index,
    /// The command event whose arguments are estimated.
    pub event: &'a Event<'a>,
    /// The kind of records that the event's command reads, and whether its client's view limits
    /// them.
    pub access: Access,
    /// Cache of the event's own client, filled by the first lookup.
    own: OnceCell<Option<Rc<Client>>>,
}

/// A file argument of a command, in depot or client syntax.
#[derive(Debug)]
pub enum Syntax<'a> {
    /// A path in depot syntax, such as `//depot/main/...`.
    Depot(&'a [u8]),
    /// A path in client syntax: the client's name and the path.
    Client(&'a [u8], Cow<'a, [u8]>),
}

impl<'a> Scan<'a> {
    /// Creates the context for estimating the arguments of an event.
    #[must_use]
    pub fn new(index: &'a Index, event: &'a Event<'a>, access: Access) -> Self {
        Scan { index, event, access, own: OnceCell::new() }
    }

    /// Estimates the number of records that p4d reads for a path argument; None if unknown.
    #[must_use]
    pub fn rows(&self, path: &[u8]) -> Option<u64> {
        match self.syntax_of(path)? {
            Syntax::Depot(path) if self.access.goes_by_view => self.rows_of_view(Some(path)),
            Syntax::Depot(path) => self.index.count_path(self.access.table, path).ok(),
            Syntax::Client(name, path) => {
                if self.access.goes_by_view && !self.is_same(name, self.event.client?) {
                    return None;
                }
                self.rows_of(name, Some(&path))
            }
        }
    }

    /// Estimates the number of records of the client's view, or of the part of the view that an
    /// argument covers.
    #[must_use]
    pub fn rows_of_view(&self, argument: Option<&[u8]>) -> Option<u64> {
        self.rows_of(self.event.client?, argument)
    }

    /// Determines the syntax of a path; a local path is converted to client syntax.
    #[must_use]
    pub fn syntax_of<'p>(&'p self, path: &'p [u8]) -> Option<Syntax<'p>> {
        let Some(below) = path.strip_prefix(b"//") else {
            let name = self.event.client?;
            return self.local(name, path).map(|path| Syntax::Client(name, Cow::Owned(path)));
        };
        let name = below.split(|byte| *byte == b'/').next().unwrap_or_default();
        if has_wildcard(name) {
            return Some(Syntax::Depot(path));
        }
        if self.is_depot(name)? {
            return Some(Syntax::Depot(path));
        }
        self.client(name).map(|_| Syntax::Client(name, Cow::Borrowed(path)))
    }

    /// Looks up a client in the index: the event's own client or one named in a path.
    #[must_use]
    pub fn client(&self, name: &[u8]) -> Option<Rc<Client>> {
        let find = || self.index.client(name).ok().flatten().map(Rc::new);
        if self.event.client == Some(name) { self.own.get_or_init(find).clone() } else { find() }
    }

    fn rows_of(&self, name: &[u8], argument: Option<&[u8]>) -> Option<u64> {
        let client = self.client(name)?;
        let count = self.index.count_in_view(self.access.table, name, &client, argument).ok()?;
        // A count above 0 is a lower bound for a view with files elsewhere, so a line for a graph
        // depot does not exempt the rest of the view from a limit.
        (count > 0 || !self.maps_files_elsewhere(&client)).then_some(count)
    }

    /// Whether a client's view maps a depot whose files are stored elsewhere.
    fn maps_files_elsewhere(&self, client: &Client) -> bool {
        client.mapping.view.iter().any(|line| {
            let below = line.depot.strip_prefix(b"//").unwrap_or_default();
            let name = below.split(|byte| *byte == b'/').next().unwrap_or_default();
            !has_wildcard(name) && self.is_depot(name).is_none()
        })
    }

    /// Whether a name is a depot's; None if the depot's files are stored elsewhere. Users choose
    /// clients' names, so a depot takes precedence over a client of the same name.
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

    /// Converts a path in local syntax to client syntax; None if the client or its roots do not
    /// match.
    fn local(&self, name: &[u8], path: &[u8]) -> Option<Vec<u8>> {
        let client = self.client(name)?;
        client_path(name, &client.mapping.roots, path, self.event.directory)
    }

    fn is_same(&self, one: &[u8], other: &[u8]) -> bool {
        is_same(one, other, !self.index.folds())
    }
}
