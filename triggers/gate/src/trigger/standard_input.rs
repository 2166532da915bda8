//! Reading of the dictionary that a server with `triggers.io=1` writes to a trigger's standard
//! input.

use crate::base::clock::Clock;
use crate::base::fault::Fault;
use crate::base::text::seconds;
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionread;
use rustix::stdio::stdin;
use std::time::Duration;

/// From the start of the process on, for a dictionary that the trigger line expects.
const DEADLINE_NS: u64 = 3_500_000_000;
/// For one that it does not expect; spent in full if the server does not close its end of the pipe.
const UNEXPECTED_NS: u64 = 200_000_000;
/// Number of bytes of standard input that are kept.
const MAX_BYTES: usize = 4 * 1024 * 1024;
const DRAIN_NS: u64 = 20_000_000;

/// The text on a trigger's standard input.
#[derive(Debug, Default)]
pub struct StandardInput {
    /// The text up to its end, or its whole lines among the bytes that were read.
    pub content: Vec<u8>,
    /// False if the text is longer than what is kept.
    pub is_whole: bool,
}

/// Whether the server expects a dictionary as the reply: it has written its own to standard input,
/// which with `triggers.io=0` it closes at once (sys/runcmd.cc in the Perforce C++ API). Reads
/// nothing. None if standard input has no text and does not end in time.
pub fn has_dictionary(is_expected: bool, began_ns: u64, clock: &impl Clock) -> Option<bool> {
    let time_ns = if is_expected { DEADLINE_NS } else { UNEXPECTED_NS };
    is_ready(began_ns.saturating_add(time_ns), clock)
        .then(|| ioctl_fionread(stdin()).is_ok_and(|bytes| bytes > 0))
}

/// Reads standard input until it ends, and keeps the first 4 MiB; more is read all the same, because
/// the server may wait until all of it is read. A fault if it does not end in time.
pub fn read(began_ns: u64, clock: &impl Clock) -> Result<StandardInput, Fault> {
    let mut content = Vec::new();
    let has_ended = read_pieces(clock, began_ns.saturating_add(DEADLINE_NS), |piece| {
        let room = MAX_BYTES.saturating_sub(content.len());
        content.extend(piece.iter().take(room));
    });
    if !has_ended {
        let limit_s = seconds(DEADLINE_NS);
        return Err(Fault::new(format!(
            "the server did not write the whole dictionary of triggers.io=1 within {limit_s} s"
        )));
    }
    let is_whole = content.len() < MAX_BYTES;
    if !is_whole {
        let last = content.iter().rposition(|byte| *byte == b'\n');
        content.truncate(last.map_or(0, |at| at + 1));
    }
    Ok(StandardInput { content, is_whole })
}

/// Reads the rest of standard input, so that no write of the server fails when this process ends.
pub fn drain(clock: &impl Clock) {
    read_pieces(clock, clock.since_boot_ns().saturating_add(DRAIN_NS), |_| ());
}

/// Passes on standard input piece by piece up to a time; returns whether it ended.
fn read_pieces(clock: &impl Clock, end_ns: u64, mut keep: impl FnMut(&[u8])) -> bool {
    // On the stack each page of it would cost every trigger a page fault.
    let mut piece = Vec::with_capacity(64 * 1024);
    loop {
        if !is_ready(end_ns, clock) {
            return false;
        }
        piece.clear();
        match rustix::io::read(stdin(), spare_capacity(&mut piece)) {
            Ok(length) if length > 0 => keep(&piece),
            Ok(_) => return true,
            Err(_) => return false,
        }
    }
}

/// Waits until standard input has text or has ended; false if neither happens in time. What is there
/// counts even if this process did not run in time.
fn is_ready(end_ns: u64, clock: &impl Clock) -> bool {
    let left_ns = end_ns.saturating_sub(clock.since_boot_ns());
    let left = Timespec::try_from(Duration::from_nanos(left_ns)).ok();
    let stdin = stdin();
    let ready = poll(&mut [PollFd::new(&stdin, PollFlags::IN)], left.as_ref());
    ready.is_ok_and(|ready| ready > 0)
}
