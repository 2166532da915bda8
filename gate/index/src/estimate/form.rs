//! Answers about a form: the files that its view spans, and the directories in use.
//!
//! Both programs print the same JSON documents, which `core/spanned.py` and the worker read.

use crate::base::order::folded;
use crate::base::text::decoded;
use crate::estimate::count::Table;
use crate::estimate::wide::WideLine;
use crate::file::index::Index;
use crate::file::trees::Damaged;
use crate::ranges::range::{Extent, Range, range};
use serde_json::{Value, json};

/// The files that a view spans, and the lines of the view that exceed a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Estimated number of files that the view spans, each counted once.
    pub files: u64,
    /// The widest lines of the view; empty if the view stays within the limit.
    pub wide: Vec<WideLine>,
}

impl Span {
    /// The answer as a JSON object.
    #[must_use]
    pub fn document(&self) -> Value {
        let wide: Vec<Value> = self.wide.iter().map(wide_line).collect();
        json!({"files": self.files, "wide": wide})
    }
}

/// Names from a form event; each is None if the event has none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Names<'a> {
    /// The client that a form is of; None for a form of another type.
    pub client: Option<&'a [u8]>,
    /// The user who saves the form.
    pub user: Option<&'a [u8]>,
}

impl Index {
    /// Estimates the files that the include lines of a view span, each line a depot path. Narrower
    /// directories for lines that are too wide are taken first from those that the client or the
    /// user has files from.
    pub fn span(&self, paths: &[Vec<u8>], at_most: u64, names: Names<'_>) -> Result<Span, Damaged> {
        let ranges: Vec<_> = paths.iter().map(|path| range(path, self.folds())).collect();
        let files = self.count_union(Table::Files, &ranges)?;
        let mut wide = Vec::new();
        if files > at_most {
            wide = self.wide_lines(paths, at_most, &self.used_directories(names, None)?)?;
        }
        Ok(Span { files, wide })
    }

    /// The directories in depot syntax that contain most of the files of a client, followed by
    /// those of the clients of a user; with `at_most` only directories with no more files.
    pub fn used_directories(
        &self,
        names: Names<'_>,
        at_most: Option<u64>,
    ) -> Result<Vec<Vec<u8>>, Damaged> {
        let mut used = match names.client {
            Some(client) => self.synced_in_depot(client)?,
            None => Vec::new(),
        };
        if let Some(user) = names.user {
            used.extend(self.user_directories(user)?);
        }
        let Some(at_most) = at_most else { return Ok(used) };
        let mut fitting = Vec::new();
        for directory in used {
            let literal = folded(&directory, self.folds());
            if self.count(Table::Files, &Range { literal, extent: Extent::Below })? <= at_most {
                fitting.push(directory);
            }
        }
        Ok(fitting)
    }
}

/// Directories in use as a JSON object. A byte that is not UTF-8 becomes `\xNN`, as in the decision
/// log.
#[must_use]
pub fn used_document(directories: &[Vec<u8>]) -> Value {
    json!({"used": directories.iter().map(|path| decoded(path)).collect::<Vec<_>>()})
}

fn wide_line(wide: &WideLine) -> Value {
    let narrower = wide.narrower.iter().map(|(path, files)| json!([decoded(path), files]));
    json!({"line": wide.line, "files": wide.files, "narrower": narrower.collect::<Vec<_>>()})
}
