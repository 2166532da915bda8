//! Reading of the dictionary that a server with `triggers.io=1` writes to a trigger's standard
//! input.

use crate::base::clock::Clock;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Maximum time in nanoseconds for reading standard input; spent in full if the server does not
/// close its end of the pipe. The same limit as in `worker/trigger_dictionary.py`.
pub const DEADLINE_NS: u64 = 200_000_000;
/// Number of bytes read from standard input at which reading stops. The same limit as in
/// `worker/trigger_dictionary.py`.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Reads standard input until it ends, the deadline passes or 4 MiB are read; returns the bytes
/// read so far, also after an error.
pub fn read(clock: &impl Clock) -> Vec<u8> {
    let (input, mut content) = (std::io::stdin(), Vec::new());
    let mut piece = [0; 16 * 1024];
    let end_ns = clock.since_boot_ns().saturating_add(DEADLINE_NS);
    while content.len() < MAX_BYTES {
        let left_ns = end_ns.saturating_sub(clock.since_boot_ns());
        let timeout = Timespec { tv_sec: 0, tv_nsec: i64::try_from(left_ns).unwrap_or(0) };
        let ready = poll(&mut [PollFd::new(&input, PollFlags::IN)], Some(&timeout));
        if left_ns == 0 || !ready.is_ok_and(|ready| ready > 0) {
            break;
        }
        match rustix::io::read(&input, &mut piece) {
            Ok(length) if length > 0 => content.extend(piece.iter().take(length)),
            _ => break,
        }
    }
    content
}
