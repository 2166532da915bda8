//! The P4 Server Administrator Guide names these event types but not the order of their fields. The
//! order is inferred to be that of the same values in the text log. A record with another number of
//! fields, or with words in place of numbers, counts as not understood.

use crate::record::command::{Archive, Command, Estimates, Rpc};
use crate::record::tables::Table;
use crate::units::numbers::{natural, seconds_ns, size_bytes, whole_numbers};

/// Slightly above the largest piece of a file that one message carries. If the average size of a
/// record's messages is larger, the record states bytes.
const MOST_MIB_A_MESSAGE: i64 = 4;

// Event types; a `LOCK` belongs to no table.
pub const USAGE: u64 = 7;
pub const RPC: u64 = 8;
pub const TABLE: u64 = 9;
pub const ESTIMATES: u64 = 14;
pub const LOCK: u64 = 22;
pub const ARCHIVE: u64 = 24;

/// False if not understood.
pub fn track(kind: u64, own: &[Vec<u8>], to: &mut Command) -> bool {
    let result = match kind {
        USAGE => usage(own, to),
        RPC => rpc(own, to),
        TABLE | LOCK => table(own, to),
        ESTIMATES => estimates(own, to),
        ARCHIVE => archive(own, to),
        _ => None,
    };
    result.is_some()
}

/// `[lapse,] user,system,blocks in,out,messages in,out,resident,page faults [,memory,of process]`
fn usage(own: &[Vec<u8>], to: &mut Command) -> Option<()> {
    let lapse_ns = own.first().and_then(|field| seconds_ns(field));
    let rest = own.get(usize::from(lapse_ns.is_some())..)?;
    let (usage, memory) = rest.split_first_chunk::<8>()?;
    let usage = counts(usage)?;
    match memory {
        [] => {}
        [command, process] => to.memory_mb = Some([count(command)?, count(process)?]),
        _ => return None,
    }
    (to.usage, to.lapse_ns) = (Some(usage), to.lapse_ns.or(lapse_ns));
    Some(())
}

/// `[server,] in,out,size in,size out,mark,mark [,blocked while sending,receiving]`
fn rpc(own: &[Vec<u8>], to: &mut Command) -> Option<()> {
    let is_upstream = own.first().is_some_and(|field| natural(field).is_none());
    let rest = own.get(usize::from(is_upstream)..)?;
    let (fields, blocked) = rest.split_first_chunk::<6>()?;
    let mut numbers = counts(fields)?;
    let blocked_ns = match blocked {
        [] => None,
        [send, receive] => Some([seconds_ns(send)?, seconds_ns(receive)?]),
        _ => return None,
    };
    let [received, messages_out, size_in, size_out, ..] = &mut numbers;
    for (messages, size) in [(received, size_in), (messages_out, size_out)] {
        if *size > messages.saturating_add(1).saturating_mul(MOST_MIB_A_MESSAGE) {
            *size >>= 20;
        }
    }
    let place = if is_upstream { &mut to.upstream } else { &mut to.rpc };
    *place = Some(Rpc { counts: numbers, blocked_ns });
    Some(())
}

/// The table's name, then pages in, out, cached, split internal, leaf; read and write locks; rows
/// got, positioned, scanned, put, deleted; wait and held times for read and write, then the longest
/// of each; in newer servers also the peeks (reads without a lock). A lock that belongs to no table
/// has no pages, locks and rows.
fn table(own: &[Vec<u8>], to: &mut Command) -> Option<()> {
    let (name, rest) = own.split_first()?;
    let mut usage = Table::default();
    let is_name = name.iter().any(|byte| matches!(byte, b'.' | b'/')) && name.len() <= 512;
    let rest = match rest.len() {
        20 | 25 => {
            let (pages, rest) = rest.split_first_chunk::<3>()?;
            let (splits, rest) = rest.split_first_chunk::<2>()?;
            let (uses, rest) = rest.split_first_chunk::<7>()?;
            (usage.pages, usage.splits) = (Some(counts(pages)?), Some(counts(splits)?));
            usage.uses = Some(counts(uses)?);
            rest
        }
        4 | 8 | 13 => rest,
        _ => return None,
    };
    let (total, rest) = rest.split_first_chunk::<4>()?;
    usage.total_ms = Some(counts(total)?);
    if let Some((longest, rest)) = rest.split_first_chunk::<4>() {
        usage.max_ms = Some(counts(longest)?);
        if let Some((peeks, _)) = rest.split_first_chunk::<5>() {
            usage.peeks = Some(counts(peeks)?);
        }
    }
    let count = to.tables.count();
    let place = to.tables.index_of(name, count).filter(|_| is_name)?;
    to.tables.get(place)?.add(&usage);
    Some(())
}

