//! The watchdog behind the bounds on the work for a command: it answers p4d if judging takes longer
//! all the same, for example because a disk does not answer. p4d itself waits without end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::Duration;

/// Longest time for judging one command. Waiting for the lock of the state file, at most a second,
/// is part of it.
pub const LONGEST: Duration = Duration::from_secs(5);
const STACK_BYTES: usize = 256 * 1024;
const OPEN: u8 = 0;
const BY_PROCESS: u8 = 1;
const BY_WATCHDOG: u8 = 2;

/// A watchdog on the judging of one command.
#[derive(Debug)]
pub struct Watchdog {
    /// Who answers p4d: nobody yet, the process in its usual way, or the watchdog.
    answered: Arc<AtomicU8>,
}

impl Watchdog {
    /// Starts to watch; `answer` is called in a thread of its own if the time passes before `stop`.
    /// If no thread can be started, nothing is watched.
    #[must_use]
    pub fn start(time: Duration, answer: impl FnOnce() + Send + 'static) -> Self {
        let answered = Arc::new(AtomicU8::new(OPEN));
        let watched = Arc::clone(&answered);
        let watch = move || {
            thread::sleep(time);
            if is_taken(&watched, BY_WATCHDOG) {
                answer();
            }
        };
        let _ = thread::Builder::new().stack_size(STACK_BYTES).spawn(watch);
        Watchdog { answered }
    }

    /// Ends the watch, because the verdict is known. Does not return if the watchdog is answering;
    /// it then ends the process.
    pub fn stop(&self) {
        while !is_taken(&self.answered, BY_PROCESS) {
            thread::park();
        }
    }
}

fn is_taken(answered: &AtomicU8, by: u8) -> bool {
    let found = answered.compare_exchange(OPEN, by, Ordering::AcqRel, Ordering::Acquire);
    found.is_ok() || found == Err(by)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{RecvTimeoutError, channel};

    #[test]
    fn it_answers_once_the_time_has_passed_unless_it_was_stopped() {
        let (to, from) = channel();
        let late = to.clone();
        let _watchdog = Watchdog::start(Duration::from_millis(1), move || {
            let _ = late.send("late");
        });
        assert_eq!(from.recv(), Ok("late"));
        let stopped = Watchdog::start(Duration::from_millis(200), move || {
            let _ = to.send("stopped");
        });
        stopped.stop();
        stopped.stop();
        assert_eq!(from.recv_timeout(Duration::from_secs(9)), Err(RecvTimeoutError::Disconnected));
    }
}
