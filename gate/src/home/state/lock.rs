//! The lock of a file, had within a second or not at all.

use crate::base::fault::Fault;
use crate::home::folder::{Home, Opened};
use std::fs::TryLockError;
use std::thread;
use std::time::Duration;

/// So often the processor is left to others; the holder needs some ten microseconds.
const YIELDS: u32 = 8;
/// Then it sleeps, longer and longer up to this.
const LONGEST_SLEEP: Duration = Duration::from_micros(512);
/// All sleeps together: about a second.
const SLEEPS: u32 = 2_000;
/// A file that is replaced while we wait is opened again, so often.
const REOPENINGS: u32 = 8;

/// Opens a file of the home folder and locks it; the lock ends with the file or the process.
pub fn lock(home: &Home, name: &str) -> Result<Opened, Fault> {
    for _ in 0..REOPENINGS {
        let mut opened = home.open_or_make(name)?;
        wait(&opened)?;
        if opened.look()? {
            return Ok(opened);
        }
    }
    Err(Fault::new(format!("{}: is replaced all the time", home.file(name).display())))
}

fn wait(opened: &Opened) -> Result<(), Fault> {
    for attempt in 0..YIELDS + SLEEPS {
        match opened.file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => rest(attempt),
            Err(TryLockError::Error(error)) => return Err(opened.fault(&error)),
        }
    }
    Err(opened.fault(&std::io::Error::other("others held its lock for a second")))
}

/// Waits a little. Processes that started together drift apart by their numbers.
fn rest(attempt: u32) {
    if attempt < YIELDS {
        thread::yield_now();
    } else {
        let apart = Duration::from_micros(u64::from(std::process::id() % 64));
        let backoff = Duration::from_micros(16 << (attempt - YIELDS).min(5));
        thread::sleep(backoff.min(LONGEST_SLEEP) + apart);
    }
}