/// `files added,updated,deleted,bytes added,updated`
fn estimates(own: &[Vec<u8>], to: &mut Command) -> Option<()> {
    let counts = counts::<5>(own.first_chunk()?).filter(|_| own.len() == 5)?;
    let before = to.estimates.get_or_insert_with(Estimates::default);
    let sums = before.counts.iter_mut().zip(counts);
    sums.for_each(|(sum, more)| *sum = sum.saturating_add(more));
    Some(())
}

/// The kind, then opens, closes, checkins, tests; reads, bytes, writes, bytes; digests, sizes,
/// times, copies.
fn archive(own: &[Vec<u8>], to: &mut Command) -> Option<()> {
    let (kind, rest) = own.split_first()?;
    let (opens, rest) = rest.split_first_chunk::<4>()?;
    let ([reads, read_bytes, writes, written_bytes], rest) = rest.split_first_chunk::<4>()?;
    let digests: &[Vec<u8>; 4] = rest.try_into().ok()?;
    let bytes =
        [natural(reads)?, size_bytes(read_bytes)?, natural(writes)?, size_bytes(written_bytes)?];
    let (opens, digests) = (counts(opens)?, counts(digests)?);
    if kind.len() > 32 || to.archives.len() >= 16 {
        return None;
    }
    let (opens, bytes, digests) = (Some(opens), Some(bytes), Some(digests));
    to.archives.push(Archive { kind: kind.clone(), opens, bytes, digests });
    Some(())
}

fn counts<const N: usize>(fields: &[Vec<u8>; N]) -> Option<[i64; N]> {
    let mut numbers = [0; N];
    for (place, field) in numbers.iter_mut().zip(fields) {
        *place = count(field)?;
    }
    Some(numbers)
}

/// A unit as in the text log (`ms`, `us`, `k`, `mb`) is dropped without conversion.
fn count(field: &[u8]) -> Option<i64> {
    let digits = field.strip_prefix(b"-").unwrap_or(field);
    let unit = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    let (digits, unit) = digits.split_at_checked(unit)?;
    if digits.is_empty() || !matches!(unit, b"" | b"ms" | b"us" | b"k" | b"mb") {
        return None;
    }
    let [count] = whole_numbers(digits)?;
    Some(if field.starts_with(b"-") { -count } else { count })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fields(text: &str) -> Vec<Vec<u8>> {
        text.split(',').map(|field| field.as_bytes().to_vec()).collect()
    }

    fn read(kind: u64, text: &str) -> Option<Command> {
        let mut command = Command::default();
        track(kind, &fields(text), &mut command).then_some(command)
    }

    #[test]
    fn rpc_sizes_in_bytes_or_mib_are_counted_in_mib() {
        let sizes = |text: &str| {
            let [_, _, size_in, size_out, ..] = read(RPC, text)?.rpc?.counts;
            Some((size_in, size_out))
        };
        assert_eq!(sizes("20,21,22,23,1,2"), Some((22, 23)));
        assert_eq!(sizes("20,21,23068672,24117248,1,2"), Some((22, 23)));
        assert_eq!(sizes("20,21,22,23,1"), None);
    }

    #[test]
    fn records_with_missing_extra_or_invalid_fields_are_none() {
        for (kind, text) in [
            (USAGE, "1,2,3,4,5,6,7"),
            (USAGE, "1,2,3,4,5,6,7,8,9"),
            (USAGE, "1,2,3,4,5,6,7,x"),
            (TABLE, "db.rev"),
            (TABLE, "db.rev,1,2,3,4,5"),
            (TABLE, "rev,1,2,3,4"),
            (ESTIMATES, "1,2,3,4"),
            (ARCHIVE, "Rcs,1,2,3,4"),
            (10, "1"),
        ] {
            assert!(read(kind, text).is_none(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_fields_are_read_without_a_panic(
            kind in 0_u64..30,
            own in prop::collection::vec("[-0-9a-z.:/]{0,6}|[0-9]{0,30}", 0..30),
        ) {
            let own: Vec<Vec<u8>> = own.into_iter().map(String::into_bytes).collect();
            let mut command = Command::default();
            for _ in 0..3 {
                track(kind, &own, &mut command);
            }
        }

        #[test]
        fn written_table_fields_are_read_unchanged(
            values in prop::array::uniform25(-9_999_i64..9_999),
        ) {
            let fields: Vec<String> = values.iter().map(i64::to_string).collect();
            let command = read(TABLE, &format!("db.have,{}", fields.join(",")));
            let command = command.ok_or(TestCaseError::fail("not read"))?;
            let (name, table) = command.tables.iter().next().ok_or(TestCaseError::fail("none"))?;
            prop_assert_eq!(name, b"db.have");
            let parts = [
                table.pages.unwrap_or_default().to_vec(),
                table.splits.unwrap_or_default().to_vec(),
                table.uses.unwrap_or_default().to_vec(),
                table.total_ms.unwrap_or_default().to_vec(),
                table.max_ms.unwrap_or_default().to_vec(),
                table.peeks.unwrap_or_default().to_vec(),
            ];
            prop_assert_eq!(parts.concat(), values);
        }
    }
}
