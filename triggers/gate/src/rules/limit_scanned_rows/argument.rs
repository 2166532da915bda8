//! Estimate, from the checkpoint index, of the number of records that p4d reads for a file
//! argument.
//!
//! None always means "unknown", for example for a client that the index lacks, a local path outside
//! of the client's roots, a depot of type `remote`, or a damaged index.

use crate::base::patterns::is_same;
use crate::contract::rule_result::ARGS_LEFT_OUT;
use crate::event::command_event::Event;
use crate::paths::argument_words::Word;
use crate::paths::command_line::CommandLine;
use crate::paths::depot_path::{first_name, has_wildcard, literal_start, path_of};
use p4warden_index::estimate::client_view::ClientView;
use p4warden_index::estimate::count::{CountedView, Estimate, Table};
use p4warden_index::estimate::local_syntax::ClientRoots;
use p4warden_index::file::client::Client;
use p4warden_index::file::index::Index;
use p4warden_index::ranges::range::{Extent, Range, range};
use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

/// Numbers of the depot types `remote` and `graph` in the checkpoint index; the files of such
/// depots are in other tables or on another server.
pub const ELSEWHERE: [u64; 2] = [1, 7];

/// Of a p4 command to records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub table: Table,
    /// Limited to the client's view, even for arguments in depot syntax.
    pub goes_by_view: bool,
}

/// Estimates the records that p4d reads for the file arguments of a command.
pub struct Scan<'a> {
    pub index: &'a Index,
    pub event: &'a Event<'a>,
    pub access: Access,
    /// Kept after the first lookup.
    own_client: OnceCell<Option<Rc<KnownClient>>>,
    /// The other client that was looked up last.
    other_client: RefCell<Option<Rc<KnownClient>>>,
    /// The name that was looked up last among the depots, with the answer.
    last_depot: RefCell<Option<(Vec<u8>, Option<bool>)>>,
    /// The root of the event's client that is tried first.
    first_root: usize,
    steps: Cell<u64>,
}

/// How many roots of the event's client have to be tried first, each in a reading of the command:
/// 1 unless it is about paths on the client's machine, and the working directory tells no root.
pub fn first_roots(event: &Event<'_>, line: &CommandLine<'_>) -> usize {
    let is_local = |word: Word<'_>| !word.text.starts_with(b"//") && has_wildcard(word.text);
    let is_about_local = line.readings.iter().any(|reading| reading.words.clone().any(is_local));
    let client = || event.checkpoint_index()?.client(event.client?).ok()?;
    let client = is_about_local.then(client).flatten();
    client.map_or(1, |client| ClientRoots::new(&client.mapping.roots, event.directory).orders())
}

/// A client as found in the checkpoint index.
#[derive(Debug)]
pub struct KnownClient {
    name: Vec<u8>,
    pub entry: Client,
    view: OnceCell<Option<CountedView>>,
    lines: OnceCell<ClientView>,
    roots: OnceCell<ClientRoots>,
}

/// For one command: one step for each two lines of a view that are compared, which takes about 10 ns.
/// 10,000 paths of 40 bytes in a view of 100 lines take 3,500,000.
pub const MAX_STEPS: u64 = 3_800_000;
/// Steps for a file argument, which is looked up in the checkpoint index.
const STEPS_OF_ARGUMENT: usize = 150;
/// Steps for each line of a view that an argument meets, whose files are looked up.
const STEPS_OF_RANGE: usize = 130;
/// Steps for another client that is looked up there, and for each line of its view.
const STEPS_OF_CLIENT: usize = 1_000;
const STEPS_OF_LINE: usize = 25;

/// Why a rule cannot decide, as `judge` reports it.
pub const NO_INDEX: &str = "no-index";
pub const PATH_LOCAL: &str = "path-local";
pub const VIEW_UNKNOWN: &str = "view-unknown";

/// Whether a word stands for arguments that p4d omitted from its log, such as `(195)`.
pub fn is_left_out(word: &[u8]) -> bool {
    let inner = word.strip_prefix(b"(").and_then(|rest| rest.strip_suffix(b")"));
    inner.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
}

/// A file argument of a command, resolved to depot or client syntax.
#[derive(Debug)]
pub enum Syntax<'a> {
    Depot(&'a [u8]),
    /// The client's name, and the whole path.
    Client(&'a [u8], Cow<'a, [u8]>),
}

/// The depot paths that a file argument covers.
#[derive(Debug)]
pub enum DepotPaths {
    Itself,
    /// What a client's view maps there, for a path in client syntax or on the client's machine.
    ThroughView {
        client: Vec<u8>,
        ranges: Vec<Range>,
    },
}

