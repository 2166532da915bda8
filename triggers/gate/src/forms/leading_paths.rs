//! The paths that a form or submit adds to p4d's tables, and their lengths.

use crate::forms::form::Form;
use crate::forms::view_lines::{MalformedLine, Place, ViewLine, ViewPath, ViewType, view_lines};
use crate::paths::depot_path::{has_wildcard, literal_start};
use crate::paths::view_words::{first_word, words};
use std::borrow::Cow;

/// `LeadingPath::place`, shown in refusals, for the root path `//NAME/` of a depot form.
pub const DEPOTS_PATH: &str = "The path";

/// Which kind of path `LeadingPath` is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind<'e> {
    /// The depot path of a line of a view, Paths or Components.
    Depot(ViewPath<'e>),
    /// The client path beside it.
    Client(ViewPath<'e>),
    /// The type and the path of a stream's own Paths line.
    OwnPaths(&'e [u8], &'e [u8]),
    /// The depot's own path, or a line of its Map.
    OfDepot,
    /// A submit's new file, with its action, such as `add`.
    NewFile(&'e [u8]),
}

/// A path in an event's form or a submit's new file, to measure its length before a wildcard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeadingPath<'e> {
    /// The form line that contains the path, or the path itself.
    pub item: Cow<'e, [u8]>,
    /// For display, such as `View line 3` or `The new file`.
    pub place: String,
    /// Without flag and revision.
    pub path: Cow<'e, [u8]>,
    /// The depot whose limit applies to this path; for a client path, the depot of the depot path in
    /// the same line.
    pub depot: Vec<u8>,
    pub kind: Kind<'e>,
}

impl LeadingPath<'_> {
    /// Of the text before the first wildcard, else of the whole path.
    #[must_use]
    pub fn length_bytes(&self) -> usize {
        literal_start(&self.path).len()
    }

    /// Words after the length in bytes in a message.
    #[must_use]
    pub fn measured_part(&self) -> &'static str {
        if has_wildcard(&self.path) { " before its first wildcard" } else { "" }
    }

    /// Word before `path` in messages: `depot ` for a path beside a client path.
    #[must_use]
    pub fn kind_word(&self) -> &'static str {
        match &self.kind {
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
#[must_use]
pub fn of_view<'e>(form: &'e Form<'_>, view_type: ViewType, name: &[u8]) -> Vec<AddedPath<'e>> {
    let mut paths = Vec::new();
    if view_type == ViewType::Stream {
        paths.extend(own_paths(form, name).map(AddedPath::Path));
    }
    for line in view_lines(form, view_type) {
        match line {
            ViewLine::Malformed(line) => paths.push(AddedPath::Malformed(line)),
            ViewLine::Path(line) => {
                let depot = depot_of(&line.path).to_vec();
                let leading = |path, kind| {
                    let (item, place, depot) = (line.text.into(), line.place(), depot.clone());
                    AddedPath::Path(LeadingPath { item, place, path, depot, kind })
                };
                paths.push(leading(line.path.clone(), Kind::Depot(line.clone())));
                if let Some(path) = &line.client_path {
                    paths.push(leading(path.clone(), Kind::Client(line.clone())));
                }
            }
        }
    }
    paths
}

/// The paths that a depot form adds: `//NAME/` and the directories of its Map field.
#[must_use]
pub fn of_depot<'e>(form: &'e Form<'_>, name: &[u8]) -> Vec<LeadingPath<'e>> {
    let root: Cow<'e, [u8]> = [b"//", name, b"/"].concat().into();
    let leading = |item, place, path| LeadingPath {
        item,
        place,
        path,
        depot: name.to_vec(),
        kind: Kind::OfDepot,
    };
    let map = form.numbered_lines("map").map(|(number, line)| {
        let place = Place { field: "Map", number }.to_string();
        leading(line.into(), place, first_word(line).into())
    });
    [leading(root.clone(), DEPOTS_PATH.to_owned(), root)].into_iter().chain(map).collect()
}

#[must_use]
pub fn of_new_file<'e>(path: &'e [u8], action: &'e [u8]) -> LeadingPath<'e> {
    LeadingPath {
        item: path.into(),
        place: "The new file".to_owned(),
        path: path.into(),
        depot: depot_of(path).to_vec(),
        kind: Kind::NewFile(action),
    }
}

/// The paths that a stream's Paths field adds for its own files, not imported ones.
fn own_paths<'e>(form: &'e Form<'_>, stream: &[u8]) -> impl Iterator<Item = LeadingPath<'e>> {
    form.numbered_lines("paths").filter_map(move |(number, text)| {
        let mut words = words(text);
        let (kind, path) = (words.next()?, words.next()?);
        let is_own = [&b"share"[..], b"isolate"].iter().any(|one| one.eq_ignore_ascii_case(kind));
        is_own.then(|| LeadingPath {
            item: text.into(),
            place: Place { field: "Paths", number }.to_string(),
            path: [stream, b"/", path].concat().into(),
            depot: depot_of(stream).to_vec(),
            kind: Kind::OwnPaths(kind, path),
        })
    })
}

/// The name of the depot or client with which a path (`//NAME/...`) starts.
#[must_use]
pub fn depot_of(path: &[u8]) -> &[u8] {
    let path = path.strip_prefix(b"//").unwrap_or(path);
    path.split(|byte| *byte == b'/').next().unwrap_or_default()
}
