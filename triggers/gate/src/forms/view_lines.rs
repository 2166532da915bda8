//! The depot paths in the lines of a client, branch, label or stream form.
//!
//! The position of the depot path in a line differs by form (p4 help client, branch, label, stream):
//! a client view maps depot paths to client paths, a branch maps depot paths to depot paths, a label
//! lists them, a stream imports them. A stream's own paths are left out: p4d keeps them within the
//! stream.

use crate::base::plural::amount;
use crate::forms::form::Form;
use crate::paths::view_words::{Flag, first_word, joined_line, split_flag, words};
use std::borrow::Cow;
use std::fmt;

/// Line number of the line that stands for p4d's default view; those of a form begin with 1.
pub const DEFAULT_VIEW_LINE: usize = 0;
/// Those with lines of which a stream's view is made (p4 help stream).
const STREAM_FIELDS: [&str; 4] = ["paths", "components", "remapped", "ignored"];
const MAX_EXAMPLE_BYTES: usize = 160;

/// Types of forms that have a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewType {
    Client,
    Branch,
    Label,
    Stream,
}

impl ViewType {
    pub fn named(form_type: &[u8]) -> Option<Self> {
        match form_type {
            b"client" => Some(ViewType::Client),
            b"branch" => Some(ViewType::Branch),
            b"label" => Some(ViewType::Label),
            b"stream" => Some(ViewType::Stream),
            _ => None,
        }
    }

    /// The number of words in a view line, and the words in words (spec definitions in Perforce's
    /// C++ API).
    fn parts(self) -> (usize, &'static str) {
        match self {
            ViewType::Client => (2, "a depot path and a client path"),
            ViewType::Branch => (2, "two depot paths"),
            ViewType::Label | ViewType::Stream => (1, "a depot path"),
        }
    }

    /// Whether p4d may give such a form a view of all depots if it has none (p4 help client,
    /// branch). A label without a view is legal: it names a changelist.
    fn has_default(self) -> bool {
        matches!(self, ViewType::Client | ViewType::Branch)
    }
}

/// The location of a line in its form; shown as `View line 3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormLine {
    pub field: &'static str,
    pub number: usize,
}

impl fmt::Display for FormLine {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{} line {}", self.field, self.number)
    }
}

/// Of a branch's line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
}