impl KnownClient {
    pub fn view(&self, scan: &Scan<'_>) -> Option<&CountedView> {
        let counted = || scan.index.counted_view(scan.access.table, &self.entry).ok();
        self.view.get_or_init(counted).as_ref()
    }

    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// Its view with exclusions, which tells the place of a file.
    pub fn lines(&self, folds: bool) -> &ClientView {
        let lines = || self.entry.mapping.all_lines().into_iter().cloned().collect();
        self.lines.get_or_init(|| ClientView::new(lines(), folds))
    }
}

impl<'a> Scan<'a> {
    pub fn new(index: &'a Index, event: &'a Event<'a>, access: Access) -> Self {
        Scan {
            index,
            event,
            access,
            own_client: OnceCell::new(),
            other_client: RefCell::default(),
            last_depot: RefCell::default(),
            first_root: 0,
            steps: Cell::new(0),
        }
    }

    /// Tries another root of the event's client first.
    pub fn from_root(self, first_root: usize) -> Self {
        Scan { first_root, ..self }
    }

    /// Whether estimating took more than `MAX_STEPS`; all further estimates are then unknown.
    pub fn is_too_long(&self) -> bool {
        self.steps.get() > MAX_STEPS
    }

    /// The steps for the path of one file argument, in local syntax with the working directory.
    fn steps_of(&self, path: &[u8]) -> usize {
        let directory = self.event.directory.filter(|_| !path.starts_with(b"//"));
        STEPS_OF_ARGUMENT + (path.len() + directory.map_or(0, <[u8]>::len)) / 2
    }

    /// None if they are too many.
    pub fn spend(&self, steps: usize) -> Option<()> {
        self.steps.set(self.steps.get().saturating_add(steps as u64));
        (!self.is_too_long()).then_some(())
    }

    pub fn rows(&self, path: &[u8]) -> Option<Estimate> {
        self.spend(self.steps_of(path))?;
        match self.syntax_of(path)? {
            Syntax::Depot(path) if self.access.goes_by_view => {
                let count = self.rows_of_view(Some(path))?;
                (count.at_least > 0 || !self.may_name_the_client(path)).then_some(count)
            }
            Syntax::Depot(path) => {
                let range = range(path, self.index.folds());
                let count = self.index.estimate(self.access.table, &range).ok()?;
                let is_elsewhere = || self.is_elsewhere(&range) || self.may_name_the_client(path);
                (count.at_least > 0 || !is_elsewhere()).then_some(count)
            }
            Syntax::Client(name, path) => {
                if self.access.goes_by_view && !self.is_same(name, self.event.client?) {
                    return None;
                }
                self.rows_of(name, Some(&path))
            }
        }
    }

