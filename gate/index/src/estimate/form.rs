//! Answers from a checkpoint index the questions that arise when a form is saved: how many files
//! its view spans, and which directories the client and the user have files from.
//!
//! `p4warden-index` prints the answers as JSON documents; `p4warden-gate` sends such documents to
//! the form worker.

use crate::base::order::folded;
use crate::base::text::decoded;
use crate::estimate::count::Table;
use crate::estimate::wide::WideLine;
use crate::file::index::Index;
use crate::file::trees::Damaged;
use crate::ranges::range::{Extent, Range, range};
use serde_json::{Value, json};

/// The estimated number of files that a form's view spans, with the view's widest lines if a limit
/// is exceeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Estimated number of files that the view spans, each counted once.
    pub files: u64,
    /// The widest lines of the view, each with narrower directories; empty if the view stays within
    /// the limit.
    pub wide: Vec<WideLine>,
}

impl Span {
    /// The estimate for the view as a JSON object with the keys `files` and `wide`.
    #[must_use]
    pub fn document(&self) -> Value {
        let wide: Vec<Value> = self.wide.iter().map(wide_line).collect();
        json!({"files": self.files, "wide": wide})
    }
}

/// Names of the client and the user in an event of saving a form; refusals first propose
/// directories from which these two have files.
#[derive(Clone, Copy, Debug, Default)]
pub struct Names<'a> {
    /// Name of the client whose form is saved; None for a form of another type.
    pub client: Option<&'a [u8]>,
    /// Name of the user who saves the form; None if unknown.
    pub user: Option<&'a [u8]>,
}

impl Index {
    /// Estimates the number of files that a view spans, given the depot paths of its lines without
    /// exclusions. If it exceeds `at_most`, the widest lines are returned with narrower
    /// directories, preferably directories from which the client or the user has files.
    pub fn span(&self, paths: &[Vec<u8>], at_most: u64, names: Names<'_>) -> Result<Span, Damaged> {
        let ranges: Vec<_> = paths.iter().map(|path| range(path, self.folds())).collect();
        let files = self.count_union(Table::Files, &ranges)?;
        let mut wide = Vec::new();
        if files > at_most {
            wide = self.wide_lines(paths, at_most, &self.used_directories(names, None)?)?;
        }
        Ok(Span { files, wide })
    }

    /// The depot directories with the most synced files of a client, then those with the most
    /// synced files of all clients of a user; with `at_most` only directories with at most so many
    /// files on the server.
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

/// The directories that a client and a user have files from, as a JSON object with the key `used`.
/// A byte that is not UTF-8 becomes `\xNN`, as in the decision log.
#[must_use]
pub fn used_document(directories: &[Vec<u8>]) -> Value {
    json!({"used": directories.iter().map(|path| decoded(path)).collect::<Vec<_>>()})
}

fn wide_line(wide: &WideLine) -> Value {
    let narrower = wide.narrower.iter().map(|(path, files)| json!([decoded(path), files]));
    json!({"line": wide.line, "files": wide.files, "narrower": narrower.collect::<Vec<_>>()})
}
