//! Facts about a form from the checkpoint index: the files that its paths span, and the directories
//! from which its client and its user have files.

use crate::event::form_event::FormEvent;
use crate::facts::form_facts::{SpannedFiles, WideLine};
use crate::forms::form::Form;
use crate::forms::view_lines::{ViewLine, ViewType, view_lines};
use p4warden_index::estimate::form::Names;
use p4warden_index::file::index::Index;

/// Above `at_most`, with the widest lines. None for a form without include lines, and if the index
/// is damaged.
#[must_use]
pub fn spanned_files(index: &Index, event: &FormEvent<'_>, at_most: u64) -> Option<SpannedFiles> {
    let paths = include_paths(event.readable_form()?, ViewType::named(event.form_type?)?);
    if paths.is_empty() {
        return None;
    }
    let span = index.span(&paths, at_most, names(event)).ok()?;
    let wide_lines = span.wide_lines.into_iter().map(|wide| WideLine {
        line: wide.line,
        files: wide.files,
        narrower_directories: wide.narrower_directories,
    });
    Some(SpannedFiles { files: span.files, wide_lines: wide_lines.collect() })
}

/// The depot paths of the lines that include files.
#[must_use]
pub fn include_paths(form: &Form<'_>, view_type: ViewType) -> Vec<Vec<u8>> {
    let lines = view_lines(form, view_type).into_iter().filter_map(|line| match line {
        ViewLine::Path(line) => Some(line.path.into_owned()),
        ViewLine::Malformed(_) => None,
    });
    lines.collect()
}

/// With at most so many files on the server; empty if the index is damaged.
#[must_use]
pub fn used_directories(
    index: &Index,
    event: &FormEvent<'_>,
    at_most: Option<u64>,
) -> Vec<Vec<u8>> {
    index.used_directories(names(event), at_most).unwrap_or_default()
}

fn names<'e>(event: &FormEvent<'e>) -> Names<'e> {
    Names { client: event.described_client(), user: event.user }
}
