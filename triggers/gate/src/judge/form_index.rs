//! Facts about a form from the checkpoint index: the files that its paths span, the directories from
//! which its client and its user have files, and whether the server has its client.

use crate::event::form_event::{FormEvent, FormEventKind};
use crate::facts::form_facts::{InheritedPaths, SpannedFiles};
use crate::forms::form::Form;
use crate::forms::view_lines::{
    ViewLine, ViewType, components, inherits, may_add_to_inherited, must_inherit, own_paths,
    parent, view_lines,
};
use p4warden_index::estimate::form::Names;
use p4warden_index::estimate::inheritance::StreamForm;
use p4warden_index::file::index::Index;
use p4warden_index::file::trees::IndexError;

/// The form of a stream whose paths add up with those of other streams.
pub fn adding_stream<'e>(event: &'e FormEvent<'e>) -> Option<&'e Form<'e>> {
    let is_stream = event.kind == FormEventKind::Save && event.form_type == Some(b"stream");
    event.readable_form().filter(|form| is_stream && may_add_to_inherited(form))
}

/// `index` should have the notes of saved forms. None for another form. `counts_files` is for a policy that limits files.
pub fn inherited(
    index: &Index,
    event: &FormEvent<'_>,
    counts_files: bool,
) -> Result<Option<InheritedPaths>, IndexError> {
    let Some(form) = adding_stream(event) else { return Ok(None) };
    let stream = StreamForm {
        name: event.name.or(form.value("stream")).unwrap_or_default(),
        parent: parent(form).unwrap_or_default(),
        inherits: inherits(form),
        must_inherit: must_inherit(form),
        own_paths: own_paths(form),
        components: components(form).collect(),
    };
    let inherited = index.inherited(&stream)?;
    let own = include_paths(form, ViewType::Stream);
    let all = own.iter().chain(&inherited.certain).chain(&inherited.possible);
    let files = (counts_files && !inherited.possible.is_empty())
        .then(|| index.files_of(&all.map(Vec::as_slice).collect::<Vec<_>>()));
    Ok(Some(InheritedPaths {
        possible_files: files.transpose()?,
        certain: inherited.certain.into_iter().collect(),
        possible: inherited.possible.into_iter().collect(),
        is_complete: inherited.is_complete,
    }))
}

/// The depot paths of the lines that include files.
pub fn include_paths(form: &Form<'_>, view_type: ViewType) -> Vec<Vec<u8>> {
    let lines = view_lines(form, view_type).into_iter();
    let paths = lines.filter_map(|line| match line {
        ViewLine::Path(line) => Some(line.path.into_owned()),
        ViewLine::Malformed(_) => None,
    });
    paths.collect()
}

/// Above `at_most`, with the widest lines; the certain ones of the inherited paths count, too. None
/// for a form without include lines.
pub fn spanned_files(
    index: &Index,
    event: &FormEvent<'_>,
    inherited: Option<&InheritedPaths>,
    at_most: u64,
) -> Result<Option<SpannedFiles>, IndexError> {
    let view_type = event.form_type.and_then(ViewType::named);
    let Some((form, view_type)) = event.readable_form().zip(view_type) else { return Ok(None) };
    let mut paths = include_paths(form, view_type);
    if paths.is_empty() {
        return Ok(None);
    }
    paths.extend(inherited.into_iter().flat_map(|inherited| inherited.certain.iter().cloned()));
    index.span(&paths, at_most, names(event)).map(Some)
}

/// With at most so many files on the server.
pub fn used_directories(
    index: &Index,
    event: &FormEvent<'_>,
    at_most: Option<u64>,
) -> Result<Vec<Vec<u8>>, IndexError> {
    index.used_directories(names(event), at_most)
}

/// None for the form of another spec.
pub fn client_exists(index: &Index, event: &FormEvent<'_>) -> Result<Option<bool>, IndexError> {
    event.described_client().map(|name| index.has_client(name)).transpose()
}

fn names<'e>(event: &FormEvent<'e>) -> Names<'e> {
    Names { client: event.described_client(), user: event.user }
}
