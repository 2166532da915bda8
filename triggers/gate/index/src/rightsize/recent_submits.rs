use crate::assemble::rows::REVISION_TAIL;
use crate::assemble::tables::Tables;
use crate::base::numbers::take_number;
use crate::sorted::merge::Merge;
use crate::sorted::run::Run;
use std::collections::HashMap;
use std::io;

/// `visit` gets the clients and the depot path of each revision submitted since `since_s`, in seconds
/// since the Unix epoch; `clients` finds the clients that a changelist names.
pub fn each<'n>(
    tables: &mut Tables,
    since_s: u64,
    clients: impl Fn(&[u8]) -> Option<&'n [u32]>,
    mut visit: impl FnMut(&[u32], &[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let of_changes = of_changes(&tables.changes.times.runs()?, since_s, clients)?;
    let mut merge = Merge::new(&tables.revisions.runs()?, tables.folds)?;
    while merge.advance()? {
        let clients = take_number(&mut merge.value()).and_then(|change| of_changes.get(&change));
        let end = merge.key().len().saturating_sub(REVISION_TAIL);
        if let (Some(clients), Some(path)) = (clients, merge.key().get(..end)) {
            visit(clients, path)?;
        }
    }
    Ok(())
}

/// By the numbers of changelists.
fn of_changes<'n>(
    times: &[Run],
    since_s: u64,
    clients: impl Fn(&[u8]) -> Option<&'n [u32]>,
) -> io::Result<HashMap<u64, &'n [u32]>> {
    let (mut merge, mut of_changes) = (Merge::new(times, false)?, HashMap::new());
    while merge.advance()? {
        let change = merge.key().first_chunk().map(|change| u32::from_be_bytes(*change));
        if let (Some(change), Some((time_s, name))) = (change, merge.value().split_first_chunk())
            && u64::from(u32::from_be_bytes(*time_s)) >= since_s
            && let Some(clients) = clients(name)
        {
            of_changes.insert(change.into(), clients);
        }
    }
    Ok(of_changes)
}
