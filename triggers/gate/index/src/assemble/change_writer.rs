use crate::assemble::change_records::{BLOCK_RECORDS, Block, CollectedChanges};
use crate::base::numbers::{ordered, put_number};
use crate::file::blocks::BlockOutput;
use crate::file::change_trees::{ChangeBlock, ChangeTrees};
use crate::file::tree::{Tree, TreeWriter};
use crate::sorted::merge::Merge;
use std::io::{self, Write};

/// Writes the trees; returns their positions, or None if the records were in no order. `out` stays
/// unchanged then.
pub fn write(
    changes: CollectedChanges,
    out: &mut BlockOutput<impl Write>,
) -> io::Result<Option<ChangeTrees>> {
    let Some(blocks) = changes.blocks else {
        return Ok(None);
    };
    let mut merge = Merge::new(&changes.times, false)?;
    let (mut times, mut changelists) = (Vec::new(), Vec::new());
    while merge.advance()? {
        let Some(change) = merge.key().first_chunk() else { continue };
        let change = u32::from_be_bytes(*change).into();
        note_changelist(&mut changelists, change);
        if let Some(time_s) = merge.value().first_chunk() {
            note_time(&mut times, &blocks, change, time_s);
        }
    }
    let (counts, records) = write_counts(&blocks, out)?;
    let (changelists, _) = write_counts(&changelists, out)?;
    let [starts, ends] = write_times(&times, out)?;
    let mut labels = TreeWriter::default();
    for (name, label) in changes.labels.into_values() {
        labels.push(out, &name, &label.bytes())?;
    }
    Ok(Some(ChangeTrees {
        records,
        counts,
        changelists,
        starts,
        ends,
        labels: labels.finish(out)?,
    }))
}

/// Successive changelists and their earliest and latest times, in seconds since the Unix epoch.
struct TimeSpan {
    first: u64,
    last: u64,
    times_s: [u32; 2],
}

fn note_changelist(blocks: &mut Vec<Block>, change: u64) {
    match blocks.last_mut() {
        Some(last) if last.records < BLOCK_RECORDS => {
            (last.last, last.records) = (change, last.records + 1);
        }
        _ => blocks.push(Block { first: change, last: change, records: 1 }),
    }
}

fn note_time(times: &mut Vec<TimeSpan>, blocks: &[Block], change: u64, time_s: &[u8; 4]) {
    let time_s = u32::from_be_bytes(*time_s);
    let block = |change| blocks.partition_point(|block: &Block| block.last < change);
    match times.last_mut() {
        Some(last) if block(last.first) == block(change) => {
            let [earliest_s, latest_s] = last.times_s;
            last.last = change;
            last.times_s = [earliest_s.min(time_s), latest_s.max(time_s)];
        }
        _ => times.push(TimeSpan { first: change, last: change, times_s: [time_s; 2] }),
    }
}

fn write_counts(blocks: &[Block], out: &mut BlockOutput<impl Write>) -> io::Result<(Tree, u64)> {
    let (mut tree, mut records_before) = (TreeWriter::default(), 0);
    for block in blocks {
        let Ok(first) = u32::try_from(block.first) else { continue };
        let value = ChangeBlock { last: block.last, records_before, records: block.records };
        tree.push(out, &ordered(first), &value.bytes())?;
        records_before += block.records;
    }
    Ok((tree.finish(out)?, records_before))
}

/// Writes the trees `starts` and `ends` of `ChangeTrees` for spans of ascending changelists.
fn write_times(times: &[TimeSpan], out: &mut BlockOutput<impl Write>) -> io::Result<[Tree; 2]> {
    let mut starts: Vec<(u32, u64)> =
        times.first().map(|span| (0, span.first)).into_iter().collect();
    for (place, span) in times.iter().enumerate() {
        let latest_s = starts.last().map_or(0, |last| last.0).max(span.times_s[1]);
        starts.pop_if(|last| last.0 == latest_s);
        starts.push((latest_s, times.get(place + 1).map_or(0, |next| next.first)));
    }
    let mut ends: Vec<(u32, u64)> = Vec::new();
    for span in times.iter().rev() {
        let earliest_s = ends.last().map_or(u32::MAX, |last| last.0).min(span.times_s[0]);
        if ends.last().is_none_or(|last| last.0 > earliest_s) {
            ends.push((earliest_s, span.last));
        }
    }
    ends.reverse();
    Ok([write_pairs(&starts, out)?, write_pairs(&ends, out)?])
}

fn write_pairs(pairs: &[(u32, u64)], out: &mut BlockOutput<impl Write>) -> io::Result<Tree> {
    let mut tree = TreeWriter::default();
    for (time_s, change) in pairs {
        let mut value = Vec::new();
        put_number(&mut value, *change);
        tree.push(out, &ordered(*time_s), &value)?;
    }
    tree.finish(out)
}