    /// The client whose view decides of which files a path stands for, with the path; None if no view
    /// does, or if it is unknown.
    pub fn through_view<'p>(&'p self, path: &'p [u8]) -> Option<(Rc<KnownClient>, Cow<'p, [u8]>)> {
        match self.syntax_of(path)? {
            Syntax::Depot(path) => {
                let name = self.event.client.filter(|_| self.access.goes_by_view)?;
                Some((self.client(name)?, Cow::Borrowed(path)))
            }
            Syntax::Client(name, path) => Some((self.client(name)?, path)),
        }
    }

    /// The ranges of depot paths that a path in depot or client syntax covers by a client's view.
    pub fn ranges_of(&self, client: &KnownClient, path: &[u8]) -> Option<Vec<Range>> {
        self.spend(client.entry.mapping.line_count() / 2)?;
        Some(self.index.ranges_in(client.view(self)?, &client.name, &client.entry, path))
    }

    /// Whether the first name is a pattern that p4d may compare with the name of the event's client,
    /// too, such as `//ann*/...`. One that begins with a wildcard has the files of all depots.
    fn may_name_the_client(&self, path: &[u8]) -> bool {
        let name = first_name(path);
        let start = literal_start(name);
        let front = self.event.client.and_then(|client| client.get(..start.len()));
        has_wildcard(name) && start != b"" && front.is_some_and(|front| self.is_same(front, start))
    }

    /// For the whole view of the event's client, or for the part of it that an argument covers.
    pub fn rows_of_view(&self, argument: Option<&[u8]>) -> Option<Estimate> {
        self.rows_of(self.event.client?, argument)
    }

    /// A local path is converted to client syntax. None if that is impossible, or if the path's first
    /// name is that of neither a depot with counted files nor a client in the index.
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

    pub fn client(&self, name: &[u8]) -> Option<Rc<KnownClient>> {
        if self.event.client == Some(name) {
            return self.own_client.get_or_init(|| self.find(name)).clone();
        }
        let is_last = |last: &Rc<KnownClient>| last.name == name;
        if let Some(last) = self.other_client.borrow().as_ref().filter(|last| is_last(last)) {
            return Some(Rc::clone(last));
        }
        let found = self.find(name)?;
        self.other_client.replace(Some(Rc::clone(&found)));
        Some(found)
    }

    fn find(&self, name: &[u8]) -> Option<Rc<KnownClient>> {
        let entry = self.index.client(name).ok().flatten()?;
        self.spend(STEPS_OF_CLIENT + STEPS_OF_LINE * entry.mapping.line_count())?;
        Some(Rc::new(KnownClient {
            name: name.to_vec(),
            entry,
            view: OnceCell::new(),
            lines: OnceCell::new(),
            roots: OnceCell::new(),
        }))
    }

    pub fn depot_paths(&self, path: &[u8]) -> Option<DepotPaths> {
        self.spend(self.steps_of(path))?;
        let (name, path) = match self.syntax_of(path)? {
            Syntax::Depot(_) => return Some(DepotPaths::Itself),
            Syntax::Client(name, path) => (name, path),
        };
        let client = self.client(name)?;
        self.spend(client.entry.mapping.line_count() / 2)?;
        let is_known = !client.entry.is_counted_at_save();
        let view = client.view(self)?;
        let ranges = self.index.ranges_in(view, name, &client.entry, &path);
        self.spend(STEPS_OF_RANGE * ranges.len())?;
        is_known.then(|| DepotPaths::ThroughView { client: name.to_vec(), ranges })
    }

    fn rows_of(&self, name: &[u8], argument: Option<&[u8]>) -> Option<Estimate> {
        let known = self.client(name)?;
        let client = &known.entry;
        self.spend(client.mapping.line_count() / 2)?;
        if client.is_counted_at_save() && !self.is_whole_view(name, argument) {
            return None;
        }
        let view = known.view(self)?;
        let of_argument = |path| self.index.ranges_in(view, name, client, path);
        let ranges = argument.map_or_else(|| view.ranges.whole.clone(), of_argument);
        self.spend(STEPS_OF_RANGE * ranges.len())?;
        let count = match argument {
            None => view.total(),
            Some(_) => self.index.count_part(view, &ranges).ok()?,
        };
        // Files in a depot of type `remote` or `graph` are not in the index.
        let is_elsewhere =
            || client.is_counted_at_save() || ranges.iter().any(|one| self.is_elsewhere(one));
        (count.at_least > 0 || !is_elsewhere()).then_some(count)
    }

    fn is_whole_view(&self, name: &[u8], argument: Option<&[u8]>) -> bool {
        let own = [b"//", name, b"/..."].concat();
        argument.is_none_or(|path| path == b"//..." || self.is_same(path, &own))
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
        if let Some((last, answer)) = &*self.last_depot.borrow()
            && last == name
        {
            return *answer;
        }
        let answer = self.find_depot(name);
        self.last_depot.replace(Some((name.to_vec(), answer)));
        answer
    }

    fn find_depot(&self, name: &[u8]) -> Option<bool> {
        let in_index = self.index.directory_entry(&[b"//", name, b"/"].concat()).ok()?;
        let depot = in_index.as_ref().and_then(|entry| entry.depot.as_ref());
        if depot.is_some_and(|(kind, _)| ELSEWHERE.contains(kind)) {
            return None;
        }
        let in_facts =
            self.event.depots.is_some_and(|mut all| all.any(|one| self.is_same(one, name)));
        Some(in_index.is_some() || in_facts)
    }

    /// Why the records of a file argument, or of the command without one, cannot be estimated.
    pub fn why_unknown(&self, argument: Option<&[u8]>) -> &'static str {
        let of_own = || self.event.client.and_then(|name| self.client(name));
        let named = |path: &[u8]| matches!(self.syntax_of(path), Some(Syntax::Depot(_)));
        let is_local = argument.is_some_and(|word| !word.starts_with(b"//") && word != b"");
        match argument {
            Some(word) if is_left_out(word) => ARGS_LEFT_OUT,
            Some(word) if !is_local && named(path_of(word)) => "bounded",
            _ => match of_own() {
                None => "client-not-indexed",
                Some(client) if client.entry.is_counted_at_save() => VIEW_UNKNOWN,
                Some(_) if is_local => PATH_LOCAL,
                Some(_) => "bounded",
            },
        }
    }

    /// A path in local syntax, in client syntax.
    fn local(&self, name: &[u8], path: &[u8]) -> Option<Vec<u8>> {
        let client = self.client(name)?;
        let roots = &client.entry.mapping.roots;
        let known = client.roots.get_or_init(|| ClientRoots::new(roots, self.event.directory));
        known.client_path(name, path, self.first_root)
    }

    fn is_same(&self, one: &[u8], other: &[u8]) -> bool {
        is_same(one, other, !self.index.folds())
    }
}
