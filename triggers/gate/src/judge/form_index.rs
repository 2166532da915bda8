//! Facts about a form from the checkpoint index: the files that its paths span, the directories from
//! which its client and its user have files, and whether the server has its client.

use crate::event::form_event::FormEvent;
use crate::facts::form_facts::{SpannedFiles, WideLine};
use crate::forms::view_lines::{ViewLine, ViewType, view_lines};
use p4warden_index::estimate::form::Names;
use p4warden_index::file::index::Index;
use p4warden_index::file::trees::IndexError;

/// Above `at_most`, with the widest lines. None for a form without include lines.
pub fn spanned_files(
    index: &Index,
    event: &FormEvent<'_>,
    at_most: u64,
) -> Result<Option<SpannedFiles>, IndexError> {
    let view_type = event.form_type.and_then(ViewType::named);
    let Some((form, view_type)) = event.readable_form().zip(view_type) else { return Ok(None) };
    let paths: Vec<Vec<u8>> = view_lines(form, view_type)
        .into_iter()
        .filter_map(|line| match line {
            ViewLine::Path(line) => Some(line.path.into_owned()),
            ViewLine::Malformed(_) => None,
        })
        .collect();
    if paths.is_empty() {
        return Ok(None);
    }
    let span = index.span(&paths, at_most, names(event))?;
    let wide_lines = span.wide_lines.into_iter().map(|wide| WideLine {
        line: wide.line,
        files: wide.files,
        narrower_directories: wide.narrower_directories,
    });
    Ok(Some(SpannedFiles { files: span.files, wide_lines: wide_lines.collect() }))
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
