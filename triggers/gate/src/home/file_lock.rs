//! Locking of a file of the home folder, such as the state file, with a time limit of about one
//! second.

use crate::base::fault::Fault;
use crate::home::folder::{Home, TrustedFile};
use std::fs::TryLockError;
use std::thread;
use std::time::Duration;

/// First attempts after which the process only yields the processor, because the lock is usually
/// held for microseconds.
const YIELDS: u32 = 8;
/// Pauses grow up to it, without the part that depends on the process number.
const LONGEST_SLEEP: Duration = Duration::from_micros(512);
/// About one second in all.
const SLEEPS: u32 = 2_000;
/// If the file was replaced or deleted during the wait for its lock.
const REOPENINGS: u32 = 8;

/// Opens a file of the home folder, creates it if missing, and locks it until it is closed. A fault
/// if the file cannot be used, or if its lock is not free within about a second.
pub fn lock(home: &Home, name: &str) -> Result<TrustedFile, Fault> {
    for _ in 0..REOPENINGS {
        let mut open_file = home.open_or_make(name)?;
        wait(&open_file)?;
        if open_file.check_trust()? {
            return Ok(open_file);
        }
    }
    Err(Fault::of_file(&home.file(name), &"other processes replaced it again and again"))
}

fn wait(open_file: &TrustedFile) -> Result<(), Fault> {
    for attempt in 0..YIELDS + SLEEPS {
        match open_file.file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => rest(attempt),
            Err(TryLockError::Error(error)) => return Err(open_file.fault(&error)),
        }
    }
    Err(open_file.fault(&"another process kept it locked for a second"))
}

/// The pause depends on the process number, so that processes started together drift apart.
fn rest(attempt: u32) {
    if attempt < YIELDS {
        thread::yield_now();
    } else {
        let apart = Duration::from_micros(u64::from(std::process::id() % 64));
        let backoff = Duration::from_micros(16 << (attempt - YIELDS).min(5));
        thread::sleep(backoff.min(LONGEST_SLEEP) + apart);
    }
}