impl Side {
    pub fn word(self) -> &'static str {
        match self {
            Side::Left => "left",
            Side::Right => "right",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewLine<'f> {
    Path(ViewPath<'f>),
    Malformed(MalformedLine<'f>),
}

impl ViewLine<'_> {
    fn is_exclusion(&self) -> bool {
        matches!(self, ViewLine::Path(line) if line.flag == Flag::Exclude)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewPath<'f> {
    pub line: FormLine,
    /// The whole line.
    pub text: &'f [u8],
    pub flag: Flag,
    /// Without flag and revision.
    pub path: Cow<'f, [u8]>,
    pub client_path: Option<Cow<'f, [u8]>>,
    pub side: Option<Side>,
    /// The path on the other side of a branch's line or a stream's Paths line.
    pub other_path: Option<&'f [u8]>,
}

impl ViewPath<'_> {
    /// For display, such as `View line 3, left side`.
    pub fn place(&self) -> String {
        match self.side {
            Some(side) => format!("{}, {} side", self.line, side.word()),
            None => self.line.to_string(),
        }
    }
}

/// A line of a form's View or Components that p4d could not read, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MalformedLine<'f> {
    pub line: FormLine,
    /// The whole line.
    pub text: &'f [u8],
    pub problem: String,
}

/// The depot paths of a form's include lines, and lines with a wrong number of words.
///
/// A client of a stream gets its view from the stream when it is saved (p4 help client), so the view
/// in its form is ignored and gives nothing. A form without include lines gives the line of all
/// depots that stands for p4d's default view, unless it is of an existing client and has an empty View.
pub fn view_lines<'f>(form: &'f Form<'_>, view_type: ViewType) -> Vec<ViewLine<'f>> {
    let mut lines = lines_with_exclusions(form, view_type);
    lines.retain(|line| !line.is_exclusion());
    lines
}

/// `view_lines` with the excluded paths, in form order.
pub fn lines_with_exclusions<'f>(form: &'f Form<'_>, view_type: ViewType) -> Vec<ViewLine<'f>> {
    let mut lines = Vec::new();
    if view_type == ViewType::Stream {
        add_imports(&mut lines, form);
        return lines;
    }
    if !has_view(form, view_type) {
        return lines;
    }
    lines.reserve(form.lines("view").len());
    for (number, text) in form.numbered_lines("view") {
        add_view_line(&mut lines, number, text, view_type, form);
    }
    let stays_empty = form.is_of_existing_client && form.has_empty("view");
    let has_default = view_type.has_default() && !stays_empty;
    if has_default && lines.iter().all(ViewLine::is_exclusion) {
        let client_path = [b"//", form.value("client").unwrap_or_default(), b"/..."].concat();
        let is_client = view_type == ViewType::Client;
        lines.push(ViewLine::Path(ViewPath {
            client_path: is_client.then_some(client_path.into()),
            ..view_path("View", DEFAULT_VIEW_LINE, b"", Flag::Include, b"//...")
        }));
    }
    lines
}

/// The number of include lines in a form's view; a branch's lines count twice.
///
/// All lines of a stream's view count, as p4d makes each client's view of all of them. In other forms
/// only the first characters of a line are examined, so that counting is cheap for a long view.
pub fn include_count(form: &Form<'_>, view_type: ViewType) -> usize {
    if view_type == ViewType::Stream {
        return STREAM_FIELDS.iter().map(|field| form.lines(field).len()).sum();
    }
    if !has_view(form, view_type) {
        return 0;
    }
    let sides = if view_type == ViewType::Branch { 2 } else { 1 };
    let is_include = |line: &&Cow<'_, [u8]>| !line.starts_with(b"-") && !line.starts_with(b"\"-");
    sides * form.lines("view").iter().filter(is_include).count()
}

/// Whether a client's form names a stream, so that p4d ignores the form's View.
pub fn is_of_stream(form: &Form<'_>) -> bool {
    first_word(form.value("stream").unwrap_or_default()).starts_with(b"//")
}

/// Whether a stream's form has components, or imports besides those that its parent may give it.
///
/// A stream without imports of its own has only what its parent has, whose form was judged.
pub fn may_add_to_inherited(form: &Form<'_>) -> bool {
    !form.lines("components").is_empty()
        || parent(form).is_some() && !view_lines(form, ViewType::Stream).is_empty()
}

/// `may_add_to_inherited`, as far as the form alone tells it.
pub fn adds_to_inherited(form: &Form<'_>) -> bool {
    let inherits = || must_inherit(form) || inherits(form) != Some(false);
    may_add_to_inherited(form) && (!form.lines("components").is_empty() || inherits())
}

/// Of a stream; None for none.
pub fn parent<'f>(form: &'f Form<'_>) -> Option<&'f [u8]> {
    let parent = form.value("parent").map(first_word);
    parent.filter(|parent| !parent.is_empty() && !parent.eq_ignore_ascii_case(b"none"))
}

/// As a stream's ParentView says; None if it does not say it.
pub fn inherits(form: &Form<'_>) -> Option<bool> {
    let word = form.value("parentview").map(first_word)?;
    let is = |name: &[u8]| word.eq_ignore_ascii_case(name);
    (is(b"inherit") || is(b"noinherit")).then(|| is(b"inherit"))
}

/// Virtual and task streams have no other ParentView (p4 help stream).
pub fn must_inherit(form: &Form<'_>) -> bool {
    let word = form.value("type").map(first_word).unwrap_or_default();
    [&b"virtual"[..], b"task"].iter().any(|one| one.eq_ignore_ascii_case(word))
}

/// The view paths of a stream that its parent's view must contain: those of `share` and `isolate`,
/// and of imports without a depot path.
pub fn own_paths<'f>(form: &'f Form<'_>) -> Vec<&'f [u8]> {
    let lines = form.lines("paths");
    if lines.is_empty() {
        return vec![b"..."];
    }
    let paths = lines.iter().filter_map(|line| {
        let mut words = words(line);
        let (kind, path, depot) = (words.next()?, words.next()?, words.next());
        (is_own(kind) || is_import(kind) && depot.is_none()).then_some(path)
    });
    paths.collect()
}

/// The streams in Components, each with its changelist or label after `@`, empty for none.
pub fn components<'f>(form: &'f Form<'_>) -> impl Iterator<Item = (&'f [u8], &'f [u8])> {
    form.lines("components").iter().filter_map(|line| {
        let mut parts = words(line).nth(2)?.splitn(2, |byte| *byte == b'@');
        Some((parts.next()?, parts.next().unwrap_or_default()))
    })
}

/// The flag, the left and the right path of each line that p4d's map of a view has.
///
/// The right path of a label's line, or of a line that lacks it, is the left one. A stream's form
/// gives none, because its map has only paths with wildcards at their ends (p4 help stream); a
/// stream's client gives none, because p4d ignores the View in its form.
pub fn map_lines<'f>(
    form: &'f Form<'_>,
    view_type: ViewType,
) -> impl Iterator<Item = (Flag, &'f [u8], &'f [u8])> {
    let is_mapped = view_type != ViewType::Stream && has_view(form, view_type);
    form.lines("view").iter().filter(move |_| is_mapped).map(|line| {
        let mut words = words(line);
        let (flag, path) = split_flag(words.next().unwrap_or_default());
        (flag, path, words.next().unwrap_or(path))
    })
}

/// Number and depot path of each exclusion line in a form's view, in form order.
pub fn exclusions<'f>(form: &'f Form<'_>) -> impl Iterator<Item = (usize, &'f [u8])> {
    form.numbered_lines("view").filter_map(|(number, line)| {
        let (flag, path) = split_flag(first_word(line));
        (flag == Flag::Exclude).then_some((number, path))
    })
}

/// False for a stream's client, whose View p4d ignores.
fn has_view(form: &Form<'_>, view_type: ViewType) -> bool {
    view_type != ViewType::Client || !is_of_stream(form)
}

