//! The turns of events that ask the server, each of which starts a Python, and of those that add
//! something: locks on bytes of the empty file `turns`, which the kernel releases when their holder ends.

#![allow(unsafe_code)] // rustix locks no part of a file, and the kernel only reads the structure.

use crate::base::clock::Clock;
use crate::base::fault::Fault;
use crate::event::unasked::{MOST_OF_A_USER, Unasked};
use crate::home::folder::{Home, TURNS};
use p4warden_index::base::checksum::checksum;
use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::thread;
use std::time::Duration;

/// A server that does not answer holds up each for 3.5 s, so about 270 get the declared answer before
/// the others have waited too long.
const AT_ONCE: i64 = 16;
const AT_ONCE_OF_A_USER: i64 = AT_ONCE / 2;
const PAUSE: Duration = Duration::from_millis(20);
/// Of the one event that is judged with what it adds.
const ADMISSION: i64 = i64::MAX - 1;
const ADMISSION_PAUSE: Duration = Duration::from_millis(1);

/// Until this value is dropped.
#[derive(Debug)]
pub struct Turn {
    _file: Option<File>,
}

/// Waits for a turn to ask, at most until `until_ns`; `waits` is called meanwhile. If the file cannot be
/// used, nobody waits.
pub fn wait(
    home: &Home,
    user: &[u8],
    until_ns: u64,
    clock: &impl Clock,
    waits: &dyn Fn(),
) -> std::result::Result<Turn, Unasked> {
    let file = home.open_or_make(TURNS).ok().map(|opened| opened.file);
    let Some(file) = file else { return Ok(Turn { _file: None }) };
    if !takes_one(&file, places_of(user)) {
        return Err(Unasked::CrowdOfUser);
    }
    while !takes_one(&file, turns_of(user)) {
        if clock.since_boot_ns() >= until_ns {
            return Err(Unasked::TooLate);
        }
        waits();
        thread::sleep(PAUSE);
    }
    Ok(Turn { _file: Some(file) })
}

/// Waits until no other event is admitted; None if that does not end in time. As `wait`, but a fault if
/// the file cannot be used.
pub fn admission(
    home: &Home,
    until_ns: u64,
    clock: &impl Clock,
    waits: &dyn Fn(),
) -> std::result::Result<Option<Turn>, Fault> {
    let opened = home.open_or_make(TURNS)?;
    while !lock(&opened.file, ADMISSION).map_err(|error| opened.fault(&error))? {
        if clock.since_boot_ns() >= until_ns {
            return Ok(None);
        }
        waits();
        thread::sleep(ADMISSION_PAUSE);
    }
    Ok(Some(Turn { _file: Some(opened.file) }))
}

fn places_of(user: &[u8]) -> Range<i64> {
    let first = AT_ONCE + hash(user) * i64::from(MOST_OF_A_USER);
    first..first + i64::from(MOST_OF_A_USER)
}

/// The others are left to other users.
fn turns_of(user: &[u8]) -> impl Iterator<Item = i64> {
    let first = hash(user);
    (0..AT_ONCE_OF_A_USER).map(move |number| (first + number) % AT_ONCE)
}

fn hash(user: &[u8]) -> i64 {
    checksum(&user.to_ascii_lowercase()).into()
}

/// Also where the file system has no such locks.
fn takes_one(file: &File, mut places: impl Iterator<Item = i64>) -> bool {
    places.any(|place| lock(file, place).unwrap_or(true))
}

/// False if another open file has the lock.
fn lock(file: &File, place: i64) -> Result<bool> {
    let lock = libc::flock {
        l_type: libc::F_WRLCK as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: place,
        l_len: 1,
        l_pid: 0,
    };
    // SAFETY: the descriptor is open, and the structure lives until the call returns.
    if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const lock) } == 0 {
        return Ok(true);
    }
    match Error::last_os_error() {
        error if error.kind() == ErrorKind::WouldBlock => Ok(false),
        error => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// A second passes with each question.
    struct Seconds(Cell<u64>);

    impl Clock for Seconds {
        fn since_boot_ns(&self) -> u64 {
            self.0.set(self.0.get() + 1);
            self.0.get() * 1_000_000_000
        }

        fn wall_ns(&self) -> u64 {
            0
        }

        fn namespace_ns(&self) -> i64 {
            0
        }

        fn boot_id(&self) -> [u8; 36] {
            [0; 36]
        }
    }

    fn take(home: &Home, user: &str, waits: &dyn Fn()) -> std::result::Result<Turn, Unasked> {
        wait(home, user.as_bytes(), 5_000_000_000, &Seconds(Cell::new(0)), waits)
    }

    #[test]
    fn a_turn_is_free_when_another_ends_and_the_wait_has_an_end() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        let own = 0..AT_ONCE_OF_A_USER;
        let mut turns: Vec<_> = own.map(|_| take(&home, "ann", &|| ()).unwrap()).collect();
        let waits = Cell::new(0);
        let waiting = || waits.set(waits.get() + 1);
        assert_eq!(take(&home, "ann", &waiting).unwrap_err(), Unasked::TooLate);
        assert_eq!(waits.get(), 4);
        assert!(take(&home, "bob", &|| ()).is_ok());
        turns.pop();
        assert!(take(&home, "ann", &|| ()).is_ok());
    }

    #[test]
    fn of_each_user_only_so_many_wait_in_whatever_case_the_name_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        let files: Vec<_> = (0..MOST_OF_A_USER)
            .map(|_| home.open_or_make(TURNS).unwrap().file)
            .filter(|file| takes_one(file, places_of(b"ann")))
            .collect();
        assert_eq!(files.len(), MOST_OF_A_USER as usize);
        assert_eq!(take(&home, "ANN", &|| ()).unwrap_err(), Unasked::CrowdOfUser);
        assert!(take(&home, "bob", &|| ()).is_ok());
    }

    #[test]
    fn one_event_is_admitted_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        let admit = || admission(&home, 5_000_000_000, &Seconds(Cell::new(0)), &|| ());
        let first = admit().unwrap();
        assert!(admit().unwrap().is_none());
        drop(first);
        assert!(admit().unwrap().is_some());
    }

    #[test]
    fn nobody_waits_where_the_file_cannot_be_used() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(TURNS)).unwrap();
        let home = Home::at(folder.path());
        let turns: Vec<_> = (0..200).map(|_| take(&home, "ann", &|| ())).collect();
        assert!(turns.iter().all(std::result::Result::is_ok));
    }
}
