//! Estimates from a checkpoint index how many files a form's view spans, and lists directories with
//! many synced files of a client and of a user's clients.

use crate::base::order::folded_key;
use crate::estimate::count::{Estimate, Table};
use crate::estimate::wide_lines::WideLine;
use crate::file::index::Index;
use crate::file::trees::IndexError;
use crate::ranges::range::{Extent, Range, range};

/// Of a form's view, estimated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// In the ranges that p4d scans, each file counted once.
    pub files: Estimate,
    /// Empty if the view may stay within the limit `at_most` of `Index::span`.
    pub wide_lines: Vec<WideLine>,
}

/// Directories from which these two have files are the first to be proposed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Names<'a> {
    /// Of a command, or whose form is saved.
    pub client: Option<&'a [u8]>,
    pub user: Option<&'a [u8]>,
}

impl Index {
    /// `paths` are the depot paths of a view's lines, without exclusions.
    pub fn span(
        &self,
        paths: &[Vec<u8>],
        at_most: u64,
        names: Names<'_>,
    ) -> Result<Span, IndexError> {
        let ranges: Vec<_> = paths.iter().map(|path| range(path, self.folds())).collect();
        let files = self.estimate_union(Table::Files, &ranges)?;
        let mut wide_lines = Vec::new();
        if files.at_least > at_most {
            wide_lines = self.wide_lines(paths, at_most, &self.used_directories(names, None)?)?;
        }
        Ok(Span { files, wide_lines })
    }

    /// With many synced files at the checkpoint: first those of the client, then those of all clients
    /// that the user owns. With `at_most`, those with more files on the server are left out.
    pub fn used_directories(
        &self,
        names: Names<'_>,
        at_most: Option<u64>,
    ) -> Result<Vec<Vec<u8>>, IndexError> {
        let mut directories = match names.client {
            Some(client) => self.synced_in_depot(client)?,
            None => Vec::new(),
        };
        if let Some(user) = names.user {
            directories.extend(self.user_directories(user)?);
        }
        let Some(at_most) = at_most else { return Ok(directories) };
        let mut fitting = Vec::new();
        for directory in directories {
            let literal = folded_key(&directory, self.folds());
            if self.count(Table::Files, &Range { literal, extent: Extent::Below })? <= at_most {
                fitting.push(directory);
            }
        }
        Ok(fitting)
    }
}
