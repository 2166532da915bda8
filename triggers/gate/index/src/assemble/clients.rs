use crate::assemble::follower::Follower;
use crate::assemble::rows::{CLIENT, Domain, VIEW_TAIL, client_of, view_line};
use crate::assemble::synced_directories::SyncedDirectories;
use crate::base::numbers::{put_number, put_text, take_number, take_text};
use crate::file::client::ClientMapping;
use crate::sorted::merge::Merge;
use crate::sorted::run::Run;
use crate::sorted::sorter::Sorter;
use std::io;

#[derive(Debug)]
pub struct ClientRuns {
    pub domains: Vec<Run>,
    pub views: Vec<Run>,
    /// One entry per client name in `db.have`, as `count_have` writes them.
    pub have: Vec<Run>,
    pub folds: bool,
}

#[derive(Debug, Default)]
pub struct Row {
    pub name: Vec<u8>,
    pub domain: Domain,
    pub mapping: ClientMapping,
    /// Records in `db.have`.
    pub have: u64,
    /// In client syntax, each with its number of synced files.
    pub synced_directories: Vec<(u64, Vec<u8>)>,
}

/// In the order of the client names, without unloaded clients.
pub fn each(runs: &ClientRuns, mut visit: impl FnMut(Row) -> io::Result<()>) -> io::Result<()> {
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
            let line = view_line(key, value).filter(|line| !line.is_of_server());
            line.into_iter().for_each(|line| row.mapping.add(line));
        })?;
        have.each_of(domains.order_key(), |_, mut value| {
            row.have = take_number(&mut value).unwrap_or(0);
            while let (Some(files), Some(directory)) =
                (take_number(&mut value), take_text(&mut value))
            {
                row.synced_directories.push((files, directory.to_vec()));
            }
        })?;
        visit(row)?;
    }
    Ok(())
}

/// The input is `db.have`. The output has one entry per client name: its number of files and the
/// directories with the most of them.
pub fn count_have(runs: &[Run], folds: bool, mut to: Sorter) -> io::Result<Vec<Run>> {
    let mut merge = Merge::new(runs, folds)?;
    let (mut name, mut order_name, mut count) = (Vec::new(), Vec::new(), 0_u64);
    let mut synced_directories = SyncedDirectories::default();
    while merge.advance()? {
        if synced_directories.pass_same(merge.order_key()) {
            count += 1;
            continue;
        }
        if client_of(merge.order_key()) != order_name {
            note(&name, count, std::mem::take(&mut synced_directories), &mut to)?;
            name = client_of(merge.key()).to_vec();
            order_name = client_of(merge.order_key()).to_vec();
            count = 0;
        }
        count += 1;
        synced_directories.pass(merge.key(), merge.order_key());
    }
    note(&name, count, synced_directories, &mut to)?;
    to.into_runs()
}

fn note(
    name: &[u8],
    count: u64,
    synced_directories: SyncedDirectories,
    to: &mut Sorter,
) -> io::Result<()> {
    let mut value = Vec::new();
    put_number(&mut value, count);
    for (files, directory) in synced_directories.finish() {
        put_number(&mut value, files);
        put_text(&mut value, &directory);
    }
    if count > 0 { to.push([name, b""], Some(&value)) } else { Ok(()) }
}