fn view_path<'f>(
    field: &'static str,
    number: usize,
    text: &'f [u8],
    flag: Flag,
    path: &'f [u8],
) -> ViewPath<'f> {
    ViewPath {
        line: FormLine { field, number },
        text,
        flag,
        path: path.into(),
        client_path: None,
        side: None,
        other_path: None,
    }
}

fn remedy_for_blanks(text: &[u8]) -> String {
    match text.trim_ascii_start() {
        [flag @ (b'-' | b'+' | b'&'), b'"', ..] => {
            let flag = char::from(*flag);
            format!("write the {flag} inside the quotation marks, as in \"{flag}//depot/a b/...\"")
        }
        _ => "put quotation marks around a path with spaces".to_owned(),
    }
}

fn add_view_line<'f>(
    to: &mut Vec<ViewLine<'f>>,
    number: usize,
    text: &'f [u8],
    view_type: ViewType,
    form: &Form<'_>,
) {
    let (word_count, of) = view_type.parts();
    let mut rest = words(text);
    let (first, second) = (rest.next().unwrap_or_default(), rest.next());
    // A line of blanks counts as one empty word.
    let count = words(text).count().max(1);
    if count != word_count {
        let remedy = match count < word_count {
            true => format!("add {}", missing_path(first, view_type, form)),
            false => remedy_for_blanks(text),
        };
        let has = amount(count, "word");
        let problem = format!("has {has} instead of {word_count} ({of}); {remedy}");
        let line = FormLine { field: "View", number };
        to.push(ViewLine::Malformed(MalformedLine { line, text, problem }));
        return;
    }
    let (flag, path) = split_flag(first);
    let left = view_path("View", number, text, flag, path);
    match (view_type, second) {
        (ViewType::Branch, Some(right)) => {
            // An excluded line excludes on both sides.
            let other_flag = if flag == Flag::Exclude { flag } else { Flag::Include };
            let other = view_path("View", number, text, other_flag, right);
            let (side, other_path) = (Some(Side::Left), Some(right));
            to.push(ViewLine::Path(ViewPath { side, other_path, ..left }));
            let (side, other_path) = (Some(Side::Right), Some(path));
            to.push(ViewLine::Path(ViewPath { side, other_path, ..other }));
        }
        (_, second) => {
            to.push(ViewLine::Path(ViewPath { client_path: second.map(Cow::Borrowed), ..left }));
        }
    }
}

fn missing_path(depot_path: &[u8], view_type: ViewType, form: &Form<'_>) -> String {
    if view_type != ViewType::Client {
        return "the depot path of the target after that of the source".to_owned();
    }
    let path = split_flag(depot_path).1;
    let path = path.strip_prefix(b"//").unwrap_or(path);
    let slash = path.iter().position(|byte| *byte == b'/');
    let rest = slash.and_then(|at| path.get(at + 1..)).filter(|rest| !rest.is_empty());
    let client = form.value("client").unwrap_or_default();
    let example = rest.and_then(|rest| {
        joined_line(&[&[b"//", client, b"/", rest].concat()], false)
            .filter(|example| example.len() <= MAX_EXAMPLE_BYTES)
    });
    let example = example.map(|example| format!(", for example {example}")).unwrap_or_default();
    format!("the client path after it{example}")
}

fn add_imports<'f>(to: &mut Vec<ViewLine<'f>>, form: &'f Form<'_>) {
    for (number, text) in form.numbered_lines("paths") {
        let mut words = words(text);
        let (kind, own, path) = (words.next(), words.next(), words.next());
        if let (true, Some(path)) = (kind.is_some_and(is_import), path) {
            let path = view_path("Paths", number, text, Flag::Include, without_revision(path));
            to.push(ViewLine::Path(ViewPath { other_path: own, ..path }));
        }
    }
    for (number, text) in form.numbered_lines("components") {
        let count = words(text).count().max(1);
        let line = FormLine { field: "Components", number };
        match words(text).nth(2) {
            // A line of Components names a whole stream, all of whose paths are imported.
            Some(stream) if count <= 4 => {
                let path = [without_revision(stream), b"/..."].concat().into();
                let all = view_path("Components", number, text, Flag::Include, b"");
                to.push(ViewLine::Path(ViewPath { path, ..all }));
            }
            _ => {
                let problem = format!(
                    "has {} instead of 3 or 4 (a type, a directory and a stream, for example \
                     readonly lib //streams/lib)",
                    amount(count, "word")
                );
                to.push(ViewLine::Malformed(MalformedLine { line, text, problem }));
            }
        }
    }
}

pub(super) fn is_own(kind: &[u8]) -> bool {
    [&b"share"[..], b"isolate"].iter().any(|own| own.eq_ignore_ascii_case(kind))
}

fn is_import(kind: &[u8]) -> bool {
    [&b"import"[..], b"import+", b"import&"].iter().any(|one| one.eq_ignore_ascii_case(kind))
}

fn without_revision(path: &[u8]) -> &[u8] {
    path.split(|byte| *byte == b'@').next().unwrap_or_default()
}
