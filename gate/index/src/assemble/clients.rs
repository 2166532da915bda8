//! The clients of a server, each with its view and how many files it has.

use crate::assemble::follower::Follower;
use crate::assemble::had::Had;
use crate::assemble::rows::{CLIENT, Domain, Line, VIEW_TAIL, client_of};
use crate::base::numbers::{last_ordered, put_number, put_text, take_number, take_text};
use crate::file::client::ViewLine;
use crate::sorted::merge::Merge;
use crate::sorted::run::Run;
use crate::sorted::sorter::Sorter;
use std::io;

/// The sorted records that clients are made of.
#[derive(Debug)]
pub struct ClientRuns {
    /// `db.domain`.
    pub domains: Vec<Run>,
    /// `db.view`.
    pub views: Vec<Run>,
    /// Names of clients, with how many records of `db.have` each has, and in which directories.
    pub have: Vec<Run>,
    /// Whether names are compared with their letters folded.
    pub folds: bool,
}

/// A client.
#[derive(Debug, Default)]
pub struct Row {
    /// Its name.
    pub name: Vec<u8>,
    /// Its options and roots, and the server that it is bound to.
    pub domain: Domain,
    /// The lines of its view that include files.
    pub view: Vec<ViewLine>,
    /// How many records of `db.have` it has.
    pub have: u64,
    /// The directories that hold most of them.
    pub had: Vec<Vec<u8>>,
}

/// Hands over every client, in the order of their names.
pub fn each(runs: &ClientRuns, mut told: impl FnMut(Row) -> io::Result<()>) -> io::Result<()> {
    let mut domains = Merge::new(&runs.domains, runs.folds)?;
    let mut views = Follower::new(&runs.views, runs.folds, VIEW_TAIL)?;
    let mut have = Follower::new(&runs.have, runs.folds, 0)?;
    while domains.advance()? {
        let Some(domain) = Domain::read(domains.value()).filter(|domain| domain.kind == CLIENT)
        else {
            continue;
        };
        let mut row = Row { name: domains.key().to_vec(), domain, ..Row::default() };
        views.each_of(domains.order_key(), |key, value| {
            let line = Line::read(value).filter(Line::includes);
            row.view.extend(line.map(|line| ViewLine {
                number: last_ordered(key).unwrap_or(0).into(),
                depot: line.depot.to_vec(),
                client: line.client.to_vec(),
            }));
        })?;
        have.each_of(domains.order_key(), |_, mut value| {
            row.have = take_number(&mut value).unwrap_or(0);
            while let Some(directory) = take_text(&mut value) {
                row.had.push(directory.to_vec());
            }
        })?;
        told(row)?;
    }
    Ok(())
}

/// Counts the records of `db.have` by client, whose name is the first part of their paths.
pub fn count_have(runs: &[Run], folds: bool, mut to: Sorter) -> io::Result<Vec<Run>> {
    let mut merge = Merge::new(runs, folds)?;
    let (mut name, mut order_name, mut count) = (Vec::new(), Vec::new(), 0_u64);
    let mut had = Had::default();
    while merge.advance()? {
        if client_of(merge.order_key()) != order_name {
            note(&name, count, std::mem::take(&mut had), &mut to)?;
            name = client_of(merge.key()).to_vec();
            order_name = client_of(merge.order_key()).to_vec();
            count = 0;
        }
        count += 1;
        had.pass(merge.key(), merge.order_key());
    }
    note(&name, count, had, &mut to)?;
    to.into_runs()
}

fn note(name: &[u8], count: u64, had: Had, to: &mut Sorter) -> io::Result<()> {
    let mut value = Vec::new();
    put_number(&mut value, count);
    had.finish().iter().for_each(|directory| put_text(&mut value, directory));
    if count > 0 { to.push([name, b""], Some(&value)) } else { Ok(()) }
}
