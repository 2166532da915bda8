//! The counters in a server's `rt.monitorfile`.
//!
//! Layout of the public C++ API (support/monitem.h of 2024.2), which Perforce does not promise:
//! records back to back in the machine's byte order, each a type (int32; 1 none, 2 a value, 3 a
//! value with its maximum, 0 or less ends), flags (int32), a name ended and padded with NUL to
//! eight bytes, then one int64, or two. The server writes meanwhile, so any oddity makes all counters
//! unknown. The file is never mapped: a map of a file that gets shorter ends the process with a
//! signal.

use rustix::fs::{FileType, Mode, OFlags};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;

const MAX_BYTES: usize = 1 << 16;
const MAX_NAME_BYTES: usize = 128;
const LOCK_WAITERS: &str = "rtv.db.lockwait";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    pub value: i64,
    /// Since the server started.
    pub maximum: Option<i64>,
}

/// Sessions that wait for a lock on a table; None if that is in doubt.
pub fn lock_waiters(path: &[u8]) -> Option<u64> {
    let content = content(path).ok()?;
    let counters = counters(&content)?;
    u64::try_from(counters.get(LOCK_WAITERS)?.value).ok()
}

/// The beginning of the file, at most 64 KiB.
pub fn content(path: &[u8]) -> std::io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let file = File::from(rustix::fs::open(OsStr::from_bytes(path), flags, Mode::empty())?);
    if FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode) != FileType::RegularFile {
        return Err(std::io::Error::other("it is not a regular file"));
    }
    let mut content = vec![0; MAX_BYTES];
    let length = file.read_at(&mut content, 0)?;
    content.truncate(length);
    Ok(content)
}

/// None if anything is odd.
pub fn counters(content: &[u8]) -> Option<BTreeMap<&str, Counter>> {
    let mut counters = BTreeMap::new();
    let mut rest = content;
    loop {
        let kind = i32::from_ne_bytes(array(&mut rest)?);
        array::<4>(&mut rest)?;
        if kind <= 0 {
            let set = |(name, counter): (_, Option<Counter>)| Some((name, counter?));
            return Some(counters.into_iter().filter_map(set).collect());
        }
        let name = name(&mut rest)?;
        let counter = match kind {
            1 => None,
            2 => Some(Counter { value: number(&mut rest)?, maximum: None }),
            3 => {
                let (value, maximum) = (number(&mut rest)?, number(&mut rest)?);
                Some(Counter { value, maximum: Some(maximum).filter(|maximum| *maximum >= 0) })
            }
            _ => return None,
        };
        if counters.insert(name, counter).is_some() {
            return None;
        }
    }
}

fn name<'c>(rest: &mut &'c [u8]) -> Option<&'c str> {
    let length = rest.iter().take(MAX_NAME_BYTES).position(|byte| *byte == 0)?;
    let (name, after) = rest.split_at_checked((length / 8 + 1) * 8)?;
    let (name, padding) = name.split_at_checked(length)?;
    *rest = after;
    let is_printable = |byte: &u8| matches!(byte, b' '..=b'~');
    let is_name = !name.is_empty() && name.iter().all(is_printable);
    let is_padded = padding.iter().all(|byte| *byte == 0);
    str::from_utf8(name).ok().filter(|_| is_name && is_padded)
}

fn number(rest: &mut &[u8]) -> Option<i64> {
    array(rest).map(i64::from_ne_bytes)
}

fn array<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (array, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*array)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const END: [u8; 8] = [0; 8];

    fn record(kind: i32, name: &[u8], values: &[i64]) -> Vec<u8> {
        let mut record = [kind.to_ne_bytes(), 0_i32.to_ne_bytes()].concat();
        record.extend(name);
        record.resize(8 + (name.len() / 8 + 1) * 8, 0);
        values.iter().for_each(|value| record.extend(value.to_ne_bytes()));
        record
    }

    fn locks() -> Vec<u8> {
        record(3, LOCK_WAITERS.as_bytes(), &[3, 382])
    }

    #[test]
    fn values_and_maxima_are_read() {
        let sessions = record(3, b"rtv.svr.sessions.active", &[7, -1]);
        let paused = record(2, b"rtv.svr.sessions.paused", &[0]);
        let none = record(1, b"none", &[]);
        let content = [&locks()[..], &none, &sessions, &paused, &END, b"rest"].concat();
        let expected = [
            (LOCK_WAITERS, Counter { value: 3, maximum: Some(382) }),
            ("rtv.svr.sessions.active", Counter { value: 7, maximum: None }),
            ("rtv.svr.sessions.paused", Counter { value: 0, maximum: None }),
        ];
        assert_eq!(counters(&content), Some(BTreeMap::from(expected)));
    }

    #[test]
    fn anything_odd_makes_all_counters_unknown() {
        let locks = locks();
        for content in [
            vec![],
            locks.clone(),
            locks[..locks.len() - 8].to_vec(),
            locks[..12].to_vec(),
            [&locks[..], &locks, &END].concat(),
            [record(4, b"later", &[1]), END.to_vec()].concat(),
            [record(2, b"", &[1]), END.to_vec()].concat(),
            [record(2, b"not\xffascii", &[1]), END.to_vec()].concat(),
            [record(2, b"abc\0xyz", &[1]), END.to_vec()].concat(),
            [record(2, &[b'n'; 200], &[1]), END.to_vec()].concat(),
            b"SQLite format 3\0".repeat(8),
        ] {
            assert_eq!(counters(&content), None, "{content:?}");
        }
    }

    #[test]
    fn a_file_that_is_absent_odd_or_no_file_tells_of_no_waiters() -> std::io::Result<()> {
        let folder = std::env::temp_dir().join(format!("p4warden-monitor-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let file = folder.join("monfile.mem");
        let path = file.as_os_str().as_bytes();
        assert_eq!(lock_waiters(path), None);
        for (content, expected) in [
            ([locks(), END.to_vec()].concat(), Some(3)),
            (END.to_vec(), None),
            ([record(2, LOCK_WAITERS.as_bytes(), &[-1]), END.to_vec()].concat(), None),
            (b"text".to_vec(), None),
            ([locks(), record(2, &[b'n'; 100], &[0])].concat(), None),
        ] {
            std::fs::write(&file, content)?;
            assert_eq!(lock_waiters(path), expected);
        }
        assert_eq!(lock_waiters(folder.as_os_str().as_bytes()), None);
        assert_eq!(lock_waiters(b"/dev/zero"), None);
        assert_eq!(lock_waiters(b"a\0b"), None);
        std::fs::remove_dir_all(&folder)
    }

    proptest! {
        #[test]
        fn any_content_is_read_without_an_error(more in proptest::collection::vec(any::<u8>(), 0..400)) {
            let content = [locks(), more].concat();
            let found = counters(&content);
            let value = found.map(|found| found.get(LOCK_WAITERS).map(|one| one.value));
            prop_assert!(matches!(value, None | Some(Some(3))));
        }

        #[test]
        fn content_cut_or_changed_anywhere_is_read_without_an_error(
            place in 0_usize..64,
            byte in any::<u8>(),
            length in 0_usize..64,
        ) {
            let mut content = [locks(), END.to_vec()].concat();
            if let Some(changed) = content.get_mut(place) {
                *changed = byte;
            }
            content.truncate(length);
            let _ = counters(&content);
        }
    }
}
