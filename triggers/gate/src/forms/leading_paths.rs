//! The paths that a form or submit adds to p4d's tables, and their lengths.

use crate::forms::form::Form;
use crate::forms::view_lines::{
    FormLine, MalformedLine, ViewLine, ViewPath, ViewType, is_own, view_lines,
};
use crate::paths::depot_path::{has_wildcard, literal_start};
use crate::paths::view_words::{first_word, words};
use std::borrow::Cow;
use std::iter;

/// Which kind of path `LeadingPath` is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind<'e> {
    /// The depot path of a line of a view, Paths or Components.
    Depot(ViewPath<'e>),
    /// The client path beside it.
    Client(ViewPath<'e>),
    /// The type and the path of a stream's own Paths line, and its number.
    OwnPaths(&'e [u8], &'e [u8], usize),
    /// The root path `//NAME/` of the depot of this name.
    Root(&'e [u8]),
    /// The depot's name, and the number of a line of its Map.
    Map(&'e [u8], usize),
    /// A submit's new file, with its action, such as `add`.
    NewFile(&'e [u8]),
}

/// A path in an event's form or a submit's new file, to measure its length before a wildcard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeadingPath<'e> {
    /// The form line that contains the path, or the path itself.
    pub item: Cow<'e, [u8]>,
    /// Without flag and revision.
    pub path: Cow<'e, [u8]>,
    pub kind: Kind<'e>,
}

impl LeadingPath<'_> {
    /// For display, such as `View line 3` or `The new file`.
    pub fn place(&self) -> String {
        match &self.kind {
            Kind::Depot(line) | Kind::Client(line) => line.place(),
            Kind::NewFile(_) => "The new file".to_owned(),
            _ => self.line().map_or("The path".to_owned(), |line| line.to_string()),
        }
    }

    pub fn line(&self) -> Option<FormLine> {
        match self.kind {
            Kind::Depot(ref line) | Kind::Client(ref line) => Some(line.line),
            Kind::OwnPaths(_, _, number) => Some(FormLine { field: "Paths", number }),
            Kind::Map(_, number) => Some(FormLine { field: "Map", number }),
            Kind::Root(_) | Kind::NewFile(_) => None,
        }
    }

    /// The depot whose limit applies to this path; for a client path, the depot of the depot path in
    /// the same line.
    pub fn depot(&self) -> &[u8] {
        match &self.kind {
            Kind::Client(line) => depot_of(&line.path),
            Kind::Root(depot) | Kind::Map(depot, _) => depot,
            Kind::Depot(_) | Kind::OwnPaths(..) | Kind::NewFile(_) => depot_of(&self.path),
        }
    }

    /// Of the text before the first wildcard, else of the whole path.
    pub fn length_bytes(&self) -> usize {
        literal_start(&self.path).len()
    }

    /// Words after the length in bytes in a message.
    pub fn measured_part(&self) -> &'static str {
        if has_wildcard(&self.path) { " before its first wildcard" } else { "" }
    }

    /// Word before `path` in messages about a line that has a depot path and a client path.
    pub fn kind_word(&self) -> &'static str {
        match &self.kind {
            Kind::Client(_) => "client ",
            Kind::Depot(line) if line.client_path.is_some() => "depot ",
            _ => "",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddedPath<'e> {
    Path(LeadingPath<'e>),
    Malformed(MalformedLine<'e>),
}

/// The paths in a client, branch, label or stream form, except excluded ones; `name` is the stream's.
pub fn of_view<'e>(
    form: &'e Form<'_>,
    view_type: ViewType,
    name: &'e [u8],
) -> impl Iterator<Item = AddedPath<'e>> {
    let own = (view_type == ViewType::Stream).then(|| own_paths(form, name));
    let own = own.into_iter().flatten().map(AddedPath::Path);
    own.chain(view_lines(form, view_type).into_iter().flat_map(|line| {
        let (first, second) = match line {
            ViewLine::Malformed(line) => (AddedPath::Malformed(line), None),
            ViewLine::Path(line) => {
                let client = line.client_path.clone().map(|path| (path, line.clone()));
                let client =
                    client.map(|(path, line)| of_line(path, line.text, Kind::Client(line)));
                (of_line(line.path.clone(), line.text, Kind::Depot(line)), client)
            }
        };
        iter::once(first).chain(second)
    }))
}

fn of_line<'e>(path: Cow<'e, [u8]>, text: &'e [u8], kind: Kind<'e>) -> AddedPath<'e> {
    AddedPath::Path(LeadingPath { item: text.into(), path, kind })
}

/// The paths that a depot form adds: `//NAME/` and the directories of its Map field.
pub fn of_depot<'e>(form: &'e Form<'_>, name: &'e [u8]) -> impl Iterator<Item = LeadingPath<'e>> {
    let root: Cow<'e, [u8]> = [b"//", name, b"/"].concat().into();
    let map = form.numbered_lines("map").map(move |(number, line)| LeadingPath {
        item: line.into(),
        path: first_word(line).into(),
        kind: Kind::Map(name, number),
    });
    iter::once(LeadingPath { item: root.clone(), path: root, kind: Kind::Root(name) }).chain(map)
}

pub fn of_new_file<'e>(path: &'e [u8], action: &'e [u8]) -> LeadingPath<'e> {
    LeadingPath { item: path.into(), path: path.into(), kind: Kind::NewFile(action) }
}

/// The paths that a stream's Paths field adds for its own files, not imported ones.
fn own_paths<'e>(form: &'e Form<'_>, stream: &'e [u8]) -> impl Iterator<Item = LeadingPath<'e>> {
    form.numbered_lines("paths").filter_map(move |(number, text)| {
        let mut words = words(text);
        let (kind, path) = (words.next()?, words.next()?);
        is_own(kind).then(|| LeadingPath {
            item: text.into(),
            path: [stream, b"/", path].concat().into(),
            kind: Kind::OwnPaths(kind, path, number),
        })
    })
}

/// The name of the depot or client with which a path (`//NAME/...`) starts.
pub fn depot_of(path: &[u8]) -> &[u8] {
    let path = path.strip_prefix(b"//").unwrap_or(path);
    path.split(|byte| *byte == b'/').next().unwrap_or_default()
}
