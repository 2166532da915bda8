//! The sums with which files that decide end: p4warden judges by none whose bytes have changed since
//! it wrote them.
//!
//! Such a file is a JSON object, as `home/summed_file.py` writes it, with `sums` as its last entry:
//! of each `BLOCK_BYTES` of all before that entry the CRC-32, combined with the number of the block,
//! so that a block in another's place is noticed too. A part of a large file is checked by its own
//! sums.

use p4warden_index::base::checksum::crc_32;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

const BLOCK_BYTES: u64 = 512;
const SUM_BYTES: u64 = 8;
const START: &[u8] = b",\n\"sums\": \"";
const END: &[u8] = b"\"}\n";
pub const CHANGED: &str = "it is not as p4warden wrote it";

/// The bytes of a file before its sums; every part that is read is checked.
#[derive(Clone, Copy, Debug)]
pub struct SummedFile<'f> {
    file: &'f File,
    pub bytes: u64,
}

impl<'f> SummedFile<'f> {
    /// None if a file of this length has no sums.
    pub fn of(file: &'f File, file_bytes: u64) -> Option<Self> {
        Some(SummedFile { file, bytes: bytes_before(file_bytes)? })
    }

    /// Less than `length` bytes if the file ends before.
    pub fn part(&self, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        let end = offset.saturating_add(length).min(self.bytes);
        let (first, last) = (offset / BLOCK_BYTES, end.div_ceil(BLOCK_BYTES));
        let start = first * BLOCK_BYTES;
        let mut part = self.read(start, (last * BLOCK_BYTES).min(self.bytes))?;
        let sums = self.bytes + START.len() as u64;
        let sums = self.read(sums + first * SUM_BYTES, sums + last * SUM_BYTES)?;
        if sums != sums_of(&part, first) {
            return Err(io::Error::other(CHANGED));
        }
        part.truncate(usize::try_from(end.saturating_sub(start)).unwrap_or(0));
        Ok(part.split_off(usize::try_from(offset - start).unwrap_or(0).min(part.len())))
    }

    fn read(&self, start: u64, end: u64) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(end.saturating_sub(start)).unwrap_or(0)];
        self.file.read_exact_at(&mut bytes, start)?;
        Ok(bytes)
    }
}

/// The object of a whole file, without its sums, if they fit.
pub fn without_sums(content: Vec<u8>) -> Result<Vec<u8>, String> {
    checked(content).ok_or_else(|| CHANGED.to_owned())
}

/// As `without_sums`, but a text without sums is taken as it is.
pub fn without_sums_if_any(content: Vec<u8>) -> Result<Vec<u8>, String> {
    match memchr::memmem::rfind(&content, START) {
        Some(_) => without_sums(content),
        None => Ok(content),
    }
}

fn checked(mut content: Vec<u8>) -> Option<Vec<u8>> {
    let bytes = usize::try_from(bytes_before(content.len() as u64)?).ok()?;
    let (object, sums) = content.split_at_checked(bytes)?;
    if sums != [START, &sums_of(object, 0), END].concat() {
        return None;
    }
    content.truncate(bytes);
    content.push(b'}');
    Some(content)
}

fn bytes_before(file_bytes: u64) -> Option<u64> {
    let with_sums = file_bytes.checked_sub((START.len() + END.len()) as u64)?;
    with_sums.checked_sub(with_sums.div_ceil(BLOCK_BYTES + SUM_BYTES) * SUM_BYTES)
}

fn sums_of(blocks: &[u8], first: u64) -> Vec<u8> {
    let numbers = first as u32..;
    let sums = blocks.chunks(BLOCK_BYTES as usize).zip(numbers);
    sums.map(|(block, number)| format!("{:08x}", crc_32(block) ^ number)).collect::<String>().into()
}

/// As `home/summed_file.py` writes an object that lacks its last brace.
pub fn with_sums(object: &[u8]) -> Vec<u8> {
    [object, START, &sums_of(object, 0), END].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Write;

    proptest! {
        #[test]
        fn each_part_is_read_unless_its_block_is_changed(
            object in prop::collection::vec(any::<u8>(), 0..3000),
            (from, length, changed) in (0_u64..3100, 0_u64..3100, 0_u64..3100),
        ) {
            let mut content = with_sums(&object);
            prop_assert_eq!(without_sums(content.clone()).unwrap(), [&object[..], b"}"].concat());
            let changed = changed % content.len() as u64;
            content[changed as usize] ^= 4;
            prop_assert_eq!(without_sums(content.clone()), Err(CHANGED.to_owned()));
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&content).unwrap();
            let part = SummedFile::of(&file, content.len() as u64).unwrap().part(from, length);
            let range = from as usize..object.len().min((from + length) as usize);
            match part {
                Ok(part) => prop_assert_eq!(&part, object.get(range).unwrap_or_default()),
                Err(_) => prop_assert!(changed >= from / 512 * 512),
            }
        }
    }
}
